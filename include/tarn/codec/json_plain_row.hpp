// The rows that most objects have nothing but: lists of short scalars, in compact text. Both directions go through a
// row without a call, a stack or an error, and give up at whatever else they meet; the row then goes the general way
// (json_parser, json_writer), which gives the same where this one does not give up, and knows what is wrong where
// something is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../core/config.hpp"
#include "../core/value.hpp"
#include "json_number.hpp"
#include "json_string.hpp"

namespace tarn::inline TARN_ABI {

namespace json_plain_detail {

// Passes the digits that are next, eight at most, and appends them to `number`. Returns how many there are. Reads eight
// bytes, whatever they are.
template <class = void>
[[nodiscard]] std::size_t take_digits(const char*& at, std::uint64_t& number) noexcept {
  constexpr std::uint64_t each = 0x0101'0101'0101'0101U;
  constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  std::uint64_t eight;
  std::memcpy(&eight, at, sizeof eight);
  eight ^= each * '0';  // digits are their values, anything else is 10 or more
  const std::uint64_t others = (((eight & each * 0x7f) + each * (0x7f - 9)) | eight) & each * 0x80;
  const auto count = static_cast<std::size_t>(std::countr_zero(others)) / 8;  // 8 if there are no others
  if (count == 0) return 0;
  eight <<= 64 - 8 * count;  // as if there were zeros in front
  number = powers[count] * number + json_detail::join_eight_digits(eight);
  at += count;
  return count;
}

// The digits that are next, 24 at most. Reads as many bytes.
template <class = void>
[[nodiscard]] std::size_t take_all_digits(const char*& at, std::uint64_t& number) noexcept {
  std::size_t count = take_digits(at, number);
  if (count == 8) count += take_digits(at, number);
  if (count == 16) count += take_digits(at, number);
  return count;
}

// How many bytes there must be after the start of a number: two runs of digits, a sign and a point.
inline constexpr std::size_t number_bytes_max = 64;

// The end of the number that begins at `at`; null for any that is not as short and plain as most are.
template <class = void>
[[nodiscard]] const char* scan_number(const char* at, value_view& out) noexcept {
  constexpr std::size_t digits_max = 18;  // of which no number wraps
  const bool negative = *at == '-';
  if (negative) ++at;
  const char* const first = at;
  std::uint64_t significand = 0;
  std::size_t digits = take_all_digits(at, significand);
  if (digits == 0 || digits > digits_max || (digits > 1 && *first == '0')) return nullptr;
  if (*at != '.') {
    if (negative && significand == 0) return nullptr;  // -0 is a double
    const auto number = static_cast<std::int64_t>(significand);
    out = negative ? -number : number;
    return at;
  }
  ++at;
  const std::size_t fraction = take_all_digits(at, significand);
  digits += fraction;
  double number = 0;
  if (fraction == 0 || digits > digits_max ||
      !json_detail::scale_exactly(significand, -static_cast<std::int64_t>(fraction), number))
    return nullptr;
  out = negative ? -number : number;
  return at;
}

template <class = void>
[[nodiscard]] const char* scan_word(const char* at, value_view& out) noexcept {
  const auto is = [&](std::string_view word) { return std::memcmp(at, word.data(), word.size()) == 0; };
  if (is("null")) return out = nullptr, at + 4;
  if (is("true")) return out = true, at + 4;
  if (is("false")) return out = false, at + 5;
  return nullptr;
}

}  // namespace json_plain_detail

// Reads a row of `columns` values (one at least) that begins at `at` into `values`. Returns its end; null if the row is
// not plain, or too near to `end`. Strings look into the text.
template <class = void>
[[nodiscard]] const char* scan_plain_row(const char* at, const char* end, value_view* values,
                                         std::size_t columns) noexcept {
  using namespace json_plain_detail;
  if constexpr (std::endian::native != std::endian::little) return nullptr;
  char before = '[';
  for (std::size_t column = 0; column < columns; ++column) {
    if (static_cast<std::size_t>(end - at) <= number_bytes_max || *at++ != before) return nullptr;
    if (*at == '"') {
      const char* const first = ++at;
      at = json_detail::find_interruption<run::of_ascii>(at, end);
      if (at == end || *at != '"') return nullptr;
      values[column] = std::string_view(first, static_cast<std::size_t>(at++ - first));
    } else {
      at = *at >= '-' && *at <= '9' ? scan_number(at, values[column]) : scan_word(at, values[column]);
      if (at == nullptr) return nullptr;
    }
    before = ',';
  }
  return at != end && *at == ']' ? at + 1 : nullptr;
}

namespace json_plain_detail {

// Copies text, block by block, the last one overlapping the one before; false if a byte of it must be escaped. There
// must be a block at least.
template <class Block>
[[nodiscard]] bool copy_blocks(char* out, std::string_view text) noexcept {
  const std::size_t last = text.size() - Block::size;
  for (std::size_t at = 0;; at = at + Block::size < last ? at + Block::size : last) {
    if (Block::template find<run::of_any>(text.data() + at) != Block::size) return false;
    std::memcpy(out + at, text.data() + at, Block::size);
    if (at == last) return true;
  }
}

template <class = void>
[[nodiscard]] bool copy_plain(char* out, std::string_view text) noexcept {
  if (text.size() >= byte_block::size) return copy_blocks<byte_block>(out, text);
  if (text.size() >= integer_block::size) return copy_blocks<integer_block>(out, text);
  for (const char c : text) {
    if (interrupts<run::of_any>(c)) return false;
    *out++ = c;
  }
  return true;
}

// Writes `text` in quotes; null if it needs an escape, or there is no room for it.
template <class = void>
[[nodiscard]] char* write_string(char* out, const char* end, std::string_view text) noexcept {
  if (static_cast<std::size_t>(end - out) < text.size() + 2 || !copy_plain(out + 1, text)) return nullptr;
  *out = '"';
  out += text.size() + 1;
  *out++ = '"';
  return out;
}

// There must be room for a number. Null if it is no plain scalar.
template <class = void>
[[nodiscard]] char* write_scalar(char* out, const char* end, const value_view& value) noexcept {
  const auto word = [&](std::string_view text) { return out + text.copy(out, text.size()); };
  switch (value.kind()) {
    case kind::null: return word("null");
    case kind::boolean: return word(value.as_boolean() ? "true" : "false");
    case kind::integer: return write_json_integer(out, value.as_integer());
    case kind::real: return is_finite(value.as_double()) ? write_json_double(out, value.as_double()) : nullptr;
    case kind::string: return write_string(out, end, value.as_string());
    default: return nullptr;
  }
}

}  // namespace json_plain_detail

// Writes a row of `columns` values (one at least) into [out, end). Returns the end of what it wrote; null if the row is
// not plain, or there may not be room for it: then what is there means nothing. Strings must be UTF-8.
template <class = void>
[[nodiscard]] char* write_plain_row(char* out, const char* end, const value_view* values,
                                    std::size_t columns) noexcept {
  if (columns == 0) return nullptr;
  char before = '[';
  for (std::size_t column = 0; column < columns; ++column) {
    if (end - out < static_cast<std::ptrdiff_t>(json_detail::number_room + 2)) return nullptr;
    *out++ = before;
    out = json_plain_detail::write_scalar(out, end - 1, values[column]);
    if (out == nullptr) return nullptr;
    before = ',';
  }
  *out++ = ']';
  return out;
}

}  // namespace tarn::inline TARN_ABI
