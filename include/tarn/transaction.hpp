// A transaction: one snapshot to read, changes that nobody else sees, and at most one log entry that makes them
// visible, all of them at once, or none.
//
//   begin            insert ... insert ... insert         commit
//     |                 |          |          |              |
//     snapshot          rows are encoded as they come        flush what is left, then one put of the log entry
//     (read_version)    full buffer: put as a data object    (log/commit.hpp)
//
// A data object that no entry names does not exist for anybody: rolling back, failing or crashing leaves only garbage.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "codec/codec.hpp"
#include "core/config.hpp"
#include "core/new_id.hpp"
#include "core/result.hpp"
#include "core/row.hpp"
#include "core/schema.hpp"
#include "core/sequence.hpp"
#include "core/shared.hpp"
#include "core/strong_types.hpp"
#include "core/text.hpp"
#include "core/uuid.hpp"
#include "log/commit.hpp"
#include "log/names.hpp"
#include "log/snapshot.hpp"
#include "log/table_map.hpp"
#include "store/store.hpp"
#include "table/client_core.hpp"
#include "table/conflict.hpp"
#include "table/pending_table.hpp"
#include "table/row_check.hpp"
#include "table/scan.hpp"

namespace tarn::inline TARN_ABI {

// Rows one after another, kept while they are read twice: a std::vector<row>, say. A range that makes its rows as it
// goes is none.
template <class C>
concept container_of_rows = requires(const C& rows) {
  { *rows.begin() } -> std::convertible_to<row_view>;
  requires std::is_lvalue_reference_v<decltype(*rows.begin())>;
  rows.size();
};

// Serializable: the outcome is as if the committed transactions had run one after the other, in the order of their
// versions. Made by `client::begin`; usable until `commit`, `rollback` or a failed flush, then errc::finished. Movable;
// rolled back on destruction; a moved-from one may only be destroyed or assigned to. Not thread-safe, and used by the
// thread that uses its client.
template <object_store Store, row_codec Codec>
class [[nodiscard]] transaction {
 public:
  using core = client_core<Store, Codec>;
  using row_scan = table_scan<Store, Codec>;

  transaction(shared<core> lake, shared_snapshot state, const uuid& id)
      : lake_(std::move(lake)), snapshot_(std::move(state)), id_(id) {}
  transaction(transaction&&) noexcept = default;
  transaction& operator=(transaction&&) noexcept = default;
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;
  ~transaction() = default;

  // The version whose state it reads.
  [[nodiscard]] version read_version() const noexcept { return snapshot_->at; }
  // Its name in the log.
  [[nodiscard]] const uuid& id() const noexcept { return id_; }

  // The names of the tables, in order, own changes included.
  [[nodiscard]] result<sequence<std::string>> tables() {
    if (const status usable = check_usable(); !usable) return usable.error();
    listed_tables_ = true;
    return visible_tables();
  }

  [[nodiscard]] result<bool> has_table(std::string_view table) {
    if (const status usable = check_usable(); !usable) return usable.error();
    return find(table) != nullptr;
  }

  [[nodiscard]] result<schema> columns(std::string_view table) {
    const auto found = use(table);
    if (!found) return found.error();
    return (*found)->state()->columns;
  }

  // errc::invalid_name, errc::table_exists (also under a name that differs in case only), or what is wrong with the
  // columns. Their ids are given here.
  [[nodiscard]] status create_table(std::string_view table, schema columns) {
    if (const status usable = check_usable(); !usable) return usable.error();
    if (const status named = check_table_name(table); !named) return named.error();
    if (const status good = check_schema(columns, lake_->options.bounds); !good)
      return good.error().within(concat({"table ", table}));
    pending& slot = touch(table);
    if (slot.exists())
      return error(errc::table_exists,
                   concat({"table ", slot.name(), " exists already: names are unique, ignoring case"}));
    const result<uuid> id = new_id(lake_->options.surroundings, snapshot_->time);
    if (!id) return id.error();
    slot.create(table, *id, std::move(columns));
    return {};
  }

  [[nodiscard]] status drop_table(std::string_view table) {
    const auto found = use(table);
    if (!found) return found.error();
    (*found)->drop();
    return {};
  }

  // Appends one row: a copy of it. An error names the column, if it is one column's, and leaves the transaction as it
  // was; only after a failed flush of the rows before can it no more than be rolled back. Amortised cost: encoding the
  // row.
  [[nodiscard]] status insert(std::string_view table, const row_view& values) {
    return insert_rows(table, std::initializer_list<row_view>{values});
  }

  // Appends several rows, or, if there is something wrong with any of them, none. (Should a row that is good by itself
  // turn out too long for the codec, after others were appended, the transaction can only be rolled back.)
  [[nodiscard]] status insert(std::string_view table, std::initializer_list<row_view> rows) {
    return insert_rows(table, rows);
  }
  [[nodiscard]] status insert(std::string_view table, const container_of_rows auto& rows) {
    return insert_rows(table, rows);
  }

  // Puts all buffered rows into data objects. It frees memory; nobody sees them before `commit`.
  [[nodiscard]] status flush() {
    if (const status usable = check_usable(); !usable) return usable.error();
    for (auto& [name, slot] : pending_) {
      const status flushed = slot.rows().flush(*lake_);
      if (!flushed) return fail_with(flushed.error());
    }
    return {};
  }

  // The rows of a table, as they are now. Reading a row costs decoding it; see `table_scan`.
  [[nodiscard]] result<row_scan> scan(std::string_view table) {
    const auto found = use(table);
    if (!found) return found.error();
    (*found)->access.scanned = true;
    return row_scan(lake_, (*found)->state(), (*found)->rows());
  }

  // Makes all changes visible, as one version, and ends the transaction; without changes, success at the version that
  // was read, without touching the store. errc::conflict: a commit of another got in between, run it again.
  // errc::commit_unknown: ask `client::find_commit`. Any other error: nothing was committed.
  [[nodiscard]] result<version> commit() {
    if (const status flushed = flush(); !flushed) return flushed.error();
    entry mine = make_entry();
    const shared<core> lake = std::exchange(lake_, {});
    if (mine.actions.empty()) return snapshot_->at;
    const auto check = [used = make_footprint()](const entry& theirs) { return check_conflict(used, theirs); };
    commit_attempt attempt(lake->store, snapshot_, lake->listed, std::move(mine), check, lake->options.commit,
                           lake->options.surroundings, lake->options.bounds);
    const result<version> committed = attempt.run();
    if (committed && *committed > lake->latest->at) lake->latest = attempt.after();
    return committed;
  }

  // Forgets all changes and ends the transaction. Objects that it has flushed stay in the store as garbage.
  void rollback() noexcept { lake_ = {}; }

 private:
  using pending = pending_table<Store, Codec>;

  [[nodiscard]] status check_usable() const {
    if (!lake_) return error(errc::finished, "the transaction has ended: begin another");
    if (!failure_)
      return error(errc::finished, concat({"the transaction can only be rolled back: ", failure_.error().message()}));
    return {};
  }

  [[nodiscard]] status fail_with(const error& why) {
    failure_ = why;
    return why;
  }

  // The transaction's view of a table name, made when it is first used: from then on the name is part of what was read.
  pending& touch(std::string_view table) {
    if (pending* const known = pending_.find(table); known != nullptr) return *known;  // for each row, so not twice
    return pending_.find_or_insert(table, table, snapshot_->tables.find(table));
  }

  // The existing table of exactly this name, or null.
  [[nodiscard]] pending* find(std::string_view table) {
    pending& slot = touch(table);
    return slot.exists() && slot.name() == table ? &slot : nullptr;
  }

  [[nodiscard]] result<pending*> use(std::string_view table) {
    if (const status usable = check_usable(); !usable) return usable.error();
    if (pending* const found = find(table); found != nullptr) return found;
    return error(errc::no_such_table,
                 concat({"there is no table '", table.substr(0, table_name_size_max), "'; ", describe_tables()}));
  }

  [[nodiscard]] sequence<std::string> visible_tables() const {
    table_map<std::string> visible;
    for (const auto& [name, state] : snapshot_->tables)
      if (pending_.find(name) == nullptr) visible.find_or_insert(name, state->name);
    for (const auto& [name, slot] : pending_)
      if (slot.exists()) visible.find_or_insert(name, slot.name());
    sequence<std::string> names;
    for (auto& [key, name] : visible) names.push_back(std::move(name));
    return names;
  }

  [[nodiscard]] std::string describe_tables() const {
    constexpr std::size_t named_max = 20;
    const sequence<std::string> names = visible_tables();
    if (names.empty()) return "the lake has no tables";
    std::string text = "there are:";
    for (std::size_t at = 0; at < names.size() && at < named_max; ++at) text += concat({" ", names[at]});
    if (names.size() > named_max) text += concat({" and ", names.size() - named_max, " more"});
    return text;
  }

  template <class Rows>
  [[nodiscard]] status insert_rows(std::string_view table, const Rows& rows) {
    const auto found = use(table);
    if (!found) return found.error();
    pending& slot = **found;
    std::size_t number = 0;
    for (const row_view each : rows) {
      const status good = check_row(each, slot.state()->columns, lake_->options.bounds);
      if (!good) return good.error().within(concat({"row ", number, " for table ", table}));
      ++number;
    }
    slot.access.appended = true;
    std::size_t inserted = 0;
    for (const row_view each : rows) {
      const status room = slot.rows().make_room(*lake_, snapshot_->time);
      if (!room) return fail_with(room.error());
      if (const status appended = slot.rows().append(each); !appended) {
        const error why = appended.error().within(concat({"row ", inserted, " for table ", table}));
        return inserted == 0 ? why : fail_with(why);
      }
      ++inserted;
    }
    return {};
  }

  [[nodiscard]] entry make_entry() const {
    entry mine;
    mine.transaction = id_;
    mine.read_version = snapshot_->at;
    for (const auto& [name, slot] : pending_) {
      sequence<action> actions = slot.actions();
      for (const action& each : actions) {
        const std::string_view what = operation_name(each.kind);
        if (mine.operation.find(what) == std::string::npos)
          mine.operation += mine.operation.empty() ? std::string(what) : concat({", ", what});
      }
      if (!actions.empty()) mine.actions.find_or_insert(slot.name()) = std::move(actions);
    }
    return mine;
  }

  [[nodiscard]] footprint make_footprint() const {
    footprint used;
    for (const auto& [name, slot] : pending_) used.tables.find_or_insert(name) = slot.access;
    used.listed_tables = listed_tables_;
    return used;
  }

  shared<core> lake_;  // null once the transaction has ended
  shared_snapshot snapshot_;
  uuid id_;
  table_map<pending> pending_;  // the tables whose names were used
  bool listed_tables_ = false;
  status failure_;
};

}  // namespace tarn::inline TARN_ABI
