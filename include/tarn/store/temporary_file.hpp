// An object in the making: a file without a name, or under one that nobody reads.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/result.hpp"
#include "../core/uuid.hpp"
#include "file_system.hpp"
#include "leftovers.hpp"
#include "system_error.hpp"

namespace tarn::inline TARN_ABI {

// Its temporary name, if it has one, ends with it, on every path. The descriptor stays open as long: it keeps the
// inode's number from being used again, so that `status` and `status_at` of another name tell for certain whether both
// are this file.
template <file_system System>
class temporary_file {
 public:
  // The arguments must outlive it.
  temporary_file(System& system, int folder, leftovers& left) noexcept
      : system_(system), folder_(folder), left_(left) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    if (file_ >= 0) system_.close(file_);
    if (named_) left_.remove_own(system_, folder_, id_);
  }

  [[nodiscard]] status create() {
    std::uint64_t random[2];
    if (!system_.fill_random(random, sizeof random))
      return error{errc::io, "there is no entropy to name its temporary file with"};
    id_ = make_uuid(system_.now(), random[0], random[1]);
    name_ = temporary_name(id_);
    named_ = true;  // even if it fails: the file may be there and only the answer lost
    const auto created = retry_interrupted([&] { return system_.create_file(folder_, name_.c_str()); });
    if (!created) return system_error(created.error_number, "create its temporary file");
    file_ = created.value;
    return {};
  }

  // A file that has no name yet: nothing to take away afterwards, and nothing is left by a crash.
  [[nodiscard]] status create_unnamed() requires makes_unnamed_files<System> {
    const auto created = retry_interrupted([&] { return system_.create_unnamed(folder_); });
    if (!created) return system_error(created.error_number, "create its temporary file");
    file_ = created.value;
    return {};
  }

  [[nodiscard]] status write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto written = retry_interrupted([&] { return system_.write(file_, bytes.data(), bytes.size()); });
      if (!written) return system_error(written.error_number, "write its temporary file");
      if (written.value == 0) return error{errc::io, "cannot write its temporary file: nothing is taken any more"};
      bytes.remove_prefix(written.value);
    }
    return {};
  }

  // After a failure the contents are in doubt for ever, whatever a second call answers: throw the file away.
  [[nodiscard]] status sync() {
    const outcome<> synced = retry_interrupted([&] { return system_.sync_file(file_); });
    if (!synced) return system_error(synced.error_number, "fsync its temporary file");
    return {};
  }

  // Gives it another name, or its first. It keeps the one it has.
  [[nodiscard]] outcome<> link(const char* name) {
    if constexpr (makes_unnamed_files<System>)
      if (!named_) return retry_interrupted([&] { return system_.link_unnamed(file_, folder_, name); });
    return retry_interrupted([&] { return system_.link(folder_, name_.c_str(), name); });
  }

  // The temporary name; empty if there is none.
  [[nodiscard]] const char* name() const noexcept { return name_.c_str(); }
  [[nodiscard]] bool has_name() const noexcept { return named_; }
  [[nodiscard]] int number() const noexcept { return file_; }

  // The temporary name is gone: it was changed into another.
  void renamed() noexcept { named_ = false; }

 private:
  System& system_;
  const int folder_;
  leftovers& left_;
  uuid id_;
  std::string name_;
  int file_ = -1;
  bool named_ = false;
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
