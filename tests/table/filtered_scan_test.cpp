// Filtered scans leave out groups of rows by the bounds that the codec states of them, and nobody can tell but by the
// statistics.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/codecs.hpp"
#include "../support/random_source.hpp"
#include "../support/stored_objects.hpp"

using namespace tarn;
using tarn_test::random_source;

namespace {

template <class Codec>
using lake_of = client<memory_store, Codec>;
using rows = std::vector<row>;

constexpr std::uint64_t group = 8'192;

// The columnar codec ends a group at a mebibyte, too: with a value like this in each row, after so many of them.
constexpr std::size_t rows_in_small_group = 16;
const std::string filler((std::size_t{1} << 20) / rows_in_small_group, 'x');

// Without the filler, which is the last of many columns.
template <class Scan>
rows read(Scan& scan) {
  rows found;
  while (scan.next()) {
    row& made = found.emplace_back();
    const list_view values = scan.row().values();
    for (std::size_t at = 0; at < values.size() && scan.columns()[at].name != "filler"; ++at)
      made.emplace_back(values[at]);
  }
  CHECK(scan.status());
  CHECK(scan.statistics().rows == found.size());
  return found;
}

template <class Transaction>
rows all_rows(Transaction& tx, std::string_view table) {
  auto scan = tx.scan(table).value();
  rows found = read(scan);
  CHECK(scan.statistics().rows_skipped == 0);
  return found;
}

// Those for which `wanted` holds, or does not.
rows matching(const rows& all, const filter& wanted, const schema& columns, bool holds = true) {
  const row_filter placed = row_filter::make(wanted, columns).value();
  rows found;
  for (const row& each : all)
    if (placed.matches(row_view(each).values()) == holds) found.push_back(each);
  return found;
}

enum class shape { sorted, stretches, at_random };

// A value of a column of such rows; `step` is how far the value's number is from those of its neighbours.
class column_values {
 public:
  column_values(random_source& random, column_type type)
      : random_(&random),
        type_(type),
        shape_(static_cast<shape>(random.below(3))),
        prefix_(random.chance(50)   ? ""
                : random.chance(50) ? "a common beginning "
                                    : "k"),
        oddities_(random.below(3)),
        first_(random.chance(25) ? (std::int64_t{1} << 53) - 20 : static_cast<std::int64_t>(random.below(40)) - 20) {}

  value make(std::int64_t number) {
    if (shape_ == shape::stretches) number = number / 40 * 40;
    if (shape_ == shape::at_random) number = static_cast<std::int64_t>(random_->below(200));
    const bool in_null_stretch = nulls_ && number / 40 % 3 == 0;
    if (in_null_stretch || (oddities_ > 0 && random_->below(30) == 0)) return nullptr;
    switch (type_) {
      case column_type::boolean: return number / 60 % 2 == 0;
      case column_type::integer: return first_ + number;
      case column_type::real: return real(number);
      case column_type::string: return text(number);
      case column_type::bytes: return bytes{random_->below(40) == 0 ? std::string(10, '\xff') : text(number)};
      default: return any(number);
    }
  }

 private:
  [[nodiscard]] value real(std::int64_t number) {
    constexpr double odd[] = {-0.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                              -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    if (oddities_ > 1 && random_->below(10) == 0) return odd[random_->below(5)];
    return 0.5 * static_cast<double>(first_ / 2 * 2 + number / 2);
  }
  [[nodiscard]] std::string text(std::int64_t number) {
    std::string made = prefix_ + std::to_string(1'000 + number);
    if (random_->below(20) == 0) made += std::string(random_->below(3), '\0');
    return made;
  }
  [[nodiscard]] value any(std::int64_t number) {
    switch (number / 40 % 5) {
      case 0: return first_ + number;
      case 1: return random_->chance(50) ? value(number) : value(static_cast<double>(number));
      case 2: return text(number);
      case 3: return random_->chance(50) ? value(text(number)) : value(bytes{text(number)});
      default: return random_->chance(50) ? value(real(number)) : value(value::list({number}));
    }
  }

  random_source* random_;
  column_type type_;
  shape shape_;
  std::string prefix_;
  std::size_t oddities_;
  std::int64_t first_;
  bool nulls_ = random_->chance(50);
};

// Like a value of the column, or nearly.
value operand_like(random_source& random, const value& found) {
  const value_view view = found;
  if (random.below(12) == 0) return value(static_cast<std::int64_t>(random.below(100)));
  switch (view.kind()) {
    case kind::null: return "text";
    case kind::integer: {
      const std::int64_t near = view.as_integer() + static_cast<std::int64_t>(random.below(3)) - 1;
      return random.chance(50) ? value(near) : value(static_cast<double>(near));
    }
    case kind::real: return random.chance(70) ? found : value(view.as_double() + 0.25);
    case kind::string: {
      const std::string_view text = view.as_string();
      if (random.chance(50)) return found;
      return random.chance(50) ? std::string(text.substr(0, random.below(text.size() + 1))) : std::string(text) + "+";
    }
    case kind::bytes: {
      const std::string_view text = view.as_bytes();
      return random.chance(50) ? found : value(bytes{text.substr(0, random.below(text.size() + 1))});
    }
    default: return found;
  }
}

filter random_filter(random_source& random, const rows& of, const schema& columns) {
  sequence<condition> all;
  for (std::size_t count = 1 + random.below(2); count > 0; --count) {
    const std::size_t at = random.below(columns.size() - 1);  // none of the filler
    const auto how = static_cast<comparison>(random.below(8));
    const value& found = of[random.below(of.size())][at];
    all.push_back({columns[at].name, how, operand_like(random, found)});
  }
  return filter(std::move(all));
}

// What a scan with a filter must be, of a table whose last column is the filler.
template <class Transaction>
std::uint64_t check_filters(random_source& random, Transaction& tx, std::string_view table, int count) {
  std::uint64_t skipped = 0;
  const schema columns = tx.columns(table).value();
  const rows all = all_rows(tx, table);
  for (; count > 0 && !all.empty(); --count) {
    const filter wanted = random_filter(random, all, columns);
    auto scan = tx.scan(table, wanted).value();
    const rows expected = matching(all, wanted, columns);
    CHECK(read(scan) == expected);
    skipped += scan.statistics().rows_skipped;
  }
  return skipped;
}

// Erases or updates what a filter finds, by where the scan stands: the places must be right.
template <class Transaction>
void check_changes(random_source& random, Transaction& tx, std::string_view table) {
  const schema columns = tx.columns(table).value();
  const rows all = all_rows(tx, table);
  if (all.empty()) return;
  const filter wanted = random_filter(random, all, columns);
  const rows expected = matching(all, wanted, columns);
  if (expected.size() > all.size() / 3) return;
  if (random.chance(30)) {
    CHECK(tx.update_where(table, wanted, {{"any", "changed"}}).value() == expected.size());
    CHECK(matching(all_rows(tx, table), {{"any", equals, "changed"}}, columns).size() == expected.size());
    CHECK(tx.erase_where(table, {{"any", equals, "changed"}}).value() == expected.size());
  } else {
    CHECK(tx.erase_where(table, wanted).value() == expected.size());
  }
  CHECK(all_rows(tx, table) == matching(all, wanted, columns, false));
}

schema random_columns() {
  return {{"id", column_type::integer, nullability::not_null},
          {"whole", column_type::integer},
          {"real", column_type::real},
          {"text", column_type::string},
          {"blob", column_type::bytes},
          {"flag", column_type::boolean},
          "any",
          {"filler", column_type::bytes}};
}

template <class Transaction>
void insert_rows(random_source& random, Transaction& tx, std::string_view table, std::int64_t first,
                 std::int64_t count) {
  const schema columns = tx.columns(table).value();
  std::vector<column_values> values;
  for (const column& each : columns) values.emplace_back(random, each.type);
  for (std::int64_t number = first; number < first + count; ++number) {
    row made{number};
    for (std::size_t at = 1; at + 1 < columns.size(); ++at) made.push_back(values[at].make(number - first));
    made.emplace_back(bytes{filler});
    tx.insert(table, made).value();
  }
}

// So that the filler is the last again.
template <class Transaction>
void change_columns(random_source& random, Transaction& tx, std::string_view table) {
  tx.drop_column(table, "filler").value();
  if (random.chance(60)) tx.widen_column(table, "whole").value();
  if (random.chance(50)) tx.rename_column(table, "text", "title").value();
  if (random.chance(50)) {
    tx.drop_column(table, "flag").value();
    if (random.chance(70)) tx.add_column(table, {"flag", column_type::integer}).value();
  }
  if (random.chance(50)) tx.add_column(table, {"later", column_type::string}).value();
  tx.add_column(table, {"filler", column_type::bytes}).value();
}

template <class Codec>
void check_random_table(std::uint64_t seed, bool is_keyed, std::uint64_t& skipped) {
  CAPTURE(seed);
  CAPTURE(is_keyed);
  random_source random(seed);
  client_options options;
  if (random.chance(50)) options.bounds.bounds_columns_max = random.below(4);
  options.bounds.rows_per_object = 60 + random.below(200);
  lake_of<Codec> lake{memory_store{}, tarn_test::with_stored_objects(options)};
  auto first = lake.begin().value();
  if (is_keyed)
    first.create_table("x", random_columns(), keyed{{"id"}}).value();
  else
    first.create_table("x", random_columns()).value();
  insert_rows(random, first, "x", 0, 200);
  skipped += check_filters(random, first, "x", 5);
  first.commit().value();
  if (is_keyed) lake.compact("x").value();
  auto second = lake.begin().value();
  skipped += check_filters(random, second, "x", 20);
  check_changes(random, second, "x");
  check_filters(random, second, "x", 5);
  second.commit().value();
  auto third = lake.begin().value();
  change_columns(random, third, "x");
  insert_rows(random, third, "x", 200, 100);
  third.commit().value();
  if (is_keyed) lake.compact("x").value();
  auto fourth = lake.begin().value();
  skipped += check_filters(random, fourth, "x", 20);
  check_changes(random, fourth, "x");
  check_changes(random, fourth, "x");
  fourth.commit().value();
  auto last = lake.begin().value();
  if (is_keyed) {  // the positions that were recorded of rows after some that were left out
    auto verified = last.verifying_scan("x").value();
    CHECK(read(verified) == all_rows(last, "x"));
  }
  check_filters(random, last, "x", 5);
}

}  // namespace

TEST_CASE("a filtered scan is the scan, filtered: random tables and filters") {
  std::uint64_t skipped = 0;
  for (std::uint64_t round = 0; round < 6; ++round) {
    check_random_table<columnar_codec>(round, false, skipped);
    check_random_table<tarn_test::columnar_first>(tarn_test::seed_of_this_run() + round, false, skipped);
  }
  CHECK(skipped > 100);
}

TEST_CASE("a filtered scan is the scan, filtered: keyed tables") {
  std::uint64_t skipped = 0;
  for (std::uint64_t round = 0; round < 4; ++round) {
    check_random_table<columnar_codec>(round, true, skipped);
    check_random_table<tarn_test::columnar_first>(tarn_test::seed_of_this_run() + round, true, skipped);
  }
  CHECK(skipped > 100);
}

namespace {

constexpr std::uint64_t sorted_rows = 20'000;  // one object, whose groups are of 8,192, 8,192 and 3,616

row sorted_row(std::int64_t number) {
  return {number, number < 2 * std::int64_t{group} ? value() : value(number),
          "common " + std::to_string(100'000 + number)};
}

const schema sorted_columns = {
    {"id", column_type::integer, nullability::not_null}, {"late", column_type::integer}, {"text", column_type::string}};

template <class Codec>
lake_of<Codec> sorted_lake() {
  lake_of<Codec> lake{memory_store{}, tarn_test::with_stored_objects()};
  auto tx = lake.begin().value();
  tx.create_table("bag", sorted_columns).value();
  tx.create_table("keyed", sorted_columns, keyed{{"id"}}).value();
  for (std::int64_t number = 0; number < std::int64_t{sorted_rows}; ++number) {
    tx.insert("bag", sorted_row(number)).value();
    tx.insert("keyed", sorted_row(number)).value();
  }
  tx.commit().value();
  return lake;
}

struct found_rows {
  std::uint64_t found;
  std::uint64_t skipped;

  friend bool operator==(const found_rows&, const found_rows&) = default;
};

template <class Transaction>
found_rows find(Transaction& tx, std::string_view table, const filter& wanted) {
  auto scan = tx.scan(table, wanted).value();
  while (scan.next()) continue;
  CHECK(scan.status());
  return {scan.statistics().rows, scan.statistics().rows_skipped};
}

}  // namespace

TEST_CASE_TEMPLATE("groups in which no row can match are left out, of bags and of buckets that are one base", Codec,
                   columnar_codec, tarn_test::columnar_first) {
  auto lake = sorted_lake<Codec>();
  auto tx = lake.begin().value();
  constexpr std::uint64_t last = sorted_rows - 2 * group;
  for (const std::string_view table : {"bag", "keyed"}) {
    CHECK(find(tx, table, {}) == found_rows{sorted_rows, 0});
    CHECK(find(tx, table, {{"id", equals, 10'000}}) == found_rows{1, group + last});
    CHECK(find(tx, table, {{"id", equals, 10'000.5}}) == found_rows{0, group + last});
    CHECK(find(tx, table, {{"id", at_least, 16'384}}) == found_rows{last, 2 * group});
    CHECK(find(tx, table, {{"id", at_least, 16'383}}) == found_rows{last + 1, group});
    CHECK(find(tx, table, {{"id", less_than, 8'192}}) == found_rows{group, group + last});
    CHECK(find(tx, table, {{"id", at_most, 8'192}}) == found_rows{group + 1, last});
    CHECK(find(tx, table,
               {{"id", at_least, 5}, {"text", at_least, "common 109000"}, {"text", less_than, "common 109005"}})
              .found == 5);
    // All nulls have no bounds; but one value that is none is enough for some.
    CHECK(find(tx, table, {{"late", is_null}}) == found_rows{2 * group, 0});
    CHECK(find(tx, table, {{"late", is_not_null}}) == found_rows{last, 0});
    CHECK(find(tx, table, {{"late", at_least, 0}, {"id", greater_than, 24'000}}) ==
          found_rows{0, table == "bag" ? 0 : sorted_rows});
  }
}

TEST_CASE("of objects of a codec that has no groups nothing is left out") {
  auto lake = sorted_lake<tarn_test::json_first>();
  auto tx = lake.begin().value();
  for (const std::string_view table : {"bag", "keyed"})
    CHECK(find(tx, table, {{"id", equals, 10'000}}) == found_rows{1, 0});
}

TEST_CASE("where there is something to merge nothing is left out: an upsert may give a row what is wanted") {
  auto lake = sorted_lake<columnar_codec>();
  auto tx = lake.begin().value();
  tx.upsert("keyed", {5, 18'000, "new"}).value();
  CHECK(find(tx, "keyed", {{"late", equals, 18'000}}) == found_rows{2, 0});
  tx.commit().value();
  auto next = lake.begin().value();
  CHECK(find(next, "keyed", {{"late", equals, 18'000}}) == found_rows{2, 0});
  lake.compact("keyed").value();
  auto compacted = lake.begin().value();
  CHECK(find(compacted, "keyed", {{"late", at_least, 17'000}, {"id", less_than, 10}}) ==
        found_rows{1, sorted_rows - group});
}

TEST_CASE("a column that came after an object is null in all its groups") {
  auto lake = sorted_lake<columnar_codec>();
  auto tx = lake.begin().value();
  for (const std::string_view table : {"bag", "keyed"}) {
    tx.add_column(table, {"new", column_type::integer}).value();
    CHECK(find(tx, table, {{"new", equals, 1}}) == found_rows{0, sorted_rows});
    CHECK(find(tx, table, {{"new", is_not_null}}) == found_rows{0, sorted_rows});
    CHECK(find(tx, table, {{"new", is_null}}) == found_rows{sorted_rows, 0});
    CHECK(find(tx, table, {{"new", is_null}, {"id", equals, 1}}) == found_rows{1, sorted_rows - group});
  }
}

TEST_CASE("bounds are those of the column as it is now: widened, dropped, with the name of another") {
  auto lake = sorted_lake<columnar_codec>();
  auto tx = lake.begin().value();
  tx.rename_column("bag", "id", "number").value();
  tx.widen_column("bag", "number").value();
  tx.drop_column("bag", "late").value();
  tx.rename_column("bag", "text", "late").value();
  CHECK(find(tx, "bag", {{"number", equals, 10'000.0}}) == found_rows{1, sorted_rows - group});
  CHECK(find(tx, "bag", {{"late", equals, "common 110000"}}) == found_rows{1, 0});  // they all begin alike
  CHECK(find(tx, "bag", {{"late", less_than, "comm"}}) == found_rows{0, 0});        // the log's bounds say so
}

TEST_CASE("bounds of a column of integers are rounded as its values are, once it is one of doubles") {
  lake_of<columnar_codec> lake{memory_store{}, tarn_test::with_stored_objects()};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"n", column_type::integer}}).value();
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 3;  // as a double it is one more
  for (std::uint64_t number = 0; number < 2 * group; ++number) tx.insert("x", {number < group ? odd : 0}).value();
  tx.commit().value();
  auto next = lake.begin().value();
  next.widen_column("x", "n").value();
  CHECK(find(next, "x", {{"n", equals, odd + 1}}) == found_rows{group, group});
  CHECK(find(next, "x", {{"n", equals, odd}}) == found_rows{0, 2 * group});
}

TEST_CASE("NaN differs from what all others are, and has no bounds") {
  lake_of<columnar_codec> lake{memory_store{}, tarn_test::with_stored_objects()};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"r", column_type::real}}).value();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::uint64_t number = 0; number < 3 * group; ++number)
    tx.insert("x", {number == 5 || number == group ? nan : number == 10 ? -0.0 : 0.0}).value();
  tx.commit().value();
  auto next = lake.begin().value();
  CHECK(find(next, "x", {{"r", differs, 0}}) == found_rows{2, group});
  CHECK(find(next, "x", {{"r", equals, 0.0}}) == found_rows{3 * group - 2, 0});
  CHECK(find(next, "x", {{"r", less_than, 0}}) == found_rows{0, group});
}

TEST_CASE("a scan that stands after groups that were left out changes the row that it stands on") {
  auto lake = sorted_lake<columnar_codec>();
  for (int round = 0; round < 2; ++round) {
    auto tx = lake.begin().value();
    for (const std::string_view table : {"bag", "keyed"}) {
      const filter wanted{{"id", equals, 17'000 + round}};
      auto scan = tx.scan(table, wanted).value();
      REQUIRE(scan.next());
      tx.erase(scan).value();
      CHECK_FALSE(scan.next());
      CHECK(scan.status());
      CHECK(find(tx, table, wanted).found == 0);
      CHECK(find(tx, table, {}).found == sorted_rows - 1 - static_cast<std::uint64_t>(round));
    }
    tx.commit().value();
  }
  auto tx = lake.begin().value();
  auto verified = tx.verifying_scan("keyed").value();
  while (verified.next()) continue;
  CHECK(verified.status());
  // Next to rows that were deleted, too.
  CHECK(find(tx, "bag", {{"id", at_least, 17'000}, {"id", less_than, 17'003}}) == found_rows{1, 2 * group});
}

TEST_CASE("what was left out counts as read: a filtered scan conflicts as any other") {
  for (const std::string_view table : {"bag", "keyed"}) {
    auto lake = sorted_lake<columnar_codec>();
    auto reading = lake.begin().value();
    CHECK(find(reading, table, {{"id", equals, 10'000}}).skipped > 0);
    reading.create_table("other", {"any"}).value();
    auto winning = lake.begin().value();
    winning.erase_where(table, {{"id", equals, 1}}).value();  // in a group that the other has left out
    winning.commit().value();
    CHECK(reading.commit().error().code() == errc::conflict);
  }
}
