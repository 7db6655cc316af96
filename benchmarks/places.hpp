// Where a benchmark keeps its data: in memory, in files that survive the loss of power, in files that do not. Each is
// made empty, is gone when it is destroyed, and serves tarn and SQLite alike.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <tarn/tarn.hpp>

#include "require.hpp"

namespace tarn_benchmark {

// Below the working directory and not in /tmp, which may be in memory.
class scratch_folder {
 public:
  scratch_folder() {
    std::string pattern = (std::filesystem::current_path() / "benchmark_XXXXXX").string();
    require(::mkdtemp(pattern.data()) != nullptr, "make a folder in the working directory");
    path_ = pattern;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

class memory {
 public:
  [[nodiscard]] tarn::memory_store store() const { return store_; }
  [[nodiscard]] static std::string database_path() { return ":memory:"; }
  static constexpr std::string_view synchronous = "OFF";

 private:
  tarn::memory_store store_;
};

template <tarn::durability Durability>
class files {
 public:
  [[nodiscard]] tarn::file_store<> store() const {
    return tarn::file_store{(folder_.path() / "lake").string(), {.durability = Durability}};
  }
  [[nodiscard]] std::string database_path() const { return (folder_.path() / "database").string(); }
  static constexpr bool survives = Durability == tarn::durability::full;
  static constexpr std::string_view synchronous = survives ? "FULL" : "OFF";

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

 private:
  scratch_folder folder_;
};

using durable_files = files<tarn::durability::full>;
using volatile_files = files<tarn::durability::none>;

// The least that a store in files has to do for an object, as a floor to compare with.
inline void write_new_file(const std::filesystem::path& path, std::string_view bytes, tarn::durability survives) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  require(file >= 0, "create a file");
  require(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write a file");
  if (survives == tarn::durability::full) require(::fsync(file) == 0, "fsync a file");
  require(::close(file) == 0, "close a file");
}

// Reads a file into `buffer`, which must be large enough; returns the file's size.
[[nodiscard]] inline std::size_t read_whole_file(const std::filesystem::path& path, std::string& buffer) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, "open a file");
  const ssize_t size = ::read(file, buffer.data(), buffer.size());
  require(size >= 0, "read a file");
  require(::close(file) == 0, "close a file");
  return static_cast<std::size_t>(size);
}

}  // namespace tarn_benchmark
