// LAW: whatever order the calls of clients come in, with any fault at any of them, nothing is lost, nobody is lied to,
// and every transaction is isolated as it has asked for. Small lakes, all orders; tests/campaigns/exploration.cpp has
// more.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../support/explored_lake.hpp"

namespace {

using namespace tarn_test;
using tarn::isolation;
using tarn::testing::exploration_options;
using tarn::testing::exploration_report;
using tarn::testing::fault_kind;

exploration_report explore(explored_lake& lake, const std::vector<program_kind>& kinds, exploration_options options) {
  options.symmetric = true;
  const exploration_report report = lake.explore(kinds, std::move(options));
  CHECK_MESSAGE(report.passed(), report.text());
  return report;
}

}  // namespace

TEST_CASE("LAW: every interleaving of any two clients is isolated") {
  std::uint64_t runs = 0;
  for (std::size_t one = 0; one < program_kinds; ++one)
    for (std::size_t other = one; other < program_kinds; ++other) {
      const std::vector<program_kind> kinds{static_cast<program_kind>(one), static_cast<program_kind>(other)};
      // A truncation, and two vacuums, make many calls that depend on others': the campaign makes all those runs.
      const bool is_long = kinds[0] == program_kind::truncate || kinds[1] == program_kind::truncate ||
                           (kinds[0] == program_kind::vacuum && kinds[1] == program_kind::vacuum);
      exploration_options options;
      if (is_long) {
        options.runs_max = 60;
        options.samples = 10;
      }
      explored_lake lake;
      const exploration_report report = explore(lake, kinds, std::move(options));
      if (!is_long) CHECK_MESSAGE(report.exhaustive, report.text());
      runs += report.runs;
    }
  MESSAGE(runs, " runs");
  CHECK(runs > 400);
}

TEST_CASE("LAW: the same where rows travel in log entries until a checkpoint") {
  for (const program_kind one : {program_kind::append, program_kind::update, program_kind::compact_keys})
    for (const program_kind other : {program_kind::transfer, program_kind::checkpoint, program_kind::vacuum}) {
      explored_lake lake(isolation::serializable, 4'096);
      CHECK(explore(lake, {one, other}, {}).exhaustive);
    }
  explored_lake lake(isolation::serializable, 4'096);
  exploration_options options;
  options.runs_max = 60;
  options.samples = 10;
  (void)explore(lake, {program_kind::checkpoint, program_kind::truncate}, options);
}

TEST_CASE("LAW: every interleaving of a writer, a compaction and a vacuum is isolated") {
  for (const program_kind writer : {program_kind::update, program_kind::erase}) {
    explored_lake lake;
    const program_kind compaction =
        writer == program_kind::update ? program_kind::compact_keys : program_kind::compact_bag;
    exploration_options options;
    options.runs_max = 300;
    options.samples = 50;
    (void)explore(lake, {writer, compaction, program_kind::vacuum}, options);
    CHECK(lake.stores() > 20);
    CHECK(lake.judged() > 20);
  }
}

TEST_CASE("LAW: with one fault at any call, every interleaving of two writers is isolated") {
  explored_lake lake;
  exploration_options options;
  for (const fault_kind each : {fault_kind::error_before, fault_kind::error_after, fault_kind::late,
                                fault_kind::exists_after, fault_kind::not_applied, fault_kind::duplicate})
    options.faults.kinds.push_back({each});
  for (const std::uint64_t after : {0U, 1U}) options.faults.kinds.push_back({fault_kind::crash, after});
  const exploration_report report = explore(lake, {program_kind::append, program_kind::update}, options);
  CHECK_MESSAGE(report.exhaustive, report.text());
  CHECK(report.runs_with_faults > 100);
  CHECK(lake.outcomes().unknown > 0);
  for (const tarn::testing::fault& each : options.faults.kinds) CHECK(lake.faults().of(each.kind) > 0);
}

TEST_CASE("snapshot isolation lets two transactions skew each other's reads, serializable does not: write_skew") {
  const std::vector<program_kind> skew{program_kind::give, program_kind::take};
  explored_lake snapshots(isolation::snapshot);
  CHECK(explore(snapshots, skew, {}).exhaustive);
  CHECK(snapshots.permitted_cycles() > 0);
  explored_lake serial(isolation::serializable);
  CHECK(explore(serial, skew, {}).exhaustive);
  CHECK(serial.permitted_cycles() == 0);
}

// Runs that have found faults of tarn's.
TEST_CASE("LAW: what an exploration has once found wrong is right") {
  const auto replay = [](const std::vector<program_kind>& kinds, const char* schedule) {
    explored_lake lake;
    exploration_options options;
    options.by = tarn::testing::explore_by::replay{schedule};
    const exploration_report report = lake.explore(kinds, std::move(options));
    CHECK_MESSAGE(report.passed(), report.text());
  };
  // A vacuum that had not learned that another gave up more found a hole where a truncation had been, and took it for
  // damage.
  replay({program_kind::vacuum, program_kind::truncate}, "v1|vacuum,truncate|a13b20a11b");
}
