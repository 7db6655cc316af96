// The descriptions of most objects, in the very text that append_description writes (table_writer.hpp): read straight
// on, without a value for each member, and given up at whatever else comes. The object then goes the general way
// (table_reader.hpp), which gives the same where this one does not give up, and knows what is wrong where something is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/json_plain_row.hpp"
#include "../codec/json_string.hpp"
#include "../core/config.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "bounds.hpp"
#include "data_object.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

// A place in a text. Whatever is not what was asked for is false; the place then means nothing any more.
template <class = void>
class plain_text {
 public:
  explicit plain_text(std::string_view text) noexcept : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* at() const noexcept { return at_; }

  // A literal's size is known to the compiler, which then compares without a call.
  template <std::size_t Size>
  [[nodiscard]] bool pass(const char (&literal)[Size]) noexcept {
    constexpr std::size_t size = Size - 1;
    if (left() < size || std::memcmp(at_, literal, size) != 0) return false;
    at_ += size;
    return true;
  }
  // What comes up to the closing quote: a string that is written as it is.
  [[nodiscard]] bool read(std::string_view& text) noexcept {
    const char* const first = at_;
    at_ = json_detail::find_interruption<run::of_ascii>(at_, end_);
    if (at_ == end_ || *at_ != '"') return false;
    text = {first, static_cast<std::size_t>(at_ - first)};
    return true;
  }
  // A string, an integer or a double.
  [[nodiscard]] bool read(value_view& scalar) noexcept {
    std::string_view text;
    if (!pass("\"")) return read_number(scalar);
    if (!read(text)) return false;
    scalar = text;
    return pass("\"");
  }
  // Few digits, as nearly all counts have.
  [[nodiscard]] bool read(std::uint64_t& number) noexcept {
    constexpr std::ptrdiff_t digits_max = 18;  // of which no number wraps
    const char* const first = at_;
    std::uint64_t sum = 0;
    for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) sum = 10 * sum + static_cast<unsigned char>(*at_ - '0');
    const std::ptrdiff_t digits = at_ - first;
    if (digits == 0 || digits > digits_max || (digits > 1 && *first == '0')) return false;
    number = sum;
    return true;
  }
  [[nodiscard]] bool read(std::uint32_t& number) noexcept {
    std::uint64_t wide = 0;
    if (!read(wide) || wide > UINT32_MAX) return false;
    number = static_cast<std::uint32_t>(wide);
    return true;
  }
  [[nodiscard]] bool read(uuid& id) noexcept {
    if (left() < uuid::text_size || !parse_uuid({at_, uuid::text_size}, id)) return false;
    at_ += uuid::text_size;
    return true;
  }
  [[nodiscard]] bool read_checksum(std::uint32_t& checksum) noexcept {
    if (left() < 8 || !parse_eight_hex_digits(at_, checksum)) return false;
    at_ += 8;
    return true;
  }

 private:
  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] bool read_number(value_view& out) noexcept {
    if constexpr (std::endian::native != std::endian::little) return false;
    if (left() <= json_plain_detail::number_bytes_max) return false;
    at_ = json_plain_detail::scan_number(at_, out);
    return at_ != nullptr;
  }

  const char* at_;
  const char* end_;
};

namespace plain_object_detail {

template <class = void>
[[nodiscard]] bool read_column_bounds(plain_text<>& text, object_bounds& bounds) {
  column_id column;
  std::uint64_t nulls = 0;
  value_view min;
  value_view max;
  if (!text.pass(R"({"Column":)") || !text.read(column.number) || column.number == 0) return false;
  if (!text.pass(R"(,"Nulls":)") || !text.read(nulls)) return false;
  const bool bounded = text.pass(R"(,"Min":)");
  if (bounded && (!text.read(min) || !text.pass(R"(,"Max":)") || !text.read(max))) return false;
  bounds.emplace_back(column, nulls, bounded, min, max);  // in its place: moving values costs more than all the rest
  return text.pass("}");
}

template <class = void>
[[nodiscard]] bool read_bounds(plain_text<>& text, std::size_t columns, shared<const object_bounds>& read) {
  constexpr std::size_t expected_max = 16;  // lest it be claimed for the sake of a few that have many
  object_bounds bounds;
  bounds.reserve(columns < expected_max ? columns : expected_max);
  if (!text.pass("]")) {
    do {
      if (!read_column_bounds(text, bounds)) return false;
    } while (text.pass(","));
    if (!text.pass("]")) return false;
  }
  read = shared<const object_bounds>::make(std::move(bounds));
  return true;
}

// From the object's brace to the end of its description.
template <class = void>
[[nodiscard]] bool read_description(plain_text<>& text, std::size_t columns, data_object& object) {
  std::string_view codec;
  const bool read = text.pass(R"({"Name":")") && text.read(object.id) && !object.id.is_nil() &&
                    text.pass(R"(","Codec":")") && text.read(codec) && text.pass(R"(","Rows":)") &&
                    text.read(object.rows) && text.pass(R"(,"Bytes":)") && text.read(object.bytes) &&
                    text.pass(R"(,"Crc32c":")") && text.read_checksum(object.checksum) && text.pass("\"");
  if (!read || (text.pass(R"(,"Schema":)") && !text.read(object.schema_number))) return false;
  object.described = true;
  object.codec = codec;
  return !text.pass(R"(,"Bounds":[)") || read_bounds(text, columns, object.bounds);
}

template <class = void>
[[nodiscard]] bool read_version(plain_text<>& text, version& read) {
  std::uint64_t number = 0;
  if (!text.read(number)) return false;
  read = {static_cast<std::int64_t>(number)};
  return true;
}

template <class = void>
[[nodiscard]] bool read_block(plain_text<>& text, block_header& block) {
  if (!text.pass(R"(,"Bucket":)") || !text.read(block.bucket) || !text.pass(R"(,"Form":")")) return false;
  if (text.pass(R"(base",)"))
    block.form = object_form::base;
  else if (!text.pass(R"(delta",)"))
    return false;
  if (!text.pass(R"("ReadVersion":)") || !read_version(text, block.read_version)) return false;
  if (text.pass(R"(,"Base":")") && (!text.read(block.base) || !text.pass("\""))) return false;
  block.compacted = text.pass(R"(,"Compacted":true)");
  return !block.compacted || block.form == object_form::base;
}

}  // namespace plain_object_detail

// Reads an object. False, and `object` may be half read, if it is not plain. Bounds are expected to be of so many
// `columns`: more costs memory that is not used, fewer a few moves.
template <class = void>
[[nodiscard]] bool read_plain_object(plain_text<>& text, std::size_t columns, bag_object& object) {
  return plain_object_detail::read_description(text, columns, object.object) && text.pass("}");
}
template <class = void>
[[nodiscard]] bool read_plain_object(plain_text<>& text, std::size_t columns, keyed_object& object) {
  using namespace plain_object_detail;
  return read_description(text, columns, object.object) && read_block(text, object.block) &&
         text.pass(R"(,"OrderVersion":)") && read_version(text, object.order.at) && text.pass(R"(,"OrderIndex":)") &&
         text.read(object.order.index) && text.pass("}");
}

}  // namespace tarn::inline TARN_ABI
