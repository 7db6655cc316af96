// What kind of wrong a read is: who has written the row that it has found, or should have found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../core/config.hpp"
#include "history.hpp"
#include "history_report.hpp"

namespace tarn::inline TARN_ABI::testing {

// A read that has found one row instead of another; 0: none. Twice the same: found twice, or where it does not belong.
struct misread {
  bool is_wrong = false;
  std::uint64_t key = 0;  // of the table that was read
  row_token seen = 0;
  row_token expected = 0;
};

// Who has written a row, if it is in the log.
struct row_writer {
  std::uint32_t transaction = 0;
  std::int64_t committed = -1;  // -1: not at all
  bool is_last = true;          // of its transaction's writes of that key
};

// The writers of all rows of a history.
class row_writers {
 public:
  [[nodiscard]] bool empty() const { return writers_.empty(); }

  // `owners`: whose transaction each version is.
  void fill(const history& all, const std::vector<std::uint32_t>& owners) {
    std::vector<std::int64_t> committed(all.transactions.size(), -1);
    for (std::size_t at = 0; at < owners.size(); ++at)
      if (owners[at] < committed.size()) committed[owners[at]] = static_cast<std::int64_t>(at);
    for (std::uint32_t number = 0; number < committed.size(); ++number) {
      const auto done = all.operations_of(all.transactions[number]);
      std::unordered_map<std::uint64_t, row_token> last;  // by table and key
      for (const recorded_operation& each : done) {
        if (!is_write(each.kind) || each.kind >= operation_kind::create_table) continue;
        row_token& newest = last[std::uint64_t{each.table} << 48 ^ each.key];
        if (newest != 0) writers_[newest].is_last = false;
        newest = each.row;
        if (each.row != 0) writers_[each.row] = {number, committed[number], true};
      }
    }
  }

  // Null: nobody.
  [[nodiscard]] const row_writer* find(row_token row) const {
    const auto found = writers_.find(row);
    return found == writers_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<row_token, row_writer> writers_;
};

// Whether a transaction has found any row of a commit.
[[nodiscard]] inline bool has_seen(const history& all, const row_writers& writers, std::uint32_t reader,
                                   std::uint32_t writer) {
  for (const recorded_operation& each : all.operations_of(all.transactions[reader])) {
    const row_writer* const found = each.seen == 0 || is_write(each.kind) ? nullptr : writers.find(each.seen);
    if (found != nullptr && found->transaction == writer) return true;
  }
  return false;
}

[[nodiscard]] inline bool has_written(const history& all, std::uint32_t transaction, std::uint32_t table,
                                      std::uint64_t key) {
  for (const recorded_operation& each : all.operations_of(all.transactions[transaction]))
    if (is_write(each.kind) && each.table == table && each.key == key) return true;
  return false;
}

// Of a read of `table`. `after_housekeeping`: the snapshot was made by a transaction that is to change no rows.
[[nodiscard]] inline anomaly classify(const history& all, const row_writers& writers, std::uint32_t reader,
                                      std::uint32_t table, const misread& wrong, bool after_housekeeping) {
  const transaction_record& mine = all.transactions[reader];
  if (wrong.seen == 0 && wrong.expected == 0) return anomaly::wrong_absence;
  if (wrong.seen == wrong.expected) return anomaly::repeated_row;
  if (has_written(all, reader, table, wrong.key)) return anomaly::own_write_missed;
  const row_writer* const expected = wrong.expected == 0 ? nullptr : writers.find(wrong.expected);
  if (wrong.seen != 0) {
    const row_writer* const seen = writers.find(wrong.seen);
    if (seen == nullptr) return anomaly::garbage_read;
    if (seen->committed < 0) return anomaly::aborted_read;
    if (!seen->is_last) return anomaly::intermediate_read;
    if (seen->committed > mine.snapshot.number) return anomaly::future_read;
  }
  if (after_housekeeping) return anomaly::housekeeping_damage;
  if (expected != nullptr && has_seen(all, writers, reader, expected->transaction)) return anomaly::torn_commit;
  return wrong.seen == 0 ? anomaly::missing_row : anomaly::stale_row;
}

}  // namespace tarn::inline TARN_ABI::testing
