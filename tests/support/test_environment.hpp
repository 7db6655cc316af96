// An environment that a test holds in its hands: the clock stands until it is set, ids follow from a seed, and nobody
// waits in earnest.
#pragma once

#include <cstdint>
#include <cstring>
#include <tarn/core/environment.hpp>

namespace tarn_test {

class test_environment {
 public:
  explicit test_environment(std::uint64_t seed = 1) : random_(seed) {}

  // Refers to this object.
  [[nodiscard]] tarn::environment get() {
    tarn::environment made;
    made.context = this;
    made.now = [](void* self) { return static_cast<test_environment*>(self)->clock; };
    made.fill_random = [](void* self, void* bytes, std::size_t size) {
      return static_cast<test_environment*>(self)->fill(static_cast<unsigned char*>(bytes), size);
    };
    made.wait_us = [](void* self, std::uint64_t microseconds) {
      auto& here = *static_cast<test_environment*>(self);
      ++here.waits;
      here.waited_us += microseconds;
    };
    return made;
  }

  tarn::timestamp clock{1'700'000'000'000};
  bool has_entropy = true;
  std::uint64_t waits = 0;
  std::uint64_t waited_us = 0;

 private:
  bool fill(unsigned char* bytes, std::size_t size) {
    if (!has_entropy) return false;
    for (std::size_t at = 0; at < size; ++at) {
      // splitmix64 (Steele, Lea, Flood 2014)
      random_ += 0x9e3779b97f4a7c15U;
      std::uint64_t mixed = (random_ ^ (random_ >> 30)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
      bytes[at] = static_cast<unsigned char>(mixed >> 32);
    }
    return true;
  }

  std::uint64_t random_;
};

}  // namespace tarn_test
