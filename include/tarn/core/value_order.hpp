// Comparing values by what they stand for, as filters and bounds do. (Equality of `value` is identity, bit for bit.)
#pragma once

#include <compare>
#include <cstdint>

#include "config.hpp"
#include "value.hpp"

namespace tarn::inline TARN_ABI {

namespace value_order_detail {

[[nodiscard]] constexpr std::partial_ordering reversed(std::partial_ordering order) noexcept { return 0 <=> order; }

// Exact: neither number is converted to what may not hold it.
template <class = void>
[[nodiscard]] std::partial_ordering compare_numbers(std::int64_t integer, double real) noexcept {
  constexpr double above_all = 0x1p63;  // -0x1p63 is the least of 64 bits
  if (real != real) return std::partial_ordering::unordered;
  if (real >= above_all) return std::partial_ordering::less;
  if (real < -above_all) return std::partial_ordering::greater;
  const auto whole = static_cast<std::int64_t>(real);  // towards zero
  if (integer != whole) return integer <=> whole;
  return 0.0 <=> real - static_cast<double>(whole);  // both are exact: a number with a fraction is less than 2^53
}

[[nodiscard]] constexpr std::partial_ordering order_of(int difference) noexcept { return difference <=> 0; }

}  // namespace value_order_detail

// Numbers compare as numbers, exactly, whether integers or doubles: 1 is equivalent to 1.0, and -0.0 to 0.0. Strings,
// and bytes, compare byte for byte, false before true; null is equivalent to null, a list or map to one that is the
// same, bit for bit. Anything else is unordered: values of different kinds, NaN with anything, lists that differ.
template <class = void>
[[nodiscard]] std::partial_ordering compare_values(const value_view& a, const value_view& b) noexcept {
  using namespace value_order_detail;
  if (a.kind() == kind::integer && b.kind() == kind::real) return compare_numbers(a.as_integer(), b.as_double());
  if (a.kind() == kind::real && b.kind() == kind::integer)
    return reversed(compare_numbers(b.as_integer(), a.as_double()));
  if (a.kind() != b.kind()) return std::partial_ordering::unordered;
  switch (a.kind()) {
    case kind::null: return std::partial_ordering::equivalent;
    case kind::boolean: return a.as_boolean() <=> b.as_boolean();
    case kind::integer: return a.as_integer() <=> b.as_integer();
    case kind::real: return a.as_double() <=> b.as_double();
    case kind::string: return order_of(a.as_string().compare(b.as_string()));
    case kind::bytes: return order_of(a.as_bytes().compare(b.as_bytes()));
    case kind::list:
    case kind::map: return is_same(a, b) ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
  }
  return std::partial_ordering::unordered;
}

}  // namespace tarn::inline TARN_ABI
