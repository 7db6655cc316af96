// Hashes by which what was seen before is known again: the same on every machine, of no use against an adversary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI::testing {

// All hashes of this folder are made of this. What is hashed are small numbers and zeros as well: those must leave
// their mark too, and not be mistaken for each other in another order.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  hash = (hash + 0x9e37'79b9'7f4a'7c15U) * 0xbf58'476d'1ce4'e5b9U;
  hash = ((hash ^ (hash >> 29)) + word) * 0x94d0'49bb'1331'11ebU;
  return hash ^ (hash >> 32);
}
[[nodiscard]] inline std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = mix(0, text.size());
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = text.size() < sizeof word ? text.size() : sizeof word;
    for (std::size_t at = 0; at < size; ++at)
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[at])) << (8 * at);
    hash = mix(hash, word);
    text.remove_prefix(size);
  }
  return hash;
}

}  // namespace tarn::inline TARN_ABI::testing
