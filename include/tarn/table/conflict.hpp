// Which concurrent commits a transaction can follow. The rules are in one function, `check_conflict`.
//
//   read_version     theirs    theirs     head
//        |--------------|---------|---------|----> mine
//        snapshot       each of them is met with everything that this transaction has done since its snapshot
//
// A transaction is committed as if it had run after everything before it in the log. That is true if nothing that it
// has read was changed in between, so it is serializable; what it has only appended does not depend on the others.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/row_set.hpp"
#include "../log/table_map.hpp"
#include "read_set.hpp"

namespace tarn::inline TARN_ABI {

// How much a transaction wants to be alone.
enum class isolation : unsigned char {
  serializable,  // as if all transactions had run one after the other, in the order of their versions
  snapshot,      // what it has read may have been changed by others before it commits; what it writes, not
  non_blocking,  // also keys that it has written may have been: the fold decides. It only fails with tables that were
                 // redefined, with keys that `insert` and `update` have found as they were, and with deleted rows
};

// Rows that were deleted from one object of a bag.
struct deleted_rows {
  uuid object;
  row_set rows;
};

// What a transaction has done with one table name. Looking it up, whether or not there was such a table, is the least.
struct table_access {
  bool scanned = false;   // all of it
  bool appended = false;  // to a bag
  bool wrote = false;     // keys of a keyed table
  bool created = false;
  bool dropped = false;
  bool altered = false;                 // has other columns
  bool restored = false;                // to the state of an older version
  read_set reads = {};                  // of a keyed table; as serializable only
  read_set validated = {};              // of these, keys that must be at the commit as they were: whatever the level
  sequence<uuid> compacted = {};        // objects that it replaces
  sequence<deleted_rows> deleted = {};  // of a bag, each object once
};

// What a transaction has read and written.
struct footprint {
  table_map<table_access> tables;
  bool listed_tables = false;               // it has looked at which tables there are
  sequence<std::string> applications = {};  // whose last work it has looked at
  isolation level = isolation::serializable;
};

// What the rules need to know of keys. Each answer names a key, as messages do, or is empty: there is none.
template <class K>
concept key_comparison = requires(K& keys, const std::string& table, const read_set& reads, const action& theirs) {
  { keys.find_read(table, reads, theirs) } -> std::same_as<result<std::string>>;  // that is in reads and in their block
  { keys.find_written(table, theirs) } -> std::same_as<result<std::string>>;      // that I wrote and is in their block
};

// For those who neither read nor write keys, as compactions.
struct no_keys {
  [[nodiscard]] static result<std::string> find_read(const std::string&, const read_set&, const action&) {
    return std::string();
  }
  [[nodiscard]] static result<std::string> find_written(const std::string&, const action&) { return std::string(); }
};

namespace conflict_detail {

// What a winner has done with a table.
enum class theirs : unsigned char { appended, wrote, deleted, compacted, altered, redefined };
inline constexpr std::size_t theirs_count = 6;

template <class = void>
[[nodiscard]] theirs change_of(const action& change) noexcept {
  switch (change.kind) {
    case action_kind::add_object: return theirs::appended;
    case action_kind::add_block: return change.block.compacted ? theirs::compacted : theirs::wrote;
    case action_kind::delete_rows: return theirs::deleted;
    case action_kind::remove_object:
    case action_kind::replace_objects: return theirs::compacted;
    case action_kind::alter_table: return theirs::altered;
    default: return theirs::redefined;
  }
}

template <class = void>
[[nodiscard]] std::string_view describe(action_kind change) noexcept {
  constexpr const char* names[] = {"created", "appended to",  "dropped",   "wrote to", "compacted",
                                   "altered", "deleted from", "compacted", "restored"};
  return names[static_cast<unsigned char>(change)];
}

// What this transaction has done with a table.
enum class mine : unsigned char {
  redefined,
  listed,
  used,
  scanned,
  read_keys,
  validated_keys,
  wrote_keys,
  appended,
  deleted,
  compacted
};
inline constexpr std::size_t mine_count = 10;

template <class = void>
[[nodiscard]] std::string_view describe(mine what) noexcept {
  constexpr const char* names[] = {"created, altered, dropped or restored it",
                                   "looked at which tables there are",
                                   "used that name",
                                   "scanned it",
                                   "looked it up",
                                   "inserted or updated it",
                                   "written it",
                                   "appended to it",
                                   "deleted from it",
                                   "compacted it"};
  return names[static_cast<unsigned char>(what)];
}

enum class verdict : unsigned char {
  rebase,
  conflict,
  compare,  // a conflict if both have a key, a row or an object in common
};

// The rules; see `check_conflict`.
[[nodiscard]] constexpr verdict rule(mine ours, theirs won, isolation level) noexcept {
  constexpr verdict rebase = verdict::rebase, conflict = verdict::conflict, compare = verdict::compare;
  constexpr verdict rules[mine_count][theirs_count] = {
      //                     appended  wrote     deleted   compacted altered   redefined
      /* redefined      */ {conflict, conflict, conflict, conflict, conflict, conflict},
      /* listed         */ {rebase, rebase, rebase, rebase, rebase, conflict},
      /* used           */ {rebase, rebase, rebase, rebase, conflict, conflict},
      /* scanned        */ {conflict, conflict, conflict, rebase, conflict, conflict},
      /* read_keys      */ {conflict, compare, conflict, rebase, conflict, conflict},
      /* validated_keys */ {conflict, compare, conflict, rebase, conflict, conflict},
      /* wrote_keys     */ {conflict, compare, conflict, rebase, conflict, conflict},
      /* appended       */ {rebase, conflict, rebase, rebase, conflict, conflict},
      /* deleted        */ {rebase, conflict, compare, compare, conflict, conflict},
      /* compacted      */ {rebase, rebase, compare, compare, conflict, conflict},
  };
  const bool reads = ours == mine::scanned || ours == mine::read_keys;
  if (reads && level != isolation::serializable) ours = mine::used;
  if (ours == mine::wrote_keys && won == theirs::wrote && level == isolation::non_blocking) return rebase;
  return rules[static_cast<std::size_t>(ours)][static_cast<std::size_t>(won)];
}

// Whether a transaction that has used the table's name has done this with the table.
template <class = void>
[[nodiscard]] bool has_done(const table_access& access, mine what) noexcept {
  switch (what) {
    case mine::redefined: return access.created || access.altered || access.dropped || access.restored;
    case mine::scanned: return access.scanned;
    case mine::read_keys: return !access.reads.empty();
    case mine::validated_keys: return !access.validated.empty();
    case mine::wrote_keys: return access.wrote;
    case mine::appended: return access.appended;
    case mine::deleted: return !access.deleted.empty();
    case mine::compacted: return !access.compacted.empty();
    default: return true;  // used the name: that is the least; to have listed the tables is nothing with one of them
  }
}

template <class = void>
[[nodiscard]] bool concerns(const action& change, const uuid& object) noexcept {
  if (change.object.id == object) return true;
  for (const uuid& each : change.replaced)
    if (each == object) return true;
  return false;
}

// What `what` has in common with a change of theirs, as a message names it; empty: nothing.
template <key_comparison Keys>
[[nodiscard]] result<std::string> find_common(mine what, const table_access& access, const std::string& table,
                                              const action& change, Keys& keys) {
  if (what == mine::wrote_keys) return keys.find_written(table, change);
  if (what == mine::read_keys) return keys.find_read(table, access.reads, change);
  if (what == mine::validated_keys) return keys.find_read(table, access.validated, change);
  for (const uuid& each : access.compacted)
    if (what == mine::compacted && concerns(change, each)) return concat({"object ", to_text(each)});
  for (const deleted_rows& each : access.deleted) {
    if (what != mine::deleted || !concerns(change, each.object)) continue;
    if (change.kind != action_kind::delete_rows) return concat({"object ", to_text(each.object)});
    std::uint64_t row = 0;
    if (each.rows.find_common(change.rows, row)) return concat({"row ", row, " of object ", to_text(each.object)});
  }
  return std::string();
}

template <class = void>
[[nodiscard]] error conflict_with(const entry& theirs, const std::string& table, const action& change, mine what,
                                  std::string_view common) {
  return {errc::conflict, concat({"version ", theirs.at.number, ", by transaction ", to_text(theirs.transaction), ", ",
                                  describe(change.kind), " table ", table, common.empty() ? "" : ", ", common,
                                  ", and this transaction has ", describe(what), ": run it again"})};
}

// Whether one thing that this transaction has done, if it has, goes with one change of the winner's.
template <key_comparison Keys>
[[nodiscard]] status check_change(const footprint& ours, const entry& theirs, const std::string& table,
                                  const action& change, mine what, Keys& keys) {
  const table_access* const access = ours.tables.find(table);
  const bool done = what == mine::listed ? ours.listed_tables : access != nullptr && has_done(*access, what);
  const verdict found = done ? rule(what, change_of(change), ours.level) : verdict::rebase;
  if (found == verdict::rebase) return {};
  if (found == verdict::conflict) return conflict_with(theirs, table, change, what, {});
  const result<std::string> common = find_common(what, *access, table, change, keys);
  if (!common) return common.error();
  return common->empty() ? status() : status(conflict_with(theirs, table, change, what, *common));
}

}  // namespace conflict_detail

// Success if the transaction may be committed after `theirs`; else errc::conflict, which says version, transaction,
// table, what of it, and why: run again, the transaction may succeed. Any other error is one of comparing keys. Table
// by table and change by change, the first row that matches:
//
//   mine                                      the winner's                           then
//   looked at application a's last work       a's numbered work                      conflict
//   created, altered, dropped or restored t   any change or compaction of t          conflict
//   listed the tables                         created, dropped, restored any         conflict
//   any use of the name t, found or not       created, dropped, altered, restored t  conflict
//   serializable: scanned t                   appended, wrote, deleted               conflict
//   serializable: read a key or range         wrote a key in it                      conflict
//   any level: validated a key                wrote that key                         conflict
//   wrote a key, unless non_blocking          wrote that key                         conflict
//   wrote keys                                wrote other keys, compacted            rebase; the fold decides
//   appended                                  appended, deleted, compacted           rebase
//   deleted a row                             deleted that row                       conflict
//   deleted rows of an object                 compacted that object                  conflict
//   deleted rows                              appended, deleted or compacted others  rebase
//   compacted objects                         deleted rows in, or compacted, one     conflict
//   compacted objects                         appended, wrote, changed others        rebase
//
// and a pair of changes of one table that no row matches, as of a bag and of a keyed table, is a conflict. A compaction
// changes no data: it disturbs no reader. What reads only is never asked; tags and vacuums change no table.
template <key_comparison Keys>
[[nodiscard]] status check_conflict(const footprint& ours, const entry& theirs, Keys& keys) {
  for (const std::string& application : ours.applications)
    if (!application.empty() && application == theirs.work.application)
      return error(errc::conflict,
                   concat({"version ", theirs.at.number, " is work ", theirs.work.sequence, " of application '",
                           application, "', whose last work this transaction has looked at: run it again"}));
  for (const auto& [table, actions] : theirs.actions)
    for (const action& change : actions)
      for (std::size_t at = 0; at < conflict_detail::mine_count; ++at) {
        const auto what = static_cast<conflict_detail::mine>(at);
        const status follows = conflict_detail::check_change(ours, theirs, table, change, what, keys);
        if (!follows) return follows;
      }
  return {};
}

}  // namespace tarn::inline TARN_ABI
