// Reading columns of a bag: object after object, without the rows that were deleted.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "../codec/codec.hpp"
#include "../codec/column_view.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "bag_deletions.hpp"
#include "bag_objects.hpp"
#include "client_core.hpp"
#include "column_batches.hpp"
#include "object_reader.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

// The same rows as `bag_scan` has, in its order. Memory: one data object, and see `column_batches`.
template <class Store, row_codec Codec>
class bag_columns {
 public:
  using core = client_core<Store, Codec>;
  using buffer = write_buffer<Store, Codec>;

  // `own` and `deleted` are what the transaction has inserted and deleted.
  bag_columns(shared<core> lake, copy_on_write<table_state> table, const buffer& own,
              copy_on_write<bag_deletions> deleted, shared<const schema> wanted)
      : table_(table),
        wanted_(std::move(wanted)),
        objects_(std::move(lake), std::move(table), own, std::move(deleted), shared<const row_filter>::make()) {
    if (own.unflushed() == nullptr) return;
    auto rows = shared<typename buffer::cursor>::make(own.unflushed()->read_back());
    buffered_ = shared<buffered_batches>::make(std::move(rows), "the transaction's buffer", table_->columns, *wanted_,
                                               objects_.deleted_of(own.unflushed_id()));
  }

  // Moves to the next batch. False at the end and on failure.
  [[nodiscard]] bool next() {
    for (;;) {
      if (buffered_ ? buffered_->next() : batches_ && batches_->next()) return true;
      if (buffered_) status_ = buffered_->status();
      if (batches_) status_ = batches_->status();
      buffered_ = {};
      batches_ = {};
      object_ = {};  // the last object goes before the next comes
      if (!status_ || !open_next()) return false;
    }
  }

  // Only after next() has returned true.
  [[nodiscard]] const row_batch& batch() const noexcept { return buffered_ ? buffered_->batch() : batches_->batch(); }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // Of what has been read so far.
  [[nodiscard]] std::uint64_t objects() const noexcept { return objects_.opened(); }
  [[nodiscard]] std::uint64_t objects_skipped() const noexcept { return objects_.skipped(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return objects_.bytes(); }

 private:
  using reader = object_reader<Store, Codec>;
  using buffered_batches = column_batches<typename buffer::cursor>;
  using object_batches = column_batches<typename reader::cursor>;

  [[nodiscard]] bool open_next() {
    result<bag_object_rows<Store, Codec>> opened = objects_.open_next();
    if (!opened) status_ = opened.error();
    if (!opened || !opened->rows) return false;
    object_ = std::move(opened->rows);
    batches_ =
        shared<object_batches>::make(object_->as_written(), concat({"object ", object_name(table_->name, opened->id)}),
                                     table_->schema_of(opened->schema_number), *wanted_, std::move(opened->deleted));
    return true;
  }

  copy_on_write<table_state> table_;
  shared<const schema> wanted_;
  bag_objects<Store, Codec> objects_;
  shared<buffered_batches> buffered_;  // null once the unflushed rows have been read
  shared<reader> object_;              // whose rows the batches are; null between objects
  shared<object_batches> batches_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
