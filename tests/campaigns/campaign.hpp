// What the programs in this folder have in common: each explores more than a test can in a second, as much as fits into
// CI or as much as a night has time for, prints one line that says within which bounds, and fails if anything was
// wrong.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tarn_test {

enum class campaign_size : unsigned char { ci, nightly };

// From the program's only argument. Anything else ends the program.
[[nodiscard]] inline campaign_size campaign_size_of(int count, char** arguments) {
  const std::string_view asked = count == 2 ? arguments[1] : "";
  if (asked == "ci") return campaign_size::ci;
  if (asked == "nightly") return campaign_size::nightly;
  std::fprintf(stderr, "usage: %s ci|nightly\n", arguments[0]);
  std::exit(2);
}

class stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The line of a campaign: its name, what it did within which bounds, and how long it took.
inline void print_campaign(const char* name, const std::string& did, const stopwatch& since) {
  std::printf("campaign %s: %s; %.1f s\n", name, did.c_str(), since.seconds());
  std::fflush(stdout);
}

}  // namespace tarn_test
