// One run of an exploration again: the schedule that a failure has printed, from the environment.
#pragma once

#include <cstdlib>
#include <tarn/testing/explore.hpp>

namespace tarn_test {

// Makes `options` those of one run if TARN_TEST_SCHEDULE has its schedule. Whoever sets it runs one test case only.
inline void replay_if_asked(tarn::testing::exploration_options& options) {
  if (const char* const text = std::getenv("TARN_TEST_SCHEDULE")) options.by = tarn::testing::explore_by::replay{text};
}

}  // namespace tarn_test
