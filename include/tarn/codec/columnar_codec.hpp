// The columnar codec: data objects in few bytes, written and read fast. columnar_format.hpp has the bytes.
//
//   tarn::client<tarn::file_store<>, tarn::columnar_codec> lake{tarn::file_store<>{"dir"}};
//
// Not part of tarn.hpp: include it where it is used. Values of one column lie next to each other, so each group of rows
// gets the encoding that its values are shortest in, and who reads some columns does not touch the bytes of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "codec.hpp"
#include "columnar_chunk_writer.hpp"
#include "columnar_cursor.hpp"
#include "columnar_format.hpp"
#include "columnar_texts.hpp"
#include "columnar_values.hpp"

namespace tarn::inline TARN_ABI {

// Models row_builder. Movable; not thread-safe. Its memory is that of the object and of one group of rows (at most
// 8,192 rows, a little more than 1 MiB of values), which is encoded once it is full.
template <class = void>
class columnar_builder {
 public:
  columnar_builder(const object_identity& identity, const limits& bounds)
      : id_(identity.id),
        row_bytes_max_(bounds.row_bytes_max < UINT32_MAX ? bounds.row_bytes_max : UINT32_MAX),
        table_size_(identity.table.size()),
        text_(shared<std::string>::make()) {
    columnar::append_head(*text_, identity);
    head_size_ = text_->size();
  }

  void restart(const object_identity& identity) {
    if (text_.unique())
      text_->clear();
    else
      text_ = shared<std::string>::make();
    entries_.clear();
    clear_group();
    rows_ = 0;
    groups_ = 0;
    chunks_size_ = 0;
    finished_ = false;
    id_ = identity.id;
    table_size_ = identity.table.size();
    columnar::append_head(*text_, identity);
    head_size_ = text_->size();
  }

  // errc::limit_exceeded if the row measures more than limits::row_bytes_max: a byte for each value, also within lists
  // and maps, eight more for a number, and the bytes of texts.
  [[nodiscard]] status append(const row_view& values) {
    const list_view list = values.values();
    if (rows_ == 0) open_columns(list.size());
    if (list.size() != columns_.size())
      return error(errc::invalid_argument,
                   concat({"the row has ", list.size(), " values, those before it have ", columns_.size()}));
    std::uint64_t bytes_left = row_bytes_max_;
    const value_view* const views = views_of(list, views_);
    for (std::size_t at = 0; at < list.size(); ++at)
      if (!columns_[at].append(views[at], bytes_left)) return refuse(list, at);
    ++rows_;
    ++group_rows_;
    group_bytes_ += static_cast<std::size_t>(row_bytes_max_ - bytes_left);
    if (group_rows_ == group_rows_max_ || group_bytes_ >= group_bytes_max) close_group();
    return {};
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  // Of rows that have not been encoded yet, what they measure.
  [[nodiscard]] std::size_t byte_size() const noexcept {
    if (finished_) return text_->size();
    return text_->size() + group_bytes_ + columnar::footer_and_tail_bytes_max(entries_.size());
  }

  // Shares what is encoded, and encodes the rows of the last group for itself. If a group is filled while the cursor
  // lives, what is shared is copied once.
  [[nodiscard]] columnar_cursor<> read_back() const {
    auto rest = shared<std::string>::make();
    std::string entries;
    if (group_rows_ > 0) write_group(*rest, entries);
    const std::size_t rest_size = rest->size();
    rest->append(entries_).append(entries);

    const std::string_view text = *text_;
    columnar::object_frame frame;
    frame.table = text.substr(columnar::magic.size() + 2, table_size_);
    frame.columns = rows_ == 0 ? 0 : columns_.size();
    frame.rows = rows_;
    frame.groups = groups_ + (group_rows_ > 0 ? 1U : 0U);
    frame.chunks = text.substr(head_size_, chunks_size_);
    frame.more_chunks = std::string_view(*rest).substr(0, rest_size);
    frame.entries = std::string_view(*rest).substr(rest_size);
    object_expectation expected;
    expected.identity.id = id_;
    expected.checksum_verified = true;
    limits bounds;
    bounds.row_bytes_max = static_cast<std::size_t>(row_bytes_max_);
    bounds.nesting_depth_max = UINT32_MAX;
    return columnar_cursor<>(frame, expected, bounds, text_, std::move(rest));
  }

  // Valid until the builder is restarted or destroyed, also if it is moved. Nothing may be appended afterwards.
  [[nodiscard]] std::string_view finish() {
    if (!finished_) {
      if (group_rows_ > 0) close_group();
      columnar::object_frame frame;
      frame.columns = rows_ == 0 ? 0 : columns_.size();
      frame.rows = rows_;
      frame.groups = groups_;
      frame.entries = entries_;
      columnar::append_footer_and_tail(writable_text(), frame);
      finished_ = true;
    }
    return *text_;
  }

 private:
  static constexpr std::size_t group_bytes_max = std::size_t{1} << 20;

  void open_columns(std::size_t count) {
    if (columns_.size() == count) return;
    columns_.clear();
    columns_.reserve(count);
    for (std::size_t at = 0; at < count; ++at) columns_.emplace_back();
    group_rows_max_ = columnar::rows_in_group(count);
  }

  // A row of which the first `appended` values have been appended: takes them back.
  [[gnu::cold]] error refuse(const list_view& values, std::size_t appended) {
    for (std::size_t at = 0; at < appended; ++at) columns_[at].drop_last();
    std::uint64_t size = 0;
    for (const value_view each : values) size += columnar::measure(each);
    return {errc::limit_exceeded, concat({"the row has ", size, " bytes, limits::row_bytes_max is ", row_bytes_max_,
                                          ": split the row or raise the limit"})};
  }

  void close_group() {
    write_group(writable_text(), entries_);
    chunks_size_ = text_->size() - head_size_;
    ++groups_;
    clear_group();
  }

  void clear_group() noexcept {
    for (columnar::chunk_writer<>& each : columns_) each.clear();
    group_rows_ = 0;
    group_bytes_ = 0;
  }

  void write_group(std::string& chunks, std::string& entries) const {
    columnar::append_varint(entries, group_rows_);
    columnar::text_writer<> texts;
    for (const columnar::chunk_writer<>& each : columns_) {
      const std::size_t begin = chunks.size();
      columnar::chunk_entry entry;
      each.write(chunks, entry.bounds, texts);
      const std::string_view chunk = std::string_view(chunks).substr(begin);
      entry.size = chunk.size();
      entry.checksum = crc32c(chunk);
      columnar::append_chunk_entry(entries, entry);
    }
  }

  // A cursor that shares the text keeps the one that it has.
  [[nodiscard]] std::string& writable_text() {
    if (!text_.unique()) text_ = shared<std::string>::make(std::as_const(*text_));
    return *text_;
  }

  uuid id_;
  std::uint64_t row_bytes_max_;
  std::size_t table_size_;
  std::size_t head_size_ = 0;
  std::size_t chunks_size_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t groups_ = 0;  // that are encoded
  bool finished_ = false;
  shared<std::string> text_;  // the head and the chunks of those groups
  std::string entries_;       // of those groups

  std::size_t group_rows_max_ = 0;
  std::size_t group_rows_ = 0;   // that are not encoded yet
  std::size_t group_bytes_ = 0;  // what they measure
  sequence<columnar::chunk_writer<>> columns_;
  sequence<value_view> views_;  // of a row that has none
};

// Models row_codec.
struct columnar_codec {
  static constexpr std::string_view name = "columnar";

  // Starts an object; its table's name must be a valid one.
  template <class = void>
  [[nodiscard]] columnar_builder<> build(const object_identity& identity, const limits& bounds = limits{}) const {
    return {identity, bounds};
  }

  // Opens an object of this codec; `bytes` must outlive the cursor. errc::corrupt if they are not the expected
  // object's. Cost: linear in the number of chunks, of which none is read yet.
  template <class = void>
  [[nodiscard]] result<columnar_cursor<>> open(std::string_view bytes, const object_expectation& expected,
                                               const limits& bounds = limits{}) const {
    const result<columnar::object_frame> frame = columnar::read_frame(bytes, expected);
    if (!frame) return frame.error();
    return columnar_cursor<>(*frame, expected, bounds);
  }
};

}  // namespace tarn::inline TARN_ABI
