// What an entry makes of the state before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "application.hpp"
#include "entry.hpp"
#include "names.hpp"
#include "snapshot.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

namespace apply_detail {

// An id for a table of the article's, which has none of its own: a UUIDv8 that says where in the log it was created.
template <class = void>
[[nodiscard]] uuid id_for_table_of_article(version at, std::size_t place_in_entry) noexcept {
  return {static_cast<std::uint64_t>(at.number) << 16 | 0x8000U, 0x8000'0000'0000'0000U | place_in_entry};
}

// The article's program may have made these; their objects' names would collide where file names ignore case.
template <class = void>
[[nodiscard]] error tables_differing_in_case(std::string_view one, std::string_view other) {
  return {errc::unsupported, concat({"the lake has the tables ", one, " and ", other,
                                     ", whose names differ in case only: "
                                     "tarn cannot read such lakes"})};
}

// False if the change does not fit: it removes what is not there, or adds what a compaction has not folded all of.
template <class = void>
[[nodiscard]] bool apply_to_bucket(bucket_state& bucket, const action& change, version at, std::size_t place_in_entry) {
  sequence<keyed_object>& objects = bucket.objects;
  if (change.kind == action_kind::remove_object) {
    std::size_t found = 0;
    while (found < objects.size() && objects[found].object.id != change.object.id) ++found;
    if (found == objects.size()) return false;
    objects.erase(found);
    return true;
  }
  if (change.block.read_version >= at) return false;  // of what its writer cannot have read
  keyed_object added{change.object, change.block, {at, static_cast<std::uint32_t>(place_in_entry)}};
  if (change.block.compacted) added.order = {change.block.read_version, object_order::end};
  const bool first = objects.empty();
  if (change.block.compacted && !first && objects[0].order <= added.order) return false;
  if (first || change.block.compacted) bucket.since = at;
  objects.insert(change.block.compacted ? 0 : objects.size(), std::move(added));
  return true;
}

template <class = void>
[[nodiscard]] bool has_known_schema(const table_state& table, const data_object& added) noexcept {
  return added.schema_number <= table.schema_number();
}

template <class = void>
[[nodiscard]] bool delete_rows(table_state& table, const action& change) {
  const std::size_t at = table.objects.find(change.object.id);
  if (at == table.objects.size()) return false;
  bag_object& changed = table.objects.writable(at);
  if (changed.object.described && !change.rows.is_below(changed.object.rows)) return false;
  changed.deleted.writable().add(change.rows);
  return true;
}

template <class = void>
[[nodiscard]] bool replace_objects(table_state& table, const action& change) {
  const std::size_t first = change.replaced.empty() ? table.objects.size() : table.objects.find(change.replaced[0]);
  if (change.replaced.size() > table.objects.size() - first) return false;
  for (std::size_t at = 0; at < change.replaced.size(); ++at)
    if (table.objects[first + at].object.id != change.replaced[at]) return false;
  if (change.replaced.empty() || !has_known_schema(table, change.object)) return false;
  const bag_object added{change.object};
  table.objects.replace(first, change.replaced.size(), change.object.id.is_nil() ? nullptr : &added);
  return true;
}

// What bases are, and the ids that were given to columns, are not undone.
template <class = void>
void restore(snapshot& state, std::string_view table, const table_state& former, version at) {
  table_state restored = former;
  for (copy_on_write<bucket_state>& each : restored.buckets) each.writable().since = at;
  copy_on_write<table_state>& current = state.tables.find_or_insert(table);
  if (current->last_column > restored.last_column) restored.last_column = current->last_column;
  current = copy_on_write<table_state>(std::move(restored));
}

template <class = void>
[[nodiscard]] table_state make_table(const entry& next, std::string_view table, const action& change,
                                     std::size_t place_in_entry) {
  const uuid id = next.of_article ? id_for_table_of_article(next.at, place_in_entry) : change.table_id;
  table_state made{std::string(table), id, change.columns, {}, change.key, {}};
  if (!made.key.empty())
    for (std::uint32_t at = 0; at < made.key.buckets; ++at) made.buckets.emplace_back();
  made.last_column = change.columns.last_id();
  return made;
}

// What is wrong with a change of the objects of a table, which is then as it was; nothing: it is made.
template <class = void>
[[nodiscard]] std::string_view change_objects(copy_on_write<table_state>& table, const entry& next,
                                              const action& change, std::size_t place_in_entry) {
  const bool adds_rows = change.kind == action_kind::add_object || change.kind == action_kind::add_block;
  if (adds_rows && !has_known_schema(*table, change.object)) return "adds an object with unknown columns to";
  if (change.kind == action_kind::delete_rows)
    return delete_rows(table.writable(), change) ? "" : "deletes rows that are not in";
  if (change.kind == action_kind::replace_objects)
    return replace_objects(table.writable(), change) ? "" : "replaces objects that are not in";
  if (change.kind == action_kind::add_object) {
    if (!table->key.empty()) return "adds a bag's object to the keyed";
    table.writable().objects.push_back({change.object});
    return "";
  }
  if (change.block.bucket >= table->buckets.size()) return "names a missing bucket of";
  bucket_state& bucket = table.writable().buckets[change.block.bucket].writable();
  return apply_to_bucket(bucket, change, next.at, place_in_entry) ? "" : "adds or removes out of order an object of";
}

template <class = void>
[[nodiscard]] status apply_action(snapshot& state, const entry& next, std::string_view table, const action& change,
                                  std::size_t place_in_entry) {
  const auto inconsistent = [&](std::string_view what) {
    return error(errc::corrupt,
                 concat({"version ", next.at.number, " (", entry_name(next.at), ") ", what, " table ", table}));
  };
  copy_on_write<table_state>* const found = state.tables.find(table);
  const bool exists = found != nullptr && (*found)->name == table;
  // The id tells which: an entry may go on to create a table whose name differs in case, and has one name for both.
  const bool is_meant = found != nullptr && (*found)->id == change.table_id;
  switch (change.kind) {
    case action_kind::create_table:
      if (found != nullptr && next.of_article && !exists) return tables_differing_in_case((*found)->name, table);
      if (found != nullptr) return inconsistent("creates the existing");
      state.tables.find_or_insert(table, make_table(next, table, change, place_in_entry));
      return {};
    case action_kind::drop_table:
      if (!is_meant) return inconsistent("drops the missing");
      state.tables.erase(table);
      return {};
    case action_kind::alter_table:
      if (!is_meant) return inconsistent("alters the missing");
      if (!change_columns(found->writable(), change.columns))
        return inconsistent("takes away or changes a column of the key or the ordering of");
      return {};
    case action_kind::restore_table: restore(state, table, *change.restored, next.at); return {};
    default: break;
  }
  if (!exists) return inconsistent("changes objects of the missing");
  const std::string_view wrong = change_objects(*found, next, change, place_in_entry);
  return wrong.empty() ? status() : inconsistent(wrong);
}

template <class = void>
void set_tag(sequence<version_tag>& tags, const version_tag& changed) {
  const std::size_t at = lower_bound(tags.begin(), tags.size(),
                                     [&](const version_tag& each) { return each.name.compare(changed.name) < 0; });
  if (at < tags.size() && tags[at].name == changed.name) tags.erase(at);
  if (changed.at != version()) tags.insert(at, changed);
}

}  // namespace apply_detail

// Whether `next` was made to follow version `before`, whose bytes have the checksum `checksum_before`. The article's
// entries do not say.
template <class = void>
[[nodiscard]] status check_link(version before, std::uint32_t checksum_before, const entry& next) {
  const auto broken = [&](std::string_view how) {
    return error(errc::corrupt, concat({"version ", next.at.number, " (", entry_name(next.at), ") ", how, " version ",
                                        before.number}));
  };
  if (next.at != before.next()) return broken("does not follow");
  if (!next.of_article && next.previous_checksum != checksum_before)
    return broken("is off the chain: it was made to follow other bytes than those of");
  return {};
}

// Makes `state` the state after `next`, whose bytes have the checksum `entry_checksum`. errc::corrupt if it does not
// follow, errc::unsupported if it needs a newer tarn; `state` is then no longer to be used. Cost: the entry's actions,
// and a copy of the list of tables if the state is shared.
template <class = void>
[[nodiscard]] status apply_entry(snapshot& state, const entry& next, std::uint32_t entry_checksum) {
  if (const status linked = check_link(state.at, state.entry_checksum, next); !linked) return linked.error();
  if (!next.needed_to_read.empty())
    return error(errc::unsupported,
                 concat({"version ", next.at.number, " needs the feature '", next.needed_to_read.front(),
                         "' to be read, which this tarn does not have: use a newer tarn"}));
  std::size_t place_in_entry = 0;
  for (const auto& [table, actions] : next.actions)
    for (const action& change : actions) {
      const status done = apply_detail::apply_action(state, next, table, change, place_in_entry++);
      if (!done) return done.error();
    }
  state.at = next.at;
  state.entry_checksum = entry_checksum;
  if (!next.of_article) state.time = next.time;
  if (!next.work.application.empty()) {
    const committed_sequence* const last = state.applications->find(next.work.application);
    if (last != nullptr && last->work.sequence >= next.work.sequence)
      return error(errc::corrupt, concat({"version ", next.at.number, " repeats work ", next.work.sequence,
                                          " of application '", next.work.application, "'"}));
    state.applications.writable().set(next.work, next.at);
  }
  for (const version_tag& each : next.tags) apply_detail::set_tag(state.tags.writable(), each);
  if (next.vacuums) {
    if (next.kept.horizon > state.kept.horizon) state.kept.horizon = next.kept.horizon;
    if (next.kept.oldest > state.kept.oldest) state.kept.oldest = next.kept.oldest;
  }
  if (next.inline_bytes_max != entry::unstated)
    state.inline_bytes_max = static_cast<std::uint32_t>(next.inline_bytes_max);
  for (const std::string& feature : next.needed_to_write)
    if (!state.needs_to_write(feature)) state.needed_to_write.push_back(feature);
  return {};
}

}  // namespace tarn::inline TARN_ABI
