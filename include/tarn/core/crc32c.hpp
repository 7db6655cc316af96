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

// How many bytes each of several streams takes at a time.
inline constexpr std::size_t stream_bytes = 2'048;

// What each bit of a remainder has become after as many zero bytes.
struct remainders_later {
  std::uint32_t of_bit[32];
};

// The product of two remainders. Their highest bit is x^0, so a multiplication by x is a shift to the right.
[[nodiscard]] constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (std::uint32_t bit = 1U << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1U) != 0 ? 0x82f63b78U : 0U);
  }
  return product;
}

template <class = void>
[[nodiscard]] constexpr remainders_later make_later() {
  std::uint32_t power = 1U << 30;  // x; squared, and so on, until it is x^(8 * stream_bytes)
  for (std::size_t exponent = 1; exponent < 8 * stream_bytes; exponent *= 2) power = multiply(power, power);
  remainders_later made{};
  for (int bit = 0; bit < 32; ++bit) made.of_bit[bit] = multiply(1U << bit, power);
  return made;
}

template <class = void>
inline constexpr remainders_later later = make_later();

// The remainder after that many zero bytes.
template <class = void>
[[nodiscard]] std::uint32_t after_stream(std::uint32_t rest) noexcept {
  std::uint32_t sum = 0;
  for (int bit = 0; bit < 32; ++bit) sum ^= later<>.of_bit[bit] & (0 - (rest >> bit & 1U));
  return sum;
}

#if defined(__x86_64__)
template <class = void>
[[nodiscard]] [[gnu::target("sse4.2")]] std::uint64_t add_eight(std::uint64_t rest, const char* at) noexcept {
  std::uint64_t eight;
  std::memcpy(&eight, at, sizeof eight);
  return __builtin_ia32_crc32di(rest, eight);
}

// The instruction takes three cycles, but one can begin in each: long texts are taken as three streams, of which only
// the first knows what was before (Gopal et al. 2011). Short ones take three cycles for eight bytes.
template <class = void>
[[gnu::target("sse4.2")]] std::uint32_t add_by_instruction(std::string_view bytes, std::uint32_t rest) noexcept {
  std::uint64_t wide_rest = rest;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; static_cast<std::size_t>(end - at) >= 3 * stream_bytes; at += 2 * stream_bytes) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (const char* const second_begin = at + stream_bytes; at != second_begin; at += 8) {
      wide_rest = add_eight(wide_rest, at);
      second = add_eight(second, at + stream_bytes);
      third = add_eight(third, at + 2 * stream_bytes);
    }
    wide_rest = after_stream(static_cast<std::uint32_t>(wide_rest)) ^ second;
    wide_rest = after_stream(static_cast<std::uint32_t>(wide_rest)) ^ third;
  }
  for (; end - at >= 8; at += 8) wide_rest = add_eight(wide_rest, at);
  return add_bytes({at, static_cast<std::size_t>(end - at)}, static_cast<std::uint32_t>(wide_rest));
}
#endif

}  // namespace crc32c_detail

// The checksum of `bytes`, or of all bytes so far when `so_far` is the checksum of those before. The same on every
// processor and byte order; up to 7 bytes a cycle on x86-64, 0.7 elsewhere.
template <class = void>
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes, std::uint32_t so_far = 0) noexcept {
#if defined(__x86_64__)
  // Asked each time, since it is cheap and a program may run elsewhere than it was built.
  if (__builtin_cpu_supports("sse4.2")) return ~crc32c_detail::add_by_instruction(bytes, ~so_far);
#endif
  return ~crc32c_detail::add_by_tables(bytes, ~so_far);
}

}  // namespace tarn::inline TARN_ABI
