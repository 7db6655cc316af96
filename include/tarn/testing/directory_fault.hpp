// What can go wrong with a system call of a store in a folder: fault_kind::directory (F20), with one of these as its
// argument. Calls are counted for each client by itself, those that only read included.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "fault.hpp"

namespace tarn::inline TARN_ABI::testing {

// The calls of store/file_system.hpp that can fail, and a mark, with which a program says what it has got done.
enum class system_call : unsigned char {
  open_folder,
  open_parent,
  make_folder,
  create_file,
  create_unnamed,
  write,
  sync_file,
  sync_folder,
  link,
  link_unnamed,
  rename_new,
  unlink,
  status,
  status_at,
  open_file,
  read,
  map,
  open_listing,
  next_name,
  mark,
};

[[nodiscard]] constexpr const char* name_of(system_call call) noexcept {
  constexpr const char* names[] = {"open_folder", "open_parent", "make_folder",  "create_file", "create_unnamed",
                                   "write",       "sync_file",   "sync_folder",  "link",        "link_unnamed",
                                   "rename_new",  "unlink",      "status",       "status_at",   "open_file",
                                   "read",        "map",         "open_listing", "next_name",   "mark"};
  return names[static_cast<unsigned char>(call)];
}

enum class directory_fault : unsigned char {
  no_space,     // ENOSPC, and nothing is done
  io_error,     // EIO, and nothing is done; an fsync gives up what it was to write: no later one makes up for it
  answer_lost,  // EIO, though all is done
  short_write,  // a write takes half of the bytes
  torn_write,   // EIO, though half of the bytes are written
  interrupted,  // EINTR, and nothing is done
  unsupported,  // EOPNOTSUPP, as of a file system without hard links, or without files that have no name
};
inline constexpr std::size_t directory_faults = 7;

[[nodiscard]] constexpr bool changes_names(system_call call) noexcept {
  return call == system_call::make_folder || call == system_call::create_file || call == system_call::link ||
         call == system_call::link_unnamed || call == system_call::rename_new || call == system_call::unlink;
}
[[nodiscard]] constexpr bool is_sync(system_call call) noexcept {
  return call == system_call::sync_file || call == system_call::sync_folder;
}

// Whether a call can meet such a fault. Calls that only read have no effect that an answer could lose.
[[nodiscard]] constexpr bool can_meet(system_call call, directory_fault fault) noexcept {
  switch (fault) {
    case directory_fault::no_space:
      return is_sync(call) || call == system_call::write || call == system_call::create_unnamed ||
             (changes_names(call) && call != system_call::unlink);
    case directory_fault::io_error:
    case directory_fault::interrupted: return call != system_call::mark;
    case directory_fault::answer_lost: return is_sync(call) || changes_names(call);
    case directory_fault::short_write:
    case directory_fault::torn_write: return call == system_call::write;
    case directory_fault::unsupported:
      return call == system_call::create_unnamed || call == system_call::link || call == system_call::link_unnamed ||
             call == system_call::rename_new;
  }
  return false;
}

[[nodiscard]] inline planned_fault plan_directory_fault(std::size_t client, std::size_t call, directory_fault what,
                                                        bool for_good = false) {
  return {client, call, {fault_kind::directory, static_cast<std::uint64_t>(what), for_good}};
}

}  // namespace tarn::inline TARN_ABI::testing
