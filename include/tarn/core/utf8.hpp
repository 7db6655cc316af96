// Well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// The length of the well-formed sequence that `text` begins with, 0 if there is none. `text` must not be empty.
template <class = void>
[[nodiscard]] std::size_t utf8_sequence_size(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto continues = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to; ++at)
      if ((byte(at) & 0xc0U) != 0x80U) return false;
    return true;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return text.size() >= 2 && continues(1, 2) ? 2 : 0;
  const std::size_t size = first < 0xf0 ? 3 : 4;
  if (text.size() < size || !continues(1, size)) return 0;
  // The second byte decides what the first alone does not.
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_large = first == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : size;
}

namespace utf8_detail {

// The eight bytes at `at`, in whatever order.
template <class = void>
[[nodiscard]] std::uint64_t eight_bytes(const char* at) noexcept {
  std::uint64_t eight;
  std::memcpy(&eight, at, sizeof eight);
  return eight;
}

}  // namespace utf8_detail

// Whether all bytes are ASCII's. Eight are looked at together, the last ones with some of those before.
template <class = void>
[[nodiscard]] bool is_ascii(std::string_view text) noexcept {
  constexpr std::size_t step = sizeof(std::uint64_t);
  std::uint64_t all = 0;
  if (text.size() >= step) {
    const char* const last = text.data() + text.size() - step;
    all = utf8_detail::eight_bytes(text.data()) | utf8_detail::eight_bytes(last);
    // Short ones, which most are, are done by now.
    for (const char* at = text.data() + step; at < last; at += step) all |= utf8_detail::eight_bytes(at);
  } else {
    for (const char byte : text) all |= static_cast<unsigned char>(byte);
  }
  return (all & 0x8080'8080'8080'8080U) == 0;
}

// The offset of the first byte that is not part of well-formed UTF-8; text.size() if all of it is.
template <class = void>
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    constexpr std::size_t block = 64;
    const std::string_view next = text.substr(at, block);
    if (is_ascii(next)) {
      at += next.size();
      continue;
    }
    for (const std::size_t end = at + next.size(); at < end;) {
      const std::size_t size = utf8_sequence_size(text.substr(at));
      if (size == 0) return at;
      at += size;
    }
  }
  return at;
}

// Writes one code point, which must be below 0x110000 and no surrogate, to `out`, where there must be room for it (at
// most 4 bytes). Returns the end of what it wrote.
template <class = void>
char* write_utf8(char* out, std::uint32_t code_point) noexcept {
  const auto lead = [&](std::uint32_t mark, int shift) { *out++ = static_cast<char>(mark | code_point >> shift); };
  const auto tail = [&](int shift) { *out++ = static_cast<char>(0x80U | (code_point >> shift & 0x3fU)); };
  if (code_point < 0x80) {
    lead(0, 0);
    return out;
  }
  if (code_point < 0x800) {
    lead(0xc0, 6);
  } else {
    if (code_point < 0x10000) {
      lead(0xe0, 12);
    } else {
      lead(0xf0, 18);
      tail(12);
    }
    tail(6);
  }
  tail(0);
  return out;
}

}  // namespace tarn::inline TARN_ABI
