// A law of states: a checkpoint keeps all of one, whether it is one object or has parts.
#pragma once

#include <cstddef>
#include <string>
#include <tarn/log/checkpoint.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/simulated_environment.hpp>

#include "target.hpp"

namespace tarn_test::fuzz {

inline void expect_checkpoint_keeps(const tarn::snapshot& state, std::size_t part_bytes) {
  tarn::limits bounds;
  bounds.checkpoint_part_bytes = part_bytes;
  tarn::memory_store store;
  tarn::testing::simulated_environment surroundings;
  const tarn::status written = write_checkpoint(store, state, bounds, {}, surroundings.get());
  expect(written.has_value(), "a state can be written as a checkpoint", written ? "" : written.error().message());
  const tarn::status good = check_checkpoint(store, state, bounds);
  expect(good.has_value(), "a checkpoint is that of its state", good ? "" : good.error().message());
}

}  // namespace tarn_test::fuzz
