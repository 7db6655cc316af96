#include "progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "numbers.hpp"

namespace lake {

progress::progress(std::string_view what, progress_display display)
    : what_(what), shown_on_terminal_(display == progress_display::on_terminal && ::isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (visible_) std::fputs("\r\033[K", stderr);
}

void progress::look() {
  const clock::time_point now = clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  visible_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(rows_) / seconds);
  const std::string line = tarn::concat({"\r", what_, ": ", grouped(rows_), " rows, ", grouped(rate), " rows/s\033[K"});
  std::fputs(line.c_str(), stderr);
}

}  // namespace lake
