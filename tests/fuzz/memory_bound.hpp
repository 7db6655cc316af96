// What decoding may allocate: so many bytes for each byte of input, whatever the input says.
#pragma once

#include <cstddef>

#include "../support/counting_allocator.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {

// From where it is made to where it is destroyed. One at a time.
class memory_bound {
 public:
  // What the smallest input takes: an arena's first block, messages, the state of a parser.
  static constexpr std::size_t constant_bytes = 32'768;

  memory_bound(std::size_t input_bytes, std::size_t factor) : allowed_(constant_bytes + factor * input_bytes) {}
  memory_bound(const memory_bound&) = delete;
  memory_bound& operator=(const memory_bound&) = delete;
  ~memory_bound() {
    const std::size_t used = peak_.value();
    expect(used <= allowed_, "memory is bounded by the input",
           std::to_string(used) + " bytes, " + std::to_string(allowed_) + " are allowed");
  }

 private:
  std::size_t allowed_;
  peak_bytes peak_;
};

}  // namespace tarn_test::fuzz
