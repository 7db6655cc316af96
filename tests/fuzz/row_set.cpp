// Bytes as two sets of rows, in two lines: deletion vectors of data objects.
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/log/row_set.hpp>
#include <vector>

#include "memory_bound.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

// A range takes 16 bytes and may be written with two, as in 1,3,5; see entry.cpp about growth.
constexpr std::size_t memory_factor = 32;

void check_form(const tarn::row_set& rows) {
  const tarn::sequence<tarn::row_range>& ranges = rows.ranges();
  for (std::size_t at = 0; at < ranges.size(); ++at) {
    expect(ranges[at].first <= ranges[at].last, "a range has its ends in order");
    if (at > 0) expect(ranges[at - 1].last + 1 < ranges[at].first, "ranges are in order, and none touches the next");
  }
}

[[nodiscard]] bool parse(std::string_view text, tarn::row_set& rows) {
  {
    const memory_bound bound(text.size(), memory_factor);
    if (!tarn::parse_row_set(text, rows)) return false;
  }
  check_form(rows);
  expect(tarn::to_text(rows) == text, "a set has one text", text);
  return true;
}

// Where the sets can differ from others: at the ends of their ranges.
[[nodiscard]] std::vector<std::uint64_t> ends_of(const tarn::row_set& a, const tarn::row_set& b) {
  std::vector<std::uint64_t> ends = {0};
  for (const tarn::row_set* each : {&a, &b})
    for (const tarn::row_range& range : each->ranges()) {
      ends.insert(ends.end(), {range.first, range.last, range.last + 1});
      if (range.first > 0) ends.push_back(range.first - 1);
    }
  return ends;
}

void check_pair(const tarn::row_set& a, const tarn::row_set& b) {
  tarn::row_set both = a;
  both.add(b);
  tarn::row_set one_by_one = a;
  for (const tarn::row_range& each : b.ranges()) one_by_one.add(each);
  tarn::row_set left = a;
  left.remove(b);
  for (const tarn::row_set* each : {&both, &one_by_one, &left}) check_form(*each);
  expect(both == one_by_one, "a union does not depend on how it is made");
  std::uint64_t common = 0;
  const bool overlap = a.find_common(b, common);
  expect(!overlap || (a.contains(common) && b.contains(common)), "what is common is in both");
  expect(both.size() >= a.size() && a.size() >= left.size(), "a union is not smaller, and what is left is not larger");
  expect(overlap == (both.size() - a.size() != b.size()), "sets overlap if their sizes say so");
  expect(overlap == (left.size() != a.size()), "sets overlap if one takes something from the other");
  for (const std::uint64_t row : ends_of(a, b)) {
    expect(both.contains(row) == (a.contains(row) || b.contains(row)), "a union has what one of the sets has");
    expect(left.contains(row) == (a.contains(row) && !b.contains(row)), "what is taken out is gone, and no more");
    expect(a.is_below(row) == (a.empty() || a.ranges().back().last < row), "a set is below what is above all of it");
    expect(overlap || !(a.contains(row) && b.contains(row)), "what is common is found");
  }
}

int fuzz_row_set(const unsigned char* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const std::size_t end = text.find('\n');
  tarn::row_set a, b;
  const bool is_set = parse(text.substr(0, end), a);
  if (end != std::string_view::npos && parse(text.substr(end + 1), b) && is_set) {
    check_pair(a, b);
    check_pair(b, a);
  }
  return 0;
}

}  // namespace

const target targets::row_set{"row_set", fuzz_row_set, nullptr};

}  // namespace tarn_test::fuzz
