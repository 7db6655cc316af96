// The log, read: from the store to snapshots.
//
//   slot        0         1         2         3         4
//           +---------+---------+---------+---------+ - - - - +
//   store   | entry 0 | entry 1 | entry 2 | entry 3 |  absent |     an entry never changes, slots fill in order
//           +---------+---------+---------+---------+ - - - - +
//   chain      crc <----- crc <----- crc <----- crc                 each entry has the checksum of the one before
//   state         v0        v1        v2        v3 = head           snapshot v = entries 0 to v, applied in order
//
// Which slots are filled is decided by `get`, one slot after the other. A listing only tells how far the log reaches at
// least: it may be stale, unsorted or have holes, and then costs a few more calls of `get`, never a wrong snapshot.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../store/store.hpp"
#include "entry.hpp"
#include "entry_reader.hpp"
#include "names.hpp"
#include "snapshot.hpp"

namespace tarn::inline TARN_ABI {

// An entry and what is known of its bytes.
struct logged_entry {
  entry content;
  std::uint32_t checksum = 0;  // CRC-32C of its bytes
};

// The entry in slot `at`. errc::not_found if the slot is empty; one `get`.
template <object_store Store>
[[nodiscard]] result<logged_entry> get_entry(Store& store, version at, const limits& bounds) {
  const auto bytes = store.get(entry_name(at));
  if (!bytes) return bytes.error();
  const std::string_view text = *bytes;
  result<entry> content = read_entry(text, at, bounds);
  if (!content) return content.error();
  return logged_entry{*std::move(content), crc32c(text)};
}

// Visits the entries after `state`, up to `last` or the head of the log, and applies each that `visit(const entry&) ->
// status` accepts. On failure `state` is between two versions and must not be used: keep a copy, which costs nothing.
// Costs one `get` for each entry and, at the head, one that finds nothing.
template <object_store Store, class Visit>
[[nodiscard]] status read_forward(Store& store, shared_snapshot& state, version last, const limits& bounds,
                                  Visit visit) {
  while (state->at < last) {
    const result<logged_entry> next = get_entry(store, state->at.next(), bounds);
    if (!next && next.error().code() == errc::not_found) return {};
    if (!next) return next.error();
    const status accepted = visit(next->content);
    if (!accepted) return accepted.error();
    const status applied = apply_entry(state.writable(), next->content, next->checksum);
    if (!applied) return applied.error();
  }
  return {};
}

inline constexpr version last_version = {INT64_MAX};

// The largest version that a listing names; -1 if none. Names that are no entry's are ignored.
template <object_store Store>
[[nodiscard]] result<version> list_head(Store& store) {
  version head;
  const status listed = store.list(log_prefix, std::string_view(), [&](std::string_view name) {
    version at;
    if (parse_entry_name(name, at) && at > head) head = at;
  });
  if (!listed) return listed.error();
  return head;
}

// A slot that was found empty, though a later one is filled.
[[nodiscard]] inline error missing_entry(version missing, version later) {
  return {errc::corrupt, concat("version ", missing.number, " (", entry_name(missing), ") is missing, though version ",
                                later.number, " exists: restore it, or read an older version with begin_at")};
}

// The state at version `last`, or at the head if that comes first. errc::corrupt, naming the version, if a slot is
// empty that cannot be, or holds what is no entry; the versions before it can still be opened. One `list`, and one
// `get` for each entry.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> open_log(Store& store, version last, const limits& bounds) {
  const result<version> listed = list_head(store);
  if (!listed) return listed.error();
  shared_snapshot state;
  const status read = read_forward(store, state, last, bounds, [](const entry&) { return status(); });
  if (!read) return read.error();
  if (const version next = state->at.next(); next <= last && next <= *listed) return missing_entry(next, *listed);
  return state;
}

}  // namespace tarn::inline TARN_ABI
