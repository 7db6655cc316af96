// One table as a transaction sees it, with the changes that are still the transaction's own.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "../merge/strategy.hpp"
#include "bag_deletions.hpp"
#include "conflict.hpp"
#include "keyed_writes.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

template <class Store, row_codec Codec, merge_strategy Merge>
class pending_table {
 public:
  using buffer = write_buffer<Store, Codec>;
  using key_writes = keyed_writes<Store, Codec, Merge>;

  // `committed` is the snapshot's table, or null: there is none.
  explicit pending_table(const copy_on_write<table_state>* committed) {
    if (committed == nullptr) return;
    exists_ = true;
    state_ = *committed;
    committed_id_ = state_->id;
    keys_.divide(state_->buckets.size());
  }

  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] const std::string& name() const noexcept { return state_->name; }
  [[nodiscard]] const copy_on_write<table_state>& state() const noexcept { return state_; }
  [[nodiscard]] bool is_keyed() const noexcept { return !state_->key.empty(); }
  // What was written to it: if it is a bag, and if it is keyed.
  [[nodiscard]] buffer& rows() noexcept { return rows_; }
  [[nodiscard]] copy_on_write<bag_deletions>& deletions() noexcept { return deletions_; }
  [[nodiscard]] key_writes& keys() noexcept { return keys_; }
  [[nodiscard]] const key_writes& keys() const noexcept { return keys_; }

  // What the transaction has done with the name so far.
  table_access access;

  // Only if it does not exist. Its column ids are given here.
  void create(std::string_view name, const uuid& id, schema columns, table_key key) {
    columns.number_columns();
    table_state made{std::string(name), id, std::move(columns), {}, std::move(key), {}};
    if (!made.key.empty())
      while (made.buckets.size() < made.key.buckets) made.buckets.emplace_back();
    made.last_column = made.columns.last_id();
    forget_writes();
    keys_.divide(made.buckets.size());
    action& creation = definitions_.emplace_back(action{action_kind::create_table, id, made.columns, {}});
    creation.key = made.key;
    state_ = copy_on_write<table_state>(std::move(made));
    exists_ = true;
    access.created = true;
  }

  // Only if it exists, and all its rows have been flushed. The columns must have those of the key among them.
  void alter(const schema& columns) {
    (void)change_columns(state_.writable(), columns);
    definitions_.push_back({action_kind::alter_table, state_->id, columns, {}});
    access.altered = true;
  }

  // Only if it exists.
  void drop() {
    exists_ = false;
    access.dropped = true;
    definitions_ = {};
    if (!committed_id_.is_nil()) definitions_.push_back({action_kind::drop_table, committed_id_, {}, {}});
    forget_writes();
  }

  // That, and the rows that it has deleted. Leaves nothing of it.
  [[nodiscard]] table_access take_access() {
    for (const object_deletions& each : deletions_->all()) access.deleted.push_back({each.object, each.rows});
    return std::move(access);
  }

  // What the transaction's entry says about the table, in order; all rows must have been flushed. Objects say by number
  // which columns their rows have, so the schemas come first.
  [[nodiscard]] sequence<action> actions() const {
    sequence<action> made = definitions_;
    for (const data_object& object : rows_.flushed()) made.push_back({action_kind::add_object, {}, {}, object});
    // After those: rows of the transaction's own objects can be among them.
    for (const object_deletions& each : deletions_->all()) {
      action& deletion = made.emplace_back(action{action_kind::delete_rows, {}, {}, {}});
      deletion.object.id = each.object;
      deletion.rows = each.rows;
      deletion.replacements = each.replacements;
    }
    keys_.append_actions(made);
    return made;
  }

 private:
  void forget_writes() {
    rows_ = {};
    deletions_ = {};
    keys_ = {};
  }

  copy_on_write<table_state> state_;  // as it is in the snapshot, or was created, with the transaction's columns
  bool exists_ = false;
  uuid committed_id_;             // of the snapshot's table; nil: there is none
  sequence<action> definitions_;  // that drop, create and alter it
  buffer rows_;
  copy_on_write<bag_deletions> deletions_;
  key_writes keys_;
};

}  // namespace tarn::inline TARN_ABI
