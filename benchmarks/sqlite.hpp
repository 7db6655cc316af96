// SQLite, as the peer that does the same work: the samples in a table, prepared statements, one transaction. A call
// that fails ends the program, since its time would mean nothing.
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.hpp"
#include "workload.hpp"

namespace tarn_benchmark {

class statement {
 public:
  statement(sqlite3* database, const char* sql) {
    require(sqlite3_prepare_v2(database, sql, -1, &prepared_, nullptr) == SQLITE_OK, "prepare an SQL statement");
  }
  statement(const statement&) = delete;
  statement& operator=(const statement&) = delete;
  ~statement() { sqlite3_finalize(prepared_); }

  // Makes the next row the current one; at the end false, and ready to be run again.
  [[nodiscard]] bool next() {
    const int outcome = sqlite3_step(prepared_);
    if (outcome == SQLITE_ROW) return true;
    require(outcome == SQLITE_DONE, "run an SQL statement");
    sqlite3_reset(prepared_);
    return false;
  }
  void run() {
    while (next()) {
    }
  }

  void insert(const sample& row) {
    sqlite3_bind_text(prepared_, 1, row.station.data(), static_cast<int>(row.station.size()), SQLITE_STATIC);
    sqlite3_bind_int64(prepared_, 2, row.counter);
    sqlite3_bind_double(prepared_, 3, row.reading);
    run();
  }
  void insert(const sample& row, std::int64_t id) {
    sqlite3_bind_int64(prepared_, 4, id);
    insert(row);
  }

  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(prepared_, column); }
  [[nodiscard]] sample row() const {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(prepared_, 0));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(prepared_, 0));
    return {{text, size}, sqlite3_column_int64(prepared_, 1), sqlite3_column_double(prepared_, 2)};
  }

 private:
  sqlite3_stmt* prepared_ = nullptr;
};

// A connection to a database.
class database {
 public:
  explicit database(const std::string& path) {
    require(sqlite3_open(path.c_str(), &connection_) == SQLITE_OK, "open an SQLite database");
  }
  database(const database&) = delete;
  database& operator=(const database&) = delete;
  ~database() { sqlite3_close(connection_); }

  [[nodiscard]] statement prepare(const char* sql) { return {connection_, sql}; }
  void run(const char* sql) { prepare(sql).run(); }

  // An empty table, in WAL mode, which is the fastest for writers (in memory there is no journal, whatever is asked
  // for). `synchronous` is what SQLite calls durability.
  void create_table(std::string_view synchronous) {
    set_durability(synchronous);
    run("CREATE TABLE samples (station TEXT, counter INTEGER, reading REAL)");
  }
  void create_keyed_table(std::string_view synchronous) {
    set_durability(synchronous);
    run("CREATE TABLE samples (station TEXT, counter INTEGER, reading REAL, id INTEGER PRIMARY KEY)");
  }

 private:
  void set_durability(std::string_view synchronous) {
    run("PRAGMA journal_mode=WAL");
    run(("PRAGMA synchronous=" + std::string(synchronous)).c_str());
  }

  sqlite3* connection_ = nullptr;
};

// Writes rows in transactions of its own, with statements that are prepared once.
class sample_writer {
 public:
  explicit sample_writer(database& into)
      : begin_(into.prepare("BEGIN")),
        insert_(into.prepare("INSERT INTO samples VALUES (?, ?, ?)")),
        commit_(into.prepare("COMMIT")) {}

  // The rows from `first` on, in one transaction.
  void write(std::int64_t first, std::int64_t rows) {
    begin_.run();
    for (std::int64_t number = first; number < first + rows; ++number) insert_.insert(make_sample(number));
    commit_.run();
  }

 private:
  statement begin_;
  statement insert_;
  statement commit_;
};

class keyed_sample_writer {
 public:
  explicit keyed_sample_writer(database& into)
      : begin_(into.prepare("BEGIN")),
        upsert_(into.prepare("INSERT INTO samples VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                             " station = excluded.station, counter = excluded.counter, reading = excluded.reading")),
        commit_(into.prepare("COMMIT")) {}

  // Rows 0 to `rows` - 1, in one transaction.
  void fill(std::int64_t rows) {
    begin_.run();
    for (std::int64_t key = 0; key < rows; ++key) upsert_.insert(make_sample(key), key);
    commit_.run();
  }
  // New values for every hundredth of so many rows, in no order.
  void upsert_one_percent(std::int64_t rows) {
    begin_.run();
    for (std::int64_t number = 0; number < rows / 100; ++number) {
      const std::int64_t key = scattered_key(number, rows);
      upsert_.insert(make_sample(key + rows), key);
    }
    commit_.run();
  }

 private:
  statement begin_;
  statement upsert_;
  statement commit_;
};

}  // namespace tarn_benchmark
