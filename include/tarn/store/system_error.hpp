// Error numbers of the system as errors of tarn.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <errno.h>
#include <string.h>

#include <string>
#include <string_view>

#include "../core/error.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI {

template <class = void>
[[nodiscard]] errc code_of_system_error(int error_number) noexcept {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return errc::no_space;
    case EACCES:
    case EPERM:
    case EROFS: return errc::permission;
    default: return errc::io;
  }
}

// The system's text for an error number. Thread-safe, unlike strerror().
template <class = void>
[[nodiscard]] std::string text_of_system_error(int error_number) {
  char buffer[128] = "";
  // strerror_r returns its text (GNU), or a number after it has filled the buffer (POSIX).
  struct either {
    static const char* text(const char* returned, const char*) noexcept { return returned; }
    static const char* text(int, const char* filled) noexcept { return filled; }
  };
  return either::text(::strerror_r(error_number, buffer, sizeof buffer), buffer);
}

// "cannot <what>: <the system's text>", and what to do where that is known.
template <class = void>
[[nodiscard]] error system_error(int error_number, std::string_view what) {
  const errc code = code_of_system_error(error_number);
  const std::string_view advice = code == errc::no_space ? "; make room, then try again" : "";
  return {code, concat({"cannot ", what, ": ", text_of_system_error(error_number), advice})};
}

// Makes a call again that was interrupted by a signal; not for ever, so that a storm of signals is an error and not a
// program that hangs.
template <class Call>
[[nodiscard]] auto retry_interrupted(Call call) {
  constexpr int retries_max = 100;
  auto answer = call();
  for (int retries = 0; answer.error_number == EINTR && retries < retries_max; ++retries) answer = call();
  return answer;
}

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
