// bounds_builder.hpp and may_match.hpp: the bounds of an object are true, and an object with a matching row is never
// left alone.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <tarn/log/entry_reader.hpp>
#include <tarn/log/entry_writer.hpp>
#include <tarn/table/bounds_builder.hpp>
#include <tarn/table/may_match.hpp>
#include <tarn/testing/random_values.hpp>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"
#include "../support/sample_entry.hpp"

using namespace tarn;
using tarn_test::random_source;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// An object with one column `c` of these values.
data_object object_of(const std::vector<value>& values, const limits& bounds = {}) {
  schema columns{"c"};
  columns.number_columns();
  bounds_builder builder(columns, bounds);
  for (const value& each : values) {
    const value_view view = each;
    builder.add(list_view(&view, 1));
  }
  data_object made;
  made.described = true;
  made.rows = values.size();
  made.bounds = builder.finish();
  return made;
}

bool may_match_column(const data_object& object, comparison how, const value& operand,
                      column_type type = column_type::any) {
  schema columns{{"c", type}};
  columns.number_columns();
  return may_match(row_filter::make(filter{{"c", how, operand}}, columns).value(), object);
}

bool is_bounded_by(const std::vector<value>& values, const value& min, const value& max) {
  const data_object object = object_of(values);
  const column_bounds& found = object.bounds->front();
  return found.bounded && found.min == min && found.max == max;
}

bool has_no_bounds(const std::vector<value>& values) { return !object_of(values).bounds->front().bounded; }

}  // namespace

TEST_CASE("bounds are the least and the greatest value of one kind") {
  CHECK(is_bounded_by({3, 1, 2}, 1, 3));
  CHECK(is_bounded_by({INT64_MAX, INT64_MIN, nullptr}, INT64_MIN, INT64_MAX));
  CHECK(is_bounded_by({2.5, -1e300, infinity, -infinity}, -infinity, infinity));
  CHECK(is_bounded_by({0.0}, 0.0, 0.0));
  CHECK(is_bounded_by({true, nullptr}, true, true));
  CHECK(is_bounded_by({true, false}, false, true));
  CHECK(is_bounded_by({"b", "abc", ""}, "", "b"));
  CHECK(is_bounded_by({bytes{"\xff"}, bytes{std::string_view("\0", 1)}}, bytes{std::string_view("\0", 1)},
                      bytes{"\xff"}));
}

TEST_CASE("values without one order have no bounds, from then on, and their nulls are counted") {
  CHECK(has_no_bounds({}));
  CHECK(has_no_bounds({nullptr, nullptr}));
  CHECK(has_no_bounds({1, 1.0}));
  CHECK(has_no_bounds({"a", bytes{"a"}, "b"}));
  CHECK(has_no_bounds({1.0, not_a_number, 2.0}));
  CHECK(has_no_bounds({1.0, -0.0, 2.0}));
  CHECK(has_no_bounds({value::list({}), value::list({})}));
  CHECK(has_no_bounds({value::map({})}));
  const data_object object = object_of({nullptr, 1, "a", nullptr});
  CHECK(object.bounds->front().nulls == 2);
}

TEST_CASE("a bound is never cut: text that is too long is no bound, and does no harm as none") {
  const std::string longest(limits{}.bounds_bytes_max, 'm');
  CHECK(is_bounded_by({"a", longest}, "a", longest));
  CHECK(has_no_bounds({"a", longest + "m"}));
  CHECK(has_no_bounds({longest + "m", "z"}));
  CHECK(is_bounded_by({"a", "z", longest + "m"}, "a", "z"));
  CHECK(is_bounded_by({bytes{"a"}, bytes{longest}}, bytes{"a"}, bytes{longest}));
  CHECK(has_no_bounds({bytes{"a"}, bytes{longest + "m"}}));
}

TEST_CASE("the first columns have bounds, or those that are chosen") {
  schema columns{"a", "b", "c"};
  columns.number_columns();
  limits bounds;
  bounds.bounds_columns_max = 2;
  const row values{1, 2, 3};
  bounds_builder first(columns, bounds);
  first.add(list_view(values));
  const auto of_first = first.finish();
  REQUIRE(of_first->size() == 2);
  CHECK((*of_first)[1].column == column_id{2});
  bounds_builder chosen(columns, {2}, bounds);
  chosen.add(list_view(values));
  const auto of_chosen = chosen.finish();
  REQUIRE(of_chosen->size() == 1);
  CHECK(of_chosen->front().column == column_id{3});
  CHECK(of_chosen->front().min == value(3));
  bounds.bounds_columns_max = 0;
  CHECK_FALSE(bounds_builder(columns, bounds).finish());
}

TEST_CASE("adding a row allocates nothing, unless longer text becomes a bound") {
  schema columns{"integer", "real", "text"};
  columns.number_columns();
  bounds_builder builder(columns, limits{});
  const std::string text(40, 'x');
  const auto add = [&](std::int64_t number, std::string_view string) {
    const value_view values[] = {number, static_cast<double>(number), string};
    builder.add(list_view(values, 3));
  };
  add(0, text);
  add(0, text + "y");
  const std::size_t before = tarn_test::allocations();
  for (std::int64_t number = -500; number < 500; ++number) add(number, text);
  CHECK(tarn_test::allocations() == before);
}

TEST_CASE("bounds read back as they were written, infinities and bytes among them") {
  entry written = tarn_test::sample_entry();
  sequence<action>& actions = *written.actions.find("cities");
  for (const std::vector<value>& values :
       {std::vector<value>{infinity, -infinity}, {bytes{"\xff"}}, {"caf\xc3\xa9 \""}, {INT64_MAX}, {true}, {nullptr}}) {
    actions.back().object.bounds = object_of(values).bounds;
    const result<entry> read = read_entry(write_entry(written), written.at, limits{});
    REQUIRE(read.has_value());
    const column_bounds& before = actions.back().object.bounds->front();
    const column_bounds& after = read->actions.find("cities")->back().object.bounds->front();
    CHECK(after.column == before.column);
    CHECK(after.nulls == before.nulls);
    CHECK(after.bounded == before.bounded);
    CHECK(after.min == before.min);
    CHECK(after.max == before.max);
  }
}

TEST_CASE("objects are left alone if no value of theirs can match") {
  const data_object object = object_of({10, nullptr, 20});
  struct expectation {
    comparison how;
    value operand;
    bool may;
  };
  for (const expectation& each : {expectation{equals, 9, false},
                                  {equals, 10, true},
                                  {equals, 15.5, true},
                                  {equals, 20.5, false},
                                  {equals, "15", false},
                                  {equals, not_a_number, false},
                                  {differs, 10, true},
                                  {differs, "15", true},
                                  {less_than, 10, false},
                                  {less_than, 10.5, true},
                                  {at_most, 9, false},
                                  {at_most, 10, true},
                                  {greater_than, 20, false},
                                  {greater_than, 19, true},
                                  {at_least, 21, false},
                                  {at_least, 20, true},
                                  {is_null, nullptr, true},
                                  {is_not_null, nullptr, true}}) {
    CAPTURE(static_cast<int>(each.how));
    CHECK(may_match_column(object, each.how, each.operand) == each.may);
  }
  CHECK_FALSE(may_match_column(object_of({7, 7}), differs, 7.0));
  CHECK_FALSE(may_match_column(object_of({7, 7}), is_null, nullptr));
  CHECK_FALSE(may_match_column(object_of({nullptr}), is_not_null, nullptr));
  CHECK_FALSE(may_match_column(object_of({nullptr}), differs, 1));
}

TEST_CASE("what is not known may match: objects without bounds, and columns that they do not tell of") {
  data_object object = object_of({10});
  schema columns{"c", "later"};
  columns.number_columns();
  CHECK(may_match(row_filter::make(filter{{"later", is_null}}, columns).value(), object));
  CHECK_FALSE(may_match_column(object, equals, 11));
  object.bounds = {};
  CHECK(may_match_column(object, equals, 11));
}

TEST_CASE(
    "integers that are read as doubles, since their column was widened, keep bounds that are rounded as they are") {
  const std::int64_t odd = (std::int64_t{1} << 53) + 3;  // rounds up
  const data_object object = object_of({odd});
  CHECK_FALSE(may_match_column(object, at_least, odd + 1));
  CHECK(may_match_column(object, at_least, odd + 1, column_type::real));
}

TEST_CASE("LAW: an object that has a matching row is never left alone") {
  constexpr comparison all[] = {equals, differs, less_than, at_most, greater_than, at_least, is_null, is_not_null};
  std::uint64_t skipped = 0, read = 0;
  for (std::uint64_t history = 0; history < 4'000; ++history) {
    const std::uint64_t seed = tarn_test::seed_of_this_run() + history;
    CAPTURE(seed);
    random_source random(seed);
    testing::random_values any(seed);
    // Objects of one kind mostly, else there would be few bounds; values that meet one another.
    const std::size_t kind = random.below(6);
    const auto next = [&](std::size_t of) -> value {
      switch (of) {
        case 0: return static_cast<std::int64_t>(random.below(20)) - 10;
        case 1: {
          constexpr double special[] = {0.0, -0.0, not_a_number, infinity, -infinity, 0.5};
          return random.chance(20) ? special[random.below(6)] : static_cast<double>(random.below(40)) / 2 - 10;
        }
        case 2: return std::string(random.chance(5) ? 70 : random.below(3), static_cast<char>('a' + random.below(4)));
        case 3: return bytes{std::string(random.below(3), static_cast<char>(random.below(256)))};
        case 4: return random.chance(50);
        default: return any.next(1);
      }
    };
    std::vector<value> values;
    for (std::size_t count = 1 + random.below(6); count > 0; --count)
      values.push_back(random.chance(15) ? value() : next(random.chance(3) ? random.below(6) : kind));
    const data_object object = object_of(values);
    for (int times = 0; times < 8; ++times) {
      const comparison how = all[random.below(8)];
      value operand = next(random.chance(80) ? kind : random.below(2));
      if (value_view(operand).is_null()) operand = 0;
      const condition wanted{"c", how, operand};
      bool matches = false;
      for (const value& each : values) matches = matches || wanted.holds_for(each);
      const bool may = may_match_column(object, how, operand);
      REQUIRE((may || !matches));
      ++(may ? read : skipped);
    }
  }
  CHECK(skipped > 3'000);
  CHECK(read > 3'000);
}

TEST_CASE("Bounds of texts are those that comparing all of them finds, whatever they begin with") {
  tarn_test::random_source random(tarn_test::seed_of_this_run());
  CAPTURE(tarn_test::seed_of_this_run());
  for (int round = 0; round < 500; ++round) {
    const tarn::schema columns{"text"};
    tarn::bounds_builder<> builder(columns, tarn::limits{});
    std::string least, greatest;
    for (int count = 0; count < 20; ++count) {
      std::string text(random.below(4) == 0 ? random.below(3) : 7 + random.below(4), 'a');
      for (std::size_t at = random.below(2) * 6; at < text.size(); ++at) text[at] = "\0ab\x7f"[random.below(4)];
      if (count == 0 || text < least) least = text;
      if (count == 0 || text > greatest) greatest = text;
      const tarn::value_view values[] = {text};
      builder.add({values, 1});
    }
    const auto bounds = builder.finish();
    REQUIRE((*bounds)[0].bounded);
    REQUIRE((*bounds)[0].min == tarn::value(least));
    REQUIRE((*bounds)[0].max == tarn::value(greatest));
  }
}
