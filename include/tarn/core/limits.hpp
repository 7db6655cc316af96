// Bounds on everything that input could make large, with their units and defaults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

struct limits {
  // When a transaction's buffered rows of one table become a data object. The article's program reads objects of at
  // most 65,536 rows, so a lake shared with it must not raise `rows_per_object`.
  std::uint64_t rows_per_object = 65'536;
  std::size_t bytes_per_object = std::size_t{64} << 20;
  // How many objects of a transaction may be on their way into the store while it encodes the next, and are in memory
  // then. 0, or without client_options::executor: none.
  std::uint32_t flushes_max = 2;

  // Rows: one that is longer when encoded, or nested deeper, is refused at insert and, in an object, not read.
  std::size_t row_bytes_max = std::size_t{16} << 20;
  std::uint32_t nesting_depth_max = 64;

  // What a client remembers of the keys in the objects that it has looked keys up in: some 50 bytes and the key for
  // each. Where one bucket's do not fit, every look-up reads them again: allow more, or make more buckets.
  std::size_t key_index_bytes_max = std::size_t{64} << 20;

  // What the log says of the values in an object, so that filtered scans can leave it alone: least and greatest value
  // of each of the first columns, none of which is longer.
  std::size_t bounds_columns_max = 32;
  std::size_t bounds_bytes_max = 64;

  // Keys and ranges of keys of one table that a transaction remembers having read; with more, it counts as having read
  // the whole table. Keys that it has also written count only if it is non_blocking.
  std::size_t read_keys_max = 10'000;

  // Schemas.
  std::size_t columns_max = 16'384;
  std::uint32_t buckets_max = 4'096;  // of a keyed table
  std::size_t column_name_bytes_max = 1'024;

  // A log entry, and so the number of objects and columns that one transaction can name; and of rows of bags that it
  // deletes or updates here and there: some 8 bytes for each that is deleted, 90 for each that is updated. (Neighbours
  // count as one.)
  std::size_t entry_bytes_max = std::size_t{64} << 20;

  // Checkpoints: how large one object of them gets, and all of one that is read.
  std::size_t checkpoint_part_bytes = std::size_t{8} << 20;
  std::size_t checkpoint_bytes_max = std::size_t{1} << 30;
};

}  // namespace tarn::inline TARN_ABI
