// The environment of a program on a POSIX system: wall clock, the kernel's entropy, sleeping. Thread-safe.
#pragma once

#include "config.hpp"
#include "environment.hpp"

#if TARN_HAS_POSIX

#include <errno.h>
#include <time.h>
#include <unistd.h>

namespace tarn::inline TARN_ABI {

// The kernel's entropy, drawn anew for every call: a forked or restored process has nothing of its parent's to repeat.
template <class = void>
[[nodiscard]] bool fill_with_entropy(void* bytes, std::size_t size) noexcept {
  constexpr std::size_t size_max = 256;  // getentropy's own bound
  auto* at = static_cast<unsigned char*>(bytes);
  while (size > 0) {
    const std::size_t piece = size < size_max ? size : size_max;
    if (::getentropy(at, piece) != 0) return false;
    at += piece;
    size -= piece;
  }
  return true;
}

template <class = void>
[[nodiscard]] environment system_environment() noexcept {
  environment surroundings;
  surroundings.now = [](void*) {
    timespec now{};
    (void)::clock_gettime(CLOCK_REALTIME, &now);  // fails for unknown clocks only
    return timestamp{static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000};
  };
  surroundings.fill_random = [](void*, void* bytes, std::size_t size) { return fill_with_entropy(bytes, size); };
  surroundings.wait_us = [](void*, std::uint64_t microseconds) {
    timespec left{};
    left.tv_sec = static_cast<time_t>(microseconds / 1'000'000);
    left.tv_nsec = static_cast<long>(microseconds % 1'000'000 * 1000);
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  };
  return surroundings;
}

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
