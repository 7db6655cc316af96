// Whether two transactions have keys in common: what the rules of table/conflict.hpp ask, answered from the objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "../log/entry.hpp"
#include "../log/names.hpp"
#include "../merge/key.hpp"
#include "../merge/strategy.hpp"
#include "client_core.hpp"
#include "key_bounds.hpp"
#include "key_index.hpp"
#include "keyed_bucket.hpp"
#include "pending_tables.hpp"
#include "read_set.hpp"

namespace tarn::inline TARN_ABI {

// Models key_comparison (table/conflict.hpp). Looks at what costs least first: the bucket, the bounds of the keys, and
// only then the keys, which are those of the winner's object against a read set or one's own objects. All of these are
// remembered as other keys are (limits::key_index_bytes_max). What it has looked at is counted in the client's
// conflict_statistics.
template <class Store, row_codec Codec, merge_strategy Merge>
class key_conflicts {
 public:
  using core = client_core<Store, Codec>;
  using tables = pending_tables<Store, Codec, Merge>;

  // `used` is what the transaction has done; all of it must have been flushed. Both must outlive this.
  key_conflicts(core& lake, const tables& used) noexcept : lake_(lake), used_(used) {}

  // Errors: see `keys_in`. One `get`, unless the bounds settle it.
  [[nodiscard]] result<std::string> find_read(const std::string& table, const read_set& reads, const action& theirs) {
    const table_state& state = state_of(table);
    if (reads.is_whole()) return std::string("keys, of which it has read more than limits::read_keys_max");
    ++lake_.conflicts.compared;
    const key_span span = span_of_keys(state, theirs.object);
    if (!may_be_in(reads, theirs.block.bucket, span)) return std::string();
    const result<shared<key_index>> index = keys_of(state, theirs);
    if (!index) return index.error();
    for (std::size_t at = first_in(reads, span); at < reads.keys().size(); ++at) {
      const read_key& each = reads.keys()[at];
      if (span.bounded && each.key > span.last) break;
      if (each.bucket == theirs.block.bucket && (*index)->find(each.key).at) return describe(state, each.key);
    }
    for (const key_range& each : reads.ranges()) {
      const auto from = static_cast<std::size_t>((*index)->find(each.first).index);
      if (from < (*index)->size() && (*index)->key(from) < each.last) return describe(state, (*index)->key(from));
    }
    return std::string();
  }

  // Errors: see `keys_in`. One `get`, and one for each object of one's own, unless the bounds settle it.
  [[nodiscard]] result<std::string> find_written(const std::string& table, const action& theirs) {
    const auto& slot = *used_.used().find(table);
    const table_state& state = *slot.state();
    ++lake_.conflicts.compared;
    if (theirs.block.bucket >= slot.keys().buckets().size()) return std::string();
    for (const keyed_object& own : slot.keys().buckets()[theirs.block.bucket].flushed) {
      if (!may_share_keys(state, own.object, theirs.object)) continue;
      const result<shared<key_index>> their_keys = keys_of(state, theirs);
      if (!their_keys) return their_keys.error();
      const result<shared<key_index>> own_keys = keys_in(state, own);
      if (!own_keys) return own_keys.error();
      if (const std::size_t at = find_common(**own_keys, **their_keys); at < (*own_keys)->size())
        return describe(state, (*own_keys)->key(at));
    }
    return std::string();
  }

 private:
  [[nodiscard]] const table_state& state_of(const std::string& table) const {
    return *used_.used().find(table)->state();
  }

  // The first read key that is not before the span.
  [[nodiscard]] static std::size_t first_in(const read_set& reads, const key_span& span) noexcept {
    if (!span.bounded) return 0;
    return lower_bound(reads.keys().begin(), reads.keys().size(),
                       [&](const read_key& each) { return each.key < span.first; });
  }

  // Whether anything in that bucket and span was read.
  [[nodiscard]] static bool may_be_in(const read_set& reads, std::uint32_t bucket, const key_span& span) noexcept {
    for (const key_range& each : reads.ranges())
      if (span.overlaps(each)) return true;
    for (std::size_t at = first_in(reads, span); at < reads.keys().size(); ++at) {
      if (span.bounded && reads.keys()[at].key > span.last) return false;
      if (reads.keys()[at].bucket == bucket) return true;
    }
    return false;
  }

  // The index in `own` of a key that is in both, or its size. O(keys of both).
  [[nodiscard]] static std::size_t find_common(const key_index& own, const key_index& theirs) noexcept {
    std::size_t at = 0;
    for (std::size_t other = 0; at < own.size() && other < theirs.size();) {
      const int order = own.key(at).compare(theirs.key(other));
      if (order == 0) return at;
      ++(order < 0 ? at : other);
    }
    return own.size();
  }

  // Of the object in a winner's block.
  [[nodiscard]] result<shared<key_index>> keys_of(const table_state& state, const action& theirs) {
    if (!lake_.key_indexes.find(theirs.object.id)) ++lake_.conflicts.objects_read;
    return keys_in(state, {theirs.object, theirs.block, {}});
  }
  // errc::expired if a vacuum has taken the object meanwhile: what cannot be compared cannot be followed.
  [[nodiscard]] result<shared<key_index>> keys_in(const table_state& state, const keyed_object& object) {
    const result<shared<key_index>> index = index_of(lake_, state, object);
    if (index || index.error().code() != errc::snapshot_expired) return index;
    return error(errc::expired, index.error().message());
  }

  [[nodiscard]] static std::string describe(const table_state& state, std::string_view key) {
    sequence<kind> kinds;
    for (const std::uint32_t place : state.key.columns)
      kinds.push_back(static_cast<kind>(state.columns[place].type));  // declared, so the kind of all values
    return concat({"key ", describe_key(key, kinds)});
  }

  core& lake_;
  const tables& used_;
};

}  // namespace tarn::inline TARN_ABI
