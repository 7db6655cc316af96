#include "visible_text.hpp"

#include <cstdint>
#include <tarn/core/text.hpp>
#include <tarn/core/utf8.hpp>

namespace lake {
namespace {

struct range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks of Unicode that matter most. wcwidth() would know more, but depends on the locale and the system.
constexpr range zero_width[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},   {0xe31, 0xe31},
    {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},
    {0x2060, 0x2064}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};
constexpr range double_width[] = {{0x1100, 0x115f},  {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
                                  {0xac00, 0xd7a3},  {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                  {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                  {0x20000, 0x3fffd}};

template <std::size_t Size>
bool is_in(const range (&ranges)[Size], std::uint32_t code_point) {
  for (const range& each : ranges)
    if (code_point >= each.first && code_point <= each.last) return true;
  return false;
}

// The code point of a well-formed sequence.
std::uint32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(sequence[at])}; };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t code_point = byte(0) & (0x7fU >> sequence.size());
  for (std::size_t at = 1; at < sequence.size(); ++at) code_point = code_point << 6 | (byte(at) & 0x3fU);
  return code_point;
}

// One character as it may be shown, and its width.
struct glyph {
  std::string_view text;
  std::size_t width;
};

// Takes the next character off `text`; `escape` is where an escape for it is made.
glyph take_glyph(std::string_view& text, std::string& escape) {
  const std::size_t size = tarn::utf8_sequence_size(text);
  if (size == 0) {
    text.remove_prefix(1);
    return {"?", 1};
  }
  const std::string_view sequence = text.substr(0, size);
  text.remove_prefix(size);
  const std::uint32_t code_point = decode(sequence);
  if (code_point >= 0x20 && code_point < 0x7f) return {sequence, 1};
  if (code_point < 0xa0) {
    if (code_point == '\n') return {"\\n", 2};
    if (code_point == '\r') return {"\\r", 2};
    if (code_point == '\t') return {"\\t", 2};
    escape = tarn::concat({"\\u00", tarn::hex(static_cast<std::uint8_t>(code_point))});
    return {escape, escape.size()};
  }
  if (is_in(zero_width, code_point)) return {sequence, 0};
  return {sequence, is_in(double_width, code_point) ? std::size_t{2} : std::size_t{1}};
}

}  // namespace

std::size_t append_visible(std::string& out, std::string_view text, std::size_t width_max) {
  constexpr std::string_view ellipsis = "\u2026";
  std::string escape;
  std::size_t width = 0;
  std::size_t cut_size = out.size();  // where an ellipsis would go, with room for it
  std::size_t cut_width = 0;
  while (!text.empty()) {
    const glyph next = take_glyph(text, escape);
    if (width + next.width > width_max) {
      out.resize(cut_size);
      out += ellipsis;
      return cut_width + 1;
    }
    out += next.text;
    width += next.width;
    if (width < width_max) {
      cut_size = out.size();
      cut_width = width;
    }
  }
  return width;
}

std::size_t width_of(std::string_view text) {
  std::string shown;
  return append_visible(shown, text);
}

}  // namespace lake
