// Whether the bounds that the log states of an object are those of its rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/bounds.hpp"
#include "../log/data_object.hpp"
#include "bounds_builder.hpp"

namespace tarn::inline TARN_ABI {

// Collects the bounds of the columns that the log states any of, as a writer does. The object must outlive it. Memory:
// two values for each of these columns.
template <class = void>
class bounds_check {
 public:
  // `columns` are those of the rows that are added.
  bounds_check(const data_object& object, const schema& columns)
      : stated_(object.bounds), found_(columns, places(object, columns), no_limits()) {
    if (!stated_) return;
    for (const column_bounds& each : *stated_)
      if (columns.find(each.column) == schema::none) unknown_ = each.column;
  }

  void add(const list_view& values) { found_.add(values); }

  // After the last row: the error says which bounds do not hold.
  [[nodiscard]] status conclude() const {
    if (unknown_ != column_id())
      return error(errc::corrupt, concat({"the log states bounds of column ", unknown_.number, ", which it lacks"}));
    const object_bounds found = found_.finish();
    for (std::size_t at = 0; found && at < found->size(); ++at) {
      const column_bounds& stated = (*stated_)[at];
      const column_bounds& true_ones = (*found)[at];
      if (stated.nulls != true_ones.nulls)
        return error(errc::corrupt, concat({"the log states ", stated.nulls, " nulls of column ", stated.column.number,
                                            ", the rows have ", true_ones.nulls}));
      const bool holds = !stated.bounded || (true_ones.bounded && is_same(stated.min, true_ones.min) &&
                                             is_same(stated.max, true_ones.max));
      if (!holds)
        return error(errc::corrupt, concat({"the bounds that the log states of column ", stated.column.number,
                                            " are not the least and the greatest value of its rows"}));
    }
    return {};
  }

 private:
  // Of those columns, in the log's order.
  [[nodiscard]] static sequence<std::uint32_t> places(const data_object& object, const schema& columns) {
    sequence<std::uint32_t> found;
    if (!object.bounds) return found;
    for (const column_bounds& each : *object.bounds)
      if (const std::size_t place = columns.find(each.column); place != schema::none)
        found.push_back(static_cast<std::uint32_t>(place));
    return found;
  }

  // The writer's may have been others.
  [[nodiscard]] static limits no_limits() noexcept {
    limits none;
    none.bounds_bytes_max = none.bounds_columns_max = static_cast<std::size_t>(-1);
    return none;
  }

  object_bounds stated_;
  bounds_builder<> found_;
  column_id unknown_;
};

}  // namespace tarn::inline TARN_ABI
