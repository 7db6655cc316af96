// How a row is written where the peer keeps bytes only: two numbers as they are in memory, and the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "workload.hpp"

namespace tarn_benchmark {

class packed_row {
 public:
  explicit packed_row(const sample& row) : size_(numbers + row.station.size()) {
    std::memcpy(bytes_, &row.counter, sizeof row.counter);
    std::memcpy(bytes_ + sizeof row.counter, &row.reading, sizeof row.reading);
    std::memcpy(bytes_ + numbers, row.station.data(), row.station.size());
  }
  [[nodiscard]] char* data() noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  static constexpr std::size_t numbers = sizeof(std::int64_t) + sizeof(double);

 private:
  char bytes_[64];
  std::size_t size_;
};

[[nodiscard]] inline sample unpacked(std::string_view bytes) noexcept {
  sample row;
  std::memcpy(&row.counter, bytes.data(), sizeof row.counter);
  std::memcpy(&row.reading, bytes.data() + sizeof row.counter, sizeof row.reading);
  row.station = bytes.substr(packed_row::numbers);
  return row;
}

// Sorts as the number does.
[[nodiscard]] inline std::string packed_key(std::int64_t number) {
  std::string key(sizeof number, '\0');
  for (std::size_t at = key.size(); at-- > 0; number >>= 8) key[at] = static_cast<char>(number & 0xff);
  return key;
}

}  // namespace tarn_benchmark
