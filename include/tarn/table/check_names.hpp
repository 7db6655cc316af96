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
    sort(entries_.begin(), entries_.size(), [](version a, version b) { return a < b; });
    for (sequence<std::string>* const each : {&objects_, &others_}) remove_duplicates(*each);
    return {};
  }

  // The versions that have entries, in order.
  [[nodiscard]] const sequence<version>& entries() const noexcept { return entries_; }

  // Reports what no retained version needs. Data objects only if the log is whole: else who knows what needs them.
  void report(check_report& into, const retained_versions& retained, const object_history& history, bool whole) const {
    for (const std::string& each : objects_)
      if (whole) report_orphan(into, each, retained, history);
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
      entries_.push_back(at);
    else if (parse_object_name(name, table, id))
      objects_.emplace_back(name);
    else if (!parse_checkpoint_name(name, at) && !parse_checkpoint_part_name(name, at, number) &&
             !parse_marker_name(name, number))
      others_.emplace_back(name);
  }

  // A listing may name a thing twice.
  static void remove_duplicates(sequence<std::string>& names) {
    sort(names.begin(), names.size(), [](const std::string& a, const std::string& b) { return a.compare(b) < 0; });
    std::size_t kept = 0;
    for (std::size_t at = 0; at < names.size(); ++at)
      if (kept == 0 || names[kept - 1] != names[at]) std::swap(names[kept++], names[at]);
    names.shrink(kept);
  }

  static void report_orphan(check_report& into, std::string_view name, const retained_versions& retained,
                            const object_history& history) {
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
             concat({reason(last, history.has_table(table)), "; a vacuum removes it"}));
  }

  // Why an object is there that no retained version has.
  [[nodiscard]] static std::string reason(const object_stay* last, bool has_table) {
    if (last == nullptr)
      return has_table ? "is named by no version: its transaction failed, was rolled back or is still running"
                       : "is of a table that the lake never had: the transaction that was to create it failed, was "
                         "rolled back or is still running";
    constexpr const char* how[] = {"came", "was replaced by a compaction", "was dropped with its table",
                                   "went, as its table was restored to an older state,"};
    return concat({how[static_cast<unsigned char>(last->why)], " at version ", last->until.number,
                   ", and no version that has it is retained"});
  }

  sequence<version> entries_;
  sequence<std::string> objects_;
  sequence<std::string> others_;
};

}  // namespace tarn::inline TARN_ABI
