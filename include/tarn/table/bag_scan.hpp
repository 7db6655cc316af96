// Reading the rows of a bag: object after object, without those that were deleted.
#pragma once

#include <cstdint>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/shared.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"
#include "bag_deletions.hpp"
#include "bag_objects.hpp"
#include "bag_row.hpp"
#include "client_core.hpp"
#include "live_rows.hpp"
#include "object_reader.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

// The rows that a bag had for the transaction when the scan began. Objects that the filter's rows cannot be in are left
// alone, and so are groups in those that are read; all other rows are handed out. Memory: one data object.
template <class Store, row_codec Codec>
class bag_scan {
 public:
  using core = client_core<Store, Codec>;
  using buffer = write_buffer<Store, Codec>;

  // `own` and `deleted` are what the transaction has inserted and deleted.
  bag_scan(shared<core> lake, copy_on_write<table_state> table, const buffer& own, copy_on_write<bag_deletions> deleted,
           shared<const row_filter> wanted)
      : objects_(std::move(lake), std::move(table), own, std::move(deleted), wanted), wanted_(std::move(wanted)) {
    if (own.unflushed() == nullptr) return;
    object_ = own.unflushed_id();
    buffered_ = shared<live_rows<buffer_cursor>>::make(own.unflushed()->read_back(), objects_.deleted_of(object_));
  }

  // Moves to the next row. False at the end and on failure.
  [[nodiscard]] bool next() {
    for (;;) {
      if (buffered_ ? buffered_->next() : reader_ && reader_->next()) return true;
      if (buffered_) status_ = buffered_->status();
      if (reader_) status_ = reader_->status();
      buffered_ = {};
      if (reader_) rows_skipped_ += reader_->skipped();
      reader_ = {};  // the last object goes before the next comes
      if (!status_ || !open_next()) return false;
    }
  }

  // See `block_cursor`.
  [[nodiscard]] std::size_t rows_ahead() const noexcept {
    return buffered_ ? buffered_->rows_ahead() : reader_->rows_ahead();
  }
  void pass(std::size_t count) noexcept {
    if (buffered_)
      buffered_->pass(count);
    else
      reader_->pass(count);
  }

  // Only after next() has returned true.
  [[nodiscard]] list_view row() const { return buffered_ ? buffered_->row() : reader_->row(); }
  [[nodiscard]] bag_row place() const { return {object_, buffered_ ? buffered_->number() : reader_->number()}; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // Of what has been read so far.
  [[nodiscard]] std::uint64_t objects() const noexcept { return objects_.opened(); }
  [[nodiscard]] std::uint64_t objects_skipped() const noexcept { return objects_.skipped(); }
  [[nodiscard]] std::uint64_t rows_skipped() const noexcept {
    return rows_skipped_ + (reader_ ? reader_->skipped() : 0);
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return objects_.bytes(); }

 private:
  using reader = object_reader<Store, Codec>;
  using buffer_cursor = typename buffer::cursor;

  [[nodiscard]] bool open_next() {
    result<bag_object_rows<Store, Codec>> opened = objects_.open_next();
    if (!opened) status_ = opened.error();
    if (!opened || !opened->rows) return false;
    object_ = opened->id;
    reader_ = shared<live_rows<reader>>::make(std::move(*opened->rows), std::move(opened->deleted), wanted_);
    return true;
  }

  bag_objects<Store, Codec> objects_;
  shared<const row_filter> wanted_;
  uuid object_;                                // that is being read
  shared<live_rows<buffer_cursor>> buffered_;  // null once the unflushed rows have been read
  shared<live_rows<reader>> reader_;           // null between objects
  std::uint64_t rows_skipped_ = 0;             // of the objects before
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
