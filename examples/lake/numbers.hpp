// Numbers in texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/core/text.hpp>

namespace lake {

// 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t number) {
  std::string text = tarn::concat({number});
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

// "1 row", "300 rows".
inline std::string count_of(std::uint64_t number, std::string_view unit) {
  return tarn::concat({grouped(number), " ", unit, number == 1 ? "" : "s"});
}

// A number that is not negative, and nothing else.
inline std::optional<std::int64_t> parse_count(std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

}  // namespace lake
