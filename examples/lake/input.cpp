#include "input.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <tarn/store/system_error.hpp>
#include <utility>

namespace lake {

tarn::result<input> input::open(std::string_view path) {
  if (path == "-") return input(STDIN_FILENO, "standard input");
#if defined(O_LARGEFILE)
  constexpr int large_file = O_LARGEFILE;  // files beyond 2 GiB on 32-bit systems
#else
  constexpr int large_file = 0;
#endif
  const std::string name(path);
  const int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | large_file);
  if (descriptor < 0) return tarn::system_error(errno, "open it").within(name);
  return input(descriptor, name);
}

input input::of_text(std::string_view name, std::string_view text) {
  input made(-1, name);
  made.bytes_.assign(text.begin(), text.end());
  made.end_ = text.size();
  return made;
}

input::input(input&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      bytes_(std::move(other.bytes_)),
      begin_(other.begin_),
      end_(other.end_) {}

input::~input() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

tarn::result<bool> input::more() {
  constexpr std::size_t piece = std::size_t{64} << 10;
  if (descriptor_ < 0) return false;
  if (begin_ > 0) {
    std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_), bytes_.begin() + static_cast<std::ptrdiff_t>(end_),
              bytes_.begin());
    end_ -= std::exchange(begin_, 0);
  }
  if (bytes_.size() < end_ + piece) bytes_.resize(std::max(2 * bytes_.size(), end_ + piece));
  for (;;) {
    const ssize_t count = ::read(descriptor_, bytes_.data() + end_, bytes_.size() - end_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tarn::system_error(errno, "read it").within(name_);
    end_ += static_cast<std::size_t>(count);
    return count > 0;
  }
}

std::size_t characters_in(std::string_view text) noexcept {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string place_in(const input& from, std::size_t line, std::size_t column) {
  return tarn::concat({from.name(), ":", line, ":", column});
}

}  // namespace lake
