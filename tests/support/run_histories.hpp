// How the laws run: many histories, each from a seed of its own, of which any can be run alone again.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "findings.hpp"
#include "random_source.hpp"

namespace tarn_test {

// How many histories, and which environment variable has the seed of one that is to be run alone.
struct histories {
  const char* alone;
  std::uint64_t usual;    // unless TARN_LAW_HISTORIES says otherwise, as the presets `laws` and `laws-nightly` do
  std::uint64_t telling;  // in so many, all that a test must have seen happens
};

// Does `run(seed, happened)`, which is false if it has reported a failure: one is enough to work on. Returns how often
// each thing happened, all of `must_happen` among them.
template <class Names, class Run>
tally run_histories(const histories& wanted, const Names& must_happen, Run run) {
  const std::uint64_t alone = number_from_environment(wanted.alone, 0);
  // Of a few histories a share would tell nothing.
  const std::uint64_t usual = std::max(wanted.usual / share_of_cases(), std::min<std::uint64_t>(wanted.usual, 10));
  const std::uint64_t count = alone != 0 ? 1 : number_from_environment("TARN_LAW_HISTORIES", usual);
  REQUIRE(count > 0);
  tally happened;
  random_source seeds(seed_of_this_run());
  for (std::uint64_t number = 0; number < count; ++number)
    if (!run(alone != 0 ? alone : seeds.next(), happened)) return happened;
  std::string summary;
  for (const auto& [what, times] : happened) summary += "\n  " + what + ": " + std::to_string(times);
  MESSAGE("TARN_TEST_SEED=", seed_of_this_run(), ", ", count, " histories", summary);
  if (count < wanted.telling) return happened;
  for (const char* const what : must_happen) CHECK_MESSAGE(happened[what] > 0, "never happened: ", what);
  return happened;
}

}  // namespace tarn_test
