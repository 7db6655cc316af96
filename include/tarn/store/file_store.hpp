// A store in a folder: one file for each object. Any number of processes and threads may use one folder at once.
//
//   put_if_absent("x", bytes)
//
//     _tmp_<uuid>     create ── write ── fsync ───┬──────────────────── unlink
//     x                                           └─ link ─┬ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─
//     the folder                                           └─ fsync            ── returns
//
//     a crash before link    no x; the temporary file stays, hidden from `list`, until a later put collects it
//     link finds an x        that x is the winner's; the folder is fsynced all the same before `already_exists`
//     link succeeds          x is there, whole, for every process
//     after the fsync        and survives the loss of power
//
// Where the file system can make files without a name, there is no _tmp_<uuid> and no unlink: the file gets its first
// name by the link, and a crash before leaves nothing.
//
// The name is created by link and not by the first open, so that there never is an x that is not whole; and by link and
// not by rename, which replaces. Without hard links: a rename that does not (publisher.hpp).
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <cstddef>
#include <string>
#include <string_view>

#include "../core/result.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "descriptor.hpp"
#include "file_bytes.hpp"
#include "file_system.hpp"
#include "fwd.hpp"
#include "leftovers.hpp"
#include "posix_system.hpp"
#include "publisher.hpp"
#include "store.hpp"
#include "store_folder.hpp"
#include "system_error.hpp"
#include "temporary_file.hpp"

namespace tarn::inline TARN_ABI {

// What a put survives once it has returned.
enum class durability : unsigned char {
  full,  // the loss of power
  none,  // a crash of the program, not of the machine: nothing is fsynced. After one, objects may be missing, empty or
         // torn. A lake is as durable as its least durable writer: what this one puts, others may build upon.
};

struct file_store_options {
  tarn::durability durability = tarn::durability::full;
  // Objects of at least this size are mapped by `get`, smaller ones are read: mapping costs more calls and page faults,
  // reading a copy. They were equally fast between 128 and 256 KiB when measured (Linux 6, ext4, cached).
  std::size_t map_bytes_min = 262'144;
};

// Cheap to copy; copies are one store. A moved-from store may only be destroyed or assigned to. After a fork, the child
// opens one of its own: of two processes that share a descriptor, only one hears of a failed write-back. Errors name
// the object and the folder.
template <class System>  // = posix_system: the default is in fwd.hpp
class file_store {
  static_assert(file_system<System>,
                "the system under a file_store must have the calls that store/file_system.hpp lists");

 public:
  using handle = file_bytes<System>;
  // `durable` unless durability::none is asked for; `complete_list` as far as the file system keeps what POSIX says of
  // readdir, as local ones do.
  static constexpr store_strengths strengths{
      .durable = true, .complete_list = true, .thread_safe = TARN_HAS_THREADS != 0, .flat_list = true};

  // Touches nothing yet. The folder is opened at its first use (a relative path is resolved then) and is made by the
  // first put if it is missing; the folders above it must exist.
  explicit file_store(std::string_view path, file_store_options options = file_store_options{},
                      System system = System{})
      : state_(shared<state>::make(path, options, system)) {}

  // `not_applied`: no_space, permission, invalid_name, unsupported (no atomic way to create a file), else io.
  // `unknown`: the fate of the link or of the folder's fsync is not known; after the latter has failed once, nothing is
  // put any more (see store_folder::lose_durability). Two fsyncs; one more on the first put, and one after `get` or
  // `list` has found something, which must be durable first.
  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!is_store_name(name)) return put_result::not_applied(refused_name(name));
    const put_result put = put_steps(std::string(name).c_str(), bytes);
    if (put.outcome() == put_outcome::not_applied) return put_result::not_applied(put.why().within(place_of(name)));
    if (put.outcome() == put_outcome::unknown) return put_result::unknown(put.why().within(place_of(name)));
    return put;
  }

  // Errors: not_found (also if there is no folder: none is made), permission, io. Symbolic links are not followed.
  [[nodiscard]] result<handle> get(std::string_view name) {
    if (!is_store_name(name)) return refused_name(name);
    const outcome<int> folder = state_->folder.open_to_read();
    if (folder.error_number == ENOENT) return error{errc::not_found, "there is no such folder"}.within(place_of(name));
    if (!folder) return system_error(folder.error_number, "open the folder").within(place_of(name));

    System& system = state_->system;
    const std::string file_name(name);
    const auto found = retry_interrupted([&] { return system.open_file(folder.value, file_name.c_str()); });
    if (found.error_number == ENOENT)
      return error{errc::not_found, concat({"there is no object ", name, " in folder \"", state_->folder.path(), '"'})};
    if (found.error_number == ELOOP)
      return error{errc::io, "it is a symbolic link, which is not followed"}.within(place_of(name));
    if (!found) return system_error(found.error_number, "open it").within(place_of(name));
    state_->folder.note_found();
    const descriptor<System> file(system, found.value);
    result<handle> bytes = handle::read(system, file.number(), state_->options.map_bytes_min);
    if (!bytes) return bytes.error().within(place_of(name));
    return bytes;
  }

  // In no order; nothing if there is no folder. Files that no store would have put are not listed. The visitor may call
  // this store. Errors: permission, io. O(files in the folder), whatever the prefix.
  template <class Visitor>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visitor&& visit) {
    return visit_names([&](std::string_view name) {
      if (name.starts_with(temporary_prefix)) state_->left.note_found(name);
      if (name.starts_with(prefix) && name > start_after && is_store_name(name)) visit(name);
    });
  }

  // What else is in the folder, for tools: temporary files, and names that no store would take.
  template <class Visitor>
  [[nodiscard]] status list_hidden(Visitor&& visit) {
    return visit_names([&](std::string_view name) {
      if (!is_store_name(name) && name != "." && name != "..") visit(name);
    });
  }

  // Durable when it returns. Handles that `get` has returned stay valid. Errors: permission, io. One fsync, and one
  // more after `get` or `list` has found something.
  [[nodiscard]] status remove(std::string_view name) {
    if (!is_store_name(name)) return refused_name(name);
    const outcome<int> folder = state_->folder.open_to_read();
    if (folder.error_number == ENOENT) return {};
    if (!folder) return system_error(folder.error_number, "open the folder").within(place_of(name));
    if (const status synced = state_->folder.sync_found(); !synced) return synced.error().within(place_of(name));
    const std::string file_name(name);
    const auto removed = retry_interrupted([&] { return state_->system.unlink(folder.value, file_name.c_str()); });
    // If it is gone already, then perhaps by a removal that is not durable yet.
    if (!removed && removed.error_number != ENOENT)
      return system_error(removed.error_number, "remove it").within(place_of(name));
    if (const status synced = state_->folder.sync_names(); !synced) return synced.error().within(place_of(name));
    return {};
  }

 private:
  struct state {
    state(std::string_view path, const file_store_options& wanted, const System& calls)
        : system(calls), options(wanted), folder(system, path, wanted.durability == durability::full) {}

    [[no_unique_address]] System system;
    const file_store_options options;
    store_folder<System> folder;
    publisher<System> names;
    leftovers left;
  };

  struct open_listing {
    System& system;
    typename System::listing names;
    ~open_listing() { system.close_listing(names); }
  };

  // The drawing above, step by step. Whatever fails, leaving removes the temporary file.
  [[nodiscard]] put_result put_steps(const char* name, std::string_view bytes) {
    state& own = *state_;
    const result<int> folder = own.folder.open_to_write();
    if (!folder) return put_result::not_applied(folder.error());
    own.left.collect(own.system, *folder);

    if constexpr (makes_unnamed_files<System>)
      if (own.names.takes_unnamed()) {
        temporary_file<System> file(own.system, *folder, own.left);
        // If there is none, whatever the reason, then with a name it works, or says what is wrong.
        if (file.create_unnamed()) {
          const put_result put = put_file(file, *folder, name, bytes);
          if (put.outcome() != put_outcome::not_applied || put.why().code() != errc::unsupported) return put;
        }
      }
    temporary_file<System> file(own.system, *folder, own.left);
    if (const status created = file.create(); !created) return put_result::not_applied(created.error());
    return put_file(file, *folder, name, bytes);
  }

  // Fills the new file, and gives it its name.
  [[nodiscard]] put_result put_file(temporary_file<System>& file, int folder, const char* name,
                                    std::string_view bytes) {
    state& own = *state_;
    if (const status written = file.write(bytes); !written) return put_result::not_applied(written.error());
    if (own.options.durability == durability::full)
      if (const status synced = file.sync(); !synced) return put_result::not_applied(synced.error());

    if (const status synced = own.folder.sync_found(); !synced) return put_result::not_applied(synced.error());
    const put_result put = own.names.publish(own.system, folder, file, name);
    if (put.outcome() == put_outcome::created || put.outcome() == put_outcome::already_exists)
      if (const status synced = own.folder.sync_names(); !synced) return put_result::unknown(synced.error());
    return put;
  }

  // Of all files in the folder; none if there is no folder.
  template <class Visitor>
  [[nodiscard]] status visit_names(Visitor&& visit) {
    const outcome<int> folder = state_->folder.open_to_read();
    if (folder.error_number == ENOENT) return {};
    if (!folder) return system_error(folder.error_number, "open it").within(place());

    System& system = state_->system;
    const auto opened = retry_interrupted([&] { return system.open_listing(folder.value); });
    if (!opened) return system_error(opened.error_number, "list it").within(place());
    const open_listing listing{system, opened.value};
    for (;;) {
      const auto next = retry_interrupted([&] { return system.next_name(listing.names); });
      if (!next) return system_error(next.error_number, "list it").within(place());
      if (next.value == nullptr) return {};
      state_->folder.note_found();  // each: it may have come, and an fsync been made, since the one before
      visit(std::string_view(next.value));
    }
  }

  [[nodiscard]] std::string place() const { return concat({"folder \"", state_->folder.path(), '"'}); }
  [[nodiscard]] std::string place_of(std::string_view name) const { return concat({"object ", name, " in ", place()}); }

  shared<state> state_;
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
