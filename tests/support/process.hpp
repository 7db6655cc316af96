// Other processes: forks that run a function of the test and tell the test about it, line by line, through a pipe.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tarn_test {

// Thread sanitizer does not support programs that fork and go on: tests that do are left out of such builds.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool may_fork = false;
#elif defined(__has_feature)
inline constexpr bool may_fork = !__has_feature(thread_sanitizer);
#else
inline constexpr bool may_fork = true;
#endif

// The child's end of the pipe.
class line_writer {
 public:
  explicit line_writer(int descriptor) : descriptor_(descriptor) {}

  // All of the line or, if the process is killed before or in the call, nothing: lines are shorter than PIPE_BUF.
  void write(std::string line) const {
    line += '\n';
    if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(3);
  }

 private:
  int descriptor_;
};

// A running child. Killed and reaped on destruction.
class process {
 public:
  // Runs body(line_writer) in a child, which then ends with status 0, or is aborted by what the body throws.
  template <class Body>
  explicit process(Body body) {
    int ends[2];
    if (::pipe(ends) != 0) give_up("pipe");
    child_ = ::fork();
    if (child_ < 0) give_up("fork");
    if (child_ == 0) {
      ::close(ends[0]);
      run(body, line_writer(ends[1]));
    }
    ::close(ends[1]);
    lines_ = ends[0];
  }
  process(process&& other) noexcept
      : child_(std::exchange(other.child_, 0)),
        lines_(std::exchange(other.lines_, -1)),
        status_(other.status_),
        text_(std::move(other.text_)) {}
  process& operator=(process&& other) noexcept {
    std::swap(child_, other.child_);
    std::swap(lines_, other.lines_);
    std::swap(status_, other.status_);
    std::swap(text_, other.text_);
    return *this;
  }
  ~process() {
    if (child_ > 0) kill();
    if (lines_ >= 0) ::close(lines_);
  }

  // Ends it as a loss of power would end it, as far as a process can tell.
  void kill() {
    ::kill(child_, SIGKILL);
    reap();
  }

  // Whether it ended by itself, with status 0. Only after `lines`, which waits for that.
  [[nodiscard]] bool succeeded() {
    if (child_ > 0) reap();
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
  }

  // Lets it stand still, at whatever it does, and go on.
  void pause() const { ::kill(child_, SIGSTOP); }
  void resume() const { ::kill(child_, SIGCONT); }

  // What it has written since the last call, until its end.
  [[nodiscard]] std::vector<std::string> lines() {
    while (read_more()) continue;
    return take_lines();
  }
  // The same, until now: a child that writes more than a pipe holds (64 KiB on Linux) waits until it is read.
  [[nodiscard]] std::vector<std::string> lines_so_far() {
    pollfd readable{lines_, POLLIN, 0};
    while (::poll(&readable, 1, 0) == 1 && read_more()) continue;
    return take_lines();
  }

 private:
  template <class Body>
  [[noreturn]] static void run(Body& body, line_writer lines) noexcept {
    body(lines);
    ::_exit(0);  // neither the parent's output buffers nor its destructors are this process's
  }

  [[noreturn]] static void give_up(const char* call) {
    std::perror(call);
    std::abort();
  }

  // False at the end.
  bool read_more() {
    char piece[4096];
    const ssize_t size = ::read(lines_, piece, sizeof piece);
    if (size > 0) text_.append(piece, static_cast<std::size_t>(size));
    return size > 0;
  }

  // Whole lines; a part of one is for the next call.
  [[nodiscard]] std::vector<std::string> take_lines() {
    std::vector<std::string> all;
    std::size_t start = 0;
    for (std::size_t end = 0; (end = text_.find('\n', start)) != std::string::npos; start = end + 1)
      all.push_back(text_.substr(start, end - start));
    text_.erase(0, start);
    return all;
  }

  void reap() {
    ::waitpid(child_, &status_, 0);
    child_ = 0;
  }

  pid_t child_ = 0;
  int lines_ = -1;
  int status_ = 0;
  std::string text_;  // read, but not taken yet
};

}  // namespace tarn_test
