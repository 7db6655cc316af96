// table_scan through transactions: order, end, failure, and rows that outlive what they came from.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/codecs.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stores.hpp"

using namespace tarn;

namespace {

client_options small_objects(std::uint64_t rows) {
  client_options options;
  options.bounds.rows_per_object = rows;
  return options;
}

template <class Scan>
std::vector<std::int64_t> integers(Scan&& scan) {
  std::vector<std::int64_t> read;
  while (scan.next()) read.push_back(scan.row()[0].as_integer());
  CHECK(scan.status().has_value());
  CHECK_FALSE(scan.next());  // the end stays the end
  return read;
}

std::vector<std::int64_t> count_to(std::int64_t size) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; number < size; ++number) numbers.push_back(number);
  return numbers;
}

}  // namespace

TEST_CASE_TEMPLATE("A2: a scan reads every row of every object, whatever their number and size", Lake,
                   TARN_EACH_STORE) {
  for (const std::uint64_t rows_per_object : {1U, 2U, 3U, 100U})
    for (const std::int64_t rows : {0, 1, 2, 3, 4, 6, 7}) {
      CAPTURE(rows_per_object);
      CAPTURE(rows);
      Lake store;
      client lake{store.open(), small_objects(rows_per_object)};
      auto tx = lake.begin().value();
      tx.create_table("x", {"n"}).value();
      for (const std::int64_t number : count_to(rows)) tx.insert("x", {number}).value();
      tx.commit().value();
      auto reading = lake.begin().value();
      auto scan = reading.scan("x").value();
      CHECK(integers(scan) == count_to(rows));
      const std::uint64_t count = static_cast<std::uint64_t>(rows);
      CHECK(scan.statistics().objects == (count + rows_per_object - 1) / rows_per_object);
      CHECK(scan.statistics().rows == count);
    }
}

TEST_CASE("the order is the article's: own unflushed rows, committed objects, own flushed objects") {
  client lake{memory_store{}, small_objects(2)};
  auto first = lake.begin().value();
  first.create_table("x", {"n"}).value();
  first.insert("x", {{10}, {11}, {12}}).value();
  first.commit().value();
  auto second = lake.begin().value();
  second.insert("x", {{20}, {21}, {22}}).value();  // 20 and 21 are flushed, 22 is not
  CHECK(integers(second.scan("x").value()) == std::vector<std::int64_t>{22, 10, 11, 12, 20, 21});
  second.flush().value();
  CHECK(integers(second.scan("x").value()) == std::vector<std::int64_t>{10, 11, 12, 20, 21, 22});
  second.commit().value();
  CHECK(integers(lake.begin().value().scan("x").value()) == std::vector<std::int64_t>{10, 11, 12, 20, 21, 22});
}

TEST_CASE("a scan keeps to the rows that were there when it began") {
  client lake{memory_store{}, small_objects(3)};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {{0}, {1}}).value();
  auto scan = tx.scan("x").value();
  REQUIRE(scan.next());
  for (std::int64_t number = 2; number < 50; ++number) tx.insert("x", {number}).value();  // flushes, too
  CHECK(scan.row()[0].as_integer() == 0);
  REQUIRE(scan.next());
  CHECK(scan.row()[0].as_integer() == 1);
  CHECK_FALSE(scan.next());
  CHECK(scan.status().has_value());
  // Inserting what is being scanned into the same table ends.
  for (const row_view each : tx.scan("x").value()) tx.insert("x", each).value();
  CHECK(integers(tx.scan("x").value()).size() == 100);
}

TEST_CASE("a scan outlives its transaction, its client, and being moved") {
  auto make = [] {
    client lake{memory_store{}, small_objects(2)};
    auto tx = lake.begin().value();
    tx.create_table("x", {"n", "s"}).value();
    for (int number = 0; number < 7; ++number) tx.insert("x", {number, "text"}).value();
    auto scan = tx.scan("x").value();
    (void)scan.next();
    return scan;
  };
  auto scan = make();
  CHECK(scan.row()["s"].as_string() == "text");
  auto moved = std::move(scan);
  int rows = 1;
  while (moved.next()) ++rows;
  CHECK(rows == 7);
}

TEST_CASE_TEMPLATE("a scan is on the same row in the same place, whether or not rows lie next to each other", Codec,
                   json_codec, columnar_codec, tarn_test::json_first, tarn_test::columnar_first) {
  client<memory_store, Codec> lake{memory_store{}, small_objects(700)};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "text"}).value();
  std::map<std::int64_t, std::string> expected;
  for (std::int64_t number = 0; number < 2'000; ++number) {
    tx.insert("x", {number, "a"}).value();
    expected[number] = "a";
  }
  const auto rows_of = [](auto& of) {
    auto scan = of.scan("x").value();
    std::map<std::int64_t, std::string> found;
    std::uint64_t rows = 0;
    while (scan.next()) {
      found[scan.row()[0].as_integer()] = scan.row()[1].as_string();
      REQUIRE(scan.statistics().rows == ++rows);
    }
    CHECK(scan.status().has_value());
    CHECK(rows == found.size());
    return found;
  };
  // Those in objects and those that are not flushed yet; later also with rows that have been replaced and deleted.
  for (const std::int64_t divisor : {7, 5, 3}) {
    auto scan = tx.scan("x").value();
    while (scan.next()) {
      const std::int64_t number = scan.row()[0].as_integer();
      if (number % divisor == 0) {
        tx.erase(scan).value();
        expected.erase(number);
      } else if (number % divisor == 1) {
        tx.update(scan, {{"text", "b"}}).value();
        expected[number] = "b";
      }
    }
    CHECK(rows_of(tx) == expected);
    CHECK(tx.update_where("x", {{"n", comparison::less_than, 10 * divisor}}, {{"text", "c"}}).has_value());
    for (auto& [number, text] : expected)
      if (number < 10 * divisor) text = "c";
    CHECK(rows_of(tx) == expected);
    tx.commit().value();
    tx = lake.begin().value();
    CHECK(rows_of(tx) == expected);
  }
}

TEST_CASE("a row knows its columns") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "s"}).value();
  tx.insert("x", {1, "one"}).value();
  int rows = 0;
  for (const row_view each : tx.scan("x").value()) {
    CHECK(each["s"].as_string() == "one");
    CHECK(each["n"].as_integer() == 1);
    ++rows;
  }
  CHECK(rows == 1);
  CHECK(tx.scan("x")->columns()[1].name == "s");
}

TEST_CASE("a failure is a state that names the object, after the rows that were right") {
  tarn_test::scripted_store store;
  client lake{store, small_objects(2)};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {{0}, {1}, {2}, {3}}).value();
  tx.commit().value();
  std::string second;
  auto reading = lake.begin().value();
  int objects = 0;
  store.plan().before_get = [&](std::string_view name) {
    if (!tarn_test::is_object(name) || ++objects < 2) return status();
    second = name;
    return status(error(errc::not_found, "gone"));
  };
  auto scan = reading.scan("x").value();
  CHECK(scan.next());
  CHECK(scan.next());
  CHECK_FALSE(scan.next());
  REQUIRE_FALSE(scan.status().has_value());
  CHECK(scan.status().error().code() == errc::corrupt);
  CHECK(scan.status().error().message().find(second) != std::string::npos);
  CHECK_FALSE(scan.next());
#if TARN_HAS_EXCEPTIONS
  objects = 0;
  int rows = 0;
  CHECK_THROWS_AS(
      [&] {
        for ([[maybe_unused]] const row_view each : reading.scan("x").value()) ++rows;
      }(),
      failure);
  CHECK(rows == 2);
#endif
}

TEST_CASE("an object in a codec that the client does not have is named, not guessed at") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n"}).value();
  tx.insert("x", {1}).value();
  tx.commit().value();
  // The same lake, in which the entry calls the codec by another name.
  const auto written = get_entry(lake.store(), {0}, limits{});
  entry other = written->content;
  other.actions.find("x")->back().object.codec = "parquet";
  memory_store changed;
  REQUIRE(changed.put_if_absent(entry_name({0}), write_entry(other)).outcome() == put_outcome::created);
  const std::string object = object_name("x", other.actions.find("x")->back().object.id);
  REQUIRE(changed.put_if_absent(object, *lake.store().get(object)).outcome() == put_outcome::created);
  client reader{changed};
  auto reading = reader.begin().value();
  auto scan = reading.scan("x").value();
  CHECK_FALSE(scan.next());
  CHECK(scan.status().error().code() == errc::unsupported);
  CHECK(scan.status().error().message().find("parquet") != std::string::npos);
}
