// The change feed: what each kind of write, on each kind of table, tells; and that the feed makes of the rows of one
// version those of another.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/changes.hpp>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "../support/change_text.hpp"
#include "../support/entries_by_hand.hpp"
#include "../support/reading.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

using told = std::vector<std::string>;

template <class Client>
told tell(Client& lake, std::int64_t from, std::int64_t to, std::string_view table = "t") {
  auto feed = changes(lake, table, version{from}, version{to});
  REQUIRE_MESSAGE(feed.has_value(), (feed ? std::string() : feed.error().message()));
  told all;
  while (feed->next()) all.push_back(text_of(feed->change()));
  REQUIRE_MESSAGE(feed->status().has_value(), (feed->status() ? std::string() : feed->status().error().message()));
  CHECK_FALSE(feed->next());  // the end stays the end
  return all;
}

template <class Result>
errc code_of(const Result& failed) {
  REQUIRE_FALSE(failed.has_value());
  return failed.error().code();
}

// What a feed ends with.
template <class Client>
status end_of(Client& lake, std::int64_t from, std::int64_t to, std::string_view table = "t") {
  auto feed = changes(lake, table, version{from}, version{to}).value();
  while (feed.next()) {
  }
  CHECK_FALSE(feed.next());
  return feed.status();
}

// Runs `test` with a client of each strategy, over a lake of its own.
template <class Place, class Test>
void for_each_strategy(Test test, const client_options& options = {}) {
  const Place by_key, by_position, derived;
  client<typename Place::store, json_codec, merge::by_key> first{by_key.open(), options};
  client<typename Place::store, json_codec, merge::by_position> second{by_position.open(), options};
  client<typename Place::store, json_codec, merge::derived> third{derived.open(), options};
  test(first);
  test(second);
  test(third);
}

const schema users{{"id", column_type::integer}, "name", {"at", column_type::integer}};

}  // namespace

TEST_CASE_TEMPLATE("keyed tables tell inserts, updates with both rows, and erases, whatever the strategy", Place,
                   TARN_EACH_STORE) {
  for (const std::uint32_t buckets : {1U, 7U})
    for_each_strategy<Place>([&](auto& lake) {
      CAPTURE(buckets);
      lake.run([&](auto& tx) { return tx.create_table("t", users, keyed{{"id"}, buckets}); }).value();
      lake.run([](auto& tx) { return tx.upsert("t", {{1, "Ada", 1}, {2, "Bob", 1}}); }).value();
      const auto write = [&](auto work) { return std::to_string(lake.run(work).value().number); };
      const std::string update = write([](auto& tx) { return tx.update("t", {2}, {{"name", "Bill"}}); });
      const std::string erase = write([](auto& tx) { return tx.erase("t", {1}); });
      const std::int64_t folded = lake.compact("t").value().number;
      CHECK(folded > 3);
      const std::string insert = write([](auto& tx) { return tx.insert("t", {3, "Cyd", 1}); });
      const std::string again = write([](auto& tx) { return tx.insert("t", {1, "Ann", 2}); });
      CHECK(tell(lake, 1, folded + 2) == told{update + " update 2 Bob 1 -> 2 Bill 1", erase + " erase 1 Ada 1",
                                              insert + " insert 3 Cyd 1", again + " insert 1 Ann 2"});
      // Any range of it, and none.
      CHECK(tell(lake, 2, folded + 1) == told{erase + " erase 1 Ada 1", insert + " insert 3 Cyd 1"});
      CHECK(tell(lake, 2, 2).empty());
      CHECK(tell(lake, 3, folded).empty());
      told first = tell(lake, -1, 1);
      std::sort(first.begin(), first.end());
      CHECK(first == told{"1 insert 1 Ada 1", "1 insert 2 Bob 1"});
    });
}

TEST_CASE_TEMPLATE("a write that leaves a row as it was is no change", Place, TARN_EACH_STORE) {
  for_each_strategy<Place>([](auto& lake) {
    auto tx = lake.begin().value();
    tx.create_table("t", users, keyed{{"id"}, 1, by_ordering("at")}).value();
    tx.upsert("t", {{1, "Ada", 10}, {2, "Bob", 10}}).value();
    tx.commit().value();
    lake.run([](auto& t) { return t.upsert("t", {1, "Ada", 10}); }).value();  // the same row
    lake.run([](auto& t) { return t.upsert("t", {1, "late", 9}); }).value();  // hidden by a greater ordering
    lake.run([](auto& t) { return t.erase("t", {2}, 9); }).value();           // the same of an erase
    lake.run([](auto& t) { return t.erase("t", {7}); }).value();              // nothing there
    auto both = lake.begin().value();                                         // never visible
    both.upsert("t", {8, "ghost", 1}).value();
    both.flush().value();
    both.erase("t", {8}).value();
    both.commit().value();
    auto back = lake.begin().value();  // erased and written again, the same
    back.erase("t", {1}).value();
    back.flush().value();
    back.upsert("t", {1, "Ada", 10}).value();
    CHECK(back.commit().value() == version{6});
    CHECK(tell(lake, 0, 6).empty());
    lake.run([](auto& t) { return t.erase("t", {2}, 12); }).value();           // leaves a tombstone
    lake.run([](auto& t) { return t.upsert("t", {2, "late", 11}); }).value();  // which hides this
    lake.run([](auto& t) { return t.upsert("t", {2, "new", 12}); }).value();
    CHECK(tell(lake, 6, 9) == told{"7 erase 2 Bob 10", "9 insert 2 new 12"});
  });
}

TEST_CASE("within a version the order is that of a scan") {
  client_options options;
  options.bounds.rows_per_object = 3;
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  tx.create_table("t", users, keyed{{"id"}, 7}).value();
  tx.create_table("bag", {"n"}).value();
  for (int id = 40; id > 0; --id) {
    tx.upsert("t", {id, "name", id}).value();
    tx.insert("bag", {id}).value();
  }
  tx.commit().value();
  auto reading = lake.begin().value();
  for (const std::string_view table : {"t", "bag"}) {
    told expected;
    for (const row& each : rows_of(reading, table)) expected.push_back("0 insert " + text_of(row_view(each)));
    CHECK(expected.size() == 40);
    CHECK(tell(lake, -1, 0, table) == expected);
  }
}

TEST_CASE_TEMPLATE("bags tell what was added, deleted and updated", Place, TARN_EACH_STORE) {
  const Place place;
  client_options options;
  options.bounds.rows_per_object = 3;
  client lake{place.open(), options};
  auto tx = lake.begin().value();
  tx.create_table("t", {"n"}).value();
  tx.insert("t", {{0}, {1}, {2}, {3}}).value();
  tx.commit().value();
  CHECK(tell(lake, -1, 0) == told{"0 insert 0", "0 insert 1", "0 insert 2", "0 insert 3"});
  const uuid first = table_in(lake).objects[0].object.id, second = table_in(lake).objects[1].object.id;
  commit_actions(lake, {deleting(first, {{1, 2}})});
  commit_actions(lake, {deleting(first, {{0, 0}})});
  CHECK(tell(lake, 0, 2) == told{"1 erase 1", "1 erase 2", "2 erase 0"});
  // What an entry adds and deletes itself was never there; what it deletes twice is told once.
  const data_object added = put_object(lake, {{10}, {11}, {12}});
  commit_actions(lake, {adding(added), deleting(added.id, {{1, 1}}), deleting(first, {{0, 1}})});
  CHECK(tell(lake, 2, 3) == told{"3 insert 10", "3 insert 12"});
  // A compaction moves rows.
  commit_actions(lake, {replacing({second, added.id}, put_object(lake, {{3}, {10}, {12}}))});
  CHECK(tell(lake, 3, 4).empty());
  lake.run([](auto& t) { return t.insert("t", {99}); }).value();
  CHECK(tell(lake, 2, 5) == told{"3 insert 10", "3 insert 12", "5 insert 99"});
}

TEST_CASE("an update of a bag is one change, also if its row was updated again, moved or erased by the same entry") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("t", {"n"}).value();
  tx.insert("t", {{0}, {1}, {2}, {3}, {4}, {5}}).value();
  tx.commit().value();
  const uuid old = table_in(lake).objects[0].object.id;
  const data_object added = put_object(lake, {{10}, {30}, {100}, {50}, {500}, {7}, {77}});
  const data_object other = put_object(lake, {{40}, {20}});
  // 1 -> 10 -> 100; 2 -> 20, which is in the other object; 3 -> 30, erased; 4 -> 40; 5 -> 50 -> 500; 7 -> 77, new.
  commit_actions(
      lake, {adding(added), adding(other),
             deleting(old, {{1, 5}},
                      {{{5, 5}, added.id, 3}, {{1, 1}, added.id, 0}, {{3, 3}, added.id, 1}, {{2, 2}, other.id, 1}}),
             deleting(added.id, {{0, 1}, {3, 3}, {5, 5}},
                      {{{0, 0}, added.id, 2}, {{3, 3}, added.id, 4}, {{5, 5}, added.id, 6}}),
             deleting(old, {{4, 4}}, {{{4, 4}, other.id, 0}})});
  CHECK(tell(lake, 0, 1) == told{"1 update 1 -> 100", "1 update 2 -> 20", "1 erase 3", "1 update 4 -> 40",
                                 "1 update 5 -> 500", "1 insert 77"});
  // Deleted from what a compaction of the same entry has made.
  const data_object made = put_object(lake, {{0}, {100}, {500}, {77}, {40}, {20}});
  commit_actions(lake, {replacing({old, added.id, other.id}, made), deleting(made.id, {{1, 2}})});
  CHECK(tell(lake, 1, 2) == told{"2 erase 100", "2 erase 500"});
}

TEST_CASE_TEMPLATE("bags tell deletes, updates and compactions by call", Place, TARN_EACH_STORE) {
  const Place place;
  client_options options;
  options.bounds.rows_per_object = 3;
  client lake{place.open(), options};
  auto tx = lake.begin().value();
  tx.create_table("t", {"n", "s"}).value();
  for (int number = 0; number < 7; ++number) tx.insert("t", {number, "old"}).value();
  tx.commit().value();
  auto changing = lake.begin().value();
  auto scan = changing.scan("t").value();
  while (scan.next()) {
    if (scan.row()[0].as_integer() % 3 == 0) changing.erase(scan).value();
    if (scan.row()[0].as_integer() % 3 == 1) changing.update(scan, {{"s", "new"}}).value();
  }
  changing.insert("t", {{10, "new"}, {11, "old"}}).value();
  CHECK(changing.update_where("t", {{"s", equals, "new"}}, {{"s", "newer"}}).value() == 3);   // 1 and 4 again, and 10
  CHECK(changing.erase_where("t", {{"n", at_least, 4}, {"s", equals, "old"}}).value() == 2);  // 5, and 11
  changing.commit().value();
  CHECK(tell(lake, 0, 1) == told{"1 erase 0 old", "1 update 1 old -> 1 newer", "1 erase 3 old",
                                 "1 update 4 old -> 4 newer", "1 erase 5 old", "1 erase 6 old", "1 insert 10 newer"});
  const version compacted = lake.compact("t").value();
  CHECK(compacted > version{1});
  CHECK(tell(lake, 1, compacted.number).empty());
  lake.run([](auto& t) -> status {
        const auto erased = t.erase_where("t", {{"s", equals, "newer"}});
        return erased ? status() : status(erased.error());
      })
      .value();
  const std::string last = std::to_string(compacted.number + 1);
  CHECK(tell(lake, compacted.number, compacted.number + 1) ==
        told{last + " erase 1 newer", last + " erase 4 newer", last + " erase 10 newer"});
}

TEST_CASE("updates that lead nowhere are damage that the feed names") {
  const auto end_with = [](auto replacements_of) {
    client lake{memory_store{}};
    auto tx = lake.begin().value();
    tx.create_table("t", {"n"}).value();
    tx.insert("t", {{0}, {1}}).value();
    tx.commit().value();
    const uuid old = table_in(lake).objects[0].object.id;
    const data_object added = put_object(lake, {{10}, {11}});
    commit_actions(lake, {adding(added), deleting(old, {{0, 1}}, {replacements_of(old, added.id).first}),
                          deleting(added.id, {{1, 1}}, {replacements_of(old, added.id).second})});
    return end_of(lake, 0, 1);
  };
  using pair = std::pair<row_replacement, row_replacement>;
  // To a row that was there before, past the end, to itself, and two to one row.
  CHECK(code_of(end_with([](uuid old, uuid) { return pair{{{0, 0}, old, 1}, {}}; })) == errc::corrupt);
  CHECK(code_of(end_with([](uuid, uuid added) { return pair{{{0, 0}, added, 2}, {}}; })) == errc::corrupt);
  CHECK(code_of(end_with([](uuid, uuid added) {
          return pair{{{0, 0}, added, 1}, {{1, 1}, added, 1}};
        })) == errc::corrupt);
  CHECK(code_of(end_with([](uuid, uuid added) {
          return pair{{{0, 1}, added, 0}, {{1, 1}, added, 0}};
        })) == errc::corrupt);
}

TEST_CASE("the article's lakes have changes, too") {
  client lake{file_store<>(std::string(TARN_TEST_FIXTURES) + "/article/two-commits")};
  const std::int64_t last = lake.newest_snapshot().value()->at.number;
  CHECK(last == 1);
  told rows;
  for (std::int64_t at = 0; at <= last; ++at) {
    for (const std::string& each : tell(lake, at - 1, at, "x"))
      rows.push_back(each.substr(std::string("0 insert ").size()));
    auto reading = lake.begin_at(version{at}).value();
    told expected;
    for (const row& each : rows_of(reading, "x")) expected.push_back(text_of(row_view(each)));
    CHECK(rows == expected);
    CHECK_FALSE(rows.empty());
  }
}

TEST_CASE("a table that is dropped is erased; the feed goes on with the next one of its name") {
  client lake{memory_store{}};
  lake.run([](auto& tx) { return tx.create_table("other", {"a"}); }).value();
  auto create = [&](auto... key) {
    auto tx = lake.begin().value();
    if (tx.has_table("t").value()) tx.drop_table("t").value();
    tx.create_table("t", users, key...).value();
    tx.insert("t", {{1, "Ada", 1}, {2, "Bob", 2}}).value();
    return tx.commit().value().number;
  };
  const auto drop = [&] { return lake.run([](auto& tx) { return tx.drop_table("t"); }).value(); };
  create();                  // 1
  create(keyed{{"id"}});     // 2
  create(keyed{{"id"}, 7});  // 3
  drop();                    // 4
  create();                  // 5
  const auto inserts = [](const std::string& at) { return told{at + " insert 1 Ada 1", at + " insert 2 Bob 2"}; };
  const auto erases = [](const std::string& at) { return told{at + " erase 1 Ada 1", at + " erase 2 Bob 2"}; };
  const auto both = [](told first, const told& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  CHECK(tell(lake, -1, 1) == inserts("1"));
  CHECK(tell(lake, 1, 2) == both(erases("2"), inserts("2")));
  told third = tell(lake, 2, 3), fourth = tell(lake, 3, 4);  // buckets have their own order
  std::sort(third.begin() + 2, third.end());
  std::sort(fourth.begin(), fourth.end());
  CHECK(third == both(erases("3"), inserts("3")));
  CHECK(fourth == erases("4"));
  CHECK(tell(lake, 4, 5) == inserts("5"));
  CHECK(tell(lake, -1, 5).size() == 2 + 4 + 4 + 2 + 2);
}

TEST_CASE_TEMPLATE("a restore tells what differs, of keyed tables by key and of bags by object", Place,
                   TARN_EACH_STORE) {
  for_each_strategy<Place>([](auto& lake) {
    auto tx = lake.begin().value();
    tx.create_table("t", users, keyed{{"id"}}).value();
    tx.create_table("bag", {"n"}).value();
    tx.upsert("t", {{1, "Ada", 1}, {2, "Bob", 1}, {3, "Cyd", 1}}).value();
    tx.insert("bag", {{1}, {2}, {3}}).value();
    tx.commit().value();
    lake.run([](auto& t) { return t.insert("bag", {4}); }).value();
    lake.run([](auto& t) { return t.upsert("t", {{1, "Ann", 1}, {4, "Dan", 1}}); }).value();
    lake.run([](auto& t) { return t.erase("t", {3}); }).value();
    lake.compact("t").value();
    commit_actions(lake, {deleting(table_in(lake, "bag").objects[0].object.id, {{0, 0}, {2, 2}})}, "bag");
    const std::int64_t last = lake.newest_snapshot().value()->at.number;
    const std::int64_t at = restore_table(lake, {0}).number;
    const std::string now = std::to_string(at);
    CHECK(tell(lake, last, at) ==
          told{now + " update 1 Ann 1 -> 1 Ada 1", now + " insert 3 Cyd 1", now + " erase 4 Dan 1"});
    const std::string bag = std::to_string(restore_table(lake, {0}, "bag").number);
    CHECK(tell(lake, at, at + 1, "bag") == told{bag + " erase 4", bag + " insert 1", bag + " insert 3"});
    // Back to where deletions were made: what they deleted is erased again.
    const std::string again = std::to_string(restore_table(lake, {last}, "bag").number);
    CHECK(tell(lake, at + 1, at + 2, "bag") == told{again + " erase 1", again + " erase 3", again + " insert 4"});
    // A table that is restored after it was dropped, and one that is dropped by it.
    lake.run([](auto& t) { return t.drop_table("t"); }).value();
    restore_table(lake, {last});
    const std::string back = std::to_string(at + 4);
    CHECK(tell(lake, at + 3, at + 4) ==
          told{back + " insert 1 Ann 1", back + " insert 2 Bob 1", back + " insert 4 Dan 1"});
    // All tables at once; another table of the name goes before the former one comes back.
    lake.run([](auto& t) { return t.drop_table("t"); }).value();
    lake.run([](auto& t) { return t.create_table("t", {"n"}); }).value();
    lake.run([](auto& t) { return t.insert("t", {7}); }).value();
    const std::string all = std::to_string(lake.restore({0}).value().number);
    CHECK(tell(lake, at + 7, at + 8) ==
          told{all + " erase 7", all + " insert 1 Ada 1", all + " insert 2 Bob 1", all + " insert 3 Cyd 1"});
    CHECK(tell(lake, at + 7, at + 8, "bag") == told{all + " erase 4", all + " insert 1", all + " insert 3"});
  });
}

TEST_CASE("a change of columns is no change of rows; rows are shown with the columns of their change's version") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("t", users, keyed{{"id"}}).value();
  tx.create_table("bag", users).value();
  tx.upsert("t", {{1, "Ada", 1}, {2, "Bob", 2}}).value();
  tx.insert("bag", {{1, "Ada", 1}, {2, "Bob", 2}, {3, "Cyd", 3}}).value();
  tx.commit().value();
  auto other = lake.begin().value();  // alone, and with writes
  for (const std::string_view table : {"t", "bag"}) {
    other.add_column(table, {"city"}).value();
    other.drop_column(table, "name").value();
    other.widen_column(table, "at").value();
    other.rename_column(table, "id", "key").value();
  }
  other.upsert("t", {2, 3.5, "Oslo"}).value();
  other.commit().value();
  lake.run([](auto& t) { return t.upsert("t", {{1, 1.0, nullptr}, {3, 4.5, "Rome"}}); }).value();
  CHECK(tell(lake, 0, 2) == told{"1 update 2 2.0 - -> 2 3.5 Oslo", "2 insert 3 4.5 Rome"});
  const uuid old = table_in(lake, "bag").objects[0].object.id;
  const data_object added = put_object(lake, {{2, 2.5, "Oslo"}}, "bag");
  commit_actions(lake, {adding(added), deleting(old, {{0, 1}}, {{{1, 1}, added.id, 0}})}, "bag");
  CHECK(tell(lake, 0, 3, "bag") == told{"3 erase 1 1.0 -", "3 update 2 2.0 - -> 2 2.5 Oslo"});
  // By name, too.
  auto feed = changes(lake, "t", {0}, {1}).value();
  REQUIRE(feed.next());
  CHECK(feed.change().before["key"].as_integer() == 2);
  CHECK(feed.change().before["city"].is_null());
  // Back to the columns of before, and on from there with others: the same numbers, other columns.
  restore_table(lake, {0});
  CHECK(tell(lake, 3, 4) == told{"4 update 1 - 1.0 -> 1 Ada 1", "4 update 2 - 3.5 -> 2 Bob 2", "4 erase 3 - 4.5"});
  lake.run([](auto& t) { return t.add_column("t", {"zip"}); }).value();
  restore_table(lake, {0});
  lake.run([](auto& t) { return t.add_column("t", {"street"}); }).value();
  lake.run([](auto& t) { return t.upsert("t", {1, "Ada", 1, "High"}); }).value();
  CHECK(tell(lake, 4, 8) == told{"8 update 1 Ada 1 - -> 1 Ada 1 High"});
  lake.run([](auto& t) { return t.drop_table("t"); }).value();
  CHECK(tell(lake, 8, 9) == told{"9 erase 1 Ada 1 High", "9 erase 2 Bob 2 -"});
  // What a restore takes away is read with the columns that it had last.
  lake.run([](auto& t) { return t.create_table("late", users); }).value();
  lake.run([](auto& t) { return t.insert("late", {1, "Ada", 1}); }).value();
  lake.run([](auto& t) { return t.drop_column("late", "name"); }).value();
  restore_table(lake, {10}, "late");
  CHECK(tell(lake, 12, 13, "late") == told{"13 erase 1 - 1"});
}

TEST_CASE("wrong ranges, tables and objects are errors that say so") {
  scripted_store store;
  client lake{store};
  CHECK(code_of(end_of(lake, -1, -1)) == errc::no_such_table);
  auto tx = lake.begin().value();
  tx.create_table("t", users, keyed{{"id"}}).value();
  tx.create_table("bag", users).value();
  tx.upsert("t", {{1, "Ada", 1}, {2, "Bob", 2}}).value();
  tx.insert("bag", {{1, "Ada", 1}, {2, "Bob", 2}}).value();
  tx.commit().value();
  lake.run([](auto& t) { return t.upsert("t", {1, "Ann", 1}); }).value();
  lake.run([](auto& t) { return t.drop_table("t"); }).value();
  CHECK(code_of(changes(lake, "t", {-2}, {1})) == errc::invalid_argument);
  CHECK(code_of(changes(lake, "t", {1}, {0})) == errc::invalid_argument);
  CHECK(code_of(changes(lake, "t", {0}, {3})) == errc::not_found);
  CHECK(end_of(lake, -1, 2).has_value());
  CHECK(end_of(lake, 1, 2).has_value());  // it was there at first
  CHECK(code_of(end_of(lake, 2, 2)) == errc::no_such_table);
  CHECK(code_of(end_of(lake, -1, 2, "T")) == errc::no_such_table);
  CHECK(end_of(lake, -1, 2, "missing").error().message().find("missing") != std::string::npos);
  // An object or an entry that cannot be read ends the feed, after what came before.
  for (const std::string_view table : {"t", "bag"}) {
    store.plan().before_get = [&, name = "_table_" + std::string(table)](std::string_view object) {
      return object.starts_with(name) ? status(error(errc::not_found, "gone")) : status();
    };
    const status end = end_of(lake, -1, 2, table);
    CHECK(code_of(end) == errc::corrupt);
    CHECK(end.error().message().find("_table_" + std::string(table)) != std::string::npos);
  }
  auto feed = changes(lake, "t", {-1}, {2}).value();
  store.plan().before_get = [](std::string_view name) {
    return name == entry_name({1}) ? status(error(errc::io, "no")) : status();
  };
  CHECK(feed.next());
  CHECK(feed.next());
  CHECK_FALSE(feed.next());
  CHECK(code_of(feed.status()) == errc::io);
  CHECK_FALSE(feed.next());
#if TARN_HAS_EXCEPTIONS
  auto failing = changes(lake, "t", {-1}, {0}).value();
  store.plan().before_get = [](std::string_view) { return status(error(errc::io, "no")); };
  CHECK_THROWS_AS(
      [&] {
        for ([[maybe_unused]] const row_change& each : failing) FAIL("there is none");
      }(),
      failure);
#endif
}

TEST_CASE("versions that a vacuum has given up have no changes, also if it came while they were told") {
  test_environment hands;
  client_options options = tarn_test::with_stored_objects();
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  lake.run([](auto& tx) { return tx.create_table("t", users, keyed{{"id"}}); }).value();
  for (int number = 1; number < 4; ++number)
    lake.run([&](auto& tx) { return tx.upsert("t", {1, "Ada", number}); }).value();
  lake.compact("t").value();
  lake.run([](auto& tx) { return tx.upsert("t", {2, "Bob", 5}); }).value();
  hands.clock.ms += 60'000;
  auto ahead = changes(lake, "t", {-1}, {5}).value();
  REQUIRE(ahead.next());
  client other{lake.store(), options};
  const vacuum_report report = vacuum(other, {.keep_ms = 0, .keep_versions = 2, .grace_ms = 0}).value();
  const std::int64_t oldest = report.kept.oldest.number;
  REQUIRE(oldest == 4);
  REQUIRE_FALSE(report.objects.empty());
  CHECK_FALSE(ahead.next());
  CHECK(code_of(ahead.status()) == errc::snapshot_expired);
  for (const bool truncated : {false, true}) {
    if (truncated) CHECK(truncate(lake).value() == version{oldest});
    for (std::int64_t from = -1; from < oldest; ++from)
      CHECK(code_of(changes(lake, "t", {from}, {5})) == errc::snapshot_expired);
    CHECK(tell(lake, oldest, 6) == told{"5 insert 2 Bob 5"});
  }
}

TEST_CASE("nothing is told of what a truncation has made garbage, whenever it came") {
  const auto make = [] {
    client lake{memory_store{}};
    lake.run([](auto& tx) { return tx.create_table("t", {"n"}); }).value();
    lake.run([](auto& tx) { return tx.insert("t", {1}); }).value();
    lake.run([](auto& tx) { return tx.create_table("other", {"n"}); }).value();
    lake.checkpoint().value();
    lake.run([](auto& tx) { return tx.insert("t", {3}); }).value();
    return lake;
  };
  const auto truncate_to_2 = [](auto& lake) {
    truncation_marker marker{{0}, {2}, {{2}}, {}};
    for (const commit_summary& each : versions_of(lake))
      if (each.at <= marker.last) marker.transactions.push_back(each.transaction);
    CHECK(lake.store().put_if_absent(marker_name(0), write_marker(marker)).outcome() == put_outcome::created);
  };
  auto lake = make();
  auto ahead = changes(lake, "t", {-1}, {3}).value();
  auto quiet = changes(lake, "t", {1}, {2}).value();  // in which nothing happens to the table
  truncate_to_2(lake);
  CHECK_FALSE(ahead.next());
  CHECK(code_of(ahead.status()) == errc::snapshot_expired);
  CHECK_FALSE(quiet.next());
  CHECK(code_of(quiet.status()) == errc::snapshot_expired);
  CHECK(code_of(changes(lake, "t", {-1}, {3})) == errc::snapshot_expired);
  CHECK(code_of(changes(lake, "t", {1}, {3})) == errc::snapshot_expired);
  CHECK(tell(lake, 2, 3) == told{"3 insert 3"});
  // What it finds missing is explained, too.
  auto other = make();
  auto between = changes(other, "t", {0}, {3}).value();
  REQUIRE(between.next());
  CHECK(text_of(between.change()) == "1 insert 1");
  truncate_to_2(other);
  CHECK(other.store().remove(entry_name({2})).has_value());
  CHECK_FALSE(between.next());
  CHECK(code_of(between.status()) == errc::snapshot_expired);
}

TEST_CASE("a feed outlives its client, and being moved; later commits are nothing to it") {
  auto make = [] {
    client lake{memory_store{}};
    auto tx = lake.begin().value();
    tx.create_table("t", users, keyed{{"id"}}).value();
    tx.upsert("t", {{1, "Ada", 1}, {2, "Bob", 2}}).value();
    tx.commit().value();
    lake.run([](auto& t) { return t.upsert("t", {1, "Ann", 1}); }).value();
    auto feed = changes(lake, "t", {-1}, {1}).value();
    CHECK(feed.next());
    lake.run([](auto& t) { return t.drop_table("t"); }).value();
    return feed;
  };
  auto feed = make();
  CHECK(text_of(feed.change()) == "0 insert 1 Ada 1");
  auto moved = std::move(feed);
  told all;
  for (const row_change& each : moved) all.push_back(text_of(each));
  CHECK(all == told{"0 insert 2 Bob 2", "1 update 1 Ada 1 -> 1 Ann 1"});
}

TEST_CASE("a feed reads one entry for each version, and only objects in which rows have changed") {
  scripted_store store;
  client lake{store, tarn_test::with_stored_objects()};
  auto tx = lake.begin().value();
  tx.create_table("t", users, keyed{{"id"}, 2}).value();
  tx.create_table("bag", users).value();
  tx.upsert("t", {{1, "Ada", 1}, {2, "Bob", 2}, {3, "Cyd", 3}, {4, "Dan", 4}}).value();
  tx.insert("bag", {1, "Ada", 1}).value();
  tx.commit().value();
  lake.run([](auto& t) { return t.upsert("t", {1, "Ann", 1}); }).value();  // one bucket of two
  lake.run([](auto& t) { return t.insert("bag", {2, "Bob", 2}); }).value();
  CHECK(lake.compact("t").value() == version{3});
  const data_object object = put_object(lake, {{1, "Ada", 1}, {2, "Bob", 2}}, "bag");
  const table_state& bag = table_in(lake, "bag");
  commit_actions(lake, {replacing({bag.objects[0].object.id, bag.objects[1].object.id}, object)}, "bag");
  commit_actions(lake, {deleting(object.id, {{1, 1}})}, "bag");
  const auto gets_of = [&](std::int64_t from, std::int64_t to, std::string_view table) {
    auto feed = changes(lake, table, {from}, {to}).value();
    const std::uint64_t before = store.plan().gets;
    while (feed.next()) {
    }
    CHECK(feed.status().has_value());
    return store.plan().gets - before;
  };
  CHECK(gets_of(0, 1, "t") == 1 + 1 + 2);  // the base before; it and the delta after
  CHECK(gets_of(1, 5, "t") == 4);          // other tables, and a compaction
  CHECK(gets_of(0, 1, "bag") == 1);
  CHECK(gets_of(1, 2, "bag") == 1 + 1);  // what was added
  CHECK(gets_of(2, 4, "bag") == 2);      // the other table's compaction, and its own
  CHECK(gets_of(4, 5, "bag") == 1 + 1);
  CHECK(gets_of(0, 5, "bag") == 5 + 1 + 1);
  const data_object updated = put_object(lake, {{1, "Ann", 1}}, "bag");
  commit_actions(lake, {adding(updated), deleting(object.id, {{0, 0}}, {{{0, 0}, updated.id, 0}})}, "bag");
  CHECK(gets_of(5, 6, "bag") == 1 + 2);  // the old rows and the new ones
}
