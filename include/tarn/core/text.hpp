// Text and characters, without streams or locales. Messages are built by `concat({"row ", 7, " of ", name})`.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// What messages are made of: text, a character, or an integer in decimal. Refers to text that must outlive it.
class text_part {
 public:
  constexpr text_part(std::string_view text) noexcept : text_(text.data()), size_(text.size()) {}
  constexpr text_part(const char* text) noexcept : text_part(std::string_view(text)) {}
  text_part(const std::string& text) noexcept : text_(text.data()), size_(text.size()) {}
  template <std::integral Integer>
    requires(sizeof(Integer) <= 8 && !std::same_as<Integer, bool>)
  text_part(Integer number)
  noexcept : text_(digits_) {
    if constexpr (std::same_as<Integer, char>) {
      digits_[0] = number;
      size_ = 1;
    } else {
      size_ = static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_);
    }
  }
  text_part(const text_part&) = delete;  // it may refer to itself
  text_part& operator=(const text_part&) = delete;

  [[nodiscard]] const char* data() const noexcept { return text_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  const char* text_;
  std::size_t size_;
  char digits_[20];  // of an integer
};

template <class = void>
void append_text(std::string& out, const text_part& part) {
  out.append(part.data(), part.size());
}

template <class = void>
[[nodiscard]] std::string concat(std::initializer_list<text_part> parts) {
  std::size_t size = 0;
  for (const text_part& part : parts) size += part.size();
  std::string out;
  out.reserve(size);
  for (const text_part& part : parts) append_text(out, part);
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

// What a lower-case hex digit stands for; -1 for anything else.
[[nodiscard]] constexpr int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The number that eight lower-case hex digits are; false, and `number` as it was, for anything else. All at once, in
// the bytes of an integer, the first digit in the lowest.
template <class = void>
[[nodiscard]] bool parse_eight_hex_digits(const char* digits, std::uint32_t& number) noexcept {
  constexpr std::uint64_t each = 0x0101'0101'0101'0101U;
  const auto byte = [&](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(digits[at])} << 8 * at; };
  std::uint64_t eight = byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);  // one load
  // In the highest bit of a byte: whether it is at least the first, and not after the last. What is not ASCII is out.
  const std::uint64_t decimal = (eight + each * (0x80 - '0')) & ~(eight + each * (0x7f - '9'));
  const std::uint64_t letter = (eight + each * (0x80 - 'a')) & ~(eight + each * (0x7f - 'f'));
  if (((decimal | letter) & ~eight & each * 0x80) != each * 0x80) return false;
  eight = (eight & each * 0xf) + 9 * (eight >> 6 & each);  // letters have bit 6
  eight = (eight << 4 | eight >> 8) & 0x00ff'00ff'00ff'00ffU;
  eight = (eight << 8 | eight >> 16) & 0x0000'ffff'0000'ffffU;
  number = static_cast<std::uint32_t>(eight << 16 | eight >> 32);
  return true;
}

namespace text_detail {

struct characters {
  bool has[256] = {};
};

template <class = void>
[[nodiscard]] constexpr characters make_name_characters() {
  characters made;
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."))
    made.has[static_cast<unsigned char>(c)] = true;
  return made;
}

template <class = void>
inline constexpr characters name_characters = make_name_characters();

}  // namespace text_detail

// Whether names in a store may have this character. Looked up, since a listing asks for each of every name.
template <class = void>
[[nodiscard]] constexpr bool is_name_character(char c) noexcept {
  return text_detail::name_characters<>.has[static_cast<unsigned char>(c)];
}

}  // namespace tarn::inline TARN_ABI
