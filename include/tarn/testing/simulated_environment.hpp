// An environment that a test holds in its hands: ids follow from a seed, nobody waits in earnest, and the clock stands
// until it is set. Where each client of a simulated lake has one of its own, a fault_store lets time pass in it: what
// the clock shows is then a function of the client's own calls, whatever others do in between.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/environment.hpp"
#include "../core/strong_types.hpp"
#include "random_source.hpp"

namespace tarn::inline TARN_ABI::testing {

class simulated_environment {
 public:
  explicit simulated_environment(std::uint64_t seed = 1) noexcept : random_(seed) {}

  // Refers to this object, which must stay where it is as long as the result is used.
  [[nodiscard]] environment get() noexcept {
    environment made;
    made.context = this;
    made.now = [](void* self) { return static_cast<simulated_environment*>(self)->clock; };
    made.fill_random = [](void* self, void* bytes, std::size_t size) {
      return static_cast<simulated_environment*>(self)->fill(static_cast<unsigned char*>(bytes), size);
    };
    made.wait_us = [](void* self, std::uint64_t microseconds) {
      auto& here = *static_cast<simulated_environment*>(self);
      ++here.waits;
      here.waited_us += microseconds;
    };
    return made;
  }

  // Time goes by; the clock shows it, unless it stands.
  void pass(std::uint64_t ms) noexcept {
    if (!clock_stands) step(static_cast<std::int64_t>(ms));
  }
  // The clock is set, forward or back.
  void step(std::int64_t ms) noexcept {
    clock.ms = static_cast<std::int64_t>(static_cast<std::uint64_t>(clock.ms) + static_cast<std::uint64_t>(ms));
  }

  timestamp clock{1'700'000'000'000};
  bool clock_stands = false;
  std::uint64_t call_takes_ms = 0;  // of a fault_store
  bool has_entropy = true;
  std::uint64_t waits = 0;
  std::uint64_t waited_us = 0;

 private:
  bool fill(unsigned char* bytes, std::size_t size) noexcept {
    if (!has_entropy) return false;
    for (std::size_t at = 0; at < size; ++at) bytes[at] = static_cast<unsigned char>(random_.next() >> 32);
    return true;
  }

  random_source random_;
};

}  // namespace tarn::inline TARN_ABI::testing
