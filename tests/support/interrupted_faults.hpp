// A plan of faults under which others have a turn in between: before a call something happens that a test says.
#pragma once

#include <cstddef>
#include <functional>
#include <tarn/testing/fault_chooser.hpp>
#include <utility>

namespace tarn_test {

template <tarn::testing::chooses_faults Plan>
class interrupted_faults {
 public:
  interrupted_faults() = default;
  explicit interrupted_faults(Plan plan) : plan_(std::move(plan)) {}

  [[nodiscard]] Plan& plan() { return plan_; }

  // Calls `interruption` before the call that follows `calls` others, for what other clients do meanwhile.
  void interrupt(std::size_t calls, std::function<void()> interruption) {
    calls_to_interruption_ = calls;
    interruption_ = std::move(interruption);
  }
  // No longer; whether there was an interruption.
  bool take_interruption() { return !std::exchange(interruption_, {}); }

  [[nodiscard]] tarn::testing::fault choose(const tarn::testing::client_call& call) {
    if (interruption_ && calls_to_interruption_-- == 0) std::exchange(interruption_, {})();
    return plan_.choose(call);
  }

 private:
  Plan plan_;
  std::size_t calls_to_interruption_ = 0;
  std::function<void()> interruption_;
};

}  // namespace tarn_test
