// Keys as callers give them: the values of the key's columns, in its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"
#include "../merge/key.hpp"
#include "row_check.hpp"

namespace tarn::inline TARN_ABI {

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

}  // namespace tarn::inline TARN_ABI
