// Other processes: forks that run a function of the test and tell the test about it, line by line, through a pipe.
#pragma once

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

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
    REQUIRE(::pipe(ends) == 0);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      ::close(ends[0]);
      run(body, line_writer(ends[1]));
    }
    ::close(ends[1]);
    lines_ = ends[0];
  }
  process(process&& other) noexcept
      : child_(std::exchange(other.child_, 0)), lines_(std::exchange(other.lines_, -1)), status_(other.status_) {}
  process& operator=(process&& other) noexcept {
    std::swap(child_, other.child_);
    std::swap(lines_, other.lines_);
    std::swap(status_, other.status_);
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

  // What it wrote until its end.
  [[nodiscard]] std::vector<std::string> lines() {
    std::string text;
    char piece[4096];
    for (ssize_t size = 0; (size = ::read(lines_, piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<std::size_t>(size));
    std::vector<std::string> all;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start);
      all.push_back(text.substr(start, end - start));
      start = end + 1;
    }
    return all;
  }

 private:
  template <class Body>
  [[noreturn]] static void run(Body& body, line_writer lines) noexcept {
    body(lines);
    ::_exit(0);  // neither the parent's output buffers nor its destructors are this process's
  }

  void reap() {
    ::waitpid(child_, &status_, 0);
    child_ = 0;
  }

  pid_t child_ = 0;
  int lines_ = -1;
  int status_ = 0;
};

}  // namespace tarn_test
