// Restore: makes the tables what they were at an older version, as a new version.
//
//   version   3             4 ... 9                  10 = restore(3)           11 = restore(9)
//   tables    a: o1, o2     a: o1, o2, o3; b: o4     a: o1, o2                 a: o1, o2, o3; b: o4
//
// Objects never change, so that no row is read or written: the entry names those that each table is made of again, with
// their places in its order, and which of their rows were deleted. Tables that are the same in both are not named.
// Applications' sequences, tags and what vacuums have left are no part of the tables and stay.
#pragma once

#include <string>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_state.hpp"
#include "../log/table_writer.hpp"
#include "client_core.hpp"
#include "commit_entry.hpp"
#include "conflict.hpp"

namespace tarn::inline TARN_ABI {

namespace restore_detail {

// Everything of a table that a restore brings back.
template <class = void>
[[nodiscard]] std::string content_of(table_state table) {
  table.last_column = {};
  for (copy_on_write<bucket_state>& each : table.buckets) each.writable().since = {};
  std::string content;
  append_table_state(content, table);
  return content;
}

}  // namespace restore_detail

// What makes the tables of `now` those of `then`, and what the decision depends on. Cost: writing the state of every
// table in both down.
struct restoration {
  entry changes;
  footprint used;

  template <class = void>
  restoration(const snapshot& now, const snapshot& then) {
    changes.operation = operation_name(action_kind::restore_table);
    used.listed_tables = true;
    for (const auto& [name, former] : then.tables) bring_back(now.tables.find(name), *former);
    for (const auto& [name, current] : now.tables)
      if (then.tables.find(name) == nullptr) drop(name, *current);
  }

 private:
  // `current` has the name now; null: none has.
  template <class = void>
  void bring_back(const copy_on_write<table_state>* current, const table_state& former) {
    table_access& access = used.tables.find_or_insert(former.name);
    access.scanned = true;  // also if it stays as it is: that it may depends on its content
    if (current != nullptr && (*current)->id != former.id)
      drop(former.name, **current);
    else if (current != nullptr && restore_detail::content_of(**current) == restore_detail::content_of(former))
      return;
    access.restored = true;
    action restores{action_kind::restore_table, {}, {}, {}};
    restores.restored = shared<const table_state>::make(former);
    changes.actions.find_or_insert(former.name).push_back(std::move(restores));
  }

  // `name` is what the entry calls it, which can differ from its own in case.
  template <class = void>
  void drop(const std::string& name, const table_state& current) {
    used.tables.find_or_insert(name).dropped = true;
    changes.actions.find_or_insert(name).push_back({action_kind::drop_table, current.id, {}, {}});
  }
};

// Commits a restore of `then`; no entry, and the version of `now`, if the tables are the same.
template <class Store, class Codec>
[[nodiscard]] result<version> restore_tables(client_core<Store, Codec>& lake, const shared_snapshot& now,
                                             const shared_snapshot& then) {
  restoration restored(*now, *then);
  if (restored.changes.actions.empty()) return now->at;
  const auto check = [&, at = then->at](const entry& theirs) -> status {
    if (const status kept = check_kept_by(theirs, at); !kept) return kept;
    no_keys none;
    return check_conflict(restored.used, theirs, none);
  };
  return commit_entry(lake, now, std::move(restored.changes), check);
}

}  // namespace tarn::inline TARN_ABI
