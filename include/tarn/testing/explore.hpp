// Runs programs that share a store in every order of their calls that can matter, on the real code, with every fault at
// every call that is asked for, and checks each run.
//
//   tarn::testing::exploration_options options;
//   options.initial = lake;
//   options.check = [&](const tarn::testing::explored_moment& end) { return what_is_wrong_with(end.store()); };
//   const auto report = tarn::testing::explore({{"ada", adds_one}, {"joey", adds_one}}, options);
//
// All that clients share is the store, and a client is a function of what its store answers. So a run is determined by
// the order of the calls: a client stops before each call until it is chosen, then the call is done as a whole, and the
// client goes on to its next one.
//
//   ada    ──get─┊        ┊──put──────>     between the bars joey runs: schedule v1|ada,joey|a1ba
//   joey         ┊get──put┊
//
// A run that fails is told by its schedule (schedule.hpp), which explore_by::replay makes again.
//
// Files: store_call.hpp (what depends on what), explored_content.hpp, explored_run.hpp, explored_store.hpp (what
// programs run on), turns.hpp, fibers.hpp, parked_threads.hpp (switching), causal_order.hpp, search.hpp, sampling.hpp
// (strategies), schedule.hpp, shrink.hpp, fault_plans.hpp, options.hpp, report.hpp, explorer.hpp (puts all of it
// together).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "explore/explorer.hpp"
#include "explore/options.hpp"
#include "explore/report.hpp"

namespace tarn::inline TARN_ABI::testing {

#if TARN_HAS_POSIX || TARN_HAS_THREADS

// At most 26 programs. Programs and hooks are called on this thread or, with switching::threads, one at a time on
// others.
[[nodiscard]] inline exploration_report explore(std::vector<explored_program> programs, exploration_options options) {
  const std::string wrong = explorer::refusal(programs);
  if (wrong.empty()) return explorer(std::move(programs), std::move(options)).explore();
  exploration_report report;
  report.why_not = wrong;
  report.failures.push_back({wrong, {}, {}, {}});
  return report;
}

#endif

}  // namespace tarn::inline TARN_ABI::testing
