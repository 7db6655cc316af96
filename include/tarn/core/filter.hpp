// Which rows of a table are wanted: `filter{{"age", at_least, 5}, {"name", equals, "Ada"}}`.
#pragma once

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "config.hpp"
#include "result.hpp"
#include "row.hpp"
#include "schema.hpp"
#include "sequence.hpp"
#include "strong_types.hpp"
#include "text.hpp"
#include "value.hpp"
#include "value_order.hpp"

namespace tarn::inline TARN_ABI {

// That the filter, or what else is `named_by`, names a column that there is not; with the names of those that there
// are.
template <class = void>
[[nodiscard]] error no_such_column(std::string_view named_by, std::string_view name, const schema& columns) {
  constexpr std::size_t named_max = 20;
  std::string there;
  for (std::size_t at = 0; at < columns.size() && at < named_max; ++at) there += concat({" ", columns[at].name});
  if (columns.size() > named_max) there += concat({" and ", columns.size() - named_max, " more"});
  return {errc::invalid_argument, concat({"the ", named_by, " names column '", name, "', there are:", there})};
}

// How a value in a column compares with a condition's.
enum class comparison : unsigned char {
  equals,
  differs,  // neither equal nor null; a value of another kind differs, too
  less_than,
  at_most,
  greater_than,
  at_least,
  is_null,
  is_not_null,
};
using enum comparison;

// What a row's value in one column must be. Values compare as `compare_values` does it: numbers as numbers, whether
// integers or doubles, values of different kinds not at all. So nothing is at_most, at_least or equals of another kind,
// or of NaN, and null is nothing but is_null.
struct condition {
  std::string column;
  comparison how;
  value operand = {};  // of is_null and is_not_null: means nothing

  template <class = void>
  [[nodiscard]] bool holds_for(const value_view& found) const noexcept {
    if (how == is_null || how == is_not_null) return found.is_null() == (how == is_null);
    if (found.is_null()) return false;
    const std::partial_ordering order = compare_values(found, operand);
    switch (how) {
      case equals: return order == 0;
      case less_than: return order < 0;
      case at_most: return order <= 0;
      case greater_than: return order > 0;
      case at_least: return order >= 0;
      default: return order != 0;
    }
  }
};

// The rows for which all conditions hold; all rows, if there are none.
class filter {
 public:
  filter() = default;
  template <class = void>
  filter(std::initializer_list<condition> all) : conditions_(all) {}
  template <class = void>
  explicit filter(sequence<condition> all) : conditions_(std::move(all)) {}

  [[nodiscard]] const sequence<condition>& conditions() const noexcept { return conditions_; }

 private:
  sequence<condition> conditions_;
};

// A filter of the rows of one schema: its columns have been found.
class row_filter {
 public:
  // A condition on the column at `place` of the row.
  struct placed {
    std::size_t place;
    column_id column;
    column_type type;
    condition content;
  };

  row_filter() = default;  // of all rows

  // errc::invalid_argument if there is no such column, naming those that there are, or if something is compared with
  // null.
  template <class = void>
  [[nodiscard]] static result<row_filter> make(const filter& wanted, const schema& columns) {
    row_filter made;
    for (const condition& each : wanted.conditions()) {
      const std::size_t place = columns.find(each.column);
      if (place == schema::none) return no_such_column("filter", each.column, columns);
      if (value_view(each.operand).is_null() && each.how != is_null && each.how != is_not_null)
        return error(errc::invalid_argument, concat({"the filter compares column '", each.column,
                                                     "' with null, which nothing equals: use is_null or is_not_null"}));
      made.conditions_.push_back({place, columns[place].id, columns[place].type, each});
    }
    return made;
  }

  [[nodiscard]] const sequence<placed>& conditions() const noexcept { return conditions_; }

  // `values` are those of the schema's columns.
  template <class = void>
  [[nodiscard]] bool matches(const list_view& values) const noexcept {
    for (const placed& each : conditions_)
      if (!each.content.holds_for(values[each.place])) return false;
    return true;
  }

 private:
  sequence<placed> conditions_;
};

}  // namespace tarn::inline TARN_ABI
