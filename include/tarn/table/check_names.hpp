// The names in a store, sorted by what they are: what a check accounts for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/log_walk.hpp"
#include "../log/names.hpp"
#include "../log/retained_versions.hpp"
#include "../store/store.hpp"
#include "check_report.hpp"
#include "object_history.hpp"

namespace tarn::inline TARN_ABI {

template <class = void>
class check_names {
 public:
  // Also what the store keeps besides objects, if it tells. Memory: the names.
  template <object_store Store>
  [[nodiscard]] status list(Store& store) {
    const status listed = store.list("", "", [&](std::string_view name) { note(name); });
    if (!listed) return listed.error();
    if constexpr (requires { store.list_hidden(ignore_names{}); }) {
      const status hidden = store.list_hidden([&](std::string_view name) { others_.emplace_back(name); });
      if (!hidden) return hidden.error();
    }
    arrange(versions_.entries);
    arrange(versions_.checkpoints);
    arrange(markers_);
    for (sequence<std::string>* const each : {&parts_, &objects_, &others_}) arrange(*each);
    return {};
  }

  // In order, as are those of truncations.
  [[nodiscard]] const listed_versions& versions() const noexcept { return versions_; }
  [[nodiscard]] const sequence<std::int64_t>& markers() const noexcept { return markers_; }

  // Reports what is of no use, if the log is whole: else who knows what needs it. Entries up to version `truncated`,
  // and checkpoints before it without tags, are nobody's.
  void report_orphans(check_report& into, const object_history& history, const retained_versions& retained,
                      version truncated) const {
    for (const std::string& each : objects_) report_object(into, each, history, retained);
    for (const version each : versions_.entries)
      if (each <= truncated)
        into.add(finding_kind::orphan, entry_name(each), each, {},
                 "was given up when the log was truncated; "
                 "the next truncation removes it");
    for (const version each : versions_.checkpoints)
      if (each < truncated && !retained.has_tag(each))
        into.add(finding_kind::orphan, checkpoint_name(each), each, {},
                 "was given up when the log was truncated; "
                 "the next truncation removes it");
    for (const std::string& each : parts_) report_part(into, each);
  }

  void report_others(check_report& into) const {
    for (const std::string& each : others_) {
      const bool temporary = each.starts_with("_tmp_");
      into.add(temporary ? finding_kind::leftover : finding_kind::stranger, each, {}, {},
               temporary ? "is in the making, or was left by a writer that crashed: the store removes it when it is old"
                         : "is nothing of a lake's: it is ignored, and never removed");
    }
  }

 private:
  void note(std::string_view name) {
    version at;
    std::int64_t number = 0;
    std::string_view table;
    uuid id;
    if (parse_entry_name(name, at))
      versions_.entries.push_back(at);
    else if (parse_object_name(name, table, id))
      objects_.emplace_back(name);
    else if (parse_checkpoint_name(name, at))
      versions_.checkpoints.push_back(at);
    else if (parse_checkpoint_part_name(name, at, number))
      parts_.emplace_back(name);
    else if (parse_marker_name(name, number))
      markers_.push_back(number);
    else
      others_.emplace_back(name);
  }

  // In order, and each once: a listing may name a thing twice.
  template <class T>
  static void arrange(sequence<T>& names) {
    sort(names.begin(), names.size(), [](const T& a, const T& b) { return a < b; });
    std::size_t kept = 0;
    for (std::size_t at = 0; at < names.size(); ++at)
      if (kept == 0 || names[kept - 1] != names[at]) std::swap(names[kept++], names[at]);
    names.shrink(kept);
  }

  static void report_object(check_report& into, std::string_view name, const object_history& history,
                            const retained_versions& retained) {
    std::string_view table;
    uuid id;
    if (!parse_object_name(name, table, id)) return;
    const object_stay* last = nullptr;
    for (const object_stay& each : history.find(id)) {
      if (compare_ignoring_case(history.table_of(each), table) != 0) continue;
      if (retained.has_any(each.from, each.until)) return;
      last = &each;
    }
    into.add(finding_kind::orphan, name, last == nullptr ? version() : last->from, table,
             concat({reason(last, history.has_table(table)), "; ",
                     has_birth(id) ? "a vacuum removes it when it is old"
                                   : "a vacuum leaves it, since its name does not say how old it is"}));
  }

  // Why an object is there that no retained version has.
  [[nodiscard]] static std::string reason(const object_stay* last, bool has_table) {
    if (last == nullptr)
      return has_table ? "is named by no version: its transaction failed, was rolled back or is still running"
                       : "names no table of the lake: the transaction that was to create it failed, was "
                         "rolled back or is still running";
    constexpr const char* how[] = {"came", "was replaced by a compaction", "was dropped with its table",
                                   "went, as its table was restored to an older state,", "had gone"};
    return concat({how[static_cast<unsigned char>(last->why)], " at version ", last->until.number,
                   ", and no version that has it is retained"});
  }

  void report_part(check_report& into, std::string_view name) const {
    version at;
    std::int64_t part = 0;
    if (!parse_checkpoint_part_name(name, at, part)) return;
    for (const version each : versions_.checkpoints)
      if (each == at) return;
    into.add(finding_kind::orphan, name, at, {},
             "is part of a checkpoint that was never finished; "
             "whoever writes that checkpoint finds it");
  }

  listed_versions versions_;
  sequence<std::int64_t> markers_;
  sequence<std::string> parts_;  // of checkpoints
  sequence<std::string> objects_;
  sequence<std::string> others_;
};

}  // namespace tarn::inline TARN_ABI
