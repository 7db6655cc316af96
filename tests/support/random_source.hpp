// Random choices that can be made again: everything follows from a seed, which a failing test prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <tarn/testing/random_source.hpp>

namespace tarn_test {

using tarn::testing::random_source;

// A number from the environment of the test program, or `otherwise`.
[[nodiscard]] inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

// Where a test tries all cases of a kind: it tries one of so many. More than one where each takes long, as with
// sanitizers.
[[nodiscard]] inline std::size_t share_of_cases() {
  return static_cast<std::size_t>(number_from_environment("TARN_TEST_SHARE", 1));
}

// Another seed for each run, unless TARN_TEST_SEED asks for one again.
[[nodiscard]] inline std::uint64_t seed_of_this_run() {
  static const std::uint64_t seed = number_from_environment("TARN_TEST_SEED", std::random_device()());
  return seed;
}

}  // namespace tarn_test
