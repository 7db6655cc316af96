#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/core/utf8.hpp>

using namespace tarn;

namespace {

// The definition, straight from what UTF-8 is: the shortest form of a code point that is no surrogate. Slow.
[[nodiscard]] std::size_t reference_sequence_size(const std::string& text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])); };
  const std::uint32_t first = byte(0);
  const std::size_t size = first < 0x80         ? 1
                           : (first >> 5) == 6  ? 2
                           : (first >> 4) == 14 ? 3
                           : (first >> 3) == 30 ? 4
                                                : 0;
  if (size == 0 || text.size() < size) return 0;
  std::uint32_t code_point = size == 1 ? first : first & (0x7fU >> size);
  for (std::size_t at = 1; at < size; ++at) {
    if (byte(at) >> 6 != 2) return 0;
    code_point = code_point << 6 | (byte(at) & 0x3fU);
  }
  const std::size_t shortest = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  return surrogate || code_point > 0x10ffff || shortest != size ? 0 : size;
}

[[nodiscard]] std::string bytes_of(std::uint32_t number, std::size_t size) {
  std::string text;
  for (std::size_t at = size; at-- > 0;) text += static_cast<char>(number >> (8 * at) & 0xffU);
  return text;
}

}  // namespace

TEST_CASE("All texts of 1, 2 and 3 bytes are told well-formed or not as the definition says") {
  std::size_t differences = 0;
  for (std::size_t size = 1; size <= 3; ++size)
    for (std::uint32_t number = 0; number < 1U << 8 * size; ++number) {
      const std::string text = bytes_of(number, size);
      if (utf8_sequence_size(text) != reference_sequence_size(text)) ++differences;
    }
  CHECK(differences == 0);
}

TEST_CASE("Texts of 4 bytes at every border are told well-formed or not as the definition says") {
  constexpr std::uint32_t tails[] = {0x00, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  std::size_t differences = 0;
  for (std::uint32_t first = 0xe0; first < 0x100; ++first)
    for (std::uint32_t second = 0; second < 0x100; ++second)
      for (const std::uint32_t third : tails)
        for (const std::uint32_t fourth : tails) {
          const std::string text = bytes_of(first << 24 | second << 16 | third << 8 | fourth, 4);
          if (utf8_sequence_size(text) != reference_sequence_size(text)) ++differences;
        }
  CHECK(differences == 0);
}

TEST_CASE("Every code point is written as the one sequence that is well-formed for it") {
  std::size_t wrong = 0;
  for (std::uint32_t code_point = 0; code_point < 0x110000; ++code_point) {
    if (code_point >= 0xd800 && code_point <= 0xdfff) continue;
    char sequence[4];
    const std::string text(sequence, write_utf8(sequence, code_point));
    std::uint32_t read = static_cast<unsigned char>(text[0]);
    if (text.size() > 1) read &= 0x7fU >> text.size();
    for (std::size_t at = 1; at < text.size(); ++at) read = read << 6 | (static_cast<unsigned char>(text[at]) & 0x3fU);
    if (read != code_point || utf8_sequence_size(text) != text.size()) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("The first bad byte is found wherever it is in a long text") {
  for (const std::string good : {"a", "\xc3\xa9", "\xe2\x98\x83", "\xf0\x9f\x98\x80"})
    for (const std::string bad : {"\x80", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x98"}) {
      std::string text;
      while (text.size() < 40) {
        CHECK(find_invalid_utf8(text) == text.size());
        CHECK(find_invalid_utf8(text + bad) == text.size());
        CHECK(find_invalid_utf8(text + bad + "and then some more") == text.size());
        text += good;
      }
    }
  CHECK(find_invalid_utf8("") == 0);
  CHECK(find_invalid_utf8(std::string_view("\0\x7f", 2)) == 2);
}
