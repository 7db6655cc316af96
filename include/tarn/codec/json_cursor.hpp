// The rows of one data object, read one at a time straight from its JSON text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "codec.hpp"
#include "json_object.hpp"
#include "json_parser.hpp"
#include "json_plain_row.hpp"

namespace tarn::inline TARN_ABI {

// Models row_cursor. Movable; not thread-safe. Its memory is bounded by one row, and once that is allocated a row costs
// no allocation. Nothing is read before it is asked for: what is wrong with a later row is found when it is reached.
// Errors are errc::corrupt or errc::limit_exceeded; they name the object, the row (counted from 0) and the byte.
template <class = void>
class json_cursor {
 public:
  // The rows that `frame` found in `bytes`, which must outlive the cursor or belong to `owner`.
  json_cursor(std::string_view bytes, const json_object_frame& frame, const object_expectation& expected,
              const limits& bounds, shared<std::string> owner = {})
      : owner_(std::move(owner)),
        identity_{bytes.substr(frame.table_begin, frame.table_size), expected.identity.id},
        frame_(frame),
        columns_(expected.columns),
        row_bytes_max_(bounds.row_bytes_max),
        parser_(bytes, options_for(frame, bounds)) {
    parser_.seek(frame.rows_begin);
    parser_.set_end(frame.rows_end);
    plain_row_.reserve(columns_);
    while (plain_row_.size() < columns_) plain_row_.emplace_back();
  }

  // Moves to the next row: true if there is one. After false, status() tells the end from a failure.
  [[nodiscard]] bool next() {
    if (ended_) return false;
    if (elements_ == frame_.row_count) return end();
    if (next_plain_row()) return true;
    if (!parse_element()) return false;
    const value_view& element = parser_.value();
    if (element.kind() != kind::list) return fail(concat({"is ", name_of(element.kind()), ", not a list of values"}));
    row_ = element.as_list();
    if (row_.size() != columns_)
      return fail(concat({"has ", row_.size(), " values, the table has ", columns_, " columns"}));
    ++elements_;
    return true;
  }

  // The row that next() moved to; valid until the next call of next(), also if the cursor is moved.
  [[nodiscard]] list_view row() const noexcept { return row_; }

  [[nodiscard]] tarn::status status() const noexcept { return status_; }

 private:
  [[nodiscard]] static json_options options_for(const json_object_frame& frame, const limits& bounds) noexcept {
    json_options options;
    // The row itself is a list; its values may be nested as deep as they could be when they were inserted.
    options.nesting_depth_max = bounds.nesting_depth_max + (bounds.nesting_depth_max < UINT32_MAX ? 1U : 0U);
    options.escapes = frame.is_articles ? json_escapes::none : json_escapes::tarn;
    options.wide = frame.is_articles ? wide_integers::are_doubles : wide_integers::are_errors;
    return options;
  }

  // Moves to the next row, if it is a plain one; else stays.
  [[nodiscard]] bool next_plain_row() {
    const std::string_view text = parser_.text_left();
    const std::size_t comma = elements_ > 0 ? 1 : 0;
    if (columns_ == 0 || text.size() <= comma || (comma == 1 && text.front() != ',')) return false;
    const char* const first = text.data() + comma;
    const char* const last = scan_plain_row(first, text.data() + text.size(), plain_row_.data(), columns_);
    if (last == nullptr || static_cast<std::size_t>(last - first) > row_bytes_max_) return false;
    parser_.seek(parser_.offset() + static_cast<std::size_t>(last - text.data()));
    row_ = {plain_row_.data(), columns_};
    ++elements_;
    return true;
  }

  // Reads the next element of Data, whatever it is.
  [[nodiscard]] bool parse_element() {
    memory_.clear();
    if (parser_.at_end()) return fail(concat({"is missing: the object should have ", frame_.row_count, " rows"}));
    if (elements_ > 0 && !parser_.consume(',')) return fail(parser_.unexpected("',' before another row").message());
    const std::size_t first = parser_.offset();
    const bool may_be_too_long = frame_.rows_end - first > row_bytes_max_;
    if (may_be_too_long) parser_.set_end(first + row_bytes_max_);
    if (!parser_.parse_next(memory_))
      return may_be_too_long ? explain_in_window(parser_.failure()) : fail(parser_.failure());
    if (may_be_too_long) parser_.set_end(frame_.rows_end);
    return true;
  }

  // A row that may be too long was parsed as if the text ended where the limit does, so that memory is bounded too.
  // What is wrong so close to that end that a token may have been cut is the limit's doing.
  [[nodiscard]] bool explain_in_window(const error& why) {
    constexpr std::size_t cut_token_bytes_max = 12;  // "\ud83d\ude00"
    if (parser_.size_left() >= cut_token_bytes_max) return fail(why);
    return fail(error(errc::limit_exceeded,
                      concat({"is longer than limits::row_bytes_max, which is ", row_bytes_max_, ", allows"})));
  }

  // After the last row. The article's objects go on with elements that are no rows of theirs.
  [[nodiscard]] bool end() {
    while (frame_.is_articles && !parser_.at_end()) {
      if (!parse_element()) return false;
      ++elements_;
    }
    if (!parser_.at_end()) return fail(concat({"should not be there: the object has ", frame_.row_count, " rows"}));
    row_ = {};
    ended_ = true;
    return false;
  }

  bool fail(std::string_view why) { return fail(error(errc::corrupt, std::string(why))); }
  [[gnu::cold]] bool fail(const error& why) {
    const errc code = why.code() == errc::limit_exceeded ? errc::limit_exceeded : errc::corrupt;
    status_ = error(code, concat({name_of(identity_), ": row ", elements_, ": ", why.message()}));
    row_ = {};
    ended_ = true;
    return false;
  }

  shared<std::string> owner_;  // of the bytes, when they are a builder's
  object_identity identity_;
  json_object_frame frame_;
  std::size_t columns_;
  std::size_t row_bytes_max_;
  json_parser<> parser_;
  arena memory_;                    // of one element
  sequence<value_view> plain_row_;  // room for one
  list_view row_;
  std::uint64_t elements_ = 0;  // read so far
  bool ended_ = false;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
