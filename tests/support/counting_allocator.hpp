// What the whole test program has allocated: counting_allocator.cpp replaces operator new and delete, in the one place
// where a program may. Memory that is mapped or comes from malloc directly is not counted.
#pragma once

#include <cstddef>

namespace tarn_test {

// Calls of operator new so far, in all threads.
[[nodiscard]] std::size_t allocations() noexcept;

// Bytes that are allocated now.
[[nodiscard]] std::size_t live_bytes() noexcept;

// The most bytes that were live at once since the object was made, beyond those that were live then. One at a time.
class peak_bytes {
 public:
  peak_bytes() noexcept;
  [[nodiscard]] std::size_t value() const noexcept;

 private:
  std::size_t before_;
};

}  // namespace tarn_test
