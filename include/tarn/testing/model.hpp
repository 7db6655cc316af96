// What a lake is, said without stores, logs or codecs: for each table, which row each key has, after one version after
// the other. A row is its token; a row of a bag is the only one that ever has its key.
//
// One model is at one version. It can try out what a transaction has done, and take it back: so its reads are compared
// with the snapshot and its own writes before them. A copy is a deep one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "history.hpp"

namespace tarn::inline TARN_ABI::testing {

// What is known of a key.
struct key_model {
  row_token row = 0;          // 0: there is none
  std::int64_t ordering = 0;  // of the row or the tombstone
  std::int64_t written = -1;  // the last version that has written it, to whatever effect
  std::int64_t changed = -1;  // the last that has changed its row
  bool tombstone = false;
  std::uint32_t scan = 0;   // for whoever checks a scan: the last one that has found it
  std::uint32_t place = 0;  // of the key among its table's that have rows

  [[nodiscard]] bool is_hidden_from(std::int64_t newcomer) const noexcept {
    return (row != 0 || tombstone) && newcomer < ordering;
  }
};

// A row that a version has replaced by another; 0: by nothing, or nothing by another.
struct row_change {
  std::int64_t at = -1;
  std::uint64_t key = 0;
  row_token before = 0;
  row_token after = 0;
};

struct table_model {
  bool exists = false;
  table_shape shape = table_shape::bag;
  std::int64_t redefined = -1;      // the last version that has created, dropped or restored it
  std::int64_t changed = -1;        // the last that has changed a row
  std::vector<key_model> keys;      // by key: keys are numbered without gaps
  std::vector<std::uint64_t> live;  // the keys that have rows, in no order
  std::vector<row_change> changes;  // if the model was told to keep them

  [[nodiscard]] key_model at(std::uint64_t key) const {
    return key < keys.size() ? keys[static_cast<std::size_t>(key)] : key_model();
  }
  [[nodiscard]] key_model& use(std::uint64_t key) {
    if (key >= keys.size()) keys.resize(std::max<std::size_t>(static_cast<std::size_t>(key) + 1, keys.size() * 3 / 2));
    return keys[static_cast<std::size_t>(key)];
  }
  // Takes its place in `live` from what was known of it before, or gets one.
  void set(std::uint64_t key, key_model after) {
    key_model& now = use(key);
    after.place = now.place;
    if (now.row == 0 && after.row != 0) {
      after.place = static_cast<std::uint32_t>(live.size());
      live.push_back(key);
    }
    if (now.row != 0 && after.row == 0) {
      live[now.place] = live.back();
      keys[static_cast<std::size_t>(live.back())].place = now.place;
      live.pop_back();
    }
    now = after;
  }
};

// Whether whatever is written to them has the same effect: tombstones count.
[[nodiscard]] inline bool are_same(const key_model& a, const key_model& b) {
  if (a.row != b.row || a.tombstone != b.tombstone) return false;
  return (a.row == 0 && !a.tombstone) || a.ordering == b.ordering;
}
[[nodiscard]] inline bool are_same(const table_model& a, const table_model& b) {
  if (a.exists != b.exists || a.live.size() != b.live.size() || a.shape != b.shape) return false;
  for (std::uint64_t key = 0; key < std::max(a.keys.size(), b.keys.size()); ++key)
    if (!are_same(a.at(key), b.at(key))) return false;
  return true;
}

class lake_model {
 public:
  // Keeps copies of its tables at these versions, for restores.
  explicit lake_model(std::vector<version> kept = {}) : wanted_(std::move(kept)) {}

  // As if there had never been one, if there is none.
  [[nodiscard]] const table_model& table(std::uint32_t number) const {
    static const table_model none;
    return number < tables_.size() ? tables_[number] : none;
  }
  [[nodiscard]] table_model& use_table(std::uint32_t number) {
    if (number >= tables_.size()) tables_.resize(number + 1);
    return tables_[number];
  }
  [[nodiscard]] std::uint32_t tables() const { return static_cast<std::uint32_t>(tables_.size()); }
  // The last version that has created, dropped or restored any table.
  [[nodiscard]] std::int64_t redefined() const { return redefined_; }

  void keep_changes_of(std::uint32_t table) {
    if (table >= keeps_changes_.size()) keeps_changes_.resize(table + 1);
    keeps_changes_[table] = true;
  }

  // Does what one operation of a transaction did, if it is a write, for version `at`. False if it is a write of a key
  // and changes no row.
  bool apply(const recorded_operation& done, std::int64_t at) {
    switch (done.kind) {
      case operation_kind::append:
      case operation_kind::upsert:
      case operation_kind::insert:
      case operation_kind::update: return write(done, at, {done.row, done.ordering, at, at});
      case operation_kind::ordered_erase: return write(done, at, {0, done.ordering, at, at, true});
      case operation_kind::erase:
      case operation_kind::delete_row:
      case operation_kind::replace_row: return set(done.table, done.key, {0, 0, at, at});
      case operation_kind::create_table: redefine(done.table, at, true, static_cast<table_shape>(done.key)); break;
      case operation_kind::drop_table: redefine(done.table, at, false, table_shape::bag); break;
      case operation_kind::restore: restore({static_cast<std::int64_t>(done.key)}, {done.ordering}, at); break;
      default: break;
    }
    return true;
  }

  // Whether a restore that has read `snapshot` makes this table what it was `then`. Both must have been kept.
  [[nodiscard]] bool restores(std::uint32_t table, version then, version snapshot) const {
    return !are_same(kept_table(table, then), kept_table(table, snapshot));
  }

  // After a version, whether or not it has changed anything.
  void end_version(version at) {
    if (std::find(wanted_.begin(), wanted_.end(), at) != wanted_.end()) kept_[at] = tables_;
  }

  // From now on what is applied can be taken back.
  void begin_trial() { trying_ = true; }
  // Whether what was tried has changed any row or table.
  [[nodiscard]] bool trial_changed_rows() const {
    if (!replaced_tables_.empty()) return true;
    return std::any_of(replaced_keys_.begin(), replaced_keys_.end(), [&](const replaced_key& each) {
      // Only the oldest of several is what there was; a younger one that differs from now is no proof.
      const auto first = std::find_if(replaced_keys_.begin(), replaced_keys_.end(), [&](const replaced_key& other) {
        return other.table == each.table && other.key == each.key;
      });
      return first->before.row != table(each.table).at(each.key).row;
    });
  }
  void end_trial() {
    while (!steps_.empty()) {
      if (steps_.back() == undone::key) {
        const replaced_key& last = replaced_keys_.back();
        tables_[last.table].set(last.key, last.before);
        replaced_keys_.pop_back();
      } else {
        tables_[replaced_tables_.back().first] = std::move(replaced_tables_.back().second);
        replaced_tables_.pop_back();
      }
      steps_.pop_back();
    }
    trying_ = false;
  }

 private:
  enum class undone : unsigned char { key, table };
  struct replaced_key {
    std::uint32_t table;
    std::uint64_t key;
    key_model before;
  };

  // The fold: what hides a newcomer leaves the key as it was, but it was written.
  bool write(const recorded_operation& done, std::int64_t at, key_model after) {
    table_model& of = use_table(done.table);
    const key_model now = of.at(done.key);
    if (of.shape == table_shape::by_ordering && now.is_hidden_from(done.ordering)) {
      after = now;
      after.written = at;
    }
    return set(done.table, done.key, after);
  }

  bool set(std::uint32_t number, std::uint64_t key, key_model after) {
    table_model& of = use_table(number);
    const key_model now = of.at(key);
    if (trying_) {
      steps_.push_back(undone::key);
      replaced_keys_.push_back({number, key, now});
    }
    const bool changes = now.row != after.row;
    if (!changes) after.changed = now.changed;
    if (changes && !trying_) {
      of.changed = after.written;
      if (number < keeps_changes_.size() && keeps_changes_[number])
        of.changes.push_back({after.written, key, now.row, after.row});
    }
    after.scan = now.scan;
    of.set(key, after);
    return changes;
  }

  void redefine(std::uint32_t number, std::int64_t at, bool exists, table_shape shape) {
    table_model& of = use_table(number);
    if (trying_) {
      steps_.push_back(undone::table);
      replaced_tables_.emplace_back(number, std::move(of));
    } else {
      redefined_ = at;
    }
    table_model made;
    made.exists = exists;
    made.shape = shape;
    made.redefined = made.changed = at;
    of = std::move(made);
  }

  // The tables that were not at `snapshot` what they were `then`.
  void restore(version then, version snapshot, std::int64_t at) {
    for (std::uint32_t number = 0; number < tables_.size(); ++number) {
      if (!restores(number, then, snapshot)) continue;
      table_model& of = tables_[number];
      of = kept_table(number, then);
      of.redefined = of.changed = redefined_ = at;
    }
  }
  [[nodiscard]] table_model kept_table(std::uint32_t number, version at) const {
    const auto found = kept_.find(at);
    return found != kept_.end() && number < found->second.size() ? found->second[number] : table_model();
  }

  std::vector<table_model> tables_;
  std::int64_t redefined_ = -1;
  std::vector<bool> keeps_changes_;
  std::vector<version> wanted_;
  std::map<version, std::vector<table_model>> kept_;
  bool trying_ = false;
  std::vector<undone> steps_;
  std::vector<replaced_key> replaced_keys_;
  std::vector<std::pair<std::uint32_t, table_model>> replaced_tables_;
};

}  // namespace tarn::inline TARN_ABI::testing
