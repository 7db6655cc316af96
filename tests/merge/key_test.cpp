#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tarn/core/row.hpp>
#include <tarn/merge/key.hpp>
#include <tarn/testing/random_values.hpp>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"

using namespace tarn;

namespace {

using columns = sequence<std::uint32_t>;

[[nodiscard]] std::string key_of(const row& values, const columns& key) {
  std::string scratch = "left over";
  return std::string(encode_key(values, key, scratch));
}
[[nodiscard]] std::string key_of(const row& values) {
  columns all;
  for (std::size_t column = 0; column < values.size(); ++column) all.push_back(static_cast<std::uint32_t>(column));
  return key_of(values, all);
}

template <std::size_t Size>
[[nodiscard]] std::string raw(const char (&literal)[Size]) {
  return {literal, Size - 1};
}

// -1, 0 or 1, without bytes.
template <class T>
[[nodiscard]] int order_of(const T& a, const T& b) {
  return static_cast<int>(b < a) - static_cast<int>(a < b);
}
[[nodiscard]] int order_of_text(std::string_view a, std::string_view b) {
  for (std::size_t at = 0; at < a.size() && at < b.size(); ++at)
    if (a[at] != b[at]) return order_of(static_cast<unsigned char>(a[at]), static_cast<unsigned char>(b[at]));
  return order_of(a.size(), b.size());
}
[[nodiscard]] int order_of_values(const value_view& a, const value_view& b) {
  REQUIRE(a.kind() == b.kind());
  switch (a.kind()) {
    case kind::integer: return order_of(a.as_integer(), b.as_integer());
    case kind::boolean: return order_of(a.as_boolean(), b.as_boolean());
    case kind::string: return order_of_text(a.as_string(), b.as_string());
    default: return order_of_text(a.as_bytes(), b.as_bytes());
  }
}
void check_parts(const value_view& a, const value_view& b) {
  REQUIRE(order_of(compare_parts(a, b), 0) == order_of_values(a, b));
}
[[nodiscard]] int order_of_rows(const row& a, const row& b) {
  for (std::size_t column = 0; column < a.size(); ++column)
    if (const int order = order_of_values(a[column], b[column]); order != 0) return order;
  return 0;
}

void check_order(const row& a, const row& b) {
  INFO(describe_key(a, {0}), " and ", describe_key(b, {0}));
  const std::string key_a = key_of(a);
  const std::string key_b = key_of(b);
  const int order = order_of_rows(a, b);
  REQUIRE((std::string_view(key_a) < std::string_view(key_b)) == (order < 0));
  REQUIRE((std::string_view(key_a) == std::string_view(key_b)) == (order == 0));
  for (std::size_t column = 0; column < a.size(); ++column) check_parts(a[column], b[column]);
}

// Short, of the bytes that encodings trip over, so that many are equal, and many are prefixes of others.
[[nodiscard]] std::string next_text(tarn_test::random_source& random) {
  constexpr char alphabet[] = {'\0', '\1', '\2', 'a', '\x7f', '\x80', '\xfe', '\xff'};
  std::string text;
  const std::size_t letters = 1 + random.below(sizeof alphabet);
  for (std::size_t size = random.below(5); size > 0; --size)
    text += alphabet[(random.below(letters) * 7) % sizeof alphabet];  // 0 and 255 are the likeliest
  return text;
}

[[nodiscard]] value next_value(tarn_test::random_source& random, kind of) {
  switch (of) {
    case kind::integer: {
      constexpr std::int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -256, -1, 0, 1, 255, 256, INT64_MAX - 1, INT64_MAX};
      return random.chance(70) ? value(edges[random.below(10)])
                               : value(static_cast<std::int64_t>(random.next() >> random.below(64)));
    }
    case kind::boolean: return value(random.chance(50));
    case kind::string: return value(next_text(random));
    default: return value(bytes{next_text(random)});
  }
}

}  // namespace

TEST_CASE("The bytes of keys stay what they are") {
  CHECK(key_of({0}) == raw("\x80\0\0\0\0\0\0\0"));
  CHECK(key_of({-1}) == raw("\x7f\xff\xff\xff\xff\xff\xff\xff"));
  CHECK(key_of({INT64_MIN}) == raw("\0\0\0\0\0\0\0\0"));
  CHECK(key_of({0x0102'0304'0506'0708}) == raw("\x81\2\3\4\5\6\7\x08"));
  CHECK(key_of({false}) == raw("\0"));
  CHECK(key_of({true}) == "\1");
  CHECK(key_of({raw("a\0b")}) == raw("a\0b"));
  CHECK(key_of({""}).empty());
  CHECK(key_of({bytes{"\xff"}}) == "\xff");
  CHECK(key_of({"a", ""}) == raw("a\0\1\0\1"));
  CHECK(key_of({raw("\0b"), true}) == raw("\0\xff"
                                          "b\0\1\1"));
  CHECK(key_of({bytes{std::string_view("\xff\0", 2)}, 1}) == raw("\xff\0\xff\0\1\x80\0\0\0\0\0\0\1"));
}

TEST_CASE("A key is of the columns that are asked for, in their order") {
  const row values{"x", 7, nullptr, true, 0.5};
  CHECK(key_of(values, {3, 0}) == raw("\1x\0\1"));
  CHECK(key_of(values, {0}) == "x");
}

TEST_CASE("Neighbouring strings of two columns do not run into each other") {
  CHECK(key_of({"a", "bc"}) != key_of({"ab", "c"}));
  CHECK(key_of({"", "a"}) != key_of({"a", ""}));
  CHECK(key_of({"", raw("\0\1")}) != key_of({raw("\0\1"), ""}));
  CHECK(key_of({"a", 5}) < key_of({raw("a\0"), 0}));
}

TEST_CASE("Keys of one column are ordered as its values are, and as these compare") {
  for (const std::vector<value>& all : {testing::edge_integers(), testing::edge_bytes(), testing::edge_strings()})
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a % 7; b < all.size(); b += 7) check_order({all[a]}, {all[b]});
  check_order({false}, {true});
}

TEST_CASE("Keys of random columns are ordered as their values are, column by column") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  constexpr kind kinds[] = {kind::integer, kind::boolean, kind::string, kind::bytes};
  for (int round = 0; round < 20'000; ++round) {
    row a;
    row b;
    for (std::size_t column = 1 + random.below(5); column > 0; --column) {
      const kind of = kinds[random.below(4)];
      a.push_back(next_value(random, of));
      b.push_back(random.chance(50) ? a.back() : next_value(random, of));
    }
    check_order(a, b);
  }
}

TEST_CASE("A single text is its own key, and others allocate nothing once the scratch has grown") {
  const row values{std::string(1'000, 'x'), 7, bytes{std::string(1'000, '\0')}};
  std::string scratch;
  CHECK(encode_key(values, {0}, scratch).data() == value_view(values[0]).as_string().data());
  CHECK(encode_key(values, {2}, scratch).data() == value_view(values[2]).as_bytes().data());
  CHECK(scratch.empty());
  const columns all{0, 1, 2};
  const std::string_view first = encode_key(values, all, scratch);
  CHECK(first.size() == 1'002 + 8 + 2'002);
  CHECK(first.data() == scratch.data());
  const std::size_t before = tarn_test::allocations();
  const std::string_view again = encode_key(values, all, scratch);
  CHECK(tarn_test::allocations() == before);
  CHECK(again.size() == 1'002 + 8 + 2'002);
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("A key of what no key can hold fails") {
  CHECK_THROWS_AS((void)key_of({nullptr}), failure);
  CHECK_THROWS_AS((void)key_of({1, 0.5}), failure);
}
#endif

TEST_CASE("A key is described for people, on one line and with a bound") {
  const row values{7, "Ada", true, bytes{std::string_view("\0\xff", 2)}, nullptr, 0.5, raw("a\"\\\n\0\x7f"), -5};
  CHECK(describe_key(values, {0, 1}) == "(7, \"Ada\")");
  CHECK(describe_key(values, {2}) == "(true)");
  CHECK(describe_key(values, {3, 4, 5, 7}) == "(0x00ff, null, double, -5)");
  CHECK(describe_key(values, {6}) == R"(("a\"\\\x0a\x00\x7f"))");
  CHECK(describe_key(row{std::string(64, 'x')}, {0}) == "(\"" + std::string(64, 'x') + "\")");
  CHECK(describe_key(row{std::string(65, 'x')}, {0}) == "(\"" + std::string(64, 'x') + "\"...)");
  // No character is cut in half.
  CHECK(describe_key(row{std::string(63, 'x') + "\xc3\xa9"}, {0}) == "(\"" + std::string(63, 'x') + "\"...)");
  CHECK(describe_key(row{std::string(62, 'x') + "\xc3\xa9!"}, {0}) == "(\"" + std::string(62, 'x') + "\xc3\xa9\"...)");
  CHECK(describe_key(row{std::string(100, '\x80')}, {0}).size() < 80);  // not UTF-8
  CHECK(describe_key(row{bytes{std::string(65, '\1')}}, {0}).size() == 2 + 2 + 128 + 3);
}
