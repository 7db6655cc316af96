#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <tarn/codec/json_string.hpp>
#include <vector>

#include "../support/counting_allocator.hpp"

using namespace tarn;

namespace {

// The string that `text` holds after its opening quote; "error: ..." if there is none.
[[nodiscard]] std::string scan(const std::string& text) {
  arena memory;
  json_input input(text);
  std::string_view found;
  if (!scan_json_string(input, memory, found)) return "error: " + input.failure.error().message();
  CHECK(input.at == input.end);
  return std::string(found);
}

[[nodiscard]] std::string written(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

[[nodiscard]] std::string escape_of(unsigned code_unit) {
  char text[7];
  (void)std::snprintf(text, sizeof text, code_unit % 2 == 0 ? "\\u%04x" : "\\u%04X", code_unit);
  return text;
}

}  // namespace

TEST_CASE("Every character up to U+00FF is read plain if it may be, at every place of an eight-byte word") {
  for (unsigned c = 0; c < 0x100; ++c) {
    if (c == '"' || c == '\\') continue;
    for (std::size_t before = 0; before < 18; ++before) {
      char sequence[4];
      const std::string one(sequence, write_utf8(sequence, c));
      const std::string text = std::string(before, 'a') + one + "bcdefghij";
      const std::string found = scan(text + "\"");
      if (c < 0x20)
        REQUIRE(found.find("error: byte " + std::to_string(before) + ": expected no control character") == 0);
      else
        REQUIRE(found == text);
    }
  }
}

TEST_CASE("All escapes of one letter are read, and no others") {
  CHECK(scan(R"(\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  for (int c = 0; c < 256; ++c) {
    const std::string text = std::string("\\") + static_cast<char>(c) + "\"";
    if (std::string_view("\"\\/bfnrtu").find(static_cast<char>(c)) == std::string_view::npos)
      CHECK(scan(text).find("error: byte 1: expected one of \"\\/bfnrtu after a backslash, found") == 0);
  }
}

TEST_CASE("Every code unit is read as its character; halves of pairs are refused, pairs are joined") {
  std::size_t wrong = 0;
  for (unsigned unit = 0; unit < 0x10000; ++unit) {
    char sequence[4];
    const bool half = unit >= 0xd800 && unit <= 0xdfff;
    const std::string expected = half ? "error: byte 1: half a surrogate pair stands for no character"
                                      : "x" + std::string(sequence, write_utf8(sequence, unit));
    if (scan("x" + escape_of(unit) + "\"") != expected) ++wrong;
  }
  CHECK(wrong == 0);
  for (const std::uint32_t code_point : {0x10000U, 0x103ffU, 0x10400U, 0x1f600U, 0x10fc00U, 0x10ffffU}) {
    char sequence[4];
    const std::uint32_t offset = code_point - 0x10000;
    CHECK(scan(escape_of(0xd800 + (offset >> 10)) + escape_of(0xdc00 + (offset & 0x3ff)) + "\"") ==
          std::string(sequence, write_utf8(sequence, code_point)));
  }
  for (const std::string text : {"\\ud800\\ud800\"", "\\ud800\\u0041\"", "\\ud800\\n\"", "\\ud800x\"", "\\ud800\"",
                                 "\\udc00\\ud800\"", "\\udc00\\udc00\"", "\\ud800", "\\ud800\\", "\\ud800\\ue000\""})
    CHECK(scan(text).find("error: byte 0: half a surrogate pair") == 0);
}

TEST_CASE("A string that is cut anywhere is refused, and nothing behind its end is looked at") {
  const std::string text = "ab\\n\\u00e9\\ud83d\\ude00\xe2\x98\x83xyz\"";
  CHECK(scan(text) == "ab\n\xc3\xa9\xf0\x9f\x98\x80\xe2\x98\x83xyz");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    CAPTURE(cut);
    const std::vector<char> exact(cut.begin(), cut.end());  // for sanitizers, and with the rest behind it
    for (const std::string_view part : {std::string_view(exact.data(), size), std::string_view(text).substr(0, size)}) {
      arena memory;
      json_input input(part);
      std::string_view found;
      CHECK_FALSE(scan_json_string(input, memory, found));
    }
  }
  CHECK(scan("abc") == "error: byte 3: expected the string's closing quote, found the end of the text");
  CHECK(scan("abc\\") == "error: byte 4: expected an escape, found the end of the text");
  CHECK(scan("\\u12") == "error: byte 4: expected four hex digits after \\u, found the end of the text");
  CHECK(scan("\\u12g4\"") == "error: byte 4: expected four hex digits after \\u, found 'g'");
}

TEST_CASE("What is not UTF-8 is refused where it begins, before and after escapes") {
  for (const std::string bad :
       {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xc3", "\xf0\x9f\x98"}) {
    CHECK(scan("abc" + bad + "\"").find("error: byte 3: expected well-formed UTF-8") == 0);
    CHECK(scan("\\t" + bad + "\"").find("error: byte 2: expected well-formed UTF-8") == 0);
  }
}

TEST_CASE("A string without escapes is not copied, one with escapes is") {
  const std::string plain = "caf\xc3\xa9\"";
  arena memory;
  json_input input(plain);
  std::string_view found;
  const std::size_t before = tarn_test::allocations();
  REQUIRE(scan_json_string(input, memory, found));
  CHECK(found.data() == plain.data());
  CHECK(tarn_test::allocations() == before);
  const std::string escaped = "\\n\"";
  input = json_input(escaped);
  REQUIRE(scan_json_string(input, memory, found));
  CHECK(found == "\n");
  CHECK(tarn_test::allocations() > before);
}

TEST_CASE("Only what must be escaped is, and every text is read back as it was") {
  CHECK(written("plain / \x7f caf\xc3\xa9 \xe2\x80\xa8") == "\"plain / \x7f caf\xc3\xa9 \xe2\x80\xa8\"");
  CHECK(written("\"\\\b\f\n\r\t") == R"("\"\\\b\f\n\r\t")");
  CHECK(written(std::string_view("\0\x01\x1f", 3)) == R"("\u0000\u0001\u001f")");
  CHECK(written("") == "\"\"");
  for (unsigned c = 0; c < 0x80; ++c)
    for (std::size_t before = 0; before < 18; ++before) {
      const std::string text = std::string(before, 'a') + static_cast<char>(c) + "\n" + static_cast<char>(c);
      REQUIRE(scan(written(text).substr(1)) == text);
    }
}
