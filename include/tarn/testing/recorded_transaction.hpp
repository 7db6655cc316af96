// A transaction that writes down what it does; see recorded_client.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/table_key.hpp"
#include "../table/changed_row.hpp"
#include "history.hpp"
#include "history_recorder.hpp"

namespace tarn::inline TARN_ABI::testing {

// Like the `transaction` that it wraps, of tables whose last column is the token of each row: callers give and get rows
// without it. Scans return all rows at once. An ordering must be an integer. It costs what the other does, but
// `update`, which also looks the row up.
template <class Transaction>
class [[nodiscard]] recorded_transaction {
 public:
  // `tokens` counts the rows that the client has written, and must stay where it is.
  recorded_transaction(Transaction inner, history_recorder& into, const transaction_record& begun,
                       std::uint64_t& tokens)
      : inner_(std::move(inner)), into_(&into), record_(begun), tokens_(&tokens) {
    record_.id = inner_.id();
    record_.snapshot = inner_.read_version();
  }
  recorded_transaction(recorded_transaction&& other) noexcept
      : inner_(std::move(other.inner_)),
        into_(std::exchange(other.into_, nullptr)),
        record_(other.record_),
        tokens_(other.tokens_),
        done_(std::move(other.done_)) {}
  recorded_transaction& operator=(recorded_transaction&&) = delete;
  recorded_transaction(const recorded_transaction&) = delete;
  recorded_transaction& operator=(const recorded_transaction&) = delete;
  ~recorded_transaction() { rollback(); }

  [[nodiscard]] version read_version() const noexcept { return record_.snapshot; }
  [[nodiscard]] const uuid& id() const noexcept { return record_.id; }
  // What is not recorded, as `flush`.
  [[nodiscard]] Transaction& inner() noexcept { return inner_; }

  [[nodiscard]] result<sequence<std::string>> tables() {
    auto names = inner_.tables();
    if (!names) return names;
    note({operation_kind::list_tables});
    for (const std::string& each : *names) note({operation_kind::found, into_->table_number(each)});
    return names;
  }
  [[nodiscard]] result<bool> has_table(std::string_view table) {
    const auto found = inner_.has_table(table);
    if (found) note({operation_kind::look_for_table, into_->table_number(table), 0, 0, *found ? 1U : 0U});
    return found;
  }

  [[nodiscard]] status create_table(std::string_view table, const schema& columns) {
    return created(table, table_shape::bag, inner_.create_table(table, with_token(columns)));
  }
  [[nodiscard]] status create_table(std::string_view table, const schema& columns, const keyed& key) {
    return created(table, key.fold.ordered ? table_shape::by_ordering : table_shape::latest,
                   inner_.create_table(table, with_token(columns), key));
  }
  [[nodiscard]] status drop_table(std::string_view table) {
    const status done = inner_.drop_table(table);
    if (done) note({operation_kind::drop_table, into_->table_number(table)});
    if (!done && done.error().code() == errc::no_such_table)
      note({operation_kind::look_for_table, into_->table_number(table)});
    return done;
  }

  [[nodiscard]] status insert(std::string_view table, const row_view& values) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    row made = with_token(values);
    const bool is_bag = of->key.empty();
    const std::uint64_t key = is_bag ? into_->new_row_key(of->table) : of->key_number(*into_, made);
    const recorded_operation wanted{is_bag ? operation_kind::append : operation_kind::insert,
                                    of->table,
                                    key,
                                    token_in(made),
                                    0,
                                    of->ordering_of(made)};
    into_->note_row(key, made);
    const status done = inner_.insert(table, made);
    if (done) note(wanted);
    if (!done && done.error().code() == errc::exists) note({operation_kind::insert_exists, of->table, key});
    if (!done && done.error().code() == errc::late)
      note({operation_kind::insert_late, of->table, key, 0, 0, wanted.ordering});
    return done;
  }

  [[nodiscard]] status upsert(std::string_view table, const row_view& values) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    row made = with_token(values);
    const std::uint64_t key = of->key_number(*into_, made);
    into_->note_row(key, made);
    const status done = inner_.upsert(table, made);
    if (done) note({operation_kind::upsert, of->table, key, token_in(made), 0, of->ordering_of(made)});
    return done;
  }

  [[nodiscard]] result<row> get(std::string_view table, const row_view& key) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    const std::uint64_t number = into_->key_number(of->table, key.values());
    result<row> found = inner_.get(table, key);
    if (found)
      note({operation_kind::look_up, of->table, number, 0, into_->found(of->table, *found).seen});
    else if (found.error().code() == errc::not_found)
      note({operation_kind::look_up, of->table, number});
    if (found) found->pop_back();
    return found;
  }

  [[nodiscard]] status update(std::string_view table, const row_view& key, const column_changes& changes) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    const std::uint64_t number = into_->key_number(of->table, key.values());
    result<row> before = inner_.get(table, key);
    if (!before && before.error().code() != errc::not_found) return before.error();
    if (before) note({operation_kind::look_up, of->table, number, 0, into_->found(of->table, *before).seen});
    const changed after = before ? change(*of, *before, changes) : changed{};
    if (before) into_->note_row(number, after.content);
    const status done = inner_.update(table, key, after.all_or(changes));
    if (done)
      note({operation_kind::update, of->table, number, token_in(after.content), 0, of->ordering_of(after.content)});
    if (!done && done.error().code() == errc::not_found) note({operation_kind::update_absent, of->table, number});
    return done;
  }

  [[nodiscard]] status erase(std::string_view table, const row_view& key) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    const status done = inner_.erase(table, key);
    if (done) note({operation_kind::erase, of->table, into_->key_number(of->table, key.values())});
    return done;
  }
  [[nodiscard]] status erase(std::string_view table, const row_view& key, std::int64_t ordering) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    const status done = inner_.erase(table, key, ordering);
    if (done)
      note({operation_kind::ordered_erase, of->table, into_->key_number(of->table, key.values()), 0, 0, ordering});
    return done;
  }

  [[nodiscard]] result<std::vector<row>> scan(std::string_view table, const filter& wanted = filter()) {
    std::vector<row> rows;
    const auto keep = [&](auto& found, const recorded_operation&) {
      rows.emplace_back(found.row().begin(), found.row().end());
      rows.back().pop_back();
      return status();
    };
    const result<std::uint64_t> count = for_each_row(table, wanted, keep);
    if (!count) return count.error();
    return rows;
  }

  // Rows of a table that match: each is found by a scan, and changed where the scan stands.
  [[nodiscard]] result<std::uint64_t> erase_where(std::string_view table, const filter& wanted) {
    const auto change = [&](auto& found, const recorded_operation& seen) {
      const status done = inner_.erase(found);
      if (done) wrote_.push_back({is_bag_ ? operation_kind::delete_row : operation_kind::erase, seen.table, seen.key});
      return done;
    };
    return for_each_row(table, wanted, change);
  }
  [[nodiscard]] result<std::uint64_t> update_where(std::string_view table, const filter& wanted,
                                                   const column_changes& changes) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    const auto change_row = [&](auto& found, const recorded_operation& seen) {
      const changed after = change(*of, row(found.row().begin(), found.row().end()), changes);
      const std::uint64_t key = is_bag_ ? into_->new_row_key(of->table) : seen.key;
      into_->note_row(key, after.content);
      const status done = inner_.update(found, after.all_or(changes));
      if (!done) return done;
      if (is_bag_) wrote_.push_back({operation_kind::replace_row, of->table, seen.key});
      wrote_.push_back({is_bag_ ? operation_kind::append : operation_kind::update, of->table, key,
                        token_in(after.content), 0, of->ordering_of(after.content)});
      return done;
    };
    return for_each_row(table, wanted, change_row);
  }

  [[nodiscard]] result<version> commit() {
    result<version> committed = inner_.commit();
    if (committed) {
      record_.committed = *committed;
      end(commit_outcome::acknowledged);
    } else {
      end(committed.error().code() == errc::commit_unknown ? commit_outcome::unknown : commit_outcome::failed);
    }
    return committed;
  }
  void rollback() {
    if (into_ == nullptr) return;
    inner_.rollback();
    end(commit_outcome::failed);
  }
  // Leaves it as if its client had crashed: what became of it is not known.
  void abandon() { end(commit_outcome::unknown); }

 private:
  // What a table is, as far as it matters for its records.
  struct layout {
    std::uint32_t table = 0;
    schema columns;
    table_key key;

    [[nodiscard]] std::uint64_t key_number(history_recorder& into, const row& content) const {
      row parts;
      for (const std::uint32_t place : key.columns) parts.push_back(content[place]);
      return into.key_number(table, parts);
    }
    [[nodiscard]] std::int64_t ordering_of(const row& content) const {
      if (!key.ordered()) return 0;
      const value_view ordering = content[key.ordering];
      return ordering.kind() == kind::integer ? ordering.as_integer() : 0;
    }
  };
  // A row with changes, among them a new token.
  struct changed {
    row content;
    std::vector<column_change> all;

    [[nodiscard]] column_changes all_or(const column_changes& without) const {
      return all.empty() ? without : column_changes(all);
    }
  };

  void note(const recorded_operation& done) { done_.push_back(done); }
  void end(commit_outcome known) {
    if (into_ == nullptr) return;
    record_.outcome = known;
    std::exchange(into_, nullptr)->add(record_, done_);
  }

  [[nodiscard]] row_token new_token() { return token_of(record_.client, (*tokens_)++); }
  [[nodiscard]] static row_token token_in(const row& content) {
    return static_cast<row_token>(value_view(content.back()).as_integer());
  }
  [[nodiscard]] row with_token(const row_view& values) {
    row made(values.begin(), values.end());
    made.emplace_back(static_cast<std::int64_t>(new_token()));
    return made;
  }
  [[nodiscard]] static schema with_token(const schema& columns) {
    sequence<column> all(columns.begin(), columns.end());
    all.emplace_back(token_column, column_type::integer);
    return schema(std::move(all));
  }
  [[nodiscard]] changed change(const layout& of, row content, const column_changes& changes) {
    changed made{std::move(content), std::vector<column_change>(changes.begin(), changes.end())};
    made.all.push_back({token_column, static_cast<std::int64_t>(new_token())});
    for (const column_change& each : made.all)
      if (const std::size_t at = of.columns.find(each.column); at != schema::none) made.content[at] = value(each.value);
    return made;
  }

  [[nodiscard]] status created(std::string_view table, table_shape shape, const status& done) {
    if (done) note({operation_kind::create_table, into_->table_number(table), static_cast<std::uint64_t>(shape)});
    return done;
  }

  [[nodiscard]] result<layout> layout_of(std::string_view table) {
    result<schema> columns = inner_.columns(table);
    if (!columns && columns.error().code() == errc::no_such_table)
      note({operation_kind::look_for_table, into_->table_number(table)});
    if (!columns) return columns.error();
    result<table_key> key = inner_.key(table);
    if (!key) return key.error();
    return layout{into_->table_number(table), *std::move(columns), *std::move(key)};
  }

  // Does `visit(scan, found)` for each row. What was found is recorded before what `visit` has written; nothing, if the
  // scan fails.
  template <class Visit>
  [[nodiscard]] result<std::uint64_t> for_each_row(std::string_view table, const filter& wanted, Visit visit) {
    const result<layout> of = layout_of(table);
    if (!of) return of.error();
    is_bag_ = of->key.empty();
    wrote_.clear();
    auto rows = inner_.scan(table, wanted);
    if (!rows) return rows.error();
    std::vector<recorded_operation> seen{
        {operation_kind::scan, of->table, into_->predicate_number(wanted, of->columns)}};
    status failed;
    while (failed && rows->next()) {
      seen.push_back(into_->found(of->table, rows->row()));
      failed = visit(*rows, seen.back());
    }
    const bool whole = failed && rows->status();
    if (whole) done_.insert(done_.end(), seen.begin(), seen.end());
    done_.insert(done_.end(), wrote_.begin(), wrote_.end());
    if (!failed) return failed.error();
    if (!whole) return rows->status().error();
    return static_cast<std::uint64_t>(seen.size() - 1);
  }

  Transaction inner_;
  history_recorder* into_;  // null once it has ended
  transaction_record record_;
  std::uint64_t* tokens_;
  std::vector<recorded_operation> done_;
  std::vector<recorded_operation> wrote_;  // during a scan
  bool is_bag_ = false;                    // what is scanned
};

}  // namespace tarn::inline TARN_ABI::testing
