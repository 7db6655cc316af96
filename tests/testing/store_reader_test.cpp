// The second reader reads what tarn writes, all kinds of actions of it, and complains of what is not so.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/history_recorder.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/testing/store_audit.hpp>
#include <tarn/testing/store_reader.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

namespace {

using tarn::column_type;
using tarn::memory_store;
using tarn::testing::plain_row;
using tarn::testing::plain_state;
using tarn::testing::store_reader;

// Of all clients here.
[[nodiscard]] tarn::testing::simulated_environment& surroundings() {
  static tarn::testing::simulated_environment environment;
  return environment;
}

[[nodiscard]] tarn::client_options in_small_objects() {
  tarn::client_options options;
  options.bounds.rows_per_object = 2;
  options.checkpoint_interval = 0;
  options.surroundings = surroundings().get();
  return options;
}

// Each version's rows of a table, by both readers, in the same order but for the buckets of keyed tables.
void check_versions(memory_store& store, const std::vector<std::string>& tables, std::int64_t first = 0) {
  tarn::client lake(store, in_small_objects());
  store_reader reader(store);
  for (const auto& [number, state] : reader.states()) {
    const std::int64_t at = number;  // a binding cannot be captured
    if (at < first) continue;
    CAPTURE(at);
    auto tx = lake.begin_at(tarn::version{at}).value();
    CHECK(tx.tables().value().size() == state.tables.size());
    for (const std::string& table : tables) {
      if (!state.tables.contains(table)) continue;
      CAPTURE(table);
      std::vector<tarn::row> expected, found;
      auto scan = tx.scan(table).value();
      while (scan.next()) expected.emplace_back(scan.row().begin(), scan.row().end());
      REQUIRE(scan.status().has_value());
      for (const plain_row& each : reader.rows(state.tables.at(table))) found.push_back(tarn::testing::row_of(each));
      REQUIRE(found.size() == expected.size());
      for (std::size_t place = 0; place < found.size(); ++place)
        CHECK(tarn::row_view(found[place]) == tarn::row_view(expected[place]));
    }
  }
  CHECK(reader.complaints().empty());
}

TEST_CASE("both readers see the same in every version of bags and keyed tables, whatever was done to them") {
  memory_store store;
  tarn::client lake(store, in_small_objects());
  const auto run = [&](auto work) { lake.run(work).value(); };
  run([](auto& tx) { return tx.create_table("b", {"x", "s"}); });
  run([](auto& tx) {
    return tx.create_table("t", {{"k", column_type::string}, {"o", column_type::integer}, "v"},
                           tarn::keyed{{"k"}, 1, tarn::by_ordering("o")});
  });
  run([](auto& tx) { return tx.insert("b", {{1, "a"}, {2, nullptr}, {true, "\"\n\\"}, {-7, ""}, {5, "e"}}); });
  run([](auto& tx) { return tx.upsert("t", {{"a", 3, 1}, {"b", 3, 2}, {"c", 3, 3}}); });
  run([](auto& tx) { return tx.erase_where("b", {{"x", tarn::equals, 2}}); });
  run([](auto& tx) { return tx.update_where("b", {{"x", tarn::at_least, 4}}, {{"s", "updated"}}); });
  run([](auto& tx) { return tx.upsert("t", {{"a", 2, "late"}, {"b", 4, "in time"}}); });
  run([](auto& tx) { return tx.erase("t", {"c"}, 9); });
  lake.compact("t").value();
  run([](auto& tx) { return tx.upsert("t", {"c", 8, "hidden"}); });
  run([](auto& tx) { return tx.erase("t", {"c"}); });
  run([](auto& tx) { return tx.upsert("t", {"c", 1, "again"}); });
  lake.compact("b").value();
  run([](auto& tx) { return tx.add_column("b", "more"); });
  run([](auto& tx) { return tx.insert("b", {8, "h", "m"}); });
  run([](auto& tx) { return tx.rename_column("b", "s", "text"); });
  run([](auto& tx) { return tx.drop_column("b", "x"); });
  run([](auto& tx) { return tx.insert("b", {"i", "n"}); });
  run([](auto& tx) { return tx.add_column("t", "w"); });
  run([](auto& tx) { return tx.upsert("t", {"d", 1, 2, 3}); });
  lake.compact("t").value();
  lake.restore({8}).value();
  run([](auto& tx) { return tx.drop_table("b"); });
  run([](auto& tx) { return tx.create_table("b", {"y"}); });
  lake.tag("here", {9}).value();
  check_versions(store, {"b", "t"});
  const store_reader reader(store);
  CHECK(reader.states().rbegin()->second.tags.at("here") == 9);
  CHECK(reader.states().size() > 20);
}

TEST_CASE("both readers see the same behind a truncation") {
  memory_store store;
  tarn::client lake(store, in_small_objects());
  lake.run([](auto& tx) {
        return tx.create_table("t", {{"k", column_type::integer}, "v"}, tarn::keyed{{"k"}, 3});
      })
      .value();
  for (int number = 0; number < 20; ++number)
    lake.run([&](auto& tx) { return tx.upsert("t", {number % 7, number}); }).value();
  lake.compact("t").value();
  surroundings().clock.ms += 1000;
  tarn::vacuum(lake, {.keep_ms = 0, .keep_versions = 3}).value();
  const tarn::version begin = tarn::truncate(lake).value();
  REQUIRE(begin > tarn::version{0});
  lake.run([&](auto& tx) { return tx.upsert("t", {1, 100}); }).value();
  const store_reader reader(store);
  CHECK(reader.truncated() == begin.number);
  CHECK(reader.states().begin()->first == begin.number);
  CHECK(reader.transactions().begin()->first == 0);  // the marker names those that are gone
  check_versions(store, {"t"}, begin.number);
}

TEST_CASE("a value that is another in the store than it was written is garbage in the history") {
  memory_store store;
  tarn::client lake(store, in_small_objects());
  lake.run([](auto& tx) { return tx.create_table("b", {"x", {"token", column_type::integer}}); }).value();
  lake.run([](auto& tx) { return tx.insert("b", {5, 1}); }).value();
  for (const std::int64_t written : {5, 6}) {
    tarn::testing::history_recorder into;
    into.note_row(0, {tarn::value(written), tarn::value(1)});
    store_reader reader(store);
    CHECK(tarn::testing::audit_store(reader, into) > 0);
    const auto& operations = into.recorded().operations;
    const auto is_garbage = [](const auto& each) { return each.seen == tarn::testing::garbage_row; };
    CHECK(std::any_of(operations.begin(), operations.end(), is_garbage) == (written == 6));
  }
}

TEST_CASE("two different answers to whose a version is are nobody's") {
  tarn::testing::history_recorder into;
  into.note_version({0}, {1, 1});
  into.note_version({0}, {1, 1});
  CHECK(into.recorded().log[0] == tarn::uuid{1, 1});
  into.note_version({0}, {1, 2});
  CHECK(into.recorded().log[0] != tarn::uuid{1, 1});
  CHECK(into.recorded().log[0] != tarn::uuid{1, 2});
}

}  // namespace
