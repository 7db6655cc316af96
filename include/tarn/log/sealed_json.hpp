// Objects of JSON that end with a checksum of all bytes before it: entries, checkpoints and markers. Its digits are
// compared as they are, byte for byte, so that there is one way only to write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI {

namespace sealed_json_detail {

// Between these are eight hex digits, the CRC-32C.
inline constexpr std::string_view key = ",\"Checksum\":\"";
inline constexpr std::string_view end = "\"}";
inline constexpr std::size_t digits = 8;

}  // namespace sealed_json_detail

// Ends an object that has members and is still open.
template <class = void>
void append_seal(std::string& out) {
  using namespace sealed_json_detail;
  out += key;
  const std::string checksum = hex(crc32c(out));
  out += checksum;
  out += end;
}

// Whether the bytes are those that were sealed.
template <class = void>
[[nodiscard]] bool is_sealed(std::string_view bytes) {
  using namespace sealed_json_detail;
  constexpr std::size_t end_size = digits + end.size();
  if (bytes.size() < key.size() + end_size) return false;
  const std::string_view before = bytes.substr(0, bytes.size() - end_size);
  if (!before.ends_with(key)) return false;
  return bytes.substr(before.size()) == concat({hex(crc32c(before)), end});
}

}  // namespace tarn::inline TARN_ABI
