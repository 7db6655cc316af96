// The descriptions of most objects, in the very text that append_description writes (table_writer.hpp): read straight
// on, without a value for each member, and given up at whatever else comes. The object then goes the general way
// (table_reader.hpp), which gives the same where this one does not give up, and knows what is wrong where something is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../codec/json_plain_row.hpp"
#include "../codec/json_string.hpp"
#include "../core/config.hpp"
#include "../core/sequence.hpp"
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
[[nodiscard]] bool read_column_bounds(plain_text<>& text, column_bounds& read) {
  if (!text.pass(R"({"Column":)") || !text.read(read.column.number) || read.column.number == 0) return false;
  if (!text.pass(R"(,"Nulls":)") || !text.read(read.nulls)) return false;
  read.bounded = text.pass(R"(,"Min":)");
  if (read.bounded && (!text.read(read.min) || !text.pass(R"(,"Max":)") || !text.read(read.max))) return false;
  return text.pass("}");
}

// After the bracket. The bounds look into the text.
template <class = void>
[[nodiscard]] bool read_bounds(plain_text<>& text, sequence<column_bounds>& bounds) {
  bounds.clear();
  if (text.pass("]")) return true;
  do {
    if (!read_column_bounds(text, bounds.emplace_back())) return false;
  } while (text.pass(","));
  return text.pass("]");
}

}  // namespace plain_object_detail

// Reads objects, one after the other. Each is false, and `object` may be half read, if that is not plain.
template <class = void>
class plain_object_reader {
 public:
  [[nodiscard]] bool read(plain_text<>& text, bag_object& object) {
    return read_description(text, object.object) && text.pass("}");
  }
  [[nodiscard]] bool read(plain_text<>& text, keyed_object& object) {
    return read_description(text, object.object) && read_block(text, object.block) &&
           text.pass(R"(,"OrderVersion":)") && read_version(text, object.order.at) && text.pass(R"(,"OrderIndex":)") &&
           text.read(object.order.index) && text.pass("}");
  }

 private:
  // From the object's brace to the end of its description.
  [[nodiscard]] bool read_description(plain_text<>& text, data_object& object) {
    std::string_view codec;
    const bool read = text.pass(R"({"Name":")") && text.read(object.id) && !object.id.is_nil() &&
                      text.pass(R"(","Codec":")") && text.read(codec) && text.pass(R"(","Rows":)") &&
                      text.read(object.rows) && text.pass(R"(,"Bytes":)") && text.read(object.bytes) &&
                      text.pass(R"(,"Crc32c":")") && text.read_checksum(object.checksum) && text.pass("\"");
    if (!read || (text.pass(R"(,"Schema":)") && !text.read(object.schema_number))) return false;
    object.described = true;
    object.codec = codec;
    if (!text.pass(R"(,"Bounds":[)")) return true;
    if (!plain_object_detail::read_bounds(text, bounds_)) return false;
    object.bounds = memory_.copy({bounds_.data(), bounds_.size()});
    return true;
  }

  [[nodiscard]] static bool read_version(plain_text<>& text, version& read) {
    std::uint64_t number = 0;
    if (!text.read(number)) return false;
    read = {static_cast<std::int64_t>(number)};
    return true;
  }

  [[nodiscard]] static bool read_block(plain_text<>& text, block_header& block) {
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

  sequence<column_bounds> bounds_;  // of one object
  bounds_memory memory_;
};

}  // namespace tarn::inline TARN_ABI
