// Cursors that know something of the rows that come next before they read them, and can leave these out.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/value.hpp"
#include "codec.hpp"

namespace tarn::inline TARN_ABI {

// Of a column's values in some rows. `min` and `max` need not be values of the column: none of its values is less than
// the one or greater than the other.
struct group_bounds {
  bool bounded = false;  // else nothing is known; if so, one value at least is not null, and those that are not are of
  value min;             // one kind, that of `min` and `max`
  value max;
};

// A cursor whose rows come in groups, whose bounds it knows without reading them.
//
//   while (cursor.group_ahead() > 0 && !is_wanted(cursor.bounds_ahead(2))) cursor.skip_group();
//
// `group_ahead` is how many rows the next group has; 0 at the end, on failure, and while a row of the group before has
// not been handed out. Only if it is not 0, `skip_group` leaves these rows out, as if they had been handed out: their
// bytes are not looked at, so what is wrong with them is not found. `bounds_ahead` takes the index of a column of the
// cursor's, of whatever selection.
template <class C>
concept group_cursor = row_cursor<C> && requires(C& cursor, std::size_t column) {
  { cursor.group_ahead() } -> std::same_as<std::uint64_t>;
  { cursor.bounds_ahead(column) } -> std::same_as<group_bounds>;
  cursor.skip_group();
};

// Leaves out the groups that come next up to one that `is_wanted(cursor, rows)` is true of, and returns how many rows
// they have. Of a cursor without groups, nothing.
template <row_cursor Cursor, class IsWanted>
std::uint64_t skip_groups([[maybe_unused]] Cursor& cursor, [[maybe_unused]] const IsWanted& is_wanted) {
  std::uint64_t skipped = 0;
  if constexpr (group_cursor<Cursor>)
    for (std::uint64_t rows = cursor.group_ahead(); rows > 0 && !is_wanted(cursor, rows); rows = cursor.group_ahead()) {
      cursor.skip_group();
      skipped += rows;
    }
  return skipped;
}

}  // namespace tarn::inline TARN_ABI
