// How long, and how often, to wait before trying again: exponential with full jitter, which spreads out writers that
// lost to the same one ("Exponential Backoff And Jitter", Brooker, 2015). Every loop that uses it is bounded.
#pragma once

#include <cstdint>

#include "config.hpp"
#include "environment.hpp"

namespace tarn::inline TARN_ABI {

struct backoff_options {
  std::uint64_t first_wait_us = 100;    // the bound of the first wait; it doubles
  std::uint64_t wait_us_max = 100'000;  // ... up to this
  std::uint32_t attempts_max = 30;      // tries in all; the waits then add up to two seconds at most
  // A minute: what all waits for one thing may add up to, however often others were faster with it. Counted are the
  // waits that were asked for: no clock that steps can make the sum wrong, and no work between them is part of it.
  std::uint64_t wait_total_us_max = 60'000'000;
};

// One sequence of attempts at one thing. What it is made of must outlive it.
class backoff {
 public:
  backoff(const backoff_options& options, const environment& surroundings) noexcept
      : options_(&options),
        surroundings_(&surroundings),
        bound_us_(options.first_wait_us < options.wait_us_max ? options.first_wait_us : options.wait_us_max) {}

  // Waits, then true; false, at once, when all attempts or all time to wait are used up. To be called after each failed
  // attempt.
  [[nodiscard]] bool wait() {
    if (++attempts_ >= options_->attempts_max || is_late()) return false;
    std::uint64_t random = 0;
    // Without entropy all writers wait for the same time: slower under contention, still correct.
    if (!surroundings_->fill_random(surroundings_->context, &random, sizeof random)) random = bound_us_;
    const std::uint64_t wait_us = random % (bound_us_ + 1);
    surroundings_->wait_us(surroundings_->context, wait_us);
    waited_us_ += wait_us;
    bound_us_ = bound_us_ < options_->wait_us_max / 2 ? 2 * bound_us_ : options_->wait_us_max;
    return true;
  }

  // All attempts anew, for something that others were faster with. The waits go back by half only: that they have
  // become long tells that many compete. The time to wait is not given anew.
  void restart() noexcept {
    attempts_ = 0;
    if (bound_us_ / 2 >= options_->first_wait_us) bound_us_ /= 2;
  }

  // Whether all time to wait is used up.
  [[nodiscard]] bool is_late() const noexcept { return waited_us_ >= options_->wait_total_us_max; }

 private:
  const backoff_options* options_;
  const environment* surroundings_;
  std::uint64_t bound_us_;
  std::uint64_t waited_us_ = 0;
  std::uint32_t attempts_ = 0;
};

}  // namespace tarn::inline TARN_ABI
