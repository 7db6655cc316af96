#include "output.hpp"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <tarn/core/text.hpp>
#include <tarn/store/system_error.hpp>

namespace lake {

output::output() : terminal_(::isatty(STDOUT_FILENO) == 1) {}

std::size_t output::terminal_width() const noexcept {
  winsize size{};
  if (!terminal_ || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

void output::flush() {
  std::string_view left = buffer_;
  while (!left.empty() && failure_ == 0) {
    const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
    if (written >= 0)
      left.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      failure_ = errno;
  }
  buffer_.clear();
}

exit_code output::finish() {
  flush();
  if (failure_ == 0) return exit_code::success;
  if (failure_ == EPIPE) return exit_code::broken_pipe;
  return report(tarn::system_error(failure_, "write to standard output"));
}

}  // namespace lake
