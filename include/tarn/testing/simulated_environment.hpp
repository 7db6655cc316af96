// An environment that a test holds in its hands: the clock stands until it is set, ids follow from a seed, and nobody
// waits in earnest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/environment.hpp"
#include "../core/strong_types.hpp"
#include "random_source.hpp"

namespace tarn::inline TARN_ABI::testing {

class simulated_environment {
 public:
  explicit simulated_environment(std::uint64_t seed = 1) noexcept : random_(seed) {}

  // Refers to this object, which must stay where it is as long as the result is used.
  [[nodiscard]] environment get() noexcept {
    environment made;
    made.context = this;
    made.now = [](void* self) { return static_cast<simulated_environment*>(self)->clock; };
    made.fill_random = [](void* self, void* bytes, std::size_t size) {
      return static_cast<simulated_environment*>(self)->fill(static_cast<unsigned char*>(bytes), size);
    };
    made.wait_us = [](void* self, std::uint64_t microseconds) {
      auto& here = *static_cast<simulated_environment*>(self);
      ++here.waits;
      here.waited_us += microseconds;
    };
    return made;
  }

  timestamp clock{1'700'000'000'000};
  bool has_entropy = true;
  std::uint64_t waits = 0;
  std::uint64_t waited_us = 0;

 private:
  bool fill(unsigned char* bytes, std::size_t size) noexcept {
    if (!has_entropy) return false;
    for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<unsigned char>(random_.next() >> 32);
    return true;
  }

  random_source random_;
};

}  // namespace tarn::inline TARN_ABI::testing
