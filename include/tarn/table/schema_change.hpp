// The columns of a table after a change. Rows that are there stay as they were written: reading them makes them fit
// (projection.hpp), so what a change costs does not depend on how many there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../log/table_state.hpp"
#include "row_check.hpp"

namespace tarn::inline TARN_ABI {

namespace schema_change_detail {

template <class = void>
[[nodiscard]] sequence<column> columns_of(const table_state& table) {
  return {table.columns.begin(), table.columns.end()};
}

template <class = void>
[[nodiscard]] result<schema> checked(const table_state& table, sequence<column> columns, const limits& bounds) {
  schema changed(std::move(columns));
  if (const status good = check_schema(changed, bounds); !good)
    return good.error().within(concat({"table ", table.name}));
  return changed;
}

template <class = void>
[[nodiscard]] error refused(const table_state& table, std::string_view column, std::string_view why) {
  return {errc::invalid_argument, concat({"column '", column, "' of table ", table.name, " ", why})};
}

template <class = void>
[[nodiscard]] result<std::size_t> find_column(const table_state& table, std::string_view name) {
  const std::size_t found = table.columns.find(name);
  if (found != schema::none) return found;
  return error(errc::invalid_argument, concat({"table ", table.name, " has no column '", name, "'"}));
}

// The same, of a column that rows are not told apart or ordered by.
template <class = void>
[[nodiscard]] result<std::size_t> find_free_column(const table_state& table, std::string_view name) {
  const result<std::size_t> found = find_column(table, name);
  if (!found) return found;
  for (const std::uint32_t place : table.key.columns)
    if (place == *found) return refused(table, name, "is part of the key: it can only be renamed");
  if (table.key.ordering == *found) return refused(table, name, "is the table's ordering: it can only be renamed");
  return found;
}

}  // namespace schema_change_detail

// Each is what the columns of `table` would be; errc::invalid_argument or errc::limit_exceeded, saying what is wrong
// and how.

// With one more, after the others, under an id that no column of the table has ever had.
template <class = void>
[[nodiscard]] result<schema> with_column(const table_state& table, column added, const limits& bounds) {
  using namespace schema_change_detail;
  if (!added.nullable)
    return error(errc::invalid_argument, concat({"column '", added.name, "' for table ", table.name,
                                                 " must be nullable: the rows that are there have no value for it"}));
  if (table.last_column.number == UINT32_MAX)
    return error(errc::limit_exceeded, concat({"table ", table.name, " has had 2^32 columns: there are no more ids"}));
  added.id = {table.last_column.number + 1};
  sequence<column> columns = columns_of(table);
  columns.push_back(std::move(added));
  return checked(table, std::move(columns), bounds);
}

template <class = void>
[[nodiscard]] result<schema> without_column(const table_state& table, std::string_view name) {
  using namespace schema_change_detail;
  const result<std::size_t> found = find_free_column(table, name);
  if (!found) return found.error();
  if (table.columns.size() == 1) return refused(table, name, "is its only one: drop the table");
  sequence<column> columns = columns_of(table);
  columns.erase(*found);
  return schema(std::move(columns));
}

template <class = void>
[[nodiscard]] result<schema> with_renamed_column(const table_state& table, std::string_view from, std::string_view to,
                                                 const limits& bounds) {
  using namespace schema_change_detail;
  const result<std::size_t> found = find_column(table, from);
  if (!found) return found.error();
  sequence<column> columns = columns_of(table);
  columns[*found].name = to;
  return checked(table, std::move(columns), bounds);
}

// With doubles where there were integers.
template <class = void>
[[nodiscard]] result<schema> with_widened_column(const table_state& table, std::string_view name) {
  using namespace schema_change_detail;
  const result<std::size_t> found = find_free_column(table, name);
  if (!found) return found.error();
  const column_type type = table.columns[*found].type;
  if (type == column_type::any) return refused(table, name, "takes any value: doubles as they are");
  if (type != column_type::integer)
    return refused(table, name, concat({"is ", name_of(type), ": only integer can be widened, to double"}));
  sequence<column> columns = columns_of(table);
  columns[*found].type = column_type::real;
  return schema(std::move(columns));
}

}  // namespace tarn::inline TARN_ABI
