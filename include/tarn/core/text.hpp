// Building messages: `concat("row ", 7, " of ", name)` is one string, without streams or locales.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

inline void append_text(std::string& out, std::string_view text) { out.append(text); }
inline void append_text(std::string& out, char c) { out.push_back(c); }  // else it would be taken for a number

template <std::integral Integer>
void append_text(std::string& out, Integer number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

// The number in lower-case hex, padded with zeros to all its digits: how tarn writes every checksum and bit pattern.
template <std::unsigned_integral Integer>
[[nodiscard]] std::string hex(Integer number) {
  std::string out(2 * sizeof number, '0');
  for (std::size_t at = out.size(); at-- > 0; number = static_cast<Integer>(number >> 4))
    out[at] = "0123456789abcdef"[number & 0xf];
  return out;
}

}  // namespace tarn::inline TARN_ABI
