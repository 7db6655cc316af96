// What an add-action says of the values in an object, so that readers can leave it alone: least and greatest value and
// number of nulls, of each of its first columns.
#pragma once

#include <cstdint>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

// Of one column of one object. The bounds are values of the column, never cut or rounded; a column whose values have no
// such order (several kinds, NaN, -0.0, long text, lists and maps) has none.
struct column_bounds {
  column_id column;
  std::uint64_t nulls = 0;
  bool bounded = false;  // else `min` and `max` mean nothing: nothing but null is in the column, or anything may be
  value min;             // of all values but null; of the same kind as
  value max;
};

// Of a bag's object: its rows, whether or not they were deleted since. Of a keyed one: the key's columns, of all its
// records, erases included.
using object_bounds = sequence<column_bounds>;

}  // namespace tarn::inline TARN_ABI
