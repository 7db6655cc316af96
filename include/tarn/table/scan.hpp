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
        wanted_(std::move(wanted)),
        bag_(shared<bag_rows>::make(std::move(rows))),
        reader_id_(transaction) {}
  // Of a keyed table, to which `transaction` had made `writes` writes.
  table_scan(copy_on_write<table_state> table, keyed_rows rows, const uuid& transaction, std::uint64_t writes,
             shared<const row_filter> wanted)
      : table_(std::move(table)),
        wanted_(std::move(wanted)),
        keyed_(shared<keyed_rows>::make(std::move(rows))),
        reader_id_(transaction),
        writes_(writes) {}

  // Moves to the next row. False at the end and on failure, from then on always.
  [[nodiscard]] bool next() {
    if (done_) return false;
    const bool all = wanted_->conditions().empty();  // without this, scans that want all rows take 7 % longer
    do on_row_ = keyed_ ? keyed_->next() : bag_->next();
    while (on_row_ && !all && !wanted_->matches(row().values()));
    if (!on_row_) return finish(keyed_ ? keyed_->status() : bag_->status());
    ++rows_;
    return true;
  }

  // Only after next() has returned true.
  [[nodiscard]] row_view row() const { return {keyed_ ? keyed_->row() : bag_->row(), &table_->columns}; }
  // Whether it stands on a row that `transaction::update` and `erase` of this transaction can change.
  [[nodiscard]] bool stands_for(const uuid& transaction) const noexcept { return on_row_ && reader_id_ == transaction; }
  // Where that row is: in a bag; in a keyed table, what is known of it, and how many writes the transaction had made
  // when the scan began.
  [[nodiscard]] bag_row place_in_bag() const { return bag_->place(); }
  [[nodiscard]] keyed_place place() const noexcept { return keyed_->place(); }
  [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }

  // An error once the scan has failed: the rows before were right, the ones after are missing.
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  [[nodiscard]] const std::string& table() const noexcept { return table_->name; }
  [[nodiscard]] const uuid& table_id() const noexcept { return table_->id; }
  [[nodiscard]] const schema& columns() const noexcept { return table_->columns; }
  [[nodiscard]] std::uint32_t schema_number() const noexcept { return table_->schema_number(); }
  [[nodiscard]] scan_statistics statistics() const noexcept {
    if (!keyed_) return {rows_, bag_->objects(), bag_->objects_skipped(), bag_->bytes()};
    return {rows_, keyed_->objects(), 0, keyed_->bytes(), keyed_->merged()};
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
  [[nodiscard]] bool finish(tarn::status outcome) {
    done_ = true;
    status_ = std::move(outcome);
    return false;
  }

  copy_on_write<table_state> table_;
  shared<const row_filter> wanted_;
  shared<bag_rows> bag_;      // null: a keyed table
  shared<keyed_rows> keyed_;  // null: a bag
  uuid reader_id_;
  std::uint64_t writes_ = 0;
  std::uint64_t rows_ = 0;
  bool on_row_ = false;
  bool done_ = false;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
