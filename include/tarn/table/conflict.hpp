// Which concurrent commits a transaction can follow. The rules are in one function, `check_conflict`.
//
// A transaction is committed as if it had run after everything before it in the log. That is true if nothing that it
// has read was changed in between, so it is serializable; what it has only appended does not depend on the others.
#pragma once

#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../log/entry.hpp"
#include "../log/table_map.hpp"

namespace tarn::inline TARN_ABI {

// What a transaction has done with one table name. Looking it up, whether or not there was such a table, is the least.
struct table_access {
  bool scanned = false;
  bool appended = false;
  bool created = false;
  bool dropped = false;
};

// What a transaction has read and written.
struct footprint {
  table_map<table_access> tables;
  bool listed_tables = false;  // it has looked at which tables there are
};

// Success if the transaction may be committed after `theirs`; else errc::conflict, saying why. First rule that matches,
// table by table:
//
//   mine                                   the winner's                 then
//   any use of the name t, or t is new     created or dropped t         conflict
//   listed the tables                      created or dropped any       conflict
//   dropped t                              appended to t                conflict
//   scanned t                              appended to t                conflict
//   appended to t                          appended to t                rebase
//   nothing with t                         anything                     rebase
template <class = void>
[[nodiscard]] status check_conflict(const footprint& mine, const entry& theirs) {
  for (const auto& [table, actions] : theirs.actions) {
    table_access won;
    for (const action& each : actions) {
      if (each.kind == action_kind::add_object) won.appended = true;
      if (each.kind == action_kind::create_table) won.created = true;
      if (each.kind == action_kind::drop_table) won.dropped = true;
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
    if (won.appended && used->dropped) return conflict("appended to", "dropped it");
    if (won.appended && used->scanned) return conflict("appended to", "scanned it");
  }
  return {};
}

}  // namespace tarn::inline TARN_ABI
