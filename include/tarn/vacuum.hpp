// Vacuum and truncation: giving up old versions, and with them the objects and the part of the log that only they need.
// Both may be run at any time, by any number of clients, while others read and write.
//
//   versions    0 ........ R-1 | R ............ N | N+1 ...
//                given up      | retained         | not there yet
//
//   vacuum      1. commits an entry, N, that states the oldest retained version R and a horizon H, a time
//               2. adds up what R to N, and the versions with tags, are made of
//               3. removes the other objects that were born at H or before
//
// A transaction that has objects in the store which no entry names yet cannot lose them: either it commits before N, so
// that they are among what step 2 finds; or it meets entry N on its way to the head, and fails (errc::expired) if any
// of its objects was born at H or before; or it has read N or later, and its objects are younger. So no clock bears on
// safety: a wrong one lets transactions fail, or keeps garbage for longer.
//
//   truncate    1. makes sure of checkpoints at R and at the head
//               2. puts a marker: the log begins at R (log/truncation.hpp)
//               3. removes the entries up to R, and the checkpoints before it of versions without tags
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "client.hpp"
#include "core/config.hpp"
#include "core/result.hpp"
#include "core/sequence.hpp"
#include "core/sort.hpp"
#include "core/strong_types.hpp"
#include "core/text.hpp"
#include "core/uuid.hpp"
#include "log/checkpoint.hpp"
#include "log/entry.hpp"
#include "log/log.hpp"
#include "log/names.hpp"
#include "log/snapshot.hpp"
#include "log/truncation.hpp"
#include "store/put_object.hpp"
#include "store/store.hpp"
#include "table/commit_entry.hpp"

namespace tarn::inline TARN_ABI {

// What a vacuum leaves alone. Versions that were given up once stay given up.
struct vacuum_options {
  std::uint64_t keep_ms = 604'800'000;  // a week: versions that were the newest at any time within it stay
  std::uint64_t keep_versions = 1;      // and the newest so many
  std::uint64_t grace_ms = 86'400'000;  // a day: transactions that take longer may have to be run again
  bool dry_run = false;                 // tells what it would do, and changes nothing
};

// Why an object goes or stays.
enum class vacuum_verdict : unsigned char {
  garbage,     // no retained version has it, and it is older than the horizon
  referenced,  // a retained version has it
  young,       // no version has it, but a transaction that is still running may
  ageless,     // no version has it, but its name does not say when it was born (the article's program made it)
};

[[nodiscard]] constexpr std::string_view name_of(vacuum_verdict verdict) noexcept {
  constexpr const char* names[] = {"garbage: no retained version has it", "referenced by a retained version",
                                   "young: a running transaction may be about to commit it",
                                   "of unknown age: no retained version has it, but it is not tarn's"};
  return names[static_cast<unsigned char>(verdict)];
}

struct vacuum_finding {
  std::string name;
  vacuum_verdict verdict = vacuum_verdict::garbage;
};

struct vacuum_report {
  version at;                        // the vacuum's own; of a dry run, the newest
  retention kept;                    // as it is now, or would be
  sequence<vacuum_finding> objects;  // that were removed; of a dry run, all there are
  std::uint64_t remaining = 0;       // objects that stay
};

namespace vacuum_detail {

// Ids, to be asked whether one is among them.
class id_set {
 public:
  void add(const uuid& id) { ids_.push_back(id); }
  template <class = void>
  void add_objects(const table_state& table) {
    for (std::size_t at = 0; at < table.objects.size(); ++at) add(table.objects[at].object.id);
    for (const auto& bucket : table.buckets)
      for (const keyed_object& each : bucket->objects) add(each.object.id);
  }
  template <class = void>
  void add_objects(const snapshot& state) {
    for (const auto& [name, table] : state.tables) add_objects(*table);
  }
  template <class = void>
  void add_objects(const entry& content) {
    for (const auto& [name, actions] : content.actions)
      for (const action& each : actions) {
        if (adds_object(each)) add(each.object.id);
        if (each.restored) add_objects(*each.restored);
      }
  }
  // Once all were added.
  template <class = void>
  void prepare() {
    sort(ids_.begin(), ids_.size(), [](const uuid& a, const uuid& b) { return a < b; });
  }
  template <class = void>
  [[nodiscard]] bool contains(const uuid& id) const noexcept {
    const std::size_t at = lower_bound(ids_.begin(), ids_.size(), [&](const uuid& each) { return each < id; });
    return at < ids_.size() && ids_[at] == id;
  }

 private:
  sequence<uuid> ids_;
};

[[nodiscard]] constexpr timestamp before(timestamp time, std::uint64_t ms) noexcept {
  if (ms >= static_cast<std::uint64_t>(INT64_MAX) || time.ms <= INT64_MIN + static_cast<std::int64_t>(ms))
    return {INT64_MIN};
  return {time.ms - static_cast<std::int64_t>(ms)};
}

// What is to be retained from now on.
template <class Store, class Codec, class Merge>
[[nodiscard]] result<retention> choose_retention(client<Store, Codec, Merge>& lake, const snapshot& newest,
                                                 const vacuum_options& options) {
  const environment& surroundings = lake.core()->options.surroundings;
  const timestamp now = surroundings.now(surroundings.context);
  const auto count = static_cast<std::uint64_t>(newest.at.number) + 1;
  version oldest{options.keep_versions >= count ? 0 : static_cast<std::int64_t>(count - options.keep_versions)};
  if (oldest > newest.at) oldest = newest.at;
  const result<version> current = lake.version_at(before(now, options.keep_ms));
  const bool all_younger =
      !current && (current.error().code() == errc::not_found || current.error().code() == errc::snapshot_expired);
  if (!current && !all_younger) return current.error();
  const version in_use = current ? *current : newest.kept.oldest;
  if (in_use < oldest) oldest = in_use;
  retention kept = newest.kept;
  if (oldest > kept.oldest) kept.oldest = oldest;
  if (const timestamp horizon = before(now, options.grace_ms); horizon > kept.horizon) kept.horizon = horizon;
  return kept;
}

// Adds the objects that the versions from `oldest` to that of `state`, and those with tags, are made of.
template <class Store, class Codec, class Merge>
[[nodiscard]] status add_references(client<Store, Codec, Merge>& lake, const snapshot& state, version oldest,
                                    id_set& found) {
  found.add_objects(state);
  result<shared_snapshot> walked = lake.snapshot_at(oldest);
  if (!walked) return walked.error();
  found.add_objects(**walked);
  const auto add = [&](const entry& each) {
    found.add_objects(each);
    return status();
  };
  const log_reach reach{state.at, lake.core()->extent.listed};
  if (const status read = read_forward(lake.store(), *walked, reach, lake.core()->options.bounds, add); !read)
    return read;
  // The chain tells that nothing on the way was the garbage of a truncation.
  if ((*walked)->at != state.at || (*walked)->entry_checksum != state.entry_checksum)
    return error(errc::corrupt, concat({"versions ", oldest.number, " to ", state.at.number, " are not on one chain"}));
  for (const version_tag& each : *state.tags) {
    const result<shared_snapshot> tagged = lake.snapshot_at(each.at);
    if (!tagged) return tagged.error().within(concat({"tag '", each.name, "'"}));
    found.add_objects(**tagged);
  }
  return {};
}

// All of them. Reads a checkpoint and the log from there, and the checkpoint of each tag. Memory: 16 bytes for each
// object. errc::expired if others have given up some of these versions meanwhile: what is missing then is no damage.
template <class Store, class Codec, class Merge>
[[nodiscard]] result<id_set> find_references(client<Store, Codec, Merge>& lake, const snapshot& state, version oldest) {
  client_core<Store, Codec>& core = *lake.core();
  id_set found;
  const status added = add_references(lake, state, oldest, found);
  if (!added) {
    if (const status known = find_truncations(core.store, core.extent); !known) return known.error();
    // It may have been known before, and what came after `oldest` be missing all the same.
    const bool given_up = core.extent.truncated > oldest ||
                          (added.error().code() == errc::snapshot_expired && core.latest->at > state.at);
    if (!given_up) return added.error();
    return error(errc::expired, concat({"another vacuum or truncation has given up some of versions ", oldest.number,
                                        " to ", state.at.number, " while they were read: run this vacuum again"}));
  }
  found.prepare();
  return found;
}

template <class = void>
[[nodiscard]] vacuum_verdict judge(const uuid& object, const id_set& referenced, timestamp horizon) {
  if (referenced.contains(object)) return vacuum_verdict::referenced;
  if (!has_birth(object)) return vacuum_verdict::ageless;
  return birth_of(object) <= horizon ? vacuum_verdict::garbage : vacuum_verdict::young;
}

// Step 3, or what it would do. Names of others are none of its business.
template <class Store>
[[nodiscard]] status remove_garbage(Store& store, const id_set& referenced, bool dry_run, vacuum_report& report) {
  const status listed = store.list(object_prefix, std::string_view(), [&](std::string_view name) {
    std::string_view table;
    uuid id;
    if (!parse_object_name(name, table, id)) return;
    const vacuum_verdict verdict = judge(id, referenced, report.kept.horizon);
    if (verdict != vacuum_verdict::garbage) ++report.remaining;
    if (dry_run || verdict == vacuum_verdict::garbage) report.objects.push_back({std::string(name), verdict});
  });
  if (!listed || dry_run) return listed;
  for (const vacuum_finding& each : report.objects)
    if (const status removed = store.remove(each.name); !removed) return removed;
  return {};
}

// The transactions of the entries from `first` to `last`; one `get` for each.
template <class Store>
[[nodiscard]] result<sequence<uuid>> transactions_of(Store& store, version first, version last, const limits& bounds) {
  sequence<uuid> all;
  for (version at = first; at <= last; at = at.next()) {
    const result<logged_entry> read = get_entry(store, at, bounds);
    if (!read) return read.error();
    all.push_back(read->content.transaction);
  }
  return all;
}

// Puts the next marker. errc::conflict if another truncation has taken its number.
template <class Store, class Codec>
[[nodiscard]] status put_marker(client_core<Store, Codec>& lake, const truncation_marker& marker) {
  const std::string name = marker_name(lake.extent.markers);
  const std::string bytes = write_marker(marker);
  const status put = put_object(lake.store, name, bytes, lake.options.commit.backoff, lake.options.surroundings);
  if (!put) return put;
  const auto found = lake.store.get(name);
  if (!found) return found.error();
  if (std::string_view(*found) == bytes) return {};
  return error(errc::conflict, concat({name, " is that of another truncation: run this one again"}));
}

// Steps 1 and 2 of a truncation: from then on the log begins at version `begin`, or after it, if another truncation has
// gone as far meanwhile.
template <class Store, class Codec, class Merge>
[[nodiscard]] status begin_log_at(client<Store, Codec, Merge>& lake, version begin, const snapshot& newest) {
  client_core<Store, Codec>& core = *lake.core();
  const result<shared_snapshot> oldest = lake.snapshot_at(begin);
  if (!oldest) return oldest.error();
  if (const status safe = lake.checkpoint_of(**oldest); !safe) return safe;
  if (const status safe = lake.checkpoint_of(newest); !safe) return safe;
  if (core.extent.truncated >= begin) return {};
  truncation_marker marker{core.extent.truncated.next(), begin, {begin, newest.at}, {}};
  result<sequence<uuid>> gone = transactions_of(core.store, marker.first, begin, core.options.bounds);
  if (!gone) return gone.error();
  marker.transactions = *std::move(gone);
  return put_marker(core, marker);
}

// Step 3 of a truncation to version `gone`: also of one before that did not get to its end. `tags` must have been read
// after its marker: before, another may have tagged a version that was still kept.
template <class Store>
[[nodiscard]] status clear_truncated(Store& store, version gone, const sequence<version_tag>& tags) {
  sequence<std::string> names;
  const auto collect = [&](std::string_view name) {
    version at;
    std::int64_t part = 0;
    const bool of_checkpoint = parse_checkpoint_name(name, at) || parse_checkpoint_part_name(name, at, part);
    if (of_checkpoint ? at < gone && !has_tag(tags, at) : parse_entry_name(name, at) && at <= gone)
      names.emplace_back(name);
  };
  for (const std::string_view prefix : {checkpoint_prefix, log_prefix})
    if (const status listed = store.list(prefix, std::string_view(), collect); !listed) return listed;
  for (const std::string& each : names)
    if (const status removed = store.remove(each); !removed) return removed;
  return {};
}

}  // namespace vacuum_detail

// Gives up versions, and removes the objects that only they, or nobody, needs. Costs a commit; reading the retained
// part of the log; one `list`, and a `remove` for each object that goes. After any error some garbage is left, and
// nothing else is lost: run it again. errc::corrupt if a retained version cannot be read: then nothing is removed.
// errc::expired: others have given up more meanwhile.
template <class Store, class Codec, class Merge>
[[nodiscard]] result<vacuum_report> vacuum(client<Store, Codec, Merge>& lake, const vacuum_options& options = {}) {
  static_assert(removing_store<Store>,
                "to vacuum, the store needs: tarn::status remove(std::string_view name); success if there is no such "
                "name");
  result<shared_snapshot> state = lake.newest_snapshot();
  if (!state) return state.error();
  vacuum_report report;
  if ((*state)->at == version()) return report;
  const result<retention> kept = vacuum_detail::choose_retention(lake, **state, options);
  if (!kept) return kept.error();
  report.kept = *kept;
  report.at = (*state)->at;
  if (!options.dry_run) {
    entry mine;
    mine.operation = "vacuum";
    mine.vacuums = true;
    mine.kept = *kept;
    const auto any = [](const entry&) { return status(); };
    const result<version> committed = commit_entry(*lake.core(), *state, std::move(mine), any);
    if (!committed) return committed.error();
    state = lake.core()->latest;  // of the version that was committed
    report.at = *committed;
    report.kept = (*state)->kept;  // another vacuum may have gone further
  }
  const auto referenced = vacuum_detail::find_references(lake, **state, report.kept.oldest);
  if (!referenced) return referenced.error();
  const status removed = vacuum_detail::remove_garbage(lake.store(), *referenced, options.dry_run, report);
  if (!removed) return removed.error();
  return report;
}

// Removes the part of the log that only versions need which a vacuum has given up. Returns the version at which the log
// begins now, -1 if all of it is there. Costs two checkpoints, a `get` and a `remove` for each entry that goes, and two
// calls of `list`. After any error some of it is left: run it again. errc::conflict: another truncation was faster.
template <class Store, class Codec, class Merge>
[[nodiscard]] result<version> truncate(client<Store, Codec, Merge>& lake) {
  static_assert(removing_store<Store>,
                "to truncate, the store needs: tarn::status remove(std::string_view name); success if there is no such "
                "name");
  const result<shared_snapshot> newest = lake.newest_snapshot();
  if (!newest) return newest.error();
  client_core<Store, Codec>& core = *lake.core();
  // The log must not end where it begins: see log/truncation.hpp.
  version begin = (*newest)->kept.oldest;
  if (begin >= (*newest)->at) begin = {(*newest)->at.number - 1};
  if (begin > core.extent.truncated) {
    const std::int64_t markers = core.extent.markers;
    const status begun = vacuum_detail::begin_log_at(lake, begin, **newest);
    if (const status found = find_truncations(core.store, core.extent); !found) return found.error();
    // What others have given up meanwhile cannot be read any more: then that is why. What a store says of itself, as
    // that it is full, is never that.
    const errc why = begun ? errc::conflict : begun.error().code();
    const bool is_missing = why == errc::conflict || why == errc::not_found || why == errc::corrupt;
    if (!begun && ((is_missing && core.extent.markers > markers) || why == errc::snapshot_expired))
      return error(errc::conflict, concat({"another truncation or vacuum has gone further than version ", begin.number,
                                           " meanwhile: run this one again"}));
    if (!begun) return begun.error();
  }
  const version gone = core.extent.truncated;
  if (gone == version()) return gone;
  const result<shared_snapshot> now = lake.newest_snapshot();
  if (!now) return now.error();
  if (const status cleared = vacuum_detail::clear_truncated(core.store, gone, *(*now)->tags); !cleared)
    return cleared.error();
  return gone;
}

}  // namespace tarn::inline TARN_ABI
