// Standard output, buffered. A failed write is remembered; nothing is written after it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report.hpp"

namespace lake {

class output {
 public:
  output();
  output(const output&) = delete;
  output& operator=(const output&) = delete;
  ~output() = default;  // what was not flushed is lost: `finish` has not been asked whether all went well

  [[nodiscard]] bool is_terminal() const noexcept { return terminal_; }
  // Columns of the terminal; 0 if it is none, or does not say.
  [[nodiscard]] std::size_t terminal_width() const noexcept;

  // Where the next text goes. Call `flush_if_full` now and then.
  [[nodiscard]] std::string& buffer() noexcept { return buffer_; }
  void flush_if_full() {
    if (buffer_.size() >= full_bytes) flush();
  }
  void print(std::string_view text) {
    buffer_ += text;
    flush_if_full();
  }

  // Nobody will read what is still to come.
  [[nodiscard]] bool failed() const noexcept { return failure_ != 0; }

  // Writes the rest. Success, or how the tool must end, after complaining: quietly if the reader has gone.
  exit_code finish();

 private:
  static constexpr std::size_t full_bytes = std::size_t{64} << 10;

  void flush();

  std::string buffer_;
  bool terminal_;
  int failure_ = 0;  // errno of the write that failed
};

}  // namespace lake
