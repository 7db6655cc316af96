// Looking at a folder past the store: what do its files hold in truth?
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

namespace tarn_test {

// All entries of a folder, with the bytes of those that are files; nothing if there is no folder.
[[nodiscard]] inline std::map<std::string, std::string> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> contents;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    std::string bytes;
    if (entry.is_regular_file(none)) {
      std::ifstream in(entry.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    contents[entry.path().filename().string()] = bytes;
  }
  return contents;
}

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

[[nodiscard]] inline std::size_t count_temporary(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& [name, bytes] : contents_of(folder)) count += name.starts_with("_tmp_") ? 1U : 0U;
  return count;
}

// Descriptors that this process has open now.
[[nodiscard]] inline std::size_t count_descriptors() {
  std::size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    (void)entry;
    ++count;
  }
  return count;
}

}  // namespace tarn_test
