// LMDB, as a peer: row numbers as keys, rows as bytes. New rows are appended in order, which is the fastest way into
// it.
#pragma once

#include <lmdb.h>

#include <cstdint>
#include <string>

#include "packed_row.hpp"
#include "require.hpp"
#include "workload.hpp"

namespace tarn_benchmark {

class lmdb_database {
 public:
  // `survives`: a commit is durable when it returns.
  lmdb_database(const std::string& path, bool survives) {
    constexpr std::size_t room = std::size_t{4} << 30;
    require(mdb_env_create(&environment_) == 0 && mdb_env_set_mapsize(environment_, room) == 0, "make an LMDB");
    const unsigned flags = MDB_NOSUBDIR | (survives ? 0U : unsigned{MDB_NOSYNC});
    require(mdb_env_open(environment_, path.c_str(), flags, 0644) == 0, "open an LMDB");
    with_transaction(0, [&](MDB_txn* of) { require(mdb_dbi_open(of, nullptr, 0, &table_) == 0, "open its table"); });
  }
  lmdb_database(const lmdb_database&) = delete;
  lmdb_database& operator=(const lmdb_database&) = delete;
  ~lmdb_database() { mdb_env_close(environment_); }

  // The rows from `first` on, in one transaction.
  void write(std::int64_t first, std::int64_t rows) {
    with_transaction(0, [&](MDB_txn* of) {
      for (std::int64_t number = first; number < first + rows; ++number) put(of, number, number, MDB_APPEND);
    });
  }
  // New values for every hundredth of so many rows, in no order.
  void upsert_one_percent(std::int64_t rows) {
    with_transaction(0, [&](MDB_txn* of) {
      for (std::int64_t number = 0; number < rows / 100; ++number) {
        const std::int64_t key = scattered_key(number, rows);
        put(of, key, key + rows, 0);
      }
    });
  }

  [[nodiscard]] totals read() {
    totals all;
    with_transaction(MDB_RDONLY, [&](MDB_txn* of) {
      MDB_cursor* cursor = nullptr;
      require(mdb_cursor_open(of, table_, &cursor) == 0, "read LMDB");
      MDB_val name;
      MDB_val content;
      while (mdb_cursor_get(cursor, &name, &content, MDB_NEXT) == 0)
        all.add(unpacked({static_cast<const char*>(content.mv_data), content.mv_size}));
      mdb_cursor_close(cursor);
    });
    return all;
  }

 private:
  template <class Work>
  void with_transaction(unsigned flags, Work work) {
    MDB_txn* begun = nullptr;
    require(mdb_txn_begin(environment_, nullptr, flags, &begun) == 0, "begin with LMDB");
    work(begun);
    require(mdb_txn_commit(begun) == 0, "commit with LMDB");
  }

  // The row `number`, with the values of sample `from`.
  void put(MDB_txn* of, std::int64_t number, std::int64_t from, unsigned flags) const {
    packed_row row(make_sample(from));
    std::string key = packed_key(number);
    MDB_val name{key.size(), key.data()};
    MDB_val content{row.size(), row.data()};
    require(mdb_put(of, table_, &name, &content, flags) == 0, "put into LMDB");
  }

  MDB_env* environment_ = nullptr;
  MDB_dbi table_ = 0;
};

}  // namespace tarn_benchmark
