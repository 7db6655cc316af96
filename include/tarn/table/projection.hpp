// Reading rows that were written before the table's columns were changed.
//
//   the object's schema    1 id    2 name    3 age                3 was widened to double, 2 dropped; 4 added, though
//                             |                 |                 it may have the name that 2 had
//   the reader's schema    1 id    3 age     4 name
//   a row                  7       36.0      null
//
// Columns are told apart by their ids alone: one that was dropped and another that got its name have nothing in common.
#pragma once

#include <cstddef>

#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

// What a row of one schema is as a row of a later one of the same table, or of some of its columns. Memory: one row.
class projection {
 public:
  // Where a column's values are.
  struct place {
    std::size_t index;  // schema::none: the column was added later, so its value is null
    bool widened;       // integers become doubles
  };

  // Of rows that have `before` values in front of the columns, which stay. Linear in the number of columns.
  template <class = void>
  projection(const schema& from, const schema& to, std::size_t before) {
    for (std::size_t at = 0; at < before; ++at) places_.push_back({at, false});
    const column_id last = from.last_id();
    std::size_t next = 0;  // where the next one is, if none was dropped in between: they stay in their order
    for (const column& each : to) {
      const std::size_t found = each.id > last ? schema::none : from.find(each.id, next);
      if (found == schema::none) {
        places_.push_back({schema::none, false});
      } else {
        places_.push_back({before + found, from[found].type != each.type});
        next = found + 1;
      }
    }
  }

  // The row, in the projection's memory: valid until the next call, also if it is moved. A widened integer is the
  // double next to it, as the language converts: exact up to 2^53.
  template <class = void>
  [[nodiscard]] list_view apply(const list_view& values) {
    row_.clear();
    for (const place& each : places_) {
      value_view value = each.index == schema::none ? value_view() : values[each.index];
      if (each.widened && value.kind() == kind::integer) value = static_cast<double>(value.as_integer());
      row_.push_back(value);
    }
    return {row_.data(), row_.size()};
  }

  [[nodiscard]] const sequence<place>& places() const noexcept { return places_; }

 private:
  sequence<place> places_;
  sequence<value_view> row_;
};

}  // namespace tarn::inline TARN_ABI
