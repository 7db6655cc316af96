// Copies of values in an arena, which live until it is cleared.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

#include "arena.hpp"
#include "config.hpp"
#include "value.hpp"

namespace tarn::inline TARN_ABI {

template <class = void>
[[nodiscard]] std::string_view copy_text(std::string_view text, arena& memory) {
  if (text.empty()) return "";
  char* const room = memory.allocate<char>(text.size());
  std::memcpy(room, text.data(), text.size());
  const char* const copied = room;
  return {copied, text.size()};
}

template <class = void>
[[nodiscard]] list_view copy_values(list_view values, arena& memory);

// Recursion is as deep as the value, which `check_row` has bounded.
template <class = void>
[[nodiscard]] value_view copy_value(const value_view& from, arena& memory) {
  switch (from.kind()) {
    case kind::string: return copy_text(from.as_string(), memory);
    case kind::bytes: return bytes{copy_text(from.as_bytes(), memory)};
    case kind::list: return copy_values(from.as_list(), memory);
    case kind::map: return map_view(copy_values(from.as_map().keys_and_values(), memory));
    default: return from;
  }
}

template <class>
list_view copy_values(list_view values, arena& memory) {
  auto* const copied = memory.allocate<value_view>(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) new (copied + at) value_view(copy_value(values[at], memory));
  return {copied, values.size()};
}

}  // namespace tarn::inline TARN_ABI
