// Random choices that can be made again: everything follows from a seed, which a failing test prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace tarn_test {

// splitmix64 (Steele, Lea, Flood 2014). Cheap to make, so that each step of a test can have one of its own.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  // 0 to `bound` - 1, as good as evenly; `bound` must not be 0.
  [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  [[nodiscard]] bool chance(std::size_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

// A number from the environment of the test program, or `otherwise`.
[[nodiscard]] inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

// Another seed for each run, unless TARN_TEST_SEED asks for one again.
[[nodiscard]] inline std::uint64_t seed_of_this_run() {
  static const std::uint64_t seed = number_from_environment("TARN_TEST_SEED", std::random_device()());
  return seed;
}

}  // namespace tarn_test
