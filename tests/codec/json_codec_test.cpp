#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tarn/codec/json_codec.hpp>
#include <type_traits>
#include <utility>

#include "../support/counting_allocator.hpp"

using namespace tarn;

static_assert(row_codec<json_codec>);
static_assert(row_builder<json_builder<>>);
static_assert(json_codec::name == "json");
static_assert(std::is_empty_v<json_codec>);

namespace {

constexpr object_identity example{"x", {1, 2}};

[[nodiscard]] std::size_t count_rows(json_cursor<> cursor) {
  std::size_t count = 0;
  while (cursor.next()) ++count;
  CHECK(cursor.status());
  return count;
}

}  // namespace

TEST_CASE("The bytes of an object with every kind of value are a decision: these") {
  auto builder = json_codec{}.build(example);
  REQUIRE(builder.append({nullptr, true, -17, 2.5}));
  REQUIRE(builder.append(
      {"a\"\n\xc3\xa9", bytes{"\x01\x02"}, value::list({1, value::list({})}), value::map({{"$k", -0.0}})}));
  CHECK(builder.finish() ==
        "{\"Codec\":\"json\",\"Table\":\"x\",\"Name\":\"00000000-0000-0001-0000-000000000002\",\"Data\":[[null,true,-"
        "17,2.5],"
        "[\"a\\\"\\n\xc3\xa9\",{\"$bytes\":\"AQI=\"},[1,[]],{\"$$k\":-0.0}]],\"Len\":2,\"Checksum\":\"c0690315\"}");
}

TEST_CASE("A6: an object with one row is about as large as the row") {
  auto builder = json_codec{}.build(example);
  REQUIRE(builder.append({"Ada", 36}));
  const std::size_t estimate = builder.byte_size();
  const std::size_t size = builder.finish().size();
  CHECK(size < 150);
  CHECK(estimate >= size);
  CHECK(estimate < size + 64);
}

TEST_CASE("A9: text that looks like an escape and bytes are told apart") {
  auto builder = json_codec{}.build(example);
  REQUIRE(builder.append({value::map({{"$bytes", "QQ=="}}), bytes{"A"}, R"({"$bytes":"QQ=="})"}));
  const std::string text(builder.finish());
  object_expectation expected;
  expected.identity = example;
  expected.columns = 3;
  auto cursor = json_codec{}.open(text, expected);
  REQUIRE(cursor);
  REQUIRE(cursor->next());
  CHECK(cursor->row()[0] == value_view(value::map({{"$bytes", "QQ=="}})));
  CHECK(cursor->row()[1] == value_view(bytes{"A"}));
  CHECK(cursor->row()[2] == value_view(R"({"$bytes":"QQ=="})"));
}

TEST_CASE("A20: a row is copied when it is appended") {
  auto builder = json_codec{}.build(example);
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
  auto builder = json_codec{}.build(example, bounds);
  REQUIRE(builder.append({"fits"}));
  CHECK(builder.append({std::string(16, 'x')}));  // 20 with brackets and quotes
  const std::size_t size = builder.byte_size();
  const status refused = builder.append({std::string(17, 'x')});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == errc::limit_exceeded);
  CHECK(refused.error().message() ==
        "the row's text has 21 bytes, limits::row_bytes_max is 20: split the row or raise the limit");
  CHECK(builder.byte_size() == size);
  CHECK(builder.rows() == 2);
  CHECK(count_rows(builder.read_back()) == 2);
  CHECK(builder.append({1}));
  CHECK(builder.rows() == 3);
}

TEST_CASE("Rows are what they would be each alone, whatever their lengths, plain or not, refused ones between them") {
  limits bounds;
  bounds.row_bytes_max = 5'000;
  auto builder = json_codec{}.build(example, bounds);
  json_writer<> writer;
  std::string expected;
  std::uint64_t rows = 0;
  for (std::size_t size = 0; size < 4'990; size += 7) {
    const std::string text(size, 'x');
    const row owned{text, 1, nullptr};
    const std::initializer_list<value_view> plain{text, 1, nullptr};
    const std::initializer_list<value_view> escaped{text, 1, bytes{"x"}};  // no plain row
    for (const row_view each : {row_view(plain), row_view(owned), row_view(escaped)}) {
      std::string alone;
      writer.append(alone, each.values(), json_escapes::tarn);
      const bool fits = alone.size() <= bounds.row_bytes_max;
      REQUIRE(builder.append(each).has_value() == fits);
      if (fits && rows++ > 0) expected += ',';
      if (fits) expected += alone;
      REQUIRE_FALSE(builder.append({text, 1, std::string(5'000, 'y')}));
    }
  }
  REQUIRE(builder.rows() == rows);
  CHECK(count_rows(builder.read_back()) == rows);
  CHECK(builder.finish().find("\"Data\":[" + expected + "],") != std::string_view::npos);
}

TEST_CASE("A builder that was restarted needs no more memory for the same rows, plain or not") {
  const auto fill = [](json_builder<>& builder, bool plain_ones) {
    for (std::int64_t number = 0; number < 2'000; ++number) {
      REQUIRE(builder.append({number, "a \"quoted\" text"}));
      if (plain_ones) REQUIRE(builder.append({number, "text"}));
    }
    return std::string(builder.finish());
  };
  for (const bool plain_ones : {true, false}) {
    auto builder = json_codec{}.build(example);
    const std::string first = fill(builder, plain_ones);
    builder.restart(example);
    const tarn_test::peak_bytes peak;
    const std::string second = fill(builder, plain_ones);
    CHECK(peak.value() < 2 * first.size());  // the copy that is compared
    CHECK(second == first);
  }
}

TEST_CASE("C18: a row of 100 MB is refused, one of 10,000 values is kept") {
  auto builder = json_codec{}.build(example);
  {
    std::string large;
    large.resize(100'000'000, 'x');
    const status refused = builder.append({large});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == errc::limit_exceeded);
  }
  row wide;
  for (std::int64_t column = 0; column < 10'000; ++column) wide.emplace_back(column);
  REQUIRE(builder.append(wide));
  auto cursor = builder.read_back();
  REQUIRE(cursor.next());
  CHECK(row_view(cursor.row()) == row_view(wide));
}

TEST_CASE("Reading back copies the object's text only if rows are appended meanwhile, and then once") {
  auto builder = json_codec{}.build(example);
  const std::string large(100'000, 'x');
  for (int number = 0; number < 10; ++number) REQUIRE(builder.append({large}));
  const std::size_t before = tarn_test::live_bytes();
  {
    const json_cursor<> cursor = builder.read_back();
    CHECK(tarn_test::live_bytes() - before < 10'000);
  }
  REQUIRE(builder.append({1}));
  CHECK(tarn_test::live_bytes() - before < 10'000);

  json_cursor<> first = builder.read_back();
  json_cursor<> second = builder.read_back();
  REQUIRE(builder.append({2}));
  const std::size_t copied = tarn_test::live_bytes() - before;
  CHECK(copied > 1'000'000);
  REQUIRE(builder.append({3}));
  CHECK(tarn_test::live_bytes() - before == copied);
  CHECK(count_rows(std::move(first)) == 11);
  CHECK(count_rows(std::move(second)) == 11);
  CHECK(count_rows(builder.read_back()) == 13);
}

TEST_CASE("A cursor that reads back stays valid when the builder is finished or gone") {
  json_cursor<> cursor = [] {
    auto builder = json_codec{}.build(example);
    REQUIRE(builder.append({1}));
    REQUIRE(builder.append({2}));
    json_cursor<> reading = builder.read_back();
    REQUIRE(builder.append({3}));
    CHECK(builder.finish().size() > 0);
    return reading;
  }();
  CHECK(count_rows(std::move(cursor)) == 2);
}

TEST_CASE("A finished object can be read back and finished again") {
  auto builder = json_codec{}.build(example);
  REQUIRE(builder.append({1}));
  const std::string text(builder.finish());
  CHECK(builder.finish() == text);
  CHECK(count_rows(builder.read_back()) == 1);
}
