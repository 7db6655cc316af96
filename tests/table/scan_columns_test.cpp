// transaction::scan_columns: the batches are the rows of `scan`, from whatever they are put together, and read no more
// than the columns that were asked for.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/table/column_batches.hpp>
#include <tarn/tarn.hpp>
#include <tarn/testing/random_source.hpp>
#include <utility>
#include <vector>

#include "../support/altered_store.hpp"
#include "../support/codecs.hpp"
#include "../support/random_rows.hpp"
#include "../support/random_source.hpp"
#include "../support/stored_objects.hpp"

using namespace tarn;

namespace {

using form = column_view::form;

template <class Codec>
using lake_of = client<memory_store, Codec>;

client_options small_objects(std::uint64_t rows) {
  client_options options;
  options.bounds.rows_per_object = rows;
  return tarn_test::with_stored_objects(options);
}

// The arrays and the null mask of a column must say what its operator[] says.
bool agrees_with_itself(const column_view& column, std::size_t at) {
  const bool null = column.is_null(at);
  const value_view value = column[at];
  if (null != value.is_null() || (null && !column.has_nulls() && column.has() != form::values)) return false;
  switch (column.has()) {
    case form::nulls: return null;
    case form::booleans: return column.booleans()[at] == (!null && value.as_boolean());
    case form::integers: return column.integers()[at] == (null ? 0 : value.as_integer());
    case form::doubles: return value_view(column.doubles()[at]) == (null ? value_view(0.0) : value);
    case form::strings: return column.strings()[at] == (null ? "" : value.as_string());
    case form::bytes: return column.bytes()[at] == (null ? "" : value.as_bytes());
    case form::values: return column.values()[at] == value;
  }
  return false;
}

void check_forms(const schema& columns, const row_batch& batch) {
  CHECK(batch.rows() > 0);
  CHECK(batch.rows() <= 8'192);
  REQUIRE(batch.column_count() == columns.size());
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const column_view& column = batch.column(at);
    REQUIRE(column.size() == batch.rows());
    const form declared = form_of(columns[at].type);
    if (declared != form::values && column.has() != declared) FAIL("column ", columns[at].name, " has another form");
    for (std::size_t index = 0; index < column.size(); ++index)
      if (!agrees_with_itself(column, index)) FAIL("column ", columns[at].name, " contradicts itself at ", index);
  }
}

template <class Scan>
std::vector<row> rows_of_batches(Scan scan) {
  std::vector<row> rows;
  while (scan.next()) {
    check_forms(scan.columns(), scan.batch());
    for (std::size_t index = 0; index < scan.batch().rows(); ++index) {
      row& made = rows.emplace_back();
      for (std::size_t at = 0; at < scan.columns().size(); ++at) made.emplace_back(scan.batch().column(at)[index]);
    }
  }
  CHECK(scan.status());
  CHECK_FALSE(scan.next());  // the end stays the end
  CHECK(scan.statistics().rows == rows.size());
  return rows;
}

template <class Transaction>
std::vector<row> rows_of_scan(Transaction& tx, std::string_view table, const std::vector<std::string>& names) {
  std::vector<row> rows;
  for (const row_view each : tx.scan(table).value()) {
    row& made = rows.emplace_back();
    for (const std::string& name : names) made.emplace_back(each[name]);
  }
  return rows;
}

template <class Transaction>
std::vector<std::string> names_of(Transaction& tx, std::string_view table) {
  std::vector<std::string> names;
  for (const column& each : tx.columns(table).value()) names.push_back(each.name);
  return names;
}

template <class Transaction>
void check_all_columns(Transaction& tx, std::string_view table) {
  CHECK(rows_of_batches(tx.scan_columns(table).value()) == rows_of_scan(tx, table, names_of(tx, table)));
}

// For all columns, and for some of them in another order. Returns how many rows there are.
template <class Transaction>
std::size_t check_same(Transaction& tx, std::string_view table) {
  std::vector<std::string> names = names_of(tx, table);
  const std::vector<row> all = rows_of_scan(tx, table, names);
  CHECK(rows_of_batches(tx.scan_columns(table).value()) == all);
  for (; !names.empty(); names.pop_back()) {
    std::swap(names.front(), names.back());
    CHECK(rows_of_batches(tx.scan_columns(table, names).value()) == rows_of_scan(tx, table, names));
  }
  return all.size();
}

const schema every_kind = {{"id", column_type::integer, nullability::not_null},
                           {"flag", column_type::boolean},
                           {"reading", column_type::real},
                           {"name", column_type::string},
                           {"blob", column_type::bytes},
                           {"list", column_type::list},
                           {"map", column_type::map},
                           "anything",
                           "nothing"};

row row_of_every_kind(std::int64_t number) {
  const auto or_null = [&](std::int64_t kind, value content) { return number % 7 == kind ? value() : content; };
  const value anything[] = {number, "text", 0.5, nullptr, true};
  const std::string text = "name " + std::to_string(number);
  return {number,
          or_null(0, number % 2 == 0),
          or_null(1, static_cast<double>(number) / 4),
          or_null(2, text),
          or_null(3, bytes{text}),
          or_null(4, value::list({number, "x"})),
          or_null(5, value::map({{"n", number}})),
          anything[number % 5],
          nullptr};
}

}  // namespace

TEST_CASE_TEMPLATE("batches have the rows of a scan: every kind, of bags and keyed tables, committed and own", Codec,
                   json_codec, columnar_codec, tarn_test::json_first, tarn_test::columnar_first) {
  for (const std::int64_t rows : {0, 1, 2, 9, 10, 11, 35}) {
    CAPTURE(rows);
    lake_of<Codec> lake{memory_store{}, small_objects(10)};
    auto tx = lake.begin().value();
    tx.create_table("bag", every_kind).value();
    tx.create_table("keyed", every_kind, keyed{{"id"}}).value();
    const auto write = [&](auto& to, std::int64_t first) {
      for (std::int64_t number = first; number < first + rows; ++number) {
        to.insert("bag", row_of_every_kind(number)).value();
        to.upsert("keyed", row_of_every_kind(number)).value();
      }
    };
    write(tx, 0);
    CHECK(check_same(tx, "bag") == static_cast<std::size_t>(rows));
    CHECK(check_same(tx, "keyed") == static_cast<std::size_t>(rows));
    tx.commit().value();
    auto next = lake.begin().value();
    check_same(next, "bag");
    check_same(next, "keyed");
    write(next, rows / 2);
    for (const std::int64_t gone : {1, 3, 4, 20}) {
      next.erase("keyed", {gone}).value();
      next.erase_where("bag", {{"id", equals, gone}}).value();
    }
    check_same(next, "bag");
    check_same(next, "keyed");
    next.commit().value();
    CHECK(lake.compact("keyed"));
    auto last = lake.begin().value();
    check_same(last, "bag");
    check_same(last, "keyed");
  }
}

TEST_CASE("a table can have objects of several codecs") {
  memory_store store;
  for (std::int64_t round = 0; round < 6; ++round) {
    const auto write = [&](auto lake) {
      auto tx = lake.begin().value();
      if (round == 0) {
        tx.create_table("bag", every_kind).value();
        tx.create_table("keyed", every_kind, keyed{{"id"}, 2}).value();
      }
      for (std::int64_t number = 20 * round; number < 20 * round + 30; ++number) {
        tx.insert("bag", row_of_every_kind(number)).value();
        tx.upsert("keyed", row_of_every_kind(number)).value();
      }
      check_same(tx, "bag");
      check_same(tx, "keyed");
      tx.commit().value();
    };
    if (round % 2 == 0)
      write(lake_of<tarn_test::json_first>{store, small_objects(10)});
    else
      write(lake_of<tarn_test::columnar_first>{store, small_objects(10)});
  }
}

TEST_CASE_TEMPLATE("rows that were deleted are in no batch: single ones, ranges, across batches, whole objects", Codec,
                   columnar_codec, tarn_test::json_first) {
  constexpr std::int64_t rows = 20'000;  // more than two groups
  lake_of<Codec> lake{memory_store{}, tarn_test::with_stored_objects()};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"n", column_type::integer}, {"s", column_type::string}, "any"}).value();
  for (std::int64_t number = 0; number < rows; ++number)
    tx.insert("x", {number, number % 3 == 0 ? value_view() : value_view("text"),
                    number % 5 == 0 ? value_view("odd") : number})
        .value();
  tx.commit().value();
  const std::pair<std::int64_t, std::int64_t> ranges[] = {
      {0, 1}, {5, 9}, {8'000, 8'192}, {8'192, 8'193}, {8'200, 16'383}, {16'383, 17'000}, {19'999, 20'000}};
  std::size_t left = rows;
  for (const auto& [first, end] : ranges) {
    auto deleting = lake.begin().value();
    left -=
        static_cast<std::size_t>(deleting.erase_where("x", {{"n", at_least, first}, {"n", less_than, end}}).value());
    const auto count = [&](auto& in) {
      std::size_t found = 0;
      std::int64_t sum = 0;
      auto scan = in.scan_columns("x", {"n", "s"}).value();
      while (scan.next()) {
        found += scan.batch().rows();
        for (std::size_t at = 0; at < scan.batch().rows(); ++at) {
          const std::int64_t number = scan.batch().column(0).integers()[at];
          sum += number;
          if (scan.batch().column(1).is_null(at) != (number % 3 == 0)) FAIL("row ", number, " has another's text");
        }
      }
      CHECK(scan.status());
      CHECK(found == left);
      std::int64_t expected = 0;
      for (const row_view each : in.scan("x").value()) expected += each[0].as_integer();
      CHECK(sum == expected);
    };
    count(deleting);
    deleting.commit().value();
    auto reading = lake.begin().value();
    count(reading);
  }
  auto emptying = lake.begin().value();
  (void)emptying.erase_where("x", {{"n", differs, 10}}).value();
  CHECK(rows_of_batches(emptying.scan_columns("x", {"n"}).value()) == std::vector<row>{{10}});
  (void)emptying.erase_where("x", {}).value();
  CHECK(rows_of_batches(emptying.scan_columns("x").value()).empty());
}

TEST_CASE_TEMPLATE("columns that were added, dropped, renamed and widened are as a scan has them", Codec, json_codec,
                   columnar_codec, tarn_test::columnar_first) {
  lake_of<Codec> lake{memory_store{}, small_objects(4)};
  const auto each_table = [&](auto change) {
    auto tx = lake.begin().value();
    for (const std::string_view table : {"bag", "keyed"}) change(tx, table);
    for (const std::string_view table : {"bag", "keyed"}) check_same(tx, table);
    tx.commit().value();
    auto after = lake.begin().value();
    for (const std::string_view table : {"bag", "keyed"}) check_same(after, table);
  };
  std::int64_t next = 0;
  const auto insert = [&](auto& tx, std::string_view table, auto... more) {
    for (int count = 0; count < 6; ++count, ++next)
      tx.insert(table, {next, next % 2 == 0 ? value_view() : value_view(next), "name", value_view(more)...}).value();
  };
  {
    auto tx = lake.begin().value();
    const schema columns = {{"id", column_type::integer}, {"age", column_type::integer}, {"name", column_type::string}};
    tx.create_table("bag", columns).value();
    tx.create_table("keyed", columns, keyed{{"id"}}).value();
    tx.commit().value();
  }
  each_table([&](auto& tx, std::string_view table) { insert(tx, table); });
  each_table([&](auto& tx, std::string_view table) {
    insert(tx, table);
    tx.add_column(table, {"city", column_type::string}).value();
    insert(tx, table, "Rome");
  });
  each_table([&](auto& tx, std::string_view table) {
    tx.widen_column(table, "age").value();
    tx.rename_column(table, "name", "title").value();
    (void)tx.erase_where(table, {{"id", equals, 3}}).value();
  });
  each_table([&](auto& tx, std::string_view table) { tx.drop_column(table, "city").value(); });
  each_table([&](auto& tx, std::string_view table) {
    tx.add_column(table, {"city", column_type::integer}).value();
    for (int count = 0; count < 6; ++count, ++next) tx.insert(table, {next, 0.5, "title", next}).value();
  });
  auto tx = lake.begin().value();
  auto scan = tx.scan_columns("bag", {"city", "age"}).value();
  REQUIRE(scan.next());
  CHECK(scan.batch().column(0).integers()[0] == 0);  // not there, null, and yet an array of its type
  CHECK(scan.batch().column(0).is_null(0));
  CHECK(scan.batch().column(1).doubles()[1] == 1.0);
}

TEST_CASE("a column that is null throughout a batch has its type's array, and one that has no type none") {
  lake_of<columnar_codec> lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"n", column_type::integer}, {"b", column_type::boolean}, {"s", column_type::string}, "any"})
      .value();
  tx.insert("x", {{nullptr, nullptr, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr}}).value();
  auto scan = tx.scan_columns("x").value();
  REQUIRE(scan.next());
  CHECK(scan.batch().column(0).integers().size() == 2);
  CHECK(scan.batch().column(0).integers()[1] == 0);
  CHECK_FALSE(scan.batch().column(1).booleans()[0]);
  CHECK(scan.batch().column(2).strings()[1].empty());
  CHECK(scan.batch().column(3).has() == form::nulls);
  for (std::size_t at = 0; at < 4; ++at) CHECK(scan.batch().column(at).is_null(1));
}

TEST_CASE("a column scan keeps to the rows that were there, and outlives its transaction and its client") {
  const auto make = [](bool keyed_table) {
    lake_of<columnar_codec> lake{memory_store{}, small_objects(3)};
    auto tx = lake.begin().value();
    if (keyed_table)
      tx.create_table("x", {{"n", column_type::integer}}, keyed{{"n"}}).value();
    else
      tx.create_table("x", {{"n", column_type::integer}}).value();
    for (std::int64_t number = 0; number < 7; ++number) tx.insert("x", {number}).value();
    auto scan = tx.scan_columns("x", {"n"}).value();
    for (std::int64_t number = 7; number < 20; ++number) tx.insert("x", {number}).value();
    (void)tx.erase_where("x", {{"n", less_than, 5}}).value();
    return scan;
  };
  for (const bool keyed_table : {false, true}) {
    auto scan = make(keyed_table);
    auto moved = std::move(scan);
    std::int64_t sum = 0;
    while (moved.next())
      for (const std::int64_t each : moved.batch().column(0).integers()) sum += each;
    CHECK(moved.status());
    CHECK(sum == 21);
  }
}

TEST_CASE("what is asked for and is not there is told") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "s"}).value();
  const auto unknown = tx.scan_columns("x", {"n", "m"});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code() == errc::invalid_argument);
  CHECK(unknown.error().message() == "table x: the scan names column 'm', there are: n s");
  CHECK(tx.scan_columns("x", {"n", "s", "n"}).error().message() == "table x: the scan names column 'n' twice");
  CHECK(tx.scan_columns("y", {"n"}).error().code() == errc::no_such_table);
  CHECK(tx.scan_columns("x", std::vector<std::string>{"s"}).value().columns()[0].name == "s");
  tx.rollback();
  CHECK(tx.scan_columns("x", {"n"}).error().code() == errc::finished);
}

TEST_CASE("write_skew: columns that were scanned count as read") {
  for (const bool keyed_table : {false, true}) {
    client lake{memory_store{}};
    auto tx = lake.begin().value();
    for (const std::string_view table : {"x", "y"})
      if (keyed_table)
        tx.create_table(table, {{"n", column_type::integer}}, keyed{{"n"}}).value();
      else
        tx.create_table(table, {{"n", column_type::integer}}).value();
    tx.commit().value();
    auto first = lake.begin().value();
    auto second = lake.begin().value();
    (void)first.scan_columns("x", {"n"}).value();
    first.insert("y", {1}).value();
    second.insert("x", {1}).value();
    second.commit().value();
    CHECK(first.commit().error().code() == errc::conflict);
  }
}

namespace {

// The columnar codec, telling how much its objects' readers have decoded once they are done.
class counted_cursor {
 public:
  counted_cursor(columnar_cursor<> rows, std::shared_ptr<columnar_statistics> total)
      : rows_(std::move(rows)), total_(std::move(total)) {}
  counted_cursor(counted_cursor&&) noexcept = default;
  counted_cursor& operator=(counted_cursor&&) noexcept = default;
  ~counted_cursor() {
    if (!total_) return;
    total_->groups += rows_.statistics().groups;
    total_->chunks += rows_.statistics().chunks;
  }

  [[nodiscard]] bool next() { return rows_.next(); }
  [[nodiscard]] list_view row() const { return rows_.row(); }
  [[nodiscard]] tarn::status status() const { return rows_.status(); }
  void select(array_view<std::size_t> columns) { rows_.select(columns); }
  [[nodiscard]] bool next_batch() { return rows_.next_batch(); }
  [[nodiscard]] const row_batch& batch() const { return rows_.batch(); }
  [[nodiscard]] bool fetch_column(std::size_t column, column_view& values) {
    return rows_.fetch_column(column, values);
  }

 private:
  columnar_cursor<> rows_;
  std::shared_ptr<columnar_statistics> total_;
};
static_assert(batch_cursor<counted_cursor>);

struct counting_codec {
  static constexpr std::string_view name = columnar_codec::name;

  [[nodiscard]] auto build(const object_identity& identity, const limits& bounds = limits{}) const {
    return columnar_codec().build(identity, bounds);
  }
  [[nodiscard]] result<counted_cursor> open(std::string_view bytes, const object_expectation& expected,
                                            const limits& bounds = limits{}) const {
    auto rows = columnar_codec().open(bytes, expected, bounds);
    if (!rows) return rows.error();
    return counted_cursor(*std::move(rows), read);
  }
  // Of all groups, since the last time.
  [[nodiscard]] std::uint64_t take_all_chunks() const { return std::exchange(*read, {}).chunks; }
  // Chunks for each group since the last time.
  [[nodiscard]] std::uint64_t take_chunks() const {
    const columnar_statistics taken = std::exchange(*read, {});
    return taken.groups == 0 ? 0 : taken.chunks / taken.groups;
  }

  std::shared_ptr<columnar_statistics> read = std::make_shared<columnar_statistics>();
};

// Writes objects whose bytes are damaged before the log gets their checksum: where `at` is not 0.
struct damaging_codec {
  class builder {
   public:
    explicit builder(columnar_builder<> rows) : rows_(std::move(rows)) {}
    [[nodiscard]] status append(const row_view& values) { return rows_.append(values); }
    [[nodiscard]] std::uint64_t rows() const { return rows_.rows(); }
    [[nodiscard]] std::size_t byte_size() const { return rows_.byte_size(); }
    [[nodiscard]] auto read_back() const { return rows_.read_back(); }
    void restart(const object_identity& identity) { rows_.restart(identity); }
    [[nodiscard]] std::string_view finish() {
      bytes_ = rows_.finish();
      bytes_[columnar::magic.size() + 2 + 1 + 16] =
          '\0';  // the first byte of the first column's chunk; "x" is the table
      return bytes_;
    }

   private:
    columnar_builder<> rows_;
    std::string bytes_;
  };

  static constexpr std::string_view name = columnar_codec::name;

  [[nodiscard]] builder build(const object_identity& identity, const limits& bounds = limits{}) const {
    return builder(columnar_codec().build(identity, bounds));
  }
  [[nodiscard]] auto open(std::string_view bytes, const object_expectation& expected,
                          const limits& bounds = limits{}) const {
    return columnar_codec().open(bytes, expected, bounds);
  }
};

template <class Scan>
std::size_t count_rows(Scan scan) {
  std::size_t rows = 0;
  while (scan.next()) rows += scan.batch().rows();
  CHECK(scan.status());
  return rows;
}

}  // namespace

TEST_CASE("only the columns that are wanted are read, of bags and of keyed tables; others not even looked at") {
  const counting_codec codec;
  client<memory_store, counting_codec> lake{memory_store{}, small_objects(100), codec};
  {
    auto tx = lake.begin().value();
    const schema columns = {{"k", column_type::integer},
                            {"a", column_type::integer},
                            {"b", column_type::real},
                            {"o", column_type::integer, nullability::not_null},
                            "c",
                            "d"};
    tx.create_table("bag", columns).value();
    tx.create_table("keyed", columns, keyed{{"k"}}).value();
    tx.create_table("ordered", columns, keyed{{"k"}, 1, by_ordering("o")}).value();
    for (const std::string_view table : {"bag", "keyed", "ordered"})
      for (std::int64_t number = 0; number < 1'000; ++number)
        tx.insert(table, {number, number, 0.5, number, "c", "d"}).value();
    tx.commit().value();
  }
  auto tx = lake.begin().value();
  (void)codec.take_chunks();
  const auto chunks = [&](std::string_view table, std::vector<std::string> names) {
    CHECK(count_rows(tx.scan_columns(table, names).value()) == 1'000);
    return codec.take_chunks();
  };
  CHECK(chunks("bag", {}) == 6);
  CHECK(chunks("bag", {"a"}) == 1);
  CHECK(chunks("bag", {"d", "k", "b"}) == 3);
  // What a record is, where it is (but of a base), key and ordering come on top.
  CHECK(chunks("keyed", {}) >= 7);
  CHECK(chunks("keyed", {"a"}) <= 4);
  CHECK(chunks("ordered", {"a"}) <= 5);
  CHECK(chunks("ordered", {"a", "b", "c"}) <= 7);
  for (const std::string_view table : {"bag", "keyed"}) {
    tx.add_column(table, "e").value();
    tx.drop_column(table, "a").value();
    (void)codec.take_chunks();
  }
  CHECK(chunks("bag", {"e"}) == 0);
  CHECK(chunks("bag", {"e", "d"}) == 1);
  CHECK(chunks("keyed", {"e", "d"}) <= 4);
}

TEST_CASE("of a keyed table that is compacted not even the key is read, unless it is asked for") {
  const counting_codec codec;
  client<memory_store, counting_codec> lake{memory_store{}, small_objects(100'000), codec};
  auto tx = lake.begin().value();
  const schema columns = {{"k", column_type::integer}, {"a", column_type::integer, nullability::not_null}, "b"};
  tx.create_table("x", columns, keyed{{"k"}, 3, by_ordering("a")}).value();
  for (std::int64_t number = 0; number < 2'000; ++number) tx.insert("x", {number, number % 10, "b"}).value();
  tx.commit().value();
  auto erasing = lake.begin().value();
  for (std::int64_t number = 0; number < 2'000; number += 50) erasing.erase("x", {number}, 20).value();  // tombstones
  erasing.commit().value();
  CHECK(lake.compact("x"));
  auto reading = lake.begin().value();
  for (const explained_run& each : reading.explain("x").value()) REQUIRE(each.placed == placement::is_base);
  (void)codec.take_chunks();
  CHECK(count_rows(reading.scan_columns("x", {"a"}).value()) == 1'960);
  CHECK(codec.take_chunks() == 2);
  CHECK(count_rows(reading.scan_columns("x", {"b", "k"}).value()) == 1'960);
  CHECK(codec.take_chunks() == 3);
  auto scan = reading.scan_columns("x", {"a"}).value();
  while (scan.next()) continue;
  CHECK(scan.statistics().objects == 3);
  CHECK(scan.statistics().merged.blocks_by_position + scan.statistics().merged.blocks_by_key == 0);
  check_same(reading, "x");
  // Whatever comes on top of a base is merged with it.
  reading.upsert("x", {7, 30, "new"}).value();
  check_same(reading, "x");
}

namespace {

// A base of 20,000 rows, several batches of any codec; then updates, erased and new rows everywhere, in two commits.
// Returns the lake.
template <class Codec, class Merge>
client<memory_store, Codec, Merge> lake_to_merge(const Codec& codec, std::int64_t step) {
  client<memory_store, Codec, Merge> lake{memory_store{}, small_objects(100'000), codec};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"k", column_type::integer}, {"a", column_type::integer}, {"t", column_type::string}, "b"},
                  keyed{{"k"}, 1})
      .value();
  for (std::int64_t number = 0; number < 20'000; ++number)
    tx.insert("x", {2 * number, number % 10 == 0 ? value() : value(number), "text " + std::to_string(number), number})
        .value();
  tx.commit().value();
  CHECK(lake.compact("x"));
  for (std::int64_t times = 0; times < 2; ++times) {
    auto change = lake.begin().value();
    (void)change.get("x", {0}).value();  // now it knows the base's keys
    for (std::int64_t number = times; number < 20'000; number += step) {
      change.upsert("x", {2 * number, -number, "new", "changed"}).value();
      change.erase("x", {2 * number + 8 * times + 2}).value();
      if (number % 3 == 0) change.upsert("x", {2 * number + 1, number, "between", nullptr}).value();
    }
    change.commit().value();
  }
  return lake;
}

}  // namespace

TEST_CASE_TEMPLATE("a merge hands out runs of the base: by position its keys are not touched", Merge, merge::by_key,
                   merge::by_position, merge::derived) {
  for (const std::int64_t step : {20, 15'000}) {
    const counting_codec codec;
    auto lake = lake_to_merge<counting_codec, Merge>(codec, step);
    auto tx = lake.begin().value();
    check_all_columns(tx, "x");
    (void)codec.take_all_chunks();
    const auto merged = [&](std::vector<std::string> names) {
      auto scan = tx.scan_columns("x", names).value();
      while (scan.next()) continue;
      CHECK(scan.status());
      return scan.statistics().merged;
    };
    const merge_statistics found = merged({"a"});
    // Of the base's three groups what a row is and the column, of each of the two others those, place and key.
    const std::uint64_t untouched = 3 * 2 + 2 * 4;
    CHECK(found.keys_by_position + found.keys_by_key > 20'000 / static_cast<std::uint64_t>(step));
    if (Merge::records_positions) {
      CHECK(found.keys_by_key == 0);
      CHECK(found.base_keys_compared == 0);
      CHECK(codec.take_all_chunks() == untouched);
    } else {
      CHECK(found.keys_by_position == 0);
      CHECK(found.base_keys_compared > found.keys_by_key / 2);
      CHECK(found.base_keys_compared < 40 * found.keys_by_key);                // of 20,000 rows
      CHECK(codec.take_all_chunks() == untouched + (step == 15'000 ? 2 : 3));  // in the last there is nothing to find
    }
    tx.upsert("x", {7, 7, "own", nullptr}).value();
    tx.erase("x", {39'998}).value();
    check_all_columns(tx, "x");
  }
}

TEST_CASE("a merge across the batches of a codec that has none") {
  auto lake = lake_to_merge<json_codec, merge::by_position>({}, 700);
  auto tx = lake.begin().value();
  check_all_columns(tx, "x");
}

TEST_CASE("the codec's arrays are handed out as they are; copied is what is next to deleted rows or widened") {
  const schema written = {{"a", column_type::integer}, {"b", column_type::string}};
  schema numbered = written;
  numbered.number_columns();
  const schema wanted({numbered[1], numbered[0]});
  auto builder = columnar_codec().build({"x", {1, 2}});
  for (std::int64_t number = 0; number < 20'000; ++number) builder.append({number, "text"}).value();
  const auto rows = shared<columnar_cursor<>>::make(builder.read_back());
  copy_on_write<row_set> deleted;
  deleted.writable().add(8'192 + 5);
  column_batches<columnar_cursor<>> batches(rows, "object x", numbered, wanted, deleted);
  for (const bool is_whole : {true, false, true}) {
    REQUIRE(batches.next());
    CHECK((batches.batch().column(0).data() == rows->batch().column(1).data()) == is_whole);
    CHECK((batches.batch().column(1).data() == rows->batch().column(0).data()) == is_whole);
    CHECK((batches.batch().rows() == rows->batch().rows()) == is_whole);
  }
  CHECK_FALSE(batches.next());
}

TEST_CASE("damage in a column that nobody asks for does not matter while the object's checksum is right") {
  client<memory_store, damaging_codec> lake{memory_store{}, small_objects(1'000)};
  auto tx = lake.begin().value();
  tx.create_table("x", {"a", {"b", column_type::integer}}).value();
  for (std::int64_t number = 0; number < 10; ++number) tx.insert("x", {"text", number}).value();
  tx.flush().value();
  CHECK(count_rows(tx.scan_columns("x", {"b"}).value()) == 10);
  auto scan = tx.scan_columns("x", {"a"}).value();
  CHECK_FALSE(scan.next());
  REQUIRE_FALSE(scan.status());
  CHECK(scan.status().error().code() == errc::corrupt);
  CHECK(scan.status().error().message().find("_table_x_") != std::string::npos);
  CHECK_FALSE(scan.next());
}

TEST_CASE_TEMPLATE("an object with values that its columns do not take is damaged, and named", Codec, columnar_codec,
                   json_codec) {
  const schema integers = {{"n", column_type::integer}};
  const schema texts = {{"n", column_type::string}};
  auto builder = Codec().build({"x", {1, 2}});
  builder.append({1}).value();
  using cursor = decltype(builder.read_back());
  column_batches<cursor> good(shared<cursor>::make(builder.read_back()), "object x", integers, integers);
  CHECK(good.next());
  column_batches<cursor> wrong(shared<cursor>::make(builder.read_back()), "object x", texts, texts);
  CHECK_FALSE(wrong.next());
  REQUIRE_FALSE(wrong.status());
  CHECK(wrong.status().error().code() == errc::corrupt);
  CHECK(wrong.status().error().message() ==
        "object x has values in column 'n' that the column does not take: it is declared string");
  CHECK_FALSE(wrong.next());

  const schema never_null = {{"n", column_type::integer, nullability::not_null}};
  builder.append({nullptr}).value();
  column_batches<cursor> null(shared<cursor>::make(builder.read_back()), "object x", never_null, never_null);
  CHECK_FALSE(null.next());
  CHECK(null.status().error().code() == errc::corrupt);

  // Rows of a base say in front of their columns what they are.
  for (const value& what : {value(0), value(2), value(1), value(nullptr), value("0")}) {
    auto base = Codec().build({"x", {1, 2}});
    base.append({0, 7}).value();
    base.append({what, nullptr}).value();
    auto records =
        column_batches<cursor>::of_base(shared<cursor>::make(base.read_back()), "object x", integers, integers);
    const bool is_record = what == value(0) || what == value(2);
    REQUIRE(records.next() == is_record);
    if (is_record) CHECK(records.batch().rows() == (what == value(0) ? 2 : 1));
    if (!is_record) CHECK(records.status().error().message() == "object x has a row that is no record");
    CHECK_FALSE(records.next());
  }
}

TEST_CASE("a damaged object is an error that names it, after the batches that were right") {
  memory_store store;
  std::string first, second;
  {
    lake_of<columnar_codec> lake{store, small_objects(2)};
    auto tx = lake.begin().value();
    tx.create_table("x", {{"n", column_type::integer}}).value();
    tx.insert("x", {{0}, {1}}).value();
    tx.commit().value();
    (void)store.list("_table_", "", [&](std::string_view name) { first = name; });
    auto next = lake.begin().value();
    next.insert("x", {{2}, {3}}).value();
    next.commit().value();
    (void)store.list("_table_", "", [&](std::string_view name) { second = name == first ? second : name; });
  }
  std::string bytes(std::string_view(store.get(second).value()));
  bytes[bytes.size() / 2] ^= 1;
  client<tarn_test::altered_store, columnar_codec> lake{tarn_test::altered_store(store, {{second, bytes}})};
  auto tx = lake.begin().value();
  auto scan = tx.scan_columns("x", {"n"}).value();
  CHECK(scan.next());
  CHECK_FALSE(scan.next());
  REQUIRE_FALSE(scan.status());
  CHECK(scan.status().error().code() == errc::corrupt);
  CHECK(scan.status().error().message().find(second) != std::string::npos);
}

namespace {

value random_value_of(testing::random_source& random, const column& of) {
  if (of.nullable && random.chance(20)) return nullptr;
  switch (of.type) {
    case column_type::boolean: return random.chance(50);
    case column_type::integer: return static_cast<std::int64_t>(random.below(40));
    case column_type::real: return static_cast<double>(random.below(1'000)) / 8;
    case column_type::string:  // a few long ones end a group of the columnar codec, and a batch
      return std::string(random.chance(2) ? 300'000 : random.below(6), static_cast<char>('a' + random.below(26)));
    case column_type::bytes: return bytes{std::string_view("\0\xff\x80", random.below(4))};
    case column_type::list: return value::list({tarn_test::random_value(random, 1)});
    case column_type::map: return value::map({{"key", tarn_test::random_value(random, 1)}});
    case column_type::any: break;
  }
  value any = tarn_test::random_value(random, 2);
  return of.takes(value_view(any).kind()) ? any : value("not null");
}

column random_column(testing::random_source& random, int number) {
  return {"column " + std::to_string(number), static_cast<column_type>(random.below(8))};
}

// The columns that all tables begin with, key and ordering among them, in whatever order.
sequence<column> random_columns(testing::random_source& random, int& columns) {
  sequence<column> made = {{"id", column_type::integer, nullability::not_null},
                           {"at", column_type::integer, nullability::not_null}};
  for (std::size_t more = random.below(5); more > 0; --more) {
    column added = random_column(random, ++columns);
    added.nullable = random.chance(75);
    made.insert(random.below(made.size() + 1), std::move(added));
  }
  return made;
}

constexpr std::string_view random_tables[] = {"bag", "keyed", "ordered", "by_pair"};

// Does something to a table, as the random source decides; whether it succeeds does not matter.
template <class Transaction>
void change_randomly(testing::random_source& random, Transaction& tx, std::string_view table, int& columns) {
  const schema now = tx.columns(table).value();
  const std::string some = now[random.below(now.size())].name;
  const auto number = [&] { return static_cast<std::int64_t>(random.below(40)); };
  switch (random.below(12)) {
    case 0: (void)tx.add_column(table, random_column(random, ++columns)); break;
    case 1: (void)tx.drop_column(table, some); break;
    case 2: (void)tx.widen_column(table, some); break;
    case 3: (void)tx.rename_column(table, some, "column " + std::to_string(++columns)); break;
    case 4:
      (void)tx.erase_where(table,
                           {{"id", at_least, 10}, {"id", less_than, static_cast<std::int64_t>(10 + random.below(10))}});
      break;
    case 5: (void)tx.erase_where(table, {{"id", equals, number()}}); break;
    case 6: (void)tx.erase(table, {number()}, number()); break;
    case 7: (void)tx.update_where(table, {{"at", less_than, number()}}, {{some, nullptr}}); break;
    case 8: (void)tx.get(table, {number()}); break;  // from now on it records positions
    default:
      for (std::size_t more = random.below(20); more > 0; --more) {
        row made;
        for (const column& each : now) made.push_back(random_value_of(random, each));
        if (tx.key(table)->empty())
          tx.insert(table, made).value();
        else
          tx.upsert(table, made).value();
      }
  }
}

}  // namespace

TEST_CASE("whatever is done to tables, the batches are the rows of a scan") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  for (std::uint64_t round = 0; round < 12; ++round) {
    testing::random_source random(seed + round);
    CAPTURE(seed);
    CAPTURE(round);
    memory_store store;
    client_options options;
    options.bounds.rows_per_object = 1 + random.below(30);
    options.commit.inline_bytes_max = tarn_test::some_inline_bytes(round);
    int columns = 0;
    const auto work = [&](auto lake, bool founds) {
      auto tx = lake.begin().value();
      if (founds) {
        const auto buckets = static_cast<std::uint32_t>(1 + random.below(2));
        tx.create_table("bag", schema(random_columns(random, columns))).value();
        tx.create_table("keyed", schema(random_columns(random, columns)), keyed{{"id"}, buckets}).value();
        tx.create_table("ordered", schema(random_columns(random, columns)), keyed{{"id"}, buckets, by_ordering("at")})
            .value();
        sequence<column> paired = random_columns(random, columns);
        paired.push_back({"part", column_type::string, nullability::not_null});
        tx.create_table("by_pair", schema(paired), keyed{{"part", "id"}, buckets}).value();
      }
      for (int step = 0; step < 6; ++step)
        for (const std::string_view table : random_tables) change_randomly(random, tx, table, columns);
      for (const std::string_view table : random_tables) check_same(tx, table);
      tx.commit().value();
      if (random.chance(60)) CHECK(lake.compact(random_tables[random.below(4)]));
      auto after = lake.begin().value();
      for (const std::string_view table : random_tables) check_same(after, table);
    };
    for (int transactions = 0; transactions < 5; ++transactions) {
      const bool founds = transactions == 0;
      switch (random.below(3)) {
        case 0: work(client<memory_store, tarn_test::json_first, merge::by_key>{store, options}, founds); break;
        case 1: work(client<memory_store, tarn_test::columnar_first, merge::derived>{store, options}, founds); break;
        default: work(lake_of<tarn_test::columnar_first>{store, options}, founds);
      }
    }
  }
}
