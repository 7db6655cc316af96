// The system calls of the file store, made: each member function is one call, inline. See store/file_system.hpp for
// what they promise. Thread-safe.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "../core/system_environment.hpp"
#include "file_system.hpp"

namespace tarn::inline TARN_ABI {

class posix_system {
 public:
  using listing = DIR*;

  [[nodiscard]] outcome<int> open_folder(const char* path) const noexcept {
    return value_or_error(::open(path, folder_flags));
  }
  // By "..", which is the folder's real parent however its path is spelled: through a link, with "..", as ".".
  [[nodiscard]] outcome<int> open_parent(int folder) const noexcept {
    return value_or_error(::openat(folder, "..", folder_flags));
  }
  [[nodiscard]] outcome<> make_folder(const char* path) const noexcept { return error_if(::mkdir(path, 0777) != 0); }

  [[nodiscard]] outcome<int> create_file(int folder, const char* name) const noexcept {
    return value_or_error(
        ::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | large_file, 0666));
  }
#if defined(O_TMPFILE)
  [[nodiscard]] outcome<int> create_unnamed(int folder) const noexcept {
    return value_or_error(::openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC | large_file, 0666));
  }
  // By way of /proc: to name a file by its descriptor alone (AT_EMPTY_PATH) takes a privilege.
  [[nodiscard]] outcome<> link_unnamed(int file, int folder, const char* name) const noexcept {
    char path[32];
    (void)::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return error_if(::linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) != 0);
  }
#endif
  [[nodiscard]] outcome<std::size_t> write(int file, const void* bytes, std::size_t size) const noexcept {
    return count_or_error(::write(file, bytes, at_most_1_gib(size)));
  }
  [[nodiscard]] outcome<> sync_file(int file) const noexcept { return error_if(sync(file) != 0); }
  [[nodiscard]] outcome<> sync_folder(int folder) const noexcept { return error_if(sync(folder) != 0); }

  [[nodiscard]] outcome<> link(int folder, const char* from, const char* to) const noexcept {
    return error_if(::linkat(folder, from, folder, to, 0) != 0);
  }
  [[nodiscard]] outcome<> rename_new(int folder, const char* from, const char* to) const noexcept {
#if defined(__linux__) && defined(SYS_renameat2)
    constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE, which not every C library declares
    return error_if(::syscall(SYS_renameat2, folder, from, folder, to, no_replace) != 0);
#elif defined(__APPLE__) && defined(RENAME_EXCL)
    return error_if(::renameatx_np(folder, from, folder, to, RENAME_EXCL) != 0);
#else
    (void)folder, (void)from, (void)to;
    return {{}, ENOSYS};
#endif
  }
  [[nodiscard]] outcome<> unlink(int folder, const char* name) const noexcept {
    return error_if(::unlinkat(folder, name, 0) != 0);
  }

  [[nodiscard]] outcome<file_status> status(int file) const noexcept {
    native_status found{};
#if defined(__USE_LARGEFILE64)
    return status_or_error(::fstat64(file, &found), found);
#else
    return status_or_error(::fstat(file, &found), found);
#endif
  }
  [[nodiscard]] outcome<file_status> status_at(int folder, const char* name) const noexcept {
    native_status found{};
#if defined(__USE_LARGEFILE64)
    return status_or_error(::fstatat64(folder, name, &found, AT_SYMLINK_NOFOLLOW), found);
#else
    return status_or_error(::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW), found);
#endif
  }

  // O_NONBLOCK: opening a named pipe would else wait for a writer that never comes. Nothing to a regular file.
  [[nodiscard]] outcome<int> open_file(int folder, const char* name) const noexcept {
    return value_or_error(
        ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | large_file));
  }
  [[nodiscard]] outcome<std::size_t> read(int file, void* to, std::size_t size) const noexcept {
    return count_or_error(::read(file, to, at_most_1_gib(size)));
  }
  [[nodiscard]] outcome<const char*> map(int file, std::size_t size) const noexcept {
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) return {nullptr, errno};
    return {static_cast<const char*>(address), 0};
  }
  void unmap(const char* address, std::size_t size) const noexcept { (void)::munmap(const_cast<char*>(address), size); }

  // Opens the folder once more: a copy of the descriptor would share its place in the list with all others.
  [[nodiscard]] outcome<listing> open_listing(int folder) const noexcept {
    const int own = ::openat(folder, ".", folder_flags);
    if (own < 0) return {nullptr, errno};
    DIR* const opened = ::fdopendir(own);
    if (opened != nullptr) return {opened, 0};
    const int error_number = errno;
    (void)::close(own);
    return {nullptr, error_number};
  }
  [[nodiscard]] outcome<const char*> next_name(listing opened) const noexcept {
    errno = 0;  // the end and an error look the same but for it
#if defined(__USE_LARGEFILE64)
    const auto* const entry = ::readdir64(opened);
#else
    const auto* const entry = ::readdir(opened);
#endif
    if (entry == nullptr) return {nullptr, errno};
    return {entry->d_name, 0};
  }
  void close_listing(listing opened) const noexcept { (void)::closedir(opened); }

  void close(int descriptor) const noexcept { (void)::close(descriptor); }

  [[nodiscard]] timestamp now() const noexcept { return system_environment().now(nullptr); }
  [[nodiscard]] bool fill_random(void* bytes, std::size_t size) const noexcept {
    return fill_with_entropy(bytes, size);
  }

 private:
  static constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

  // glibc's calls on 32-bit systems fail for inodes, times and sizes beyond 32 bits unless the program is compiled with
  // _FILE_OFFSET_BITS=64, which a header cannot ask for; so the 64-bit ones are named.
#if defined(__USE_LARGEFILE64)
  using native_status = struct stat64;
  static constexpr int large_file = O_LARGEFILE;
#else
  using native_status = struct stat;
  static constexpr int large_file = 0;
#endif

  // Larger requests are cut short by Linux, and refused by macOS.
  [[nodiscard]] static constexpr std::size_t at_most_1_gib(std::size_t size) noexcept {
    constexpr std::size_t max = std::size_t{1} << 30;
    return size < max ? size : max;
  }

  // macOS's fsync does not reach the medium. Not every file system there has the call that does; but one that has it
  // and fails must not be asked in another way until it says yes.
  [[nodiscard]] static int sync(int descriptor) noexcept {
#if defined(F_FULLFSYNC)
    if (::fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
    if (errno != ENOTSUP && errno != ENOTTY && errno != EINVAL) return -1;
#endif
    return ::fsync(descriptor);
  }

  [[nodiscard]] static outcome<> error_if(bool failed) noexcept { return {{}, failed ? errno : 0}; }
  [[nodiscard]] static outcome<int> value_or_error(int value) noexcept { return {value, value < 0 ? errno : 0}; }
  [[nodiscard]] static outcome<std::size_t> count_or_error(ssize_t count) noexcept {
    if (count < 0) return {0, errno};
    return {static_cast<std::size_t>(count), 0};
  }
  [[nodiscard]] static outcome<file_status> status_or_error(int failed, const native_status& found) noexcept {
    if (failed != 0) return {{}, errno};
    file_status known;
    known.regular = S_ISREG(found.st_mode);
    known.size = static_cast<std::uint64_t>(found.st_size);
    known.device = static_cast<std::uint64_t>(found.st_dev);
    known.inode = static_cast<std::uint64_t>(found.st_ino);
    known.modified.ms = static_cast<std::int64_t>(found.st_mtime) * 1000;
    return {known, 0};
  }
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
