// Sixteen bytes looked at at once, where the compiler has vectors of them; else eight, in an integer. What a scanner of
// text needs: where the first byte is that interrupts a run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI {

// Which bytes interrupt a run: quote, backslash and control characters always; on reading also what is not ASCII,
// since it has to be checked.
enum class run : bool { of_ascii, of_any };

template <run Kind>
[[nodiscard]] constexpr bool interrupts(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == '"' || byte == '\\' || (Kind == run::of_ascii && byte >= 0x80);
}

// Each block has: its size, and `find<Kind>(at)`, how many of the bytes at `at`, of which there must be so many, come
// before the first that interrupts; the size if none does.

// In any compiler's integers.
struct integer_block {
  static constexpr std::size_t size = 8;

  template <run Kind>
  [[nodiscard]] static std::size_t find(const char* at) noexcept {
    std::uint64_t eight;
    std::memcpy(&eight, at, sizeof eight);
    const std::uint64_t bits = interrupting_bits<Kind>(eight);
    if (bits == 0) return size;
    if constexpr (std::endian::native == std::endian::little)
      return static_cast<std::size_t>(std::countr_zero(bits)) / 8;
    std::size_t before = 0;  // where the first byte is the highest, the lowest bit tells nothing
    while (!interrupts<Kind>(at[before])) ++before;
    return before;
  }

 private:
  // The highest bit of each byte that interrupts. Above one that does (in the order of the number's digits), bits may
  // be set for bytes that do not: a subtraction has borrowed from them. (Mycroft's zero-byte test, 1987.)
  template <run Kind>
  [[nodiscard]] static constexpr std::uint64_t interrupting_bits(std::uint64_t eight) noexcept {
    constexpr std::uint64_t each = 0x0101'0101'0101'0101U;
    constexpr std::uint64_t high_bits = each * 0x80;
    const std::uint64_t control = eight - each * 0x20;
    const std::uint64_t quote = (eight ^ each * '"') - each;
    const std::uint64_t backslash = (eight ^ each * '\\') - each;
    const std::uint64_t ascii = (control | quote | backslash) & ~eight & high_bits;
    return Kind == run::of_ascii ? ascii | (eight & high_bits) : ascii;
  }
};

#if defined(__SSE2__) || (defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
// In a register of the processor, by the compilers' own vectors: <emmintrin.h> or <arm_neon.h> would cost every user
// its compile time.
struct vector_block {
  static constexpr std::size_t size = 16;

  template <run Kind>
  [[nodiscard]] static std::size_t find(const char* at) noexcept {
    bytes sixteen;
    std::memcpy(&sixteen, at, sizeof sixteen);
    bytes found = (sixteen == '"') | (sixteen == '\\');
    if constexpr (Kind == run::of_ascii)
      found |= sixteen < 0x20;  // signed: what is not ASCII is below, too
    else
      found |= (sixteen & static_cast<signed char>(0xe0)) == 0;
    return first_of(found);
  }

 private:
  using bytes [[gnu::vector_size(16)]] = signed char;

  // Where the first byte is that is not 0 but all ones; the size if none is.
#if defined(__SSE2__)
  [[nodiscard]] static std::size_t first_of(bytes found) noexcept {
    using chars [[gnu::vector_size(16)]] = char;  // which the compilers' function takes
    const auto bits = static_cast<unsigned>(__builtin_ia32_pmovmskb128(reinterpret_cast<chars>(found)));
    return bits == 0 ? size : static_cast<std::size_t>(std::countr_zero(bits));
  }
#else
  // Arm has no instruction for a bit of each byte; four bits of each are what is left of pairs that are narrowed.
  [[nodiscard]] static std::size_t first_of(bytes found) noexcept {
    using pairs [[gnu::vector_size(16)]] = std::uint16_t;
    using halves [[gnu::vector_size(8)]] = std::uint8_t;
    const halves narrowed = __builtin_convertvector(reinterpret_cast<pairs>(found) >> 4, halves);
    std::uint64_t bits;
    std::memcpy(&bits, &narrowed, sizeof bits);
    return bits == 0 ? size : static_cast<std::size_t>(std::countr_zero(bits)) / 4;
  }
#endif
};
using byte_block = vector_block;
#else
using byte_block = integer_block;
#endif

}  // namespace tarn::inline TARN_ABI
