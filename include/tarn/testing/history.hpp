// What clients of a lake did, and what they were told: histories, as a recorder writes them down (recorded_client.hpp),
// and as they are checked (history_check.hpp). Everything is small and by number, so that a history may have tens of
// millions of transactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../core/config.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../table/conflict.hpp"

namespace tarn::inline TARN_ABI::testing {

// Names one row that one client has written once: no two rows have the same, whatever is in them. 0: no row.
using row_token = std::uint64_t;

// The `count`-th row, counted from 0, that a client has written.
[[nodiscard]] constexpr row_token token_of(std::uint32_t client, std::uint64_t count) noexcept {
  return (std::uint64_t{client} + 1) << 40 | count;
}

enum class table_shape : unsigned char { bag, latest, by_ordering };

// In brackets, what the members of `recorded_operation` mean beyond their comments. A key is a number that the history
// gives it; a row of a bag has a key of its own, so that bags and keyed tables are the same thing here.
enum class operation_kind : unsigned char {
  // reads
  look_up,        // of a key [seen: its row, or none]
  insert_exists,  // an insert was refused, since there is a row with its key
  insert_late,    // an insert was refused, since a greater ordering hides its key [ordering: of the insert]
  update_absent,  // an update was refused, since there is no row with its key
  scan,           // of all rows for which a predicate holds [key: its number, 0: all]: those of the `found` that follow
  found,          // a row that a scan has found [key, seen], or the name of a table that `list_tables` has
  look_for_table,  // of this name [seen: 1 if there is one]; also by whoever was told that there is none
  list_tables,     // those of the `found` that follow [table]
  // writes
  append,         // a row to a bag
  upsert,         // [row, ordering]
  insert,         // [row, ordering] the key was free
  update,         // [row, ordering] of the row of a key
  erase,          // a key, whether or not there is a row
  ordered_erase,  // [ordering] a key
  delete_row,     // of a bag: it was there
  replace_row,    // of a bag: it was there, and goes; the row that takes its place is an `append` of its own
  create_table,   // [key: its table_shape]
  drop_table,
  restore,  // of all tables, to what they were at a version [key, ordering: the snapshot's version]
};

[[nodiscard]] constexpr bool is_write(operation_kind kind) noexcept { return kind >= operation_kind::append; }
[[nodiscard]] constexpr bool is_read(operation_kind kind) noexcept { return !is_write(kind); }

struct recorded_operation {
  operation_kind kind = operation_kind::look_up;
  std::uint32_t table = 0;  // the number of its name
  std::uint64_t key = 0;
  row_token row = 0;   // that was written
  row_token seen = 0;  // that was read
  std::int64_t ordering = 0;
};

enum class commit_outcome : unsigned char {
  acknowledged,  // the client was told the version
  failed,        // the client was told, or decided, that nothing is committed
  unknown,       // the client was told that it may be committed, or nothing: it crashed
};

enum class purpose : unsigned char {
  work,
  restore,
  housekeeping,  // a compaction, a vacuum, a tag, the settling of a slot: it changes no rows, and may be of an old plan
  audit,         // reads an old version: its snapshot says nothing about when it began
};

inline constexpr version no_version{-2};

struct transaction_record {
  uuid id;                  // nil: not known to whoever recorded it
  std::uint64_t begin = 0;  // when it began, and when its client knew the outcome, in one count of all such events
  std::uint64_t end = 0;
  version snapshot;  // that it read
  // That it was acknowledged at: its snapshot's, if it had nothing to write. Of one whose outcome and id are unknown,
  // the last version that it may be, the first being the one after its snapshot; no_version: it may be any.
  version committed = no_version;
  std::uint32_t client = 0;
  std::uint32_t session = 0;  // transactions, one after the other, of one user of one client; no two clients share one
  isolation level = isolation::serializable;
  commit_outcome outcome = commit_outcome::acknowledged;
  tarn::testing::purpose purpose = purpose::work;
  bool given_up = false;  // an audit that was told that its version was given up
  std::uint64_t first_operation = 0;
  std::uint32_t operation_count = 0;

  // Whether its snapshot was to be the newest when it began.
  [[nodiscard]] bool reads_newest() const noexcept {
    return purpose == tarn::testing::purpose::work || purpose == tarn::testing::purpose::restore;
  }
  // Whether its client was told that it has made a version.
  [[nodiscard]] bool claims_version() const noexcept {
    return outcome == tarn::testing::commit_outcome::acknowledged && committed > snapshot;
  }
};

// A housekeeping that gave up versions: nobody needs to be able to read one before `oldest` from `begin` on.
struct given_up_versions {
  std::uint64_t begin = 0;
  version oldest;
  uuid transaction;  // only if this one is in the log; nil: it is
};

// All that happened to one lake. Not thread-safe.
struct history {
  std::vector<transaction_record> transactions;            // in the order of their ends
  std::vector<recorded_operation> operations;              // of one transaction after the other
  std::vector<uuid> log;                                   // whose entry each version is; nil: that is not known
  std::vector<std::function<bool(row_token)>> predicates;  // number 1 is the first
  std::vector<given_up_versions> given_up;
  std::vector<std::string> tables;  // their names, for messages

  void add(transaction_record record, std::span<const recorded_operation> done) {
    record.first_operation = operations.size();
    record.operation_count = static_cast<std::uint32_t>(done.size());
    operations.insert(operations.end(), done.begin(), done.end());
    transactions.push_back(record);
  }
  [[nodiscard]] std::span<const recorded_operation> operations_of(const transaction_record& record) const {
    return {operations.data() + record.first_operation, record.operation_count};
  }
  [[nodiscard]] bool holds(std::uint64_t predicate, row_token row) const {
    return predicate == 0 || predicates[static_cast<std::size_t>(predicate - 1)](row);
  }
  [[nodiscard]] std::string describe(std::uint32_t transaction) const {
    return concat({"transaction ", transaction, " of client ", transactions[transaction].client});
  }
  [[nodiscard]] version head() const { return {static_cast<std::int64_t>(log.size()) - 1}; }
};

}  // namespace tarn::inline TARN_ABI::testing
