// Random choices that can be made again: everything follows from a seed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI::testing {

// splitmix64 (Steele, Lea, Flood 2014). The same numbers on every machine. Cheap to make, so that each step of a test
// can have one of its own.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15U;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58'476d'1ce4'e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11ebU;
    return mixed ^ (mixed >> 31);
  }

  // 0 to `bound` - 1, as good as evenly; `bound` must not be 0.
  [[nodiscard]] std::size_t below(std::size_t bound) noexcept { return static_cast<std::size_t>(next() % bound); }
  [[nodiscard]] bool chance(std::size_t percent) noexcept { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace tarn::inline TARN_ABI::testing
