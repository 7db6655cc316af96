// LAW: whatever several clients do at the same time, each is told the truth and is as isolated as it asked to be, and
// the store holds it: their recorded histories pass the check, with what the second reader finds in the store.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <tarn/client.hpp>
#include <tarn/merge/strategy.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/history_recorder.hpp>
#include <tarn/testing/random_source.hpp>
#include <tarn/testing/recorded_client.hpp>
#include <tarn/testing/store_audit.hpp>
#include <tarn/testing/store_reader.hpp>
#include <thread>
#include <variant>
#include <vector>

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

// One thread's transactions: transfers between two tables, whose sum stays what it is, and looks at both.
[[nodiscard]] int transfer(tarn::testing::recorded_client<tarn::memory_store>& lake, std::uint64_t seed) {
  tarn::testing::random_source random(seed);
  int committed = 0;
  for (int number = 0; number < 25; ++number) {
    const auto from = static_cast<std::int64_t>(random.below(3)), to = static_cast<std::int64_t>(random.below(3));
    const auto level = static_cast<tarn::isolation>(random.below(2));
    const auto done = lake.run(
        [&](auto& tx) -> tarn::status {
          const auto payer = tx.get("left", {from});
          const auto payee = tx.get("right", {to});
          if (!payer || !payee) return tarn::error(tarn::errc::not_found, "an account is missing");
          const tarn::row_view paid(*payer), got(*payee);
          if (const tarn::status each = tx.upsert("left", {from, paid[1].as_integer() - 1}); !each) return each;
          return tx.upsert("right", {to, got[1].as_integer() + 1});
        },
        level);
    if (done) ++committed;
    if (auto reader = lake.begin(); reader && reader->scan("left") && reader->scan("right")) (void)reader->commit();
  }
  return committed;
}

TEST_CASE("[threads] the recorded histories of clients in threads pass the check, and no money is lost") {
  constexpr int threads = 3;
  tarn::memory_store store;
  tarn::testing::history_recorder into;
  std::vector<tarn::testing::recorded_client<tarn::memory_store>> lakes;
  for (int number = 0; number < threads; ++number) lakes.emplace_back(tarn::client<tarn::memory_store>(store), into);
  const auto fill = [](auto& tx) {
    for (const char* const table : {"left", "right"}) {
      tx.create_table(table, {{"k", tarn::column_type::integer}, "v"}, tarn::keyed{{"k"}}).value();
      for (int key = 0; key < 3; ++key) tx.insert(table, {key, 100}).value();
    }
    return tarn::status();
  };
  REQUIRE(lakes[0].run(fill).has_value());
  std::vector<int> committed(threads);
  std::vector<std::thread> running;
  for (std::size_t number = 0; number < threads; ++number)
    running.emplace_back([&, number] { committed[number] = transfer(lakes[number], number); });
  for (std::thread& each : running) each.join();
  CHECK(std::all_of(committed.begin(), committed.end(), [](int each) { return each > 0; }));

  tarn::testing::store_reader reader(store);
  for (const auto& [at, state] : reader.states()) {
    std::int64_t sum = 0;
    for (const auto& [name, table] : state.tables)
      for (const auto& row : reader.rows(table)) sum += std::get<std::int64_t>(row[1]);
    CHECK(sum == 600);
  }
  CHECK(tarn::testing::audit_store(reader, into) > 0);
  CHECK(reader.complaints().empty());
  const auto report = tarn::testing::check_history(into.recorded());
  CHECK_MESSAGE(report.good(), report.message());
  CHECK(report.transactions > 3 * 25);
}

}  // namespace
