// Numbers of JSON texts, read and written. A token without point and exponent is an integer, any other a double; so
// what is written as a double always has one of the two.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/value.hpp"
#include "json_input.hpp"

namespace tarn::inline TARN_ABI {

// What to make of an integer that needs more than 64 bits.
enum class wide_integers : bool {
  are_errors,   // it is refused: nothing is rounded silently
  are_doubles,  // it is the nearest double: the article's program prints large doubles so
};

namespace json_detail {

// A number's token, taken apart as it is scanned.
struct number_token {
  const char* first = nullptr;  // of the token, its sign included
  const char* last = nullptr;   // its end
  bool negative = false;
  std::size_t integer_digits = 0;
  std::size_t fraction_digits = 0;
  std::uint64_t significand = 0;  // all digits without the point; exact if there are at most 19 of them
  std::int64_t exponent = 0;      // as written, cut to +-exponent_max
};

// Beyond this, the digits of a text that fits into memory cannot bring the number back into a double's range.
inline constexpr std::int64_t exponent_max = std::int64_t{1} << 60;

// The number that eight digits are whose values are in the bytes, the first in the lowest: neighbours are joined to
// numbers of two, four and eight digits, all pairs at once.
template <class = void>
[[nodiscard]] std::uint64_t join_eight_digits(std::uint64_t eight) noexcept {
  eight = (eight * 10 + (eight >> 8)) & 0x00ff'00ff'00ff'00ffU;
  eight = (eight * 100 + (eight >> 16)) & 0x0000'ffff'0000'ffffU;
  return (eight * 10'000 + (eight >> 32)) & 0xffff'ffffU;
}

// The number that eight digits in a row are; `eight` holds them with the first in the lowest byte. False if some are no
// digits.
template <class = void>
[[nodiscard]] bool convert_eight_digits(std::uint64_t eight, std::uint64_t& number) noexcept {
  constexpr std::uint64_t each = 0x0101'0101'0101'0101U;
  eight -= each * '0';  // a byte below '0' borrows: its high bit is set, or that of the next
  if (((eight | (eight + each * (0x7f - 9))) & each * 0x80) != 0) return false;
  number = join_eight_digits(eight);
  return true;
}

// Passes digits and appends them to `number`, which may wrap: how many they are, which is returned, tells.
template <class = void>
[[nodiscard]] std::size_t scan_digits(json_input& input, std::uint64_t& number) noexcept {
  const char* const first = input.at;
  const char* at = first;
  std::uint64_t sum = number;
  if constexpr (std::endian::native == std::endian::little) {
    while (input.end - at >= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, at, sizeof eight);
      if (!convert_eight_digits(eight, eight)) break;
      sum = 100'000'000 * sum + eight;
      at += 8;
    }
  }
  for (; at != input.end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit > 9) break;
    sum = 10 * sum + digit;
  }
  number = sum;
  input.at = at;
  return static_cast<std::size_t>(at - first);
}

template <class = void>
[[nodiscard]] bool scan_exponent(json_input& input, std::int64_t& exponent) {
  const bool negative = input.peek() == '-';
  if (negative || input.peek() == '+') ++input.at;
  if (input.peek() < '0' || input.peek() > '9') return input.fail("a digit of the exponent");
  std::int64_t magnitude = 0;
  for (; input.peek() >= '0' && input.peek() <= '9'; ++input.at)
    if (magnitude < exponent_max / 10) magnitude = 10 * magnitude + (*input.at - '0');
  exponent = negative ? -magnitude : magnitude;
  return true;
}

// The decimal exponent of the first digit that is not zero; only for tokens that have one.
template <class = void>
[[nodiscard]] std::int64_t decimal_magnitude(const number_token& token) noexcept {
  const char* digit = token.first + (token.negative ? 1 : 0);
  if (*digit != '0') return static_cast<std::int64_t>(token.integer_digits) - 1 + token.exponent;
  std::int64_t zeros = 0;
  for (digit += 2; digit < token.last && *digit == '0'; ++digit) ++zeros;  // after "0."
  return token.exponent - 1 - zeros;
}

// All powers of ten that are exact in a double.
inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// `digits` times a power of ten; false if it might not be rounded correctly. For few digits and a small power, both are
// exact doubles and one division or multiplication rounds correctly (Clinger 1990); provided that the processor
// computes in doubles.
template <class = void>
[[nodiscard]] bool scale_exactly(std::uint64_t digits, std::int64_t power, double& number) noexcept {
  constexpr bool computes_in_doubles = __FLT_EVAL_METHOD__ == 0;
  constexpr std::uint64_t exact_max = std::uint64_t{1} << 53;
  if (!computes_in_doubles || digits > exact_max || power < -22 || power > 22) return false;
  number = static_cast<double>(digits);
  number = power < 0 ? number / powers_of_ten[-power] : number * powers_of_ten[power];
  return true;
}

template <class = void>
[[nodiscard]] bool convert_short_decimal(const number_token& token, double& number) noexcept {
  if (token.integer_digits + token.fraction_digits > 19) return false;
  const std::int64_t power = token.exponent - static_cast<std::int64_t>(token.fraction_digits);
  if (!scale_exactly(token.significand, power, number)) return false;
  if (token.negative) number = -number;
  return true;
}

template <class = void>
[[nodiscard]] bool convert_to_double(json_input& input, const number_token& token, value_view& out) {
  double number = 0;
  if (convert_short_decimal(token, number)) {
    out = number;
    return true;
  }
  const auto converted = std::from_chars(token.first, token.last, number);
  if (converted.ec == std::errc::result_out_of_range) {
    // Too large or too small? The standard library does not say (LWG issue 3081), but the two are far apart.
    if (decimal_magnitude(token) > 0)
      return input.refuse_at(token.first, errc::invalid_argument, "the number is beyond the largest double");
    number = token.negative ? -0.0 : 0.0;
  }
  out = number;
  return true;
}

template <class = void>
[[nodiscard]] bool convert_to_integer(json_input& input, const number_token& token, wide_integers wide,
                                      value_view& out) {
  if (token.negative && token.significand == 0 && token.integer_digits == 1) {
    out = -0.0;  // no integer could hold it
    return true;
  }
  const std::uint64_t magnitude_max = (std::uint64_t{1} << 63) - (token.negative ? 0U : 1U);
  if (token.integer_digits <= 19 && token.significand <= magnitude_max) {
    out = static_cast<std::int64_t>(token.negative ? 0 - token.significand : token.significand);
    return true;
  }
  if (wide == wide_integers::are_doubles) return convert_to_double(input, token, out);
  return input.refuse_at(token.first, errc::invalid_argument,
                         "the integer needs more than 64 bits, and rounding it would change it");
}

}  // namespace json_detail

// Reads the number at `input.at`, which must not be the end.
template <class = void>
[[nodiscard]] bool scan_json_number(json_input& input, wide_integers wide, value_view& out) {
  json_detail::number_token token;
  token.first = input.at;
  token.negative = *input.at == '-';
  if (token.negative) ++input.at;
  token.integer_digits = json_detail::scan_digits(input, token.significand);
  if (token.integer_digits == 0) return input.fail(token.negative ? "a digit" : "a value");
  if (token.integer_digits > 1 && input.at[-static_cast<std::ptrdiff_t>(token.integer_digits)] == '0')
    return input.refuse_at(token.first, errc::invalid_argument, "a number has no leading zeros");

  const bool pointed = input.peek() == '.';
  if (pointed) {
    ++input.at;
    token.fraction_digits = json_detail::scan_digits(input, token.significand);
    if (token.fraction_digits == 0) return input.fail("a digit after the point");
  }
  const bool scaled = input.peek() == 'e' || input.peek() == 'E';
  if (scaled) {
    ++input.at;
    if (!json_detail::scan_exponent(input, token.exponent)) return false;
  }
  token.last = input.at;
  return pointed || scaled ? json_detail::convert_to_double(input, token, out)
                           : json_detail::convert_to_integer(input, token, wide, out);
}

// Whether it is neither an infinity nor a NaN, told by its bits: -ffast-math may not see the difference otherwise.
template <class = void>
[[nodiscard]] bool is_finite(double number) noexcept {
  constexpr std::uint64_t exponent_bits = 0x7ff0'0000'0000'0000U;
  return (std::bit_cast<std::uint64_t>(number) & exponent_bits) != exponent_bits;
}

namespace json_detail {

// Room for any number that is written, and for what is written after it and then overwritten.
inline constexpr std::size_t number_room = 40;

// The digits of a number below 10^8, the first in the lowest byte: it is parted into numbers of four, two and one
// digits, all at once. (The inverse of join_eight_digits; the factors are reciprocals that are exact enough.)
template <class = void>
[[nodiscard]] std::uint64_t part_eight_digits(std::uint32_t number) noexcept {
  const std::uint64_t fours = number / 10'000 | std::uint64_t{number % 10'000} << 32;
  const std::uint64_t hundreds = fours * 10'486 >> 20 & 0x0000'007f'0000'007fU;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = twos * 103 >> 10 & 0x000f'000f'000f'000fU;
  return tens | (twos - 10 * tens) << 8;
}

// Writes digits, the one in the lowest byte first: always eight of them.
template <class = void>
void write_eight_digits(char* out, std::uint64_t digits) noexcept {
  digits |= 0x3030'3030'3030'3030U;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &digits, sizeof digits);
  } else {
    for (int at = 0; at < 8; ++at) out[at] = static_cast<char>(digits >> 8 * at);
  }
}

// How many digits a number below 10^8 has, which is known before they are: what is written next need not wait for them.
template <class = void>
[[nodiscard]] unsigned count_digits(std::uint32_t number) noexcept {
  constexpr std::uint32_t powers[] = {0, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  const unsigned least = static_cast<unsigned>(std::bit_width(number | 1U)) * 1'233 >> 12;  // log 2 is 1,233 / 4,096
  return least + (number >= powers[least] ? 1U : 0U);
}

// Without zeros in front.
template <class = void>
[[nodiscard]] char* write_digits(char* out, std::uint64_t number) noexcept {
  constexpr std::uint64_t eight = 100'000'000;
  if (number >= eight) {
    out = write_digits(out, number / eight);
    write_eight_digits(out, part_eight_digits(static_cast<std::uint32_t>(number % eight)));
    return out + 8;
  }
  const auto short_number = static_cast<std::uint32_t>(number);
  const unsigned count = count_digits(short_number);
  write_eight_digits(out, part_eight_digits(short_number) >> 8 * (8 - count));
  return out + count;
}

}  // namespace json_detail

// Writes the number; returns the end of what it wrote. There must be room for json_detail::number_room bytes.
template <class = void>
[[nodiscard]] char* write_json_integer(char* out, std::int64_t number) noexcept {
  if (number < 0) *out++ = '-';
  const auto magnitude = static_cast<std::uint64_t>(number);
  return json_detail::write_digits(out, number < 0 ? 0 - magnitude : magnitude);
}

namespace json_detail {

// Writes a double that is positive and a decimal of few digits, as most that people and sensors make are; null for any
// other. Six decimals are tried: if the digits with the point six places back are read as this very double, they are
// it. No other decimal of at most six places is, as below 2^52 millionths two of them are never nearer to one another
// than two doubles; so what is left without the zeros at the end is the shortest, which std::to_chars would find too.
template <class = void>
[[nodiscard]] char* write_short_decimal(char* out, double number) noexcept {
  constexpr std::size_t places = 6;
  constexpr double scale = 1e6;
  constexpr double max = 4'503'599'627.0;  // 2^52 millionths
  constexpr double min = 1e-3;             // from here on no exponent is shorter
  if (!(number >= min && number < max)) return nullptr;
  const double scaled = number * scale;
  auto digits = static_cast<std::uint64_t>(scaled);
  if (scaled - static_cast<double>(digits) >= 0.5) ++digits;
  double read = 0;
  if (!scale_exactly(digits, -static_cast<std::int64_t>(places), read) || read != number) return nullptr;
  out = write_digits(out, digits / 1'000'000);
  *out++ = '.';
  const std::uint64_t decimals = part_eight_digits(static_cast<std::uint32_t>(digits % 1'000'000)) >> 16;
  write_eight_digits(out, decimals);
  return out + (decimals == 0 ? 1 : static_cast<std::ptrdiff_t>(std::bit_width(decimals) + 7) / 8);
}

}  // namespace json_detail

// The same for a finite double: digits enough to give it back and no more, and always a point or an exponent.
template <class = void>
[[nodiscard]] char* write_json_double(char* out, double number) noexcept {
  constexpr double plain_max = 1e15;              // below, a whole number's digits are all its own
  if (std::bit_cast<std::int64_t>(number) < 0) {  // of -0.0, too
    *out++ = '-';
    number = -number;
  }
  if (number >= plain_max)
    return std::to_chars(out, out + json_detail::number_room, number, std::chars_format::scientific).ptr;
  const auto whole = static_cast<std::uint64_t>(number);
  if (static_cast<double>(whole) == number) {
    out = json_detail::write_digits(out, whole);
    *out++ = '.';
    *out++ = '0';
    return out;
  }
  if (char* const end = json_detail::write_short_decimal(out, number); end != nullptr) return end;
  return std::to_chars(out, out + json_detail::number_room, number).ptr;
}

template <class = void>
void append_json_double(std::string& out, double number) {
  char digits[json_detail::number_room];
  out.append(digits, static_cast<std::size_t>(write_json_double(digits, number) - digits));
}

}  // namespace tarn::inline TARN_ABI
