// The folder of a file store: opened when it is first needed, made when it is first written to, and the one who knows
// whether the names in it are durable. Thread-safe.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/lock.hpp"
#include "../core/result.hpp"
#include "descriptor.hpp"
#include "file_system.hpp"
#include "system_error.hpp"

namespace tarn::inline TARN_ABI {

// Once open, it is this folder for good, wherever its path leads later. The descriptor stays open also because a
// failed write-back is reported only to the descriptors that were open when it failed.
template <file_system System>
class store_folder {
 public:
  // Without `durable` nothing is ever fsynced.
  store_folder(System& system, std::string_view path, bool durable) : system_(system), path_(path), durable_(durable) {}
  store_folder(const store_folder&) = delete;
  store_folder& operator=(const store_folder&) = delete;
  ~store_folder() {
    if (descriptor_ >= 0) system_.close(descriptor_);
  }

  // The folder's descriptor. Creates nothing: ENOENT if there is no such folder.
  [[nodiscard]] outcome<int> open_to_read() {
    const scoped_lock hold(guard_);
    return open();
  }

  // The folder's descriptor, after making the folder, but not those above it, if it is missing, and its own name
  // durable, if this was not done yet: another process may have made it a moment ago.
  [[nodiscard]] result<int> open_to_write() {
    const scoped_lock hold(guard_);
    if (!lost_) return lost_.error();
    if (const status made = open_or_make(); !made) return made.error();
    if (durable_ && !own_name_durable_)
      if (const status synced = sync_own_name(); !synced) return synced.error();
    return descriptor_;
  }

  // Makes all changes of names in the open folder durable that happened before the call; fails if that cannot be
  // promised. Callers share: whoever finds that a whole fsync has passed while it waited for its turn needs no other.
  [[nodiscard]] status sync_names() { return sync_up_to(note_change()); }

  // To be called when something was found in the folder: its name may not be durable yet, for its writer may be about
  // to fsync the folder, or have died before.
  void note_found() {
    const scoped_lock hold(guard_);
    found_ = ++changes_;
  }
  // Makes durable what was found; nothing to do if nothing was since the last fsync. To be called before a name is made
  // or removed because of it: the two changes may reach the medium in either order, and a log entry must not be there
  // without the one before it.
  [[nodiscard]] status sync_found() {
    const std::uint64_t found = not_durable_yet();
    return found == 0 ? status() : sync_up_to(found);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  [[nodiscard]] outcome<int> open() {
    if (descriptor_ >= 0) return {descriptor_, 0};
    if (path_.find('\0') != std::string::npos) return {-1, EINVAL};  // the system would open what is before it
    const auto opened = retry_interrupted([&] { return system_.open_folder(path_.c_str()); });
    if (opened) descriptor_ = opened.value;
    return opened;
  }

  [[nodiscard]] status open_or_make() {
    const outcome<int> found = open();
    if (found) return {};
    if (found.error_number != ENOENT) return system_error(found.error_number, "open the folder");
    // Whatever the answer, the folder may be there now: made by another process, or by a call whose answer was lost.
    const outcome<> made = retry_interrupted([&] { return system_.make_folder(path_.c_str()); });
    const outcome<int> opened = open();
    made_here_ = made.error_number != EEXIST;
    if (opened) return {};
    if (made || made.error_number == EEXIST) return system_error(opened.error_number, "open the folder");
    if (made.error_number == ENOENT)
      return error{errc::io, "cannot make the folder: its parent is missing too; make that first"};
    return system_error(made.error_number, "make the folder");
  }

  // The folder's name is in its parent, and durable when that is fsynced. A folder that was here before us may be in
  // one that this process may not read, or that cannot be fsynced because it never changes (a mount point in a
  // read-only image): then its name is somebody else's care. If we made it, it is a promise that we cannot keep.
  [[nodiscard]] status sync_own_name() {
    const auto opened = retry_interrupted([&] { return system_.open_parent(descriptor_); });
    const bool may_not_read = opened.error_number == EACCES || opened.error_number == EPERM;
    if (!opened && (made_here_ || !may_not_read))
      return system_error(opened.error_number, "open the folder's parent in order to fsync it");
    if (opened) {
      const descriptor<System> parent(system_, opened.value);
      const outcome<> synced = retry_interrupted([&] { return system_.sync_folder(parent.number()); });
      if (!synced && (made_here_ || synced.error_number != EINVAL))
        return lose_durability(synced.error_number, "fsync the folder's parent");
    }
    own_name_durable_ = true;
    return {};
  }

  [[nodiscard]] std::uint64_t note_change() {
    const scoped_lock hold(guard_);
    return ++changes_;
  }
  // The last change that was found, if it is not known to be durable; else 0. (Not what other threads are about to make
  // durable: nobody has built upon that.)
  [[nodiscard]] std::uint64_t not_durable_yet() {
    const scoped_lock hold(guard_);
    return found_ > synced_changes_ ? found_ : 0;
  }

  [[nodiscard]] status sync_up_to(std::uint64_t mine) {
    if (!durable_) return {};
    const scoped_lock turn(syncing_);
    std::uint64_t covered = 0;
    {
      const scoped_lock hold(guard_);
      if (!lost_) return lost_;
      if (synced_changes_ >= mine) return {};
      covered = changes_;
    }
    const outcome<> synced = retry_interrupted([&] { return system_.sync_folder(descriptor_); });
    const scoped_lock hold(guard_);
    if (!synced) return lose_durability(synced.error_number, "fsync the folder");
    synced_changes_ = covered;
    return {};
  }

  // An fsync of the folder has failed. Linux reports a failed write-back once, then takes the pages for clean: a second
  // fsync "succeeds" and proves nothing (as PostgreSQL found in 2018). So a store object that has seen one promises
  // nothing any more. One that is opened later cannot know, and sees what may not be on the medium: hence the advice to
  // check the disk first. (File systems that turn read-only after such a failure, as ext4 and XFS do when the names in
  // a folder are concerned, leave it nothing to do wrong.)
  [[nodiscard]] status lose_durability(int error_number, std::string_view what) {
    const error cause = system_error(error_number, what);
    lost_ = error{cause.code(), concat({cause.message(),
                                        "; what was put or found last may not survive a loss of power, and as a "
                                        "further fsync would not tell, this store object writes no "
                                        "more: check the disk, then open the store anew"})};
    return lost_;
  }

  System& system_;
  const std::string path_;
  const bool durable_;

  mutex syncing_;  // held while the folder is fsynced; taken before `guard_`
  mutex guard_;    // for all below
  int descriptor_ = -1;
  bool made_here_ = false;
  bool own_name_durable_ = false;
  status lost_;                       // why durability was lost
  std::uint64_t changes_ = 0;         // made or found
  std::uint64_t found_ = 0;           // the last of them that was found
  std::uint64_t synced_changes_ = 0;  // the first this many changes are durable
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
