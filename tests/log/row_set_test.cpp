// row_set.hpp: sets of row numbers as ranges, and as text.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/log/row_set.hpp>
#include <vector>

#include "../support/random_source.hpp"

using namespace tarn;
using tarn_test::random_source;

namespace {

row_set set_of(std::initializer_list<row_range> ranges) {
  row_set made;
  for (const row_range& each : ranges) made.add(each);
  return made;
}

// Equal to the set that the flags are, and in the one form that a set has.
void check_same(const row_set& rows, const std::vector<bool>& flags) {
  std::uint64_t count = 0;
  for (std::size_t number = 0; number < flags.size(); ++number) {
    REQUIRE(rows.contains(number) == flags[number]);
    if (flags[number]) ++count;
  }
  REQUIRE(rows.size() == count);
  REQUIRE(rows.empty() == (count == 0));
  for (std::size_t at = 0; at < rows.ranges().size(); ++at) {
    REQUIRE(rows.ranges()[at].first <= rows.ranges()[at].last);
    if (at > 0) REQUIRE(rows.ranges()[at - 1].last + 1 < rows.ranges()[at].first);
  }
}

}  // namespace

TEST_CASE("a set of rows is what a set of flags is, however it comes about") {
  constexpr std::size_t rows = 70;
  for (std::uint64_t history = 0; history < 300; ++history) {
    random_source random(tarn_test::seed_of_this_run() + history);
    CAPTURE(tarn_test::seed_of_this_run() + history);
    row_set set, other;
    std::vector<bool> flags(rows), other_flags(rows);
    const auto add_some = [&](row_set& to, std::vector<bool>& to_flags) {
      const std::size_t first = random.below(rows);
      const std::size_t last = random.chance(60) ? first : first + random.below(rows - first);
      first == last ? to.add(first) : to.add(row_range{first, last});
      for (std::size_t number = first; number <= last; ++number) to_flags[number] = true;
    };
    for (std::size_t step = 1 + random.below(20); step > 0; --step) {
      add_some(set, flags);
      if (random.chance(50)) add_some(other, other_flags);
      check_same(set, flags);
    }
    std::uint64_t common = rows;
    const bool overlap = set.find_common(other, common);
    bool expected = false;
    for (std::size_t number = 0; number < rows; ++number) expected = expected || (flags[number] && other_flags[number]);
    REQUIRE(overlap == expected);
    if (overlap) REQUIRE((flags[static_cast<std::size_t>(common)] && other_flags[static_cast<std::size_t>(common)]));
    for (const std::size_t bound : {1U, 35U, 70U}) {
      bool below = true;
      for (std::size_t number = bound; number < rows; ++number) below = below && !flags[number];
      REQUIRE(set.is_below(bound) == below);
    }
    row_set read;
    REQUIRE(parse_row_set(to_text(set), read));
    REQUIRE(read == set);
    row_set both = set;
    both.add(other);
    for (std::size_t number = 0; number < rows; ++number)
      if (other_flags[number]) flags[number] = true;
    check_same(both, flags);
    other.add(set);
    REQUIRE(other == both);
  }
}

TEST_CASE("rows at the end of all numbers are rows as well") {
  row_set rows = set_of({{UINT64_MAX, UINT64_MAX}, {0, 0}, {UINT64_MAX - 1, UINT64_MAX - 1}});
  CHECK(rows.ranges().size() == 2);
  CHECK(rows.contains(UINT64_MAX));
  CHECK(rows.size() == 3);
  rows.add(row_range{0, UINT64_MAX - 2});
  CHECK(rows.ranges() == sequence<row_range>{{0, UINT64_MAX}});
}

TEST_CASE("what is left of a set without another, of every pair of small sets") {
  constexpr unsigned rows = 6, sets = 1U << rows;
  const auto set_with = [](unsigned members) {
    row_set made;
    for (unsigned number = 0; number < rows; ++number)
      if ((members >> number & 1U) != 0) made.add(number);
    return made;
  };
  for (unsigned mine = 0; mine < sets; ++mine)
    for (unsigned theirs = 0; theirs < sets; ++theirs) {
      row_set left = set_with(mine);
      left.remove(set_with(theirs));
      if (!(left == set_with(mine & ~theirs)))
        FAIL_CHECK(to_text(set_with(mine)), " without ", to_text(set_with(theirs)));
    }
  row_set all;
  all.add(row_range{0, UINT64_MAX});
  row_set ends;
  ends.add(0);
  ends.add(UINT64_MAX);
  all.remove(ends);
  CHECK(all.ranges() == sequence<row_range>{{1, UINT64_MAX - 1}});
}

TEST_CASE("rows are written as people write them") {
  CHECK(to_text(row_set()) == "");
  CHECK(to_text(set_of({{0, 0}, {12, 12}, {3, 7}})) == "0,3-7,12");
  CHECK(to_text(set_of({{3, 3}, {4, 4}, {5, 9}})) == "3-9");
}

TEST_CASE("only what is written so is read, and a refusal changes nothing") {
  row_set read;
  REQUIRE(parse_row_set("0,3-7,12", read));
  const row_set before = read;
  for (const char* const wrong : {",",
                                  "0,",
                                  ",0",
                                  "1,1",
                                  "2,1",
                                  "1,2",
                                  "1-2,3",
                                  "3-3",
                                  "4-3",
                                  "1-",
                                  "-1",
                                  "01",
                                  "00",
                                  "0-01",
                                  "1,,3",
                                  "1 ",
                                  " 1",
                                  "1;3",
                                  "a",
                                  "1-2-3",
                                  "0x1",
                                  "+1",
                                  "1-5,4",
                                  "99999999999999999999",
                                  "18446744073709551615"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_row_set(wrong, read));
    CHECK(read == before);
  }
  CHECK(parse_row_set("", read));
  CHECK(read.empty());
  CHECK(parse_row_set("9999999999999999999", read));
  CHECK(read.contains(9'999'999'999'999'999'999U));
}
