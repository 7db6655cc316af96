// CRC-32C (Castagnoli; RFC 3720 appendix B.4): detects every error of up to 32 bits in a row, so any flipped bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

namespace crc32c_detail {

#if defined(__x86_64__)
inline constexpr bool has_instruction = true;  // or so have all processors since 2008
#else
inline constexpr bool has_instruction = false;
#endif

// How many bytes the tables take at once. Making eight tables costs every user 5 ms of compile time.
inline constexpr int slices = has_instruction ? 1 : 8;

// of[k][b] is the remainder of byte b followed by k zero bytes ("slicing by 8", Kounavis and Berry 2005). An array of
// the language: at compile time, calls of std::array's operators are slow.
struct remainders {
  std::uint32_t of[slices][256];
};

template <class = void>
[[nodiscard]] constexpr remainders make_tables() {
  remainders made{};
  // The remainder of a sum is the sum of the remainders: each bit's is found from the bit above, the rest are sums.
  std::uint32_t of_bit = 1;
  for (std::uint32_t bit = 128; bit > 0; bit /= 2) {
    of_bit = (of_bit >> 1) ^ ((of_bit & 1U) != 0 ? 0x82f63b78U : 0U);
    for (std::uint32_t byte = bit; byte < 256; byte += 2 * bit) made.of[0][byte] = of_bit ^ made.of[0][byte - bit];
  }
  for (int zeros = 1; zeros < slices; ++zeros)
    for (int byte = 0; byte < 256; ++byte) {
      const std::uint32_t shorter = made.of[zeros - 1][byte];
      made.of[zeros][byte] = (shorter >> 8) ^ made.of[0][shorter & 0xffU];
    }
  return made;
}

template <class = void>
inline constexpr remainders tables = make_tables();

// All three functions take and return the remainder as the algorithm keeps it, which is the checksum's complement.
template <class = void>
[[nodiscard]] std::uint32_t add_bytes(std::string_view bytes, std::uint32_t rest) noexcept {
  for (const char byte : bytes) rest = (rest >> 8) ^ tables<>.of[0][(rest ^ static_cast<unsigned char>(byte)) & 0xffU];
  return rest;
}

template <class = void>
[[nodiscard]] std::uint32_t add_by_tables(std::string_view bytes, std::uint32_t rest) noexcept {
  if constexpr (slices == 8) {
    const auto& of = tables<>.of;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      const auto byte = [&](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(bytes[at])}; };
      rest ^= byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
      rest = of[7][rest & 0xffU] ^ of[6][rest >> 8 & 0xffU] ^ of[5][rest >> 16 & 0xffU] ^ of[4][rest >> 24] ^
             of[3][byte(4)] ^ of[2][byte(5)] ^ of[1][byte(6)] ^ of[0][byte(7)];
    }
  }
  return add_bytes(bytes, rest);
}

#if defined(__x86_64__)
// Eight bytes in three cycles.
template <class = void>
[[gnu::target("sse4.2")]] std::uint32_t add_by_instruction(std::string_view bytes, std::uint32_t rest) noexcept {
  std::uint64_t wide_rest = rest;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes.data() + at, sizeof eight);
    wide_rest = __builtin_ia32_crc32di(wide_rest, eight);
  }
  return add_bytes(bytes.substr(at), static_cast<std::uint32_t>(wide_rest));
}
#endif

}  // namespace crc32c_detail

// The checksum of `bytes`, or of all bytes so far when `so_far` is the checksum of those before. The same on every
// processor and byte order; 2.5 bytes a cycle on x86-64, 0.7 elsewhere.
template <class = void>
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t so_far = 0) noexcept {
#if defined(__x86_64__)
  // Asked each time, since it is cheap and a program may run elsewhere than it was built.
  if (__builtin_cpu_supports("sse4.2")) return ~crc32c_detail::add_by_instruction(bytes, ~so_far);
#endif
  return ~crc32c_detail::add_by_tables(bytes, ~so_far);
}

}  // namespace tarn::inline TARN_ABI
