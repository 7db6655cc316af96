// One bucket of a keyed table as a transaction sees it: the snapshot's objects, then the transaction's own, then its
// buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/new_id.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../merge/record.hpp"
#include "../merge/slice_merge.hpp"
#include "../merge/strategy.hpp"
#include "../store/put_object.hpp"
#include "client_core.hpp"
#include "explain.hpp"
#include "key_index.hpp"
#include "merged_columns.hpp"
#include "record_buffer.hpp"
#include "record_columns.hpp"
#include "record_sources.hpp"

namespace tarn::inline TARN_ABI {

// What a transaction has written to a bucket.
struct bucket_writes {
  record_buffer buffer;
  sequence<keyed_object> flushed;      // put into the store, not committed; their order is not yet known
  sequence<std::uint64_t> flushed_at;  // how many writes the transaction had made when each was
};

// The instant of the base that such a transaction reads: the snapshot's, or its own; nil if there is none.
template <class = void>
[[nodiscard]] uuid base_of(const bucket_state& committed, const bucket_writes* own) noexcept {
  const sequence<keyed_object>* const first =
      !committed.objects.empty() || own == nullptr ? &committed.objects : &own->flushed;
  return !first->empty() && first->front().block.form == object_form::base ? first->front().object.id : uuid();
}

// The slice that a reader of a bucket reads, and what it is made of. Copies what it needs of the arguments: it can be
// kept while the transaction writes on.
template <class Store, row_codec Codec, merge_strategy Merge>
class keyed_bucket {
 public:
  using core = client_core<Store, Codec>;
  using source = record_source_of<Store, Codec>;
  using merge_type = slice_merge<source>;

  // `own` is what the transaction wrote; null: nothing.
  keyed_bucket(const bucket_state& committed, const bucket_writes* own)
      : objects_(committed.objects), since_(committed.since), base_(base_of(committed, own)) {
    if (own != nullptr) {
      if (objects_.empty()) since_ = {INT64_MAX};  // of its own base, which no version has yet
      for (const keyed_object& each : own->flushed) objects_.push_back(each);
      buffered_ = own->buffer.sorted();
    }
    // What the buffer knows of other bases means nothing here.
    for (buffered_record& each : buffered_.records)
      if (base_.is_nil() || each.base != base_) each.content.place.known = false;
  }

  // A merge of all of it, from its first key on. One `get` for each object. `table` must outlive it.
  [[nodiscard]] result<merge_type> open(core& lake, const table_state& table, verification checks,
                                        std::uint64_t& bytes) const {
    merge_type merged(table.key, checks);
    const auto open_object = [&](const keyed_object& each) { return source::open(lake, table, each); };
    if (const status added = add_objects(open_object, bytes, merged); !added) return added.error();
    if (!buffered_.records.empty()) merged.add_run(source(buffered_), buffer_has_positions());
    return merged;
  }
  // The same, of columns, which must outlive it.
  [[nodiscard]] result<merged_columns<Store, Codec>> open_columns(core& lake, const table_state& table,
                                                                  const schema& columns, std::uint64_t& bytes) const {
    using columns_type = record_columns<Store, Codec>;
    merged_columns<Store, Codec> merged(table, columns);
    const auto open_object = [&](const keyed_object& each) { return columns_type::open(lake, table, each, columns); };
    if (const status added = add_objects(open_object, bytes, merged); !added) return added.error();
    if (!buffered_.records.empty()) merged.add_run(columns_type(table, buffered_, columns), buffer_has_positions());
    return merged;
  }

  // Appends what `open` would read; `bucket` is which one this is.
  void explain(std::uint32_t bucket, explanation& runs) const {
    for (std::size_t at = 0; at < objects_.size(); ++at) {
      const keyed_object& each = objects_[at];
      runs.push_back({bucket, each.object.id, each.order.at, each.object.rows, placement_of(at)});
    }
    if (!buffered_.records.empty())
      runs.push_back({bucket, uuid(), version(), buffered_.records.size(), placement_of_buffer()});
  }

  // Its only object, if it is a base and nothing has come since; else null: there is something to merge.
  [[nodiscard]] const keyed_object* base_alone() const noexcept {
    return !base_.is_nil() && objects_.size() == 1 && buffered_.records.empty() ? objects_.data() : nullptr;
  }
  // The instant of its base; nil if it has none.
  [[nodiscard]] const uuid& base() const noexcept { return base_; }
  [[nodiscard]] const sequence<keyed_object>& objects() const noexcept { return objects_; }

 private:
  // What `open_object` makes of each, in commit order.
  template <class Open, class Merged>
  [[nodiscard]] status add_objects(const Open& open_object, std::uint64_t& bytes, Merged& to) const {
    for (std::size_t at = 0; at < objects_.size(); ++at) {
      auto opened = open_object(objects_[at]);
      if (!opened) return opened.error();
      bytes += opened->byte_size();
      if (placement_of(at) == placement::is_base)
        to.set_base(*std::move(opened), objects_[at].object.rows);
      else
        to.add_run(*std::move(opened), placement_of(at) == placement::by_position);
    }
    return {};
  }

  [[nodiscard]] placement placement_of(std::size_t object) const noexcept {
    if (base_.is_nil()) return placement::without_base;
    if (object == 0) return placement::is_base;
    const block_header& block = objects_[object].block;
    if (block.base.is_nil()) return placement::without_positions;
    return Merge::positions_hold(block, base_, since_) ? placement::by_position : placement::positions_unused;
  }
  // Of the transaction's own records, as far as they have positions.
  [[nodiscard]] placement placement_of_buffer() const noexcept {
    if (base_.is_nil()) return placement::without_base;
    return Merge::records_positions ? placement::by_position : placement::without_positions;
  }
  [[nodiscard]] bool buffer_has_positions() const noexcept { return placement_of_buffer() == placement::by_position; }

  sequence<keyed_object> objects_;
  version since_;
  uuid base_;
  buffered_records buffered_;
};

namespace keyed_bucket_detail {

// An object's keys, column by column.
template <class Store, row_codec Codec>
[[nodiscard]] status append_keys(client_core<Store, Codec>& lake, const table_state& table, const keyed_object& object,
                                 key_index& to) {
  const schema no_others;
  auto records = record_columns<Store, Codec>::open(lake, table, object, no_others);
  if (!records) return records.error();
  record each;
  std::string scratch;
  while (records->next() && records->read_keys())
    for (std::size_t at = 0; at < records->rows(); ++at) {
      records->read_record(at, each);
      const std::string_view key = encode_key(each.values, table.key.columns, scratch);
      if (!to.append(key, each.done, each.values, table.key))
        return error(errc::corrupt, concat({records->describe(), " has records that are not sorted by key"}));
    }
  return records->status();
}

}  // namespace keyed_bucket_detail

// The index of an object's keys: remembered, or read from the store.
template <class Store, row_codec Codec>
[[nodiscard]] result<shared<key_index>> index_of(client_core<Store, Codec>& lake, const table_state& table,
                                                 const keyed_object& object) {
  if (shared<key_index> known = lake.key_indexes.find(object.object.id); known) return known;
  auto index = shared<key_index>::make();
  if (const status read = keyed_bucket_detail::append_keys(lake, table, object, *index); !read) return read.error();
  lake.key_indexes.insert(object.object.id, index, lake.options.bounds.key_index_bytes_max);
  return index;
}

}  // namespace tarn::inline TARN_ABI
