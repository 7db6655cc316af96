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

// Whether names in a store may have this character.
[[nodiscard]] constexpr bool is_name_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

}  // namespace tarn::inline TARN_ABI
