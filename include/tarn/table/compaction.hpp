// Compaction: replaces the objects of a bucket by one in base form that holds what they fold to, and neighbours in a
// bag by one with the rows that are left of them. Reading gets faster; no answer changes, then or later.
//
//   plan      which objects, at which version        nothing is read or written; a plan is a value
//   run       put them into a new object             any time later, in another thread or process: objects never change
//   commit    one log entry: out with them, in with it
//
// Writers to a bag go on meanwhile, but if they delete rows of planned objects, the compaction fails: the rows would
// return. (bag_compaction.hpp has what is special about bags.)
//
// Writers to a keyed table go on meanwhile, too. What they commit after the plan comes after the new base in order, so
// it is a delta of it; its positions, counted in the old base, do not hold any more, and its block says so. Ordered
// tombstones stay, as rows: without them a late record could bring an erased row back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../codec/json_parser.hpp"
#include "../codec/json_writer.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/new_id.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/json_fields.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_reader.hpp"
#include "../merge/record.hpp"
#include "client_core.hpp"
#include "key_index.hpp"
#include "keyed_bucket.hpp"
#include "keyed_writer.hpp"
#include "object_flushes.hpp"

namespace tarn::inline TARN_ABI {

// All objects of one bucket, or neighbours in a bag, at one version.
struct compaction_plan {
  std::string table;
  uuid table_id;
  std::uint32_t bucket = 0;
  version at;
  sequence<uuid> objects;  // in order
};

// A plan that was run. Its object is garbage until it is committed.
struct compacted_objects {
  compaction_plan plan;  // of those planned objects that were compacted: of a bag's, perhaps only the first ones
  data_object object;    // nil: no row is left of them
};

// As JSON, to be stored or sent.
template <class = void>
[[nodiscard]] std::string to_text(const compaction_plan& plan) {
  std::string out = R"({"Table":)";
  append_json_string(out, plan.table);
  out += concat({R"(,"TableId":")", to_text(plan.table_id), R"(","Bucket":)", plan.bucket, R"(,"Version":)",
                 plan.at.number, R"(,"Objects":[)"});
  for (const uuid& each : plan.objects)
    out += concat({&each == plan.objects.begin() ? "\"" : ",\"", to_text(each), "\""});
  append_text(out, "]}");
  return out;
}

// errc::corrupt if it is no plan's text.
template <class = void>
[[nodiscard]] result<compaction_plan> read_plan(std::string_view text) {
  arena memory;
  const result<value_view> document = parse_json(text, memory);
  if (!document) return error(errc::corrupt, concat({"the plan is not JSON: ", document.error().message()}));
  json_fields fields(*document, "the plan");
  compaction_plan plan;
  plan.table = fields.string("Table");
  plan.table_id = fields.id("TableId");
  plan.bucket = table_json::read_number32(fields, "Bucket", 0);
  plan.at = {fields.integer("Version", 0)};
  plan.objects = table_json::read_ids(fields, "Objects");
  if (!fields.state()) return fields.state().error();
  return plan;
}

// Whether there is more than a base.
template <class = void>
[[nodiscard]] bool is_worth_folding(const bucket_state& bucket) noexcept {
  return bucket.objects.size() > (bucket.base() != nullptr ? 1U : 0U);
}

template <class = void>
[[nodiscard]] compaction_plan plan_bucket(const table_state& table, std::uint32_t bucket, version at) {
  compaction_plan plan{table.name, table.id, bucket, at, {}};
  for (const keyed_object& each : table.buckets[bucket]->objects) plan.objects.push_back(each.object.id);
  return plan;
}

namespace compaction_detail {

// Whether the planned objects are all that the bucket has.
template <class = void>
[[nodiscard]] bool has_planned_bucket(const table_state& table, const compaction_plan& plan) noexcept {
  if (plan.bucket >= table.buckets.size()) return false;
  const sequence<keyed_object>& objects = table.buckets[plan.bucket]->objects;
  if (objects.size() != plan.objects.size()) return false;
  for (std::size_t at = 0; at < objects.size(); ++at)
    if (objects[at].object.id != plan.objects[at]) return false;
  return true;
}

// Whether the planned objects are neighbours in the bag.
template <class = void>
[[nodiscard]] bool has_planned_neighbours(const table_state& table, const compaction_plan& plan) noexcept {
  const std::size_t first = table.objects.find(plan.objects.front());
  if (plan.objects.size() > table.objects.size() - first) return false;
  for (std::size_t at = 0; at < plan.objects.size(); ++at)
    if (table.objects[first + at].object.id != plan.objects[at]) return false;
  return true;
}

}  // namespace compaction_detail

// The planned objects' table, if it has them in this state; else null.
template <class = void>
[[nodiscard]] const table_state* find_planned(const snapshot& state, const compaction_plan& plan) noexcept {
  const table_state* const table = state.find_table(plan.table);
  if (table == nullptr || table->id != plan.table_id || plan.objects.empty()) return nullptr;
  const bool has = table->key.empty() ? compaction_detail::has_planned_neighbours(*table, plan)
                                      : compaction_detail::has_planned_bucket(*table, plan);
  return has ? table : nullptr;
}

// The same in the state at the plan's version; errc::invalid_argument if the plan is not of this lake.
template <class = void>
[[nodiscard]] result<const table_state*> planned_table(const snapshot& state, const compaction_plan& plan) {
  if (const table_state* const table = find_planned(state, plan); table != nullptr) return table;
  return error(errc::invalid_argument,
               concat({"the plan to compact table ", plan.table, " is not of this lake: at version ", plan.at.number,
                       " the table, or its bucket ", plan.bucket, ", has other objects"}));
}

// Makes it the plan for `state`, a newer one: of all that a bucket has now, of the same objects of a bag. False if they
// are not there any more.
template <class = void>
[[nodiscard]] bool renew_plan(compaction_plan& plan, const snapshot& state) {
  const table_state* const table = state.find_table(plan.table);
  if (table == nullptr || table->id != plan.table_id) return false;
  if (!table->key.empty()) plan = plan_bucket(*table, plan.bucket, state.at);
  plan.at = state.at;
  return find_planned(state, plan) != nullptr;
}

// Folds the planned objects of `table` into a new one. Memory: the new object, whose keys the client then remembers, if
// they are within limits::key_index_bytes_max.
template <merge_strategy Merge, class Store, row_codec Codec>
[[nodiscard]] result<data_object> fold_bucket(client_core<Store, Codec>& lake, const table_state& table,
                                              const compaction_plan& plan, timestamp earliest_birth) {
  const keyed_bucket<Store, Codec, Merge> bucket(*table.buckets[plan.bucket], nullptr);
  std::uint64_t bytes = 0;
  auto merged = bucket.open(lake, table, verification::of_order, bytes);
  if (!merged) return merged.error();
  const result<uuid> id = new_id(lake.options.surroundings, earliest_birth);
  if (!id) return id.error();
  keyed_writer<Store, Codec> writer(lake, table, *id, object_form::base);
  // Null: the client would not remember it, so nor does this.
  auto index = Merge::records_positions ? shared<key_index>::make() : shared<key_index>();
  std::string scratch;
  while (merged->next(true)) {
    const folded& now = merged->current();
    const record kept{{false, now.state}, {}, now.values};
    if (const status appended = writer.append(kept); !appended) return appended.error();
    if (index)
      (void)index->append(encode_key(now.values, table.key.columns, scratch), kept.done, now.values, table.key);
    if (index && index->byte_size() > lake.options.bounds.key_index_bytes_max) index = {};
  }
  if (!merged->status()) return merged->status().error();
  object_flushes<Store, Codec> at_once;  // and none into an entry: others read it, and it stays
  result<data_object> base = writer.put(at_once);
  if (!base) return base;
  if (index) lake.key_indexes.insert(*id, std::move(index), lake.options.bounds.key_index_bytes_max);
  return base;
}

// What the log says of a compaction of `table`.
template <class = void>
[[nodiscard]] sequence<action> compaction_actions(const table_state& table, const compacted_objects& done) {
  sequence<action> actions;
  if (table.key.empty()) {
    actions.push_back({action_kind::replace_objects, {}, {}, done.object});
    actions.back().replaced = done.plan.objects;
    return actions;
  }
  block_header block;
  block.bucket = done.plan.bucket;
  for (const uuid& each : done.plan.objects) {
    action& removed = actions.emplace_back(action{action_kind::remove_object, {}, {}, {}, {}, block});
    removed.object.id = each;
  }
  block.form = object_form::base;
  block.read_version = done.plan.at;
  block.compacted = true;
  actions.push_back({action_kind::add_block, {}, {}, done.object, {}, block});
  return actions;
}

}  // namespace tarn::inline TARN_ABI
