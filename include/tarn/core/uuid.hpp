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
  std::uint64_t halves[2] = {0, 0};
  int digits = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (at == 8 || at == 13 || at == 18 || at == 23) {
      if (c != '-') return false;
      continue;
    }
    const int digit = hex_digit(c);
    if (digit < 0) return false;
    std::uint64_t& half = halves[digits++ / 16];
    half = half << 4 | static_cast<std::uint64_t>(digit);
  }
  id = {halves[0], halves[1]};
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
