// Reading the rows of a table, one at a time.
//
//   bag            the transaction's own unflushed rows | the snapshot's objects, in commit order | its own flushed
//                  objects; without the rows that were deleted
//   keyed table    bucket after bucket, each in order of key
//
// The first is the article's order. Both are the same each time, as long as the transaction writes and flushes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/shared.hpp"
#include "../core/uuid.hpp"
#include "../log/snapshot.hpp"
#include "../merge/strategy.hpp"
#include "bag_row.hpp"
#include "bag_scan.hpp"
#include "keyed_scan.hpp"

namespace tarn::inline TARN_ABI {

// What a scan has read so far.
struct scan_statistics {
  std::uint64_t rows = 0;             // handed out
  std::uint64_t objects = 0;          // data objects read from the store
  std::uint64_t objects_skipped = 0;  // of a bag, and not read: they hold no row for this scan
  std::uint64_t rows_skipped = 0;     // of objects that were read: groups of rows that were not, likewise
  std::uint64_t bytes = 0;            // of those that were read
  merge_statistics merged = {};       // of keyed tables
};

// The rows that a table had, for the transaction, when the scan began, and that match the scan's filter: what is
// inserted, deleted or updated later changes nothing of it. Stays usable after the transaction has ended. Memory: one
// data object; of a keyed table see `keyed_scan`. Not thread-safe.
//
//   for (tarn::row_view row : scan) ...      ends at the last row; a failure fails loudly, as `.value()` does
//
//   while (scan.next()) use(scan.row());     next() is false at the end and on failure;
//   if (!scan.status()) ...                  status() tells which
//
// A row is valid until the scan moves on.
template <class Store, row_codec Codec, merge_strategy Merge>
class [[nodiscard]] table_scan {
 public:
  using bag_rows = bag_scan<Store, Codec>;
  using keyed_rows = keyed_scan<Store, Codec, Merge>;

  // Of a bag; `transaction` is who reads it.
  table_scan(copy_on_write<table_state> table, bag_rows rows, const uuid& transaction, shared<const row_filter> wanted)
      : table_(std::move(table)),
        columns_(&table_->columns),
        wanted_(std::move(wanted)),
        bag_(shared<bag_rows>::make(std::move(rows))),
        reader_id_(transaction) {}
  // Of a keyed table, to which `transaction` had made `writes` writes.
  table_scan(copy_on_write<table_state> table, keyed_rows rows, const uuid& transaction, std::uint64_t writes,
             shared<const row_filter> wanted)
      : table_(std::move(table)),
        columns_(&table_->columns),
        wanted_(std::move(wanted)),
        keyed_(shared<keyed_rows>::make(std::move(rows))),
        reader_id_(transaction),
        writes_(writes) {}

  // Moves to the next row. False at the end and on failure, from then on always.
  [[nodiscard]] bool next() {
    if (ahead_ == 0) return next_block();
    --ahead_;
    row_ = list_view(row_.views() + row_.size(), row_.size());
    return true;
  }

  // Only after next() has returned true.
  [[nodiscard]] row_view row() const noexcept { return {row_, columns_}; }
  // Whether it stands on a row that `transaction::update` and `erase` of this transaction can change.
  [[nodiscard]] bool stands_for(const uuid& transaction) const noexcept { return on_row_ && reader_id_ == transaction; }
  // Where that row is: in a bag; in a keyed table, what is known of it, and how many writes the transaction had made
  // when the scan began.
  [[nodiscard]] bag_row place_in_bag() const {
    const bag_row first = bag_->place();
    return {first.object, first.number + passed()};
  }
  [[nodiscard]] keyed_place place() const noexcept { return keyed_->place(); }
  [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }

  // An error once the scan has failed: the rows before were right, the ones after are missing.
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  [[nodiscard]] const std::string& table() const noexcept { return table_->name; }
  [[nodiscard]] const uuid& table_id() const noexcept { return table_->id; }
  [[nodiscard]] const schema& columns() const noexcept { return table_->columns; }
  [[nodiscard]] std::uint32_t schema_number() const noexcept { return table_->schema_number(); }
  [[nodiscard]] scan_statistics statistics() const noexcept {
    if (!keyed_)
      return {rows_ + passed(), bag_->objects(), bag_->objects_skipped(), bag_->rows_skipped(), bag_->bytes()};
    return {rows_, keyed_->objects(), 0, keyed_->rows_skipped(), keyed_->bytes(), keyed_->merged()};
  }

  // For `for`: see above. May be called once.
  struct sentinel {};
  class iterator {
   public:
    explicit iterator(table_scan& of) : scan_(&of) { ++*this; }
    [[nodiscard]] row_view operator*() const { return scan_->row(); }
    iterator& operator++() {
      if (!scan_->next() && !scan_->status()) fail(scan_->status().error());
      return *this;
    }
    [[nodiscard]] bool operator==(sentinel) const noexcept { return scan_->done_; }

   private:
    table_scan* scan_;
  };
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] sentinel end() const noexcept { return {}; }

 private:
  // Moves to a row by asking for it. Those next to it are then handed out here, without a call for each.
  [[nodiscard]] bool next_block() {
    if (done_) return false;
    if (keyed_) return next_of(*keyed_);
    if (block_ > 0) {
      bag_->pass(block_);
      rows_ += block_;
      block_ = 0;
    }
    if (!next_of(*bag_)) return false;
    if (wanted_->conditions().empty()) ahead_ = block_ = bag_->rows_ahead();
    return true;
  }

  // Moves to the next row that matches.
  template <class Rows>
  [[nodiscard]] bool next_of(Rows& rows) {
    const bool all = wanted_->conditions().empty();  // without this, scans that want all rows take 7 % longer
    do {
      on_row_ = rows.next();
      if (!on_row_) return finish(rows.status());
      row_ = rows.row();
    } while (!all && !wanted_->matches(row_));
    ++rows_;
    return true;
  }

  // Of the rows next to the one that was asked for, those that have been handed out.
  [[nodiscard]] std::size_t passed() const noexcept { return block_ - ahead_; }

  [[nodiscard]] bool finish(tarn::status outcome) {
    done_ = true;
    status_ = std::move(outcome);
    return false;
  }

  copy_on_write<table_state> table_;
  const schema* columns_;
  shared<const row_filter> wanted_;
  shared<bag_rows> bag_;      // null: a keyed table
  shared<keyed_rows> keyed_;  // null: a bag
  uuid reader_id_;
  std::uint64_t writes_ = 0;
  std::uint64_t rows_ = 0;  // handed out, but for those of the block
  list_view row_;
  std::size_t block_ = 0;  // how many rows were next to the one that was asked for last, of a bag
  std::size_t ahead_ = 0;  // of those, how many have not been handed out
  bool on_row_ = false;
  bool done_ = false;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
