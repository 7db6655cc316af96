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
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../store/store.hpp"
#include "apply_entry.hpp"
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

// How far to read. An empty slot ends the log, unless it is not behind one that the store has listed: then it is a
// hole.
struct log_reach {
  version last = {INT64_MAX};  // no further than this
  version listed;              // the newest version that any listing has named; -1 if there was none
};

// A slot that was found empty, though a later one is filled.
template <class = void>
[[nodiscard]] error missing_entry(version missing, version later) {
  return {errc::corrupt, concat({"version ", missing.number, " (", entry_name(missing), ") is missing, though version ",
                                 later.number, " exists: restore it, or read an older version with begin_at"})};
}

// The largest version after `after` that a listing names; -1 if none. Names that are no entry's are ignored.
template <object_store Store>
[[nodiscard]] result<version> list_head(Store& store, version after) {
  version head;
  const std::string start = after == version() ? std::string() : entry_name(after);
  const status listed = store.list(log_prefix, start, [&](std::string_view name) {
    version at;
    if (parse_entry_name(name, at) && at > head) head = at;
  });
  if (!listed) return listed.error();
  return head;
}

// The first version after `at` that the store lists and has; -1 if there is none. Names of entries that cannot be got
// are ghosts of the listing.
template <object_store Store>
[[nodiscard]] result<version> find_later_entry(Store& store, version at) {
  sequence<version> later;
  const status listed = store.list(log_prefix, entry_name(at), [&](std::string_view name) {
    version each;
    if (parse_entry_name(name, each) && each > at) later.push_back(each);  // listings are not to be trusted
  });
  if (!listed) return listed.error();
  for (const version each : later) {
    const auto found = store.get(entry_name(each));
    if (found) return each;
    if (found.error().code() != errc::not_found) return found.error();
  }
  return version();
}

// The entry in slot `at`, where all slots before are filled. errc::not_found at the end of the log; errc::corrupt if
// the slot is empty though a later one is filled, also at a second look, since slots fill while one looks. One `get`;
// more calls only if the slot is empty and not after `listed`.
template <object_store Store>
[[nodiscard]] result<logged_entry> get_next_entry(Store& store, version at, version listed, const limits& bounds) {
  bool looked_twice = false;
  for (;;) {
    result<logged_entry> next = get_entry(store, at, bounds);
    if (next || next.error().code() != errc::not_found || at > listed) return next;
    const result<version> later = find_later_entry(store, at);
    if (!later) return later.error();
    if (*later == version()) return next;
    if (looked_twice) return missing_entry(at, *later);
    looked_twice = true;
  }
}

// Visits the entries after `state`, as far as `reach` says, and applies each that `visit(const entry&) -> status`
// accepts. errc::corrupt, naming the version, for a hole and for what is no entry. On failure `state` is between two
// versions and must not be used: keep a copy, which costs nothing. Costs one `get` for each entry and, at the head, one
// that finds nothing.
template <object_store Store, class Visit>
[[nodiscard]] status read_forward(Store& store, shared_snapshot& state, const log_reach& reach, const limits& bounds,
                                  Visit visit) {
  while (state->at < reach.last) {
    const version at = state->at.next();
    const result<logged_entry> next = get_next_entry(store, at, reach.listed, bounds);
    if (!next && next.error().code() == errc::not_found) return {};
    if (!next) return next.error();
    // Before it is looked at: what is off the chain is nobody's commit.
    if (const status linked = check_link(state->at, state->entry_checksum, next->content); !linked)
      return linked.error();
    const status accepted = visit(next->content);
    if (!accepted) return accepted.error();
    const status applied = apply_entry(state.writable(), next->content, next->checksum);
    if (!applied) return applied.error();
  }
  return {};
}

// For readers that have no say in what was committed.
inline constexpr auto accept_all = [](const auto&) { return status(); };

}  // namespace tarn::inline TARN_ABI
