// The rows in which two states of a keyed table differ: each bucket is read in both, side by side, in order of key.
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
#include "../log/entry.hpp"
#include "../log/table_state.hpp"
#include "../merge/key.hpp"
#include "../merge/slice_merge.hpp"
#include "../merge/strategy.hpp"
#include "client_core.hpp"
#include "keyed_bucket.hpp"
#include "row_change.hpp"

namespace tarn::inline TARN_ABI {

// The buckets in which two states may differ; null: there is no table.
template <class = void>
[[nodiscard]] sequence<std::uint32_t> differing_buckets(const table_state* before, const table_state* after) {
  const auto same = [](const sequence<keyed_object>& a, const sequence<keyed_object>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t at = 0; at < a.size(); ++at)
      if (a[at].object.id != b[at].object.id) return false;
    return true;
  };
  const table_state& either = before != nullptr ? *before : *after;
  sequence<std::uint32_t> differing;
  for (std::uint32_t at = 0; at < either.buckets.size(); ++at)
    if (before == nullptr || after == nullptr || !same(before->buckets[at]->objects, after->buckets[at]->objects))
      differing.push_back(at);
  return differing;
}

// The buckets that an entry wrote to. What a compaction does is nothing to a reader.
template <class = void>
[[nodiscard]] sequence<std::uint32_t> written_buckets(const table_state& table, const sequence<action>& actions) {
  sequence<bool> written;
  for (std::size_t at = 0; at < table.buckets.size(); ++at) written.push_back(false);
  for (const action& each : actions)
    if (each.kind == action_kind::add_block && !each.block.compacted) written[each.block.bucket] = true;
  sequence<std::uint32_t> numbers;
  for (std::uint32_t at = 0; at < written.size(); ++at)
    if (written[at]) numbers.push_back(at);
  return numbers;
}

// Models the cursor of a change feed: the changes, bucket after bucket, each in order of key. Memory: the objects of
// one bucket in both states, as the store hands them out, and a row of each.
template <class Store, row_codec Codec, merge_strategy Merge>
class keyed_changes {
 public:
  using core = client_core<Store, Codec>;

  // Null: there is no table; else it must outlive this. `buckets` is where to look, in order. Rows are shown, and
  // compared, with the columns after.
  keyed_changes(shared<core> lake, const table_state* before, const table_state* after, sequence<std::uint32_t> buckets)
      : lake_(std::move(lake)), before_(before, after), after_(after, after), buckets_(std::move(buckets)) {}

  // Moves to the next change. False at the end and on failure.
  [[nodiscard]] bool next() {
    while (status_) {
      if (!open_ && !open_bucket()) return false;
      status_ = before_.move();
      if (status_) status_ = after_.move();
      if (!status_) return false;
      if (before_.at_end() && after_.at_end())
        open_ = false;
      else if (take_next_key())
        return true;
    }
    return false;
  }

  // But for the version, which the caller knows.
  [[nodiscard]] const row_change& change() const noexcept { return change_; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

 private:
  // A bucket in one of the states.
  class side {
   public:
    side(const table_state* table, const table_state* shown) : table_(table), display_(table, shown) {}

    [[nodiscard]] tarn::status open(core& lake, std::uint32_t bucket) {
      merge_ = {};
      seen_ = true;
      if (table_ == nullptr) return {};
      const slice opened(*table_->buckets[bucket], nullptr);
      std::uint64_t bytes = 0;
      result<typename slice::merge_type> merged = opened.open(lake, *table_, verification::of_order, bytes);
      if (!merged) return merged.error();
      merge_ = shared<typename slice::merge_type>::make(*std::move(merged));
      return {};
    }

    // To the next row, if the current one has been seen.
    [[nodiscard]] tarn::status move() {
      if (!merge_ || !seen_) return {};
      seen_ = false;
      if (merge_->next()) return {};
      const tarn::status outcome = merge_->status();
      merge_ = {};
      return outcome;
    }
    void see() noexcept { seen_ = true; }

    [[nodiscard]] bool at_end() const noexcept { return !merge_; }
    [[nodiscard]] row_view row() const { return display_.show(merge_->current().values); }
    [[nodiscard]] std::string_view key() { return encode_key(merge_->current().values, table_->key.columns, scratch_); }

   private:
    using slice = keyed_bucket<Store, Codec, Merge>;

    const table_state* table_;
    row_display display_;
    shared<typename slice::merge_type> merge_;  // null at the end
    bool seen_ = true;
    std::string scratch_;
  };

  [[nodiscard]] bool open_bucket() {
    if (next_bucket_ == buckets_.size()) return false;
    const std::uint32_t bucket = buckets_[next_bucket_++];
    status_ = before_.open(*lake_, bucket);
    if (status_) status_ = after_.open(*lake_, bucket);
    open_ = static_cast<bool>(status_);
    return open_;
  }

  // Whether the least key that is not seen yet has changed.
  [[nodiscard]] bool take_next_key() {
    const int order = after_.at_end() ? -1 : before_.at_end() ? 1 : before_.key().compare(after_.key());
    change_ = {};
    if (order <= 0) {
      change_.before = before_.row();
      before_.see();
    }
    if (order >= 0) {
      change_.after = after_.row();
      after_.see();
    }
    change_.kind = order < 0 ? change_kind::erase : order > 0 ? change_kind::insert : change_kind::update;
    return order != 0 || !(change_.before == change_.after);
  }

  shared<core> lake_;
  side before_;
  side after_;
  sequence<std::uint32_t> buckets_;
  std::size_t next_bucket_ = 0;
  bool open_ = false;
  row_change change_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
