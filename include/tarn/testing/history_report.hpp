// What is checked of a history, what it may be found to show, and what the answer looks like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI::testing {

// Each can be left out, so that it can be shown that each is needed.
enum class history_rule : unsigned char {
  acknowledged,  // whoever was told a version is that version
  failed,        // whoever was told to have failed is in no version
  once,          // nobody is two versions, and no version is of two
  owners,        // every version is somebody's
  reads,         // every read is of the snapshot and of what the transaction itself had written
  writes,        // unless it is non_blocking, what a transaction writes no other has written since its snapshot
  deleted,       // nor, at any level, the rows of a bag that it deletes
  validated,     // nor, at any level, the keys that it has inserted or updated
  serial,        // what a serializable transaction has read was not changed since its snapshot
  names,         // the tables that a transaction has used, or listed, were not redefined since its snapshot
  fresh,         // a snapshot has every version that had been acknowledged when it began
  sessions,      // a session never goes back behind what it has read or made
  kept,          // a version is there until a vacuum gives it up
  cycles,        // dependencies go round in no circle
};
inline constexpr std::size_t history_rule_count = 14;

[[nodiscard]] constexpr std::string_view name_of(history_rule which) noexcept {
  constexpr const char* names[] = {"acknowledged", "failed", "once",  "owners", "reads",    "writes", "deleted",
                                   "validated",    "serial", "names", "fresh",  "sessions", "kept",   "cycles"};
  return names[static_cast<unsigned char>(which)];
}

class history_rules {
 public:
  [[nodiscard]] static constexpr history_rules all() noexcept { return history_rules((1U << history_rule_count) - 1); }
  [[nodiscard]] static constexpr history_rules none() noexcept { return history_rules(0); }

  [[nodiscard]] constexpr bool has(history_rule which) const noexcept { return (bits_ & bit(which)) != 0; }
  [[nodiscard]] constexpr history_rules with(history_rule which) const noexcept {
    return history_rules(bits_ | bit(which));
  }
  [[nodiscard]] constexpr history_rules without(history_rule which) const noexcept {
    return history_rules(bits_ & ~bit(which));
  }

 private:
  explicit constexpr history_rules(unsigned bits) noexcept : bits_(bits) {}
  [[nodiscard]] static constexpr unsigned bit(history_rule which) noexcept {
    return 1U << static_cast<unsigned>(which);
  }

  unsigned bits_;
};

// The names of the literature (Adya 1999; Berenson and others 1995) where it has one: G0, G1a, ..., P4, A5.
enum class anomaly : unsigned char {
  none,
  false_acknowledgement,  // a commit that was acknowledged is not there
  failed_commit,          // a commit that failed is there
  duplicate_commit,       // a commit is there twice
  shared_slot,            // two commits were told the same version
  stranger,               // a version is nobody's
  garbage_read,           // a row that nobody has written
  aborted_read,           // G1a: of one that is not committed
  intermediate_read,      // G1b: that its writer has written over
  future_read,            // of a version after the snapshot
  own_write_missed,       // not what the transaction itself had written
  torn_commit,            // one part of a commit is visible, and another is not
  stale_row,              // read skew: older than the snapshot
  missing_row,            // of the snapshot
  repeated_row,           // found twice, or where it does not belong
  wrong_absence,          // a key or a table was said to be there, or not to be there, and is not, or is
  housekeeping_damage,    // the snapshot was made by a compaction or a vacuum, and lacks what was there before
  dirty_write,            // G0, P4: another's write, unseen, is lost
  lost_update,            // P4: an insert or an update of what another had written
  lost_deletion,          // two have deleted one row
  write_skew,             // A5B, G2-item: what was looked up had been changed
  phantom_skew,           // G2: what was scanned had been changed
  redefined_table,        // the table is another one
  stale_snapshot,         // a version that was acknowledged before it began is not in it
  session_order,          // older than what the session had seen
  lost_version,           // could not be read, though nobody gave it up
  write_cycle,            // G0
  circular_information,   // G1c: writes and reads go round
  single_antidependency,  // G-single: read skew
  item_antidependency,    // G2-item: write skew
  antidependency,         // G2: by scans
};

[[nodiscard]] constexpr std::string_view name_of(anomaly what) noexcept {
  constexpr const char* names[] = {"nothing",
                                   "a false acknowledgement",
                                   "a failed commit that is there",
                                   "a commit that is there twice",
                                   "a version that two were told",
                                   "a version of a stranger",
                                   "a garbage read",
                                   "an aborted read (G1a)",
                                   "an intermediate read (G1b)",
                                   "a read of the future",
                                   "an own write that was missed",
                                   "a torn commit",
                                   "a stale row (read skew)",
                                   "a missing row",
                                   "a repeated row, or one out of place",
                                   "a wrong answer whether something is there",
                                   "damage done by housekeeping",
                                   "a dirty write (G0, P4)",
                                   "a lost update (P4)",
                                   "a lost deletion",
                                   "a write skew (A5B)",
                                   "a phantom that skews (G2)",
                                   "a redefined table",
                                   "a stale snapshot",
                                   "a session that goes back",
                                   "a lost version",
                                   "a cycle of writes (G0)",
                                   "a cycle of writes and reads (G1c)",
                                   "a cycle with one antidependency (G-single)",
                                   "a cycle of antidependencies (G2-item)",
                                   "a cycle of antidependencies by scans (G2)"};
  return names[static_cast<unsigned char>(what)];
}

struct violation {
  history_rule found_by = history_rule::reads;
  anomaly what = anomaly::none;
  std::vector<std::uint32_t> transactions;  // their places in the history; of a cycle, each depends on the one before
  std::string message;
};

struct history_check_options {
  history_rules rules = history_rules::all();
  std::size_t violations_max = 100;  // that are told; all are counted
};

struct history_report {
  std::size_t count = 0;  // of violations
  std::vector<violation> violations;
  std::size_t transactions = 0;
  std::size_t versions = 0;
  std::size_t reads = 0;
  std::size_t rows = 0;              // that scans have found
  std::size_t contested = 0;         // ranges of versions in which cycles were searched for
  std::size_t permitted_cycles = 0;  // through transactions that did not ask to be serializable, as write skew is

  [[nodiscard]] bool good() const noexcept { return count == 0; }
  // Of the first violation; empty: there is none.
  [[nodiscard]] std::string message() const { return violations.empty() ? std::string() : violations[0].message; }
  [[nodiscard]] bool has(history_rule which, anomaly what) const {
    for (const violation& each : violations)
      if (each.found_by == which && each.what == what) return true;
    return false;
  }
};

// Where the parts of a check say what they have found.
struct history_findings {
  history_check_options options;
  history_report report = {};

  void add(history_rule by, anomaly what, std::vector<std::uint32_t> transactions, const std::string& message) {
    if (!options.rules.has(by)) return;
    ++report.count;
    if (report.violations.size() < options.violations_max)
      report.violations.push_back({by, what, std::move(transactions), message});
  }
};

}  // namespace tarn::inline TARN_ABI::testing
