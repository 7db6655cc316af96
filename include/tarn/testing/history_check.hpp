// Whether a history is one that a lake may have: everybody was told the truth, and every transaction was isolated as it
// had asked for.
//
// The order of the versions is the log, so nothing needs to be guessed. One pass over it holds everything against a
// model of the lake:
//
//   version     0        1        2        3          each commit is checked against what the versions since its
//   snapshot
//               |        |        |        |          have changed, and applied to the model;
//   model  ---- o ------ o ------ o ------ o ---->    then the transactions whose snapshot it is have their reads
//   compared
//                        |                            with it, and with what they had written themselves
//                     snapshot of T: its reads
//
// A transaction that read what others changed before it was committed can be part of a cycle of dependencies. Such
// cycles are searched for where they can be (dependency_graph.hpp).
//
// Time: linear in operations and rows found, but scans with a predicate, which cost the rows of their table. Memory:
// the model, and about 40 bytes for each transaction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "dependency_graph.hpp"
#include "history.hpp"
#include "history_report.hpp"
#include "misread.hpp"
#include "model.hpp"
#include "outcome_check.hpp"
#include "version_index.hpp"

namespace tarn::inline TARN_ABI::testing {

class history_check {
 public:
  explicit history_check(const history& checked, const history_check_options& options = {})
      : all_(&checked), found_{options}, model_(restored_versions()) {}

  [[nodiscard]] history_report run() {
    versions_ = outcome_check(*all_, found_).run();
    for (const transaction_record& each : all_->transactions)
      for (const recorded_operation& done : all_->operations_of(each))
        if (done.kind == operation_kind::scan && done.key != 0) model_.keep_changes_of(done.table);
    for (std::int64_t at = -1; at <= all_->head().number; ++at) {
      if (at >= 0) commit(at);
      model_.end_version({at});
      for (const std::uint32_t each : versions_.readers_of(at)) check_reads(each);
    }
    find_cycles();
    found_.report.transactions = all_->transactions.size();
    found_.report.versions = all_->log.size();
    return std::move(found_.report);
  }

 private:
  static constexpr std::uint32_t nobody = version_index::nobody;

  [[nodiscard]] const transaction_record& record(std::uint32_t number) const { return all_->transactions[number]; }

  [[nodiscard]] std::vector<version> restored_versions() const {
    std::vector<version> found;
    for (const transaction_record& each : all_->transactions)
      for (const recorded_operation& done : all_->operations_of(each))
        if (done.kind == operation_kind::restore)
          found.insert(found.end(), {version{static_cast<std::int64_t>(done.key)}, version{done.ordering}});
    return found;
  }

  // --- commits -----------------------------------------------------------------------------------------------------

  void commit(std::int64_t at) {
    const std::uint32_t number = versions_.owners[static_cast<std::size_t>(at)];
    if (number == nobody) return;
    const transaction_record& mine = record(number);
    if (mine.purpose == purpose::housekeeping) return;
    const std::int64_t snapshot = mine.snapshot.number;
    const auto done = all_->operations_of(mine);
    if (snapshot + 1 < at) {
      read_what_changed_ = false;
      for (const recorded_operation& each : done) check_window(number, each, snapshot, at);
      if (read_what_changed_) contested_.push_back({snapshot + 1, at});
    }
    for (std::size_t next = 0; next < done.size(); ++next)
      if (!model_.apply(done[next], at)) versions_.idle.insert(mine.first_operation + next);
    for (std::uint32_t table = 0; mine.purpose == purpose::restore && table < model_.tables(); ++table)
      if (model_.table(table).redefined == at) versions_.restored.emplace(at, table);
  }

  // One operation of a transaction against the versions in (snapshot, at), all of which the model has.
  void check_window(std::uint32_t number, const recorded_operation& done, std::int64_t snapshot, std::int64_t at) {
    const auto since = [&](history_rule which, anomaly what, std::int64_t version, std::string_view why) {
      found_.add(which, what, {number},
                 concat({all_->describe(number), " is version ", at, " and has ", why, ", which version ", version,
                         " has written since its snapshot, version ", snapshot, name_of_key(done)}));
    };
    const bool serializable = record(number).level == isolation::serializable;
    const table_model& table = model_.table(done.table);
    if (done.kind == operation_kind::restore) return check_restore(number, done, snapshot);
    const std::int64_t redefined = done.kind == operation_kind::list_tables ? model_.redefined() : table.redefined;
    if (redefined > snapshot && done.kind != operation_kind::found) {
      read_what_changed_ = true;
      return since(history_rule::names, anomaly::redefined_table, redefined, "used a table or its name");
    }
    const key_model key = table.at(done.key);
    switch (done.kind) {
      case operation_kind::look_up:
        if (key.changed <= snapshot) return;
        read_what_changed_ = true;
        if (serializable) since(history_rule::serial, anomaly::write_skew, key.changed, "looked up a key");
        return;
      case operation_kind::scan:
        if (const std::int64_t changed = change_since(done, snapshot); changed > snapshot) {
          read_what_changed_ = true;
          if (serializable) since(history_rule::serial, anomaly::phantom_skew, changed, "scanned rows");
        }
        return;
      case operation_kind::insert:
      case operation_kind::update:
      case operation_kind::insert_exists:
      case operation_kind::insert_late:
      case operation_kind::update_absent:
        if (key.written <= snapshot) return;
        read_what_changed_ = true;
        return since(history_rule::validated, anomaly::lost_update, key.written, "inserted or updated a key");
      case operation_kind::upsert:
      case operation_kind::erase:
      case operation_kind::ordered_erase:
        if (key.written > snapshot && record(number).level != isolation::non_blocking)
          since(history_rule::writes, anomaly::dirty_write, key.written, "written a key");
        return;
      case operation_kind::delete_row:
      case operation_kind::replace_row:
        if (key.written > snapshot) since(history_rule::deleted, anomaly::lost_deletion, key.written, "deleted a row");
        return;
      default: return;
    }
  }

  void check_restore(std::uint32_t number, const recorded_operation& done, std::int64_t snapshot) {
    for (std::uint32_t table = 0; table < model_.tables(); ++table)
      if (model_.table(table).changed > snapshot &&
          model_.restores(table, {static_cast<std::int64_t>(done.key)}, {snapshot}))
        found_.add(history_rule::names, anomaly::redefined_table, {number},
                   concat({all_->describe(number), " has restored a table that version ", model_.table(table).changed,
                           " has changed since its snapshot, version ", snapshot, name_of_key({done.kind, table, 0})}));
  }

  // The last version that has changed a row that a scan would have found, or found instead; -1: none since `snapshot`.
  [[nodiscard]] std::int64_t change_since(const recorded_operation& scan, std::int64_t snapshot) const {
    const table_model& table = model_.table(scan.table);
    if (scan.key == 0 || table.changed <= snapshot) return table.changed;
    for (std::size_t next = table.changes.size(); next-- > 0 && table.changes[next].at > snapshot;) {
      const row_change& each = table.changes[next];
      if (each.before != 0 && all_->holds(scan.key, each.before)) return each.at;
      if (each.after != 0 && all_->holds(scan.key, each.after)) return each.at;
    }
    return -1;
  }

  // --- reads -------------------------------------------------------------------------------------------------------

  // Of one transaction, when the model is at its snapshot. What it wrote is tried out as far as a read follows.
  void check_reads(std::uint32_t number) {
    const transaction_record& mine = record(number);
    const auto done = all_->operations_of(mine);
    const bool silent = mine.outcome == commit_outcome::acknowledged && !mine.claims_version();
    std::size_t last = done.size();
    while (!silent && last > 0 && is_write(done[last - 1].kind)) --last;
    bool tries = false;
    for (std::size_t at = 0; at < last; ++at) {
      if (is_write(done[at].kind)) {
        if (!tries) model_.begin_trial();
        tries = true;
        if (done[at].kind != operation_kind::restore) model_.apply(done[at], mine.snapshot.number);
        continue;
      }
      found_.report.reads += 1;
      const misread wrong = compare(done, at);
      if (wrong.is_wrong) report_misread(number, done[at], wrong);
    }
    if (!tries) return;
    if (silent && model_.trial_changed_rows())
      found_.add(history_rule::acknowledged, anomaly::false_acknowledgement, {number},
                 concat({all_->describe(number), " was told that it had nothing to write, but it had"}));
    model_.end_trial();
  }

  // The operation at `at`, a read, and the rows it has found, which are passed over, with the model.
  [[nodiscard]] misread compare(std::span<const recorded_operation> done, std::size_t& at) {
    const recorded_operation& read = done[at];
    const table_model& table = model_.table(read.table);
    const key_model key = table.at(read.key);
    switch (read.kind) {
      case operation_kind::look_up: return expect(table.exists && key.row == read.seen, read.key, read.seen, key.row);
      case operation_kind::insert_exists: return expect(key.row != 0, read.key, 0, 0);
      case operation_kind::insert_late:
        return expect(key.row == 0 && key.is_hidden_from(read.ordering), read.key, 0, key.row);
      case operation_kind::update_absent: return expect(key.row == 0, read.key, 0, key.row);
      case operation_kind::look_for_table: return expect(table.exists == (read.seen != 0), 0, 0, 0);
      case operation_kind::list_tables: return compare_list(found_after(done, at));
      case operation_kind::scan: return compare_scan(read, found_after(done, at));
      default: return {};
    }
  }

  [[nodiscard]] static misread expect(bool holds, std::uint64_t key, row_token seen, row_token expected) {
    return {!holds, key, seen, expected};
  }

  // Moves `at` to the last of them.
  [[nodiscard]] static std::span<const recorded_operation> found_after(std::span<const recorded_operation> done,
                                                                       std::size_t& at) {
    const std::size_t first = at + 1;
    while (at + 1 < done.size() && done[at + 1].kind == operation_kind::found) ++at;
    return done.subspan(first, at + 1 - first);
  }

  [[nodiscard]] misread compare_list(std::span<const recorded_operation> found) const {
    std::size_t existing = 0;
    for (std::uint32_t number = 0; number < model_.tables(); ++number)
      existing += model_.table(number).exists ? 1U : 0U;
    for (const recorded_operation& each : found)
      if (!model_.table(each.table).exists) return {true, 0, 0, 0};
    return expect(found.size() == existing, 0, 0, 0);
  }

  [[nodiscard]] misread compare_scan(const recorded_operation& scan, std::span<const recorded_operation> found) {
    found_.report.rows += found.size();
    if (!model_.table(scan.table).exists) return {true, 0, 0, 0};
    table_model& table = model_.use_table(scan.table);
    ++scans_;
    for (const recorded_operation& each : found) {
      const key_model now = table.at(each.key);
      if (now.row == 0 || now.row != each.seen) return {true, each.key, each.seen, now.row};
      if (now.scan == scans_ || !all_->holds(scan.key, each.seen)) return {true, each.key, each.seen, each.seen};
      table.keys[static_cast<std::size_t>(each.key)].scan = scans_;
    }
    if (scan.key == 0 && found.size() == table.live.size()) return {};
    for (const std::uint64_t key : table.live) {
      const key_model now = table.at(key);
      if (now.scan != scans_ && all_->holds(scan.key, now.row)) return {true, key, 0, now.row};
    }
    return {};
  }

  void report_misread(std::uint32_t number, const recorded_operation& read, const misread& wrong) {
    misread_ = true;
    if (!found_.options.rules.has(history_rule::reads)) return;
    if (writers_.empty()) writers_.fill(*all_, versions_.owners);
    const transaction_record& mine = record(number);
    const std::int64_t snapshot = mine.snapshot.number;
    const std::uint32_t made = snapshot >= 0 ? versions_.owners[static_cast<std::size_t>(snapshot)] : nobody;
    const bool kept_house = made != nobody && record(made).purpose == purpose::housekeeping;
    const anomaly what = classify(*all_, writers_, number, read.table, wrong, kept_house);
    found_.add(
        history_rule::reads, what, {number},
        concat({all_->describe(number), " has read version ", snapshot, ": ", name_of(what), ": found row ", wrong.seen,
                " instead of row ", wrong.expected, name_of_key({read.kind, read.table, wrong.key})}));
  }

  // --- cycles ------------------------------------------------------------------------------------------------------

  void find_cycles() {
    if (misread_) contested_.push_back({-1, all_->head().number});
    found_.report.contested = contested_.size();
    if (contested_.empty()) return;
    for (const dependency_cycle& each : find_dependency_cycles(*all_, versions_, std::move(contested_))) {
      if (each.permitted)
        ++found_.report.permitted_cycles;
      else
        found_.add(history_rule::cycles, each.what, each.transactions, describe(each));
    }
  }

  // --- words -------------------------------------------------------------------------------------------------------

  [[nodiscard]] std::string describe(const dependency_cycle& cycle) const {
    std::string text(name_of(cycle.what));
    const char* before = ": ";
    for (const std::uint32_t each : cycle.transactions) {
      text += concat({before, all_->describe(each)});
      before = ", on which depends ";
    }
    return concat({text, ", on which depends the first"});
  }
  [[nodiscard]] std::string name_of_key(const recorded_operation& done) const {
    const std::string table =
        done.table < all_->tables.size() ? all_->tables[done.table] : concat({"number ", done.table});
    return concat({"; table ", table, ", key ", done.key});
  }

  const history* all_;
  history_findings found_;
  lake_model model_;
  version_index versions_;
  std::uint32_t scans_ = 0;
  bool read_what_changed_ = false;
  bool misread_ = false;
  std::vector<version_range> contested_;
  row_writers writers_;
};

[[nodiscard]] inline history_report check_history(const history& checked, const history_check_options& options = {}) {
  return history_check(checked, options).run();
}

}  // namespace tarn::inline TARN_ABI::testing
