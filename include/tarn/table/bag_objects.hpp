// Which objects of a bag a transaction reads, in which order, and which rows of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/uuid.hpp"
#include "../log/snapshot.hpp"
#include "bag_deletions.hpp"
#include "client_core.hpp"
#include "may_match.hpp"
#include "object_reader.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

// An object that was opened, and its rows that are none of the bag's any more.
template <class Store, row_codec Codec>
struct bag_object_rows {
  uuid id = {};
  std::uint32_t schema_number = 0;                // of the columns that it was written with
  shared<object_reader<Store, Codec>> rows = {};  // null: there are no more objects
  copy_on_write<row_set> deleted = {};
};

// The objects that a bag had for the transaction when this was made: those of the snapshot in commit order, then those
// that the transaction has flushed. Leaves out those that no wanted row can be in.
template <class Store, row_codec Codec>
class bag_objects {
 public:
  using core = client_core<Store, Codec>;

  // `own` and `deleted` are what the transaction has inserted and deleted.
  bag_objects(shared<core> lake, copy_on_write<table_state> table, const write_buffer<Store, Codec>& own,
              copy_on_write<bag_deletions> deleted, shared<const row_filter> wanted)
      : lake_(std::move(lake)), table_(std::move(table)), deleted_(std::move(deleted)), wanted_(std::move(wanted)) {
    for (const data_object& each : own.flushed()) own_.push_back({each});
  }

  // One `get`, or none at the end.
  [[nodiscard]] result<bag_object_rows<Store, Codec>> open_next() {
    bag_object_rows<Store, Codec> opened;
    while (next_ < table_->objects.size() + own_.size()) {
      const bag_object& next = object_at(next_++);
      const data_object& object = next.object;
      opened.deleted = deleted_from(next, *deleted_);
      const bool has_rows = !object.described || opened.deleted->size() < object.rows;
      if (!has_rows || !may_match(*wanted_, object)) {
        ++skipped_;
        continue;
      }
      result<reader> rows = reader::open(*lake_, *table_, object, lake_->options.bounds);
      if (!rows) return rows.error();
      ++opened_;
      bytes_ += rows->byte_size();
      opened.id = object.id;
      opened.schema_number = object.schema_number;
      opened.rows = shared<reader>::make(*std::move(rows));
      return opened;
    }
    return opened;
  }

  // Of the object that the transaction's unflushed rows will be.
  [[nodiscard]] copy_on_write<row_set> deleted_of(const uuid& unflushed) const {
    bag_object object;
    object.object.id = unflushed;
    return deleted_from(object, *deleted_);
  }

  // Of what has been read so far.
  [[nodiscard]] std::uint64_t opened() const noexcept { return opened_; }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  using reader = object_reader<Store, Codec>;

  [[nodiscard]] const bag_object& object_at(std::size_t index) const {
    const std::size_t committed = table_->objects.size();
    return index < committed ? table_->objects[index] : own_[index - committed];
  }

  shared<core> lake_;
  copy_on_write<table_state> table_;
  copy_on_write<bag_deletions> deleted_;
  shared<const row_filter> wanted_;
  sequence<bag_object> own_;  // flushed by the transaction, not committed
  std::size_t next_ = 0;      // of the table's, then of the own
  std::uint64_t opened_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tarn::inline TARN_ABI
