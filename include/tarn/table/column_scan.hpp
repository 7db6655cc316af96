// Reading columns of a table, a batch of rows at a time: for sums and searches over many rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../codec/column_view.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../log/snapshot.hpp"
#include "../merge/strategy.hpp"
#include "bag_columns.hpp"
#include "keyed_columns.hpp"
#include "scan.hpp"

namespace tarn::inline TARN_ABI {

// The columns with these names, in this order; without names, all. errc::invalid_argument if there is no such column,
// naming those that there are, or if one is named twice.
template <class Names>
[[nodiscard]] result<schema> columns_named(const Names& names, const schema& columns) {
  sequence<column> found;
  for (const std::string_view name : names) {
    const std::size_t place = columns.find(name);
    if (place == schema::none) return no_such_column("scan", name, columns);
    for (const column& each : found)
      if (each.name == name) return error(errc::invalid_argument, concat({"the scan names column '", name, "' twice"}));
    found.push_back(columns[place]);
  }
  return found.empty() ? columns : schema(std::move(found));
}

// Columns of the rows that `table_scan` hands out, in the same order.
//
//   while (columns.next()) {
//     const tarn::row_batch& batch = columns.batch();      at least one row, some 8,192 at most
//     for (const std::int64_t each : batch.column(0).integers()) sum += each;
//   }
//   if (!columns.status()) ...                              next() is false at the end and on failure
//
// A column that is declared boolean, integer, double, string or bytes is an array of those in every batch, where null
// is 0, false or empty; one of any other type can be anything that `column_view` tells of. One that is declared
// not_null has no nulls. An object whose values are others is errc::corrupt. A batch is valid until the scan moves on.
//
// Of objects that the columnar codec has written, only these columns are read, and their arrays are handed out without
// copying, but for those next to deleted rows. That goes for bags and for buckets of a keyed table that are compacted;
// of what must be merged the elements are copied (texts are not), and of records that came after a base key and
// ordering are read, too; the base's keys only where they must be compared. Rows of other codecs are read whole and
// copied. Stays usable after the transaction has ended. Memory: as `table_scan`, a batch of each object that is merged,
// and one more. Not thread-safe.
template <class Store, row_codec Codec, merge_strategy Merge>
class [[nodiscard]] column_scan {
 public:
  using bag_batches = bag_columns<Store, Codec>;
  using keyed_batches = keyed_columns<Store, Codec, Merge>;

  column_scan(shared<const schema> wanted, bag_batches rows)
      : wanted_(std::move(wanted)), bag_(shared<bag_batches>::make(std::move(rows))) {}
  column_scan(shared<const schema> wanted, keyed_batches rows)
      : wanted_(std::move(wanted)), keyed_(shared<keyed_batches>::make(std::move(rows))) {}

  // Moves to the next batch. False at the end and on failure, from then on always.
  [[nodiscard]] bool next() {
    if (done_) return false;
    done_ = !(keyed_ ? keyed_->next() : bag_->next());
    if (done_) status_ = keyed_ ? keyed_->status() : bag_->status();
    if (!done_) rows_ += batch().rows();
    return !done_;
  }

  // Only after next() has returned true.
  [[nodiscard]] const row_batch& batch() const noexcept { return keyed_ ? keyed_->batch() : bag_->batch(); }

  // An error once the scan has failed: the rows before were right, the ones after are missing.
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  // The batches' columns.
  [[nodiscard]] const schema& columns() const noexcept { return *wanted_; }
  [[nodiscard]] scan_statistics statistics() const noexcept {
    if (!keyed_) return {rows_, bag_->objects(), bag_->objects_skipped(), 0, bag_->bytes()};
    return {rows_, keyed_->objects(), 0, 0, keyed_->bytes(), keyed_->merged()};
  }

 private:
  shared<const schema> wanted_;
  shared<bag_batches> bag_;      // null: a keyed table
  shared<keyed_batches> keyed_;  // null: a bag
  std::uint64_t rows_ = 0;
  bool done_ = false;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
