// CRC-32C (Castagnoli; RFC 3720 appendix B.4): detects every error of up to 32 bits in a row, so any flipped bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

namespace crc32c_detail {

using table = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: the checksum's change by byte b followed by k zero bytes ("slicing by 8", Kounavis and Berry 2005).
[[nodiscard]] constexpr table make_tables() {
  table tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1U) != 0 ? 0x82f63b78U : 0U);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xffU];
    }
  return tables;
}

inline constexpr table tables = make_tables();

}  // namespace crc32c_detail

// The checksum of `bytes`, or of all bytes so far when `so_far` is the checksum of those before. About 1 byte a cycle
// or better; no special instructions, the same on every byte order.
[[nodiscard]] constexpr std::uint32_t crc32c(std::string_view bytes, std::uint32_t so_far = 0) noexcept {
  const crc32c_detail::table& tables = crc32c_detail::tables;
  const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(bytes[at])}; };
  std::uint32_t crc = ~so_far;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    crc ^= byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
    crc = tables[7][crc & 0xffU] ^ tables[6][crc >> 8 & 0xffU] ^ tables[5][crc >> 16 & 0xffU] ^ tables[4][crc >> 24] ^
          tables[3][byte(at + 4)] ^ tables[2][byte(at + 5)] ^ tables[1][byte(at + 6)] ^ tables[0][byte(at + 7)];
  }
  for (; at < bytes.size(); ++at) crc = (crc >> 8) ^ tables[0][(crc ^ byte(at)) & 0xffU];
  return ~crc;
}

}  // namespace tarn::inline TARN_ABI
