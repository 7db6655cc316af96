// The beginnings of texts as numbers, which compare faster than texts do.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

namespace text_prefix_detail {

// The number whose bytes in memory are those of `number`, most significant first; twice, `number` itself.
[[nodiscard]] constexpr std::uint64_t big_endian(std::uint64_t number) noexcept {
  return std::endian::native == std::endian::little ? __builtin_bswap64(number) : number;
}

}  // namespace text_prefix_detail

// The first eight bytes as a number, most significant first; what is missing counts as zeros. Of two texts the one with
// the smaller prefix is the lesser, byte for byte; with equal prefixes either may be.
template <class = void>
[[nodiscard]] std::uint64_t prefix_of(std::string_view text) noexcept {
  std::uint64_t prefix = 0;
  if (text.size() >= sizeof prefix) {
    std::memcpy(&prefix, text.data(), sizeof prefix);
    return text_prefix_detail::big_endian(prefix);
  }
  for (std::size_t at = 0; at < text.size(); ++at)
    prefix |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[at])) << (56 - 8 * at);
  return prefix;
}

// The eight bytes that have this prefix, put to `to`.
template <class = void>
void store_prefix(char* to, std::uint64_t prefix) noexcept {
  const std::uint64_t bytes_in_order = text_prefix_detail::big_endian(prefix);
  std::memcpy(to, &bytes_in_order, sizeof bytes_in_order);
}

}  // namespace tarn::inline TARN_ABI
