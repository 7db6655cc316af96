// Transactions with a number, whose work follows from that alone: so what a lake must hold follows from the order of
// the numbers in its log, whoever committed them and whoever was told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tarn/core/filter.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/table_key.hpp>
#include <tarn/testing/random_source.hpp>
#include <vector>

namespace tarn_test {

// What transaction `number` does to two bags, "left" and "right", which get the same rows, and to a keyed table.
struct numbered_work {
  static constexpr std::int64_t keys = 12;
  static constexpr std::int64_t erased_before = 3;  // how far back the transaction is whose rows some erase

  explicit numbered_work(std::int64_t work_number) : number(work_number) {
    tarn::testing::random_source random(static_cast<std::uint64_t>(work_number));
    rows = 1 + static_cast<std::int64_t>(random.below(4));
    erases_rows = random.chance(15);
    upserted = static_cast<std::int64_t>(random.below(keys));
    erased = static_cast<std::int64_t>(random.below(keys));
  }

  // In a transaction that has begun; the tables must be there.
  template <class Transaction>
  [[nodiscard]] tarn::status run(Transaction& transaction) const {
    if (erases_rows) {
      const auto gone =
          transaction.erase_where("left", {{"transaction", tarn::comparison::equals, number - erased_before}});
      if (!gone) return gone.error();
    }
    for (std::int64_t row = 0; row < rows; ++row)
      for (const char* const table : {"left", "right"})
        if (const auto inserted = transaction.insert(table, {number, row}); !inserted) return inserted;
    if (const auto done = transaction.erase("keyed", {erased}); !done) return done;
    return transaction.upsert("keyed", {upserted, number});
  }

  std::int64_t number;
  std::int64_t rows;
  bool erases_rows;  // from the left bag, those of an earlier transaction
  std::int64_t upserted;
  std::int64_t erased;  // before `upserted` is written
};

template <class Transaction>
[[nodiscard]] tarn::status create_numbered_tables(Transaction& transaction) {
  for (const char* const table : {"left", "right"})
    if (const auto made = transaction.create_table(table, {"transaction", "row"}); !made) return made;
  return transaction.create_table("keyed", {{"key", tarn::column_type::integer}, {"value", tarn::column_type::integer}},
                                  tarn::keyed{{"key"}, 2});
}

// What the tables hold.
struct numbered_content {
  std::map<std::int64_t, std::int64_t> left;  // by transaction, how many rows
  std::map<std::int64_t, std::int64_t> right;
  std::map<std::int64_t, std::int64_t> keyed;

  friend bool operator==(const numbered_content&, const numbered_content&) = default;

  void apply(const numbered_work& work) {
    if (work.erases_rows) left.erase(work.number - numbered_work::erased_before);
    left[work.number] = right[work.number] = work.rows;
    keyed.erase(work.erased);
    keyed[work.upserted] = work.number;
  }
};

// Reads a bag; an error if a transaction's rows are not 0, 1, 2, ..., each once.
template <class Transaction>
[[nodiscard]] tarn::result<std::map<std::int64_t, std::int64_t>> read_numbered_bag(Transaction& transaction,
                                                                                   std::string_view table) {
  auto scan = transaction.scan(table);
  if (!scan) return scan.error();
  std::map<std::int64_t, std::vector<bool>> seen;
  while (scan->next()) {
    std::vector<bool>& rows = seen[scan->row()[0].as_integer()];
    const auto row = static_cast<std::size_t>(scan->row()[1].as_integer());
    if (rows.size() <= row) rows.resize(row + 1);
    if (rows[row]) return tarn::error(tarn::errc::corrupt, "a row is there twice");
    rows[row] = true;
  }
  if (!scan->status()) return scan->status().error();
  std::map<std::int64_t, std::int64_t> counts;
  for (const auto& [number, rows] : seen) {
    for (const bool row : rows)
      if (!row) return tarn::error(tarn::errc::corrupt, "a row is missing");
    counts[number] = static_cast<std::int64_t>(rows.size());
  }
  return counts;
}

// Nothing if there are no tables yet.
template <class Transaction>
[[nodiscard]] tarn::result<numbered_content> read_numbered_content(Transaction& transaction) {
  numbered_content content;
  const auto created = transaction.has_table("left");
  if (!created) return created.error();
  if (!*created) return content;
  auto left = read_numbered_bag(transaction, "left");
  if (!left) return left.error();
  auto right = read_numbered_bag(transaction, "right");
  if (!right) return right.error();
  content.left = *std::move(left);
  content.right = *std::move(right);
  auto scan = transaction.scan("keyed");
  if (!scan) return scan.error();
  while (scan->next()) content.keyed[scan->row()[0].as_integer()] = scan->row()[1].as_integer();
  if (!scan->status()) return scan->status().error();
  return content;
}

// The first difference, for a message.
[[nodiscard]] inline std::string difference(const numbered_content& expected, const numbered_content& found) {
  const auto compare = [](const char* table, const auto& wanted, const auto& got) {
    std::string text;
    for (const auto& [key, value] : wanted)
      if (const auto there = got.find(key); there == got.end() || there->second != value)
        return std::string(table) + ": " + std::to_string(key) + " should have " + std::to_string(value);
    for (const auto& [key, value] : got)
      if (wanted.count(key) == 0)
        text = std::string(table) + ": " + std::to_string(key) + " has " + std::to_string(value);
    return text;
  };
  for (const std::string& text :
       {compare("left", expected.left, found.left), compare("right", expected.right, found.right),
        compare("keyed", expected.keyed, found.keyed)})
    if (!text.empty()) return text;
  return {};
}

}  // namespace tarn_test
