// What the whole test program has allocated, and allocations that fail: counting_allocator.cpp replaces operator new
// and delete, in the one place where a program may. Memory that is mapped or comes from malloc directly is not counted.
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

// While it lives, one allocation of this thread fails with std::bad_alloc: the one after `before` others. With
// `for_good` all that come after it do too. One at a time. (Not where there are no exceptions: nothing could be made of
// it.)
class failing_allocation {
 public:
  failing_allocation(std::size_t before, bool for_good) noexcept;
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;
  ~failing_allocation();

  // Whether there were so many that any has failed.
  [[nodiscard]] bool has_failed() const noexcept;
};

}  // namespace tarn_test
