// The names of everything a lake keeps in its store: flat, ASCII, safe on case-insensitive file systems.
//
//   _log_00000000000000000007                              entry 7 of the log
//   _table_cities_0190a3f2-7c1e-7abc-8def-0123456789ab     a data object of table "cities"
//
// Any other name is a stranger's: ignored, and never removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"

namespace tarn::inline TARN_ABI {

inline constexpr std::string_view log_prefix = "_log_";
inline constexpr std::string_view object_prefix = "_table_";
inline constexpr std::size_t version_digits = 20;
inline constexpr std::size_t table_name_size_max = 128;

// `at` must not be negative.
template <class = void>
[[nodiscard]] std::string entry_name(version at) {
  const std::string number = concat({at.number});
  return concat({log_prefix, std::string(version_digits - number.size(), '0'), number});
}

// False, and `at` as it was, for a name that is not exactly an entry's.
template <class = void>
[[nodiscard]] bool parse_entry_name(std::string_view name, version& at) noexcept {
  if (name.size() != log_prefix.size() + version_digits || !name.starts_with(log_prefix)) return false;
  std::int64_t number = 0;
  for (const char c : name.substr(log_prefix.size())) {
    if (c < '0' || c > '9' || number > (INT64_MAX - 9) / 10) return false;
    number = number * 10 + (c - '0');
  }
  at = {number};
  return true;
}

template <class = void>
[[nodiscard]] std::string object_name(std::string_view table, const uuid& id) {
  return concat({object_prefix, table, "_", to_text(id)});
}

// The table and the id in the name of a data object; false for any other name. A table's name may hold '_': the id is
// the last 36 characters.
template <class = void>
[[nodiscard]] bool parse_object_name(std::string_view name, std::string_view& table, uuid& id) noexcept {
  constexpr std::size_t around = object_prefix.size() + 1 + uuid::text_size;
  if (name.size() <= around || !name.starts_with(object_prefix)) return false;
  const std::size_t table_size = name.size() - around;
  if (name[object_prefix.size() + table_size] != '_') return false;
  if (!parse_uuid(name.substr(name.size() - uuid::text_size), id)) return false;
  table = name.substr(object_prefix.size(), table_size);
  return true;
}

// Whether a table may have this name: 1 to 128 letters, digits, '_', '-' and '.', not starting with a dot.
template <class = void>
[[nodiscard]] status check_table_name(std::string_view name) {
  const auto refuse = [&](std::string_view why) {
    return error(errc::invalid_name,
                 concat({"table name '", name.substr(0, table_name_size_max), "' ", why,
                         ": use 1 to 128 ASCII letters, digits, '_', '-' or '.', not starting with '.'"}));
  };
  if (name.empty()) return refuse("is empty");
  if (name.size() > table_name_size_max) return refuse("is too long");
  if (name.front() == '.') return refuse("starts with a dot");
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.')
      return refuse(concat({"holds the byte 0x", hex(static_cast<std::uint8_t>(c))}));
  }
  return {};
}

// ASCII only, as table names are: negative, zero or positive, as `a` sorts before, with or after `b`.
template <class = void>
[[nodiscard]] int compare_ignoring_case(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : +c; };
  for (std::size_t at = 0; at < a.size() && at < b.size(); ++at)
    if (const int difference = lower(a[at]) - lower(b[at]); difference != 0) return difference;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

}  // namespace tarn::inline TARN_ABI
