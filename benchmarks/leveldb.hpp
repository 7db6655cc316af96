// LevelDB, as a peer: row numbers as keys and rows as bytes, in batches.
#pragma once

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "packed_row.hpp"
#include "require.hpp"
#include "workload.hpp"

namespace tarn_benchmark {

class leveldb_database {
 public:
  // `survives`: a commit is durable when it returns.
  leveldb_database(const std::string& path, bool survives) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    leveldb::DB* opened = nullptr;
    require(leveldb::DB::Open(options, path, &opened).ok(), "open a LevelDB");
    database_.reset(opened);
    writing_.sync = survives;
  }

  // The rows from `first` on, in one batch.
  void write(std::int64_t first, std::int64_t rows) {
    leveldb::WriteBatch batch;
    for (std::int64_t number = first; number < first + rows; ++number) {
      packed_row row(make_sample(number));
      batch.Put(packed_key(number), {row.data(), row.size()});
    }
    require(database_->Write(writing_, &batch).ok(), "write to LevelDB");
  }

  [[nodiscard]] totals read() {
    totals all;
    const std::unique_ptr<leveldb::Iterator> rows(database_->NewIterator({}));
    for (rows->SeekToFirst(); rows->Valid(); rows->Next())
      all.add(unpacked(std::string_view(rows->value().data(), rows->value().size())));
    return all;
  }

 private:
  std::unique_ptr<leveldb::DB> database_;
  leveldb::WriteOptions writing_;
};

}  // namespace tarn_benchmark
