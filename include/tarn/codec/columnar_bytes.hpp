// The bytes that columnar objects are made of: numbers of 1, 4 and 8 bytes, least significant first on every machine,
// and numbers of as many bytes as they need, seven bits in each ("varints", as in Protocol Buffers and SQLite).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI::columnar {

// At any address. memcpy is how the language says it; it costs a load.
template <class = void>
[[nodiscard]] std::uint64_t load_64(const char* from) noexcept {
  std::uint64_t number;
  std::memcpy(&number, from, sizeof number);
  if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
  return number;
}
template <class = void>
void store_64(char* to, std::uint64_t number) noexcept {
  if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
  std::memcpy(to, &number, sizeof number);
}

template <class = void>
void append_64(std::string& out, std::uint64_t number) {
  char bytes[8];
  store_64(bytes, number);
  out.append(bytes, sizeof bytes);
}
template <class = void>
void append_32(std::string& out, std::uint32_t number) {
  char bytes[8];
  store_64(bytes, number);
  out.append(bytes, 4);
}
template <class = void>
void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80U));
  out.push_back(static_cast<char>(number));
}

// Small numbers of either sign as small numbers: 0, -1, 1, -2 are 0, 1, 2, 3 ("zigzag").
[[nodiscard]] constexpr std::uint64_t fold_sign(std::uint64_t number) noexcept {
  return number << 1 ^ (0 - (number >> 63));
}
[[nodiscard]] constexpr std::uint64_t unfold_sign(std::uint64_t folded) noexcept {
  return folded >> 1 ^ (0 - (folded & 1U));
}

// Bytes that are taken from the front. What is not there is not taken: then the answer is false.
template <class = void>
class input {
 public:
  explicit input(std::string_view bytes) noexcept : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] const char* position() const noexcept { return at_; }

  [[nodiscard]] bool take(std::uint64_t size, std::string_view& bytes) noexcept {
    if (size > left()) return false;
    bytes = {at_, static_cast<std::size_t>(size)};
    at_ += size;
    return true;
  }
  [[nodiscard]] bool take_byte(unsigned char& byte) noexcept {
    if (at_ == end_) return false;
    byte = static_cast<unsigned char>(*at_++);
    return true;
  }
  [[nodiscard]] bool take_32(std::uint32_t& number) noexcept {
    if (left() < 4) return false;
    char bytes[8] = {};
    std::memcpy(bytes, at_, 4);
    number = static_cast<std::uint32_t>(load_64(bytes));
    at_ += 4;
    return true;
  }
  [[nodiscard]] bool take_64(std::uint64_t& number) noexcept {
    if (left() < 8) return false;
    number = load_64(at_);
    at_ += 8;
    return true;
  }
  [[nodiscard]] bool take_varint(std::uint64_t& number) noexcept {
    number = 0;
    for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return shift < 63 || byte <= 1;
    }
    return false;
  }

 private:
  const char* at_;
  const char* end_;
};

}  // namespace tarn::inline TARN_ABI::columnar
