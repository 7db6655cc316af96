// The seam under the file store: the system calls it makes, as a policy. `posix_system` makes them; a test puts a
// system in its place that records them, fails the n-th, or keeps the files in memory and cuts the power.
//
// Every call returns its error instead of setting errno, and is one system call: nothing is retried or hidden, so that
// what a test sees is what the kernel sees. A system is a handle: copies mean the same files, and they are taken along
// by whatever outlives the store.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/strong_types.hpp"

namespace tarn::inline TARN_ABI {

struct nothing {};

// What a call returned: a value, or an error number of <errno.h> (0: none).
template <class T = nothing>
struct [[nodiscard]] outcome {
  T value{};
  int error_number = 0;

  [[nodiscard]] explicit operator bool() const noexcept { return error_number == 0; }
};

// What the store wants to know of a file. Device and inode together name it as long as something keeps it: a name, or
// a descriptor.
struct file_status {
  bool regular = false;  // neither a folder, a symbolic link, nor anything else
  std::uint64_t size = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  timestamp modified;

  [[nodiscard]] bool same_file_as(const file_status& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
};

// In the order in which a first put uses them. `folder` and `file` are descriptors; names are relative to the folder
// and hold no slash.
template <class S>
concept file_system = std::copyable<S> && requires(S& system, const char* path, const char* name, int folder, int file,
                                                   void* to, const void* from, std::size_t size) {
  // A folder, to read, to fsync, and to name its files by. ENOENT if there is nothing of this name, ENOTDIR if it is
  // something else. `open_parent` opens the folder that this one is in.
  { system.open_folder(path) } -> std::same_as<outcome<int>>;
  { system.open_parent(folder) } -> std::same_as<outcome<int>>;
  { system.make_folder(path) } -> std::same_as<outcome<>>;

  // A new file, to write; EEXIST if there is anything of this name.
  { system.create_file(folder, name) } -> std::same_as<outcome<int>>;
  // Returns how much was written, which may be less than asked for.
  { system.write(file, from, size) } -> std::same_as<outcome<std::size_t>>;
  // The contents of the file, or the names in the folder, on the medium when it returns. Two calls, for neither does
  // the other's work.
  { system.sync_file(file) } -> std::same_as<outcome<>>;
  { system.sync_folder(folder) } -> std::same_as<outcome<>>;

  // Gives a file a second name; or another name instead of its own. Both atomically, and never to a name that is taken:
  // EEXIST. `rename_new` answers EINVAL or ENOSYS where this cannot be promised.
  { system.link(folder, name, name) } -> std::same_as<outcome<>>;
  { system.rename_new(folder, name, name) } -> std::same_as<outcome<>>;
  { system.unlink(folder, name) } -> std::same_as<outcome<>>;

  // Of an open file; of a name, where a symbolic link is itself and not what it points to.
  { system.status(file) } -> std::same_as<outcome<file_status>>;
  { system.status_at(folder, name) } -> std::same_as<outcome<file_status>>;

  // An existing file, to read; ELOOP if it is a symbolic link. Never waits, whatever kind of file it is.
  { system.open_file(folder, name) } -> std::same_as<outcome<int>>;
  // Returns how much was read, 0 at the end of the file.
  { system.read(file, to, size) } -> std::same_as<outcome<std::size_t>>;
  // The first `size` > 0 bytes of a file as memory to read, until `unmap`; the descriptor may be closed meanwhile.
  { system.map(file, size) } -> std::same_as<outcome<const char*>>;
  system.unmap("", size);

  // The names in a folder, in any order, with "." and "..". A name is valid until the next call; null is the end.
  { system.open_listing(folder) } -> std::same_as<outcome<typename S::listing>>;
  requires requires(typename S::listing listing) {
    { system.next_name(listing) } -> std::same_as<outcome<const char*>>;
    system.close_listing(listing);
  };

  // The descriptor is gone, whatever close() answers: retrying could close another thread's.
  system.close(file);

  // For the names of temporary files, and their age.
  { system.now() } -> std::same_as<timestamp>;
  { system.fill_random(to, size) } -> std::same_as<bool>;
};

// A system that can also make files that have no name yet, and that are gone with their descriptor if they never get
// one: Linux's O_TMPFILE. Both calls may be refused by the file system below, in whichever words; the store then does
// without.
template <class S>
concept makes_unnamed_files = file_system<S> && requires(S& system, const char* name, int folder, int file) {
  // A new file without a name, to write, on the folder's file system.
  { system.create_unnamed(folder) } -> std::same_as<outcome<int>>;
  // Its first name, on the same terms as `link`. ENOENT where the system has no way to say which file is meant.
  { system.link_unnamed(file, folder, name) } -> std::same_as<outcome<>>;
};

}  // namespace tarn::inline TARN_ABI
