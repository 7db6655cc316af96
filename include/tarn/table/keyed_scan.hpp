// Reading the rows of a keyed table: bucket after bucket, in order of key within each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/uuid.hpp"
#include "../log/snapshot.hpp"
#include "../merge/bucket.hpp"
#include "../merge/key.hpp"
#include "../merge/slice_merge.hpp"
#include "../merge/strategy.hpp"
#include "client_core.hpp"
#include "keyed_bucket.hpp"

namespace tarn::inline TARN_ABI {

// A row that a scan stands on: what `transaction::erase` and `update` need to know of it, to record its position.
struct keyed_place {
  base_place where;
  uuid base;  // that `where` was counted in
};

// The rows that a keyed table had for the transaction when the scan began. In a bucket that is one base, as after a
// compaction, groups of rows that the filter's cannot be in are left alone; all other rows are handed out. Where there
// is something to merge, any row of the base may become another. Memory: the objects of one bucket, as the store hands
// them out, and a row of each; the transaction's unflushed records are listed once more.
template <class Store, row_codec Codec, merge_strategy Merge>
class keyed_scan {
 public:
  using core = client_core<Store, Codec>;

  // `writes` is the transaction's, of each bucket; null: none.
  keyed_scan(shared<core> lake, copy_on_write<table_state> table, const sequence<bucket_writes>* writes,
             key_range wanted, verification checks, shared<const row_filter> matching)
      : lake_(std::move(lake)),
        table_(std::move(table)),
        wanted_(std::move(wanted)),
        checks_(checks),
        matching_(std::move(matching)) {
    for (std::size_t at = 0; at < table_->buckets.size(); ++at)
      buckets_.emplace_back(*table_->buckets[at], writes == nullptr ? nullptr : &(*writes)[at]);
  }

  // Moves to the next row. False at the end and on failure.
  [[nodiscard]] bool next() {
    while (status_) {
      if (!merge_ && !open_bucket()) return false;
      if (may_skip_) skip();
      if (merge_->next()) {
        if (!wanted_.bounded) return true;
        const std::string_view key = encode_key(merge_->current().values, table_->key.columns, scratch_);
        if (key < wanted_.first) continue;
        if (key < wanted_.last) return true;
      } else if (!merge_->status()) {
        status_ = merge_->status();
      }
      close_bucket();
    }
    return false;
  }

  [[nodiscard]] list_view row() const noexcept { return merge_->current().values; }
  [[nodiscard]] keyed_place place() const noexcept { return {merge_->place(), buckets_[next_bucket_ - 1].base()}; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // Of what has been read so far.
  [[nodiscard]] merge_statistics merged() const noexcept {
    merge_statistics all = merged_;
    if (merge_) all.add(merge_->statistics());
    return all;
  }
  [[nodiscard]] std::uint64_t objects() const noexcept { return objects_; }
  [[nodiscard]] std::uint64_t rows_skipped() const noexcept { return rows_skipped_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  using bucket = keyed_bucket<Store, Codec, Merge>;
  using merge_type = typename bucket::merge_type;

  // False after the last bucket, and if it cannot be read.
  [[nodiscard]] bool open_bucket() {
    if (next_bucket_ == buckets_.size()) return false;
    const bucket& opened = buckets_[next_bucket_++];
    result<merge_type> merged = opened.open(*lake_, *table_, checks_, bytes_);
    if (!merged) status_ = merged.error();
    if (!merged) return false;
    objects_ += opened.objects().size();
    merge_ = shared<merge_type>::make(*std::move(merged));
    may_skip_ = checks_ == verification::of_order && opened.base_alone() != nullptr && !matching_->conditions().empty();
    return true;
  }
  [[gnu::noinline]] void skip() {
    rows_skipped_ +=
        merge_->skip_base_rows([&](typename bucket::source& base) { return base.skip_unmatched(*matching_); });
  }
  void close_bucket() {
    merged_.add(merge_->statistics());
    merge_ = {};
  }

  shared<core> lake_;
  copy_on_write<table_state> table_;
  key_range wanted_;
  verification checks_;
  shared<const row_filter> matching_;
  sequence<bucket> buckets_;
  std::size_t next_bucket_ = 0;
  shared<merge_type> merge_;  // null between buckets
  bool may_skip_ = false;     // rows of its base
  std::string scratch_;
  tarn::status status_;
  merge_statistics merged_;  // of the buckets before
  std::uint64_t objects_ = 0;
  std::uint64_t rows_skipped_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace tarn::inline TARN_ABI
