// Small explorations, each of which finds faults of one kind within a few runs: planted_faults.py plants them.
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "../support/explored_lake.hpp"

namespace {

using namespace tarn_test;
using tarn::isolation;
using tarn::testing::exploration_options;
using tarn::testing::fault;
using tarn::testing::fault_kind;

constexpr std::uint64_t runs_max = 50;

// Within `runs_max` runs, those without a fault first.
void explore(const std::vector<program_kind>& kinds, const std::vector<fault>& faults = {},
             isolation level = isolation::serializable) {
  explored_lake lake(level);
  exploration_options options;
  options.symmetric = true;
  options.runs_max = runs_max;
  options.samples = 0;
  options.shrink_runs_max = 200;
  options.faults.kinds = faults;
  const auto report = lake.explore(kinds, std::move(options));
  CHECK_MESSAGE(report.passed(), report.text());
  CHECK(report.runs <= runs_max);
}

}  // namespace

TEST_CASE("two appends") { explore({program_kind::append, program_kind::append}); }
TEST_CASE("two updates of a key: lost_update") { explore({program_kind::update, program_kind::update}); }
TEST_CASE("two that write what the other reads: write_skew") { explore({program_kind::give, program_kind::take}); }
TEST_CASE("two snapshots of a key that is updated: lost_update") {
  explore({program_kind::update, program_kind::update}, {}, isolation::snapshot);
}
TEST_CASE("two deletions of a row") {
  explore({program_kind::erase, program_kind::erase}, {}, isolation::non_blocking);
}
TEST_CASE("a deletion of a row and a compaction") {
  explore({program_kind::erase, program_kind::compact_bag}, {}, isolation::non_blocking);
}
TEST_CASE("an update and a compaction") { explore({program_kind::update, program_kind::compact_keys}); }
TEST_CASE("two compactions") { explore({program_kind::compact_keys, program_kind::compact_keys}); }
TEST_CASE("an append and a vacuum") { explore({program_kind::append, program_kind::vacuum}); }
TEST_CASE("a compaction and a vacuum") { explore({program_kind::compact_bag, program_kind::vacuum}); }
TEST_CASE("a reader and a vacuum") { explore({program_kind::read, program_kind::vacuum}); }
TEST_CASE("a reader and a truncation") { explore({program_kind::read, program_kind::truncate}); }
TEST_CASE("an update and a truncation") { explore({program_kind::update, program_kind::truncate}); }
TEST_CASE("a checkpoint and a truncation") { explore({program_kind::checkpoint, program_kind::truncate}); }

TEST_CASE("two appends, and an answer is lost") {
  explore({program_kind::append, program_kind::append}, {{fault_kind::error_after}});
}
TEST_CASE("two appends, and one arrives late") {
  explore({program_kind::append, program_kind::append}, {{fault_kind::late}});
}
TEST_CASE("two appends, and the store puts one twice by itself") {
  explore({program_kind::append, program_kind::append}, {{fault_kind::exists_after}});
}
TEST_CASE("two appends, and one is not applied") {
  explore({program_kind::append, program_kind::append}, {{fault_kind::not_applied}});
}
TEST_CASE("two appends, and a process ends") {
  explore({program_kind::append, program_kind::append}, {{fault_kind::crash, 0}, {fault_kind::crash, 1}});
}
