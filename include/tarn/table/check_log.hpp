// Reading the log to find out whether it is good, with its markers and checkpoints: what check.hpp does first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../log/checkpoint.hpp"
#include "../log/log_walk.hpp"
#include "../log/names.hpp"
#include "../log/retained_versions.hpp"
#include "../log/snapshot.hpp"
#include "../log/truncation.hpp"
#include "../store/store.hpp"
#include "check_report.hpp"
#include "object_history.hpp"

namespace tarn::inline TARN_ABI {

// Versions that follow each other; both ends are among them.
struct version_range {
  version first;
  version last;
};

// Adds what it reads, and what is wrong with it, to a report; learns what the versions are made of, and which of them
// are retained.
template <object_store Store>
class log_check {
 public:
  // All must outlive it.
  log_check(Store& store, const limits& bounds, check_report& report)
      : store_(&store), bounds_(&bounds), report_(&report) {}

  // To be called once. `markers` are the numbers that the store lists, in order.
  void run(listed_versions listed, const sequence<std::int64_t>& markers) {
    listed_ = std::move(listed);
    read_markers(markers);
    read_log();
    check_other_checkpoints();
    history_.finish();
    if (checkpointed_) check_stored_objects(**checkpointed_);
  }

  // The log once more; nothing is reported.
  [[nodiscard]] log_walk<Store> walk() const { return {*store_, listed_, extent_.truncated, *bounds_}; }

  // Whether nothing of the log is damaged or missing.
  [[nodiscard]] bool is_whole() const noexcept { return whole_; }
  // Entries up to this one are nobody's, as are checkpoints before it without a tag.
  [[nodiscard]] version truncated() const noexcept { return extent_.truncated; }
  [[nodiscard]] const object_history& history() const noexcept { return history_; }
  [[nodiscard]] const retained_versions& retained() const noexcept { return retained_; }
  // The state of the newest version that the log tells.
  [[nodiscard]] const shared_snapshot& newest() const noexcept { return newest_; }
  // The versions with tags that only their checkpoints tell any more, and that those can, oldest first.
  [[nodiscard]] const sequence<version>& alone() const noexcept { return alone_; }

  // The newest version before `until` that is retained and whose state the log or a checkpoint tells; -1: none.
  [[nodiscard]] version last_known_before(version until) const noexcept {
    while (until > version{0}) {
      const version last = retained_.last_before(until);
      version known;  // the newest that is not after it
      for (const version_range& each : ranges_)
        if (each.first <= last && each.last > known) known = each.last < last ? each.last : last;
      for (const version each : alone_)
        if (each <= last && each > known) known = each;
      if (known == last) return last;
      until = known.next();
    }
    return {};
  }

 private:
  [[nodiscard]] static finding_kind kind_of(finding_kind damage, const error& why) noexcept {
    const bool verified = why.code() != errc::unsupported && why.code() != errc::limit_exceeded;
    return verified ? damage : finding_kind::unsupported;
  }

  // Where the log begins.
  void read_markers(const sequence<std::int64_t>& listed) {
    bool gap = false;  // the one before is not known
    for (std::int64_t number = 0;;) {
      const result<truncation_marker> marker = get_marker(*store_, number);
      if (!marker && marker.error().code() == errc::not_found) {
        const std::int64_t* later = listed.begin();
        while (later != listed.end() && *later <= number) ++later;
        if (later == listed.end()) break;
        report_marker(finding_kind::damaged_marker, number, concat({"is missing, though marker ", *later, " exists"}));
        number = *later;
        gap = true;
        continue;
      }
      if (!marker)
        report_marker(kind_of(finding_kind::damaged_marker, marker.error()), number, marker.error().message());
      if (marker && !gap && marker->first != extent_.truncated.next())
        report_marker(finding_kind::damaged_marker, number, "does not go on where the one before has ended");
      gap = !marker;
      if (marker) extent_ = {{}, number + 1, marker->last, marker->checkpoints};
      ++number;
    }
    if (gap) guess_begin();
    for (const version each : extent_.checkpoints) add(listed_.checkpoints, each);
  }
  void report_marker(finding_kind kind, std::int64_t number, std::string_view why) {
    report_->add(kind, marker_name(number), {}, {},
                 concat({why, "; clients stop at it: put a good copy in its place"}));
  }

  // The latest marker cannot be read: the log seems to begin at the checkpoint before its first entry.
  void guess_begin() {
    for (const version each : listed_.checkpoints)
      if (!listed_.entries.empty() && each.next() == listed_.entries[0]) extent_.truncated = each;
  }

  // Keeps the order.
  static void add(sequence<version>& versions, version added) {
    const std::size_t at = lower_bound(versions.begin(), versions.size(), [&](version each) { return each < added; });
    if (at == versions.size() || versions[at] != added) versions.insert(at, added);
  }

  void read_log() {
    log_walk<Store> log = walk();
    while (log.next()) {
      if (!log.outcome()) report_slot(log);
      if (log.slot() == slot_state::missing) continue;
      report_->newest = log.at();
      if (log.slot() == slot_state::resumed) {
        history_.resume(*log.before(), *log.after());
        retained_.note(*log.after());
        know(log.at());
        continue;
      }
      ++report_->entries;
      if (log.has_entry()) retained_.note(log.content());
      if (!log.whole()) continue;
      history_.note(*log.before(), *log.after(), log.content());
      know(log.at());
      check_checkpoint_of(*log.after());
    }
    if (extent_.truncated != version() && ranges_.empty()) whole_ = false;  // the checkpoints are reported
    newest_ = log.after();
  }

  // What is wrong with an entry, what it means, and what to do.
  void report_slot(const log_walk<Store>& log) {
    whole_ = false;
    finding_kind kind = finding_kind::damaged_entry;
    if (log.slot() == slot_state::missing) kind = finding_kind::missing_entry;
    if (log.slot() == slot_state::off_chain) kind = finding_kind::broken_chain;
    const error& why = log.outcome().error();
    std::string message = why.message();
    if (kind != finding_kind::missing_entry) {  // which says what to do
      message += concat({"; this version and those up to the next checkpoint cannot be read: ",
                         kind_of(kind, why) == kind ? "put a good copy in its place" : "use a newer tarn"});
      if (log.at().number > 0) message += concat({", or read version ", log.at().number - 1, " with begin_at"});
    }
    report_->add(kind_of(kind, why), entry_name(log.at()), log.at(), {}, message);
  }

  void know(version at) {
    if (ranges_.empty() || ranges_.back().last.next() < at)
      ranges_.push_back({at, at});
    else
      ranges_.back().last = at;
  }

  void check_checkpoint_of(const snapshot& state) {
    const std::size_t place = lower_bound(listed_.checkpoints.begin(), listed_.checkpoints.size(),
                                          [&](version each) { return each < state.at; });
    if (place == listed_.checkpoints.size() || listed_.checkpoints[place] != state.at) return;
    verified_.push_back(state.at);
    const status good = check_checkpoint(*store_, state, *bounds_);
    if (!good) return report_checkpoint(state.at, good.error());
    checkpointed_ = shared<shared_snapshot>::make(shared_snapshot(state));
  }

  // The newest checkpoint names objects that entries before it carry, too: whoever opens the lake reads those in the
  // store, and a truncation leaves no others.
  void check_stored_objects(const snapshot& state) {
    for (const auto& [name, table] : state.tables) {
      for (std::size_t at = 0; at < table->objects.size(); ++at)
        check_stored_object(table->name, table->objects[at].object, state.at);
      for (const copy_on_write<bucket_state>& bucket : table->buckets)
        for (const keyed_object& each : bucket->objects) check_stored_object(table->name, each.object, state.at);
    }
  }
  // Whether a retained version from `at` on has it: what only older ones had, a vacuum may have taken.
  [[nodiscard]] bool is_needed_from(const uuid& object, version at) const noexcept {
    for (const object_stay& each : history_.find(object))
      if (retained_.has_any(each.from > at ? each.from : at, each.until)) return true;
    return false;
  }
  void check_stored_object(std::string_view table, const data_object& object, version at) {
    if (!object.inline_bytes || !is_needed_from(object.id, at)) return;
    const std::string name = object_name(table, object.id);
    const auto stored = store_->get(name);
    if (stored && std::string_view(*stored) == *object.inline_bytes) return;
    const bool is_missing = !stored && stored.error().code() == errc::not_found;
    report_->add(is_missing ? finding_kind::missing_object : finding_kind::damaged_object, name, at, table,
                 concat({"object ", name, is_missing ? " is missing" : " is not what an entry says that it is",
                         ", and the checkpoint of version ", at.number,
                         " needs it: put the bytes there that its entry has as ", "\"Inline\""}));
  }

  // Of states that the log does not tell: only whether they can be read.
  void check_other_checkpoints() {
    for (const version_tag& each : retained_.tags())
      if (each.at < extent_.truncated) add(listed_.checkpoints, each.at);
    std::size_t verified = 0;
    for (const version each : listed_.checkpoints) {
      while (verified < verified_.size() && verified_[verified] < each) ++verified;
      if (verified < verified_.size() && verified_[verified] == each) continue;
      if (each < extent_.truncated && !retained_.has_tag(each)) continue;  // an orphan
      const result<shared_snapshot> state = read_checkpoint(*store_, each, *bounds_);
      if (!state) report_checkpoint(each, state.error());
      if (!state || each >= extent_.truncated) continue;
      history_.note_alone(**state);
      alone_.push_back(each);
    }
  }

  void report_checkpoint(version at, const error& why) {
    const bool alone = at <= extent_.truncated;
    if (alone) whole_ = false;  // what its version needs is not known
    const std::string_view advice = alone ? "the log does not tell this version any more: put a good copy in its place"
                                          : "clients pass over it and read more of the log: client::checkpoint_of "
                                            "writes it anew";
    report_->add(kind_of(finding_kind::damaged_checkpoint, why), checkpoint_name(at), at, {},
                 concat({why.message(), "; ", advice}));
  }

  Store* store_;
  const limits* bounds_;
  check_report* report_;
  listed_versions listed_;
  log_extent extent_;
  object_history history_;
  retained_versions retained_;
  sequence<version_range> ranges_;  // of versions whose states the log tells, in order
  sequence<version> verified_;      // checkpoints that were compared with the log, in order
  sequence<version> alone_;
  shared_snapshot newest_;
  shared<shared_snapshot> checkpointed_;  // the newest state that the log and a checkpoint tell alike
  bool whole_ = true;
};

}  // namespace tarn::inline TARN_ABI
