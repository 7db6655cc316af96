// Lists and maps as bytes: a byte for each value's kind, then what it is.
//
//   null                      nothing
//   boolean                   a byte, 0 or 1
//   integer                   a varint, its sign folded in
//   double                    its 64 bits
//   string, bytes             a varint, how many bytes; the bytes
//   list                      a varint, how many elements; the elements
//   map                       a varint, how many members; for each its key as a string without the kind, and its value
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/duplicate_finder.hpp"
#include "../core/utf8.hpp"
#include "../core/value.hpp"
#include "columnar_bytes.hpp"

namespace tarn::inline TARN_ABI::columnar {

inline constexpr unsigned char kinds = 8;

// What limits::row_bytes_max bounds the sum of: a byte for each value, eight more for a number, those of a text, what
// the elements of a list or map come to. Recursion is as deep as the value.
template <class = void>
[[nodiscard]] std::uint64_t measure(const value_view& value) {
  const auto sum = [](const list_view& elements) {
    std::uint64_t bytes = 1;
    for (const value_view element : elements) bytes += measure(element);
    return bytes;
  };
  switch (value.kind()) {
    case kind::null:
    case kind::boolean: return 1;
    case kind::integer:
    case kind::real: return 9;
    case kind::string: return 1 + value.as_string().size();
    case kind::bytes: return 1 + value.as_bytes().size();
    case kind::list: return sum(value.as_list());
    case kind::map: return sum(value.as_map().keys_and_values());
  }
  return 0;
}

template <class = void>
void append_text_with_size(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out.append(text);
}

template <class = void>
void append_tagged(std::string& out, const value_view& value);

// What follows the kind. Recursion is as deep as the value, which `check_row` has bounded.
template <class = void>
void append_untagged(std::string& out, const value_view& value) {
  switch (value.kind()) {
    case kind::null: break;
    case kind::boolean: out.push_back(value.as_boolean() ? 1 : 0); break;
    case kind::integer: append_varint(out, fold_sign(static_cast<std::uint64_t>(value.as_integer()))); break;
    case kind::real: append_64(out, std::bit_cast<std::uint64_t>(value.as_double())); break;
    case kind::string: append_text_with_size(out, value.as_string()); break;
    case kind::bytes: append_text_with_size(out, value.as_bytes()); break;
    case kind::list:
      append_varint(out, value.as_list().size());
      for (const value_view element : value.as_list()) append_tagged(out, element);
      break;
    case kind::map:
      append_varint(out, value.as_map().size());
      for (const member_view member : value.as_map()) {
        append_text_with_size(out, member.key);
        append_tagged(out, member.value);
      }
      break;
  }
}

template <class>
void append_tagged(std::string& out, const value_view& value) {
  out.push_back(static_cast<char>(value.kind()));
  append_untagged(out, value);
}

// What came of reading bytes.
enum class outcome : unsigned char { good, damaged, too_deep };

// Reads lists and maps. What it hands out is in the arena and in the bytes. Keeps its own memory for the next ones.
template <class = void>
class value_reader {
 public:
  explicit value_reader(std::uint32_t nesting_depth_max) noexcept : depth_max_(nesting_depth_max) {}

  // One list or map, which must be all of the bytes; they are without the kind.
  [[nodiscard]] outcome read(kind of, std::string_view bytes, arena& memory, value_view& value) {
    input<> in(bytes);
    outcome_ = outcome::damaged;
    memory_ = &memory;
    elements_left_ = bytes.size();
    return read_untagged(in, of, 0, value) && in.left() == 0 ? outcome::good : outcome_;
  }

 private:
  // Recursion is bounded by `depth_max_`.
  [[nodiscard]] bool read_untagged(input<>& in, kind of, std::uint32_t depth, value_view& value) {
    switch (of) {
      case kind::null: value = nullptr; return true;
      case kind::boolean: {
        unsigned char byte;
        if (!in.take_byte(byte) || byte > 1) return false;
        value = byte != 0;
        return true;
      }
      case kind::integer: {
        std::uint64_t number;
        if (!in.take_varint(number)) return false;
        value = static_cast<std::int64_t>(unfold_sign(number));
        return true;
      }
      case kind::real: {
        std::uint64_t number;
        if (!in.take_64(number)) return false;
        value = std::bit_cast<double>(number);
        return true;
      }
      case kind::string: return read_string(in, value);
      case kind::bytes: {
        std::string_view text;
        if (!read_text(in, text)) return false;
        value = bytes{text};
        return true;
      }
      case kind::list:
      case kind::map: return read_elements(in, of, depth, value);
    }
    return false;
  }

  [[nodiscard]] static bool read_text(input<>& in, std::string_view& text) {
    std::uint64_t size;
    return in.take_varint(size) && in.take(size, text);
  }
  [[nodiscard]] static bool read_string(input<>& in, value_view& value) {
    std::string_view text;
    if (!read_text(in, text) || find_invalid_utf8(text) != text.size()) return false;
    value = text;
    return true;
  }

  [[nodiscard]] bool read_elements(input<>& in, kind of, std::uint32_t depth, value_view& value) {
    if (depth == depth_max_) {
      outcome_ = outcome::too_deep;
      return false;
    }
    std::uint64_t count;
    const unsigned bytes_each = of == kind::map ? 2 : 1;  // at least
    if (!in.take_varint(count) || count > in.left() / bytes_each) return false;
    const auto size = static_cast<std::size_t>(count) * bytes_each;
    // All elements of all lists in a text have a byte each, whatever each list says of itself.
    if (size > elements_left_) return false;
    elements_left_ -= size;
    auto* const elements = memory_->allocate<value_view>(size);
    for (std::size_t at = 0; at < size; ++at) {
      auto& element = *new (elements + at) value_view();
      const bool is_key = of == kind::map && at % 2 == 0;
      if (is_key ? !read_string(in, element) : !read_tagged(in, depth + 1, element)) return false;
    }
    const list_view read(elements, size);
    if (of == kind::list)
      value = read;
    else
      value = map_view(read);
    return of == kind::list || have_distinct_keys(read);
  }

  [[nodiscard]] bool read_tagged(input<>& in, std::uint32_t depth, value_view& value) {
    unsigned char of;
    return in.take_byte(of) && of < kinds && read_untagged(in, static_cast<kind>(of), depth, value);
  }

  [[nodiscard]] bool have_distinct_keys(const list_view& keys_and_values) {
    if (keys_and_values.size() <= 2) return true;
    keys_.clear();
    for (std::size_t at = 0; at < keys_and_values.size(); at += 2) keys_.add(keys_and_values[at].as_string());
    return keys_.find() == nullptr;
  }

  std::uint32_t depth_max_;
  arena* memory_ = nullptr;        // while it reads
  std::size_t elements_left_ = 0;  // that the text can still have
  outcome outcome_ = outcome::damaged;
  duplicate_finder<> keys_;
};

}  // namespace tarn::inline TARN_ABI::columnar
