// What a lake is, said without stores, codecs or logs: a state for each version, and transactions that depend on facts.
//
// A fact is something that a transaction may have read and a commit may change: which tables there are, whether there
// is a table of some name, what rows it has. A transaction conflicts with a commit, between the version it has read and
// its own, that has changed a fact it depends on. This is the whole of concurrency control here; tarn says it as a
// table of rules (table/conflict.hpp), and the tests hold the one against the other.
#pragma once

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tarn/core/error.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/strong_types.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

using rows = std::vector<tarn::row>;

struct model_table {
  std::string name;
  tarn::schema columns;
  rows content;  // in the order of the commits
};

// By name, in lower case.
using model_state = std::map<std::string, model_table>;

[[nodiscard]] inline std::string lower_case(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

[[nodiscard]] inline std::string existence_of(const std::string& table) { return "existence of " + table; }
[[nodiscard]] inline std::string content_of(const std::string& table) { return "content of " + table; }
inline const std::string list_of_tables = "list of tables";

// What a commit does to one table.
struct model_change {
  std::string name;
  bool dropped = false;
  bool created = false;
  tarn::schema columns;  // if created
  rows appended;
  std::size_t objects = 0;  // that these are in
};
using model_changes = std::map<std::string, model_change>;  // by name, in lower case

[[nodiscard]] inline std::set<std::string> facts_changed_by(const model_changes& changes) {
  std::set<std::string> facts;
  for (const auto& [table, change] : changes) {
    facts.insert(content_of(table));
    if (!change.created && !change.dropped) continue;
    facts.insert(existence_of(table));
    facts.insert(list_of_tables);
  }
  return facts;
}

// A transaction: what it sees, what it depends on, what it would change.
class model_transaction {
 public:
  using answer = std::optional<tarn::errc>;  // none: success

  model_transaction(tarn::version read, model_state snapshot, std::size_t rows_per_object)
      : read_(read), snapshot_(std::move(snapshot)), rows_per_object_(rows_per_object) {}

  [[nodiscard]] tarn::version read_version() const { return read_; }

  [[nodiscard]] tarn::sequence<std::string> tables() {
    depend_on(list_of_tables, "listed the tables");
    std::map<std::string, std::string> names;
    for (const auto& [key, table] : snapshot_) names[key] = table.name;
    for (const auto& [key, mine] : own_) {
      names.erase(key);
      if (mine.exists) names[key] = mine.name;
    }
    tarn::sequence<std::string> sorted;
    for (const auto& [key, name] : names) sorted.push_back(name);
    return sorted;
  }

  [[nodiscard]] bool has_table(const std::string& name) {
    const own_table& mine = look_up(name);
    return mine.exists && mine.name == name;
  }

  [[nodiscard]] const tarn::schema& columns(const std::string& name) { return look_up(name).columns; }

  [[nodiscard]] answer create_table(const std::string& name, const tarn::schema& columns) {
    own_table& mine = look_up(name);
    if (mine.exists) return tarn::errc::table_exists;
    const bool dropped = mine.dropped;
    mine = own_table{};
    mine.name = name;
    mine.exists = true;
    mine.created = true;
    mine.dropped = dropped;
    mine.columns = columns;
    return {};
  }

  [[nodiscard]] answer drop_table(const std::string& name) {
    if (!has_table(name)) return tarn::errc::no_such_table;
    own_table& mine = look_up(name);
    depend_on(content_of(lower_case(name)), "dropped it");
    if (!mine.created) mine.dropped = true;
    mine.exists = false;
    mine.created = false;
    mine.committed.clear();
    mine.flushed.clear();
    mine.unflushed.clear();
    mine.objects = 0;
    return {};
  }

  // Rows that fit the table.
  [[nodiscard]] answer insert(const std::string& name, const rows& more) {
    if (!has_table(name)) return tarn::errc::no_such_table;
    own_table& mine = look_up(name);
    for (const tarn::row& row : more) {
      if (mine.unflushed.size() >= rows_per_object_) flush(mine);
      mine.unflushed.push_back(row);
    }
    return {};
  }

  void flush() {
    for (auto& [key, mine] : own_) flush(mine);
  }

  // In the documented order: own unflushed rows, then the snapshot's, then those that it has flushed.
  [[nodiscard]] std::optional<rows> scan(const std::string& name) {
    if (!has_table(name)) return {};
    depend_on(content_of(lower_case(name)), "scanned it");
    const own_table& mine = look_up(name);
    rows all = mine.unflushed;
    all.insert(all.end(), mine.committed.begin(), mine.committed.end());
    all.insert(all.end(), mine.flushed.begin(), mine.flushed.end());
    return all;
  }

  // After a flush.
  [[nodiscard]] model_changes changes() const {
    model_changes made;
    for (const auto& [key, mine] : own_)
      if (mine.dropped || mine.created || !mine.flushed.empty())
        made[key] = {mine.name, mine.dropped, mine.created, mine.columns, mine.flushed, mine.objects};
    return made;
  }

  // Facts, and what made it depend on them.
  [[nodiscard]] const std::map<std::string, std::set<std::string>>& dependencies() const { return dependencies_; }

 private:
  struct own_table {
    std::string name;
    bool exists = false;
    bool created = false;  // here, and not dropped again
    bool dropped = false;  // the snapshot's table of this name
    tarn::schema columns;
    rows committed;
    rows flushed;
    rows unflushed;
    std::size_t objects = 0;
  };

  void depend_on(const std::string& fact, const std::string& reason) { dependencies_[fact].insert(reason); }

  own_table& look_up(const std::string& name) {
    const std::string key = lower_case(name);
    depend_on(existence_of(key), "used the name");
    const auto [found, is_new] = own_.try_emplace(key);
    if (is_new)
      if (const auto table = snapshot_.find(key); table != snapshot_.end()) {
        found->second.name = table->second.name;
        found->second.exists = true;
        found->second.columns = table->second.columns;
        found->second.committed = table->second.content;
      }
    return found->second;
  }

  static void flush(own_table& mine) {
    if (mine.unflushed.empty()) return;
    mine.flushed.insert(mine.flushed.end(), mine.unflushed.begin(), mine.unflushed.end());
    mine.unflushed.clear();
    ++mine.objects;
  }

  tarn::version read_;
  model_state snapshot_;
  std::size_t rows_per_object_;
  std::map<std::string, own_table> own_;
  std::map<std::string, std::set<std::string>> dependencies_;
};

// All versions of a lake.
class model_lake {
 public:
  [[nodiscard]] tarn::version head() const { return {static_cast<std::int64_t>(versions_.size()) - 1}; }

  [[nodiscard]] const model_state& state_at(tarn::version at) const {
    return at.number < 0 ? empty_ : versions_[static_cast<std::size_t>(at.number)].state;
  }
  [[nodiscard]] const model_changes& changes_at(tarn::version at) const {
    return versions_[static_cast<std::size_t>(at.number)].changes;
  }

  // Why a transaction cannot be committed after version `last`; nothing if it can. At most `limit` commits may have
  // come in between.
  [[nodiscard]] std::set<std::string> conflicts(const model_transaction& transaction, tarn::version last,
                                                std::uint64_t limit) const {
    std::set<std::string> reasons;
    const std::int64_t between = last.number - transaction.read_version().number;
    if (static_cast<std::uint64_t>(between) > limit) reasons.insert("rebase limit");
    for (tarn::version at = transaction.read_version().next(); at <= last; at = at.next())
      for (const std::string& fact : facts_changed_by(changes_at(at)))
        if (const auto found = transaction.dependencies().find(fact); found != transaction.dependencies().end())
          reasons.insert(found->second.begin(), found->second.end());
    return reasons;
  }

  void commit(const model_changes& changes) {
    model_state state = state_at(head());
    for (const auto& [key, change] : changes) {
      if (change.dropped) state.erase(key);
      if (change.created) state[key] = {change.name, change.columns, {}};
      for (const tarn::row& row : change.appended) state.at(key).content.push_back(row);
    }
    versions_.push_back({std::move(state), changes});
  }

 private:
  struct model_version {
    model_state state;
    model_changes changes;
  };
  model_state empty_;
  std::vector<model_version> versions_;
};

}  // namespace tarn_test
