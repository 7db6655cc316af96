// LAW: whatever several clients do at the same time, each is told the truth and is as isolated as it asked to be, and
// the store holds it: their recorded histories pass the check, with what the second reader finds in the store.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <tarn/merge/strategy.hpp>

#include "../support/recorded_lake.hpp"
#include "../support/run_histories.hpp"

namespace {

using namespace tarn_test;

template <class Merge>
[[nodiscard]] bool run_one(std::uint64_t seed, tally& happened, std::optional<tarn::isolation> level) {
  recorded_lake<Merge> world(seed, happened);
  if (level) world.use_level(*level);
  for (int step = 0; step < 250; ++step) world.step();
  world.finish_all();
  const std::string complaint = world.complaint();
  CHECK_MESSAGE(complaint.empty(), "TARN_RECORDED_LAW=", seed, "\n", complaint);
  return complaint.empty();
}

TEST_CASE("the recorded histories of real clients pass the check") {
  constexpr const char* must_happen[] = {
      "commit: done",      "commit: conflict", "commit: expired",     "compact: done",     "vacuum: done",
      "truncate: done",    "restore: done",    "checkpoint: done",    "begin at: done",    "begin at: snapshot_expired",
      "insert: done",      "insert: exists",   "insert: late",        "upsert: done",      "update: done",
      "update: not_found", "erase: done",      "ordered erase: done", "erase where: done", "update where: done",
      "drop: done",        "create: done",     "rows audited",        "rows found",        "permitted cycles"};
  std::uint64_t number = 0;
  const auto run = [&](std::uint64_t seed, tally& happened) {
    switch (number++ % 3) {
      case 0: return run_one<tarn::merge::by_position>(seed, happened, {});
      case 1: return run_one<tarn::merge::by_key>(seed, happened, {});
      default: return run_one<tarn::merge::derived>(seed, happened, {});
    }
  };
  tally happened = run_histories({"TARN_RECORDED_LAW", 24, 300}, must_happen, run);
  for (const char* const often : {"commit: done", "commit: conflict", "compact: done", "vacuum: done", "restore: done",
                                  "rows audited", "rows found", "removals and looks in vain judged"})
    CHECK_MESSAGE(happened[often] > 0, "never happened: ", often);
}

TEST_CASE("transactions at level snapshot show write skew, serializable ones never do") {
  const auto run = [](tarn::isolation level) {
    return run_histories(
        {"TARN_RECORDED_LAW", 10, 1}, std::initializer_list<const char*>{},
        [&](std::uint64_t seed, tally& happened) { return run_one<tarn::merge::by_position>(seed, happened, level); });
  };
  CHECK(run(tarn::isolation::snapshot)["permitted cycles"] > 0);
  tally serializable = run(tarn::isolation::serializable);
  CHECK(serializable["permitted cycles"] == 0);
  CHECK(serializable["contested ranges"] == 0);
  CHECK(serializable["commit: conflict"] > 0);
}

}  // namespace
