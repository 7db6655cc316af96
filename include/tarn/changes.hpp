// The change feed: which rows each version inserted, updated and erased, computed from the log and the objects that are
// there anyway.
//
//   version        4                5              6            7
//              insert Ada      update Bob      compact      erase Ada
//                  |               |                            |
//   feed       insert (Ada)    update (Bob,     nothing      erase (Ada)
//                                      Bill)
//
// Applied in this order to the rows that a table had at the first version, the changes give those that it has at the
// last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "client.hpp"
#include "codec/codec.hpp"
#include "core/config.hpp"
#include "core/result.hpp"
#include "core/sequence.hpp"
#include "core/shared.hpp"
#include "core/strong_types.hpp"
#include "core/text.hpp"
#include "log/apply_entry.hpp"
#include "log/entry.hpp"
#include "log/log.hpp"
#include "log/names.hpp"
#include "log/open.hpp"
#include "log/retention.hpp"
#include "log/snapshot.hpp"
#include "log/truncation.hpp"
#include "merge/strategy.hpp"
#include "table/bag_changes.hpp"
#include "table/bag_difference.hpp"
#include "table/client_core.hpp"
#include "table/keyed_changes.hpp"
#include "table/row_change.hpp"

namespace tarn::inline TARN_ABI {

namespace change_detail {

template <class = void>
[[nodiscard]] error truncated_away(version last) {
  return {errc::snapshot_expired,
          concat({"the log was truncated to version ", last.number, ": what came after it can be told"})};
}

// Whether the state at version `from`, and what came next, is kept.
template <class = void>
[[nodiscard]] status check_kept_after(version from, const retention& kept) {
  if (from >= kept.oldest || (from == version() && kept.oldest == version{0})) return {};
  return error(errc::snapshot_expired, concat({"version ", from.number, " was given up by a vacuum: the oldest is ",
                                               kept.oldest.number, ", and what came after it can be told"}));
}

}  // namespace change_detail

// The changes of one table, version by version; made by `changes`. Within a version:
//
//   keyed table   bucket after bucket, each in order of key
//   bag           erased and updated rows in the order of a scan, then the inserted ones, in that order too
//
// A change is what differs between the versions, not what was called: a write that leaves a row as it was, a late one,
// and a row that one transaction both made and erased are none; nor is a compaction. A row that an update of a bag
// wrote is an update, also if it is the same. A table that is restored changes by the difference of the two states; if
// a compaction has moved rows of a bag meanwhile, they are erased and inserted. Dropping a table erases all its rows;
// the feed is of the name, so it goes on with a table that is created under it.
//
// Memory: the objects of one bucket in both states, or two objects of a bag, as the store hands them out. Cost: the
// entry of each version; for each that changed the table, the objects that were added, those that rows were deleted
// from, or those of each bucket that was written to, before and after, and, where the store can remove, one `get` that
// finds nothing. Not thread-safe. Stays usable after its client.
//
//   for (const tarn::row_change& each : feed) ...    ends at the last change; a failure fails loudly
//
//   while (feed.next()) use(feed.change());          next() is false at the end and on failure;
//   if (!feed.status()) ...                          status() tells which
//
// A change and its rows are valid until the feed moves on.
template <class Store, row_codec Codec, merge_strategy Merge>
class [[nodiscard]] change_feed {
 public:
  using core = client_core<Store, Codec>;

  // After the version of `state`, up to `last`, which must be there.
  change_feed(shared<core> lake, std::string_view table, shared_snapshot state, version last)
      : lake_(std::move(lake)),
        table_(table),
        last_(last),
        checked_(state->at),
        state_(std::move(state)),
        is_known_(state_->find_table(table_) != nullptr) {}
  change_feed(change_feed&&) noexcept = default;
  change_feed& operator=(change_feed&&) noexcept = default;
  change_feed(const change_feed&) = delete;
  change_feed& operator=(const change_feed&) = delete;
  ~change_feed() = default;

  // Moves to the next change. False at the end and on failure, from then on always.
  [[nodiscard]] bool next() {
    while (!done_) {
      if (keyed_ ? take(*keyed_) : bag_ && take(*bag_)) return true;
      if (status_ && start_next_part()) continue;
      if (status_ && read_version()) continue;
      done_ = true;
    }
    return false;
  }

  // Only after next() has returned true.
  [[nodiscard]] const row_change& change() const noexcept { return change_; }

  // An error once the feed has failed: the changes before were right. errc::no_such_table at the end of a feed in which
  // no version has a table of this name; errc::snapshot_expired if what it takes has been given up meanwhile.
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // For `for`: see above. May be called once.
  struct sentinel {};
  class iterator {
   public:
    explicit iterator(change_feed& of) : feed_(&of) { ++*this; }
    [[nodiscard]] const row_change& operator*() const noexcept { return feed_->change(); }
    iterator& operator++() {
      if (!feed_->next() && !feed_->status()) fail(feed_->status().error());
      return *this;
    }
    [[nodiscard]] bool operator==(sentinel) const noexcept { return feed_->done_; }

   private:
    change_feed* feed_;
  };
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] sentinel end() const noexcept { return {}; }

 private:
  // Two states of one table that differ: null for one of them, if it was created or dropped.
  struct difference {
    const table_state* before;
    const table_state* after;
  };

  template <class Changes>
  [[nodiscard]] bool take(Changes& changes) {
    if (changes.next()) {
      change_ = changes.change();
      change_.at = state_->at;
      return true;
    }
    status_ = changes.status();
    if (!status_) explain_failure();
    return false;
  }

  // What is missing is no damage if a vacuum has given it up since the feed began.
  void explain_failure() {
    shared_snapshot now = lake_->latest;
    if (!read_on(lake_->store, now, lake_->extent, {INT64_MAX}, lake_->options.bounds)) return;
    if (const tarn::status kept = change_detail::check_kept_after(before_->at, now->kept); !kept) status_ = kept;
  }

  // False if all that the current version did has been told.
  [[nodiscard]] bool start_next_part() {
    keyed_ = {};
    bag_ = {};
    if (parts_.empty()) return false;
    const difference part = parts_.back();
    parts_.pop_back();
    const bool is_keyed = !(part.before != nullptr ? part.before : part.after)->key.empty();
    if (is_keyed)
      keyed_ = shared<keyed_type>::make(keyed_type(lake_, part.before, part.after, buckets_of(part)));
    else
      bag_ = shared<bag_type>::make(bag_type(lake_, part.before, part.after, objects_of(part)));
    return true;
  }

  [[nodiscard]] sequence<std::uint32_t> buckets_of(const difference& part) const {
    return by_actions_ ? written_buckets(*part.after, actions()) : differing_buckets(part.before, part.after);
  }
  [[nodiscard]] bag_difference objects_of(const difference& part) const {
    if (by_actions_) return difference_of(part.before->objects, actions());
    const object_list nothing;
    return difference_of(part.before != nullptr ? part.before->objects : nothing,
                         part.after != nullptr ? part.after->objects : nothing);
  }
  [[nodiscard]] const sequence<action>& actions() const noexcept { return *entry_.actions.find(table_); }

  // Goes on to the next version. False after the last, and if it cannot be read.
  [[nodiscard]] bool read_version() {
    if (state_->at == last_) return finish();
    const version at = state_->at.next();
    result<logged_entry> read = get_next_entry(lake_->store, at, last_, lake_->options.bounds);
    bool is_touched = false;
    if (read) {
      entry_ = std::move(read->content);
      is_touched = entry_.actions.find(table_) != nullptr;
      if (is_touched) before_ = state_;
      status_ = apply_entry(state_.writable(), entry_, read->checksum);
    } else {
      status_ = read.error();
    }
    if (!status_ || is_touched) check_log(at);
    if (status_ && is_touched) find_parts();
    return static_cast<bool>(status_);
  }

  [[nodiscard]] bool finish() {
    if (checked_ < last_) check_log(last_);
    if (status_ && !is_known_)
      status_ =
          error(errc::no_such_table,
                concat({"there is no table '", table_.substr(0, table_name_size_max), "' in any of these versions"}));
    return false;
  }

  // What was read of the log, up to version `at`, is garbage if a truncation has overtaken it: this is found out before
  // anything is told that comes of it (log/truncation.hpp).
  void check_log(version at) {
    const tarn::status found = find_truncations(lake_->store, lake_->extent);
    checked_ = at;
    if (!found)
      status_ = found;
    else if (lake_->extent.truncated >= at)
      status_ = change_detail::truncated_away(lake_->extent.truncated);
  }

  // What the current entry changed.
  void find_parts() {
    const table_state* const before = before_->find_table(table_);
    const table_state* const after = state_->find_table(table_);
    is_known_ = is_known_ || after != nullptr;
    const bool is_same = before != nullptr && after != nullptr && before->id == after->id &&
                         before->key.empty() == after->key.empty() && before->buckets.size() == after->buckets.size();
    by_actions_ = is_same;
    for (const action& each : actions())
      if (each.kind == action_kind::create_table || each.kind == action_kind::drop_table ||
          each.kind == action_kind::restore_table)
        by_actions_ = false;
    if (is_same) return parts_.push_back({before, after});
    if (after != nullptr) parts_.push_back({nullptr, after});
    if (before != nullptr) parts_.push_back({before, nullptr});
  }

  using keyed_type = keyed_changes<Store, Codec, Merge>;
  using bag_type = bag_changes<Store, Codec>;

  shared<core> lake_;
  std::string table_;
  version last_;
  version checked_;         // up to here the log was no garbage
  shared_snapshot state_;   // after the current version
  shared_snapshot before_;  // before it, if it changed the table
  entry entry_;
  sequence<difference> parts_;  // to be told, the last one first
  bool by_actions_ = false;     // they follow from the entry's actions
  bool is_known_ = false;       // some version had a table of this name
  shared<keyed_type> keyed_;    // at most one of these is not null
  shared<bag_type> bag_;
  row_change change_;
  bool done_ = false;
  tarn::status status_;
};

// The changes of the table called `table` that the versions after `from` made, up to `to` and with it; `from` = -1: of
// all from the first. errc::invalid_argument if `from` is greater, errc::not_found if there is no version `to` (yet),
// errc::snapshot_expired if a vacuum or a truncation has given up a version that it takes. Costs what `newest_snapshot`
// and `snapshot_at(from)` cost.
template <class Store, class Codec, class Merge>
[[nodiscard]] result<change_feed<Store, Codec, Merge>> changes(client<Store, Codec, Merge>& lake,
                                                               std::string_view table, version from, version to) {
  if (from < version() || from > to)
    return error(errc::invalid_argument, concat({"no versions are after ", from.number, " and up to ", to.number,
                                                 ": go from -1, before the first, or a version to a later one"}));
  const result<shared_snapshot> newest = lake.newest_snapshot();
  if (!newest) return newest.error();
  if (to > (*newest)->at)
    return error(errc::not_found,
                 concat({"there is no version ", to.number, ": the newest is ", (*newest)->at.number}));
  if (const status kept = change_detail::check_kept_after(from, (*newest)->kept); !kept) return kept.error();
  const result<shared_snapshot> state = lake.snapshot_at(from);
  if (!state) return state.error();
  if (lake.core()->extent.truncated > from) return change_detail::truncated_away(lake.core()->extent.truncated);
  return change_feed<Store, Codec, Merge>(lake.core(), table, *state, to);
}

}  // namespace tarn::inline TARN_ABI
