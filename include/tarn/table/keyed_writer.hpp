// Writing keyed objects: base form and delta form (merge/record.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/new_id.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "../merge/record.hpp"
#include "../merge/strategy.hpp"
#include "bounds_builder.hpp"
#include "client_core.hpp"
#include "key_index.hpp"
#include "keyed_bucket.hpp"
#include "object_flushes.hpp"
#include "object_writer.hpp"

namespace tarn::inline TARN_ABI {

// One object in the making. Memory: the object.
template <class Store, row_codec Codec>
class keyed_writer {
 public:
  using core = client_core<Store, Codec>;

  // `id` is the object's; see `new_id`.
  keyed_writer(core& lake, const table_state& table, const uuid& id, object_form form)
      : lake_(&lake),
        table_(&table),
        id_(id),
        form_(form),
        rows_(lake.codec.build(object_identity{table.name, id}, limits_of_records(lake.options.bounds))),
        bounds_(table.columns, table.key.columns, lake.options.bounds) {}

  // In order of key, each key once.
  [[nodiscard]] status append(const record& each) {
    row_.clear();
    row_.emplace_back(encode_operation(each.done));
    if (form_ == object_form::delta) row_.emplace_back(encode_place(each.place));
    for (std::size_t at = 0; at < table_->columns.size(); ++at)
      row_.emplace_back(each.done.then == key_state::live || is_kept(at) ? each.values[at] : value_view());
    if (const status appended = rows_.append(list_view(row_.data(), row_.size())); !appended) return appended;
    bounds_.add(each.values);
    return {};
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_.rows(); }
  [[nodiscard]] result<data_object> put(object_flushes<Store, Codec>& flushes) {
    result<data_object> object = put_rows(*lake_, *table_, id_, rows_, flushes);
    if (object) object->bounds = bounds_.finish();
    return object;
  }

 private:
  using builder = decltype(std::declval<const Codec&>().build(object_identity{}, limits{}));

  // The columns that an erase keeps.
  [[nodiscard]] bool is_kept(std::size_t column) const noexcept {
    if (column == table_->key.ordering) return true;
    for (const std::uint32_t place : table_->key.columns)
      if (place == column) return true;
    return false;
  }

  core* lake_;
  const table_state* table_;
  uuid id_;
  object_form form_;
  builder rows_;
  bounds_builder<> bounds_;  // of the key
  sequence<value_view> row_;
};

// Puts what is in the buffer of bucket number `bucket` into an object, and empties it. `mine` has what the transaction
// wrote before; the positions are those in the snapshot's base, or in the transaction's own.
template <merge_strategy Merge, class Store, row_codec Codec>
[[nodiscard]] status flush_bucket(client_core<Store, Codec>& lake, const table_state& table, std::uint32_t bucket,
                                  bucket_writes& mine, const shared_snapshot& state,
                                  object_flushes<Store, Codec>& flushes) {
  if (mine.buffer.empty()) return {};
  const bucket_state& committed = *table.buckets[bucket];
  const bool first = committed.objects.empty() && mine.flushed.empty();
  block_header header;
  header.bucket = bucket;
  header.read_version = state->at;
  // A plain erase is about what others may have committed first; a base says nothing of it.
  header.form = first && !mine.buffer.resets() ? object_form::base : object_form::delta;

  const result<uuid> id = new_id(lake.options.surroundings, state->time);
  if (!id) return id.error();
  keyed_writer<Store, Codec> writer(lake, table, *id, header.form);
  const uuid base = base_of(committed, &mine);
  const shared<key_index> positions =
      Merge::records_positions && !base.is_nil() ? lake.key_indexes.find(base) : shared<key_index>();
  base_place last;  // that was looked up
  for (const ordered_record& each : mine.buffer.in_order()) {
    record written = each.record->content;
    if (!Merge::records_positions || base.is_nil() || each.record->base != base) written.place = {};
    if (positions && !written.place.known) written.place = last = positions->find_after(last, each.record->key);
    if (written.place.known) header.base = base;
    if (header.form == object_form::base) written.place = {};
    if (const status appended = writer.append(written); !appended)
      return appended.error().within(
          concat({"table ", table.name, ", key ", describe_key(written.values, table.key.columns)}));
  }
  const result<data_object> object = writer.put(flushes);
  if (!object) return object.error();
  mine.flushed.push_back({*object, header, {}});
  mine.buffer.clear();
  return {};
}

}  // namespace tarn::inline TARN_ABI
