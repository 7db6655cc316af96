#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/testing/random_values.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"

using namespace tarn;

static_assert(block_cursor<columnar_cursor<>>);
static_assert(row_codec<columnar_codec>);
static_assert(row_builder<columnar_builder<>>);
static_assert(columnar_codec::name == "columnar");
static_assert(std::is_empty_v<columnar_codec>);

namespace {

using rows = std::vector<row>;
using row_maker = std::function<row(std::size_t)>;

constexpr object_identity example{"x", {1, 2}};

[[nodiscard]] object_expectation expectation_of(std::size_t columns) {
  object_expectation expected;
  expected.identity = example;
  expected.columns = columns;
  return expected;
}

[[nodiscard]] rows make_rows(std::size_t count, const row_maker& make) {
  rows made;
  for (std::size_t number = 0; number < count; ++number) made.push_back(make(number));
  return made;
}

[[nodiscard]] std::string encode(const rows& encoded) {
  auto builder = columnar_codec{}.build(example);
  for (const row& each : encoded) REQUIRE(builder.append(each));
  return std::string(builder.finish());
}

template <class Cursor>
[[nodiscard]] rows read_all(Cursor cursor) {
  rows read;
  while (cursor.next()) read.emplace_back(cursor.row().begin(), cursor.row().end());
  CHECK(cursor.status());
  return read;
}

[[nodiscard]] columnar_cursor<> open(const std::string& object, std::size_t columns) {
  return columnar_codec{}.open(object, expectation_of(columns)).value();
}

// The size of an object of one column, of which rows are read as they were written, also column by column.
[[nodiscard]] std::size_t size_of(std::size_t count, const std::function<value(std::size_t)>& make) {
  const rows written = make_rows(count, [&](std::size_t number) { return row{make(number)}; });
  const std::string object = encode(written);
  CHECK(read_all(open(object, 1)) == written);
  columnar_cursor<> cursor = open(object, 1);
  std::size_t at = 0;
  while (cursor.next_batch())
    for (std::size_t index = 0; index < cursor.batch().rows(); ++index, ++at)
      if (!(cursor.batch().column(0)[index] == written[at][0])) FAIL("row ", at, " of a batch differs");
  CHECK(at == count);
  return object.size();
}

[[nodiscard]] std::int64_t integer(std::size_t number) { return static_cast<std::int64_t>(number); }
[[nodiscard]] std::int64_t scattered(std::size_t number) {
  return static_cast<std::int64_t>((number + 1) * 0x9e37'79b9'7f4a'7c15U);
}

constexpr std::size_t many = 8'000;  // in one group
constexpr std::size_t around = 150;  // bytes, besides the values

}  // namespace

TEST_CASE("rows lie next to each other in blocks") {
  auto builder = columnar_codec{}.build(object_identity{"x", {1, 2}});
  for (int number = 0; number < 1'000; ++number) REQUIRE(builder.append({number, "a"}));
  auto cursor = builder.read_back();
  CHECK(cursor.rows_ahead() == 0);
  REQUIRE(cursor.next());
  const std::size_t ahead = cursor.rows_ahead();
  CHECK(ahead == 255);
  CHECK(cursor.row().views()[2 * ahead].as_integer() == static_cast<std::int64_t>(ahead));
  cursor.pass(ahead);
  CHECK(cursor.rows_ahead() == 0);
  REQUIRE(cursor.next());
  CHECK(cursor.row()[0].as_integer() == static_cast<std::int64_t>(ahead) + 1);
}

TEST_CASE("Integers take as many bits as they need") {
  CHECK(size_of(many, [](std::size_t) { return 7; }) < around);
  CHECK(size_of(many, [](std::size_t) { return INT64_MIN; }) < around);
  CHECK(size_of(many, [](std::size_t number) { return 1'000'000'000'000 + integer(number * 7 % 16); }) <
        many / 2 + around);
  CHECK(size_of(many, [](std::size_t number) { return -1'024 * (scattered(number) & 0xff); }) < many * 9 / 8 + around);
  CHECK(size_of(many, [](std::size_t number) { return scattered(number); }) < many * 8 + around);
  CHECK(size_of(many, [](std::size_t number) { return number % 2 == 0 ? INT64_MAX : INT64_MIN; }) < many * 8 + around);
}

TEST_CASE("Integers that grow steadily take what the steps between them need") {
  CHECK(size_of(many, integer) < around);
  CHECK(size_of(many, [](std::size_t number) { return 1'700'000'000'000 - 1'000 * integer(number); }) < around);
  CHECK(size_of(many, [](std::size_t number) { return 1'000'000 * integer(number) + scattered(number) % 8; }) <
        many * 5 / 8 + around);
  CHECK(size_of(many, [](std::size_t number) {
          return std::bit_cast<std::int64_t>(std::uint64_t{INT64_MAX} - 4'000 + number);
        }) < many * 8 + around);
}

TEST_CASE("Integers in runs take what the runs need") {
  CHECK(size_of(many, [](std::size_t number) { return scattered(number / 1'000); }) < 8 * 8 + 2 * 8 + around);
  CHECK(size_of(many, [](std::size_t number) { return number < 3 ? scattered(number) : 0; }) < 4 * 10 + around);
}

TEST_CASE("Every width of packed integers, from both ends, reads as it was written") {
  for (unsigned width = 0; width <= 64; ++width)
    for (const std::size_t count : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 1'000U}) {
      CAPTURE(width);
      CAPTURE(count);
      const std::uint64_t mask = width == 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
      (void)size_of(count, [&](std::size_t number) {
        const std::uint64_t bits = number == 0 ? 0 : number == 1 ? mask : static_cast<std::uint64_t>(scattered(number));
        return std::bit_cast<std::int64_t>((bits & mask) - mask / 2);
      });
    }
}

TEST_CASE("Booleans and nulls take a bit each, or less") {
  CHECK(size_of(many, [](std::size_t number) { return scattered(number) < 0; }) < many / 8 + around);
  CHECK(size_of(many, [](std::size_t) { return true; }) < around);
  CHECK(size_of(many, [](std::size_t) { return value(); }) < around);
  CHECK(size_of(many, [](std::size_t number) { return scattered(number) < 0 ? value() : value(5); }) <
        many / 8 + around);
  CHECK(size_of(many, [](std::size_t number) { return number < 5'000 ? value() : value("x"); }) < around);
}

TEST_CASE("Doubles take 64 bits, or what tells them apart") {
  CHECK(size_of(many, [](std::size_t) { return 0.1; }) < around);
  CHECK(size_of(many, [](std::size_t number) { return static_cast<double>(scattered(number)) / 3; }) <
        many * 8 + around);
  CHECK(size_of(many, [](std::size_t number) { return 1.0 + static_cast<double>(number % 256) / 256; }) <
        many * 9 / 8 + around);
  CHECK(size_of(many, [](std::size_t number) {
          return number % 2 == 0 ? -0.0 : testing::double_of_bits(0x7ff8'0000'0000'0001U);
        }) < many * 8 + around);
}

TEST_CASE("Texts of which few differ take the size of a number each") {
  CHECK(size_of(many, [](std::size_t) { return "always the same text"; }) < around + 40);
  const auto name = [](std::size_t number) { return "station " + std::to_string(scattered(number) & 0xff); };
  CHECK(size_of(many, name) < many + 256 * 12 + around);
  CHECK(size_of(many, [&](std::size_t number) { return bytes{name(number)}; }) < many + 256 * 12 + around);
  CHECK(size_of(many, [](std::size_t number) { return std::string(number % 3, 'x'); }) < many / 4 + around);
  CHECK(size_of(many, [](std::size_t) { return ""; }) < around);
}

TEST_CASE("Texts that differ in one byte, wherever it is, are told apart") {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 15U, 16U, 17U, 24U, 100U})
    (void)size_of(1'000, [&](std::size_t number) {
      std::string text(size, 'x');
      text[number * 7 % size] = static_cast<char>('a' + number % 3);
      return text;
    });
}

TEST_CASE("Texts that all differ take their bytes, and what their lengths need") {
  const auto name = [](std::size_t number) { return std::to_string(10'000 + number) + " is a number"; };
  CHECK(size_of(many, name) < many * 17 + around);
  CHECK(size_of(many, [](std::size_t number) { return std::string(number % 64, 'x') + std::to_string(number); }) <
        many * (32 + 4 + 1) + around);
}

TEST_CASE("Equal lists and maps are stored once, others as they are") {
  const value nested = value::map({{"a", value::list({1, 2.5, nullptr})}, {"b", bytes{"\xff"}}});
  CHECK(size_of(many, [&](std::size_t) { return nested; }) < around);
  CHECK(size_of(500, [](std::size_t number) { return value::list({integer(number), "x"}); }) < 500 * 10);
  CHECK(size_of(500, [&](std::size_t number) { return number % 3 == 0 ? nested : value(integer(number)); }) < 4'000);
}

TEST_CASE("Columns whose kinds change from row to row, and from group to group, read as they were written") {
  testing::random_values random(tarn_test::seed_of_this_run());
  CAPTURE(tarn_test::seed_of_this_run());
  for (int round = 0; round < 20; ++round) {
    const std::size_t period = 1 + random.below(9'000);
    const std::size_t kinds = 1 + random.below(8);
    (void)size_of(1 + random.below(20'000), [&](std::size_t number) {
      switch (number / period % kinds) {
        case 0: return value(integer(number));
        case 1: return value();
        case 2: return value(std::to_string(number));
        case 3: return value(number % 7 == 0);
        case 4: return value(0.5 * static_cast<double>(number));
        case 5: return value(bytes{std::to_string(number % 5)});
        case 6: return value::list({integer(number)});
        default: return value::map({{"k", integer(number)}});
      }
    });
  }
}

TEST_CASE("A projection reads its columns only, and damage elsewhere does not matter to it") {
  const rows written = make_rows(20'000, [](std::size_t number) {
    return row{integer(number), "text " + std::to_string(number), 0.5 * static_cast<double>(number), number % 2 == 0};
  });
  std::string object = encode(written);
  columnar_cursor<> all = open(object, 4);
  while (all.next()) continue;
  CHECK(all.statistics().groups == 3);
  CHECK(all.statistics().chunks == 12);

  // Every byte of the texts of the first group is wrong now.
  const std::size_t first_text = object.find("text 0text 1");
  REQUIRE(first_text != std::string::npos);
  for (std::size_t at = 0; at < 8'192 * 6; ++at) object[first_text + at] = '\xff';
  for (const bool checksum_verified : {false, true}) {
    object_expectation expected = expectation_of(4);
    expected.checksum_verified = checksum_verified;
    columnar_cursor<> damaged = columnar_codec{}.open(object, expected).value();
    CHECK_FALSE(damaged.next());
    CHECK(damaged.status().error().code() == errc::corrupt);
    CHECK(damaged.status().error().message().starts_with(
        "_table_x_00000000-0000-0001-0000-000000000002: rows 0 to 8191, column 1: the object is damaged: "));

    columnar_cursor<> cursor = columnar_codec{}.open(object, expected).value();
    const std::size_t wanted[] = {0, 3};
    cursor.select({wanted, 2});
    std::size_t count = 0;
    for (; cursor.next(); ++count) {
      const list_view read = cursor.row();
      if (!(read[0] == written[count][0] && read[1].is_null() && read[2].is_null() && read[3] == written[count][3]))
        FAIL("row ", count, " differs");
    }
    CHECK(cursor.status());
    CHECK(count == written.size());
    CHECK(cursor.statistics().chunks == 6);
    CHECK(cursor.statistics().chunk_bytes < all.statistics().chunk_bytes / 50);
  }
}

TEST_CASE("A value of a column that was not selected is read when it is asked for, once for each group") {
  const rows written = make_rows(9'000, [](std::size_t number) {
    return row{integer(number), std::to_string(number)};
  });
  const std::string object = encode(written);
  columnar_cursor<> cursor = open(object, 2);
  cursor.select({});
  value_view fetched;
  CHECK_FALSE(cursor.fetch(0, fetched));
  for (std::size_t number = 0; number < written.size(); ++number) {
    REQUIRE(cursor.next());
    if (number % 100 != 0 || number > 8'000) continue;
    REQUIRE(cursor.fetch(1, fetched));
    CHECK(fetched == written[number][1]);
    CHECK(cursor.row()[1].is_null());
  }
  CHECK_FALSE(cursor.fetch(2, fetched));
  CHECK_FALSE(cursor.next());
  CHECK(cursor.statistics().groups == 2);
  CHECK(cursor.statistics().chunks == 1);
}

TEST_CASE("A batch hands out a column as an array, with what is null") {
  const rows written = make_rows(10'000, [](std::size_t number) {
    const auto real = static_cast<double>(number);
    return row{integer(number),
               number % 2 == 0 ? value() : value(real),
               number % 3 == 0,
               std::to_string(number),
               bytes{"b"},
               nullptr,
               number % 2 == 0 ? value(1) : value("mixed"),
               value::list({integer(number)})};
  });
  const std::string object = encode(written);
  columnar_cursor<> cursor = open(object, 8);
  std::size_t first = 0;
  while (cursor.next_batch()) {
    const row_batch& batch = cursor.batch();
    REQUIRE(batch.column_count() == 8);
    const std::span<const std::int64_t> integers(batch.column(0).integers());
    REQUIRE(integers.size() == batch.rows());
    CHECK(batch.column(0).doubles().empty());
    CHECK_FALSE(batch.column(0).has_nulls());
    CHECK(batch.column(1).has() == column_view::form::doubles);
    CHECK(batch.column(1).has_nulls());
    CHECK(batch.column(5).has() == column_view::form::nulls);
    CHECK(batch.column(6).has() == column_view::form::values);
    for (std::size_t index = 0; index < batch.rows(); ++index) {
      const std::size_t number = first + index;
      const bool agrees = integers[index] == integer(number) && batch.column(1).is_null(index) == (number % 2 == 0) &&
                          batch.column(1).doubles()[index] == (number % 2 == 0 ? 0.0 : static_cast<double>(number)) &&
                          batch.column(2).booleans()[index] == (number % 3 == 0) &&
                          batch.column(3).strings()[index] == std::to_string(number) &&
                          batch.column(4).bytes()[index] == "b" && batch.column(5).is_null(index) &&
                          batch.column(6).values()[index] == written[number][6] &&
                          batch.column(7).values()[index] == written[number][7];
      if (!agrees) FAIL("row ", number, " differs");
    }
    first += batch.rows();
  }
  CHECK(cursor.status());
  CHECK(first == written.size());
  CHECK_FALSE(cursor.next());
}

TEST_CASE("Rows and batches can be taken in turn: nothing is left out or comes twice") {
  const rows written = make_rows(20'000, [](std::size_t number) { return row{integer(number), integer(number) * 2}; });
  const std::string object = encode(written);
  for (const std::size_t taken : {0U, 1U, 255U, 256U, 257U, 8'191U, 8'192U, 8'193U, 19'999U, 20'000U}) {
    CAPTURE(taken);
    columnar_cursor<> cursor = open(object, 2);
    for (std::size_t number = 0; number < taken; ++number) REQUIRE(cursor.next());
    if (taken == written.size()) {
      CHECK_FALSE(cursor.next_batch());
      continue;
    }
    REQUIRE(cursor.next_batch());
    CHECK(cursor.row().empty());
    CHECK(cursor.batch().column(0).integers()[0] == integer(taken));
    std::size_t next = taken + cursor.batch().rows();
    for (; cursor.next(); ++next) CHECK(cursor.row()[1] == value(2 * integer(next)));
    CHECK(next == written.size());
  }
}

TEST_CASE("A group whose bounds say enough is left out without being read") {
  const std::string object = encode(make_rows(20'000, [](std::size_t number) {
    return row{integer(number), 0.25 * static_cast<double>(number), "key " + std::to_string(10'000 + number),
               number == 9'000 ? value("odd") : value(1)};
  }));
  columnar_cursor<> cursor = open(object, 4);
  static_assert(group_cursor<columnar_cursor<>>);
  CHECK(cursor.group_ahead() == 8'192);
  CHECK(cursor.bounds_ahead(0).min == value(0));
  CHECK(cursor.bounds_ahead(0).max == value(8'191));
  CHECK(cursor.bounds_ahead(1).min == value(0.0));
  CHECK(cursor.bounds_ahead(1).max == value(0.25 * 8'191));
  CHECK(cursor.bounds_ahead(2).min == value("key 1000"));
  CHECK(cursor.bounds_ahead(2).max == value("key 181:"));  // more than any "key 1819..."
  CHECK(cursor.bounds_ahead(3).bounded);
  CHECK_FALSE(cursor.bounds_ahead(4).bounded);
  cursor.skip_group();
  CHECK_FALSE(cursor.bounds_ahead(3).bounded);
  REQUIRE(cursor.next());
  CHECK(cursor.row()[0] == value(8'192));
  for (std::size_t number = 8'193; number < 2 * 8'192; ++number) {
    REQUIRE(cursor.group_ahead() == 0);  // the current one has rows left
    REQUIRE(cursor.next());
  }
  CHECK(cursor.group_ahead() == 20'000 - 2 * 8'192);
  cursor.skip_group();
  CHECK(cursor.group_ahead() == 0);
  CHECK_FALSE(cursor.next());
  CHECK(cursor.status());
  CHECK(cursor.statistics().groups_skipped == 2);
  CHECK(cursor.statistics().chunks == 4);
}

TEST_CASE("Groups can be left out between batches, too") {
  const std::string object = encode(make_rows(20'000, [](std::size_t number) { return row{integer(number)}; }));
  columnar_cursor<> cursor = open(object, 1);
  REQUIRE(cursor.next_batch());
  REQUIRE(cursor.group_ahead() == 8'192);
  cursor.skip_group();
  column_view values;
  CHECK(cursor.batch().rows() == 0);
  CHECK_FALSE(cursor.fetch_column(0, values));
  REQUIRE(cursor.next_batch());
  CHECK(cursor.batch().column(0).integers()[0] == 2 * 8'192);
}

TEST_CASE("Nothing is known of a group ahead once the cursor has failed, or is at its end") {
  std::string object = encode(make_rows(20'000, [](std::size_t number) { return row{integer(number)}; }));
  columnar_cursor<> cursor = open(object, 1);
  while (cursor.next_batch()) continue;
  CHECK(cursor.group_ahead() == 0);
  CHECK(open(encode({}), 0).group_ahead() == 0);
  object[object.find("x") + 20] ^= 1;  // in the first chunk
  columnar_cursor<> damaged = open(object, 1);
  CHECK_FALSE(damaged.next());
  CHECK(damaged.group_ahead() == 0);
  // What is left out is not looked at.
  columnar_cursor<> skipping = open(object, 1);
  skipping.skip_group();
  REQUIRE(skipping.next());
  CHECK(skipping.row()[0] == value(8'192));
}

TEST_CASE("Bounds are true, or there are none") {
  const auto bounds_of = [](std::vector<value> values) {
    const std::string object =
        encode(make_rows(values.size(), [&](std::size_t number) { return row{values[number]}; }));
    return open(object, 1).bounds_ahead(0);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(bounds_of({1.0, nan}).bounded);
  CHECK_FALSE(bounds_of({nan, 1.0}).bounded);
  CHECK_FALSE(bounds_of({1, 2.0}).bounded);
  CHECK_FALSE(bounds_of({value(), value()}).bounded);
  CHECK_FALSE(bounds_of({true, false}).bounded);
  CHECK_FALSE(bounds_of({value::list({1})}).bounded);
  const auto integers = bounds_of({value(), -5, INT64_MIN, value()});
  CHECK(integers.min == value(INT64_MIN));
  CHECK(integers.max == value(-5));
  const auto doubles = bounds_of({-1.5, 1e300, -std::numeric_limits<double>::infinity()});
  CHECK(doubles.min == value(-std::numeric_limits<double>::infinity()));
  CHECK(doubles.max == value(1e300));
  // Of texts only the beginnings are known: what else begins so is in between, too.
  const auto texts = bounds_of({"\xc3\xa9", "a", ""});
  CHECK(texts.min == value(""));
  CHECK(texts.max == value(std::string_view("\xc3\xa9\0\0\0\0\0\1", 8)));
  CHECK(bounds_of({"abcdefgh"}).min == value("abcdefgh"));
  CHECK(bounds_of({"abcdefgh"}).max == value("abcdefgi"));
  CHECK(bounds_of({bytes{"12345678x"}, bytes{"12345678"}}).max == value(bytes{"12345679"}));
  CHECK(bounds_of({bytes{"\0\0"}}).min == value(bytes{""}));
  CHECK(bounds_of({bytes{"1\xff\xff\xff\xff\xff\xff\xff"}}).max == value(bytes{"2"}));
  CHECK(bounds_of({bytes{"\xff\xff\xff\xff\xff\xff\xff"}}).bounded);
  CHECK_FALSE(bounds_of({bytes{"\xff\xff\xff\xff\xff\xff\xff\xff"}}).bounded);  // nothing is greater
}

TEST_CASE("A6: an object with one row is about as large as the row") {
  auto builder = columnar_codec{}.build(example);
  REQUIRE(builder.append({"Ada", 36}));
  const std::size_t estimate = builder.byte_size();
  const std::size_t size = builder.finish().size();
  CHECK(size < 150);
  CHECK(estimate < size + 64);
  CHECK(builder.byte_size() == size);
}

TEST_CASE("A20: a row is copied when it is appended") {
  auto builder = columnar_codec{}.build(example);
  std::string name = "Ada";
  REQUIRE(builder.append({name}));
  name = "Eve";
  auto cursor = builder.read_back();
  REQUIRE(cursor.next());
  CHECK(cursor.row()[0].as_string() == "Ada");
}

TEST_CASE("A row longer than row_bytes_max is refused, and the builder is as before") {
  limits bounds;
  bounds.row_bytes_max = 20;
  auto builder = columnar_codec{}.build(example, bounds);
  REQUIRE(builder.append({nullptr, "fits"}));
  CHECK(builder.append({1, std::string(10, 'x')}));  // 9 and 11
  const std::size_t size = builder.byte_size();
  for (int again = 0; again < 3; ++again) {
    const status refused = builder.append({false, std::string(19, 'x')});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::limit_exceeded);
    CHECK(refused.error().message() ==
          "the row has 21 bytes, limits::row_bytes_max is 20: split the row or raise the limit");
    CHECK_FALSE(builder.append({"some text", value::list({1, 2, 3})}));
    CHECK_FALSE(builder.append({value::list({1}), value::list({1, 2, 3})}));
  }
  CHECK(builder.byte_size() == size);
  CHECK(builder.rows() == 2);
  const status narrow = builder.append({1});
  REQUIRE_FALSE(narrow);
  CHECK(narrow.error().code() == errc::invalid_argument);
  const value map = value::map({{"k", 1}});
  CHECK_FALSE(builder.append({map, 2.5}));  // 12 and 9
  CHECK(builder.append({map, "seven b"}));
  const rows expected{{nullptr, "fits"}, {1, std::string(10, 'x')}, {map, "seven b"}};
  CHECK(builder.rows() == 3);
  CHECK(read_all(builder.read_back()) == expected);
  CHECK(std::string(builder.finish()) == encode(expected));
}

TEST_CASE("A builder that was restarted, or has refused its first row, is as a new one") {
  limits bounds;
  bounds.row_bytes_max = 20;
  auto builder = columnar_codec{}.build(example, bounds);
  CHECK_FALSE(builder.append({1, std::string(100, 'x')}));
  CHECK(builder.finish() == encode({}));
  builder.restart(example);
  for (int count = 0; count < 9'000; ++count) REQUIRE(builder.append({1, "x"}));
  builder.restart(example);
  CHECK(builder.finish() == encode({}));
  builder.restart(example);
  REQUIRE(builder.append({"one column"}));
  CHECK(builder.finish() == encode({{"one column"}}));
}

TEST_CASE("C18: a row of 100 MB is refused, one of 10,000 values is kept") {
  auto builder = columnar_codec{}.build(example);
  {
    const std::size_t before = tarn_test::live_bytes();
    const std::string large(100'000'000, 'x');
    const status refused = builder.append({large});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::limit_exceeded);
    CHECK(tarn_test::live_bytes() - before < 101'000'000);
  }
  row wide;
  for (std::int64_t column = 0; column < 10'000; ++column) wide.emplace_back(column);
  for (int count = 0; count < 30; ++count) REQUIRE(builder.append(wide));
  CHECK(read_all(builder.read_back()) == rows(30, wide));
}

TEST_CASE("Reading back copies what is encoded only if a group is filled meanwhile, and then once") {
  auto builder = columnar_codec{}.build(example);
  std::string noise(100'000, 'x');
  const auto append = [&](int number) {
    for (std::size_t at = 0; at < noise.size(); ++at) noise[at] = static_cast<char>('a' + scattered(at) % 16 + number);
    REQUIRE(builder.append({noise}));
  };
  for (int number = 0; number < 11; ++number) append(number % 4);  // fills a group
  const std::size_t before = tarn_test::live_bytes();
  {
    const columnar_cursor<> cursor = builder.read_back();
    CHECK(tarn_test::live_bytes() - before < 10'000);
  }
  columnar_cursor<> first = builder.read_back();
  columnar_cursor<> second = builder.read_back();
  for (int number = 0; number < 11; ++number) append(number % 4);
  CHECK(read_all(std::move(first)).size() == 11);
  CHECK(read_all(std::move(second)).size() == 11);
  CHECK(read_all(builder.read_back()).size() == 22);
}

TEST_CASE("A cursor that reads back stays valid when the builder is finished or gone") {
  columnar_cursor<> cursor = [] {
    auto builder = columnar_codec{}.build(example);
    REQUIRE(builder.append({1}));
    REQUIRE(builder.append({"two"}));
    columnar_cursor<> reading = builder.read_back();
    REQUIRE(builder.append({3}));
    CHECK(builder.finish().size() > 0);
    return reading;
  }();
  CHECK(read_all(std::move(cursor)) == rows{{1}, {"two"}});
}

TEST_CASE("A finished object can be read back and finished again") {
  auto builder = columnar_codec{}.build(example);
  REQUIRE(builder.append({1}));
  const std::string text(builder.finish());
  CHECK(builder.finish() == text);
  CHECK(read_all(builder.read_back()).size() == 1);
}

TEST_CASE("A row that is too long ends the reading where it is, and a value that is nested too deep its group") {
  const rows written = make_rows(1'000, [](std::size_t number) {
    return row{integer(number), number == 700 ? std::string(500, 'x') : std::string("short")};
  });
  const std::string object = encode(written);
  limits tight;
  tight.row_bytes_max = 100;
  columnar_cursor<> cursor = columnar_codec{}.open(object, expectation_of(2), tight).value();
  std::size_t count = 0;
  while (cursor.next()) ++count;
  CHECK(count == 700);
  CHECK(cursor.status().error().code() == errc::limit_exceeded);
  CHECK(cursor.status().error().message() ==
        "_table_x_00000000-0000-0001-0000-000000000002: row 700 is longer than limits::row_bytes_max, which is 100, "
        "allows");
  columnar_cursor<> batches = columnar_codec{}.open(object, expectation_of(2), tight).value();
  CHECK_FALSE(batches.next_batch());
  CHECK(batches.status().error().code() == errc::limit_exceeded);
  CHECK_FALSE(batches.next());

  const std::string deep = encode({{1}, {testing::nested(1, 10)}});
  tight = limits{};
  tight.nesting_depth_max = 9;
  columnar_cursor<> shallow = columnar_codec{}.open(deep, expectation_of(1), tight).value();
  CHECK_FALSE(shallow.next());
  CHECK(shallow.status().error().code() == errc::limit_exceeded);
  tight.nesting_depth_max = 10;
  CHECK(read_all(columnar_codec{}.open(deep, expectation_of(1), tight).value()).size() == 2);
}

TEST_CASE("Once its memory is there, a cursor allocates nothing, whatever the rows are") {
  testing::random_values random(1);
  const rows some = make_rows(100, [&](std::size_t) { return random.next_row(5); });
  auto builder = columnar_codec{}.build(example);
  for (int round = 0; round < 500; ++round)
    for (const row& each : some) REQUIRE(builder.append(each));
  const std::string object(builder.finish());
  columnar_cursor<> cursor = open(object, 5);
  for (int count = 0; count < 9'000; ++count) REQUIRE(cursor.next());
  const std::size_t before = tarn_test::allocations();
  while (cursor.next()) continue;
  CHECK(tarn_test::allocations() == before);
  CHECK(cursor.statistics().groups >= 6);
}

TEST_CASE("Lists that each claim all of the bytes that are left take no more memory than those could have") {
  std::string bytes;
  constexpr std::size_t depth = 60;
  constexpr std::size_t size = 20'000;
  for (std::size_t at = 0; at < depth; ++at) {
    std::string head;
    columnar::append_varint(head, size - bytes.size() - 3);  // three bytes themselves
    bytes += head;
    bytes.push_back(static_cast<char>(kind::list));
  }
  bytes.resize(size);
  arena memory;
  value_view value;
  columnar::value_reader<> reader(64);
  CHECK(reader.read(kind::list, bytes, memory, value) == columnar::outcome::damaged);
  CHECK(memory.byte_size() <= size * sizeof(value_view));
}
