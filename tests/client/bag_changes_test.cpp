// Deletes and updates of tables without a key: by scan and by filter, in committed objects, own objects and the buffer,
// and what two transactions make of one object.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/tarn.hpp>
#include <vector>

#include "../support/bag_numbers.hpp"
#include "../support/reading.hpp"
#include "../support/stores.hpp"

using namespace tarn;
using tarn_test::numbers;
using tarn_test::numbers_in;
using tarn_test::numbers_of;
using tarn_test::objects_of;

namespace {

// Table x with the rows 0 to `rows` - 1 in one commit, beside a column of text.
template <class Client>
void create(Client& lake, std::int64_t rows) {
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "s"}).value();
  for (std::int64_t number = 0; number < rows; ++number) tx.insert("x", {number, "text"}).value();
  tx.commit().value();
}

filter number_is(std::int64_t number) { return {{"n", equals, number}}; }

template <class T>
errc code_of(const result<T>& done) {
  REQUIRE_FALSE(done.has_value());
  return done.error().code();
}

// What the entry of this version does to table x.
template <class Client>
sequence<action> actions_of(Client& lake, version at) {
  const auto read = get_entry(lake.store(), at, limits{});
  REQUIRE(read.has_value());
  return *read->content.actions.find("x");
}

constexpr isolation all_levels[] = {isolation::serializable, isolation::snapshot, isolation::non_blocking};

}  // namespace

TEST_CASE_TEMPLATE("rows are deleted and updated by filter, whatever object they are in", Lake, TARN_EACH_STORE) {
  for (const std::uint64_t rows_per_object : {1U, 2U, 3U, 100U}) {
    CAPTURE(rows_per_object);
    Lake store;
    client lake{store.open(), objects_of(rows_per_object)};
    create(lake, 7);
    auto tx = lake.begin().value();
    CHECK(tx.erase_where("x", {{"n", at_least, 2}, {"n", at_most, 4}}).value() == 3);
    CHECK(numbers_of(tx) == numbers{0, 1, 5, 6});
    CHECK(tx.erase_where("x", {{"n", at_least, 2}, {"n", at_most, 4}}).value() == 0);
    CHECK(tx.update_where("x", number_is(5), {{"n", 50}, {"s", nullptr}}).value() == 1);
    CHECK(numbers_of(tx, {{"s", is_null}}) == numbers{50});
    const version changed = tx.commit().value();

    client other{store.open(), objects_of(rows_per_object)};
    CHECK(numbers_in(other) == numbers{0, 1, 6, 50});
    auto before = other.begin_at(version{changed.number - 1}).value();
    CHECK(numbers_of(before) == numbers{0, 1, 2, 3, 4, 5, 6});

    auto all = other.begin().value();
    CHECK(all.erase_where("x", {}).value() == 4);
    CHECK(numbers_of(all).empty());
    all.commit().value();
    CHECK(numbers_in(lake).empty());
    auto scan = lake.begin()->scan("x").value();
    CHECK_FALSE(scan.next());
    CHECK(scan.statistics().objects == 0);  // no object has a row left, so none is read
  }
}

TEST_CASE("rows are deleted and updated through a scan, which goes on as it was") {
  client lake{memory_store{}, objects_of(3)};
  create(lake, 7);
  auto tx = lake.begin().value();
  auto scan = tx.scan("x").value();
  auto another = tx.scan("x").value();
  numbers seen;
  while (scan.next()) {
    const std::int64_t number = scan.row()["n"].as_integer();
    seen.push_back(number);
    if (number % 3 == 0) tx.erase(scan).value();
    if (number % 3 == 1) tx.update(scan, {{"n", 10 * number}}).value();
    CHECK(scan.row()["n"].as_integer() == number);
  }
  CHECK(seen == numbers{0, 1, 2, 3, 4, 5, 6});
  seen.clear();
  while (another.next()) seen.push_back(another.row()[0].as_integer());
  CHECK(seen == numbers{0, 1, 2, 3, 4, 5, 6});  // as it began
  CHECK(numbers_of(tx) == numbers{10, 40, 2, 5});
  tx.commit().value();
  CHECK(numbers_in(lake) == numbers{2, 5, 10, 40});
}

TEST_CASE("a row that was deleted or updated since a scan began is not deleted or updated again") {
  client lake{memory_store{}, objects_of(3)};
  create(lake, 3);
  auto tx = lake.begin().value();
  tx.insert("x", {3, "own"}).value();
  auto old = tx.scan("x").value();
  CHECK(tx.erase_where("x", {{"n", at_most, 0}}).value() == 1);
  CHECK(tx.update_where("x", {{"n", at_least, 1}}, {{"s", "new"}}).value() == 3);
  std::int64_t rows = 0;
  for (; old.next(); ++rows) {
    CHECK(code_of(tx.update(old, {{"s", "newer"}})) == errc::not_found);
    tx.erase(old).value();  // nothing happens
  }
  CHECK(rows == 4);
  CHECK(numbers_of(tx, {{"s", equals, "new"}}).size() == 3);
  tx.commit().value();
  CHECK(numbers_in(lake).size() == 3);
}

TEST_CASE_TEMPLATE("a transaction deletes and updates its own rows, in the buffer and in objects that it has flushed",
                   Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open(), objects_of(4)};
  create(lake, 2);
  auto tx = lake.begin().value();
  for (std::int64_t number = 2; number < 8; ++number) tx.insert("x", {number, "own"}).value();  // 2 to 5 are flushed
  CHECK(tx.erase_where("x", number_is(6)).value() == 1);                                        // in the buffer
  CHECK(numbers_of(tx) == numbers{7, 0, 1, 2, 3, 4, 5});
  CHECK(tx.erase_where("x", number_is(3)).value() == 1);  // in its own object
  CHECK(tx.update_where("x", number_is(7), {{"n", 70}}).value() == 1);
  CHECK(numbers_of(tx) == numbers{70, 0, 1, 2, 4, 5});
  tx.flush().value();
  CHECK(numbers_of(tx) == numbers{0, 1, 2, 4, 5, 70});
  CHECK(tx.update_where("x", number_is(70), {{"n", 700}}).value() == 1);  // in what was the buffer
  CHECK(tx.update_where("x", number_is(0), {{"n", -1}}).value() == 1);
  CHECK(numbers_of(tx) == numbers{700, -1, 1, 2, 4, 5});
  tx.commit().value();
  CHECK(numbers_in(lake) == numbers{1, 2, 4, 5, 700, -1});
  client other{store.open()};
  CHECK(numbers_in(other) == numbers{1, 2, 4, 5, 700, -1});
}

TEST_CASE("all of a transaction's own rows can go, and a table that was made anew has none of the old deletions") {
  client lake{memory_store{}, objects_of(2)};
  create(lake, 5);
  auto tx = lake.begin().value();
  CHECK(tx.erase_where("x", number_is(1)).value() == 1);
  tx.drop_table("x").value();
  tx.create_table("x", {"n", "s"}).value();
  tx.insert("x", {{8, "a"}, {9, "b"}, {10, "c"}}).value();
  CHECK(tx.erase_where("x", {}).value() == 3);
  CHECK(numbers_of(tx).empty());
  tx.insert("x", {11, "d"}).value();
  CHECK(numbers_of(tx) == numbers{11});
  tx.commit().value();
  CHECK(numbers_in(lake) == numbers{11});
}

TEST_CASE("an update says which row took the place of which, neighbours together") {
  client lake{memory_store{}};
  create(lake, 6);
  const uuid object = actions_of(lake, {0}).back().object.id;
  auto tx = lake.begin().value();
  CHECK(tx.erase_where("x", number_is(3)).value() == 1);
  CHECK(tx.update_where("x", {{"n", at_least, 1}, {"n", at_most, 4}}, {{"s", "new"}}).value() == 3);
  const sequence<action> done = actions_of(lake, tx.commit().value());
  REQUIRE(done.size() == 2);
  CHECK(done[0].kind == action_kind::add_object);
  const action& deletion = done[1];
  CHECK(deletion.kind == action_kind::delete_rows);
  CHECK(deletion.object.id == object);
  CHECK(to_text(deletion.rows) == "1-4");
  REQUIRE(deletion.replacements.size() == 2);
  CHECK(deletion.replacements[0].deleted == row_range{1, 2});
  CHECK(deletion.replacements[0].object == done[0].object.id);
  CHECK(deletion.replacements[0].first == 0);
  CHECK(deletion.replacements[1].deleted == row_range{4, 4});
  CHECK(deletion.replacements[1].first == 2);
  const auto history = tarn_test::versions_of(lake);
  CHECK(history.back().operation == "insert, delete");
  CHECK(history.back().tables[0].deleted == 4);
  CHECK(history.back().tables[0].rows == 3);
}

TEST_CASE("what is wrong with a filter, a change or a scan is said, and changes nothing") {
  client lake{memory_store{}};
  create(lake, 3);
  auto tx = lake.begin().value();
  tx.create_table("strict", {{"n", column_type::integer, nullability::not_null}}).value();
  CHECK(code_of(tx.scan("x", {{"m", equals, 1}})) == errc::invalid_argument);
  CHECK(code_of(tx.erase_where("x", {{"m", equals, 1}})) == errc::invalid_argument);
  CHECK(code_of(tx.erase_where("y", {})) == errc::no_such_table);
  CHECK(code_of(tx.update_where("x", {}, {{"m", 1}})) == errc::invalid_argument);
  CHECK(code_of(tx.update_where("x", {{"n", equals, 100}}, {{"m", 1}})) == errc::invalid_argument);  // no row matches
  CHECK(code_of(tx.update_where("strict", {}, {{"n", nullptr}})) == errc::invalid_argument);
  CHECK(code_of(tx.update_where("x", {}, {{"s", std::string_view("\xff")}})) == errc::invalid_argument);
  auto scan = tx.scan("x").value();
  CHECK(code_of(tx.erase(scan)) == errc::invalid_argument);  // it stands on no row yet
  REQUIRE(scan.next());
  CHECK(code_of(tx.update(scan, {{"m", 1}})) == errc::invalid_argument);
  auto other = lake.begin().value();
  CHECK(code_of(other.erase(scan)) == errc::invalid_argument);
  while (scan.next()) {
  }
  CHECK(code_of(tx.erase(scan)) == errc::invalid_argument);  // nor any more
  CHECK(numbers_of(tx) == numbers{0, 1, 2});
}

TEST_CASE("keyed tables are changed by filter as well") {
  client lake{memory_store{}, objects_of(2)};
  auto first = lake.begin().value();
  first.create_table("x", {{"n", column_type::integer}, "s"}, keyed{{"n"}, 3}).value();
  for (std::int64_t number = 0; number < 8; ++number) first.insert("x", {number, "old"}).value();
  first.commit().value();
  auto tx = lake.begin().value();
  CHECK(tx.erase_where("x", {{"n", less_than, 3}}).value() == 3);
  CHECK(tx.update_where("x", {{"n", at_least, 6}}, {{"s", "new"}}).value() == 2);
  CHECK(tx.update_where("x", {{"s", equals, "old"}, {"n", greater_than, 4.5}}, {{"s", "newer"}}).value() == 1);
  CHECK(code_of(tx.update_where("x", {}, {{"n", 1}})) == errc::invalid_argument);  // the key
  tx.commit().value();
  auto reading = lake.begin().value();
  CHECK(numbers_of(reading).size() == 5);
  CHECK(numbers_of(reading, {{"s", equals, "new"}}).size() == 2);
  CHECK(numbers_of(reading, {{"s", equals, "newer"}}) == numbers{5});
}

TEST_CASE("changes can be a list that is made at run time") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "s"}).value();
  tx.create_table("k", {{"n", column_type::integer}, "s"}, keyed{{"n"}}).value();
  tx.insert("x", {{1, "old"}, {2, "old"}}).value();
  tx.insert("k", {1, "old"}).value();

  sequence<column_change> changes;
  changes.push_back({"n", 5});
  changes.push_back({"s", "new"});
  CHECK(tx.update_where("x", number_is(1), changes).value() == 1);
  CHECK(numbers_of(tx, {{"s", equals, "new"}}) == numbers{5});
  const std::vector<column_change> one{{"s", "newer"}};
  auto scan = tx.scan("x", number_is(2)).value();
  REQUIRE(scan.next());
  tx.update(scan, one).value();
  tx.update("k", {1}, one).value();
  CHECK(numbers_of(tx, {{"s", equals, "newer"}}) == numbers{2});
  CHECK(tx.get("k", {1}).value() == row{1, "newer"});
  CHECK(code_of(tx.update("k", {1}, changes)) == errc::invalid_argument);  // the key
  CHECK(tx.update_where("x", {}, sequence<column_change>()).value() == 2);
}

TEST_CASE_TEMPLATE("a filtered scan leaves objects alone that can have no row for it, and gives the rows in order",
                   Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open(), objects_of(10)};
  create(lake, 100);
  auto tx = lake.begin().value();
  auto scan = tx.scan("x", {{"n", at_least, 35}, {"n", less_than, 42}}).value();
  numbers read;
  while (scan.next()) read.push_back(scan.row()[0].as_integer());
  CHECK(read == numbers{35, 36, 37, 38, 39, 40, 41});
  CHECK(scan.statistics().rows == 7);
  CHECK(scan.statistics().objects == 2);
  CHECK(scan.statistics().objects_skipped == 8);
  auto nothing = tx.scan("x", {{"s", is_null}}).value();
  CHECK_FALSE(nothing.next());
  CHECK(nothing.statistics().objects_skipped == 10);
  // Own objects and the buffer, too; the buffer has no bounds yet.
  for (std::int64_t number = 100; number < 115; ++number) tx.insert("x", {number, nullptr}).value();
  auto own = tx.scan("x", {{"s", is_null}}).value();
  read.clear();
  while (own.next()) read.push_back(own.row()[0].as_integer());
  CHECK(read.size() == 15);
  CHECK(own.statistics().objects == 1);
  CHECK(own.statistics().objects_skipped == 10);
}

TEST_CASE("filters go by the columns that the table has now, whatever objects were written with") {
  client lake{memory_store{}, objects_of(2)};
  const std::int64_t odd = (std::int64_t{1} << 53) + 3;  // as a double it is one more
  auto first = lake.begin().value();
  first.create_table("x", {{"n", column_type::integer}, {"s", column_type::integer}}).value();
  first.insert("x", {{1, 10}, {odd, 20}}).value();
  first.commit().value();
  auto tx = lake.begin().value();
  auto old_scan = tx.scan("x").value();
  REQUIRE(old_scan.next());
  tx.widen_column("x", "n").value();
  tx.drop_column("x", "s").value();
  tx.add_column("x", {"s", column_type::integer}).value();  // another one of that name
  CHECK(code_of(tx.erase(old_scan)) == errc::invalid_argument);
  tx.insert("x", {2.0, 30}).value();
  const auto count = [&](const filter& wanted) {
    auto scan = tx.scan("x", wanted).value();
    std::size_t rows = 0;
    while (scan.next()) ++rows;
    REQUIRE(scan.status().has_value());
    return rows;
  };
  CHECK(count({{"n", at_least, odd + 1}}) == 1);
  CHECK(count({{"s", at_most, 20}}) == 0);
  CHECK(count({{"s", is_null}}) == 2);
  CHECK(count({{"s", equals, 30}}) == 1);
  CHECK(tx.erase_where("x", {{"s", is_null}, {"n", less_than, 2}}).value() == 1);
  tx.commit().value();
  auto reading = lake.begin().value();
  const auto rows = tarn_test::rows_of(reading, "x");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == row{static_cast<double>(odd), nullptr});
  CHECK(rows[1] == row{2.0, 30});
}

TEST_CASE_TEMPLATE("two transactions that delete different rows of one object both commit", Lake, TARN_EACH_STORE) {
  for (const isolation level : {isolation::snapshot, isolation::non_blocking})
    for (const bool updates : {false, true}) {
      Lake store;
      client ada{store.open()}, bob{store.open()};
      create(ada, 6);
      auto one = ada.begin(level).value();
      auto other = bob.begin(level).value();
      CHECK(one.erase_where("x", number_is(1)).value() == 1);
      if (updates)
        CHECK(other.update_where("x", number_is(4), {{"n", 40}}).value() == 1);
      else
        CHECK(other.erase_where("x", number_is(4)).value() == 1);
      one.commit().value();
      other.commit().value();
      CHECK(numbers_in(ada) == (updates ? numbers{0, 2, 3, 5, 40} : numbers{0, 2, 3, 5}));
      auto last = ada.begin().value();
      CHECK(last.erase_where("x", number_is(2)).value() == 1);
      last.commit().value();
      CHECK(numbers_in(bob) == (updates ? numbers{0, 3, 5, 40} : numbers{0, 3, 5}));
    }
}

TEST_CASE("as serializable, finding rows is reading the table: any change of it by another is a conflict") {
  client lake{memory_store{}};
  create(lake, 6);
  auto one = lake.begin().value();
  auto other = lake.begin().value();
  CHECK(one.erase_where("x", number_is(1)).value() == 1);
  CHECK(other.erase_where("x", number_is(4)).value() == 1);
  one.commit().value();
  const auto refused = other.commit();
  CHECK(code_of(refused) == errc::conflict);
  CHECK(refused.error().retry_helps());
  // `run` does it again.
  CHECK(lake.run([](auto& tx) {
              const auto erased = tx.erase_where("x", {{"n", equals, 4}});
              return erased ? status() : status(erased.error());
            })
            .has_value());
  CHECK(numbers_in(lake) == numbers{0, 2, 3, 5});
}

TEST_CASE("deleting or updating one row twice is a conflict, at every level, that names the row") {
  for (const isolation level : all_levels)
    for (const bool first_updates : {false, true})
      for (const bool second_updates : {false, true}) {
        client lake{memory_store{}};
        create(lake, 6);
        auto one = lake.begin(level).value();
        auto other = lake.begin(level).value();
        const auto change = [](auto& tx, bool updates) {
          if (updates)
            CHECK(tx.update_where("x", number_is(3), {{"s", "new"}}).value() == 1);
          else
            CHECK(tx.erase_where("x", number_is(3)).value() == 1);
        };
        change(one, first_updates);
        change(other, second_updates);
        one.commit().value();
        const auto refused = other.commit();
        CHECK(code_of(refused) == errc::conflict);
        if (level != isolation::serializable) CHECK(refused.error().message().find("row 3 of") != std::string::npos);
        CHECK(numbers_in(lake).size() == (first_updates ? 6 : 5));
      }
}

TEST_CASE("appends and deletes of others do not disturb each other below serializable") {
  client lake{memory_store{}};
  create(lake, 4);
  auto deleting = lake.begin(isolation::snapshot).value();
  auto appending = lake.begin().value();
  CHECK(deleting.erase_where("x", {}).value() == 4);
  appending.insert("x", {9, "new"}).value();
  auto appending_later = lake.begin().value();
  appending_later.insert("x", {10, "new"}).value();
  appending.commit().value();
  deleting.commit().value();
  appending_later.commit().value();
  CHECK(numbers_in(lake) == numbers{9, 10});
}

TEST_CASE("D12: rows deleted of an object that another compacts, and the reverse, conflict: no row returns") {
  for (const isolation level : all_levels)
    for (const bool compaction_first : {false, true}) {
      client lake{memory_store{}, objects_of(100)};
      create(lake, 3);
      auto more = lake.begin().value();
      more.insert("x", {{3, "text"}, {4, "text"}}).value();
      more.commit().value();
      const auto plans = lake.plan_compaction("x").value();
      REQUIRE(plans.size() == 1);
      const compacted_objects done = lake.run_compaction(plans.front()).value();
      auto tx = lake.begin(level).value();
      CHECK(tx.erase_where("x", number_is(1)).value() == 1);
      if (compaction_first) {
        lake.commit_compaction(done).value();
        CHECK(code_of(tx.commit()) == errc::conflict);
        CHECK(numbers_in(lake) == numbers{0, 1, 2, 3, 4});
      } else {
        tx.commit().value();
        CHECK(code_of(lake.commit_compaction(done)) == errc::conflict);
        CHECK(numbers_in(lake) == numbers{0, 2, 3, 4});
      }
    }
}

TEST_CASE("a compaction does not disturb those who append, read, or delete rows of other objects") {
  client lake{memory_store{}, objects_of(4)};
  create(lake, 4);  // a full object
  for (std::int64_t number : {4, 5}) {
    auto more = lake.begin().value();
    more.insert("x", {number, "text"}).value();
    more.commit().value();
  }
  auto deleting = lake.begin().value();  // has scanned the table, too
  CHECK(deleting.erase_where("x", number_is(1)).value() == 1);
  auto appending = lake.begin().value();
  appending.insert("x", {6, "text"}).value();
  const auto plans = lake.plan_compaction("x").value();
  REQUIRE(plans.size() == 1);
  CHECK(plans.front().objects.size() == 2);
  lake.commit_compaction(lake.run_compaction(plans.front()).value()).value();
  deleting.commit().value();
  appending.commit().value();
  CHECK(numbers_in(lake) == numbers{0, 2, 3, 4, 5, 6});
}
