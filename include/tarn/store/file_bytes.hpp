// The bytes of a file: read into memory of their own, or mapped.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "../core/result.hpp"
#include "file_system.hpp"
#include "system_error.hpp"

namespace tarn::inline TARN_ABI {

// Movable; views stay valid until it is destroyed, even after a move (a std::string would take short contents along and
// leave views behind). Needs neither the file's name nor the store. Mapped files must not be cut short by others: the
// system then answers a read with SIGBUS. tarn never changes a file that has a name.
template <file_system System>
class file_bytes {
 public:
  file_bytes(file_bytes&& other) noexcept : system_(other.system_), held_(other.held_) { other.held_ = {}; }
  file_bytes& operator=(file_bytes&& other) noexcept {
    std::swap(system_, other.system_);
    const held mine = held_;
    held_ = other.held_;
    other.held_ = mine;
    return *this;
  }
  ~file_bytes() {
    if (held_.mapped && held_.data != nullptr) system_.unmap(held_.data, held_.size);
    if (!held_.mapped) delete[] held_.data;
  }

  operator std::string_view() const noexcept { return {held_.data, held_.size}; }

  // All bytes of the open file `file`, which may be closed afterwards. Files of at least `map_bytes_min` are mapped if
  // the file system can do that: four calls whatever the size, and no copy. Below it, reading is cheaper.
  [[nodiscard]] static result<file_bytes> read(System& system, int file, std::size_t map_bytes_min) {
    const outcome<file_status> found = system.status(file);
    if (!found) return system_error(found.error_number, "look at it");
    if (!found.value.regular) return error{errc::io, "it is not a regular file"};
    if (found.value.size > PTRDIFF_MAX)
      return error{errc::io, concat({"its ", found.value.size, " bytes are more than this program can address"})};
    const auto size = static_cast<std::size_t>(found.value.size);

    if (size > 0 && size >= map_bytes_min) {
      const outcome<const char*> mapped = system.map(file, size);
      if (mapped) return file_bytes(system, mapped.value, size, true);
    }
    return copy(system, file, size);
  }

 private:
  struct held {
    const char* data = nullptr;  // null: nothing
    std::size_t size = 0;
    bool mapped = false;  // else on the heap
  };

  file_bytes(const System& system, const char* data, std::size_t size, bool mapped) noexcept
      : system_(system), held_{data, size, mapped} {}

  [[nodiscard]] static result<file_bytes> copy(System& system, int file, std::size_t size) {
    char* const buffer = new (std::nothrow) char[size];  // not value-initialised: every byte is read or is an error
    if (buffer == nullptr) return error{errc::io, concat({"there is no memory for its ", size, " bytes"})};
    file_bytes copied(system, buffer, size, false);
    for (std::size_t done = 0; done < size;) {
      const auto count = retry_interrupted([&] { return system.read(file, buffer + done, size - done); });
      if (!count) return system_error(count.error_number, "read it");
      if (count.value == 0) return error{errc::io, concat({"it was cut short to ", done, " bytes while it was read"})};
      done += count.value;
    }
    return copied;
  }

  [[no_unique_address]] System system_;
  held held_;
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
