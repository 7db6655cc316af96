// What an exploration has done and found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../core/config.hpp"
#include "../../core/text.hpp"

namespace tarn::inline TARN_ABI::testing {

struct exploration_failure {
  std::string message;
  std::string schedule;  // of the first run that failed; empty if there was no run to be had

  // The same, or another failure, with as little in its schedule as could be found.
  std::string shrunk_message;
  std::string shrunk_schedule;
};

struct exploration_report {
  std::uint64_t runs = 0;              // to their ends, and checked
  std::uint64_t given_up = 0;          // other runs: what was left of them was known already
  std::uint64_t repeated = 0;          // runs that were made twice to see whether they are the same
  std::uint64_t plans = 0;             // of faults, with the one without
  std::uint64_t plans_dropped = 0;     // never happened
  std::uint64_t runs_dropped = 0;      // of those
  std::uint64_t runs_with_faults = 0;  // in which all of a plan happened

  // How many runs those that were made stand for: all that are possible and in which all of their plan happens; by
  // explore_by::states, of their plan something or nothing. `at_least` if not all could be counted, or there are more
  // than fit. 0 if it is not known at all.
  std::uint64_t interleavings = 0;
  bool at_least = false;

  bool exhaustive = false;
  std::string why_not;  // exhaustive

  std::size_t states = 0;       // by explore_by::states
  std::size_t longest_run = 0;  // in steps
  std::size_t calls_max = 0;    // of one client in one run

  std::vector<exploration_failure> failures;

  // Something was run, and nothing was wrong.
  [[nodiscard]] bool passed() const noexcept { return runs > 0 && failures.empty(); }

  // One line, and for each failure one more.
  [[nodiscard]] std::string text() const {
    std::string line =
        concat({runs, " runs, ", given_up, " given up, ", repeated, " repeated, longest ", longest_run, " steps"});
    if (plans > 1) append_text(line, concat({", ", plans, " plans of faults"}));
    if (plans_dropped != 0) append_text(line, concat({", ", plans_dropped, " plans that never happened"}));
    if (interleavings != 0)
      append_text(line, concat({", ", at_least ? "at least " : "", interleavings, " interleavings"}));
    if (states != 0) append_text(line, concat({", ", states, " states"}));
    append_text(line, exhaustive ? std::string(", exhaustive") : concat({", not exhaustive: ", why_not}));
    for (const exploration_failure& each : failures) {
      append_text(line, concat({"\nFAILED ", each.schedule, ": ", each.message}));
      if (!each.shrunk_schedule.empty())
        append_text(line, concat({"\n  simpler: ", each.shrunk_schedule, ": ", each.shrunk_message}));
    }
    return line;
  }
};

}  // namespace tarn::inline TARN_ABI::testing
