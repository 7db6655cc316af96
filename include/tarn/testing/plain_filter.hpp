// Filters, evaluated a second time: it shares the words in which they are said with core/filter.hpp, and nothing of how
// it compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI::testing {

// Less than 0, 0 or more: as a is less than b, equal or greater. Nothing: the two cannot be compared.
[[nodiscard]] inline std::optional<int> plain_order(const value_view& a, const value_view& b) {
  const auto order = [](const auto& one, const auto& other) { return one < other ? -1 : other < one ? 1 : 0; };
  const auto is_number = [](const value_view& each) {
    return each.kind() == kind::integer || each.kind() == kind::real;
  };
  if (is_number(a) && is_number(b)) {
    const auto rounded = [](const value_view& each) {
      return each.kind() == kind::real ? each.as_double() : static_cast<double>(each.as_integer());
    };
    const double one = rounded(a), other = rounded(b);
    if (one != one || other != other) return {};
    // Rounding never turns two numbers round. Where it makes them equal, both are whole; 2^63 is more than any integer.
    if (one != other || (a.kind() == kind::real && b.kind() == kind::real)) return order(one, other);
    const auto is_above_all = [](const value_view& each) {
      return each.kind() == kind::real && each.as_double() >= 0x1p63;
    };
    if (is_above_all(a) || is_above_all(b)) return order(is_above_all(a), is_above_all(b));
    const auto whole = [](const value_view& each) {
      return each.kind() == kind::real ? static_cast<std::int64_t>(each.as_double()) : each.as_integer();
    };
    return order(whole(a), whole(b));
  }
  if (a.kind() != b.kind()) return {};
  if (a.kind() == kind::boolean) return order(a.as_boolean(), b.as_boolean());
  if (a.kind() == kind::string) return order(a.as_string(), b.as_string());
  if (a.kind() == kind::bytes) return order(a.as_bytes(), b.as_bytes());
  return a == b ? std::optional(0) : std::nullopt;
}

// Whether a value is what a condition wants.
[[nodiscard]] inline bool plain_holds(const condition& wanted, const value_view& found) {
  if (wanted.how == is_null) return found.kind() == kind::null;
  if (found.kind() == kind::null) return false;
  if (wanted.how == is_not_null) return true;
  const std::optional<int> order = plain_order(found, wanted.operand);
  if (!order) return wanted.how == differs;
  const bool less = *order<0, equal = *order == 0, greater = *order> 0;
  return (wanted.how == equals && equal) || (wanted.how == differs && !equal) || (wanted.how == less_than && less) ||
         (wanted.how == at_most && !greater) || (wanted.how == greater_than && greater) ||
         (wanted.how == at_least && !less);
}

// A filter of rows with these columns, all of which it names must be among them.
class plain_filter {
 public:
  plain_filter(const filter& wanted, const schema& columns) {
    for (const condition& each : wanted.conditions())
      for (std::size_t place = 0; place < columns.size(); ++place)
        if (columns[place].name == each.column) conditions_.emplace_back(place, each);
  }

  [[nodiscard]] bool matches(const row& content) const {
    for (const auto& [place, wanted] : conditions_)
      if (!plain_holds(wanted, content[place])) return false;
    return true;
  }

 private:
  std::vector<std::pair<std::size_t, condition>> conditions_;  // on the values at these places
};

}  // namespace tarn::inline TARN_ABI::testing
