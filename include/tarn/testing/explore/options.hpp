// What an exploration can be asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../../core/config.hpp"
#include "../../store/memory_store.hpp"
#include "../fault.hpp"
#include "explored_run.hpp"
#include "explored_store.hpp"
#include "schedule.hpp"
#include "store_call.hpp"
#include "turns.hpp"

namespace tarn::inline TARN_ABI::testing {

// Which runs are made; see search.hpp and sampling.hpp for how.
namespace explore_by {
// One of all that differ in the order of independent calls only. What the check looks at must not depend on that order:
// the content, what each client was told, and what follows from those.
struct partial_order {};
// All; or those in which a client is interrupted at most so many times.
struct brute_force {
  std::size_t preemptions_max = SIZE_MAX;
};
// So many that each state of store and clients is reached. What is checked after a run must not depend on how its state
// was reached.
struct states {};
struct random {
  std::uint64_t seed = 1;
  std::size_t runs = 1000;
};
struct priorities {
  std::uint64_t seed = 1;
  std::size_t runs = 1000;
  std::size_t depth = 3;
};
// One, as a fuzzer says.
struct bytes {
  std::string_view choices;
};
// One, by its text; with its faults.
struct replay {
  std::string text;
};
}  // namespace explore_by

using exploration_strategy =
    std::variant<explore_by::partial_order, explore_by::brute_force, explore_by::states, explore_by::random,
                 explore_by::priorities, explore_by::bytes, explore_by::replay>;

// A run that is over, or a moment in one: what checks look at.
class explored_moment {
 public:
  explored_moment(explored_run& run, const fault_plan& faults, std::uint64_t present, bool repeats = false) noexcept
      : run_(run), faults_(faults), present_(present), repeats_(repeats) {}

  // The store as it is now; not to be written to before the run is over.
  [[nodiscard]] explored_store store() const noexcept { return {run_, no_process}; }
  // Stores that hold the same have the same; two that differ have it by an accident of one in 2^64 only.
  [[nodiscard]] std::uint64_t store_hash() const noexcept { return run_.content().hash(); }
  [[nodiscard]] const std::vector<explored_step>& steps() const noexcept { return run_.steps(); }
  [[nodiscard]] const fault_plan& faults() const noexcept { return faults_; }
  // Whether it is made only to see that it is the same again, or to make the schedule of a failure simpler: it has not
  // to be counted.
  [[nodiscard]] bool repeats() const noexcept { return repeats_; }
  // False for a client that was left out, as is tried to make a failure simpler.
  [[nodiscard]] bool took_part(std::size_t client) const noexcept { return (present_ >> client & 1U) != 0; }
  // Of the run, for replaying it.
  [[nodiscard]] schedule order() const {
    schedule made;
    for (std::size_t number = 0; number < run_.programs().size(); ++number)
      made.programs.push_back(took_part(number) ? run_.programs()[number].name : "-");
    made.blocks = blocks_of(run_.steps());
    made.faults = faults_;
    return made;
  }

 private:
  explored_run& run_;
  const fault_plan& faults_;
  std::uint64_t present_;
  bool repeats_;
};

// What is found to be wrong; empty if nothing is.
using exploration_check = std::function<std::string(const explored_moment&)>;

// All runs are made again for each plan of faults. Faults are done by whoever stands between a client and its store
// (fault_store.hpp); the exploration says which.
struct explored_faults {
  // Each is tried at every call of every client that it can happen to. Where a strategy leaves out what does not
  // matter, none may depend on how many calls others have made meanwhile, as stale lists and negative caches do. Late
  // effects do not if they are sent ahead, as fault_store does.
  std::vector<fault> kinds;
  std::size_t at_once = 1;        // plans have at most so many of them
  std::vector<fault_plan> plans;  // to begin with, instead of the one without a fault
  // Whether all of the plan of a run has happened in it. Plans for which that is never so are dropped: their runs have
  // been made with fewer faults. Without it, all plans count.
  std::function<bool()> fired;
};

struct exploration_options {
  memory_store initial;  // what the store holds when a run begins; its bytes are shared, and never changed
  exploration_strategy by = explore_by::partial_order();

  // Before each run: for what programs and checks share with each other, and for whoever does the faults.
  std::function<void(const fault_plan&)> begin;
  // Also called for runs that are made again, and with other schedules to make that of a failure simpler.
  exploration_check check;       // after each run
  exploration_check check_step;  // after each step of each run
  explored_faults faults;

  // Of the strategies that leave nothing out. After so many runs in all each plan gets `samples` runs, half by
  // priorities and half at random, and the exploration is not exhaustive.
  std::uint64_t runs_max = 1'000'000;
  std::uint64_t samples = 1000;
  std::uint64_t sample_seed = 1;

  std::size_t calls_max = 1000;        // of one client in one run; more are an error
  std::size_t failures_max = 1;        // then the exploration ends
  std::size_t shrink_runs_max = 2000;  // to make the schedule of a failure simpler
  std::uint64_t repeat_every = 100;    // so many runs, one is made a second time, and must be the same; 0: never
  // Clients whose programs have one name do the same, and it is the same to the check which of them is which: only
  // those runs without faults are made in which they begin in their order.
  bool symmetric = false;
  // Counting the interleavings that a run stands for takes so many additions at most for each client; if they would not
  // do it is one.
  std::size_t count_states_max = 100'000;

  switching how = switching::fibers;
  std::size_t stack_bytes = std::size_t{512} * 1024;  // of a fiber
  call_relation related = calls_depend;               // another one is for tests of the exploration itself
};

}  // namespace tarn::inline TARN_ABI::testing
