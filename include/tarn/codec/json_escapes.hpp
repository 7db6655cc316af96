// How values that JSON does not have are written: bytes, and doubles that are not finite.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "base64.hpp"
#include "json_number.hpp"

namespace tarn::inline TARN_ABI {

enum class json_escapes : bool {
  none,  // a text is what it says: every object is a map
  // {"$bytes":"<base64>"} is bytes and {"$double":"<16 hex digits>"} the double of these bits, which is not finite.
  // A map's key that begins with '$' has one more '$' in front, so that no map is taken for either.
  tarn,
};

template <class = void>
void append_bytes_escape(std::string& out, std::string_view bytes) {
  append_text(out, R"({"$bytes":")");
  append_base64(out, bytes);
  append_text(out, R"("})");
}

// All 64 bits: a NaN may carry something in its payload.
template <class = void>
void append_double_escape(std::string& out, double number) {
  out += concat({R"({"$double":")", hex(std::bit_cast<std::uint64_t>(number)), R"("})"});
}

// Both decoders read the string that is an escape's content; false if no value is written so. There is one way to write
// each value, and finite doubles are never escaped.
template <class = void>
[[nodiscard]] bool decode_bytes_escape(std::string_view content, arena& memory, value_view& out) {
  out = bytes{};
  if (content.empty()) return true;  // room for nothing may be a null pointer, which below means something else
  char* const room = memory.allocate<char>(base64_bytes_max(content.size()));
  const char* const first = room;  // a view of `char*` would compile 60 ms worth of iterator concepts
  const char* const last = decode_base64(content, room);
  if (last == nullptr) return false;
  out = bytes{{first, static_cast<std::size_t>(last - first)}};
  return true;
}

template <class = void>
[[nodiscard]] bool decode_double_escape(std::string_view content, value_view& out) noexcept {
  if (content.size() != 16) return false;
  std::uint64_t bits = 0;
  for (const char digit : content) {
    const std::size_t value = std::string_view("0123456789abcdef").find(digit);
    if (value == std::string_view::npos) return false;
    bits = bits << 4 | value;
  }
  const auto number = std::bit_cast<double>(bits);
  out = number;
  return !is_finite(number);
}

}  // namespace tarn::inline TARN_ABI
