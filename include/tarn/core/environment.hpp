// The seam for everything that is not a function of its inputs: the clock, entropy and waiting. A client gets one
// through its options, so that a run can be replayed from a seed. Plain function pointers: no template parameter that
// every signature would carry, no virtual functions, and it works where there is no operating system.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config.hpp"
#include "strong_types.hpp"

namespace tarn::inline TARN_ABI {

// All members must be set. `context` is passed back to each function and must outlive every user of the environment.
// Two clients that share an environment must be able to call it from both their threads. So must a client with an
// executor: putting an object beside its thread may wait before trying again, for a random time.
struct environment {
  void* context = nullptr;
  // The current time. It may step back: nothing but history's order of times and the age of garbage depends on it.
  timestamp (*now)(void* context) = nullptr;
  // Fills `bytes` with entropy that no fork, copy or restart repeats. False if there is none.
  bool (*fill_random)(void* context, void* bytes, std::size_t size) = nullptr;
  // Blocks for about this long; may return at once.
  void (*wait_us)(void* context, std::uint64_t microseconds) = nullptr;

  [[nodiscard]] bool complete() const noexcept {
    return now != nullptr && fill_random != nullptr && wait_us != nullptr;
  }
};

}  // namespace tarn::inline TARN_ABI
