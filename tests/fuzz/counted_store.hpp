// A store in memory that allows so many calls: what reads a lake in time linear in its size needs no more, and what
// would hang is found out.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <utility>

#include "target.hpp"

namespace tarn_test::fuzz {

// Copies share objects and count.
class counted_store {
 public:
  using handle = tarn::memory_store::handle;
  static constexpr tarn::store_strengths strengths = tarn::memory_store::strengths;

  // From now on.
  void allow(std::uint64_t calls) { *left_ = calls; }

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    count();
    return inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    count();
    return inner_.get(name);
  }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    count();
    return inner_.list(prefix, start_after, std::move(visit));
  }
  [[nodiscard]] tarn::status remove(std::string_view name) {
    count();
    return inner_.remove(name);
  }

 private:
  void count() {
    expect(*left_ > 0, "the number of calls of a store is bounded by that of its objects");
    --*left_;
  }

  tarn::memory_store inner_;
  std::shared_ptr<std::uint64_t> left_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace tarn_test::fuzz
