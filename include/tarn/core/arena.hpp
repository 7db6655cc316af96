// Memory for values that live until the next row: handed out in pieces, taken back all at once, kept for reuse. After
// the first few rows a cursor that uses one no longer allocates. Not thread-safe.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// Movable: what it has handed out stays where it is. An arena that was moved from has the memory of the one assigned
// to, or none.
class arena {
 public:
  arena() noexcept = default;
  arena(arena&& other) noexcept : state_(other.state_) { other.state_ = {}; }
  arena& operator=(arena&& other) noexcept {
    const state mine = state_;
    state_ = other.state_;
    other.state_ = mine;
    return *this;
  }
  ~arena() {
    for (block* next = state_.first; next != nullptr;) {
      block* const last = next;
      next = last->next;
      ::operator delete(last);
    }
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

  // For an arena that is to be kept: its first block is to have this size, and not the usual one. It must not have been
  // used before.
  void reserve(std::size_t size) { enter(append_block(size)); }

  // Handed out since the last `clear`, padding included.
  [[nodiscard]] std::size_t byte_size() const noexcept { return state_.taken; }

  // Takes all memory back; everything allocated since the last time is gone.
  void clear() noexcept {
    if (state_.first != nullptr) enter(state_.first);
    state_.taken = 0;
  }

 private:
  static constexpr std::size_t alignment = 8;
  static constexpr std::size_t first_block_size = 4'096;

  // The head of a block; its memory follows.
  struct alignas(alignment) block {
    block* next;
    std::size_t size;
  };

  struct state {
    block* first = nullptr;
    block* current = nullptr;  // the one that is being handed out
    unsigned char* free = nullptr;
    std::size_t left = 0;
    std::size_t taken = 0;
  };

  [[nodiscard]] void* take(std::size_t size) {
    while (state_.left < size)
      enter(state_.current != nullptr && state_.current->next != nullptr ? state_.current->next
                                                                         : append_block(next_block_size(size)));
    state_.left -= size;
    state_.taken += size;
    unsigned char* const taken = state_.free;
    state_.free += size;
    return taken;
  }

  void enter(block* entered) noexcept {
    state_.current = entered;
    state_.free = reinterpret_cast<unsigned char*>(entered + 1);
    state_.left = entered->size;
  }

  // Doubling, so that the number of blocks stays small however large a row is.
  [[nodiscard]] std::size_t next_block_size(std::size_t size_min) const noexcept {
    const std::size_t usual = state_.current == nullptr ? first_block_size : 2 * state_.current->size;
    return size_min > usual ? size_min : usual;
  }

  [[nodiscard]] block* append_block(std::size_t size) {
    auto* const appended = new (::operator new(sizeof(block) + size)) block{nullptr, size};
    (state_.current == nullptr ? state_.first : state_.current->next) = appended;
    return appended;
  }

  state state_;
};

}  // namespace tarn::inline TARN_ABI
