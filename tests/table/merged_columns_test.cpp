// Merges by columns: batches are put together from whatever batches the base and the records on top of it come in.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/table/gathered_columns.hpp>
#include <tarn/tarn.hpp>
#include <tarn/testing/random_source.hpp>
#include <utility>
#include <vector>

#include "../support/codecs.hpp"
#include "../support/random_source.hpp"
#include "../support/stored_objects.hpp"

using namespace tarn;

namespace {

using form = column_view::form;

client_options large_objects() {
  client_options options;
  options.bounds.rows_per_object = 100'000;
  return tarn_test::with_stored_objects(options);
}

template <class Transaction>
std::vector<row> rows_by_columns(Transaction& tx, std::string_view table, std::size_t& batches) {
  std::vector<row> rows;
  auto scan = tx.scan_columns(table).value();
  for (batches = 0; scan.next(); ++batches) {
    CHECK(scan.batch().rows() > 0);
    CHECK(scan.batch().rows() <= 8'192);
    for (std::size_t index = 0; index < scan.batch().rows(); ++index) {
      row& made = rows.emplace_back();
      for (std::size_t at = 0; at < scan.columns().size(); ++at) made.emplace_back(scan.batch().column(at)[index]);
    }
  }
  CHECK(scan.status());
  return rows;
}

// Returns how many batches there were.
template <class Transaction>
std::size_t check_same(Transaction& tx, std::string_view table) {
  std::vector<row> rows;
  for (const row_view each : tx.scan(table).value()) rows.emplace_back(each.begin(), each.end());
  std::size_t batches = 0;
  CHECK((rows_by_columns(tx, table, batches) == rows));
  return batches;
}

std::string text_of(std::string_view who, std::int64_t number) {
  return std::string(who) + " has written " + std::to_string(number);
}

}  // namespace

TEST_CASE_TEMPLATE("a batch ends before one of its sources moves on: base, deltas and the transaction's own", Codec,
                   columnar_codec, json_codec, tarn_test::columnar_first) {
  for (const bool by_position : {true, false}) {
    const memory_store store;
    const auto change = [&](auto lake, std::int64_t round, bool commits) {
      auto tx = lake.begin().value();
      if (round == 0)
        tx.create_table("x", {{"k", column_type::integer}, {"t", column_type::string, nullability::not_null}, "any"},
                        keyed{{"k"}})
            .value();
      if (round > 0) (void)tx.get("x", {0}).value();          // now it knows the base's keys
      const std::int64_t rows = round == 0 ? 20'000 : 9'000;  // more than a batch each
      for (std::int64_t number = 0; number < rows; ++number) {
        const std::int64_t key = round == 0 ? 6 * number : 6 * (number + 3'000 * round) + (number % 7 == 0 ? round : 0);
        if (round > 0 && number % 11 == 0)
          tx.erase("x", {key}).value();
        else
          tx.upsert("x",
                    {key, text_of("round " + std::to_string(round), key), number % 2 == 0 ? value(key) : value("odd")})
              .value();
      }
      if (commits) tx.commit().value();
      if (commits) tx = lake.begin().value();
      CHECK(check_same(tx, "x") > 2);
    };
    for (std::int64_t round = 0; round < 4; ++round) {
      constexpr bool is_mixed = std::is_same_v<Codec, tarn_test::columnar_first>;
      if (is_mixed && round % 2 == 1)
        change(client<memory_store, tarn_test::json_first>{store, large_objects()}, round, round < 3);
      else if (by_position)
        change(client<memory_store, Codec, merge::by_position>{store, large_objects()}, round, round < 3);
      else
        change(client<memory_store, Codec, merge::by_key>{store, large_objects()}, round, round < 3);
    }
  }
}

TEST_CASE_TEMPLATE("the first row of a batch of the base is one that a record is about", Codec, columnar_codec,
                   json_codec) {
  client<memory_store, Codec, merge::by_position> lake{memory_store{}, large_objects()};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"k", column_type::integer}}, keyed{{"k"}}).value();
  for (std::int64_t key = 0; key < 20'000; ++key) tx.insert("x", {key}).value();
  tx.commit().value();
  for (const std::int64_t key : {8'192, 16'384}) {
    auto next = lake.begin().value();
    (void)next.get("x", {0}).value();  // now it knows the base's keys
    for (std::int64_t gone = 0; gone < 10; ++gone) next.erase("x", {key - 100 + gone}).value();  // so there is room
    next.erase("x", {key}).value();
    check_same(next, "x");
    next.commit().value();
  }
}

TEST_CASE_TEMPLATE("a slice without a base, of runs of a row each", Codec, columnar_codec, json_codec) {
  client<memory_store, Codec> lake{memory_store{}, large_objects()};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"k", column_type::string}, "t"}, keyed{{"k"}}).value();
  tx.erase("x", {"nobody"}).value();  // else it were a base
  tx.commit().value();
  for (std::int64_t number = 0; number < 12; ++number) {
    auto next = lake.begin().value();
    next.upsert("x", {text_of("key", number % 5), text_of("value", number)}).value();
    if (number % 4 == 3) next.erase("x", {text_of("key", (number + 2) % 5)}).value();
    check_same(next, "x");
    next.commit().value();
    auto after = lake.begin().value();
    check_same(after, "x");
  }
}

TEST_CASE_TEMPLATE("a base that another one was committed before is a run, too", Codec, columnar_codec, json_codec) {
  client<memory_store, Codec> lake{memory_store{}, large_objects()};
  auto tx = lake.begin().value();
  tx.create_table("x", {{"k", column_type::string}, "t"}, keyed{{"k"}}).value();
  tx.commit().value();
  auto first = lake.begin().value();
  auto second = lake.begin().value();
  for (std::int64_t number = 0; number < 20; ++number) {
    first.upsert("x", {text_of("key", 2 * number), "first"}).value();
    second.upsert("x", {text_of("key", 2 * number + 1), "second"}).value();
  }
  first.commit().value();
  second.commit().value();
  auto after = lake.begin().value();
  check_same(after, "x");
  after.upsert("x", {text_of("key", 6), "own"}).value();
  after.erase("x", {text_of("key", 7)}).value();
  check_same(after, "x");
}

TEST_CASE_TEMPLATE("whose record has won is handed out, across columns that were added, widened and erased rows", Codec,
                   columnar_codec, json_codec, tarn_test::json_first) {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  for (std::uint64_t round = 0; round < 6; ++round) {
    CAPTURE(seed);
    CAPTURE(round);
    testing::random_source random(seed + round);
    client<memory_store, Codec> lake{memory_store{}, large_objects()};
    const auto number = [&](std::size_t below) { return static_cast<std::int64_t>(random.below(below)); };
    for (std::int64_t times = 0; times < 6; ++times) {
      auto tx = lake.begin().value();
      if (times == 0)
        tx.create_table("x",
                        {{"k", column_type::integer},
                         {"o", column_type::integer, nullability::not_null},
                         {"name", column_type::string, nullability::not_null},
                         {"age", column_type::integer}},
                        keyed{{"k"}, 1, by_ordering("o")})
            .value();
      if (times == 2) tx.widen_column("x", "age").value();
      if (times == 3) tx.add_column("x", {"city", column_type::string}).value();
      for (int writes = times == 0 ? 60 : 25; writes > 0; --writes) {
        const std::int64_t key = number(80);
        if (times > 0 && random.chance(20)) {
          if (random.chance(50))
            tx.erase("x", {key}).value();
          else
            tx.erase("x", {key}, number(10)).value();
          continue;
        }
        row made = {key, number(10), text_of("time " + std::to_string(times), key)};
        made.emplace_back(random.chance(30) ? value() : times < 2 ? value(key) : value(0.5));
        if (times > 2) made.emplace_back(random.chance(30) ? value() : value(text_of("city", times)));
        tx.upsert("x", made).value();
      }
      check_same(tx, "x");
      tx.commit().value();
      auto after = lake.begin().value();
      check_same(after, "x");
    }
  }
}

namespace {

// Writes other rows than it is given, under right checksums.
template <class Codec>
struct forging_codec {
  using rows_type = decltype(Codec().build(object_identity{}));
  using forgery = std::function<void(row&)>;

  class builder {
   public:
    builder(rows_type rows, std::shared_ptr<forgery> forge) : rows_(std::move(rows)), forge_(std::move(forge)) {}
    [[nodiscard]] status append(const row_view& values) {
      row forged(values.begin(), values.end());
      if (*forge_) (*forge_)(forged);
      return rows_.append(forged);
    }
    [[nodiscard]] std::uint64_t rows() const { return rows_.rows(); }
    [[nodiscard]] std::size_t byte_size() const { return rows_.byte_size(); }
    [[nodiscard]] auto read_back() const { return rows_.read_back(); }
    void restart(const object_identity& identity) { rows_.restart(identity); }
    [[nodiscard]] std::string_view finish() { return rows_.finish(); }

   private:
    rows_type rows_;
    std::shared_ptr<forgery> forge_;
  };

  static constexpr std::string_view name = Codec::name;

  [[nodiscard]] builder build(const object_identity& identity, const limits& bounds = limits{}) const {
    return {Codec().build(identity, bounds), forge};
  }
  [[nodiscard]] auto open(std::string_view bytes, const object_expectation& expected,
                          const limits& bounds = limits{}) const {
    return Codec().open(bytes, expected, bounds);
  }

  std::shared_ptr<forgery> forge = std::make_shared<forgery>();
};

// Records are [what, place, k, o, name]: of keys 1 and 2 a base has rows; a delta erases 1 and 3, and has a row of 2.
// Returns the message of what a scan of columns fails with, or that there is none.
template <class Codec>
std::string error_with(const typename forging_codec<Codec>::forgery& forge) {
  const forging_codec<Codec> codec;
  client<memory_store, forging_codec<Codec>> lake{memory_store{}, large_objects(), codec};
  auto tx = lake.begin().value();
  tx.create_table("x",
                  {{"k", column_type::integer},
                   {"o", column_type::integer, nullability::not_null},
                   {"name", column_type::string, nullability::not_null}},
                  keyed{{"k"}, 1, by_ordering("o")})
      .value();
  tx.upsert("x", {1, 1, "one"}).value();
  tx.upsert("x", {2, 1, "two"}).value();
  tx.commit().value();
  auto next = lake.begin().value();
  next.erase("x", {1}).value();
  next.upsert("x", {2, 2, "new"}).value();
  next.erase("x", {3}).value();
  *codec.forge = forge;
  next.commit().value();
  auto reading = lake.begin().value();
  auto by_rows = reading.scan("x").value();
  while (by_rows.next()) continue;
  auto scan = reading.scan_columns("x").value();
  std::size_t rows = 0;
  while (scan.next()) rows += scan.batch().rows();
  if (scan.status()) CHECK(rows == 1);
  if (scan.status()) return "none";
  CHECK(scan.status().error().code() == errc::corrupt);
  CHECK_FALSE(scan.next());
  const std::string message(scan.status().error().message());
  if (!by_rows.status()) CHECK(message == by_rows.status().error().message());
  return message.substr(message.find(" has ") + 1);
}

}  // namespace

TEST_CASE_TEMPLATE("of a delta the same rows are no records as of a scan of rows", Codec, columnar_codec, json_codec) {
  const auto put = [](std::int64_t key, std::size_t place, const value& forged) {
    return error_with<Codec>([=](row& each) {
      if (each[2] == value(key)) each[place] = forged;
    });
  };
  const std::string no_record = "has a row that is no record";
  CHECK(put(0, 0, nullptr) == "none");
  for (const value& what : {value(5), value(-1), value(nullptr), value("0"), value(0.0)}) {
    CHECK(put(2, 0, what) == no_record);
    CHECK(put(3, 0, what) == no_record);
  }
  for (const value& place : {value("1"), value(1.0), value(true)}) CHECK(put(2, 1, place) == no_record);
  CHECK(put(2, 1, nullptr) == "none");
  for (const value& key : {value(nullptr), value("2"), value(2.0)}) {
    CHECK(put(1, 2, key) == no_record);
    CHECK(put(2, 2, key) == no_record);
  }
  for (const value& ordering : {value(nullptr), value("2"), value(2.0)}) {
    CHECK(put(2, 3, ordering) == no_record);
    CHECK(put(1, 3, ordering) == "none");  // a plain erase needs none
  }
  for (const value& name : {value(nullptr), value(7)}) {
    CHECK(put(2, 4, name) == "has values in column 'name' that the column does not take: it is declared string");
    CHECK(put(3, 4, name) == "none");  // nor that
  }
}

namespace {

struct columns_at_hand {
  sequence<read_column> columns;

  [[nodiscard]] const read_column& column(std::size_t at) const { return columns[at]; }
};

}  // namespace

TEST_CASE("pieces are gathered in their order, whatever form their columns have") {
  const std::int64_t integers[] = {0, 1, 2, 3, 4, 5, 0, 7};
  const unsigned char present[] = {1, 1, 1, 1, 1, 1, 0, 1};
  const double doubles[] = {0.5, 1.5, 2.5};
  const value_view values[] = {8.5, nullptr, "text"};
  const columns_at_hand one{{{column_view(form::integers, integers, present, 8), true}}};
  const columns_at_hand two{{{column_view(form::doubles, doubles, nullptr, 3), false}}};
  const columns_at_hand three{{{column_view(form::values, values, nullptr, 3), false}}};
  const columns_at_hand four{{{column_view(form::nulls, nullptr, nullptr, 3), false}}};
  const column real = {"r", column_type::real};
  const column never_null = {"r", column_type::real, nullability::not_null};
  arena memory;
  column_view into;
  row_pieces<columns_at_hand> pieces;
  pieces.add(one, 0, 2);
  pieces.add(one, 2, 1);
  pieces.add(two, 0, 1);
  pieces.add(one, 4, 2);
  pieces.add(two, 1, 2);
  pieces.add(three, 0, 1);
  CHECK(pieces.rows() == 9);
  for (const column& declared : {real, never_null}) {
    REQUIRE(pieces.gather(0, declared, memory, into) == nullptr);
    CHECK(into.has() == form::doubles);
    CHECK_FALSE(into.has_nulls());  // what is null is in no piece
    const double expected[] = {0, 1, 2, 0.5, 4, 5, 1.5, 2.5, 8.5};
    REQUIRE(into.size() == 9);
    for (std::size_t at = 0; at < 9; ++at) CHECK(into.doubles()[at] == expected[at]);
  }
  const std::pair<const columns_at_hand*, std::size_t> nulls[] = {{&one, 6}, {&three, 1}, {&four, 0}};
  for (const auto& [source, index] : nulls) {
    row_pieces<columns_at_hand> with_null = pieces;
    with_null.add(*source, index, 1);
    with_null.add(two, 0, 1);
    REQUIRE(with_null.gather(0, real, memory, into) == nullptr);
    REQUIRE(into.size() == 11);
    for (std::size_t at = 0; at < 11; ++at) CHECK(into.is_null(at) == (at == 9));
    CHECK(into.doubles()[9] == 0.0);
    CHECK(into.doubles()[10] == 0.5);
    const auto* const refused = with_null.gather(0, never_null, memory, into);
    REQUIRE(refused != nullptr);
    CHECK(refused->source == source);
  }
  pieces.add(three, 2, 1);
  REQUIRE(pieces.gather(0, real, memory, into) != nullptr);
  CHECK(pieces.gather(0, real, memory, into)->source == &three);
  REQUIRE(pieces.gather(0, "any", memory, into) == nullptr);
  CHECK(into.has() == form::values);
  CHECK(into[9] == value_view("text"));
  CHECK(pieces.gather(0, {"l", column_type::list}, memory, into) != nullptr);
  CHECK(pieces.gather(0, {"any", column_type::any, nullability::not_null}, memory, into) == nullptr);
}
