// Keyed tables: which columns tell the rows of a table apart, and which of two writes of one key counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config.hpp"
#include "sequence.hpp"

namespace tarn::inline TARN_ABI {

// What the value of a key is, given all writes of it in commit order.
struct fold_rule {
  bool ordered = false;  // else the latest write counts
  std::string ordering;  // the column that decides
};

// The latest write counts. An erase removes.
template <class = void>
[[nodiscard]] fold_rule latest() {
  return {};
}

// The write with the greatest value in `column` counts, of equal ones the latest: late data does no harm.
template <class = void>
[[nodiscard]] fold_rule by_ordering(std::string_view column) {
  return {true, std::string(column)};
}

// What makes a new table a keyed one: `create_table("users", {...}, keyed{{"id"}})`.
struct keyed {
  sequence<std::string> columns;  // declared integer, string, bytes or boolean; never null
  std::uint32_t buckets = 1;      // rows are divided by a hash of their key; fixed for the table's life
  fold_rule fold = {};
};

// More than any table has: what a log may state.
inline constexpr std::uint32_t bucket_count_max = 65'536;

// The key of a table that exists. A table without key columns is a bag: rows in no order, without identity.
struct table_key {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  sequence<std::uint32_t> columns;  // their places in the row, in the order in which keys compare
  std::uint32_t buckets = 1;
  std::uint32_t ordering = none;  // the place of the ordering column; none: the latest write counts

  [[nodiscard]] bool empty() const noexcept { return columns.empty(); }
  [[nodiscard]] bool ordered() const noexcept { return ordering != none; }
};

}  // namespace tarn::inline TARN_ABI
