// Rows of keyed tables as callers give them: a key alone, or what is to change in a row that there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "row_check.hpp"

namespace tarn::inline TARN_ABI {

// What is new in a keyed row: `update("users", {7}, {{"name", "Ada"}, {"age", 36}})`.
struct column_change {
  std::string_view column;
  value_view value;
};

// A row with nothing but the key, whose parts are given in its order, and with `ordering`, unless that is null.
// errc::invalid_argument or errc::limit_exceeded, saying which part is wrong and how.
template <class = void>
[[nodiscard]] result<sequence<value_view>> row_of_key(const table_state& table, const row_view& key,
                                                      const limits& bounds, const value_view* ordering = nullptr) {
  if (key.size() != table.key.columns.size())
    return error(errc::invalid_argument, concat({"the key has ", key.size(), " values, that of table ", table.name,
                                                 " has ", table.key.columns.size(), " columns"}));
  sequence<value_view> values;
  while (values.size() < table.columns.size()) values.emplace_back();
  for (std::size_t at = 0; at < key.size(); ++at) {
    const std::uint32_t place = table.key.columns[at];
    const status good = check_value(key[at], table.columns[place], bounds);
    if (!good) return good.error().within(concat({"the key of table ", table.name}));
    values[place] = key[at];
  }
  if (ordering == nullptr) return values;
  if (!table.key.ordered())
    return error(errc::invalid_argument, concat({"table ", table.name, " has no ordering: its latest write counts"}));
  if (const status good = check_value(*ordering, table.columns[table.key.ordering], bounds); !good)
    return good.error().within(concat({"the ordering of table ", table.name}));
  values[table.key.ordering] = *ordering;
  return values;
}

// The key as `encode_key` writes it, whose parts are given in its order.
template <class = void>
[[nodiscard]] result<std::string> bytes_of_key(const table_state& table, const row_view& key, const limits& bounds) {
  const result<sequence<value_view>> values = row_of_key(table, key, bounds);
  if (!values) return values.error();
  std::string scratch;
  return std::string(encode_key(list_view(values->data(), values->size()), table.key.columns, scratch));
}

// The row `before` with changes. errc::invalid_argument if they cannot be made, errc::late if the table's fold would
// prefer the row as it is.
template <class = void>
[[nodiscard]] result<row> changed_row(const table_state& table, const row& before,
                                      std::initializer_list<column_change> changes, const limits& bounds) {
  row after = before;
  for (const column_change& each : changes) {
    const std::size_t at = table.columns.find(each.column);
    if (at == schema::none)
      return error(errc::invalid_argument, concat({"table ", table.name, " has no column '", each.column, "'"}));
    for (const std::uint32_t part : table.key.columns)
      if (part == at)
        return error(errc::invalid_argument, concat({"column '", each.column, "' of table ", table.name,
                                                     " is part of the key: erase the row and write another"}));
    after[at] = value(each.value);
  }
  if (const status good = check_row(after, table.columns, bounds); !good)
    return good.error().within(concat({"table ", table.name}));
  if (!counts_after({key_state::live, list_view(before)}, list_view(after), table.key))
    return error(errc::late, concat({"the row of table ", table.name, " has a greater ordering than it would get"}));
  return after;
}

}  // namespace tarn::inline TARN_ABI
