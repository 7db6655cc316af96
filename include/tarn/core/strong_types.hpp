// Integers that must not be mistaken for one another.
#pragma once

#include <compare>
#include <cstdint>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// The number of a log entry, and of the state of the lake after it. The empty lake is at version -1.
struct version {
  std::int64_t number = -1;

  [[nodiscard]] constexpr version next() const noexcept { return {number + 1}; }
  friend constexpr auto operator<=>(const version&, const version&) = default;
};

// Milliseconds since 1970-01-01 00:00 UTC.
struct timestamp {
  std::int64_t ms = 0;

  friend constexpr auto operator<=>(const timestamp&, const timestamp&) = default;
};

// Names a column for the life of its table, whatever it is called; counted from 1.
struct column_id {
  std::uint32_t number = 0;

  friend constexpr auto operator<=>(const column_id&, const column_id&) = default;
};

}  // namespace tarn::inline TARN_ABI
