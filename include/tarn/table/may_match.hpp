// Whether an object, or a group of its rows, can be left alone: what its bounds say of a filter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../codec/codec.hpp"
#include "../codec/group_cursor.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/schema.hpp"
#include "../core/value.hpp"
#include "../core/value_order.hpp"
#include "../log/bounds.hpp"
#include "../log/data_object.hpp"

namespace tarn::inline TARN_ABI {

namespace may_match_detail {

// A bound as the column's values are read now: what was written before a column of integers was made one of doubles is
// rounded like all its values, which leaves it a bound.
template <class = void>
[[nodiscard]] value_view as_read(const value_view& bound, column_type type) {
  if (type != column_type::real || bound.kind() != kind::integer) return bound;
  return static_cast<double>(bound.as_integer());
}

// Whether the condition can hold for one of the `rows` values with these bounds. They may be wider than need be.
template <class = void>
[[nodiscard]] bool may_hold(const row_filter::placed& wanted, const column_bounds& bounds, std::uint64_t rows) {
  const comparison how = wanted.content.how;
  if (how == is_null) return bounds.nulls > 0;
  if (bounds.nulls == rows) return false;
  if (how == is_not_null || !bounds.bounded) return true;
  // All values are of the bounds' kind, so what does not compare with one of them compares with none.
  const std::partial_ordering min = compare_values(as_read(bounds.min, wanted.type), wanted.content.operand);
  const std::partial_ordering max = compare_values(as_read(bounds.max, wanted.type), wanted.content.operand);
  switch (how) {
    case equals: return min <= 0 && max >= 0;
    case less_than: return min < 0;
    case at_most: return min <= 0;
    case greater_than: return max > 0;
    case at_least: return max >= 0;
    default: return min != 0 || max != 0;
  }
}

// The same for bounds that do not tell how many of the values are null: all but one may be.
template <class = void>
[[nodiscard]] bool may_hold(const row_filter::placed& wanted, const group_bounds& bounds, std::uint64_t rows) {
  return !bounds.bounded ||
         may_hold(wanted, column_bounds{wanted.column, rows - 1, true, bounds.min, bounds.max}, rows);
}

}  // namespace may_match_detail

// False only if no row of the object can match. The filter's schema is the table's current one; a column that the
// object's bounds do not tell of can hold anything.
template <class = void>
[[nodiscard]] bool may_match(const row_filter& wanted, const data_object& object) {
  if (!object.described || !object.bounds) return true;
  for (const row_filter::placed& condition : wanted.conditions())
    for (const column_bounds& each : *object.bounds)
      if (each.column == condition.column && !may_match_detail::may_hold(condition, each, object.rows)) return false;
  return true;
}

// Leaves out the groups that the cursor has next up to one that may have a row that matches, and returns how many rows
// they have. `index_of(place)` is where the cursor's rows have a column of the filter's schema; schema::none: nowhere,
// then it is null.
template <row_cursor Cursor, class IndexOf>
std::uint64_t skip_unmatched(Cursor& cursor, const row_filter& wanted, const IndexOf& index_of) {
  return skip_groups(cursor, [&](const auto& at, std::uint64_t rows) {
    for (const row_filter::placed& condition : wanted.conditions()) {
      const std::size_t index = index_of(condition.place);
      const bool may =
          index == schema::none
              ? may_match_detail::may_hold(condition, column_bounds{condition.column, rows, false, {}, {}}, rows)
              : may_match_detail::may_hold(condition, at.bounds_ahead(index), rows);
      if (!may) return false;
    }
    return true;
  });
}

}  // namespace tarn::inline TARN_ABI
