// The names of everything a lake keeps in its store: flat, ASCII, safe on case-insensitive file systems.
//
//   _log_00000000000000000007                              entry 7 of the log
//   _table_cities_0190a3f2-7c1e-7abc-8def-0123456789ab     a data object of table "cities"
//   _checkpoint_00000000000000000100                       the state at version 100
//   _checkpoint_00000000000000000100_0001                  part 1 of it, if it is large
//   _trunc_00000000000000000000                            the marker of the first truncation of the log
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

inline constexpr std::string_view lake_prefix = "_";  // of all of them
inline constexpr std::string_view log_prefix = "_log_";
inline constexpr std::string_view object_prefix = "_table_";
inline constexpr std::string_view checkpoint_prefix = "_checkpoint_";
inline constexpr std::string_view marker_prefix = "_trunc_";
inline constexpr std::size_t version_digits = 20;
inline constexpr std::size_t part_digits = 4;
inline constexpr std::size_t table_name_size_max = 128;

namespace names_detail {

// `number`, which must not be negative, with leading zeros.
template <class = void>
[[nodiscard]] std::string padded(std::int64_t number, std::size_t digits) {
  const std::string text = concat({number});
  return concat({std::string(text.size() < digits ? digits - text.size() : 0, '0'), text});
}

// False, and `number` as it was, for a name that is not exactly `prefix` and so many digits.
template <class = void>
[[nodiscard]] bool parse_numbered(std::string_view name, std::string_view prefix, std::size_t digits,
                                  std::int64_t& number) noexcept {
  if (name.size() != prefix.size() + digits || !name.starts_with(prefix)) return false;
  std::int64_t read = 0;
  for (const char c : name.substr(prefix.size())) {
    if (c < '0' || c > '9' || read > (INT64_MAX - 9) / 10) return false;
    read = read * 10 + (c - '0');
  }
  number = read;
  return true;
}

}  // namespace names_detail

// `at` must not be negative.
template <class = void>
[[nodiscard]] std::string entry_name(version at) {
  return concat({log_prefix, names_detail::padded(at.number, version_digits)});
}
template <class = void>
[[nodiscard]] std::string checkpoint_name(version at) {
  return concat({checkpoint_prefix, names_detail::padded(at.number, version_digits)});
}
// Parts are numbered from 1.
template <class = void>
[[nodiscard]] std::string checkpoint_part_name(version at, std::uint32_t part) {
  return concat({checkpoint_name(at), "_", names_detail::padded(part, part_digits)});
}
template <class = void>
[[nodiscard]] std::string marker_name(std::int64_t number) {
  return concat({marker_prefix, names_detail::padded(number, version_digits)});
}

// Each is false, and leaves `at` as it was, for a name that is not exactly such a one.
template <class = void>
[[nodiscard]] bool parse_entry_name(std::string_view name, version& at) noexcept {
  return names_detail::parse_numbered(name, log_prefix, version_digits, at.number);
}
template <class = void>
[[nodiscard]] bool parse_checkpoint_name(std::string_view name, version& at) noexcept {
  return names_detail::parse_numbered(name, checkpoint_prefix, version_digits, at.number);
}
template <class = void>
[[nodiscard]] bool parse_checkpoint_part_name(std::string_view name, version& at, std::int64_t& part) noexcept {
  constexpr std::size_t around = 1 + part_digits;
  if (name.size() <= around || name[name.size() - around] != '_') return false;
  version of = at;
  if (!parse_checkpoint_name(name.substr(0, name.size() - around), of)) return false;
  if (!names_detail::parse_numbered(name.substr(name.size() - around), "_", part_digits, part)) return false;
  at = of;
  return true;
}
template <class = void>
[[nodiscard]] bool parse_marker_name(std::string_view name, std::int64_t& number) noexcept {
  return names_detail::parse_numbered(name, marker_prefix, version_digits, number);
}

template <class = void>
[[nodiscard]] std::string object_name(std::string_view table, const uuid& id) {
  return concat({object_prefix, table, "_", to_text(id)});
}

// Whether a table may have this name: 1 to 128 letters, digits, '_', '-' and '.', not starting with a dot.
template <class = void>
[[nodiscard]] bool is_table_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > table_name_size_max || name.front() == '.') return false;
  for (const char c : name)
    if (!is_name_character(c)) return false;
  return true;
}

// The table and the id in the name of a data object; false for any other name. A table's name may hold '_': the id is
// the last 36 characters.
template <class = void>
[[nodiscard]] bool parse_object_name(std::string_view name, std::string_view& table, uuid& id) noexcept {
  constexpr std::size_t around = object_prefix.size() + 1 + uuid::text_size;
  if (name.size() <= around || !name.starts_with(object_prefix)) return false;
  const std::size_t table_size = name.size() - around;
  if (name[object_prefix.size() + table_size] != '_') return false;
  const std::string_view found = name.substr(object_prefix.size(), table_size);
  if (!is_table_name(found) || !parse_uuid(name.substr(name.size() - uuid::text_size), id)) return false;
  table = found;
  return true;
}

// `is_table_name`, or what is wrong.
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
  for (const char c : name)
    if (!is_name_character(c)) return refuse(concat({"holds the byte 0x", hex(static_cast<std::uint8_t>(c))}));
  return {};
}

// ASCII only, as table names are: negative, zero or positive, as `a` sorts before, with or after `b`.
template <class = void>
[[nodiscard]] int compare_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a == b) return 0;  // as it is nearly always
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : +c; };
  for (std::size_t at = 0; at < a.size() && at < b.size(); ++at)
    if (const int difference = lower(a[at]) - lower(b[at]); difference != 0) return difference;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

}  // namespace tarn::inline TARN_ABI
