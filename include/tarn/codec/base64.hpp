// Bytes as text: base64 with the alphabet of RFC 4648 section 4, padded. Only the canonical form is read, so that
// bytes and text correspond one to one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI {

namespace base64_detail {

inline constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::uint32_t no_digit = 64;

struct digit_values {
  std::uint8_t of[256];
};

template <class = void>
inline constexpr digit_values values = [] {
  digit_values made{};
  for (std::uint8_t& value : made.of) value = no_digit;
  for (std::uint8_t value = 0; value < 64; ++value) made.of[static_cast<unsigned char>(digits[value])] = value;
  return made;
}();

}  // namespace base64_detail

template <class = void>
void append_base64(std::string& out, std::string_view bytes) {
  const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(bytes[at])}; };
  const auto digit = [](std::uint32_t group, int shift) { return base64_detail::digits[group >> shift & 0x3fU]; };
  std::size_t at = 0;
  for (; bytes.size() - at >= 3; at += 3) {
    const std::uint32_t group = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    const char four[] = {digit(group, 18), digit(group, 12), digit(group, 6), digit(group, 0)};
    out.append(four, sizeof four);
  }
  if (at == bytes.size()) return;
  const bool two = bytes.size() - at == 2;
  const std::uint32_t group = byte(at) << 16 | (two ? byte(at + 1) << 8 : 0U);
  const char four[] = {digit(group, 18), digit(group, 12), two ? digit(group, 6) : '=', '='};
  out.append(four, sizeof four);
}

// The number of bytes that canonical base64 of this many characters can stand for, at most.
[[nodiscard]] constexpr std::size_t base64_bytes_max(std::size_t text_size) noexcept { return text_size / 4 * 3; }

// Writes what `text` stands for to `out`, where there must be room for base64_bytes_max(text.size()) bytes. Returns
// the end of what it wrote; nullptr if `text` is not canonical base64.
template <class = void>
[[nodiscard]] char* decode_base64(std::string_view text, char* out) noexcept {
  if (text.size() % 4 != 0) return nullptr;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const std::uint32_t value = base64_detail::values<>.of[static_cast<unsigned char>(c)];
    if (value == base64_detail::no_digit) return nullptr;
    bits = bits << 6 | value;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    *out++ = static_cast<char>(bits >> bit_count & 0xffU);
  }
  // What the last digit has beyond whole bytes must be zero: "AB==" is not another way to write "AA==".
  const std::uint32_t rest = bits & ((1U << bit_count) - 1U);
  return rest == 0 ? out : nullptr;
}

}  // namespace tarn::inline TARN_ABI
