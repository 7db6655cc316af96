// A growing stack of plain data, kept for reuse. Not thread-safe.
//
// Why not std::vector: each kind of it costs every user of tarn some 15 ms of compile time, this a tenth.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// Movable: a stack that was moved from has the elements of the one assigned to, or none. References to elements are
// valid until the next push.
template <class T>
class stack {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "a stack copies its elements as bytes when it grows");

  stack() noexcept = default;
  stack(stack&& other) noexcept { swap(other); }
  stack& operator=(stack&& other) noexcept {
    swap(other);
    return *this;
  }
  ~stack() { ::operator delete(elements_); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // `index` must be less than size(); back() needs an element.
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return elements_[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return elements_[index]; }
  [[nodiscard]] T& back() noexcept { return elements_[size_ - 1]; }

  // Makes the new element in its place, of `from`, which is a copy, since it may be one of those that move. Making a T
  // elsewhere and copying it at once has the processor wait for what it has just written: a seventh of a scan's time.
  template <class From = T>
  void push(From from) {
    if (size_ == capacity_) grow();
    new (elements_ + size_) T(static_cast<T>(from));
    ++size_;
  }
  void pop() noexcept { --size_; }
  // Drops all but the first `size` elements, of which there must be as many.
  void shrink(std::size_t size) noexcept { size_ = size; }
  void clear() noexcept { size_ = 0; }

 private:
  void swap(stack& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  static constexpr std::size_t first_capacity = 16;

  void grow() {
    const std::size_t capacity = capacity_ == 0 ? first_capacity : 2 * capacity_;
    void* const room = ::operator new(capacity * sizeof(T));
    if (size_ > 0) std::memcpy(room, elements_, size_ * sizeof(T));
    ::operator delete(elements_);
    elements_ = static_cast<T*>(room);
    capacity_ = capacity;
  }

  T* elements_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tarn::inline TARN_ABI
