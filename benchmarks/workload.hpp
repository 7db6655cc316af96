// What all benchmarks work on: rows of a text of about 10 bytes, a 64-bit integer and a double. Both sides get them
// from here, so that making them costs both the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tarn_benchmark {

struct sample {
  std::string_view station;
  std::int64_t counter = 0;
  double reading = 0;
};

// What reading every value of a table comes to. Both sides add in the order of insertion, so equal tables have equal
// totals, to the last bit.
struct totals {
  std::int64_t rows = 0;
  std::int64_t text_bytes = 0;
  std::int64_t counters = 0;
  double readings = 0;

  void add(const sample& read) {
    ++rows;
    text_bytes += static_cast<std::int64_t>(read.station.size());
    counters += read.counter;
    readings += read.reading;
  }
  friend bool operator==(const totals&, const totals&) = default;
};

// Spreads the bits of a number (splitmix64, Steele et al. 2014).
[[nodiscard]] constexpr std::uint64_t scatter(std::uint64_t number) noexcept {
  number += 0x9e37'79b9'7f4a'7c15U;
  number = (number ^ number >> 30) * 0xbf58'476d'1ce4'e5b9U;
  number = (number ^ number >> 27) * 0x94d0'49bb'1331'11ebU;
  return number ^ number >> 31;
}

// The texts: 1,024 names of 8 to 12 letters.
[[nodiscard]] inline const std::vector<std::string>& stations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (std::uint64_t number = 0; number < 1'024; ++number) {
      std::string& name = made.emplace_back();
      const std::size_t size = 8 + number % 5;
      for (std::size_t at = 0; at < size; ++at) name += static_cast<char>('a' + scatter(number * 16 + at) % 26);
    }
    return made;
  }();
  return names;
}

// Row `number`: an integer of about 13 digits, and a reading to three decimals, as a sensor would give it.
[[nodiscard]] inline sample make_sample(std::int64_t number) {
  const std::uint64_t bits = scatter(static_cast<std::uint64_t>(number));
  const std::vector<std::string>& names = stations();
  return {names[bits % names.size()], static_cast<std::int64_t>(bits >> 20), static_cast<double>(bits >> 32) / 1'000.0};
}

[[nodiscard]] inline totals totals_of_samples(std::int64_t rows) {
  totals expected;
  for (std::int64_t number = 0; number < rows; ++number) expected.add(make_sample(number));
  return expected;
}

// Key number `number` of those that are written again in a table with `rows` keys: all over it, and none twice.
[[nodiscard]] constexpr std::int64_t scattered_key(std::int64_t number, std::int64_t rows) noexcept {
  constexpr std::int64_t prime = 611'953;
  return number * prime % rows;
}

}  // namespace tarn_benchmark
