// filter.hpp and value_order.hpp: which rows a filter is about.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tarn/core/filter.hpp>
#include <tarn/core/value_order.hpp>
#include <tarn/testing/random_values.hpp>
#include <vector>

using namespace tarn;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t two_53 = std::int64_t{1} << 53;

bool holds(const value& found, comparison how, const value& operand = {}) {
  return condition{"c", how, operand}.holds_for(found);
}

}  // namespace

TEST_CASE("numbers compare exactly, whether integers or doubles") {
  // In order; those in one list are equivalent.
  const std::vector<std::vector<value>> ascending = {
      {-infinity},
      {-1e300},
      {INT64_MIN, -0x1p63},
      {INT64_MIN + 1},
      {-two_53 - 1},
      {-two_53, -0x1p53},
      {-1.5},
      {-1, -1.0},
      {-0.5},
      {0, 0.0, -0.0},
      {5e-324},
      {0.5},
      {1, 1.0},
      {two_53, 0x1p53},
      {two_53 + 1},
      {two_53 + 2, 0x1p53 + 2},
      {INT64_MAX - 1},
      {INT64_MAX},
      {0x1p63},
      {1e300},
      {infinity},
  };
  for (std::size_t one = 0; one < ascending.size(); ++one)
    for (std::size_t other = 0; other < ascending.size(); ++other)
      for (const value& a : ascending[one])
        for (const value& b : ascending[other]) {
          CAPTURE(one);
          CAPTURE(other);
          CHECK((compare_values(a, b) == 0) == (one == other));
          CHECK((compare_values(a, b) < 0) == (one < other));
          CHECK((compare_values(a, b) > 0) == (one > other));
        }
}

TEST_CASE("comparing is antisymmetric and transitive for all edge values") {
  std::vector<value> numbers = testing::edge_integers();
  for (const value& each : testing::edge_doubles()) numbers.push_back(each);
  for (std::size_t a = 0; a < numbers.size(); a += 7)
    for (std::size_t b = 0; b < numbers.size(); b += 5) {
      const std::partial_ordering order = compare_values(numbers[a], numbers[b]);
      REQUIRE(compare_values(numbers[b], numbers[a]) == (0 <=> order));
      for (std::size_t c = a % 11; c < numbers.size(); c += 101)
        if (order <= 0 && compare_values(numbers[b], numbers[c]) <= 0)
          REQUIRE(compare_values(numbers[a], numbers[c]) <= 0);
    }
}

TEST_CASE("text compares byte for byte, and values of different kinds do not compare") {
  CHECK(compare_values("a", "b") < 0);
  CHECK(compare_values("", "a") < 0);
  CHECK(compare_values("ab", "a") > 0);
  CHECK(compare_values("\xc3\xa9", "z") > 0);
  CHECK(compare_values(bytes{"\xff"}, bytes{"\x01"}) > 0);
  CHECK(compare_values(false, true) < 0);
  CHECK(compare_values(nullptr, nullptr) == 0);
  const value list = value::list({1, 2}), map = value::map({{"k", 1}});
  CHECK(compare_values(list, value::list({1, 2})) == 0);
  CHECK(compare_values(map, value::map({{"k", 1}})) == 0);
  CHECK(compare_values(list, value::list({1, 3})) == std::partial_ordering::unordered);
  CHECK(compare_values(list, value::list({1, 2.0})) == std::partial_ordering::unordered);
  const std::vector<value> kinds = {nullptr, true, 1, not_a_number, "1", bytes{"1"}, list, map};
  for (std::size_t a = 0; a < kinds.size(); ++a)
    for (std::size_t b = 0; b < kinds.size(); ++b)
      if (a != b) CHECK(compare_values(kinds[a], kinds[b]) == std::partial_ordering::unordered);
  CHECK(compare_values(not_a_number, not_a_number) == std::partial_ordering::unordered);
}

TEST_CASE("each comparison holds for what it says, and null is nothing but null") {
  struct expectation {
    comparison how;
    bool less, equal, greater, another_kind, null;
  };
  for (const expectation& each : {expectation{equals, false, true, false, false, false},
                                  {differs, true, false, true, true, false},
                                  {less_than, true, false, false, false, false},
                                  {at_most, true, true, false, false, false},
                                  {greater_than, false, false, true, false, false},
                                  {at_least, false, true, true, false, false},
                                  {is_null, false, false, false, false, true},
                                  {is_not_null, true, true, true, true, false}}) {
    CAPTURE(static_cast<int>(each.how));
    CHECK(holds(4, each.how, 5) == each.less);
    CHECK(holds(5, each.how, 5) == each.equal);
    CHECK(holds(5.0, each.how, 5) == each.equal);
    CHECK(holds(5.5, each.how, 5) == each.greater);
    CHECK(holds("5", each.how, 5) == each.another_kind);
    CHECK(holds(not_a_number, each.how, 5) == each.another_kind);
    CHECK(holds(5, each.how, not_a_number) == each.another_kind);
    CHECK(holds(nullptr, each.how, 5) == each.null);
  }
}

TEST_CASE("a filter is all of its conditions, on columns that the schema has") {
  const schema columns{"name", "age"};
  const auto matches = [&](const filter& wanted, const row& values) {
    return row_filter::make(wanted, columns).value().matches(list_view(values));
  };
  CHECK(matches({}, {"Ada", 36}));
  CHECK(matches({{"age", at_least, 5}, {"name", equals, "Ada"}}, {"Ada", 36}));
  CHECK_FALSE(matches({{"age", at_least, 5}, {"name", equals, "Ada"}}, {"Ada", 4}));
  CHECK_FALSE(matches({{"age", at_least, 5}, {"name", equals, "Ada"}}, {"Bob", 36}));
  CHECK(matches({{"age", at_least, 5}, {"age", less_than, 6}}, {"Ada", 5.5}));
  CHECK(matches({{"age", is_null}}, {"Ada", nullptr}));
  CHECK(filter({{"age", is_null}}).conditions().size() == 1);

  const auto unknown = row_filter::make({{"Age", equals, 1}}, columns);
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code() == errc::invalid_argument);
  CHECK(unknown.error().message() == "the filter names column 'Age', there are: name age");
  const auto null = row_filter::make({{"age", equals, nullptr}}, columns);
  REQUIRE_FALSE(null.has_value());
  CHECK(null.error().code() == errc::invalid_argument);
  CHECK(null.error().message().find("is_null") != std::string::npos);
}
