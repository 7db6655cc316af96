// What a benchmark cannot go on without.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tarn_benchmark {

// Ends the program if something failed: its time would mean nothing.
inline void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "benchmark: cannot %s\n", what);
  std::abort();
}

}  // namespace tarn_benchmark
