// History: what each version did.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/config.hpp"
#include "core/limits.hpp"
#include "core/result.hpp"
#include "core/sequence.hpp"
#include "core/shared.hpp"
#include "core/strong_types.hpp"
#include "core/text.hpp"
#include "core/uuid.hpp"
#include "log/application.hpp"
#include "log/entry.hpp"
#include "log/log.hpp"
#include "log/truncation.hpp"
#include "table/client_core.hpp"

namespace tarn::inline TARN_ABI {

// What one version did to one table.
struct table_change {
  std::string table;
  bool created = false;
  bool dropped = false;
  std::uint64_t objects = 0;   // added
  std::uint64_t rows = 0;      // in them; of keyed tables, records
  std::uint64_t deleted = 0;   // rows of a bag, those that were updated among them
  std::uint64_t replaced = 0;  // objects that a compaction has put those in the place of
  std::uint64_t bytes = 0;     // of them
  bool counted = true;         // false: the article's program wrote it, which states neither rows nor bytes
};

// One version.
struct commit_summary {
  version at;
  bool of_article = false;  // written by the article's program, which states neither time, id nor operation
  timestamp time;
  uuid transaction;
  version read_version;
  std::string operation;
  application_sequence work;  // no application: not numbered
  sequence<table_change> tables;
};

// The versions of a lake, oldest first; read as it goes, in the memory of one entry.
//
//   while (log.next()) use(log.summary());     next() is false at the head and on failure;
//   if (!log.status()) ...                     status() tells which. Damage ends the log: what came before was right.
template <class Store, class Codec>
class [[nodiscard]] log_reader {
 public:
  // Begins after the version `before`, whose entry has this checksum.
  log_reader(shared<client_core<Store, Codec>> lake, version before, std::uint32_t checksum)
      : lake_(std::move(lake)), at_(before), checksum_(checksum) {}

  // Moves to the next version. One `get`, two where the store can remove.
  [[nodiscard]] bool next() {
    if (!status_) return false;
    const version at = at_.next();
    const result<logged_entry> read = get_next_entry(lake_->store, at, lake_->extent.listed, lake_->options.bounds);
    status_ = check_overtaken(at);
    if (!status_ || (!read && read.error().code() == errc::not_found)) return false;
    status_ = read ? check_link(at_, checksum_, read->content) : tarn::status(read.error());
    if (!status_) return false;
    at_ = read->content.at;
    checksum_ = read->checksum;
    summary_ = summarize(read->content);
    return true;
  }

  // Only after next() has returned true; valid until it is called again.
  [[nodiscard]] const commit_summary& summary() const noexcept { return summary_; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

 private:
  // What was read of the slot `at`, or was not, is garbage if a truncation has overtaken this reader.
  [[nodiscard]] tarn::status check_overtaken(version at) {
    const tarn::status found = find_truncations(lake_->store, lake_->extent);
    if (!found || lake_->extent.truncated < at) return found;
    return error(errc::snapshot_expired, concat({"the log was truncated to version ", lake_->extent.truncated.number,
                                                 " meanwhile: begin again"}));
  }

  [[nodiscard]] static commit_summary summarize(const entry& content) {
    commit_summary summary;
    summary.at = content.at;
    summary.of_article = content.of_article;
    summary.time = content.time;
    summary.transaction = content.transaction;
    summary.read_version = content.read_version;
    summary.operation = content.of_article ? "of the article's program" : content.operation;
    summary.work = content.work;
    for (const auto& [table, actions] : content.actions) {
      table_change change;
      change.table = table;
      for (const action& each : actions) {
        if (each.kind == action_kind::create_table) change.created = true;
        if (each.kind == action_kind::drop_table) change.dropped = true;
        change.deleted += each.rows.size();
        change.replaced += each.kind == action_kind::remove_object ? 1 : each.replaced.size();
        if (!adds_object(each)) continue;
        ++change.objects;
        change.rows += each.object.rows;
        change.bytes += each.object.bytes;
        if (!each.object.described) change.counted = false;
      }
      summary.tables.push_back(std::move(change));
    }
    return summary;
  }

  shared<client_core<Store, Codec>> lake_;
  version at_;
  std::uint32_t checksum_;
  commit_summary summary_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
