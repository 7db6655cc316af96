// The state of a lake after one entry: a pure function of the entries up to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "application.hpp"
#include "entry.hpp"
#include "names.hpp"
#include "table_map.hpp"

namespace tarn::inline TARN_ABI {

// The objects of a table in commit order. Copies share all but the last few: a snapshot that is one commit newer
// costs, besides those, one pointer for every 128 objects.
class object_list {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // `index` must be less than size().
  template <class = void>
  [[nodiscard]] const data_object& operator[](std::size_t index) const noexcept {
    return (*chunks_[index / chunk_size])[index % chunk_size];
  }

  template <class = void>
  void push_back(data_object object) {
    if (size_ % chunk_size == 0) chunks_.emplace_back();
    chunks_.back().writable().push_back(std::move(object));
    ++size_;
  }

 private:
  static constexpr std::size_t chunk_size = 128;
  sequence<copy_on_write<sequence<data_object>>> chunks_;
  std::size_t size_ = 0;
};

// An object of a keyed table, in its place.
struct keyed_object {
  data_object object;
  block_header block;
  object_order order;
};

// What one bucket of a keyed table is made of, in order. Its rows are what folding all of it gives.
struct bucket_state {
  sequence<keyed_object> objects;
  version since;  // since which version the first object, if it is in base form, has been the first

  // A base is a role: the first object has it, if its form allows.
  [[nodiscard]] const keyed_object* base() const noexcept {
    return !objects.empty() && objects[0].block.form == object_form::base ? objects.begin() : nullptr;
  }
};

struct table_state {
  std::string name;
  uuid id;  // another one when a table is dropped and created again
  schema columns;
  object_list objects;                            // of a bag
  table_key key;                                  // no columns: a bag
  sequence<copy_on_write<bucket_state>> buckets;  // of a keyed table
};

// Values: copies share what they have in common and never see each other's changes. Safe to read from several threads.
struct snapshot {
  version at;                        // -1: the empty lake
  std::uint32_t entry_checksum = 0;  // of the bytes of entry `at`: the next entry must carry it
  timestamp time;                    // of the latest entry of tarn's
  table_map<copy_on_write<table_state>> tables;
  sequence<std::string> needed_to_write;  // features; sticky
  copy_on_write<committed_sequences> applications;

  template <class = void>
  [[nodiscard]] bool needs_to_write(std::string_view feature) const noexcept {
    for (const std::string& each : needed_to_write)
      if (each == feature) return true;
    return false;
  }

  // The table of exactly this name, or null.
  template <class = void>
  [[nodiscard]] const table_state* find_table(std::string_view name) const noexcept {
    const auto* found = tables.find(name);
    return found != nullptr && (*found)->name == name ? &**found : nullptr;
  }
};

// How snapshots are passed around: copies cost nothing.
using shared_snapshot = copy_on_write<snapshot>;

namespace snapshot_detail {

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
[[nodiscard]] status apply_action(snapshot& state, const entry& next, std::string_view table, const action& change,
                                  std::size_t place_in_entry) {
  const auto inconsistent = [&](std::string_view what) {
    return error(errc::corrupt,
                 concat({"version ", next.at.number, " (", entry_name(next.at), ") ", what, " table ", table}));
  };
  copy_on_write<table_state>* const found = state.tables.find(table);
  const bool exists = found != nullptr && (*found)->name == table;
  switch (change.kind) {
    case action_kind::create_table: {
      if (found != nullptr && next.of_article && !exists) return tables_differing_in_case((*found)->name, table);
      if (found != nullptr) return inconsistent("creates the existing");
      const uuid id = next.of_article ? id_for_table_of_article(next.at, place_in_entry) : change.table_id;
      table_state made{std::string(table), id, change.columns, {}, change.key, {}};
      if (!made.key.empty())
        for (std::uint32_t at = 0; at < made.key.buckets; ++at) made.buckets.emplace_back();
      state.tables.find_or_insert(table, std::move(made));
      return {};
    }
    case action_kind::add_object:
      if (!exists) return inconsistent("adds an object to the missing");
      if (!(*found)->key.empty()) return inconsistent("adds a bag's object to the keyed");
      found->writable().objects.push_back(change.object);
      return {};
    case action_kind::drop_table:
      // The id tells which: an entry may go on to create a table whose name differs in case, and has one name for both.
      if (found == nullptr || (*found)->id != change.table_id) return inconsistent("drops the missing");
      state.tables.erase(table);
      return {};
    case action_kind::add_block:
    case action_kind::remove_object:
      if (!exists) return inconsistent("changes an object of the missing");
      if (change.block.bucket >= (*found)->buckets.size()) return inconsistent("names a missing bucket of");
      if (!apply_to_bucket(found->writable().buckets[change.block.bucket].writable(), change, next.at, place_in_entry))
        return inconsistent("adds or removes out of order an object of");
      return {};
  }
  return {};
}

}  // namespace snapshot_detail

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
      const status done = snapshot_detail::apply_action(state, next, table, change, place_in_entry++);
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
  for (const std::string& feature : next.needed_to_write)
    if (!state.needs_to_write(feature)) state.needed_to_write.push_back(feature);
  return {};
}

}  // namespace tarn::inline TARN_ABI
