// The state of a lake after one entry: a pure function of the entries up to it (log/apply_entry.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "application.hpp"
#include "entry.hpp"
#include "table_map.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

// Values: copies share what they have in common and never see each other's changes. Safe to read from several threads.
struct snapshot {
  version at;                        // -1: the empty lake
  std::uint32_t entry_checksum = 0;  // of the bytes of entry `at`: the next entry must carry it
  timestamp time;                    // of the latest entry of tarn's
  table_map<copy_on_write<table_state>> tables;
  sequence<std::string> needed_to_write;  // features; sticky
  copy_on_write<committed_sequences> applications;
  copy_on_write<sequence<version_tag>> tags;  // by name
  retention kept;
  // A transaction's objects travel in its entry as long as they have no more bytes than this together. 0: never, as
  // where the article's program is to read what is committed.
  std::uint32_t inline_bytes_max = 0;

  template <class = void>
  [[nodiscard]] bool needs_to_write(std::string_view feature) const noexcept {
    for (const std::string& each : needed_to_write)
      if (each == feature) return true;
    return false;
  }

  // The table of exactly this name, or null.
  template <class = void>
  [[nodiscard]] const table_state* find_table(std::string_view name) const noexcept {
    const auto* found = tables.find(name);
    return found != nullptr && (*found)->name == name ? &**found : nullptr;
  }

  // The tag of this name, or null.
  template <class = void>
  [[nodiscard]] const version_tag* find_tag(std::string_view name) const noexcept {
    for (const version_tag& each : *tags)
      if (each.name == name) return &each;
    return nullptr;
  }
};

// How many objects all tables are made of. O(tables and buckets).
template <class = void>
[[nodiscard]] std::uint64_t count_objects(const snapshot& state) noexcept {
  std::uint64_t count = 0;
  for (const auto& [name, table] : state.tables) {
    count += table->objects.size();
    for (const copy_on_write<bucket_state>& each : table->buckets) count += each->objects.size();
  }
  return count;
}

// How snapshots are passed around: copies cost nothing.
using shared_snapshot = copy_on_write<snapshot>;

// Success if, as far as `state` knows, version `at` is there and all that it is made of is kept. errc::not_found,
// errc::snapshot_expired.
template <class = void>
[[nodiscard]] status check_kept(const snapshot& state, version at) {
  if (at.number < 0 || at > state.at)
    return error(errc::not_found, concat({"there is no version ", at.number, ": the newest is ", state.at.number}));
  if (at >= state.kept.oldest || has_tag(*state.tags, at)) return {};
  return error(errc::snapshot_expired,
               concat({"version ", at.number, " was given up by a vacuum: the oldest that is kept is ",
                       state.kept.oldest.number, ", and those with tags"}));
}

// Whether that still holds after `theirs`, of another. errc::conflict if it is not certain: `check_kept` knows when
// asked again.
template <class = void>
[[nodiscard]] status check_kept_by(const entry& theirs, version at) {
  if (!theirs.vacuums || theirs.kept.oldest <= at) return {};
  return error(errc::conflict, concat({"version ", theirs.at.number, " is a vacuum, which may have given up version ",
                                       at.number, ": ask again"}));
}

}  // namespace tarn::inline TARN_ABI
