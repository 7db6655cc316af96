// The environment of most tests.
#pragma once

#include <tarn/testing/simulated_environment.hpp>

namespace tarn_test {

using test_environment = tarn::testing::simulated_environment;

}  // namespace tarn_test
