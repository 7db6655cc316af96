// What began before what ended, in an exploration by partial order. Of all runs that differ only in the order of
// independent steps it makes one; that somebody began after another had ended is so in some of them and not in others.
// So it is not asked when things happened in the run that was made, but what could have happened in any that it stands
// for: by the causal order of steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tarn/core/text.hpp>
#include <tarn/testing/explore/causal_order.hpp>
#include <tarn/testing/history.hpp>
#include <tarn/testing/history_recorder.hpp>
#include <vector>

namespace tarn_test {

// Of one run: `begin` before it, `note_step` after each step.
class explored_times {
 public:
  void begin(tarn::testing::history_recorder& into) {
    begun_ = into.next_event();
    marks_.clear();
  }
  void note_step(tarn::testing::history_recorder& into) { marks_.push_back(into.next_event()); }

  // A transaction that reads the newest version must have each one that was acknowledged before its first step, in any
  // run with this causal order. (Its client can have waited before that step: it did nothing else since the one
  // before.) Nothing, or the first that has not.
  [[nodiscard]] std::string stale_snapshot(const tarn::testing::history& all,
                                           const std::vector<tarn::testing::explored_step>& steps) const {
    std::optional<tarn::testing::causal_order> order;
    for (std::uint32_t reader = 0; reader < all.transactions.size(); ++reader) {
      const tarn::testing::transaction_record& late = all.transactions[reader];
      if (!late.reads_newest() || late.end < begun_) continue;
      const std::size_t first = first_step(late, steps);
      for (std::uint32_t writer = 0; writer < all.transactions.size(); ++writer) {
        const tarn::testing::transaction_record& early = all.transactions[writer];
        if (!early.claims_version() || early.committed <= late.snapshot || writer == reader) continue;
        const std::size_t last = step_of(early.end);
        if (early.end > begun_ && first <= last) {
          if (!order) order.emplace(tarn::testing::calls_depend).take(steps, 0, steps.size());
          if (order->follows(last, first)) continue;
        }
        return tarn::concat({all.describe(reader), " has read version ", late.snapshot.number, ", though ",
                             all.describe(writer), " can have been acknowledged version ", early.committed.number,
                             " before"});
      }
    }
    return {};
  }

 private:
  // The step after which its client did this; as many as there are: after all of them.
  [[nodiscard]] std::size_t step_of(std::uint64_t event) const {
    return static_cast<std::size_t>(std::upper_bound(marks_.begin(), marks_.end(), event) - marks_.begin());
  }
  // What was done before step 0, and right after it, cannot be told apart: it counts as before.
  [[nodiscard]] std::size_t first_step(const tarn::testing::transaction_record& of,
                                       const std::vector<tarn::testing::explored_step>& steps) const {
    const std::size_t last = step_of(of.end);
    if (last >= steps.size()) return steps.size();
    const std::size_t before = step_of(of.begin);
    std::size_t first = before == 0 ? 0 : before + 1;
    while (first < last && steps[first].process != steps[last].process) ++first;
    return first;
  }

  std::uint64_t begun_ = 0;
  std::vector<std::uint64_t> marks_;  // the count of events after each step
};

}  // namespace tarn_test
