// Whether the bounds that the log states of an object are those of its rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/bounds.hpp"
#include "../log/data_object.hpp"

namespace tarn::inline TARN_ABI {

namespace bounds_detail {

// Negative, zero or positive, as `a` is less than, equal to or greater than `b`. Both must be of one kind that bounds
// may have: all but lists and maps.
template <class = void>
[[nodiscard]] int compare(const value_view& a, const value_view& b) {
  const auto order = [](auto left, auto right) { return left < right ? -1 : right < left ? 1 : 0; };
  switch (a.kind()) {
    case kind::boolean: return order(a.as_boolean(), b.as_boolean());
    case kind::integer: return order(a.as_integer(), b.as_integer());
    case kind::real: return order(a.as_double(), b.as_double());
    case kind::string: return a.as_string().compare(b.as_string());
    default: return a.as_bytes().compare(b.as_bytes());
  }
}

}  // namespace bounds_detail

// Memory: two values for each column that has bounds.
template <class = void>
class column_bounds_check {
 public:
  column_bounds_check(const column_bounds& stated, std::size_t place) : stated_(&stated), place_(place) {}

  void add(const list_view& values) {
    const value_view each = values[place_];
    if (each.is_null()) return void(++nulls_);
    if (!stated_->bounded) return;
    if (each.kind() != value_view(stated_->min).kind() || each.kind() != value_view(stated_->max).kind())
      return void(bounded_ = false);
    const int to_min = bounds_detail::compare(each, stated_->min);
    const int to_max = bounds_detail::compare(each, stated_->max);
    bounded_ = bounded_ && to_min >= 0 && to_max <= 0;
    has_min_ = has_min_ || to_min == 0;
    has_max_ = has_max_ || to_max == 0;
  }

  [[nodiscard]] bool nulls_hold() const noexcept { return nulls_ == stated_->nulls; }
  [[nodiscard]] bool bounds_hold() const noexcept { return !stated_->bounded || (bounded_ && has_min_ && has_max_); }
  [[nodiscard]] const column_bounds& stated() const noexcept { return *stated_; }
  [[nodiscard]] std::uint64_t nulls() const noexcept { return nulls_; }

 private:
  const column_bounds* stated_;
  std::size_t place_;
  std::uint64_t nulls_ = 0;
  bool bounded_ = true;  // all values are of the kind of the bounds, and between them
  bool has_min_ = false;
  bool has_max_ = false;
};

// Of all columns that the log states bounds of. The object must outlive it.
template <class = void>
class bounds_check {
 public:
  // `columns` are those of the rows that are added.
  bounds_check(const data_object& object, const schema& columns) {
    if (!object.bounds) return;
    for (const column_bounds& each : *object.bounds) {
      const std::size_t place = columns.find(each.column);
      if (place == schema::none)
        unknown_ = each.column;
      else
        columns_.emplace_back(each, place);
    }
  }

  void add(const list_view& values) {
    for (column_bounds_check<>& each : columns_) each.add(values);
  }

  // After the last row: the error says which bounds do not hold.
  [[nodiscard]] status conclude() const {
    if (unknown_ != column_id())
      return error(errc::corrupt, concat({"the log states bounds of column ", unknown_.number, ", which it lacks"}));
    for (const column_bounds_check<>& each : columns_) {
      const column_bounds& stated = each.stated();
      if (!each.nulls_hold())
        return error(errc::corrupt, concat({"the log states ", stated.nulls, " nulls of column ", stated.column.number,
                                            ", the rows have ", each.nulls()}));
      if (!each.bounds_hold())
        return error(errc::corrupt, concat({"the bounds that the log states of column ", stated.column.number,
                                            " are not the least and the greatest value of its rows"}));
    }
    return {};
  }

 private:
  column_id unknown_;
  sequence<column_bounds_check<>> columns_;
};

}  // namespace tarn::inline TARN_ABI
