// Sets of rows of one data object, by number: those that were deleted from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI {

// Consecutive rows, both ends included.
struct row_range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  friend constexpr bool operator==(const row_range&, const row_range&) = default;
};

// As ranges that are in order, disjoint and not adjacent: equal sets are equal. Memory: 16 bytes for each range.
class row_set {
 public:
  [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
  [[nodiscard]] const sequence<row_range>& ranges() const noexcept { return ranges_; }

  // How many rows are in it. O(ranges).
  template <class = void>
  [[nodiscard]] std::uint64_t size() const noexcept {
    std::uint64_t rows = 0;
    for (const row_range& each : ranges_) rows += each.last - each.first + 1;
    return rows;
  }
  template <class = void>
  [[nodiscard]] bool contains(std::uint64_t number) const noexcept {
    const std::size_t at = first_reaching(number);
    return at < ranges_.size() && ranges_[at].first <= number;
  }
  // Whether all of it is less than `rows`.
  template <class = void>
  [[nodiscard]] bool is_below(std::uint64_t rows) const noexcept {
    return ranges_.empty() || ranges_.back().last < rows;
  }
  // Some row that is in both; false if there is none. O(ranges of both).
  template <class = void>
  [[nodiscard]] bool find_common(const row_set& other, std::uint64_t& number) const noexcept {
    for (std::size_t mine = 0, theirs = 0; mine < ranges_.size() && theirs < other.ranges_.size();) {
      const row_range& a = ranges_[mine];
      const row_range& b = other.ranges_[theirs];
      number = a.first > b.first ? a.first : b.first;
      if (number <= a.last && number <= b.last) return true;
      ++(a.last < b.last ? mine : theirs);
    }
    return false;
  }

  // Adding in order is O(1); anywhere else O(ranges after it).
  template <class = void>
  void add(row_range added) {
    // The ranges that touch the new one become part of it.
    const std::size_t begin = first_reaching(added.first == 0 ? 0 : added.first - 1);
    std::size_t end = begin;
    while (end < ranges_.size() && (added.last == UINT64_MAX || ranges_[end].first <= added.last + 1)) ++end;
    if (begin == end) return ranges_.insert(begin, added);
    if (ranges_[begin].first < added.first) added.first = ranges_[begin].first;
    if (ranges_[end - 1].last > added.last) added.last = ranges_[end - 1].last;
    ranges_[begin] = added;
    for (std::size_t at = end; --at > begin;) ranges_.erase(at);
  }
  template <class = void>
  void add(std::uint64_t number) {
    add(row_range{number, number});
  }
  // The union. O(ranges of both).
  template <class = void>
  void add(const row_set& others) {
    row_set both;
    std::size_t mine = 0, theirs = 0;
    while (mine < ranges_.size() || theirs < others.ranges_.size()) {
      const bool is_mine = theirs == others.ranges_.size() ||
                           (mine < ranges_.size() && ranges_[mine].first < others.ranges_[theirs].first);
      both.add(is_mine ? ranges_[mine++] : others.ranges_[theirs++]);
    }
    *this = std::move(both);
  }

  // Takes out what is in `others`. O(ranges of both).
  template <class = void>
  void remove(const row_set& others) {
    row_set left;
    std::size_t theirs = 0;
    for (row_range each : ranges_) {
      while (theirs < others.ranges_.size() && others.ranges_[theirs].last < each.first) ++theirs;
      bool ends = true;
      for (std::size_t at = theirs; at < others.ranges_.size() && others.ranges_[at].first <= each.last; ++at) {
        const row_range& taken = others.ranges_[at];
        if (taken.first > each.first) left.add({each.first, taken.first - 1});
        ends = taken.last < each.last;
        if (ends) each.first = taken.last + 1;
      }
      if (ends) left.add(each);
    }
    *this = std::move(left);
  }

  friend bool operator==(const row_set& a, const row_set& b) { return a.ranges_ == b.ranges_; }

 private:
  // The first range that does not end before row `number`.
  template <class = void>
  [[nodiscard]] std::size_t first_reaching(std::uint64_t number) const noexcept {
    return lower_bound(ranges_.begin(), ranges_.size(), [&](const row_range& each) { return each.last < number; });
  }

  sequence<row_range> ranges_;
};

// As people write them: `0,3-7,12`. Empty for none.
template <class = void>
[[nodiscard]] std::string to_text(const row_set& rows) {
  std::string out;
  for (const row_range& each : rows.ranges()) {
    if (!out.empty()) out.push_back(',');
    append_text(out, each.first);
    if (each.last == each.first) continue;
    out.push_back('-');
    append_text(out, each.last);
  }
  return out;
}

namespace row_set_detail {

// A number without needless zeros at the start of `text`, which is taken away; false if there is none.
template <class = void>
[[nodiscard]] bool take_number(std::string_view& text, std::uint64_t& number) noexcept {
  std::size_t digits = 0;
  number = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 19 || (digits == 1 && text[0] == '0')) return false;
    number = 10 * number + static_cast<std::uint64_t>(text[digits] - '0');
  }
  text.remove_prefix(digits);
  return digits > 0;
}

}  // namespace row_set_detail

// False for anything but what `to_text` writes.
template <class = void>
[[nodiscard]] bool parse_row_set(std::string_view text, row_set& rows) {
  row_set read;
  while (!text.empty()) {
    row_range next;
    if (!row_set_detail::take_number(text, next.first)) return false;
    next.last = next.first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      if (!row_set_detail::take_number(text, next.last) || next.last <= next.first) return false;
    }
    if (!read.empty() && next.first <= read.ranges().back().last + 1) return false;
    read.add(next);
    if (text.empty()) break;
    if (text.front() != ',' || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  rows = std::move(read);
  return true;
}

}  // namespace tarn::inline TARN_ABI
