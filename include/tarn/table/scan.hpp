// Reading the rows of a table, one at a time.
//
//   bag            the transaction's own unflushed rows | the snapshot's objects, in commit order | its own flushed
//   objects keyed table    bucket after bucket, each in order of key
//
// The first is the article's order. Both are the same each time, as long as the transaction writes and flushes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../log/snapshot.hpp"
#include "../merge/strategy.hpp"
#include "client_core.hpp"
#include "keyed_scan.hpp"
#include "object_reader.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

// What a scan has read so far.
struct scan_statistics {
  std::uint64_t rows = 0;
  std::uint64_t objects = 0;  // data objects read from the store
  std::uint64_t bytes = 0;    // of those objects
  merge_statistics merged;    // of keyed tables
};

// The rows that a table had, for the transaction, when the scan began; what is inserted later is not among them. Stays
// usable after the transaction has ended. Memory: one data object; of a keyed table see `keyed_scan`. Not thread-safe.
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
  using core = client_core<Store, Codec>;
  using buffer = write_buffer<Store, Codec>;
  using keyed_rows = keyed_scan<Store, Codec, Merge>;

  // Of a bag; `own` is what the transaction has inserted.
  table_scan(shared<core> lake, copy_on_write<table_state> table, const buffer& own)
      : lake_(std::move(lake)), table_(std::move(table)), own_objects_(own.flushed()) {
    if (own.unflushed() != nullptr) buffered_ = shared<buffer_cursor>::make(own.unflushed()->read_back());
  }
  // Of a keyed table; `transaction` is who reads it, which had made `writes` writes to it.
  table_scan(copy_on_write<table_state> table, keyed_rows rows, const uuid& transaction, std::uint64_t writes)
      : table_(std::move(table)),
        keyed_(shared<keyed_rows>::make(std::move(rows))),
        reader_id_(transaction),
        writes_(writes) {}

  // Moves to the next row. False at the end and on failure, from then on always.
  [[nodiscard]] bool next() {
    if (done_) return false;
    const bool found = keyed_ ? keyed_->next() : next_of_bag();
    if (!found) return finish(keyed_ ? keyed_->status() : bag_status_);
    ++statistics_.rows;
    return true;
  }

  // Only after next() has returned true.
  [[nodiscard]] row_view row() const {
    return {keyed_ ? keyed_->row() : buffered_ ? buffered_->row() : reader_->row(), &table_->columns};
  }
  // Of a keyed table: whether it stands on a row that `transaction::update` and `erase` of this transaction can change,
  // what is known of where that row is, and how many writes the transaction had made when the scan began.
  [[nodiscard]] bool stands_for(const uuid& transaction) const noexcept {
    return keyed_ && !done_ && keyed_->on_row() && reader_id_ == transaction;
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
    if (!keyed_) return statistics_;
    return {statistics_.rows, keyed_->objects(), keyed_->bytes(), keyed_->merged()};
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
  using reader = object_reader<Store, Codec>;
  using buffer_cursor = std::remove_cvref_t<decltype(std::declval<const typename buffer::builder&>().read_back())>;

  [[nodiscard]] bool next_of_bag() {
    for (;;) {
      if (buffered_ ? buffered_->next() : reader_ && reader_->next()) return true;
      if (buffered_) bag_status_ = buffered_->status();
      if (reader_) bag_status_ = reader_->status();
      buffered_ = {};
      if (!bag_status_ || next_object_ == table_->objects.size() + own_objects_.size()) return false;
      bag_status_ = open(object_at(next_object_++));
      if (!bag_status_) return false;
    }
  }

  [[nodiscard]] const data_object& object_at(std::size_t index) const {
    const std::size_t committed = table_->objects.size();
    return index < committed ? table_->objects[index].object : own_objects_[index - committed];
  }

  [[nodiscard]] tarn::status open(const data_object& object) {
    reader_ = {};  // the last object goes before the next comes
    result<reader> opened = reader::open(*lake_, *table_, object, lake_->options.bounds);
    if (!opened) return opened.error();
    ++statistics_.objects;
    statistics_.bytes += opened->byte_size();
    reader_ = shared<reader>::make(*std::move(opened));
    return {};
  }

  [[nodiscard]] bool finish(tarn::status outcome) {
    done_ = true;
    status_ = std::move(outcome);
    buffered_ = {};
    reader_ = {};
    return false;
  }

  shared<core> lake_;
  copy_on_write<table_state> table_;
  sequence<data_object> own_objects_;  // flushed by the transaction, not committed
  std::size_t next_object_ = 0;        // of the table's, then of the own
  shared<buffer_cursor> buffered_;     // null once the unflushed rows have been read
  shared<reader> reader_;              // null between objects
  tarn::status bag_status_;
  shared<keyed_rows> keyed_;  // null: a bag
  uuid reader_id_;
  std::uint64_t writes_ = 0;
  bool done_ = false;
  tarn::status status_;
  scan_statistics statistics_;
};

}  // namespace tarn::inline TARN_ABI
