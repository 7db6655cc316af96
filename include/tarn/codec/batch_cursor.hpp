// Cursors that hand out batches of columns beside rows, and the batches of those that do not.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "batch_builder.hpp"
#include "codec.hpp"
#include "column_view.hpp"

namespace tarn::inline TARN_ABI {

// A cursor over columns that lie apart, of which it reads those that are selected: the indexes of some, before the
// first row. The values of all others are then handed out as null, unless they are fetched after all. A batch is valid
// until the cursor moves on.
//
//   while (cursor.next_batch()) use(cursor.batch());
//   if (!cursor.status()) ...
//
// A cursor that only knows when it runs whether it can (see codecs.hpp) has `has_batches()`, too.
template <class C>
concept batch_cursor = row_cursor<C> && requires(C& cursor, array_view<std::size_t> columns, column_view& values) {
  cursor.select(columns);
  { cursor.next_batch() } -> std::same_as<bool>;
  { cursor.batch() } -> std::convertible_to<const row_batch&>;
  { cursor.fetch_column(std::size_t{}, values) } -> std::same_as<bool>;
};

template <row_cursor Cursor>
[[nodiscard]] bool has_batches([[maybe_unused]] const Cursor& cursor) {
  if constexpr (requires { cursor.has_batches(); })
    return cursor.has_batches();
  else
    return batch_cursor<Cursor>;
}

// Reads only these columns from now on, if the cursor can. What the others' values are then handed out as is not known:
// null, or what they are.
template <row_cursor Cursor>
void select_columns([[maybe_unused]] Cursor& cursor, [[maybe_unused]] array_view<std::size_t> columns) {
  if constexpr (requires { cursor.select(columns); }) cursor.select(columns);
}

// Batches of some columns of any cursor: its own if it has some, by reference, else its rows, gathered. The indexes of
// the columns are the cursor's; those that were not asked for are of nulls only. Movable; memory: see `batch_builder`.
template <row_cursor Cursor>
class batches_of {
 public:
  // Of rows with `column_count` values; the cursor must stand before the first. Columns in `later` can be fetched.
  batches_of(shared<Cursor> rows, array_view<std::size_t> wanted, std::size_t column_count,
             array_view<std::size_t> later = array_view<std::size_t>())
      : rows_(std::move(rows)), gathers_(!tarn::has_batches(*rows_)) {
    sequence<std::size_t> gathered;  // what is not gathered with the others is gone
    for (const std::size_t each : wanted) gathered.push_back(each);
    for (const std::size_t each : later) gathered.push_back(each);
    select_columns(*rows_, gathers_ ? array_view<std::size_t>(gathered.data(), gathered.size()) : wanted);
    if (gathers_) gathered_ = batch_builder<>({gathered.data(), gathered.size()}, column_count);
  }

  // False at the end and on failure.
  [[nodiscard]] bool next() {
    if constexpr (batch_cursor<Cursor>)
      if (!gathers_) return rows_->next_batch();
    gathered_.clear();
    while (!done_ && !gathered_.is_full()) {
      done_ = !rows_->next();
      if (!done_) gathered_.append(rows_->row());
    }
    return gathered_.finish().rows() > 0;  // also those before a failure
  }

  [[nodiscard]] const row_batch& batch() const noexcept {
    if constexpr (batch_cursor<Cursor>)
      if (!gathers_) return rows_->batch();
    return gathered_.batch();
  }
  // A column of the batch, one of those that were wanted later too. False if it cannot be read: see status().
  [[nodiscard]] bool fetch(std::size_t column, column_view& values) {
    if constexpr (batch_cursor<Cursor>)
      if (!gathers_) return rows_->fetch_column(column, values);
    values = gathered_.batch().column(column);
    return true;
  }
  [[nodiscard]] tarn::status status() const { return rows_->status(); }

 private:
  shared<Cursor> rows_;
  bool gathers_;
  bool done_ = false;  // there are no more rows to gather
  batch_builder<> gathered_;
};

}  // namespace tarn::inline TARN_ABI
