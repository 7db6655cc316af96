// A growing array: what tarn's types keep their elements in, and what it hands lists out as.
//
// Why not std::vector: <vector> costs every file that includes tarn 45 ms, each kind of vector 2 ms more (g++ 12); this
// costs a twentieth of that. It has the part of std::vector that tarn needs, under the same names; `insert` and `erase`
// take an index.
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// Memory without objects, freed unless somebody takes it.
struct raw_memory {
  explicit raw_memory(std::size_t size) : bytes(::operator new(size)) {}
  raw_memory(const raw_memory&) = delete;
  raw_memory& operator=(const raw_memory&) = delete;
  ~raw_memory() { ::operator delete(bytes); }

  void* bytes;
};

// A value: copies are independent, comparing compares the elements. One that was moved from is empty, or has what the
// one assigned to had. T must be nothrow-movable and not over-aligned. Pointers to elements, which are the iterators,
// are valid until the sequence grows. Not thread-safe to change.
template <class T>
class sequence {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  sequence() noexcept = default;
  sequence(std::initializer_list<T> elements) : sequence() {
    reserve(elements.size());
    for (const T& each : elements) emplace_back(each);
  }
  // Copies of [first, last): `row(view.begin(), view.end())`.
  template <class Iterator>
    requires requires(Iterator at) { T(*at), ++at; }
  sequence(Iterator first, Iterator last) : sequence() {
    for (; first != last; ++first) emplace_back(*first);
  }
  sequence(const sequence& other) : sequence() {
    reserve(other.size_);
    for (const T& each : other) emplace_back(each);
  }
  sequence(sequence&& other) noexcept : room_(other.room_), size_(other.size_) {
    other.room_ = {};
    other.size_ = 0;
  }
  sequence& operator=(const sequence& other) {
    sequence copied(other);
    swap(copied);
    return *this;
  }
  sequence& operator=(sequence&& other) noexcept {
    swap(other);
    return *this;
  }
  ~sequence() {
    for (std::size_t at = size_; at-- > 0;) room_.elements[at].~T();
    ::operator delete(room_.elements);
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] T* data() noexcept { return room_.elements; }
  [[nodiscard]] const T* data() const noexcept { return room_.elements; }
  [[nodiscard]] T* begin() noexcept { return room_.elements; }
  [[nodiscard]] const T* begin() const noexcept { return room_.elements; }
  [[nodiscard]] T* end() noexcept { return room_.elements + size_; }
  [[nodiscard]] const T* end() const noexcept { return room_.elements + size_; }

  // `index` must be less than size(); front() and back() need an element.
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return room_.elements[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return room_.elements[index]; }
  [[nodiscard]] T& front() noexcept { return room_.elements[0]; }
  [[nodiscard]] const T& front() const noexcept { return room_.elements[0]; }
  [[nodiscard]] T& back() noexcept { return room_.elements[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return room_.elements[size_ - 1]; }

  // Makes the new element in its place, of arguments that may be elements themselves. Amortised O(1).
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == room_.capacity) return emplace_in_more_room(std::forward<Arguments>(arguments)...);
    ::new (static_cast<void*>(room_.elements + size_)) T(std::forward<Arguments>(arguments)...);
    return room_.elements[size_++];
  }
  void push_back(const T& element) { emplace_back(element); }
  void push_back(T&& element) { emplace_back(std::move(element)); }

  // Puts `element` before the one at `index`, or at the end. O(what comes after).
  void insert(std::size_t index, T element) {
    emplace_back(std::move(element));
    for (std::size_t at = size_ - 1; at > index; --at) std::swap(room_.elements[at], room_.elements[at - 1]);
  }
  // Drops the element at `index`. O(what comes after).
  void erase(std::size_t index) noexcept {
    for (std::size_t at = index + 1; at < size_; ++at) room_.elements[at - 1] = std::move(room_.elements[at]);
    pop_back();
  }

  void pop_back() noexcept { room_.elements[--size_].~T(); }
  // Drops all but the first `size` elements, of which there must be as many. Keeps the memory.
  void shrink(std::size_t size) noexcept {
    while (size_ > size) pop_back();
  }
  void clear() noexcept { shrink(0); }

  // Makes room for `capacity` elements in all.
  void reserve(std::size_t capacity) {
    if (capacity <= room_.capacity) return;
    raw_memory larger(bytes_of(capacity));
    move_to(larger, capacity);
  }

  friend bool operator==(const sequence& a, const sequence& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t at = 0; at < a.size_; ++at)
      if (!(a[at] == b[at])) return false;
    return true;
  }

 private:
  static constexpr std::size_t first_capacity = 4;

  // Memory for `capacity` elements.
  struct room {
    T* elements = nullptr;
    std::size_t capacity = 0;
  };

  // More than memory can have, rather than a number that has wrapped around.
  [[nodiscard]] static std::size_t bytes_of(std::size_t count) noexcept {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
    constexpr auto max = static_cast<std::size_t>(-1);
    return count <= max / sizeof(T) ? count * sizeof(T) : max;
  }

  // Apart from the usual case, which is then short enough to become part of its caller.
  template <class... Arguments>
  [[gnu::noinline]] T& emplace_in_more_room(Arguments&&... arguments) {
    const std::size_t capacity = room_.capacity == 0 ? first_capacity : 2 * room_.capacity;
    raw_memory larger(bytes_of(capacity));
    ::new (static_cast<void*>(static_cast<T*>(larger.bytes) + size_)) T(std::forward<Arguments>(arguments)...);
    move_to(larger, capacity);
    return room_.elements[size_++];
  }

  // Leaves the memory that the elements were in to `larger`.
  void move_to(raw_memory& larger, std::size_t capacity) noexcept {
    static_assert(noexcept(T(std::declval<T>())), "elements that are moved must all arrive");
    T* const from = room_.elements;
    T* const to = static_cast<T*>(larger.bytes);
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (size_ > 0) std::memcpy(static_cast<void*>(to), from, size_ * sizeof(T));
    } else {
      for (std::size_t at = 0; at < size_; ++at) {
        ::new (static_cast<void*>(to + at)) T(std::move(from[at]));
        from[at].~T();
      }
    }
    room_ = {to, capacity};
    larger.bytes = from;
  }

  void swap(sequence& other) noexcept {
    const room mine = room_;
    const std::size_t size = size_;
    room_ = other.room_;
    size_ = other.size_;
    other.room_ = mine;
    other.size_ = size;
  }

  room room_;
  std::size_t size_ = 0;
};

}  // namespace tarn::inline TARN_ABI
