#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/core/text.hpp>

using namespace tarn;

TEST_CASE("concat joins texts, characters and integers of every size") {
  const std::string text = "text";
  CHECK(concat({}) == "");
  CHECK(concat({"a ", text, std::string_view(" b "), 'c', 7, ' ', -8L, ' ',
                std::uint64_t{18'446'744'073'709'551'615U}}) == "a text b c7 -8 18446744073709551615");
  CHECK(concat({INT64_MIN}) == "-9223372036854775808");
  CHECK(concat({std::uint8_t{65}}) == "65");
}

TEST_CASE("hex writes all digits, in lower case") {
  CHECK(hex(std::uint8_t{0}) == "00");
  CHECK(hex(std::uint8_t{0xaf}) == "af");
  CHECK(hex(std::uint16_t{0x1}) == "0001");
  CHECK(hex(std::uint32_t{0xdead'beef}) == "deadbeef");
  CHECK(hex(std::uint64_t{0x0123'4567'89ab'cdef}) == "0123456789abcdef");
  CHECK(hex(~std::uint64_t{0}) == "ffffffffffffffff");
}

TEST_CASE("a hex digit is what hex writes, and nothing else") {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::size_t place = std::string_view("0123456789abcdef").find(c);
    CHECK(hex_digit(c) == (place == std::string_view::npos ? -1 : static_cast<int>(place)));
  }
}

TEST_CASE("names in a store have ASCII letters, digits, '_', '-' and '.'") {
  constexpr std::string_view all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    CHECK(is_name_character(c) == (all.find(c) != std::string_view::npos));
  }
}
