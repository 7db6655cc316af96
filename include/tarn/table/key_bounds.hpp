// The bounds of the keys in an object: what tells, without reading them, that two objects have no key in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"
#include "../log/bounds.hpp"
#include "../log/data_object.hpp"
#include "../log/table_state.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"

namespace tarn::inline TARN_ABI {

namespace key_bounds_detail {

// Of the part of the key that is in column number `place`; null if they are not known.
template <class = void>
[[nodiscard]] const column_bounds* find_bounds(const table_state& table, std::uint32_t place,
                                               const data_object& object) noexcept {
  const column& part = table.columns[place];
  if (!object.bounds) return nullptr;
  for (const column_bounds& each : *object.bounds)
    if (each.column == part.id && each.bounded && each.min.kind() != kind::null && part.takes(each.min.kind()) &&
        each.max.kind() == each.min.kind())
      return &each;
  return nullptr;
}

}  // namespace key_bounds_detail

// False only if the bounds show that no key is in both objects of the table.
template <class = void>
[[nodiscard]] bool may_share_keys(const table_state& table, const data_object& a, const data_object& b) {
  using namespace key_bounds_detail;
  for (const std::uint32_t place : table.key.columns) {
    const column_bounds* const one = find_bounds(table, place, a);
    const column_bounds* const other = find_bounds(table, place, b);
    if (one == nullptr || other == nullptr) continue;
    if (compare_parts(one->max, other->min) < 0 || compare_parts(other->max, one->min) < 0) return false;
  }
  return true;
}

// Keys as bytes, both ends included.
struct key_span {
  std::string first;
  std::string last;
  bool bounded = false;  // else all keys

  // A range ends before its last key. It must be bounded.
  [[nodiscard]] bool overlaps(const key_range& range) const noexcept {
    return !bounded || (range.first <= last && first < range.last);
  }
};

// All keys of an object are in it. (Of a key of several columns, it has more keys than the bounds of each allow.)
template <class = void>
[[nodiscard]] key_span span_of_keys(const table_state& table, const data_object& object) {
  sequence<value_view> least, greatest;
  sequence<std::uint32_t> columns;
  for (const std::uint32_t place : table.key.columns) {
    const column_bounds* const known = key_bounds_detail::find_bounds(table, place, object);
    if (known == nullptr) return {};
    columns.push_back(static_cast<std::uint32_t>(columns.size()));
    least.emplace_back(known->min);
    greatest.emplace_back(known->max);
  }
  std::string scratch;
  key_span span;
  span.first = std::string(encode_key(list_view(least.data(), least.size()), columns, scratch));
  span.last = std::string(encode_key(list_view(greatest.data(), greatest.size()), columns, scratch));
  span.bounded = true;
  return span;
}

}  // namespace tarn::inline TARN_ABI
