// A store that counts what its puts of log entries came to, from any number of threads, and makes races for a slot more
// likely. Copies count together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tarn/store/store.hpp>
#include <thread>
#include <utility>

namespace tarn_test {

struct entry_put_counts {
  std::atomic<std::uint64_t> created = 0;
  std::atomic<std::uint64_t> lost = 0;     // the slot was taken
  std::atomic<std::uint64_t> unclear = 0;  // neither: what a healthy store never answers
  [[nodiscard]] std::uint64_t attempts() const { return created + lost + unclear; }
};

template <class Inner>
class counting_store {
 public:
  using handle = typename Inner::handle;
  static constexpr tarn::store_strengths strengths = tarn::strengths_of<Inner>();

  explicit counting_store(Inner inner) : inner_(std::move(inner)), counts_(std::make_shared<entry_put_counts>()) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!name.starts_with("_log_")) return inner_.put_if_absent(name, bytes);
    std::this_thread::yield();  // between reading the head and putting: where another may get in
    tarn::put_result put = inner_.put_if_absent(name, bytes);
    if (put.outcome() == tarn::put_outcome::created)
      ++counts_->created;
    else if (put.outcome() == tarn::put_outcome::already_exists)
      ++counts_->lost;
    else
      ++counts_->unclear;
    return put;
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) { return inner_.get(name); }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return inner_.list(prefix, start_after, std::move(visit));
  }

  [[nodiscard]] const entry_put_counts& entry_puts() const { return *counts_; }

 private:
  Inner inner_;
  std::shared_ptr<entry_put_counts> counts_;
};

}  // namespace tarn_test
