// Memory for values that live until the next row: handed out in pieces, taken back all at once, kept for reuse. After
// the first few rows a cursor that uses one no longer allocates. Not thread-safe.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

class arena {
 public:
  // Room for `count` objects, uninitialised, at an address that stays until `clear`.
  template <class T>
  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
    static_assert(alignof(T) <= alignment);
    return static_cast<T*>(static_cast<void*>(take(count * sizeof(T))));
  }

  // Takes all memory back; everything allocated since the last time is gone.
  void clear() noexcept {
    current_ = 0;
    used_ = 0;
  }

 private:
  static constexpr std::size_t alignment = alignof(std::max_align_t);
  static constexpr std::size_t block_bytes_min = 4'096;
  using block = std::vector<std::max_align_t>;

  std::max_align_t* take(std::size_t bytes) {
    const std::size_t units = (bytes + alignment - 1) / alignment;
    while (current_ < blocks_.size() && blocks_[current_].size() - used_ < units) {
      ++current_;
      used_ = 0;
    }
    if (current_ == blocks_.size()) blocks_.emplace_back(next_block_units(units));
    std::max_align_t* const piece = blocks_[current_].data() + used_;
    used_ += units;
    return piece;
  }

  // Doubling, so that the number of blocks stays small however large a row is.
  [[nodiscard]] std::size_t next_block_units(std::size_t units) const noexcept {
    const std::size_t usual = blocks_.empty() ? block_bytes_min / alignment : 2 * blocks_.back().size();
    return units > usual ? units : usual;
  }

  std::vector<block> blocks_;
  std::size_t current_ = 0;  // the block that is being handed out
  std::size_t used_ = 0;     // units of it already handed out
};

}  // namespace tarn::inline TARN_ABI
