// A transaction: one snapshot to read, changes that nobody else sees, and at most one log entry that makes them
// visible, all of them at once, or none.
//
//   begin            insert ... insert ... insert         commit
//     |                 |          |          |              |
//     snapshot          rows are encoded as they come        flush what is left, then one put of the log entry
//     (read_version)    full buffer: put as a data object    (log/commit.hpp)
//                       (table/object_flushes.hpp)
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
#include "core/filter.hpp"
#include "core/new_id.hpp"
#include "core/result.hpp"
#include "core/row.hpp"
#include "core/schema.hpp"
#include "core/sequence.hpp"
#include "core/shared.hpp"
#include "core/strong_types.hpp"
#include "core/table_key.hpp"
#include "core/text.hpp"
#include "core/uuid.hpp"
#include "log/application.hpp"
#include "log/commit.hpp"
#include "log/names.hpp"
#include "log/snapshot.hpp"
#include "merge/strategy.hpp"
#include "store/store.hpp"
#include "table/changed_row.hpp"
#include "table/client_core.hpp"
#include "table/column_scan.hpp"
#include "table/commit_entry.hpp"
#include "table/conflict.hpp"
#include "table/explain.hpp"
#include "table/key_conflicts.hpp"
#include "table/keyed_row.hpp"
#include "table/object_flushes.hpp"
#include "table/object_writer.hpp"
#include "table/pending_table.hpp"
#include "table/pending_tables.hpp"
#include "table/row_check.hpp"
#include "table/row_writes.hpp"
#include "table/scan.hpp"
#include "table/schema_change.hpp"

namespace tarn::inline TARN_ABI {

// Rows one after another, kept while they are read twice: a std::vector<row>, say. A range that makes its rows as it
// goes is none.
template <class C>
concept container_of_rows = requires(const C& rows) {
  { *rows.begin() } -> std::convertible_to<row_view>;
  requires std::is_lvalue_reference_v<decltype(*rows.begin())>;
  rows.size();
};

// Names of columns: a std::vector<std::string>, say.
template <class C>
concept container_of_names = requires(const C& names) {
  { *names.begin() } -> std::convertible_to<std::string_view>;
  names.size();
};

// Serializable, unless begun otherwise: the outcome is as if the committed transactions had run one after the other, in
// the order of their versions. Made by `client::begin`; usable until `commit`, `rollback` or a failed flush, then
// errc::finished. Movable; rolled back on destruction; a moved-from one may only be destroyed or assigned to. Not
// thread-safe, and used by the thread that uses its client.
template <object_store Store, row_codec Codec, merge_strategy Merge>
class [[nodiscard]] transaction {
 public:
  using core = client_core<Store, Codec>;
  using row_scan = table_scan<Store, Codec, Merge>;
  using columns_scan = column_scan<Store, Codec, Merge>;

  transaction(shared<core> lake, shared_snapshot state, const uuid& id, isolation level)
      : lake_(std::move(lake)),
        snapshot_(state),
        id_(id),
        level_(level),
        tables_(std::move(state)),
        flushes_(lake_, room_for_inline_objects(*snapshot_, lake_->options.bounds)) {}
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
    return tables_.list();
  }

  [[nodiscard]] result<bool> has_table(std::string_view table) {
    if (const status usable = check_usable(); !usable) return usable.error();
    return tables_.find(table) != nullptr;
  }

  [[nodiscard]] result<schema> columns(std::string_view table) {
    const auto found = use(table);
    if (!found) return found.error();
    return (*found)->state()->columns;
  }

  // What makes it a keyed table; no columns: it is a bag.
  [[nodiscard]] result<table_key> key(std::string_view table) {
    const auto found = use(table);
    if (!found) return found.error();
    return (*found)->state()->key;
  }

  // A bag: rows in no order, without identity. errc::invalid_name, errc::table_exists (also under a name that differs
  // in case only), or what is wrong with the columns. Their ids are given here.
  [[nodiscard]] status create_table(std::string_view table, schema columns) {
    return create_table_with(table, std::move(columns), nullptr);
  }
  // A keyed table: at most one row for each key.
  [[nodiscard]] status create_table(std::string_view table, schema columns, const keyed& key) {
    return create_table_with(table, std::move(columns), &key);
  }

  [[nodiscard]] status drop_table(std::string_view table) {
    const auto found = use(table);
    if (!found) return found.error();
    (*found)->drop();
    return {};
  }

  // The columns of a table are changed by the four below; older versions keep theirs. errc::invalid_argument or
  // errc::limit_exceeded say what is wrong and how, and change nothing. Scans that are open go on with the columns that
  // they began with. Rows stay as they were written, and are read as if they had been written with the new columns: a
  // change costs a flush of what is buffered for the table, and an entry with the list of its columns.

  // One more column, the last. It must be nullable: null is what the rows that are there have in it.
  [[nodiscard]] status add_column(std::string_view table, column added) {
    const auto found = use(table);
    if (!found) return found.error();
    return alter(**found, with_column(*(*found)->state(), std::move(added), lake_->options.bounds));
  }
  // Neither one of the key nor the ordering, nor the last that there is. One of the same name that is added later is
  // another column: what rows had in this one does not come back.
  [[nodiscard]] status drop_column(std::string_view table, std::string_view name) {
    const auto found = use(table);
    if (!found) return found.error();
    return alter(**found, without_column(*(*found)->state(), name));
  }
  [[nodiscard]] status rename_column(std::string_view table, std::string_view from, std::string_view to) {
    const auto found = use(table);
    if (!found) return found.error();
    return alter(**found, with_renamed_column(*(*found)->state(), from, to, lake_->options.bounds));
  }
  // From integer to double. Integers that are there are read as the doubles nearest to them: exact up to 2^53. Neither
  // one of the key nor the ordering.
  [[nodiscard]] status widen_column(std::string_view table, std::string_view name) {
    const auto found = use(table);
    if (!found) return found.error();
    return alter(**found, with_widened_column(*(*found)->state(), name));
  }

  // Appends one row: a copy of it. In a keyed table its key must be new: errc::exists if there is a row with it,
  // errc::late if a greater ordering hides it; see `upsert`. An error names the column, if it is one column's, and
  // leaves the transaction as it was; only after a failed flush of rows before can it no more than be rolled back.
  // (With an executor, a later write tells of that, a read of the table, or the commit.) Amortised cost: encoding the
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

  // Writes rows of a keyed table, whether or not there are others with their keys: the table's fold decides which stay.
  // Reads nothing. All rows or, if there is something wrong with any of them, none. Amortised cost: a look into a hash
  // table and copying the row, and encoding it when it is flushed.
  [[nodiscard]] status upsert(std::string_view table, const row_view& values) {
    return upsert_rows(table, std::initializer_list<row_view>{values});
  }
  [[nodiscard]] status upsert(std::string_view table, std::initializer_list<row_view> rows) {
    return upsert_rows(table, rows);
  }
  [[nodiscard]] status upsert(std::string_view table, const container_of_rows auto& rows) {
    return upsert_rows(table, rows);
  }

  // The row with this key, whose columns are given in the key's order; errc::not_found if there is none. The first look
  // at a bucket reads the keys of its objects, which the client remembers (limits::key_index_bytes_max); later ones
  // cost a search in each object, and reading the one that has the row up to it.
  [[nodiscard]] result<row> get(std::string_view table, const row_view& key) {
    const auto found = to_read(use_keyed(table));
    if (!found) return found.error();
    const result<sequence<value_view>> values = row_of_key(*(*found)->state(), key, lake_->options.bounds);
    if (!values) return values.error();
    const list_view wanted(values->data(), values->size());
    if (level_ == isolation::serializable) writes().note_key((*found)->access.reads, **found, wanted);
    return (*found)->keys().get(*lake_, *(*found)->state(), wanted);
  }

  // Changes columns of the row of a keyed table with this key; errc::not_found if there is none. The cost of `get`.
  [[nodiscard]] status update(std::string_view table, const row_view& key, const column_changes& changes) {
    const auto found = to_read(use_keyed(table));
    if (!found) return found.error();
    const result<sequence<value_view>> values = row_of_key(*(*found)->state(), key, lake_->options.bounds);
    if (!values) return values.error();
    const list_view wanted(values->data(), values->size());
    const result<row> before = (*found)->keys().get(*lake_, *(*found)->state(), wanted);
    const status done = before ? writes().write_changed(**found, *before, changes, {}) : status(before.error());
    writes().note_validated(**found, wanted, done);
    return done;
  }
  // The same for the row that a scan of this transaction stands on, whose position is known. In a keyed table, what the
  // transaction has written to the row since the scan began stays: only then the row is read again. In a bag the new
  // row takes the place of the old one, wherever a scan finds it then; errc::not_found if the transaction has deleted
  // or updated that since the scan began.
  [[nodiscard]] status update(const row_scan& standing_on, const column_changes& changes) {
    const auto found = use_row_of(standing_on);
    if (!found) return found.error();
    pending& slot = **found;
    if (!slot.is_keyed()) return writes().update_seen(slot, standing_on, changes);
    if (const status done = writes().finish_flushes(slot); !done) return done;
    const list_view seen = standing_on.row().values();
    const result<bool> is_stale = slot.keys().has_written(*lake_, *slot.state(), seen, standing_on.writes());
    if (!is_stale) return is_stale.error();
    if (!*is_stale) return writes().update_seen(slot, standing_on, changes);
    const result<row> now = slot.keys().get(*lake_, *slot.state(), seen);
    const status done = now ? writes().write_changed(slot, *now, changes, standing_on.place()) : status(now.error());
    writes().note_validated(slot, seen, done);
    return done;
  }

  // Erases the row with this key, if there is one, and forgets its ordering: whatever is written afterwards counts.
  // Reads nothing.
  [[nodiscard]] status erase(std::string_view table, const row_view& key) {
    return erase_key(table, key, {true, key_state::nothing}, nullptr);
  }
  // Only if no greater ordering has been written, before or afterwards; leaves a tombstone with this ordering.
  [[nodiscard]] status erase(std::string_view table, const row_view& key, const value_view& ordering) {
    return erase_key(table, key, {false, key_state::tombstone}, &ordering);
  }
  // The row that a scan of this transaction stands on; in a bag nothing happens if the transaction has deleted or
  // updated that row since the scan began.
  [[nodiscard]] status erase(const row_scan& standing_on) {
    const auto found = use_row_of(standing_on);
    if (!found) return found.error();
    if (!(*found)->is_keyed()) {
      (*found)->deletions().writable().add(standing_on.place_in_bag());
      return {};
    }
    return writes().write(**found, {true, key_state::nothing}, standing_on.row().values(), standing_on.place());
  }

  // Erases the rows that match, or changes columns of them, and returns how many they were: a scan, and `erase` or
  // `update` of each row. What is wrong with the filter or the changes is found out before; should a later row fail,
  // the transaction can only be rolled back.
  [[nodiscard]] result<std::uint64_t> erase_where(std::string_view table, const filter& wanted) {
    return for_each_row(table, wanted, [&](const row_scan& each) { return erase(each); });
  }
  [[nodiscard]] result<std::uint64_t> update_where(std::string_view table, const filter& wanted,
                                                   const column_changes& changes) {
    const auto found = use(table);
    if (!found) return found.error();
    pending& slot = **found;
    const status good = check_changes(*slot.state(), changes, lake_->options.bounds);
    if (!good) return good.error();
    return for_each_row(table, wanted, [&](const row_scan& each) { return writes().update_seen(slot, each, changes); });
  }

  // Puts all buffered rows into data objects, and waits for those that an executor puts. It frees memory; nobody sees
  // them before `commit`.
  [[nodiscard]] status flush() {
    if (const status usable = check_usable(); !usable) return usable.error();
    for (auto& [name, slot] : tables_.used())
      if (const status flushed = writes().flush(slot); !flushed) return flushed;
    const status done = flushes_.finish();
    return done ? done : writes().fail_with(done.error());
  }

  // The rows of a table, as they are now. Reading a row costs decoding it; see `table_scan`.
  [[nodiscard]] result<row_scan> scan(std::string_view table) { return scan(table, filter()); }
  // Those that match. Objects of a bag that by their bounds can have none are not read, nor, of a bag or of a bucket
  // that is compacted, groups of rows that by the codec's bounds can have none: what is damaged there is not found.
  // errc::invalid_argument: the table has no such column.
  [[nodiscard]] result<row_scan> scan(std::string_view table, const filter& wanted) {
    const auto found = to_read(use(table));
    if (!found) return found.error();
    pending& slot = **found;
    const result<row_filter> rows = row_filter::make(wanted, slot.state()->columns);
    if (!rows) return rows.error().within(concat({"table ", table}));
    if (slot.is_keyed()) return scan_keys(slot, {}, verification::of_order, *rows);
    slot.access.scanned = true;
    const auto shared_rows = shared<const row_filter>::make(*rows);
    typename row_scan::bag_rows bag(lake_, slot.state(), slot.rows(), slot.deletions(), shared_rows);
    return row_scan(slot.state(), std::move(bag), id_, shared_rows);
  }
  // Columns of the rows of a table, as they are now, many rows at a time; without names, all columns. What is read
  // counts as a scan of the table. errc::invalid_argument: the table has no such column. See `column_scan`.
  [[nodiscard]] result<columns_scan> scan_columns(std::string_view table,
                                                  std::initializer_list<std::string_view> names = {}) {
    return scan_columns_named(table, names);
  }
  [[nodiscard]] result<columns_scan> scan_columns(std::string_view table, const container_of_names auto& names) {
    return scan_columns_named(table, names);
  }
  // Of a keyed table, also checking every position that a record has against the keys: names wrong ones.
  [[nodiscard]] result<row_scan> verifying_scan(std::string_view table) {
    const auto found = to_read(use_keyed(table));
    if (!found) return found.error();
    return scan_keys(**found, {}, verification::of_positions);
  }
  // The rows of a keyed table with keys from `first` on, up to `last` without it. Reads buckets from their beginning.
  [[nodiscard]] result<row_scan> scan(std::string_view table, const row_view& first, const row_view& last) {
    const auto found = to_read(use_keyed(table));
    if (!found) return found.error();
    const result<std::string> from = bytes_of_key(*(*found)->state(), first, lake_->options.bounds);
    if (!from) return from.error();
    const result<std::string> to = bytes_of_key(*(*found)->state(), last, lake_->options.bounds);
    if (!to) return to.error();
    return scan_keys(**found, {*from, *to, true}, verification::of_order);
  }

  // How `scan` would read a keyed table now: its objects, and which of them by position. Reads nothing from the store.
  [[nodiscard]] result<explanation> explain(std::string_view table) {
    const auto found = use_keyed(table);
    if (!found) return found.error();
    return (*found)->keys().explain(*(*found)->state());
  }

  // The last of an application's numbered transactions that is in the state that was read; errc::not_found if it has
  // committed none. Part of what was read: a commit conflicts if the application has gone on meanwhile.
  [[nodiscard]] result<committed_sequence> last_sequence(std::string_view application) {
    if (const status usable = check_usable(); !usable) return usable.error();
    tables_.touch_application(application);
    if (const committed_sequence* const last = snapshot_->applications->find(application); last != nullptr)
      return *last;
    return error(errc::not_found, concat({"application '", application, "' has committed no numbered transaction"}));
  }

  // Makes all changes visible, as one version, and ends the transaction; without changes, success at the version that
  // was read, without touching the store. errc::conflict, errc::expired: a commit of another, or a vacuum, got in
  // between, run it again. errc::commit_unknown: ask `client::find_commit`. Any other error: nothing was committed.
  [[nodiscard]] result<version> commit() { return commit_as({}); }
  // The same for work that is done once only, however often it is tried: if a transaction with this number has been
  // committed, its version, and no entry is written. errc::stale_sequence if one with a greater number has: then this
  // one may have been done, or left out. Both come before errc::conflict. Without changes an entry is written all the
  // same: the number is taken. Only errc::invalid_argument leaves it usable.
  [[nodiscard]] result<version> commit(const application_sequence& work) {
    if (const status good = check_application_sequence(work); !good) return good.error();
    return commit_as(work);
  }

  // Forgets all changes and ends the transaction. Objects that it has flushed stay in the store as garbage.
  void rollback() noexcept { (void)end(); }

 private:
  using pending = pending_table<Store, Codec, Merge>;

  // Waits for what is under way, and leaves no way to put more.
  [[nodiscard]] shared<core> end() noexcept {
    flushes_ = {};
    return std::exchange(lake_, {});
  }

  [[nodiscard]] result<version> commit_as(const application_sequence& work) {
    if (const status usable = check_usable(); !usable) return usable.error();
    if (const committed_sequence* const last = snapshot_->applications->find(work.application);
        last != nullptr && has_reached(last->work, work)) {
      const shared<core> lake = end();
      return answer_for(lake->store, lake->extent, work, *last, lake->options.commit.backoff,
                        lake->options.surroundings);
    }
    if (const status flushed = flush(); !flushed) return flushed.error();
    entry mine;
    mine.transaction = id_;
    mine.work = work;
    tables_.append_actions(mine);
    const footprint used = tables_.take_footprint(level_, lake_->options.bounds);
    const shared<core> lake = end();
    if (mine.actions.empty() && work.application.empty()) return snapshot_->at;
    if (mine.actions.empty()) mine.operation = "number";
    key_conflicts<Store, Codec, Merge> keys(*lake, tables_);
    const auto check = [&](const entry& theirs) { return check_conflict(used, theirs, keys); };
    return commit_entry(*lake, snapshot_, std::move(mine), check);
  }

  [[nodiscard]] status check_usable() const { return lake_ && failure_ ? status() : why_unusable(); }
  [[nodiscard]] [[gnu::cold]] error why_unusable() const {
    if (!lake_) return {errc::finished, "the transaction has ended: begin another"};
    return {errc::finished, concat({"the transaction can only be rolled back: ", failure_.error().message()})};
  }

  // Only while the transaction is usable.
  [[nodiscard]] row_writes<Store, Codec, Merge> writes() noexcept {
    return {*lake_, snapshot_, level_, flushes_, failure_};
  }

  [[nodiscard]] result<pending*> use(std::string_view table) {
    if (const status usable = check_usable(); !usable) return usable.error();
    return tables_.use(table);
  }
  // The same table, ready to be read.
  [[nodiscard]] result<pending*> to_read(result<pending*> found) {
    if (found)
      if (const status done = writes().finish_flushes(**found); !done) return done.error();
    return found;
  }

  // What is buffered has the columns of before, so that it goes into objects of its own.
  [[nodiscard]] status alter(pending& slot, const result<schema>& columns) {
    if (!columns) return columns.error();
    if (const status flushed = writes().flush(slot); !flushed) return flushed;
    slot.alter(*columns);
    return {};
  }

  [[nodiscard]] status create_table_with(std::string_view table, schema columns, const keyed* wanted) {
    if (const status usable = check_usable(); !usable) return usable.error();
    if (const status named = check_table_name(table); !named) return named.error();
    const limits& bounds = lake_->options.bounds;
    if (const status good = check_schema(columns, bounds); !good) return good.error().within(concat({"table ", table}));
    result<table_key> key = wanted == nullptr ? table_key() : check_key(*wanted, columns, bounds);
    if (!key) return key.error().within(concat({"table ", table}));
    pending& slot = tables_.touch(table);
    if (slot.exists())
      return error(errc::table_exists,
                   concat({"table ", slot.name(), " exists already: names are unique, ignoring case"}));
    const result<uuid> id = new_id(lake_->options.surroundings, snapshot_->time);
    if (!id) return id.error();
    slot.create(table, *id, std::move(columns), *std::move(key));
    return {};
  }

  [[nodiscard]] result<pending*> use_keyed(std::string_view table) {
    const auto found = use(table);
    if (!found || (*found)->is_keyed()) return found;
    return error(errc::invalid_argument, concat({"table ", table,
                                                 " has no key: it is a bag of rows, for insert, scan, "
                                                 "erase_where and update_where"}));
  }

  // The table of a scan that stands on one of its rows; not another one that has got its name since, and not with other
  // columns than the row has.
  [[nodiscard]] result<pending*> use_row_of(const row_scan& standing_on) {
    const auto found = use(standing_on.table());
    if (!found) return found.error();
    const table_state& now = *(*found)->state();
    if (standing_on.stands_for(id_) && now.id == standing_on.table_id() &&
        now.schema_number() == standing_on.schema_number())
      return found;
    return error(errc::invalid_argument,
                 concat({"the scan of table ", standing_on.table(),
                         " does not stand on a row, or was made by another transaction, or the table was dropped, or "
                         "its columns were changed since: scan it again"}));
  }

  template <class Names>
  [[nodiscard]] result<columns_scan> scan_columns_named(std::string_view table, const Names& names) {
    const auto found = to_read(use(table));
    if (!found) return found.error();
    pending& slot = **found;
    result<schema> columns = columns_named(names, slot.state()->columns);
    if (!columns) return columns.error().within(concat({"table ", table}));
    slot.access.scanned = true;
    const auto wanted = shared<const schema>::make(*std::move(columns));
    if (!slot.is_keyed()) {
      typename columns_scan::bag_batches bag(lake_, slot.state(), slot.rows(), slot.deletions(), wanted);
      return columns_scan(wanted, std::move(bag));
    }
    typename columns_scan::keyed_batches rows(lake_, slot.state(), slot.keys().buckets(), wanted);
    return columns_scan(wanted, std::move(rows));
  }

  [[nodiscard]] row_scan scan_keys(pending& slot, key_range wanted, verification checks, row_filter matching = {}) {
    if (!wanted.bounded)
      slot.access.scanned = true;
    else if (level_ == isolation::serializable)
      slot.access.reads.add_range(wanted, lake_->options.bounds.read_keys_max);
    const auto shared_rows = shared<const row_filter>::make(std::move(matching));
    typename row_scan::keyed_rows rows(lake_, slot.state(), &slot.keys().buckets(), std::move(wanted), checks,
                                       shared_rows);
    return row_scan(slot.state(), std::move(rows), id_, slot.keys().writes(), shared_rows);
  }

  // Does `change(scan)` on each row that matches, all of them or none.
  template <class Change>
  [[nodiscard]] result<std::uint64_t> for_each_row(std::string_view table, const filter& wanted, Change change) {
    result<row_scan> rows = scan(table, wanted);
    if (!rows) return rows.error();
    std::uint64_t count = 0;
    const auto stop = [&](const error& why) { return count == 0 ? why : writes().fail_with(why).error(); };
    for (; rows->next(); ++count)
      if (const status done = change(*rows); !done) return stop(done.error());
    if (!rows->status()) return stop(rows->status().error());
    return count;
  }

  [[nodiscard]] status erase_key(std::string_view table, const row_view& key, const operation& done,
                                 const value_view* ordering) {
    const auto found = use_keyed(table);
    if (!found) return found.error();
    const auto values = row_of_key(*(*found)->state(), key, lake_->options.bounds, ordering);
    if (!values) return values.error();
    return writes().write(**found, done, list_view(values->data(), values->size()), {});
  }

  template <class Rows>
  [[nodiscard]] status upsert_rows(std::string_view table, const Rows& rows) {
    const auto found = use_keyed(table);
    return found ? writes().upsert(**found, rows) : found.error();
  }
  template <class Rows>
  [[nodiscard]] status insert_rows(std::string_view table, const Rows& rows) {
    const auto found = use(table);
    return found ? writes().insert(**found, rows) : found.error();
  }

  shared<core> lake_;  // null once the transaction has ended
  shared_snapshot snapshot_;
  uuid id_;
  isolation level_;
  pending_tables<Store, Codec, Merge> tables_;
  object_flushes<Store, Codec> flushes_;
  status failure_;
};

}  // namespace tarn::inline TARN_ABI
