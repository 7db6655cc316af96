// A file descriptor that is closed when it goes out of scope.
#pragma once

#include "../core/config.hpp"
#include "file_system.hpp"

namespace tarn::inline TARN_ABI {

// The system must outlive it. Negative numbers are no descriptor.
template <file_system System>
class descriptor {
 public:
  descriptor(System& system, int number) noexcept : system_(system), number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (number_ >= 0) system_.close(number_);
  }

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  System& system_;
  int number_;
};

}  // namespace tarn::inline TARN_ABI
