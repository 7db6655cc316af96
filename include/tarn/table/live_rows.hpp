// The rows of one object of a bag that were not deleted, or those of them that may match a filter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/value.hpp"
#include "../log/row_set.hpp"

namespace tarn::inline TARN_ABI {

// Models row_cursor. Costs one comparison a row, besides reading them.
template <row_cursor Rows>
class live_rows {
 public:
  live_rows(Rows rows, copy_on_write<row_set> deleted) : rows_(std::move(rows)), deleted_(std::move(deleted)) {}
  // Without those that `rows.skip_unmatched(wanted)` leaves out.
  live_rows(Rows rows, copy_on_write<row_set> deleted, shared<const row_filter> wanted)
      : rows_(std::move(rows)), deleted_(std::move(deleted)) {
    if (!wanted->conditions().empty()) wanted_ = std::move(wanted);
  }

  [[nodiscard]] bool next() {
    if (wanted_) return next_wanted();
    while (rows_.next())
      if (!is_deleted(read_++)) return true;
    return false;
  }
  [[nodiscard]] list_view row() const { return rows_.row(); }
  // Of that row, deleted ones and those that were left out counted.
  [[nodiscard]] std::uint64_t number() const noexcept { return read_ - 1; }
  [[nodiscard]] tarn::status status() const { return rows_.status(); }

  // See `block_cursor`. Up to the next one that was deleted.
  [[nodiscard]] std::size_t rows_ahead() const noexcept {
    const std::size_t ahead = tarn::rows_ahead(rows_);
    if (ahead == 0) return 0;
    const sequence<row_range>& ranges = deleted_->ranges();
    if (next_range_ == ranges.size()) return ahead;
    const std::uint64_t live = ranges[next_range_].first - read_;
    return live < ahead ? static_cast<std::size_t>(live) : ahead;
  }
  void pass(std::size_t count) noexcept {
    pass_rows(rows_, count);
    read_ += count;
  }
  // How many rows the filter has left out, deleted ones counted.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  [[gnu::noinline]] bool next_wanted() {
    for (;;) {
      if (tarn::rows_ahead(rows_) == 0) skip();
      if (!rows_.next()) return false;
      if (!is_deleted(read_++)) return true;
    }
  }
  void skip() {
    if constexpr (requires { rows_.skip_unmatched(*wanted_); }) {
      const std::uint64_t skipped = rows_.skip_unmatched(*wanted_);
      read_ += skipped;
      skipped_ += skipped;
    }
  }
  [[nodiscard]] bool is_deleted(std::uint64_t number) noexcept {
    const sequence<row_range>& ranges = deleted_->ranges();
    while (next_range_ < ranges.size() && ranges[next_range_].last < number) ++next_range_;
    return next_range_ < ranges.size() && ranges[next_range_].first <= number;
  }

  Rows rows_;
  copy_on_write<row_set> deleted_;
  std::size_t next_range_ = 0;       // the first that the rows have not passed
  shared<const row_filter> wanted_;  // null: of all rows
  std::uint64_t read_ = 0;           // and left out
  std::uint64_t skipped_ = 0;
};

}  // namespace tarn::inline TARN_ABI
