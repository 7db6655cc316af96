// The rows of a columnar object: one at a time, or a batch of columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "../core/arena.hpp"
#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "codec.hpp"
#include "column_view.hpp"
#include "columnar_bytes.hpp"
#include "columnar_chunk_reader.hpp"
#include "columnar_format.hpp"
#include "columnar_values.hpp"
#include "group_cursor.hpp"

namespace tarn::inline TARN_ABI {

// How much of an object was read: proof of what was left alone.
struct columnar_statistics {
  std::uint64_t groups = 0;          // that were reached
  std::uint64_t groups_skipped = 0;  // by skip_group
  std::uint64_t chunks = 0;          // that were decoded
  std::uint64_t chunk_bytes = 0;
};

// Models batch_cursor and group_cursor. Movable; not thread-safe. Its memory is bounded by one group, whatever its
// bytes state: arrays of at most 131,072 values, and of lists and maps some 30 times their bytes; once that is
// allocated, nothing is. Groups and chunks are read when they are reached: what is wrong with a later one is found
// then, before any row of its group is handed out. Errors are errc::corrupt or errc::limit_exceeded; they name the
// object, the rows (counted from 0) and the column.
template <class = void>
class columnar_cursor {
 public:
  // The rows that `frame` found in bytes that must outlive the cursor or belong to the owners.
  columnar_cursor(const columnar::object_frame& frame, const object_expectation& expected, const limits& bounds,
                  shared<std::string> owner = {}, shared<std::string> other_owner = {})
      : owner_(std::move(owner)),
        other_owner_(std::move(other_owner)),
        identity_{frame.table, expected.identity.id},
        row_bytes_max_(bounds.row_bytes_max),
        nesting_depth_max_(bounds.nesting_depth_max),
        verifies_(!expected.checksum_verified),
        frame_(frame),
        entries_(frame.entries),
        reader_(bounds.nesting_depth_max) {
    if (frame.groups == 0) return;
    columns_.reserve(static_cast<std::size_t>(frame.columns));
    views_.reserve(static_cast<std::size_t>(frame.columns));
    for (std::uint64_t column = 0; column < frame.columns; ++column) {
      columns_.emplace_back();
      views_.emplace_back();
    }
  }

  // Reads only these columns from now on; their indexes must be less than the number of columns. The others' values are
  // handed out as null, and their bytes are not touched. Call it before the first row.
  void select(array_view<std::size_t> wanted) noexcept {
    for (column_state& each : columns_) each.is_selected = false;
    for (const std::size_t each : wanted)
      if (each < columns_.size()) columns_[each].is_selected = true;
  }

  // Moves to the next row: true if there is one. After false, status() tells the end from a failure.
  [[nodiscard]] bool next() {
    if (left_in_block_ == 0) return next_block();
    --left_in_block_;
    row_ += columns_.size();
    return true;
  }

  // The row that next() moved to; valid until the next call of next() or next_batch(), also if the cursor is moved.
  [[nodiscard]] list_view row() const noexcept { return {row_, row_ == nullptr ? 0 : columns_.size()}; }

  // See `block_cursor`.
  [[nodiscard]] std::size_t rows_ahead() const noexcept { return left_in_block_; }
  void pass(std::size_t count) noexcept {
    left_in_block_ -= count;
    row_ += count * columns_.size();
  }

  // A value of the row that next() moved to, also of a column that was not selected; valid as the row is. False if its
  // chunk is damaged: then the cursor has failed. Cost: the first time in a group that of the chunk.
  [[nodiscard]] bool fetch(std::size_t column, value_view& value) {
    if (row_ == nullptr || column >= columns_.size() || !read_chunk(column)) return false;
    value = columns_[column].content.view[group_next_ - left_in_block_ - 1];
    return true;
  }

  // Moves to the next rows, as many as are in one group: true if there are some. They come after those that next() has
  // moved to. After false, status() tells the end from a failure.
  [[nodiscard]] bool next_batch() {
    const std::size_t passed = group_next_ - left_in_block_;
    leave_rows();
    batch_ = {};
    std::size_t first = passed;
    if (passed == group_rows_) {
      if (!next_group()) return false;
      first = 0;
    }
    for (std::size_t row = first; must_measure_ && row < group_rows_; ++row)
      if (!is_short_enough(row)) return fail_too_long(row);
    group_next_ = group_rows_;
    for (std::size_t at = 0; at < views_.size(); ++at) views_[at] = view_of(at).from(first);
    batch_ = row_batch(views_.data(), views_.size(), group_rows_ - first);
    return true;
  }

  // The rows that next_batch() moved to; valid until the next call of next() or next_batch(), also if the cursor is
  // moved.
  [[nodiscard]] const row_batch& batch() const noexcept { return batch_; }

  // A column of the rows that next_batch() moved to, also one that was not selected; valid as the batch is. False if
  // its chunk is damaged: then the cursor has failed. Cost: the first time in a group that of the chunk.
  [[nodiscard]] bool fetch_column(std::size_t column, column_view& values) {
    if (batch_.rows() == 0 || column >= columns_.size() || !read_chunk(column)) return false;
    values = columns_[column].content.view.from(group_rows_ - batch_.rows());
    return true;
  }

  // See `group_cursor`. Bounds are those of the footer; they cost its entries of the columns before.
  [[nodiscard]] std::uint64_t group_ahead() const noexcept {
    if (left_in_block_ > 0 || group_next_ < group_rows_ || !status_ || groups_passed_ == frame_.groups) return 0;
    columnar::input<> in = entries_;
    std::uint64_t rows = 0;
    (void)in.take_varint(rows);
    return rows;
  }
  [[nodiscard]] group_bounds bounds_ahead(std::size_t column) const {
    columnar::input<> in = entries_;
    std::uint64_t rows;
    columnar::chunk_entry entry;
    if (column >= columns_.size() || !in.take_varint(rows)) return {};
    for (std::size_t at = 0; at <= column; ++at)
      if (!columnar::take_chunk_entry(in, entry)) return {};
    return columnar::group_bounds_of(entry.bounds);
  }
  void skip_group() noexcept {
    leave_rows();
    batch_ = {};
    enter_group();
    ++statistics_.groups_skipped;
    group_next_ = group_rows_;
  }

  [[nodiscard]] tarn::status status() const noexcept { return status_; }
  [[nodiscard]] const columnar_statistics& statistics() const noexcept { return statistics_; }

 private:
  // What is known of a column in the current group.
  struct column_state {
    std::string_view chunk;
    std::uint32_t checksum = 0;
    bool is_selected = true;
    bool is_read = false;
    columnar::column_read content;
  };

  static constexpr std::size_t block_values = 512;  // rows are put together so many values at a time: 12 KiB

  [[nodiscard]] bool next_block() {
    row_ = nullptr;
    batch_ = {};
    if (group_next_ == group_rows_ && !next_group()) return false;
    std::size_t rows = rows_in_block();
    rows = rows < group_rows_ - group_next_ ? rows : group_rows_ - group_next_;
    for (std::size_t row = 0; must_measure_ && row < rows; ++row) {
      if (is_short_enough(group_next_ + row)) continue;
      if (row == 0) return fail_too_long(group_next_);
      rows = row;
    }
    for (std::size_t at = 0; at < columns_.size(); ++at) fill(block_ + at, view_of(at), rows);
    group_next_ += rows;
    row_ = block_;
    left_in_block_ = rows - 1;
    return true;
  }

  [[nodiscard]] std::size_t rows_in_block() const noexcept {
    return columns_.size() < block_values / 2 ? block_values / (columns_.empty() ? 1 : columns_.size()) : 1;
  }

  void leave_rows() noexcept {
    row_ = nullptr;
    left_in_block_ = 0;
  }

  // Reads the chunks of the next group. False at the end and on failure.
  [[nodiscard]] bool next_group() {
    if (!status_ || groups_passed_ == frame_.groups) return false;
    enter_group();
    memory_.clear();
    std::uint64_t bytes_max = 0;
    for (std::size_t at = 0; at < columns_.size(); ++at) {
      if (columns_[at].is_selected && !read_chunk(at)) return false;
      bytes_max += columns_[at].is_selected ? columns_[at].content.bytes_max : 1;
    }
    must_measure_ = bytes_max > row_bytes_max_;
    const std::size_t rows = rows_in_block() < group_rows_ ? rows_in_block() : group_rows_;
    block_ = memory_.allocate<value_view>(rows * columns_.size());
    return true;
  }

  // Finds the chunks of the next group. That its entries are good has been checked when the frame was found.
  void enter_group() noexcept {
    if (frame_.chunks.empty()) frame_.chunks = frame_.more_chunks;
    group_begin_ += group_rows_;
    std::uint64_t rows = 0;
    (void)entries_.take_varint(rows);
    for (column_state& each : columns_) {
      columnar::chunk_entry entry;
      (void)columnar::take_chunk_entry(entries_, entry);
      each.chunk = frame_.chunks.substr(0, static_cast<std::size_t>(entry.size));
      frame_.chunks.remove_prefix(each.chunk.size());
      each.checksum = entry.checksum;
      each.is_read = false;
    }
    group_rows_ = static_cast<std::size_t>(rows);
    group_next_ = 0;
    ++groups_passed_;
    ++statistics_.groups;
  }

  [[nodiscard]] bool read_chunk(std::size_t column) {
    column_state& read = columns_[column];
    if (read.is_read) return true;
    ++statistics_.chunks;
    statistics_.chunk_bytes += read.chunk.size();
    if (verifies_ && crc32c(read.chunk) != read.checksum)
      return fail(column, "its checksum is not the one in the footer");
    switch (reader_.read(read.chunk, group_rows_, memory_, read.content)) {
      case columnar::outcome::good: break;
      case columnar::outcome::damaged: return fail(column, "its bytes are no values");
      case columnar::outcome::too_deep: return fail_too_deep(column);
    }
    read.is_read = true;
    return true;
  }

  [[nodiscard]] column_view view_of(std::size_t column) const noexcept {
    const column_state& of = columns_[column];
    return of.is_selected ? of.content.view : column_view(column_view::form::nulls, nullptr, nullptr, group_rows_);
  }

  // Puts the next values of a column into the rows of the block.
  void fill(value_view* to, const column_view& from, std::size_t rows) const noexcept {
    switch (from.present() == nullptr ? from.has() : column_view::form::values) {
      case column_view::form::integers: return fill_from(to, from.integers().data(), rows);
      case column_view::form::doubles: return fill_from(to, from.doubles().data(), rows);
      case column_view::form::booleans: return fill_from(to, from.booleans().data(), rows);
      case column_view::form::strings: return fill_from(to, from.strings().data(), rows);
      default:
        for (std::size_t row = 0; row < rows; ++row, to += columns_.size())
          new (to) value_view(from[group_next_ + row]);
    }
  }
  template <class T>
  void fill_from(value_view* to, const T* from, std::size_t rows) const noexcept {
    from += group_next_;
    const std::size_t stride = columns_.size();
    for (std::size_t row = 0; row < rows; ++row) new (to + row * stride) value_view(from[row]);
  }

  // Of a row of the current group.
  [[nodiscard]] bool is_short_enough(std::size_t row) const {
    std::uint64_t bytes = 0;
    for (std::size_t at = 0; at < columns_.size(); ++at) bytes += columnar::measure(view_of(at)[row]);
    return bytes <= row_bytes_max_;
  }

  bool fail_too_long(std::size_t row) {
    return fail(errc::limit_exceeded,
                concat({"row ", group_begin_ + row, " is longer than limits::row_bytes_max, which is ", row_bytes_max_,
                        ", allows"}));
  }
  bool fail_too_deep(std::size_t column) {
    return fail(errc::limit_exceeded,
                concat({rows_and_column(column), "a value is nested deeper than limits::nesting_depth_max, which is ",
                        nesting_depth_max_, ", allows"}));
  }
  bool fail(std::size_t column, std::string_view why) {
    return fail(errc::corrupt, concat({rows_and_column(column), "the object is damaged: ", why}));
  }
  [[nodiscard]] std::string rows_and_column(std::size_t column) const {
    return concat({"rows ", group_begin_, " to ", group_begin_ + group_rows_ - 1, ", column ", column, ": "});
  }
  [[gnu::cold]] bool fail(errc code, std::string_view why) {
    status_ = error(code, concat({name_of(identity_), ": ", why}));
    leave_rows();
    batch_ = {};
    group_next_ = group_rows_;
    return false;
  }

  shared<std::string> owner_;  // of the bytes, when they are a builder's
  shared<std::string> other_owner_;
  object_identity identity_;
  std::size_t row_bytes_max_;
  std::uint32_t nesting_depth_max_;
  bool verifies_;
  columnar::object_frame frame_;  // its chunks are those that have not been reached
  columnar::input<> entries_;     // of the groups that have not been reached
  std::uint64_t groups_passed_ = 0;
  sequence<column_state> columns_;

  arena memory_;  // of the current group
  columnar::chunk_reader<> reader_;
  std::uint64_t group_begin_ = 0;
  std::size_t group_rows_ = 0;
  std::size_t group_next_ = 0;  // the first of its rows that is in no block yet
  bool must_measure_ = false;   // a row of the group may be too long

  value_view* block_ = nullptr;
  value_view* row_ = nullptr;  // in the block; null: none
  std::size_t left_in_block_ = 0;
  sequence<column_view> views_;
  row_batch batch_;
  columnar_statistics statistics_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
