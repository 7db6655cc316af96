// Which concurrent commits a transaction can follow. The rules are in one function, `check_conflict`.
//
// A transaction is committed as if it had run after everything before it in the log. That is true if nothing that it
// has read was changed in between, so it is serializable; what it has only appended does not depend on the others.
#pragma once

#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../log/entry.hpp"
#include "../log/row_set.hpp"
#include "../log/table_map.hpp"

namespace tarn::inline TARN_ABI {

// How much a transaction wants to be alone.
enum class isolation : unsigned char {
  serializable,  // as if all transactions had run one after the other, in the order of their versions
  snapshot,      // what it has read may have been changed by others before it commits
  non_blocking,  // also keys that it has written may have been: the fold decides. It only fails with tables that were
                 // created or dropped, and if it has relied on a key (insert, update) of a table that was changed
};

// Rows that were deleted from one object of a bag.
struct deleted_rows {
  uuid object;
  row_set rows;
};

// What a transaction has done with one table name. Looking it up, whether or not there was such a table, is the least.
struct table_access {
  bool scanned = false;   // or looked up keys
  bool appended = false;  // to a bag
  bool wrote = false;     // keys of a keyed table
  bool relied = false;    // insert, update: on the state of keys
  bool created = false;
  bool dropped = false;
  bool altered = false;                 // has other columns
  bool restored = false;                // to the state of an older version
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

namespace conflict_detail {

// What an entry has done with one table.
template <class = void>
[[nodiscard]] table_access access_of(const sequence<action>& actions) {
  table_access won;
  for (const action& each : actions) {
    if (each.kind == action_kind::add_object) won.appended = true;
    if (each.kind == action_kind::create_table) won.created = true;
    if (each.kind == action_kind::drop_table) won.dropped = true;
    if (each.kind == action_kind::add_block && !each.block.compacted) won.wrote = true;
    if (each.kind == action_kind::remove_object) won.compacted.push_back(each.object.id);
  }
  return won;
}

template <class = void>
[[nodiscard]] bool have_common(const sequence<uuid>& some, const sequence<uuid>& others) noexcept {
  for (const uuid& one : some)
    for (const uuid& other : others)
      if (one == other) return true;
  return false;
}

// What the winner did with a table, and what this transaction has that does not go with it; empty: nothing.
struct clash {
  std::string_view did;
  std::string_view reason = {};
};

// The rules for a table that neither has created or dropped.
template <class = void>
[[nodiscard]] clash clash_of_changes(const table_access& mine, const table_access& won, isolation level) noexcept {
  const bool changed = won.appended || won.wrote;
  const std::string_view did = won.appended ? "appended to" : won.wrote ? "wrote to" : "compacted";
  if ((changed || !won.compacted.empty()) && mine.dropped) return {did, "dropped it"};
  if (changed && mine.scanned && level == isolation::serializable) return {did, "scanned it"};
  if (won.wrote && mine.relied) return {did, "inserted or updated keys of it"};
  if (won.wrote && mine.wrote && level != isolation::non_blocking) return {did, "written to it"};
  if (have_common(mine.compacted, won.compacted)) return {"compacted", "compacted the same objects of it"};
  return {did};
}

}  // namespace conflict_detail

// Success if the transaction may be committed after `theirs`; else errc::conflict, saying why. First rule that matches,
// table by table:
//
//   mine                                   the winner's                 then
//   looked at application a's last work    a's numbered work            conflict
//   any use of the name t, or t is new     created or dropped t         conflict
//   listed the tables                      created or dropped any       conflict
//   dropped t                              appended to t                conflict
//   dropped t                              wrote keys of t, compacted   conflict
//   serializable: scanned t                changed data of t            conflict
//   any level: relied on keys of t         wrote keys of t              conflict
//   wrote keys of t, unless non_blocking   wrote keys of t              conflict
//   compacted objects of t                 compacted one of them        conflict
//   appended to t, wrote keys of t         appended, compacted          rebase
//   compacted objects of t                 wrote keys of t              rebase
//   nothing with t                         anything                     rebase
//
// (The conflicts of keys are found table by table yet.)
template <class = void>
[[nodiscard]] status check_conflict(const footprint& mine, const entry& theirs) {
  for (const std::string& application : mine.applications)
    if (application == theirs.work.application)
      return error(errc::conflict,
                   concat({"version ", theirs.at.number, " is work ", theirs.work.sequence, " of application '",
                           application, "', whose last work this transaction has looked at: run it again"}));
  for (const auto& [table, actions] : theirs.actions) {
    const table_access won = conflict_detail::access_of(actions);
    const table_access* const used = mine.tables.find(table);
    const bool redefined = won.created || won.dropped;
    conflict_detail::clash found{won.created ? "created" : "dropped"};
    if (redefined && mine.listed_tables)
      found.reason = "looked at which tables there are";
    else if (redefined && used != nullptr)
      found.reason = "used that name";
    else if (!redefined && used != nullptr)
      found = conflict_detail::clash_of_changes(*used, won, mine.level);
    if (found.reason.empty()) continue;
    return error(errc::conflict,
                 concat({"version ", theirs.at.number, ", by transaction ", to_text(theirs.transaction), ", ",
                         found.did, " table ", table, ", and this transaction has ", found.reason, ": run it again"}));
  }
  return {};
}

}  // namespace tarn::inline TARN_ABI
