// client.hpp and history.hpp: beginning, costs, history, and commits in doubt.
#include <doctest/doctest.h>

#include <string>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/reading.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using tarn_test::rows_of;
using tarn_test::scripted_store;
using tarn_test::test_environment;

namespace {

template <class Lake>
version append(Lake& lake, std::int64_t number) {
  auto tx = lake.begin().value();
  if (!tx.has_table("x").value()) tx.create_table("x", {"n"}).value();
  tx.insert("x", {number}).value();
  return tx.commit().value();
}

template <class Transaction>
std::size_t count(Transaction& tx) {
  auto scan = tx.scan("x").value();
  std::size_t rows = 0;
  while (scan.next()) ++rows;
  CHECK(scan.status().has_value());
  return rows;
}

error lost() { return {errc::io, "the answer was lost"}; }

}  // namespace

TEST_CASE("what a commit costs: an entry, a probe, and an object if its rows do not travel in the entry") {
  for (const std::uint64_t objects : {0U, 1U}) {
    scripted_store store;
    client lake{store, objects == 0 ? client_options() : tarn_test::with_stored_objects()};
    append(lake, 0);
    auto tx = lake.begin().value();
    tx.insert("x", {1}).value();
    store.plan().gets = store.plan().puts = 0;
    tx.commit().value();
    CHECK(store.plan().puts == 1 + objects);
    CHECK(store.plan().gets == 1);
  }
}

TEST_CASE("a commit without changes does not touch the store") {
  scripted_store store;
  client lake{store};
  append(lake, 0);
  auto tx = lake.begin().value();
  CHECK(count(tx) == 1);
  store.plan().gets = store.plan().puts = store.plan().lists = 0;
  CHECK(tx.commit().value() == version{0});
  CHECK(store.plan().gets + store.plan().puts + store.plan().lists == 0);
}

TEST_CASE_TEMPLATE("begin_at reads any version; one that is not there is not found", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  for (int number = 0; number < 5; ++number) append(lake, number);
  for (std::int64_t number = 0; number < 5; ++number) {
    auto tx = lake.begin_at(version{number}).value();
    CHECK(tx.read_version() == version{number});
    CHECK(count(tx) == static_cast<std::size_t>(number) + 1);
  }
  auto before_all = lake.begin_at(version{-1}).value();
  CHECK(before_all.tables()->empty());
  CHECK(lake.begin_at(version{5}).error().code() == errc::not_found);
  CHECK(lake.begin_at(version{5}).error().message().find("the newest is 4") != std::string::npos);
}

TEST_CASE("history lists every version with time, operation, tables, rows and bytes") {
  test_environment hands;
  client_options options;
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  append(lake, 0);
  hands.clock.ms += 5000;
  auto tx = lake.begin().value();
  tx.insert("x", {{1}, {2}}).value();
  tx.create_table("y", {"n"}).value();
  const uuid id = tx.id();
  tx.commit().value();
  tx = lake.begin().value();
  tx.drop_table("y").value();
  tx.commit().value();
  auto log = lake.log().value();
  REQUIRE(log.next());
  CHECK(log.summary().at == version{0});
  CHECK(log.summary().operation == "create table, insert");
  REQUIRE(log.next());
  const commit_summary& second = log.summary();
  CHECK(second.time == timestamp{1'700'000'005'000});
  CHECK(second.transaction == id);
  CHECK(second.read_version == version{0});
  REQUIRE(second.tables.size() == 2);
  CHECK(second.tables[0].table == "x");
  CHECK(second.tables[0].rows == 2);
  CHECK(second.tables[0].objects == 1);
  CHECK(second.tables[0].bytes > 50);
  CHECK(second.tables[1].created);
  REQUIRE(log.next());
  CHECK(log.summary().tables[0].dropped);
  CHECK(log.summary().operation == "drop table");
  CHECK_FALSE(log.next());
  CHECK(log.status().has_value());
}

TEST_CASE("copies of a client are clients of their own on the same lake") {
  client lake{memory_store{}};
  append(lake, 0);
  client copy = lake;
  append(copy, 1);
  append(lake, 2);
  auto tx = copy.begin().value();
  CHECK(count(tx) == 3);
}

TEST_CASE("a transaction keeps its lake alive, and may be moved") {
  auto make = [] {
    client lake{memory_store{}};
    append(lake, 0);
    return lake.begin().value();
  };
  auto tx = make();
  auto moved = std::move(tx);
  CHECK(count(moved) == 1);
  moved.insert("x", {1}).value();
  CHECK(moved.commit().value() == version{1});
}

TEST_CASE("options that cannot work are refused, naming the option") {
  const auto why = [](client_options options) {
    client lake{memory_store{}, options};
    const auto refused = lake.begin();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid_argument);
    return refused.error().message();
  };
  client_options options;
  options.bounds.rows_per_object = 0;
  CHECK(why(options).find("rows_per_object") != std::string::npos);
  options = {};
  options.bounds.nesting_depth_max = 1'000'000;
  CHECK(why(options).find("nesting_depth_max") != std::string::npos);
  options = {};
  options.commit.backoff.attempts_max = 0;
  CHECK(why(options).find("attempts_max") != std::string::npos);
  options = {};
  options.surroundings = environment{};
  CHECK(why(options).find("surroundings") != std::string::npos);
}

TEST_CASE("without entropy there are no ids, and an error says so") {
  test_environment hands;
  client_options options;
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  hands.has_entropy = false;
  CHECK(lake.begin().error().message().find("entropy") != std::string::npos);
  CHECK(tx.create_table("x", {"n"}).error().message().find("entropy") != std::string::npos);
}

TEST_CASE("ids carry the later of the clock and the snapshot's time as their birth") {
  test_environment hands;
  client_options options;
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  append(lake, 0);
  hands.clock.ms -= 3'600'000;
  auto tx = lake.begin().value();
  CHECK(birth_of(tx.id()) == timestamp{1'700'000'000'000});
}

TEST_CASE("C1: a commit whose answer is lost and whose writer dies is found by another process") {
  memory_store content;
  error in_doubt(errc::io, "none");
  {
    scripted_store store(content);
    client writer{store};
    auto tx = writer.begin().value();
    tx.create_table("x", {"n"}).value();
    tx.insert("x", {1}).value();
    store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      const put_result done = inner.put_if_absent(name, bytes);
      if (!tarn_test::is_entry(name)) return done;
      store.plan().before_get = [](std::string_view) { return status(lost()); };  // and then the network is gone
      return put_result::unknown(lost());
    };
    const auto committed = tx.commit();
    REQUIRE_FALSE(committed.has_value());
    CHECK(committed.error().code() == errc::commit_unknown);
    in_doubt = committed.error();
  }
  client other{content};
  const auto [transaction, slot] = in_doubt.in_doubt();
  CHECK(other.find_commit(transaction, slot).value() == commit_state::committed);
  CHECK(slot == version{0});
  CHECK(other.find_commit(uuid{1, 2}, slot).value() == commit_state::not_committed);
}

TEST_CASE("C2: an undecided commit can be settled, after which it can no longer land") {
  memory_store content;
  scripted_store store(content);
  client writer{store};
  append(writer, 0);
  auto tx = writer.begin().value();
  tx.insert("x", {1}).value();
  std::string late_bytes;
  store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (!tarn_test::is_entry(name)) return inner.put_if_absent(name, bytes);
    late_bytes = bytes;
    return put_result::unknown(lost());
  };
  const auto committed = tx.commit();
  REQUIRE_FALSE(committed.has_value());
  const auto [transaction, slot] = committed.error().in_doubt();
  CHECK(slot == version{1});
  client other{content};
  CHECK(other.find_commit(transaction, slot).value() == commit_state::undecided);
  CHECK(other.find_commit(transaction, slot, settle::yes).value() == commit_state::not_committed);
  CHECK(content.put_if_absent(entry_name(slot), late_bytes).outcome() == put_outcome::already_exists);
  CHECK(append(other, 2) == version{2});
  auto reading = other.begin().value();
  CHECK(count(reading) == 2);
}

TEST_CASE("C2: a late landing before it is settled is a commit, once, with all its objects") {
  memory_store content;
  scripted_store store(content);
  client writer{store};
  auto tx = writer.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {1}).value();
  std::string late_bytes;
  store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (!tarn_test::is_entry(name)) return inner.put_if_absent(name, bytes);
    late_bytes = bytes;
    return put_result::unknown(lost());
  };
  const auto committed = tx.commit();
  REQUIRE_FALSE(committed.has_value());
  const auto [transaction, slot] = committed.error().in_doubt();
  CHECK(content.put_if_absent(entry_name(slot), late_bytes).outcome() == put_outcome::created);
  client other{content};
  CHECK(other.find_commit(transaction, slot, settle::yes).value() == commit_state::committed);
  auto reading = other.begin().value();
  CHECK(count(reading) == 1);
}

TEST_CASE("find_commit refuses slots that nothing can be in doubt about") {
  client lake{memory_store{}};
  append(lake, 0);
  CHECK(lake.find_commit(uuid{1, 2}, version{-1}).error().code() == errc::invalid_argument);
  CHECK(lake.find_commit(uuid{1, 2}, version{9}).value() == commit_state::undecided);
  CHECK(lake.find_commit(uuid{1, 2}, version{9}, settle::yes).error().code() == errc::invalid_argument);
}

TEST_CASE("C15: begin_at a time reads the version committed then or before, whatever the clock did") {
  test_environment hands;
  client_options options;
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  const std::int64_t first = hands.clock.ms;
  append(lake, 0);
  hands.clock.ms += 5000;
  append(lake, 1);
  hands.clock.ms -= 3'600'000;
  append(lake, 2);  // one millisecond after the one before
  CHECK(lake.begin_at(timestamp{first - 1}).error().code() == errc::not_found);
  CHECK(lake.begin_at(timestamp{first})->read_version() == version{0});
  CHECK(lake.begin_at(timestamp{first + 4999})->read_version() == version{0});
  CHECK(lake.begin_at(timestamp{first + 5000})->read_version() == version{1});
  CHECK(lake.begin_at(timestamp{first + 5001})->read_version() == version{2});
  CHECK(lake.begin_at(timestamp{INT64_MAX})->read_version() == version{2});
  CHECK(lake.begin_at(version{-2}).error().code() == errc::invalid_argument);
}

TEST_CASE("a settling that is itself in doubt leaves the asker's commit in doubt, not the filler's") {
  scripted_store store;
  client lake{store};
  append(lake, 0);
  store.plan().put = [](std::string_view, std::string_view, memory_store&) { return put_result::unknown(lost()); };
  const uuid mine{1, 2};
  const auto asked = lake.find_commit(mine, version{1}, settle::yes);
  REQUIRE_FALSE(asked.has_value());
  CHECK(asked.error().code() == errc::commit_unknown);
  CHECK(asked.error().in_doubt().transaction == mine);
  CHECK(asked.error().in_doubt().slot == version{1});
}

TEST_CASE("run does a transaction again after a conflict, on what is there then") {
  memory_store store;
  client lake{store};
  client other{store};
  lake.run([](auto& tx) { return tx.create_table("t", {"x"}); }).value();
  int rounds = 0;
  const result<version> done = lake.run([&](auto& tx) -> status {
    const std::int64_t seen = static_cast<std::int64_t>(rows_of(tx, "t").size());
    if (rounds++ < 2) other.run([](auto& theirs) { return theirs.insert("t", {0}); }).value();
    return tx.insert("t", {100 + seen});
  });
  CHECK(done.value() == version{3});
  CHECK(rounds == 3);
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "t") == std::vector<row>{{0}, {0}, {102}});
}

TEST_CASE("run gives up after so many attempts, and at once when the work fails") {
  memory_store store;
  client_options options;
  options.commit.backoff = {0, 0, 4};
  client lake{store, options};
  client other{store};
  lake.run([](auto& tx) { return tx.create_table("t", {"x"}); }).value();
  int rounds = 0;
  const result<version> never = lake.run([&](auto& tx) -> status {
    ++rounds;
    (void)rows_of(tx, "t");
    other.run([](auto& theirs) { return theirs.insert("t", {0}); }).value();
    return tx.insert("t", {1});
  });
  REQUIRE_FALSE(never.has_value());
  CHECK(never.error().code() == errc::conflict);
  CHECK(rounds == 4);
  const result<version> failed = lake.run([&](auto& tx) -> status {
    ++rounds;
    tx.insert("t", {2}).value();
    return tx.insert("none", {3});
  });
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().code() == errc::no_such_table);
  CHECK(rounds == 5);
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "t").size() == 4);
  // Without conflicts the level counts too: a snapshot's scan does not mind what others append.
  CHECK(lake.run(
                [&](auto& tx) -> status {
                  (void)rows_of(tx, "t");
                  other.run([](auto& theirs) { return theirs.insert("t", {0}); }).value();
                  return tx.insert("t", {1});
                },
                isolation::snapshot)
            .has_value());
}
