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
#include "../log/table_map.hpp"

namespace tarn::inline TARN_ABI {

// How much a transaction wants to be alone.
enum class isolation : unsigned char {
  serializable,  // as if all transactions had run one after the other, in the order of their versions
  snapshot,      // what it has read may have been changed by others before it commits
  non_blocking,  // also keys that it has written may have been: the fold decides. It only fails with tables that were
                 // created or dropped, and if it has relied on a key (insert, update) of a table that was changed
};

// What a transaction has done with one table name. Looking it up, whether or not there was such a table, is the least.
struct table_access {
  bool scanned = false;   // or looked up keys
  bool appended = false;  // to a bag
  bool wrote = false;     // keys of a keyed table
  bool relied = false;    // insert, update: on the state of keys
  bool created = false;
  bool dropped = false;
  sequence<uuid> compacted = {};  // objects that it replaces
};

// What a transaction has read and written.
struct footprint {
  table_map<table_access> tables;
  bool listed_tables = false;  // it has looked at which tables there are
  isolation level = isolation::serializable;
};

// Success if the transaction may be committed after `theirs`; else errc::conflict, saying why. First rule that matches,
// table by table:
//
//   mine                                   the winner's                 then
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
  for (const auto& [table, actions] : theirs.actions) {
    table_access won;
    for (const action& each : actions) {
      if (each.kind == action_kind::add_object) won.appended = true;
      if (each.kind == action_kind::create_table) won.created = true;
      if (each.kind == action_kind::drop_table) won.dropped = true;
      if (each.kind == action_kind::add_block && !each.block.compacted) won.wrote = true;
      if (each.kind == action_kind::remove_object) won.compacted.push_back(each.object.id);
    }
    const auto conflict = [&, &name = table](std::string_view did, std::string_view reason) {
      return error(errc::conflict,
                   concat({"version ", theirs.at.number, ", by transaction ", to_text(theirs.transaction), ", ", did,
                           " table ", name, ", and this transaction has ", reason, ": run it again"}));
    };
    const bool redefined = won.created || won.dropped;
    const std::string_view redefinition = won.created ? "created" : "dropped";
    const table_access* const used = mine.tables.find(table);
    if (redefined && mine.listed_tables) return conflict(redefinition, "looked at which tables there are");
    if (used == nullptr) continue;
    if (redefined) return conflict(redefinition, "used that name");
    const std::string_view change = won.appended ? "appended to" : won.wrote ? "wrote to" : "compacted";
    const bool changed = won.appended || won.wrote;
    if ((changed || !won.compacted.empty()) && used->dropped) return conflict(change, "dropped it");
    if (changed && used->scanned && mine.level == isolation::serializable) return conflict(change, "scanned it");
    if (won.wrote && used->relied) return conflict("wrote to", "inserted or updated keys of it");
    if (won.wrote && used->wrote && mine.level != isolation::non_blocking) return conflict("wrote to", "written to it");
    for (const uuid& replaced : used->compacted)
      for (const uuid& gone : won.compacted)
        if (gone == replaced) return conflict("compacted", "compacted the same objects of it");
  }
  return {};
}

}  // namespace tarn::inline TARN_ABI
