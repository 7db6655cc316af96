// A line on standard error that says how far long work has come; only on a terminal, and gone when the work is done.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace lake {

enum class progress_display : bool { never, on_terminal };

class progress {
 public:
  explicit progress(std::string_view what, progress_display display = progress_display::on_terminal);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  // To be called once for each row; looks at the clock only now and then.
  void count_row() {
    if (shown_on_terminal_ && ++rows_ % rows_per_look == 0) look();
  }
  // For whoever counts them himself.
  void come_to(std::uint64_t rows) {
    rows_ = rows;
    if (shown_on_terminal_) look();
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::uint64_t rows_per_look = 512;

  void look();

  std::string_view what_;
  bool shown_on_terminal_;
  bool visible_ = false;
  std::uint64_t rows_ = 0;
  clock::time_point began_ = clock::now();
  clock::time_point next_ = began_ + std::chrono::milliseconds(500);
};

}  // namespace lake
