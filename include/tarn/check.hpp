// Checking a lake: everything that any retained version needs is read and verified, and everything else that is in the
// store is accounted for. Nothing is changed.
//
//   const tarn::check_report found = tarn::check(lake).value();
//   for (const auto& each : found.findings) use(each.kind, each.name, each.message);
//   if (!found.sound()) ...                     the last good version is found.last_good
//
//   the log        each entry: its checksum, its place in the chain, and that it can follow the state before it; the
//                  markers of truncations, without a gap; and that checkpoints tell the states that the log does
//   data objects   each that a retained version has: bytes, checksum and number of rows as the log says; the rows those
//                  of its table, in keyed ones sorted, each key in its bucket; bounds that are true; and positions that
//                  are those of the keys in the base
//   the others     what no retained version needs, with the reason why it is there
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "client.hpp"
#include "core/config.hpp"
#include "core/result.hpp"
#include "core/sequence.hpp"
#include "core/sort.hpp"
#include "core/strong_types.hpp"
#include "core/uuid.hpp"
#include "log/checkpoint.hpp"
#include "log/entry.hpp"
#include "log/log_walk.hpp"
#include "log/snapshot.hpp"
#include "table/check_log.hpp"
#include "table/check_names.hpp"
#include "table/check_objects.hpp"
#include "table/check_report.hpp"
#include "table/object_history.hpp"

namespace tarn::inline TARN_ABI {

// Which versions' data objects are read. The log is always read, all of it.
enum class checked_versions : bool {
  newest,    // quick
  retained,  // all that vacuums have left, and those with tags
};

// What a check calls now and then, for whoever wants to show how far it has come.
struct ignore_progress {
  void operator()(const check_report&) const noexcept {}
};

namespace check_detail {

// One check, from its first listing to the report.
template <class Store, row_codec Codec, class Watch>
class checker {
 public:
  using core = client_core<Store, Codec>;

  checker(core& lake, checked_versions which, Watch& watch)
      : lake_(&lake),
        which_(which),
        watch_(&watch),
        log_(lake.store, lake.options.bounds, report_),
        objects_(lake, report_) {}

  [[nodiscard]] result<check_report> run() {
    // The names first: objects that are put later, and the entries that name them, are then no concern of this check.
    check_names<> names;
    if (const status listed = names.list(lake_->store); !listed) return listed.error();
    log_.run(names.versions(), names.markers());
    if (which_ == checked_versions::retained)
      read_retained_versions();
    else
      check_version(*log_.newest());
    if (log_.is_whole()) names.report_orphans(report_, log_.history(), log_.retained(), log_.truncated());
    names.report_others(report_);
    report_.last_good = last_good();
    sort_findings();
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool is_retained(const snapshot& state) const noexcept { return log_.retained().contains(state.at); }

  // The log again: only now is known what is retained.
  void read_retained_versions() {
    for (const version each : log_.alone()) {
      const result<shared_snapshot> state = read_checkpoint(lake_->store, each, lake_->options.bounds);
      if (state) check_version(**state);
    }
    log_walk<Store> log = log_.walk();
    for (bool was_whole = false; log.next(); was_whole = log.whole()) {
      if (was_whole && !log.whole() && is_retained(*log.after())) check_all_positions(*log.after());
      if (log.slot() == slot_state::resumed) {
        if (is_retained(*log.after())) check_state(*log.after());
      } else if (log.whole()) {
        check_entry(*log.before(), *log.after(), log.content());
      } else if (log.has_entry()) {
        check_unplaced(log.content());
      }
    }
    if (log.whole() && is_retained(*log.after())) check_all_positions(*log.after());
  }

  // What comes with an entry is read when the first version has it that is retained; how the objects of a bucket fit
  // together is looked at when the last has them all.
  void check_entry(const snapshot& before, const snapshot& after, const entry& next) {
    const bool had = is_retained(before);
    const bool has = is_retained(after);
    if (had && has) check_ending_buckets(before, next);
    if (had && !has) check_all_positions(before);
    if (has && !had) return check_state(after);
    if (!has) return;
    for (const auto& [table, actions] : next.actions) {
      const auto* const found = after.tables.find(table);
      if (found == nullptr) continue;
      for (const action& each : actions) check_action(**found, each, after.at);
    }
  }

  void check_action(const table_state& table, const action& change, version at) {
    if (change.kind == action_kind::restore_table) return check_table(table, at);
    if (change.kind == action_kind::add_block)
      check_records(table, {change.object, change.block, {}}, at);
    else if (adds_object(change))
      check_rows(table, change.object, at);
  }

  // An entry after damage. Of the objects that no known state has, only the bytes can be verified.
  void check_unplaced(const entry& next) {
    if (!log_.retained().contains(next.at)) return;
    for (const auto& [table, actions] : next.actions)
      for (const action& each : actions)
        if (adds_object(each) && log_.history().find(each.object.id).empty())
          objects_.check_bytes(table, each.object, next.at);
  }

  // A version by itself.
  void check_version(const snapshot& state) {
    check_state(state);
    check_all_positions(state);
  }
  void check_state(const snapshot& state) {
    for (const auto& each : state.tables) check_table(*each.content, state.at);
  }
  void check_table(const table_state& table, version at) {
    for (std::size_t each = 0; each < table.objects.size(); ++each) check_rows(table, table.objects[each].object, at);
    for (const copy_on_write<bucket_state>& bucket : table.buckets)
      for (const keyed_object& each : bucket->objects) check_records(table, each, at);
  }

  void check_rows(const table_state& table, const data_object& object, version at) {
    if (!is_first_with(object.id, at)) return;
    objects_.check_rows(table, object, came_with(object.id, at));
    (*watch_)(std::as_const(report_));
  }
  void check_records(const table_state& table, const keyed_object& object, version at) {
    if (!is_first_with(object.object.id, at)) return;
    objects_.check_records(table, object, came_with(object.object.id, at));
    (*watch_)(std::as_const(report_));
  }

  // Of the versions whose objects are read.
  [[nodiscard]] bool is_first_with(const uuid& object, version at) const noexcept {
    if (which_ == checked_versions::newest) return true;
    bool has = false;  // not what an entry adds and drops again
    for (const object_stay& each : log_.history().find(object)) {
      if (log_.retained().has_any(each.from, each.until < at ? each.until : at)) return false;
      has = has || (each.from <= at && at < each.until);
    }
    return has;
  }
  // The first version that has it, as far as is known.
  [[nodiscard]] version came_with(const uuid& object, version at) const noexcept {
    const object_history::stays found = log_.history().find(object);
    return found.empty() ? at : found.first->from;
  }

  // Of the tables and buckets whose objects are not there any more after this entry.
  void check_ending_buckets(const snapshot& before, const entry& next) {
    for (const auto& [table, actions] : next.actions) {
      const auto* const found = before.tables.find(table);
      if (found == nullptr) continue;
      const bucket_state* checked = nullptr;  // a compaction removes many objects, of one bucket
      for (const action& each : actions) {
        if (each.kind == action_kind::drop_table || each.kind == action_kind::restore_table) {
          check_positions(**found);
          break;
        }
        if (each.kind != action_kind::remove_object) continue;
        const bucket_state* const bucket = &*(*found)->buckets[each.block.bucket];
        if (bucket != checked) objects_.check_positions(**found, *bucket);
        checked = bucket;
      }
    }
  }
  void check_all_positions(const snapshot& state) {
    for (const auto& each : state.tables) check_positions(*each.content);
  }
  void check_positions(const table_state& table) {
    for (const copy_on_write<bucket_state>& bucket : table.buckets) objects_.check_positions(table, *bucket);
  }

  // From the newest that is known, back over those that have something damaged.
  [[nodiscard]] version last_good() const {
    version good = log_.last_known_before({INT64_MAX});
    for (bool again = true; again;) {
      again = false;
      for (const uuid& damaged : objects_.damaged())
        for (const object_stay& each : log_.history().find(damaged))
          if (each.from <= good && good < each.until) {
            good = log_.last_known_before(each.from);
            again = true;
          }
    }
    return good;
  }

  void sort_findings() {
    sort(report_.findings.begin(), report_.findings.size(), [](const check_finding& a, const check_finding& b) {
      if (is_harmless(a.kind) != is_harmless(b.kind)) return is_harmless(b.kind);
      if (is_harmless(a.kind) && a.kind != b.kind) return a.kind < b.kind;
      if (!is_harmless(a.kind) && a.at != b.at) return a.at < b.at;
      return a.name.compare(b.name) < 0;
    });
  }

  core* lake_;
  checked_versions which_;
  Watch* watch_;
  check_report report_;
  log_check<Store> log_;
  object_check<Store, Codec> objects_;
};

}  // namespace check_detail

// Reads the lake and says what is wrong with it; nothing is changed. The error says why the store cannot be listed;
// whatever else fails is a finding. `watch(const check_report&)` is called after each object.
//
// Cost: opening the lake; a listing, two `get`s of each entry, and one of each object that is in the store; those of
// buckets with a base once more. Memory: the names in the store, some 100 bytes for each object that ever was, a state,
// and one object, or one row of each of a bucket's. What a vacuum takes away meanwhile may be reported as missing: then
// check again.
template <class Store, class Codec, class Merge, class Watch = ignore_progress>
[[nodiscard]] result<check_report> check(client<Store, Codec, Merge>& lake,
                                         checked_versions which = checked_versions::retained, Watch watch = {}) {
  (void)lake.newest_snapshot();  // from where readers look why an object is missing; whether that works is a finding
  return check_detail::checker<Store, Codec, Watch>(*lake.core(), which, watch).run();
}

}  // namespace tarn::inline TARN_ABI
