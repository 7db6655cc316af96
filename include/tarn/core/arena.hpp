// Memory for values that live until the next row: handed out in pieces, taken back all at once, kept for reuse. After
// the first few rows a cursor that uses one no longer allocates. Not thread-safe.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// Movable: what it has handed out stays where it is. An arena that was moved from has the memory of the one assigned
// to, or none.
class arena {
 public:
  arena() noexcept = default;
  arena(arena&& other) noexcept { *this = std::move(other); }
  arena& operator=(arena&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(current_, other.current_);
    std::swap(free_, other.free_);
    std::swap(left_, other.left_);
    return *this;
  }
  ~arena() {
    while (first_ != nullptr) ::operator delete(std::exchange(first_, first_->next));
  }

  // Room for `count` objects, uninitialised, at an address that stays until `clear`. Costs an addition; sometimes a
  // block is allocated, each at least twice as large as the one before. All sizes must add up to what std::size_t
  // holds.
  template <class T>
  [[nodiscard]] T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena runs no destructors");
    static_assert(alignof(T) <= alignment);
    return static_cast<T*>(take((count * sizeof(T) + alignment - 1) / alignment * alignment));
  }

  // Takes all memory back; everything allocated since the last time is gone.
  void clear() noexcept {
    if (first_ != nullptr) enter(first_);
  }

 private:
  static constexpr std::size_t alignment = 8;
  static constexpr std::size_t first_block_size = 4'096;

  // The head of a block; its memory follows.
  struct alignas(alignment) block {
    block* next;
    std::size_t size;
  };

  [[nodiscard]] void* take(std::size_t size) {
    while (left_ < size) enter(current_ != nullptr && current_->next != nullptr ? current_->next : append_block(size));
    left_ -= size;
    return std::exchange(free_, free_ + size);
  }

  void enter(block* entered) noexcept {
    current_ = entered;
    free_ = reinterpret_cast<unsigned char*>(entered + 1);
    left_ = entered->size;
  }

  // Doubling, so that the number of blocks stays small however large a row is.
  [[nodiscard]] block* append_block(std::size_t size_min) {
    const std::size_t usual = current_ == nullptr ? first_block_size : 2 * current_->size;
    const std::size_t size = size_min > usual ? size_min : usual;
    auto* const appended = new (::operator new(sizeof(block) + size)) block{nullptr, size};
    (current_ == nullptr ? first_ : current_->next) = appended;
    return appended;
  }

  block* first_ = nullptr;
  block* current_ = nullptr;  // the one that is being handed out
  unsigned char* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace tarn::inline TARN_ABI
