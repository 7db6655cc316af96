#include <doctest/doctest.h>

#include <array>
#include <span>
#include <string>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/stores.hpp"

using namespace tarn;

namespace {

template <class Transaction>
std::vector<row> rows_of(Transaction& tx, std::string_view table) {
  std::vector<row> rows;
  for (const row_view each : tx.scan(table).value()) rows.emplace_back(each.begin(), each.end());
  return rows;
}

}  // namespace

TEST_CASE_TEMPLATE("a transaction is seen whole or not at all, and only after its commit", Lake, TARN_EACH_STORE) {
  Lake store;
  client writer{store.open()};
  client reader{store.open()};
  auto tx = writer.begin().value();
  tx.create_table("a", {"n"}).value();
  tx.create_table("b", {"n"}).value();
  tx.insert("a", {1}).value();
  tx.flush().value();
  tx.insert("b", {{2}, {3}}).value();
  CHECK(reader.begin()->tables()->empty());
  tx.commit().value();
  auto reading = reader.begin().value();
  CHECK(rows_of(reading, "a") == std::vector<row>{{1}});
  CHECK(rows_of(reading, "b") == std::vector<row>{{2}, {3}});
}

TEST_CASE_TEMPLATE("what is rolled back, or never committed, is never seen", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  {
    auto tx = lake.begin().value();
    tx.create_table("x", {"n"}).value();
    tx.insert("x", {1}).value();
    tx.flush().value();
    tx.rollback();
    CHECK(tx.insert("x", {2}).error().code() == errc::finished);
    auto dropped = lake.begin().value();
    dropped.create_table("x", {"n"}).value();
  }
  CHECK(lake.begin()->tables()->empty());
}

TEST_CASE("rows go in one by one, several at once, from braces and from owned rows") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"a", "b"}).value();
  tx.insert("x", {1, "one"}).value();
  tx.insert("x", {{2, "two"}, {3, "three"}}).value();
  const row owned{4, "four"};
  tx.insert("x", owned).value();
  const std::vector<row> many{{5, "five"}, {6, "six"}};
  tx.insert("x", many).value();
  tx.insert("x", std::vector<row>{}).value();
  CHECK(rows_of(tx, "x").size() == 6);
  tx.create_table("single", {"a"}).value();
  tx.insert("single", {1}).value();
  tx.insert("single", {{2}, {3}}).value();
  CHECK(rows_of(tx, "single") == std::vector<row>{{1}, {2}, {3}});
}

TEST_CASE("of several rows with a wrong one, none is inserted") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"n", column_type::integer}}).value();
  const status refused = tx.insert("x", {{1}, {2}, {"three"}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message() == "row 2 for table x: column 'n' takes integer or null, the value is string");
  CHECK(rows_of(tx, "x").empty());
  tx.insert("x", {4}).value();
  CHECK(rows_of(tx, "x") == std::vector<row>{{4}});
}

TEST_CASE("a row whose text is too long is refused alone, and takes the transaction with it among others") {
  client_options options;
  options.bounds.row_bytes_max = 1000;
  client lake{memory_store{}, options};
  const std::string long_when_escaped(900, '\x01');  // six bytes each in JSON
  auto tx = lake.begin().value();
  tx.create_table("x", {"s"}).value();
  CHECK(tx.insert("x", {long_when_escaped}).error().code() == errc::limit_exceeded);
  tx.insert("x", {"short"}).value();
  CHECK(rows_of(tx, "x") == std::vector<row>{{"short"}});
  CHECK(tx.insert("x", {{"fine"}, {std::string_view(long_when_escaped)}}).error().code() == errc::limit_exceeded);
  CHECK(tx.commit().error().code() == errc::finished);
}

TEST_CASE_TEMPLATE("C8: a table that is dropped and created again has only the new rows", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {1}).value();
  tx.commit().value();
  for (const bool in_one : {true, false}) {
    tx = lake.begin().value();
    tx.drop_table("x").value();
    CHECK(tx.scan("x").error().code() == errc::no_such_table);
    if (!in_one) {
      tx.commit().value();
      tx = lake.begin().value();
      CHECK_FALSE(tx.has_table("x").value());
    }
    tx.create_table("x", {"other", "columns"}).value();
    tx.insert("x", {2, 3}).value();
    CHECK(rows_of(tx, "x") == std::vector<row>{{2, 3}});
    tx.commit().value();
    auto reading = lake.begin().value();
    CHECK(rows_of(reading, "x") == std::vector<row>{{2, 3}});
    CHECK(reading.columns("x")->size() == 2);
  }
  auto old = lake.begin_at(version{0}).value();
  CHECK(rows_of(old, "x") == std::vector<row>{{1}});
}

TEST_CASE("a table created and dropped in one transaction leaves nothing in the log") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {1}).value();
  tx.drop_table("x").value();
  CHECK(tx.tables()->empty());
  CHECK(tx.commit().value() == version{-1});
}

TEST_CASE_TEMPLATE("table names are unique ignoring case", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  auto tx = lake.begin().value();
  tx.create_table("Cities", {"n"}).value();
  CHECK(tx.create_table("cities", {"n"}).error().code() == errc::table_exists);
  tx.insert("Cities", {1}).value();
  tx.commit().value();
  tx = lake.begin().value();
  CHECK(tx.create_table("CITIES", {"n"}).error().message().find("Cities exists already") != std::string::npos);
  CHECK_FALSE(tx.has_table("cities").value());
  CHECK(tx.insert("cities", {1}).error().code() == errc::no_such_table);
  CHECK(rows_of(tx, "Cities").size() == 1);
  // Renaming by case is a drop and a creation.
  tx.drop_table("Cities").value();
  tx.create_table("cities", {"n"}).value();
  tx.insert("cities", {2}).value();
  CHECK(*tx.tables() == sequence<std::string>{"cities"});
  tx.commit().value();
  tx = lake.begin().value();
  CHECK(rows_of(tx, "cities") == std::vector<row>{{2}});
  CHECK_FALSE(tx.has_table("Cities").value());
}

TEST_CASE("tables are listed in order, with own creations and without own drops") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  for (const char* name : {"m", "B", "z"}) tx.create_table(name, {"n"}).value();
  tx.commit().value();
  tx = lake.begin().value();
  tx.create_table("a", {"n"}).value();
  tx.drop_table("m").value();
  CHECK(*tx.tables() == sequence<std::string>{"a", "B", "z"});
}

TEST_CASE("D13: a decision on what tables there are conflicts with their change") {
  client lake{memory_store{}};
  auto looked_up = lake.begin().value();
  auto listed = lake.begin().value();
  auto winner = lake.begin().value();
  REQUIRE_FALSE(looked_up.has_table("a").value());
  looked_up.create_table("b", {"n"}).value();
  REQUIRE(listed.tables()->empty());
  listed.create_table("c", {"n"}).value();
  winner.create_table("a", {"n"}).value();
  winner.commit().value();
  CHECK(looked_up.commit().error().code() == errc::conflict);
  CHECK(listed.commit().error().code() == errc::conflict);
}

TEST_CASE("C7: a drop and an insertion at once: the later commit conflicts, nothing is discarded unseen") {
  for (const bool insert_first : {true, false}) {
    client lake{memory_store{}};
    auto tx = lake.begin().value();
    tx.create_table("x", {"n"}).value();
    tx.commit().value();
    auto inserting = lake.begin().value();
    auto dropping = lake.begin().value();
    inserting.insert("x", {1}).value();
    dropping.drop_table("x").value();
    auto& first = insert_first ? inserting : dropping;
    auto& second = insert_first ? dropping : inserting;
    first.commit().value();
    CHECK(second.commit().error().code() == errc::conflict);
  }
}

TEST_CASE("write skew: of two transactions that each read what the other writes, one conflicts") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.create_table("y", {"n"}).value();
  tx.commit().value();
  auto one = lake.begin().value();
  auto two = lake.begin().value();
  if (rows_of(one, "x").empty()) one.insert("y", {1}).value();
  if (rows_of(two, "y").empty()) two.insert("x", {1}).value();
  one.commit().value();
  CHECK(two.commit().error().code() == errc::conflict);
}

TEST_CASE("lost update: a transaction that has read what another has changed since conflicts") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {1}).value();
  tx.commit().value();
  auto one = lake.begin().value();
  auto two = lake.begin().value();
  one.insert("x", {static_cast<std::int64_t>(rows_of(one, "x").size())}).value();
  two.insert("x", {static_cast<std::int64_t>(rows_of(two, "x").size())}).value();
  one.commit().value();
  CHECK(two.commit().error().code() == errc::conflict);
}

TEST_CASE("a transaction that has only read always commits") {
  client lake{memory_store{}};
  auto reading = lake.begin().value();
  CHECK(reading.tables()->empty());
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.commit().value();
  CHECK(reading.commit().value() == version{-1});
}

TEST_CASE("after its end a transaction says so, and a moved-from one too") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.commit().value();
  CHECK(tx.commit().error().code() == errc::finished);
  CHECK(tx.tables().error().code() == errc::finished);
  CHECK(tx.flush().error().code() == errc::finished);
  CHECK(tx.create_table("x", {"n"}).error().message().find("begin another") != std::string::npos);
}

TEST_CASE_TEMPLATE("a buffer is flushed by size, too", Lake, TARN_EACH_STORE) {
  Lake store;
  client_options options;
  options.bounds.bytes_per_object = 1000;
  client lake{store.open(), options};
  auto tx = lake.begin().value();
  tx.create_table("x", {"s"}).value();
  for (int number = 0; number < 100; ++number) tx.insert("x", {std::string(100, 'x')}).value();
  CHECK(tarn_test::names_in(store.open(), "_table_").size() == 11);  // nine rows each; the last is not full yet
  tx.commit().value();
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "x").size() == 100);
}

TEST_CASE("rows are inserted from any container that keeps them") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "text"}).value();
  tx.insert("x", std::vector<std::vector<value>>{{1, "a"}}).value();
  tx.insert("x", std::array<std::array<value, 2>, 1>{{{2, "b"}}}).value();
  tx.insert("x", sequence<row>{{3, "c"}}).value();
  const std::vector<value> one{4, "d"};
  tx.insert("x", std::span<const value>(one)).value();
  const std::vector<row_view> views{row_view(one)};
  tx.insert("x", views).value();
  CHECK(rows_of(tx, "x") == std::vector<row>{{1, "a"}, {2, "b"}, {3, "c"}, {4, "d"}, {4, "d"}});
}
