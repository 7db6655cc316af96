// A store in memory whose calls fail in all the ways that the store concept allows, as a seed decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/core/error.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/store/store.hpp>
#include <vector>

#include "random_source.hpp"

namespace tarn_test {

enum class put_fault : unsigned char {
  not_applied,         // nothing landed; it may be tried again
  no_space,            // nothing landed; it may not
  unknown_landed,      // the answer was lost
  unknown_not_landed,  // the request was lost
  unknown_late,        // the request is under way, and arrives some calls later
  exists_landed,       // the store lost its own answer, tried again and found what it had put
};
inline constexpr std::size_t put_faults = 6;

// What happens, and what has happened, to all copies of one store.
class fault_plan {
 public:
  // Faults from now on, until the next call, in `percent` of the calls.
  void inject(std::uint64_t seed, std::size_t percent) {
    random_ = random_source(seed);
    percent_ = percent;
    injected_ = 0;
    unclear_ = 0;
  }
  // Faults, and late arrivals, since then.
  [[nodiscard]] std::size_t injected() const { return injected_; }
  // Answers to puts, since then, that leave open whose bytes there are.
  [[nodiscard]] std::size_t unclear() const { return unclear_; }
  [[nodiscard]] std::size_t calls() const { return calls_; }
  [[nodiscard]] std::size_t count(put_fault kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t late_arrivals() const { return late_arrivals_; }

  // Calls `interruption` before the call that follows `calls` others, for what other clients do meanwhile.
  void interrupt(std::size_t calls, std::function<void()> interruption) {
    calls_to_interruption_ = calls;
    interruption_ = std::move(interruption);
  }
  // No longer; whether there was an interruption.
  bool take_interruption() { return !std::exchange(interruption_, {}); }

  // Every put that is still under way arrives.
  void arrive_all(tarn::memory_store& content) {
    for (late_put& each : late_) each.calls_left = 0;
    arrive(content);
  }

 private:
  friend class faulty_store;
  struct late_put {
    std::string name;
    std::string bytes;
    std::size_t calls_left;
  };

  void note_call(tarn::memory_store& content) {
    if (interruption_ && calls_to_interruption_-- == 0) std::exchange(interruption_, {})();
    ++calls_;
    for (late_put& each : late_)
      if (each.calls_left > 0) --each.calls_left;
    arrive(content);
  }

  void arrive(tarn::memory_store& content) {
    for (std::size_t at = late_.size(); at-- > 0;) {
      if (late_[at].calls_left > 0) continue;
      const tarn::put_result put = content.put_if_absent(late_[at].name, late_[at].bytes);
      if (put.outcome() == tarn::put_outcome::created) {
        ++injected_;
        ++late_arrivals_;
      }
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  void note_answer(const tarn::put_result& put) {
    const tarn::put_outcome outcome = put.outcome();
    if (outcome == tarn::put_outcome::unknown || outcome == tarn::put_outcome::already_exists) ++unclear_;
  }

  [[nodiscard]] bool strikes() {
    const bool now = percent_ > 0 && random_.chance(percent_);
    if (now) ++injected_;
    return now;
  }

  [[nodiscard]] tarn::put_result put(std::string_view name, std::string_view bytes, tarn::memory_store& content) {
    const auto kind = static_cast<put_fault>(random_.below(put_faults));
    ++counts_[static_cast<std::size_t>(kind)];
    const tarn::error why(kind == put_fault::no_space ? tarn::errc::no_space : tarn::errc::io, "injected");
    switch (kind) {
      case put_fault::not_applied:
      case put_fault::no_space: return tarn::put_result::not_applied(why);
      case put_fault::unknown_landed: (void)content.put_if_absent(name, bytes); break;
      case put_fault::unknown_not_landed: break;
      case put_fault::unknown_late:
        late_.push_back({std::string(name), std::string(bytes), 1 + random_.below(40)});
        break;
      case put_fault::exists_landed:
        (void)content.put_if_absent(name, bytes);
        return tarn::put_result::already_exists();
    }
    return tarn::put_result::unknown(why);
  }

  random_source random_{0};
  std::size_t percent_ = 0;
  std::size_t injected_ = 0;
  std::size_t unclear_ = 0;
  std::size_t calls_ = 0;
  std::size_t late_arrivals_ = 0;
  std::array<std::size_t, put_faults> counts_{};
  std::size_t calls_to_interruption_ = 0;
  std::function<void()> interruption_;
  std::vector<late_put> late_;
};

class faulty_store {
 public:
  using handle = tarn::memory_store::handle;

  faulty_store(tarn::memory_store content, std::shared_ptr<fault_plan> plan)
      : content_(std::move(content)), plan_(std::move(plan)) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    plan_->note_call(content_);
    tarn::put_result put = plan_->strikes() ? plan_->put(name, bytes, content_) : content_.put_if_absent(name, bytes);
    plan_->note_answer(put);
    return put;
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    plan_->note_call(content_);
    if (plan_->strikes()) return tarn::error(tarn::errc::io, "injected");
    return content_.get(name);
  }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    plan_->note_call(content_);
    if (plan_->strikes()) return tarn::error(tarn::errc::io, "injected");
    return content_.list(prefix, start_after, visit);
  }

 private:
  tarn::memory_store content_;
  std::shared_ptr<fault_plan> plan_;
};

}  // namespace tarn_test
