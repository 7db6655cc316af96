// Strings of JSON texts, read and written.
//
// Both directions spend their time on runs of plain characters, so they look at many bytes at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/text.hpp"
#include "../core/utf8.hpp"
#include "byte_block.hpp"
#include "json_input.hpp"

namespace tarn::inline TARN_ABI {

namespace json_detail {

// The first byte of [at, end) that interrupts; `end` if none does.
template <run Kind>
[[nodiscard]] inline const char* find_interruption(const char* at, const char* end) noexcept {
  while (static_cast<std::size_t>(end - at) >= byte_block::size) {
    const std::size_t before = byte_block::find<Kind>(at);
    at += before;
    if (before < byte_block::size) return at;
  }
  if (static_cast<std::size_t>(end - at) >= integer_block::size) {
    const std::size_t before = integer_block::find<Kind>(at);
    at += before;
    if (before < integer_block::size) return at;
  }
  while (at != end && !interrupts<Kind>(*at)) ++at;
  return at;
}

// Advances to the next quote or backslash; fails on control characters, on what is not UTF-8 and at the end.
template <class = void>
[[nodiscard]] bool pass_plain_text(json_input& input) {
  for (;;) {
    input.at = find_interruption<run::of_ascii>(input.at, input.end);
    while (input.at != input.end && static_cast<unsigned char>(*input.at) >= 0x80) {
      const std::size_t size = utf8_sequence_size({input.at, input.size_left()});
      if (size == 0) return input.fail("well-formed UTF-8");
      input.at += size;
    }
    const char c = input.peek();
    if (c == '"' || c == '\\') return true;
    if (input.at == input.end) return input.fail("the string's closing quote");
    if (interrupts<run::of_ascii>(c)) return input.fail("no control character in a string (write it as an escape)");
  }
}

// Reads the four hex digits at `input.at + 2`: those of \uXXXX.
template <class = void>
[[nodiscard]] bool scan_code_unit(json_input& input, std::uint32_t& unit) {
  if (input.size_left() < 6) return input.fail_at(input.end, "four hex digits after \\u");
  unit = 0;
  for (const char* digit = input.at + 2; digit != input.at + 6; ++digit) {
    const int value = hex_digit(*digit >= 'A' && *digit <= 'F' ? static_cast<char>(*digit | 0x20) : *digit);
    if (value < 0) return input.fail_at(digit, "four hex digits after \\u");
    unit = unit << 4 | static_cast<std::uint32_t>(value);
  }
  return true;
}

// \uXXXX, or two of them that are a surrogate pair, to UTF-8.
template <class = void>
[[nodiscard]] bool scan_unicode_escape(json_input& input, char*& out) {
  const char* const place = input.at;
  std::uint32_t code_point = 0;
  if (!scan_code_unit(input, code_point)) return false;
  input.at += 6;
  if (code_point >= 0xd800 && code_point <= 0xdfff) {
    constexpr std::string_view lone = "half a surrogate pair stands for no character";
    if (code_point > 0xdbff || input.size_left() < 2 || input.at[0] != '\\' || input.at[1] != 'u')
      return input.refuse_at(place, errc::invalid_argument, lone);
    std::uint32_t low = 0;
    if (!scan_code_unit(input, low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return input.refuse_at(place, errc::invalid_argument, lone);
    input.at += 6;
    code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
  }
  out = write_utf8(out, code_point);
  return true;
}

// The escape at `input.at`, where a backslash is.
template <class = void>
[[nodiscard]] bool scan_escape(json_input& input, char*& out) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (input.size_left() < 2) return input.fail_at(input.end, "an escape");
  const char name = input.at[1];
  if (name == 'u') return scan_unicode_escape(input, out);
  const std::size_t which = names.find(name);
  if (which == std::string_view::npos) return input.fail_at(input.at + 1, "one of \"\\/bfnrtu after a backslash");
  *out++ = meanings[which];
  input.at += 2;
  return true;
}

// Where the string that goes on at `at` has its closing quote, or its text ends.
template <class = void>
[[nodiscard]] const char* find_closing_quote(const char* at, const char* end) noexcept {
  while (at != end && *at != '"') {
    if (*at == '\\' && ++at == end) break;
    ++at;
  }
  return at;
}

// The rest of a string that began at `first` and has its first escape at `input.at`.
template <class = void>
[[nodiscard]] bool unescape_string(json_input& input, const char* first, arena& memory, std::string_view& out) {
  // No escape is longer than what it stands for is written, so this is room enough.
  char* const room = memory.allocate<char>(static_cast<std::size_t>(find_closing_quote(input.at, input.end) - first));
  char* text_end = room;
  for (;;) {
    const auto plain = static_cast<std::size_t>(input.at - first);
    std::memcpy(text_end, first, plain);
    text_end += plain;
    if (*input.at == '"') break;
    if (!scan_escape(input, text_end)) return false;
    first = input.at;
    if (!pass_plain_text(input)) return false;
  }
  ++input.at;
  const char* const text = room;
  out = {text, static_cast<std::size_t>(text_end - text)};
  return true;
}

}  // namespace json_detail

// Reads the string whose opening quote is just before `input.at`. `out` looks into the text if the string has no
// escapes, else into `memory`.
template <class = void>
[[nodiscard]] bool scan_json_string(json_input& input, arena& memory, std::string_view& out) {
  const char* const first = input.at;
  if (!json_detail::pass_plain_text(input)) return false;
  if (*input.at == '\\') return json_detail::unescape_string(input, first, memory, out);
  out = {first, static_cast<std::size_t>(input.at - first)};
  ++input.at;
  return true;
}

// Appends `utf8`, which must be well-formed, in quotes. Only what RFC 8259 says must be escaped is.
template <class = void>
void append_json_string(std::string& out, std::string_view utf8) {
  const char* at = utf8.data();
  const char* const end = at + utf8.size();
  out.push_back('"');
  for (;;) {
    const char* const plain_end = json_detail::find_interruption<run::of_any>(at, end);
    out.append(at, static_cast<std::size_t>(plain_end - at));
    if (plain_end == end) break;
    constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
    constexpr std::string_view names = "\"\\bfnrt";
    const std::size_t which = meanings.find(*plain_end);
    if (which != std::string_view::npos) {
      const char escape[] = {'\\', names[which]};
      out.append(escape, sizeof escape);
    } else {
      out += concat({"\\u00", hex(static_cast<std::uint8_t>(*plain_end))});
    }
    at = plain_end + 1;
  }
  out.push_back('"');
}

}  // namespace tarn::inline TARN_ABI
