// Every commit that was tried, what its client was told, and what the log holds: whether they agree. The account looks
// at the store itself, past whatever disturbs the clients, and the model follows the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tarn/client.hpp>
#include <tarn/core/error.hpp>
#include <tarn/core/limits.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/uuid.hpp>
#include <tarn/history.hpp>
#include <tarn/log/entry.hpp>
#include <tarn/log/log.hpp>
#include <vector>

#include "findings.hpp"
#include "model.hpp"

namespace tarn_test {

// A transaction that has tried to commit.
struct commit_record {
  tarn::uuid id;
  model_transaction transaction;
  model_changes changes;
  tarn::version found;    // where in the log; -1: nowhere, so far
  bool refused = false;   // its client was told that it is not in the log and never will be
  bool in_doubt = false;  // its client was told that nobody knows
  tarn::version slot_in_doubt;
};

// What the store did to the calls of one operation.
struct disturbance {
  bool any = false;      // it did something that excuses an error
  bool unclear = false;  // it left open whose bytes are under a name
};

[[nodiscard]] inline bool may_be_injected(tarn::errc code) {
  return code == tarn::errc::io || code == tarn::errc::no_space;
}

// Whether what history tells about an entry is what the transaction has changed.
[[nodiscard]] inline bool same_changes(const tarn::sequence<tarn::table_change>& told, const model_changes& model) {
  if (told.size() != model.size()) return false;
  auto expected = model.begin();
  for (const tarn::table_change& change : told) {
    const model_change& mine = (expected++)->second;
    if (change.table != mine.name || change.created != mine.created || change.dropped != mine.dropped) return false;
    if (change.rows != mine.appended.size() || change.objects != mine.objects || !change.counted) return false;
  }
  return true;
}

class commit_account {
 public:
  commit_account(std::uint64_t rebase_limit, findings& found) : rebase_limit_(rebase_limit), found_(found) {}

  [[nodiscard]] const model_lake& lake() const { return lake_; }
  // Valid as long as the account.
  [[nodiscard]] const std::map<tarn::uuid, commit_record>& records() const { return records_; }

  // To be called before the commit.
  commit_record& open(const tarn::uuid& id, const model_transaction& transaction) {
    return records_.emplace(id, commit_record{id, transaction, transaction.changes(), {}, false, false, {}})
        .first->second;
  }

  // From now on there may be entries that only fill a slot.
  void allow_settling() { settling_ = true; }

  // Takes the entries that are new in the log into the model, each under the name of the transaction that it is.
  template <class Store>
  void follow_log(Store store) {
    while (found_.good()) {
      const auto entry = get_entry(store, lake_.head().next(), tarn::limits{});
      if (!entry && entry.error().code() == tarn::errc::not_found) return;
      if (!entry) return found_.fail("the log is damaged: " + entry.error().message());
      follow(entry->content);
    }
  }

  // Whether what a commit has said is true; the log must have been followed since. That a version is the next one and
  // follows no conflict is seen in the log, that a refusal has its reason here: so that, where the store does no harm,
  // only one answer is right.
  void judge_commit(commit_record& record, const tarn::result<tarn::version>& said, const disturbance& store) {
    if (said) return judge_success(record, *said, store);
    if (said.error().code() == tarn::errc::conflict) return judge_conflict(record, said.error(), store);
    if (!store.any) return found_.fail("failed: " + said.error().message());
    if (said.error().code() == tarn::errc::commit_unknown) return judge_doubt(record, said.error().in_doubt(), store);
    found_.expect(may_be_injected(said.error().code()), "failed: " + said.error().message());
    found_.expect(record.found == tarn::version(), "says that it failed, but is in the log: " + said.error().message());
    record.refused = true;
    found_.count("commit failed for certain");
  }

  // The slot to ask find_commit about.
  [[nodiscard]] static tarn::version slot_of(const commit_record& record) {
    return record.in_doubt ? record.slot_in_doubt : record.found;
  }

  // Whether what find_commit has said is true; the log must have been followed before it was asked, when the head was
  // `before`, and since.
  void judge_find(const commit_record& record, tarn::version before, tarn::settle settle,
                  const tarn::result<tarn::commit_state>& said, const disturbance& store) {
    if (!said) {
      const tarn::errc code = said.error().code();
      const bool excused = may_be_injected(code) || code == tarn::errc::commit_unknown;
      return found_.expect(store.any && excused, "find_commit failed: " + said.error().message());
    }
    const tarn::version slot = slot_of(record);
    if (*said == tarn::commit_state::committed) {
      found_.expect(record.found == slot, "is found, but not in the log");
    } else if (*said == tarn::commit_state::not_committed) {
      found_.expect(lake_.head() >= slot && record.found != slot, "is said not to be committed, but is or may be");
    } else {
      found_.expect(before < slot, "is said to be undecided, but is not");
      found_.expect(settle == tarn::settle::no, "was to be settled, but is undecided");
    }
    if (!record.in_doubt) return;
    constexpr const char* states[] = {"committed", "not committed", "undecided"};
    found_.count(std::string("doubt resolved: ") + states[static_cast<std::size_t>(*said)]);
  }

 private:
  void follow(const tarn::entry& entry) {
    const std::string version = "version " + std::to_string(entry.at.number);
    const auto known = records_.find(entry.transaction);
    if (known == records_.end()) {
      found_.expect(settling_ && entry.operation == "settle" && entry.actions.empty(),
                    version + " is of an unknown transaction");
      found_.count("slot settled");
      return lake_.commit({});
    }
    commit_record& record = known->second;
    found_.expect(record.found == tarn::version(), version + " is of a transaction that is in the log already");
    found_.expect(!record.refused, version + " is of a transaction whose commit had failed");
    found_.expect(record.transaction.read_version() == entry.read_version, version + " has another read_version");
    for (const std::string& reason : lake_.conflicts(record.transaction, lake_.head(), rebase_limit_))
      found_.fail(version + " follows a conflict: " + reason);
    found_.expect(same_changes(changes_in(entry), record.changes), version + " has other changes than its transaction");
    found_.count("commit");
    if (entry.read_version.next() != entry.at) found_.count("rebase");
    count_changes(record.changes);
    record.found = entry.at;
    lake_.commit(record.changes);
  }

  // An entry as history would tell it.
  [[nodiscard]] static tarn::sequence<tarn::table_change> changes_in(const tarn::entry& entry) {
    tarn::sequence<tarn::table_change> changes;
    for (const auto& [table, actions] : entry.actions) {
      tarn::table_change& change = changes.emplace_back();
      change.table = table;
      for (const tarn::action& action : actions) {
        if (action.kind == tarn::action_kind::create_table) change.created = true;
        if (action.kind == tarn::action_kind::drop_table) change.dropped = true;
        if (action.kind != tarn::action_kind::add_object) continue;
        ++change.objects;
        change.rows += action.object.rows;
      }
    }
    return changes;
  }

  void count_changes(const model_changes& changes) {
    if (changes.size() > 1) found_.count("commit to several tables");
    for (const auto& [key, change] : changes) {
      if (change.objects > 1) found_.count("commit of several objects of a table");
      if (change.created && change.dropped) found_.count("drop and create in one transaction");
      if (change.dropped && !change.created) found_.count("drop");
    }
  }

  void judge_success(const commit_record& record, tarn::version said, const disturbance& store) {
    if (record.changes.empty())
      return found_.expect(said == record.transaction.read_version(), "nothing to commit, but another version");
    found_.expect(record.found == said, "says version " + std::to_string(said.number) + ", is at " +
                                            std::to_string(record.found.number) + " in the log");
    if (store.any) found_.count("committed in spite of faults");
  }

  void judge_conflict(commit_record& record, const tarn::error& said, const disturbance& store) {
    record.refused = true;
    found_.expect(record.found == tarn::version(), "says conflict, but is in the log");
    found_.expect(said.retry_helps(), "says conflict, but does not advise to try again");
    const auto reasons = lake_.conflicts(record.transaction, lake_.head(), rebase_limit_);
    found_.expect(!reasons.empty(), "says conflict, but there is none: " + said.message());
    for (const std::string& reason : reasons) found_.count("conflict: " + reason);
    if (store.any) found_.count("conflict in spite of faults");
  }

  void judge_doubt(commit_record& record, const tarn::commit_in_doubt& said, const disturbance& store) {
    record.in_doubt = true;
    record.slot_in_doubt = said.slot;
    found_.expect(store.unclear, "is in doubt, though every answer was clear");
    found_.expect(said.transaction == record.id, "is in doubt about another transaction");
    found_.expect(said.slot > record.transaction.read_version(), "is in doubt about an impossible slot");
    found_.expect(record.found == tarn::version() || record.found == said.slot, "is in another slot than it says");
    found_.count("commit in doubt");
  }

  std::uint64_t rebase_limit_;
  findings& found_;
  model_lake lake_;
  std::map<tarn::uuid, commit_record> records_;
  bool settling_ = false;
};

}  // namespace tarn_test
