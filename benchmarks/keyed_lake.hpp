// Tables with a key: the samples once more, each with a key that says its number, and what deltas have changed of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tarn/tarn.hpp>
#include <vector>

#include "workload.hpp"

namespace tarn_benchmark {

enum class key_kind { integer, text, composite };
inline constexpr const char* key_names[] = {"integer", "string", "composite"};

// All keys sort as their numbers do.
class keyed_samples {
 public:
  explicit keyed_samples(key_kind kind) : kind_(kind) {}

  [[nodiscard]] tarn::schema columns() const {
    using enum tarn::column_type;
    const auto id = kind_ == key_kind::text ? string : integer;
    return {{"id", id}, {"station", string}, {"counter", integer}, {"reading", real}};
  }
  [[nodiscard]] tarn::keyed key() const {
    if (kind_ == key_kind::composite) return {{"station", "id"}};
    return {{"id"}};
  }

  // The row with key `number` and the values of sample `from`; valid until the next call.
  [[nodiscard]] tarn::row_view row(std::int64_t number, std::int64_t from) {
    const sample values = make_sample(from);
    row_[0] = kind_ == key_kind::text ? digits_of(number) : tarn::value_view(number);
    row_[1] = kind_ == key_kind::composite ? digits_of(number / 100) : tarn::value_view(values.station);
    row_[2] = values.counter;
    row_[3] = values.reading;
    return tarn::list_view(row_, 4);
  }

  // The key of a row that `row` has made; as valid as that.
  [[nodiscard]] tarn::row_view key_of(const tarn::row_view& made) {
    const bool composite = kind_ == key_kind::composite;
    key_[0] = made[composite ? 1 : 0];
    key_[1] = made[0];
    return tarn::list_view(key_, composite ? 2 : 1);
  }

 private:
  // As a text of 16 digits.
  [[nodiscard]] tarn::value_view digits_of(std::int64_t number) {
    for (std::size_t at = sizeof text_; at-- > 0; number /= 10) text_[at] = static_cast<char>('0' + number % 10);
    return std::string_view(text_, sizeof text_);
  }

  key_kind kind_;
  char text_[16] = {};
  tarn::value_view row_[4];
  tarn::value_view key_[2];
};

[[nodiscard]] inline sample keyed_sample_of(const tarn::row_view& row) {
  return {row[1].as_string(), row[2].as_integer(), row[3].as_double()};
}

// One object for all rows, however many, so that it is the base, and all of its keys remembered; all objects in the
// store, where their bytes are counted.
[[nodiscard]] inline tarn::client_options large_objects() {
  tarn::client_options options;
  options.bounds.rows_per_object = UINT64_MAX;
  options.bounds.bytes_per_object = SIZE_MAX;
  options.bounds.key_index_bytes_max = SIZE_MAX;
  options.commit.inline_bytes_max = 0;
  return options;
}

// A table whose base has the rows 0 to `rows` - 1.
template <class Client>
void create_keyed_table(Client& lake, key_kind keys, std::int64_t rows) {
  keyed_samples samples(keys);
  auto writing = lake.begin().value();
  writing.create_table("samples", samples.columns(), samples.key()).value();
  for (std::int64_t number = 0; number < rows; ++number) writing.upsert("samples", samples.row(number, number)).value();
  (void)writing.commit().value();
}

// Looks a key up, so that the transaction's client remembers those of the base, and what is written gets positions.
template <class Transaction>
void resolve_positions(Transaction& transaction, key_kind keys) {
  keyed_samples samples(keys);
  (void)transaction.get("samples", samples.key_of(samples.row(0, 0))).value();
}

// Gives every hundredth row of the table new values, in no order.
template <class Transaction>
void upsert_one_percent(Transaction& transaction, key_kind keys, std::int64_t rows) {
  keyed_samples samples(keys);
  for (std::int64_t number = 0; number < rows / 100; ++number) {
    const std::int64_t key = scattered_key(number, rows);
    transaction.upsert("samples", samples.row(key, key + rows)).value();
  }
}

// Whether the deltas' positions are of the base that is read, or of one that a compaction has replaced since.
enum class positions { fresh, stale };

struct changes {
  key_kind keys = key_kind::integer;
  std::int64_t deltas = 0;  // that share them
  std::int64_t permille_updated = 0;
  std::int64_t permille_erased = 0;
};

enum class fate { kept, updated, erased };

// Each delta changes a row, however few there are.
[[nodiscard]] inline fate fate_of(std::int64_t number, const changes& made) {
  if (number < made.deltas) return fate::updated;
  const auto drawn = static_cast<std::int64_t>(scatter(static_cast<std::uint64_t>(number)) % 1'000);
  if (drawn < made.permille_updated) return fate::updated;
  return drawn < made.permille_updated + made.permille_erased ? fate::erased : fate::kept;
}
[[nodiscard]] inline std::int64_t delta_of(std::int64_t number, const changes& made) {
  if (number < made.deltas) return number;
  return static_cast<std::int64_t>(scatter(static_cast<std::uint64_t>(number)) >> 40) % made.deltas;
}

// A table of so many rows after these changes, in memory.
template <class Codec>
class changed_lake {
 public:
  using client = tarn::client<tarn::memory_store, Codec>;

  changed_lake(const changes& made, positions which, std::int64_t rows,
               const tarn::client_options& options = large_objects()) {
    client writer{store, options};
    create_keyed_table(writer, made.keys, rows);
    auto looking = writer.begin().value();
    resolve_positions(looking, made.keys);
    if (which == positions::stale) rewrite_a_row(writer, made.keys);  // something to fold

    std::vector<typename client::transaction_type> deltas;
    for (std::int64_t delta = 0; delta < made.deltas; ++delta)
      deltas.push_back(writer.begin(tarn::isolation::non_blocking).value());
    change_rows(deltas, made, rows);
    if (which == positions::stale) {
      client elsewhere{store, options};
      (void)elsewhere.compact("samples").value();
    }
    for (auto& each : deltas) (void)each.commit().value();
  }

  tarn::memory_store store;
  totals expected;
  std::uint64_t changed_rows = 0;

 private:
  static void rewrite_a_row(client& writer, key_kind keys) {
    keyed_samples samples(keys);
    auto writing = writer.begin().value();
    writing.upsert("samples", samples.row(0, 0)).value();
    (void)writing.commit().value();
  }

  void change_rows(auto& deltas, const changes& made, std::int64_t rows) {
    keyed_samples samples(made.keys);
    for (std::int64_t number = 0; number < rows; ++number) {
      const fate what = fate_of(number, made);
      const tarn::row_view row = samples.row(number, what == fate::updated ? number + rows : number);
      if (what != fate::erased) expected.add(keyed_sample_of(row));
      if (what == fate::kept) continue;
      auto& delta = deltas[static_cast<std::size_t>(delta_of(number, made))];
      if (what == fate::updated) delta.upsert("samples", row).value();
      if (what == fate::erased) delta.erase("samples", samples.key_of(row)).value();
      ++changed_rows;
    }
  }
};

// Reads a keyed table to its end.
[[nodiscard]] totals read_rows(auto& scan) {
  totals read;
  while (scan.next()) read.add(keyed_sample_of(scan.row()));
  scan.status().value();
  return read;
}
[[nodiscard]] totals read_columns(auto& scan) {
  totals read;
  while (scan.next()) {
    const tarn::row_batch& batch = scan.batch();
    read.rows += static_cast<std::int64_t>(batch.rows());
    for (const std::string_view each : batch.column(1).strings())
      read.text_bytes += static_cast<std::int64_t>(each.size());
    for (const std::int64_t each : batch.column(2).integers()) read.counters += each;
    for (const double each : batch.column(3).doubles()) read.readings += each;
  }
  scan.status().value();
  return read;
}

}  // namespace tarn_benchmark
