// The power fails, at any moment, under real clients over a real file store: what was acknowledged is there, the rest
// is there in whole or not at all, and whoever comes next can go on. And every kind of fsync is needed for that.
#include "../support/power_cut.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../support/random_source.hpp"

namespace {

using namespace tarn_test;
using tarn::testing::crash_options;
using tarn::testing::directory_fault;
using tarn::testing::simulated_disk;
using tarn::testing::system_call;
using tarn::testing::traced_call;

constexpr simulated_disk::node_number lake_folder = 1;

[[nodiscard]] power_cut_options short_run(std::size_t steps, bool unnamed_files = false) {
  power_cut_options options;
  options.unnamed_files = unnamed_files;
  options.clients = 2;
  options.steps = steps;
  return options;
}

void check_run(power_cut_run& run, const crash_options& options = crash_options{}) {
  const std::string wrong = run.enumerate(options);
  CHECK_MESSAGE(wrong.empty(), wrong);
  CHECK(run.report.moments_cut == 0);
  CHECK(run.report.visited > 0);
}

}  // namespace

TEST_CASE("no loss of power takes what was acknowledged, or leaves a half of anything") {
  const std::uint64_t seed = seed_of_this_run();
  INFO("TARN_TEST_SEED=", seed);
  for (const bool unnamed : {false, true}) {
    power_cut_run run(seed, short_run(3, unnamed));
    run.run();
    CHECK(run.happened["commit"] > 0);
    check_run(run);
  }
}

TEST_CASE("the same through compaction, checkpoints, vacuum and truncation") {
  for (const bool unnamed : {false, true}) {
    power_cut_options options = short_run(7, unnamed);
    options.compactions = options.checkpoints = options.vacuums = options.truncations = 18;
    options.interferences = 30;
    options.checkpoint_interval = 0;
    power_cut_run run(28, options);  // one in which all of it happens, and a part of the log goes
    run.run();
    for (const char* const step : {"commit", "compaction", "checkpoint", "vacuum", "truncation", "interference"})
      CHECK(run.happened[step] > 0);
    crash_options ordered;
    ordered.model = tarn::testing::ordered_like_ext4;
    check_run(run, ordered);
  }
}

TEST_CASE("every kind of fsync is needed: without it, a loss of power breaks a promise") {
  struct forgotten {
    std::string what;
    std::function<bool(const traced_call&)> sync;
    bool ext4_hides_it;
  };
  const std::vector<forgotten> all{
      {"files", [](const traced_call& sync) { return sync.call == system_call::sync_file; }, false},
      {"the folder", [](const traced_call& sync) { return sync.folder == lake_folder; }, false},
      {"the parent", [](const traced_call& sync) { return sync.folder == simulated_disk::root; }, true},
      {"all", [](const traced_call&) { return true; }, false},
  };
  for (const forgotten& each : all)
    for (const bool ordered : {false, true})
      for (const bool unnamed : {false, true}) {
        INFO("forgotten: ", each.what, ordered ? ", names in order" : "", unnamed ? ", files without a name" : "");
        power_cut_run run(1, short_run(2, unnamed));
        run.machine->forgets_sync = each.sync;
        run.run();
        CHECK(run.happened["commit"] > 0);
        crash_options options;
        options.states_per_moment_max = 200;
        if (ordered) options.model = tarn::testing::ordered_like_ext4;
        const std::string wrong = run.enumerate(options, true);
        CHECK(wrong.empty() == (ordered && each.ext4_hides_it));
      }
}

TEST_CASE("an fsync that fails and gives up what it was to write costs no acknowledged commit") {
  for (const bool unnamed : {false, true}) {
    power_cut_run undisturbed(2, short_run(1, unnamed));
    undisturbed.run();
    const auto syncs = undisturbed.failing_syncs();
    REQUIRE(syncs.size() > 5);
    crash_options options;
    options.model = tarn::testing::failed_sync_gives_up_pages;
    check_run(undisturbed, options);
    std::uint64_t unclear = 0;
    std::uint64_t visited = 0;
    for (const auto& each : syncs) {
      INFO("fault ", to_text(each.fault));
      power_cut_run run(2, short_run(1, unnamed));
      run.machine->faults = {each.fault};
      run.run();
      CHECK(run.machine->trace[each.place].gave_up_pages);
      unclear += run.happened["commit_unknown"];
      options.from_call = each.place;
      const std::string wrong = run.enumerate(options);
      CHECK_MESSAGE(wrong.empty(), wrong);
      CHECK(run.report.moments_cut == 0);
      visited += run.report.visited;
      if (!unnamed) CHECK(run.report.visited > 0);  // else nothing is changed after the last fsync: no name taken away
    }
    CHECK(unclear > 0);
    CHECK(visited > 0);
  }
}

TEST_CASE("a store that is opened after an fsync failed cannot know: that is why to check the disk first") {
  // Linux tells of a failed write-back those who had the folder open, and nobody else.
  const auto machine = std::make_shared<tarn::testing::simulated_machine>();
  const auto open = [&](std::size_t client) {
    return power_cut_run::store("lake", tarn::file_store_options{}, tarn::testing::recording_system(machine, client));
  };
  auto first = open(0);
  CHECK(first.put_if_absent("a", "1").outcome() == tarn::put_outcome::created);
  const std::size_t sync_of_names = machine->calls[0] + 4;  // create, write, fsync, link
  machine->faults = {plan_directory_fault(0, sync_of_names, directory_fault::io_error)};
  CHECK(first.put_if_absent("b", "2").outcome() == tarn::put_outcome::unknown);
  auto next = open(1);
  CHECK(next.put_if_absent("b", "2").outcome() == tarn::put_outcome::already_exists);
  machine->mark("b");

  crash_options options;
  options.model = tarn::testing::failed_sync_gives_up_pages;
  bool lost = false;
  const auto visit = [&](const tarn::testing::crash_state& state) {
    const bool has = state.disk.find_path("lake/b") != simulated_disk::none;
    lost = lost || (state.marks == 1 && !has);
    return true;
  };
  (void)for_each_crash_state(machine->initial, machine->trace, options, visit);
  CHECK(lost);
}
