// Reading columns of a keyed table: bucket after bucket, in order of key within each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "../codec/codec.hpp"
#include "../codec/column_view.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../merge/record.hpp"
#include "../merge/record_runs.hpp"
#include "../merge/strategy.hpp"
#include "client_core.hpp"
#include "column_batches.hpp"
#include "keyed_bucket.hpp"
#include "merged_columns.hpp"
#include "object_reader.hpp"

namespace tarn::inline TARN_ABI {

// The same rows as `keyed_scan` has, in its order. A bucket that is one base, as after a compaction, is handed out as
// the object's columns are; any other is merged, see merged_columns.hpp. Memory: the objects of one bucket, as the
// store hands them out, a batch of each, and one of what is handed out.
template <class Store, row_codec Codec, merge_strategy Merge>
class keyed_columns {
 public:
  using core = client_core<Store, Codec>;

  // `writes` is the transaction's, of each bucket.
  keyed_columns(shared<core> lake, copy_on_write<table_state> table, const sequence<bucket_writes>& writes,
                shared<const schema> wanted)
      : lake_(std::move(lake)), table_(std::move(table)), wanted_(std::move(wanted)) {
    for (std::size_t at = 0; at < table_->buckets.size(); ++at)
      buckets_.emplace_back(*table_->buckets[at], &writes[at]);
  }

  // Moves to the next batch. False at the end and on failure.
  [[nodiscard]] bool next() {
    for (;;) {
      if (merged_ ? merged_->next() : base_batches_ && base_batches_->next()) return true;
      if (merged_) status_ = merged_->status();
      if (base_batches_) status_ = base_batches_->status();
      close_bucket();
      if (!status_ || next_bucket_ == buckets_.size()) return false;
      status_ = open(buckets_[next_bucket_++]);
    }
  }

  // Only after next() has returned true.
  [[nodiscard]] const row_batch& batch() const noexcept { return merged_ ? merged_->batch() : base_batches_->batch(); }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // Of what has been read so far.
  [[nodiscard]] merge_statistics merged() const noexcept {
    merge_statistics all = statistics_;
    if (merged_) all.add(merged_->statistics());
    return all;
  }
  [[nodiscard]] std::uint64_t objects() const noexcept { return objects_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  using bucket = keyed_bucket<Store, Codec, Merge>;
  using merged_type = merged_columns<Store, Codec>;
  using reader = object_reader<Store, Codec>;
  using base_batches = column_batches<typename reader::cursor>;

  [[nodiscard]] tarn::status open(const bucket& next) {
    objects_ += next.objects().size();
    if (const keyed_object* const base = next.base_alone(); base != nullptr) return open_base(base->object);
    result<merged_type> opened = next.open_columns(*lake_, *table_, *wanted_, bytes_);
    if (!opened) return opened.error();
    merged_ = shared<merged_type>::make(*std::move(opened));
    return {};
  }
  [[nodiscard]] tarn::status open_base(const data_object& object) {
    auto opened = reader::open(*lake_, *table_, object, limits_of_records(lake_->options.bounds),
                               columns_before(object_form::base));
    if (!opened) return opened.error();
    bytes_ += opened->byte_size();
    base_ = shared<reader>::make(*std::move(opened));
    base_batches_ = shared<base_batches>::make(
        base_batches::of_base(base_->as_written(), concat({"object ", object_name(table_->name, object.id)}),
                              table_->schema_of(object.schema_number), *wanted_));
    return {};
  }
  void close_bucket() {
    if (merged_) statistics_.add(merged_->statistics());
    merged_ = {};
    base_batches_ = {};
    base_ = {};
  }

  shared<core> lake_;
  copy_on_write<table_state> table_;
  shared<const schema> wanted_;
  sequence<bucket> buckets_;
  std::size_t next_bucket_ = 0;
  shared<merged_type> merged_;  // null between buckets, and in one that is a base alone
  shared<reader> base_;         // null between buckets, and in one that is merged
  shared<base_batches> base_batches_;
  tarn::status status_;
  merge_statistics statistics_;  // of the buckets before
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tarn::inline TARN_ABI
