// What an update makes of a row.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"
#include "../merge/fold.hpp"
#include "row_check.hpp"

namespace tarn::inline TARN_ABI {

// What is new in a row: `update("users", {7}, {{"name", "Ada"}, {"age", 36}})`.
struct column_change {
  std::string_view column;
  value_view value;
};

// Changes next to each other in memory: a sequence<column_change>, a std::vector, a std::array or a std::span of them.
template <class A>
concept array_of_changes = requires(const A& changes) {
  requires std::same_as<std::remove_cv_t<std::remove_pointer_t<decltype(changes.data())>>, column_change>;
  { changes.size() } -> std::convertible_to<std::size_t>;
};

// Several changes, by reference.
class column_changes {
 public:
  column_changes(std::initializer_list<column_change> changes) noexcept
      : column_changes(changes.begin(), changes.size()) {}
  column_changes(const array_of_changes auto& changes) noexcept : column_changes(changes.data(), changes.size()) {}

  [[nodiscard]] const column_change* begin() const noexcept { return changes_; }
  [[nodiscard]] const column_change* end() const noexcept { return changes_ + size_; }

 private:
  column_changes(const column_change* changes, std::size_t size) noexcept : changes_(changes), size_(size) {}

  const column_change* changes_;
  std::size_t size_;
};

// Whether a row of the table can be changed so, as far as that does not depend on the row: errc::invalid_argument or
// errc::limit_exceeded, saying which change is wrong and how.
template <class = void>
[[nodiscard]] status check_changes(const table_state& table, const column_changes& changes, const limits& bounds) {
  for (const column_change& each : changes) {
    const std::size_t at = table.columns.find(each.column);
    if (at == schema::none)
      return error(errc::invalid_argument, concat({"table ", table.name, " has no column '", each.column, "'"}));
    for (const std::uint32_t part : table.key.columns)
      if (part == at)
        return error(errc::invalid_argument, concat({"column '", each.column, "' of table ", table.name,
                                                     " is part of the key: erase the row and write another"}));
    if (const status good = check_value(each.value, table.columns[at], bounds); !good)
      return good.error().within(concat({"table ", table.name}));
  }
  return {};
}

// The row `before` with changes. The errors of `check_changes` and of `check_row`; errc::late if the table's fold would
// prefer the row as it is.
template <class = void>
[[nodiscard]] result<row> changed_row(const table_state& table, const row& before, const column_changes& changes,
                                      const limits& bounds) {
  if (const status good = check_changes(table, changes, bounds); !good) return good.error();
  row after = before;
  for (const column_change& each : changes) after[table.columns.find(each.column)] = value(each.value);
  if (const status good = check_row(after, table.columns, bounds); !good)
    return good.error().within(concat({"table ", table.name}));
  if (!counts_after({key_state::live, list_view(before)}, list_view(after), table.key))
    return error(errc::late, concat({"the row of table ", table.name, " has a greater ordering than it would get"}));
  return after;
}

}  // namespace tarn::inline TARN_ABI
