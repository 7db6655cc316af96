// 128-bit identifiers (RFC 9562), written as version 7: the first 48 bits are a birth time, the rest is random.
//
// An id is a function of the time and of 74 fresh random bits only. There is no counter and no remembered state that a
// fork, a copied client or a clock that steps back could repeat.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "config.hpp"
#include "strong_types.hpp"
#include "text.hpp"

namespace tarn::inline TARN_ABI {

struct uuid {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  static constexpr std::size_t text_size = 36;

  [[nodiscard]] constexpr bool is_nil() const noexcept { return high == 0 && low == 0; }
  friend constexpr auto operator<=>(const uuid&, const uuid&) = default;
};

// 8-4-4-4-12 lower-case hex digits.
template <class = void>
[[nodiscard]] std::string to_text(const uuid& id) {
  const std::string high = hex(id.high);
  const std::string low = hex(id.low);
  const std::string_view first = high;
  const std::string_view second = low;
  return concat({first.substr(0, 8), "-", first.substr(8, 4), "-", first.substr(12), "-", second.substr(0, 4), "-",
                 second.substr(4)});
}

// Reads 8-4-4-4-12 lower-case hex digits of any UUID version; false, and `id` as it was, for anything else.
template <class = void>
[[nodiscard]] bool parse_uuid(std::string_view text, uuid& id) noexcept {
  if (text.size() != uuid::text_size) return false;
  for (const std::size_t dash : {8U, 13U, 18U, 23U})
    if (text[dash] != '-') return false;
  char digits[32];
  text.copy(digits, 8);
  text.copy(digits + 8, 4, 9);
  text.copy(digits + 12, 4, 14);
  text.copy(digits + 16, 4, 19);
  text.copy(digits + 20, 12, 24);
  std::uint32_t quarters[4];
  for (std::size_t at = 0; at < 4; ++at)
    if (!parse_eight_hex_digits(digits + 8 * at, quarters[at])) return false;
  id = {std::uint64_t{quarters[0]} << 32 | quarters[1], std::uint64_t{quarters[2]} << 32 | quarters[3]};
  return true;
}

// A version 7 UUID born at `birth`, made of 74 of these random bits.
template <class = void>
[[nodiscard]] uuid make_uuid(timestamp birth, std::uint64_t random_high, std::uint64_t random_low) noexcept {
  const auto milliseconds = static_cast<std::uint64_t>(birth.ms) & 0xffff'ffff'ffffU;
  return {milliseconds << 16 | 0x7000U | (random_high & 0x0fffU), 0x8000'0000'0000'0000U | random_low >> 2};
}

// Whether a UUID says when it was born: those of version 7 do.
[[nodiscard]] constexpr bool has_birth(const uuid& id) noexcept { return (id.high >> 12 & 0xfU) == 7; }

// When a version 7 UUID was born; the epoch for other versions.
template <class = void>
[[nodiscard]] timestamp birth_of(const uuid& id) noexcept {
  return {has_birth(id) ? static_cast<std::int64_t>(id.high >> 16) : 0};
}

}  // namespace tarn::inline TARN_ABI
