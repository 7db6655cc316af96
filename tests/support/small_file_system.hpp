// A file system of a few hundred kilobytes in memory, to fill up and to make read-only. Needs the right to mount.
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <string>

#include "temporary_folder.hpp"

namespace tarn_test {

class small_file_system {
 public:
  explicit small_file_system(const std::string& size) : options_("mode=755,size=" + size) {
    mounted_ = ::mount("tarn_test", path().c_str(), "tmpfs", 0, options_.c_str()) == 0;
  }
  small_file_system(const small_file_system&) = delete;
  small_file_system& operator=(const small_file_system&) = delete;
  ~small_file_system() {
    if (mounted_) (void)::umount2(path().c_str(), MNT_DETACH);
  }

  [[nodiscard]] bool mounted() const noexcept { return mounted_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_.path(); }
  [[nodiscard]] bool make_read_only() const noexcept {
    return ::mount("tarn_test", path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, options_.c_str()) == 0;
  }

 private:
  temporary_folder folder_;
  std::string options_;
  bool mounted_ = false;
};

}  // namespace tarn_test
