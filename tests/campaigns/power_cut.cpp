// Losses of power: every state that a file system may show after one, at every moment of runs of three real clients
// over a real file store on a simulated disk; under three models of what a file system promises. And every fsync
// forgotten, one by one: how many of them does it take to break a promise?
#include "../support/power_cut.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <tarn/core/text.hpp>
#include <tarn/testing/crash_states.hpp>
#include <unordered_set>
#include <utility>
#include <vector>

#include "campaign.hpp"

namespace {

using namespace tarn_test;
using tarn::testing::crash_options;
using tarn::testing::crash_state;
using tarn::testing::system_call;
using tarn::testing::traced_call;

struct bounds {
  std::uint64_t weakest;  // distinct states to be tried, of each model
  std::uint64_t ordered;
  std::uint64_t failed_sync;
  std::uint64_t faulty;  // of runs in which any system call fails in any way
  std::uint64_t forgetful_runs;
};
constexpr bounds ci{3'500, 1'500, 3'000, 1'500, 1};
constexpr bounds nightly{250'000, 80'000, 120'000, 80'000, 20};

class power_cuts {
 public:
  // Runs with other seeds, until so many distinct states of this model were tried.
  void try_model(const tarn::testing::crash_model& model, std::uint64_t states) {
    crash_options options;
    options.model = model;
    const std::uint64_t enough = distinct() + states;
    while (distinct() < enough && bad_ == 0) {
      power_cut_run run(++seed_, options_of_run());
      run.run();
      add(run, options);
    }
  }

  // The same, with one fsync after the other failing, and giving up what it was to write.
  void try_failed_syncs(std::uint64_t states) {
    crash_options options;
    options.model = tarn::testing::failed_sync_gives_up_pages;
    const std::uint64_t enough = distinct() + states;
    power_cut_options short_run;
    short_run.steps = 3;
    while (distinct() < enough && bad_ == 0) {
      ++seed_;
      short_run.unnamed_files = options_of_run().unnamed_files;
      power_cut_run undisturbed(seed_, short_run);
      undisturbed.run();
      add(undisturbed, options);  // what comes before the call that fails is the same in all others
      for (const auto& each : undisturbed.failing_syncs()) {
        if (distinct() >= enough || bad_ != 0) return;
        power_cut_run run(seed_, short_run);
        run.machine->faults = {each.fault};
        run.run();
        ++failed_syncs_;
        crash_options from_there = options;
        from_there.from_call = each.place;
        add(run, from_there);
      }
    }
  }

  // The same as `try_model`, with one system call that fails, in any way, once or from then on.
  void try_faults(std::uint64_t states) {
    using tarn::testing::directory_fault;
    tarn::testing::random_source random(seed_);
    power_cut_options short_run;
    short_run.steps = 4;
    const std::uint64_t enough = distinct() + states;
    while (distinct() < enough && bad_ == 0) {
      ++seed_;
      short_run.unnamed_files = options_of_run().unnamed_files;
      power_cut_run undisturbed(seed_, short_run);
      undisturbed.run();
      add(undisturbed, crash_options{});
      for (std::size_t kind = 0; kind < tarn::testing::directory_faults && bad_ == 0; ++kind) {
        const auto candidates = undisturbed.possible(static_cast<directory_fault>(kind), false);
        if (candidates.empty()) continue;
        auto chosen = candidates[random.below(candidates.size())];
        chosen.fault.what.for_good = random.chance(30);
        power_cut_run run(seed_, short_run);
        run.machine->faults = {chosen.fault};
        run.run();
        for (const auto& of_call : run.machine->fired) faults_ += of_call[kind];
        crash_options options;
        options.from_call = chosen.place;
        options.states_per_moment_max = 512;  // with an fsync that never works again there are more and more
        const std::uint64_t exhaustive = cut_;
        add(run, options);
        cut_by_faults_ += std::exchange(cut_, exhaustive) - exhaustive;
      }
    }
  }

  // Each fsync of a short run, forgotten.
  void forget_each_sync() {
    power_cut_options short_run;
    short_run.steps = 3;
    std::size_t syncs = 1;
    ++seed_;
    short_run.unnamed_files = options_of_run().unnamed_files;
    for (std::size_t forgotten = 0; forgotten < syncs; ++forgotten) {
      power_cut_run run(seed_, short_run);
      std::size_t called = 0;
      bool of_file = false;
      run.machine->forgets_sync = [&](const traced_call& sync) {
        if (called++ != forgotten) return false;
        of_file = sync.call == system_call::sync_file;
        return true;
      };
      run.run();
      syncs = called;
      (void)run.enumerate(crash_options{}, true);
      forgotten_[of_file] += 1;
      found_out_[of_file] += run.bad;
    }
  }

  [[nodiscard]] std::uint64_t distinct() const { return disks_.size(); }
  // Every forgotten fsync of an object's bytes is found out. That of a folder may be made up for by the next one.
  [[nodiscard]] bool good() const {
    return bad_ == 0 && cut_ == 0 && faults_ > 0 && found_out_[0] > 0 && found_out_[1] == forgotten_[1];
  }

  [[nodiscard]] std::string text() {
    return tarn::concat(
        {"3 clients, 10 steps (3 or 4 where something fails), one interference between any two system calls of a "
         "step: ",
         runs_,
         " runs (",
         failed_syncs_,
         " with an fsync that fails, others with ",
         faults_,
         " failing system calls), ",
         happened_["commit"],
         " commits, ",
         happened_["compaction"],
         " compactions, ",
         happened_["vacuum"],
         " vacuums, ",
         happened_["truncation"],
         " truncations, ",
         happened_["interference"],
         " interferences; ",
         moments_,
         " moments, ",
         combinations_,
         " combinations, ",
         distinct(),
         " distinct states, ",
         bad_,
         " bad, ",
         cut_,
         " moments not exhaustive (with failing system calls, ",
         cut_by_faults_,
         "); forgotten fsyncs found out: ",
         found_out_[1],
         " of ",
         forgotten_[1],
         " of files, ",
         found_out_[0],
         " of ",
         forgotten_[0],
         " of folders"});
  }

 private:
  // Every second run is on a file system that can make files without a name. (How much travels in the log follows from
  // the two lowest bits of the seed.)
  [[nodiscard]] power_cut_options options_of_run() const {
    power_cut_options made;
    made.unnamed_files = seed_ / 4 % 2 == 0;
    return made;
  }

  void add(power_cut_run& run, const crash_options& options) {
    const std::string wrong =
        run.enumerate(options, true, [&](const crash_state& state) { disks_.insert(state.hash); });
    if (!wrong.empty()) std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed_), wrong.c_str());
    ++runs_;
    bad_ += run.bad;
    cut_ += run.report.moments_cut;
    moments_ += run.report.moments;
    combinations_ += run.report.combinations;
    for (const auto& [what, times] : run.happened) happened_[what] += times;
  }

  std::uint64_t seed_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t failed_syncs_ = 0;
  std::uint64_t faults_ = 0;
  std::uint64_t moments_ = 0;
  std::uint64_t combinations_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t cut_ = 0;
  std::uint64_t cut_by_faults_ = 0;
  std::uint64_t forgotten_[2] = {};  // of folders, of files
  std::uint64_t found_out_[2] = {};
  std::unordered_set<std::uint64_t> disks_;
  std::map<std::string, std::uint64_t> happened_;
};

}  // namespace

int main(int count, char** arguments) {
  const bounds& wanted = campaign_size_of(count, arguments) == campaign_size::ci ? ci : nightly;
  const stopwatch since;
  power_cuts all;
  all.try_model(tarn::testing::weakest_posix, wanted.weakest);
  all.try_model(tarn::testing::ordered_like_ext4, wanted.ordered);
  all.try_failed_syncs(wanted.failed_sync);
  all.try_faults(wanted.faulty);
  for (std::uint64_t run = 0; run < wanted.forgetful_runs; ++run) all.forget_each_sync();
  print_campaign("power_cut", all.text(), since);
  const bool enough = all.distinct() >= wanted.weakest + wanted.ordered + wanted.failed_sync + wanted.faulty;
  return all.good() && enough ? 0 : 1;
}
