// Lakes all of whose rows are in objects in the store, where a test finds, counts or damages them.
#pragma once

#include <cstdint>
#include <tarn/table/client_core.hpp>

namespace tarn_test {

// For the client that founds the lake.
[[nodiscard]] inline tarn::client_options with_stored_objects(tarn::client_options options = {}) {
  options.commit.inline_bytes_max = 0;
  return options;
}

// How much may travel in the entries of a lake that is made at random: nothing in every second one, all of a small
// transaction, or some of it.
[[nodiscard]] inline std::uint32_t some_inline_bytes(std::uint64_t choice) {
  constexpr std::uint32_t bytes[] = {0, 300, 0, 4'096};
  return bytes[choice % 4];
}

}  // namespace tarn_test
