// Reading the rows of a bag: object after object, without those that were deleted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"
#include "bag_deletions.hpp"
#include "bag_row.hpp"
#include "client_core.hpp"
#include "live_rows.hpp"
#include "may_match.hpp"
#include "object_reader.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

// The rows that a bag had for the transaction when the scan began. Objects that the filter's rows cannot be in are left
// alone; in those that are read, all rows are handed out. Memory: one data object.
template <class Store, row_codec Codec>
class bag_scan {
 public:
  using core = client_core<Store, Codec>;
  using buffer = write_buffer<Store, Codec>;

  // `own` and `deleted` are what the transaction has inserted and deleted.
  bag_scan(shared<core> lake, copy_on_write<table_state> table, const buffer& own, copy_on_write<bag_deletions> deleted,
           shared<const row_filter> wanted)
      : lake_(std::move(lake)), table_(std::move(table)), deleted_(std::move(deleted)), wanted_(std::move(wanted)) {
    for (const data_object& each : own.flushed()) own_objects_.push_back({each});
    if (own.unflushed() == nullptr) return;
    object_ = own.unflushed_id();
    bag_object unflushed;
    unflushed.object.id = object_;
    buffered_ =
        shared<live_rows<buffer_cursor>>::make(own.unflushed()->read_back(), deleted_from(unflushed, *deleted_));
  }

  // Moves to the next row. False at the end and on failure.
  [[nodiscard]] bool next() {
    for (;;) {
      if (buffered_ ? buffered_->next() : reader_ && reader_->next()) return true;
      if (buffered_) status_ = buffered_->status();
      if (reader_) status_ = reader_->status();
      buffered_ = {};
      reader_ = {};  // the last object goes before the next comes
      if (!status_ || next_object_ == table_->objects.size() + own_objects_.size()) return false;
      status_ = open(object_at(next_object_++));
      if (!status_) return false;
    }
  }

  // Only after next() has returned true.
  [[nodiscard]] list_view row() const { return buffered_ ? buffered_->row() : reader_->row(); }
  [[nodiscard]] bag_row place() const { return {object_, buffered_ ? buffered_->number() : reader_->number()}; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // Of what has been read so far.
  [[nodiscard]] std::uint64_t objects() const noexcept { return objects_; }
  [[nodiscard]] std::uint64_t objects_skipped() const noexcept { return objects_skipped_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  using reader = object_reader<Store, Codec>;
  using buffer_cursor = std::remove_cvref_t<decltype(std::declval<const typename buffer::builder&>().read_back())>;

  [[nodiscard]] const bag_object& object_at(std::size_t index) const {
    const std::size_t committed = table_->objects.size();
    return index < committed ? table_->objects[index] : own_objects_[index - committed];
  }

  [[nodiscard]] tarn::status open(const bag_object& next) {
    const data_object& object = next.object;
    const copy_on_write<row_set> deleted = deleted_from(next, *deleted_);
    const bool has_rows = !object.described || deleted->size() < object.rows;
    if (!has_rows || !may_match(*wanted_, object)) {
      ++objects_skipped_;
      return {};
    }
    result<reader> opened = reader::open(*lake_, *table_, object, lake_->options.bounds);
    if (!opened) return opened.error();
    ++objects_;
    bytes_ += opened->byte_size();
    object_ = object.id;
    reader_ = shared<live_rows<reader>>::make(*std::move(opened), deleted);
    return {};
  }

  shared<core> lake_;
  copy_on_write<table_state> table_;
  copy_on_write<bag_deletions> deleted_;
  shared<const row_filter> wanted_;
  sequence<bag_object> own_objects_;           // flushed by the transaction, not committed
  std::size_t next_object_ = 0;                // of the table's, then of the own
  uuid object_;                                // that is being read
  shared<live_rows<buffer_cursor>> buffered_;  // null once the unflushed rows have been read
  shared<live_rows<reader>> reader_;           // null between objects
  tarn::status status_;
  std::uint64_t objects_ = 0;
  std::uint64_t objects_skipped_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tarn::inline TARN_ABI
