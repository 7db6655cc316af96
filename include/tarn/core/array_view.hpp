// Elements next to each other, by reference: what std::span is, without its header, which costs 110 ms.
#pragma once

#include <cstddef>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// Valid as long as what it refers to. Converts to a std::span.
template <class T>
class array_view {
 public:
  constexpr array_view() noexcept = default;
  constexpr array_view(const T* elements, std::size_t size) noexcept : elements_(elements), size_(size) {}

  [[nodiscard]] constexpr const T* data() const noexcept { return elements_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  // `index` must be less than size(); front() needs an element.
  [[nodiscard]] constexpr const T& operator[](std::size_t index) const noexcept { return elements_[index]; }
  [[nodiscard]] constexpr const T& front() const noexcept { return elements_[0]; }
  [[nodiscard]] constexpr const T* begin() const noexcept { return elements_; }
  [[nodiscard]] constexpr const T* end() const noexcept { return elements_ + size_; }

 private:
  const T* elements_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tarn::inline TARN_ABI
