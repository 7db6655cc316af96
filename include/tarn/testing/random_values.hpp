// Values for tests: the ones at which encodings break, and any number of others that follow from a seed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/row.hpp"
#include "../core/text.hpp"
#include "../core/utf8.hpp"
#include "../core/value.hpp"
#include "random_source.hpp"

namespace tarn::inline TARN_ABI::testing {

[[nodiscard]] inline double double_of_bits(std::uint64_t bits) noexcept { return std::bit_cast<double>(bits); }
[[nodiscard]] inline value list_of(const std::vector<value>& elements) { return value(list_view(elements)); }
// Keys, which must be strings that differ, and values in turn.
[[nodiscard]] inline value map_of(const std::vector<value>& alternating) {
  return value(map_view(list_view(alternating)));
}

[[nodiscard]] inline std::vector<value> edge_integers() {
  std::vector<value> all;
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t power = std::int64_t{1} << bit;
    for (const std::int64_t near : {power - 1, power, power + 1}) all.insert(all.end(), {value(near), value(-near)});
  }
  for (std::int64_t power = 1; power < INT64_MAX / 10; power *= 10)
    for (const std::int64_t near : {10 * power - 1, 10 * power}) all.insert(all.end(), {value(near), value(-near)});
  all.insert(all.end(), {value(INT64_MAX), value(INT64_MIN), value(INT64_MIN + 1)});
  return all;
}

// Zeros, denormals, the borders of every range, whole numbers, decimal powers, infinities, NaNs with payloads.
[[nodiscard]] inline std::vector<value> edge_doubles() {
  constexpr std::uint64_t sign = 0x8000'0000'0000'0000U;
  constexpr std::uint64_t bits[] = {0x0000'0000'0000'0000U, 0x0000'0000'0000'0001U, 0x0000'0000'0000'0002U,
                                    0x000f'ffff'ffff'ffffU, 0x0010'0000'0000'0000U, 0x3fb9'9999'9999'999aU,
                                    0x3ff0'0000'0000'0000U, 0x3ff0'0000'0000'0001U, 0x7fef'ffff'ffff'ffffU,
                                    0x7ff0'0000'0000'0000U, 0x7ff8'0000'0000'0000U, 0x7ff8'0000'0000'0001U,
                                    0x7fff'ffff'ffff'ffffU, 0x7ffc'dead'beef'cafeU};
  std::vector<value> all;
  for (const std::uint64_t each : bits)
    all.insert(all.end(), {value(double_of_bits(each)), value(double_of_bits(each | sign))});
  double power = 1e-320;
  for (int exponent = -320; exponent < 308; ++exponent, power *= 10) all.emplace_back(power);
  for (int bit = 0; bit < 70; ++bit) {
    const double whole = static_cast<double>(std::uint64_t{1} << (bit % 64)) * (bit < 64 ? 1.0 : 0x1p64);
    all.insert(all.end(), {value(whole), value(-whole), value(whole + 1), value(whole - 0.5)});
  }
  all.insert(all.end(),
             {value(999'999'999'999'999.0), value(1e15), value(1e15 + 2), value(0.1 + 0.2), value(123456.789)});
  return all;
}

// Every control character, what must be escaped at every place of an eight-byte word, the borders of UTF-8's lengths.
[[nodiscard]] inline std::vector<value> edge_strings() {
  std::vector<value> all{value(""),  value("/"),         value("null"),
                         value("1"), value("[\"a\",1]"), value("{\"$bytes\":\"\"}")};
  for (unsigned c = 0; c < 128; ++c) {
    const std::string one(1, static_cast<char>(c));
    all.emplace_back(one);
    for (std::size_t before = 1; before < 18 && (c < 0x20 || c == '"' || c == '\\' || c == 0x7f); before += 4)
      all.emplace_back(std::string(before, 'a') + one + std::string(9, 'z'));
  }
  for (const std::uint32_t code_point :
       {0x80U, 0x7ffU, 0x800U, 0x2028U, 0xd7ffU, 0xe000U, 0xfeffU, 0xffffU, 0x1'0000U, 0x1'f600U, 0x10'ffffU}) {
    char sequence[4];
    const std::string text = concat({std::string_view(sequence, write_utf8(sequence, code_point)), "\n"});
    for (std::size_t before = 0; before < 9; ++before) all.emplace_back(std::string(before, 'a') + text);
  }
  all.emplace_back(std::string(100'000, 'x'));
  all.emplace_back(std::string(10'000, '"'));
  return all;
}

[[nodiscard]] inline std::vector<value> edge_bytes() {
  std::vector<value> all;
  std::string every_byte;
  for (unsigned c = 0; c < 256; ++c) {
    const std::string one(1, static_cast<char>(c));
    every_byte += one;
    all.emplace_back(bytes{one});
  }
  for (std::size_t size = 0; size < 10; ++size) {
    all.emplace_back(bytes{std::string_view(every_byte).substr(256 - size)});
    all.emplace_back(bytes{std::string(size, '\0')});
  }
  all.emplace_back(bytes{every_byte});
  return all;
}

// What might be taken for something else.
[[nodiscard]] inline std::vector<value> edge_containers() {
  std::vector<value> all{list_of({}), map_of({}), list_of({list_of({}), map_of({}), value()})};
  for (const std::string_view key :
       {"", "$", "$$", "$bytes", "$double", "$$bytes", "$$double", "$$$bytes", "$other", "bytes", "a$", "\"", "\n"}) {
    all.push_back(map_of({value(key), value("")}));
    all.push_back(map_of({value(key), value("7ff8000000000000")}));
    all.push_back(map_of({value(key), bytes{"\x01"}}));
    all.push_back(map_of({value("first"), value(1), value(key), value("AA==")}));
  }
  all.push_back(
      map_of({value("Table"), value("x"), value("Data"), list_of({list_of({value(1)})}), value("Len"), value(1)}));
  all.emplace_back("],\"Len\":7");
  return all;
}

[[nodiscard]] inline std::vector<value> edge_values() {
  std::vector<value> all{value(), value(true), value(false)};
  for (const auto& some : {edge_integers(), edge_doubles(), edge_strings(), edge_bytes(), edge_containers()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

// `inside`, within `depth` lists and maps in turn.
[[nodiscard]] inline value nested(value inside, std::size_t depth) {
  for (std::size_t level = 0; level < depth; ++level)
    inside = level % 2 == 0 ? list_of({inside}) : map_of({value("k"), inside});
  return inside;
}

// Values of all kinds; the same ones for the same seed on every machine.
class random_values {
 public:
  explicit random_values(std::uint64_t seed) noexcept : random_(seed) {}

  [[nodiscard]] std::uint64_t bits() noexcept { return random_.next(); }
  // 0 to `bound` - 1; `bound` must not be 0.
  [[nodiscard]] std::size_t below(std::size_t bound) noexcept { return random_.below(bound); }

  [[nodiscard]] row next_row(std::size_t columns) {
    row made;
    for (std::size_t column = 0; column < columns; ++column) made.push_back(next(3));
    return made;
  }

  // Nested at most `depth` deep.
  [[nodiscard]] value next(std::size_t depth) {
    switch (below(depth == 0 ? 7 : 9)) {
      case 0: return {};
      case 1: return value(bits() % 2 == 0);
      case 2: return value(std::bit_cast<std::int64_t>(bits() >> below(64)));
      case 3: return value(next_double());
      case 4:
      case 5: return value(next_text());
      case 6: return value(bytes{next_bytes()});
      case 7: return next_list(depth - 1);
      default: return next_map(depth - 1);
    }
  }

 private:
  // Any bit pattern, or a number with few digits. No signalling NaN: x87 registers make it a quiet one in passing.
  [[nodiscard]] double next_double() {
    const std::uint64_t any = bits();
    if (below(2) == 0) return static_cast<double>(any % 1'000'000) / 100;
    const bool signalling = (any & 0x7ff8'0000'0000'0000U) == 0x7ff0'0000'0000'0000U;
    return double_of_bits(signalling ? any | 0x0008'0000'0000'0000U : any);
  }

  [[nodiscard]] std::string next_text() {
    std::string text;
    const std::size_t size = below(below(8) == 0 ? 200 : 20);
    while (text.size() < size) {
      constexpr std::uint32_t bounds[] = {0x20, 0x80, 0x80, 0x80, 0x800, 0xd800, 0x11'0000};
      auto code_point = static_cast<std::uint32_t>(below(bounds[below(7)]));
      if (code_point >= 0xd800 && code_point <= 0xdfff) code_point = '"';
      char sequence[4];
      text.append(sequence, write_utf8(sequence, code_point));
    }
    return text;
  }

  [[nodiscard]] std::string next_bytes() {
    std::string made(below(30), '\0');
    for (char& c : made) c = static_cast<char>(bits() & 0xffU);
    return made;
  }

  [[nodiscard]] value next_list(std::size_t depth) {
    std::vector<value> elements(below(5));
    for (value& element : elements) element = next(depth);
    return list_of(elements);
  }

  // The number after the last point of each key makes it differ from the others.
  [[nodiscard]] value next_map(std::size_t depth) {
    std::vector<value> alternating;
    const std::size_t size = below(below(8) == 0 ? 40 : 5);
    for (std::size_t member = 0; member < size; ++member) {
      alternating.emplace_back(concat({below(3) == 0 ? "$" : "", next_text(), ".", member}));
      alternating.push_back(next(depth));
    }
    return map_of(alternating);
  }

  random_source random_;
};

}  // namespace tarn::inline TARN_ABI::testing
