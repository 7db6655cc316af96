// The JSON codec: data objects that any program can read, in the article's shape. json_object.hpp has the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "codec.hpp"
#include "json_cursor.hpp"
#include "json_object.hpp"
#include "json_plain_row.hpp"
#include "json_writer.hpp"

namespace tarn::inline TARN_ABI {

// Models row_builder. Movable; not thread-safe. Its memory is that of the object's text.
template <class = void>
class json_builder {
 public:
  json_builder(const object_identity& identity, const limits& bounds)
      : id_(identity.id), row_bytes_max_(bounds.row_bytes_max), text_(shared<std::string>::make()) {
    begin(identity);
  }

  void restart(const object_identity& identity) {
    if (!text_.unique()) text_ = text_of_capacity(text_->capacity());
    id_ = identity.id;
    columns_ = 0;
    finished_ = false;
    begin(identity);
  }

  // errc::limit_exceeded if the row's text is longer than limits::row_bytes_max.
  [[nodiscard]] status append(const row_view& values) {
    const list_view list = values.values();
    char* const room = make_room();
    char* const first = room + (frame_.row_count > 0 ? 1 : 0);
    const char* const end = write_plain_row(first, room + room_bytes(), views_of(list, views_), list.size());
    if (end == nullptr) return append_any(list);
    if (const auto size = static_cast<std::size_t>(end - first); size > row_bytes_max_) return refuse(size);
    if (first != room) *room = ',';
    note_row(list.size(), size_ + static_cast<std::size_t>(end - room));
    return {};
  }

  [[nodiscard]] std::uint64_t rows() const noexcept { return frame_.row_count; }
  [[nodiscard]] std::size_t byte_size() const noexcept { return size_ + json_object_tail_bytes_max; }

  // Shares the text: if rows are appended while the cursor lives, it is copied once.
  [[nodiscard]] json_cursor<> read_back() const {
    json_object_frame frame = frame_;
    frame.rows_end = finished_ ? frame_.rows_end : size_;
    object_expectation expected;
    expected.identity.id = id_;
    expected.columns = columns_;
    limits bounds;
    bounds.row_bytes_max = row_bytes_max_;
    bounds.nesting_depth_max = UINT32_MAX;
    return json_cursor<>(text(), frame, expected, bounds, text_);
  }

  // Valid until the builder is restarted or destroyed, also if it is moved. Nothing may be appended afterwards.
  [[nodiscard]] std::string_view finish() {
    if (!finished_) {
      frame_.rows_end = size_;
      std::string& text = writable_text();
      text.resize(size_);
      append_json_object_tail(text, frame_.row_count);
      size_ = text.size();
      finished_ = true;
    }
    return text();
  }

 private:
  [[nodiscard]] static shared<std::string> text_of_capacity(std::size_t capacity) {
    auto text = shared<std::string>::make();
    text->reserve(capacity);
    return text;
  }

  // What the string had before becomes room.
  void begin(const object_identity& identity) {
    std::string head;
    frame_ = append_json_object_head(head, identity);
    size_ = head.size();
    text_->replace(0, size_, head);
  }

  [[nodiscard]] std::string_view text() const noexcept { return std::string_view(*text_).substr(0, size_); }

  // A cursor that shares the text keeps the one that it has.
  [[nodiscard]] std::string& writable_text() {
    if (!text_.unique()) copy_text();
    return *text_;
  }
  [[gnu::noinline]] void copy_text() {
    shared<std::string> copy = text_of_capacity(text_->capacity());
    copy->append(text());
    text_ = std::move(copy);
  }

  // Where a row can be written that is plain, and a comma before it.
  [[nodiscard]] char* make_room() {
    std::string& text = writable_text();
    if (text.size() - size_ < room_bytes()) text.resize(size_ + 2 * room_bytes());
    return text.data() + size_;
  }

  void note_row(std::size_t columns, std::size_t size) noexcept {
    size_ = size;
    columns_ = columns;
    ++frame_.row_count;
  }

  // Whatever its values are, and however long they are: written behind the room, and moved to its begin. So there is as
  // much room as before, which would else have to be made, and filled, for each such row.
  [[gnu::noinline]] status append_any(const list_view& values) {
    std::string& text = writable_text();
    const std::size_t room_end = size_ + 2 * room_bytes();
    if (text.size() > room_end) text.resize(room_end);  // it can be all of another object
    const std::size_t first = text.size();
    writer_.append(text, values, json_escapes::tarn);
    const std::size_t size = text.size() - first;
    if (size > row_bytes_max_) {
      text.resize(first);
      return refuse(size);
    }
    char* to = text.data() + size_;
    if (frame_.row_count > 0) *to++ = ',';
    std::char_traits<char>::move(to, text.data() + first, size);
    note_row(values.size(), static_cast<std::size_t>(to + size - text.data()));
    return {};
  }

  [[nodiscard]] [[gnu::cold]] error refuse(std::size_t size) const {
    return {errc::limit_exceeded, concat({"the row's text has ", size, " bytes, limits::row_bytes_max is ",
                                          row_bytes_max_, ": split the row or raise the limit"})};
  }

  // A row that needs more is written like any other. Most objects of few rows are small, and room costs time to make.
  [[nodiscard]] std::size_t room_bytes() const noexcept { return frame_.row_count < 16 ? 256 : 4'096; }

  uuid id_;
  std::size_t row_bytes_max_;
  std::size_t columns_ = 0;
  bool finished_ = false;
  json_object_frame frame_;  // its rows_end is only kept up to date when all rows are there
  shared<std::string> text_;
  std::size_t size_ = 0;  // of the text; what comes after it in the string is room
  json_writer<> writer_;
  sequence<value_view> views_;  // of a row that has none
};

// Models row_codec.
struct json_codec {
  static constexpr std::string_view name = "json";

  // Starts an object; its table's name must be a valid one.
  template <class = void>
  [[nodiscard]] json_builder<> build(const object_identity& identity, const limits& bounds = limits{}) const {
    return {identity, bounds};
  }

  // Opens an object of this codec or of the article's; `bytes` must outlive the cursor. errc::corrupt if they are not
  // the expected object's.
  template <class = void>
  [[nodiscard]] result<json_cursor<>> open(std::string_view bytes, const object_expectation& expected,
                                           const limits& bounds = limits{}) const {
    const result<json_object_frame> frame = read_json_object_frame(bytes, expected);
    if (!frame) return frame.error();
    return json_cursor<>(bytes, *frame, expected, bounds);
  }
};

}  // namespace tarn::inline TARN_ABI
