// What a transaction does to a keyed table: writes by key, and looking keys up, its own writes included.
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
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../merge/bucket.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "../merge/strategy.hpp"
#include "client_core.hpp"
#include "explain.hpp"
#include "keyed_bucket.hpp"
#include "keyed_scan.hpp"
#include "keyed_writer.hpp"
#include "object_flushes.hpp"
#include "row_check.hpp"

namespace tarn::inline TARN_ABI {

template <class Store, row_codec Codec, merge_strategy Merge>
class keyed_writes {
 public:
  using core = client_core<Store, Codec>;

  // Before anything else is asked of it: how many buckets the table has.
  void divide(std::size_t buckets) {
    while (buckets_.size() < buckets) buckets_.emplace_back();
  }
  [[nodiscard]] const sequence<bucket_writes>& buckets() const noexcept { return buckets_; }

  [[nodiscard]] explanation explain(const table_state& table) const {
    explanation runs;
    for (std::uint32_t at = 0; at < buckets_.size(); ++at)
      keyed_bucket<Store, Codec, Merge>(*table.buckets[at], &buckets_[at]).explain(at, runs);
    return runs;
  }

  // Folds one more write into the transaction's. `values` are the table's columns; of an erase, only the key and the
  // ordering count. A full buffer is flushed: after an error the transaction can only be rolled back.
  [[nodiscard]] status write(core& lake, const table_state& table, const shared_snapshot& state, const operation& done,
                             const list_view& values, const keyed_place& place, object_flushes<Store, Codec>& flushes) {
    const std::uint32_t bucket = bucket_of(values, table.key.columns, table.key.buckets);
    bucket_writes& mine = buckets_[bucket];
    const limits& bounds = lake.options.bounds;
    if (mine.buffer.size() >= bounds.rows_per_object || mine.buffer.byte_size() >= bounds.bytes_per_object)
      if (const status flushed = flush(lake, table, state, bucket, flushes); !flushed) return flushed;
    mine.buffer.write(done, values, table.key, place.where, place.base, ++writes_);
    return {};
  }

  [[nodiscard]] status flush(core& lake, const table_state& table, const shared_snapshot& state,
                             object_flushes<Store, Codec>& flushes) {
    for (std::uint32_t bucket = 0; bucket < buckets_.size(); ++bucket)
      if (const status flushed = flush(lake, table, state, bucket, flushes); !flushed) return flushed;
    return {};
  }

  [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }
  // Whether the key of `values` was written after so many writes. Costs a search in each object that was flushed since;
  // the first in one reads its keys (see `check_new`).
  [[nodiscard]] result<bool> has_written(core& lake, const table_state& table, const list_view& values,
                                         std::uint64_t after) const {
    std::string scratch;
    const bucket_writes& mine = buckets_[bucket_of(values, table.key.columns, table.key.buckets)];
    const std::string_view key = encode_key(values, table.key.columns, scratch);
    if (const buffered_record* const record = mine.buffer.find(key); record != nullptr && record->written > after)
      return true;
    for (std::size_t at = mine.flushed.size(); at > 0 && mine.flushed_at[at - 1] > after; --at) {
      const result<shared<key_index>> index = index_of(lake, table, mine.flushed[at - 1]);
      if (!index) return index.error();
      if ((*index)->find(key).at) return true;
    }
    return false;
  }

  // Whether these rows may be inserted, one after the other: errc::exists if there is one with a row's key, errc::late
  // if a greater ordering hides it. The first look at a bucket reads its keys, which the client then remembers within
  // limits::key_index_bytes_max; a later one costs a search in each object.
  template <class Rows>
  [[nodiscard]] status check_new(core& lake, const table_state& table, const Rows& rows) const {
    record_buffer seen;
    std::string scratch;
    std::size_t number = 0;
    for (const row_view each : rows) {
      status fresh = check_new_key(lake, table, each.values());
      if (fresh && rows.size() > 1) {
        if (seen.find(encode_key(each.values(), table.key.columns, scratch)) != nullptr)
          fresh = refused(errc::exists, table, each.values(), "is another row's");
        seen.write({true, key_state::nothing}, each.values(), table.key, {}, {}, 0);
      }
      if (!fresh) return fresh.error().within(describe_row(number, rows.size(), table.name));
      ++number;
    }
    return {};
  }

  // The row that has the key of `values`; errc::not_found if none has. Costs, besides, reading its object up to it.
  [[nodiscard]] result<row> get(core& lake, const table_state& table, const list_view& values) const {
    search found;
    if (const status good = find(lake, table, values, found); !good) return good.error();
    if (found.now.state != key_state::live)
      return error(errc::not_found, concat({"table ", table.name, " has no row with the key ",
                                            describe_key(values, table.key.columns)}));
    if (found.object != nullptr) return read_row(lake, table, *found.object, found.number);
    return row(found.buffered->content.values.begin(), found.buffered->content.values.end());
  }

  [[nodiscard]] bool wrote() const noexcept {
    for (const bucket_writes& each : buckets_)
      if (!each.flushed.empty() || !each.buffer.empty()) return true;
    return false;
  }

  // What the entry says of it, in the order in which it was flushed within each bucket.
  void append_actions(sequence<action>& to) const {
    for (const bucket_writes& each : buckets_)
      for (const keyed_object& object : each.flushed)
        to.push_back({action_kind::add_block, {}, {}, object.object, {}, object.block});
  }

 private:
  [[nodiscard]] static error refused(errc code, const table_state& table, const list_view& values,
                                     std::string_view why) {
    return {code, concat({"the key ", describe_key(values, table.key.columns), " ", why})};
  }

  [[nodiscard]] status check_new_key(core& lake, const table_state& table, const list_view& values) const {
    search found;
    if (const status good = find(lake, table, values, found); !good) return good;
    if (found.now.state == key_state::live)
      return refused(errc::exists, table, values, "exists: use upsert to replace its row");
    if (!table.key.ordered()) return {};
    const value_view ordering = values[table.key.ordering];
    if (counts_after(found.now, list_view(&ordering, 1), found.key)) return {};
    return refused(errc::late, table, values, "was erased with a greater ordering");
  }

  [[nodiscard]] status flush(core& lake, const table_state& table, const shared_snapshot& state, std::uint32_t bucket,
                             object_flushes<Store, Codec>& flushes) {
    bucket_writes& mine = buckets_[bucket];
    const status flushed = flush_bucket<Merge>(lake, table, bucket, mine, state, flushes);
    if (mine.flushed_at.size() < mine.flushed.size()) mine.flushed_at.push_back(writes_);
    return flushed;
  }

  // The fold of what is known of one key, and which record it is.
  struct search {
    folded now;                            // its only value, if the table has one, is the ordering
    table_key key;                         // of such values
    const keyed_object* object = nullptr;  // that has the record; null: `buffered`
    std::uint64_t number = 0;
    const buffered_record* buffered = nullptr;
    shared<key_index> index;  // of that object: `now` looks into it
    value_view ordering;      // of `buffered`
  };

  [[nodiscard]] status find(core& lake, const table_state& table, const list_view& values, search& found) const {
    const std::uint32_t bucket = bucket_of(values, table.key.columns, table.key.buckets);
    const bucket_writes& mine = buckets_[bucket];
    std::string scratch;
    const std::string_view key = encode_key(values, table.key.columns, scratch);
    if (table.key.ordered()) found.key.ordering = 0;
    for (const sequence<keyed_object>* const objects : {&table.buckets[bucket]->objects, &mine.flushed})
      for (const keyed_object& each : *objects)
        if (const status good = look_into(lake, table, each, key, found); !good) return good;
    const buffered_record* const record = mine.buffer.find(key);
    if (record == nullptr) return {};
    if (table.key.ordered()) found.ordering = record->content.values[table.key.ordering];
    if (!fold(found.now, record->content.done, list_view(&found.ordering, 1), found.key)) return {};
    found.buffered = record;
    found.object = nullptr;
    return {};
  }

  [[nodiscard]] static status look_into(core& lake, const table_state& table, const keyed_object& object,
                                        std::string_view key, search& found) {
    const result<shared<key_index>> index = index_of(lake, table, object);
    if (!index) return index.error();
    const base_place place = (*index)->find(key);
    if (!place.at) return {};
    const indexed_record record = (**index)[static_cast<std::size_t>(place.index)];
    if (!fold(found.now, record.done, record.ordering, found.key)) return {};
    found.index = *index;
    found.object = &object;
    found.number = place.index;
    return {};
  }

  [[nodiscard]] static result<row> read_row(core& lake, const table_state& table, const keyed_object& object,
                                            std::uint64_t number) {
    result<record_source_of<Store, Codec>> records = record_source_of<Store, Codec>::open(lake, table, object);
    if (!records) return records.error();
    for (std::uint64_t at = 0; at <= number; ++at)
      if (!records->next())
        return records->status() ? error(errc::corrupt, concat({records->describe(), " has fewer rows than before"}))
                                 : records->status().error();
    const list_view values = records->current().values;
    return row(values.begin(), values.end());
  }

  sequence<bucket_writes> buckets_;
  std::uint64_t writes_ = 0;
};

}  // namespace tarn::inline TARN_ABI
