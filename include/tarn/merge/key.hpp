// Keys as bytes, so that finding, sorting and merging rows by key is comparing bytes, whatever the key's columns are.
//
//   integer        8 bytes, most significant first, the sign bit flipped   -1 -> 7f ff ff ff ff ff ff ff
//   boolean        1 byte, 0 or 1
//   string, bytes  alone: as they are; with other columns: 00 becomes 00 ff, and the end is 00 01
//
// The end mark makes ("a", "bc") and ("ab", "c") differ, and since it is less than whatever can follow in its place (a
// byte that is not 0, or 00 ff), a prefix sorts before what it is a prefix of. These are the marks of orderedcode
// (Google, github.com/google/orderedcode); FoundationDB's tuples escape in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/text_prefix.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

namespace key_detail {

inline constexpr std::uint64_t sign_bit = 0x8000'0000'0000'0000U;

template <class = void>
void store_ordered(char* to, std::int64_t number) noexcept {
  store_prefix(to, static_cast<std::uint64_t>(number) ^ sign_bit);
}
template <class = void>
void append_ordered(std::string& out, std::int64_t number) {
  char bytes[sizeof number];
  store_ordered(bytes, number);
  out.append(bytes, sizeof bytes);
}

template <class = void>
void append_terminated(std::string& out, std::string_view text) {
  for (std::size_t zero = text.find('\0'); zero != std::string_view::npos; zero = text.find('\0')) {
    out.append(text.data(), zero + 1);
    out.push_back('\xff');
    text.remove_prefix(zero + 1);
  }
  out.append(text.data(), text.size());
  out.append("\0\1", 2);
}

// A message is of bounded length, and of one line.
inline constexpr std::size_t described_bytes_max = 64;

template <class = void>
void append_quoted(std::string& out, std::string_view text) {
  std::size_t size = text.size();
  if (size > described_bytes_max) {
    size = described_bytes_max;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;  // no half characters
  }
  out.push_back('"');
  for (const char c : text.substr(0, size)) {
    if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
      out += concat({"\\x", hex(byte)});
    } else {
      if (c == '"' || c == '\\') out.push_back('\\');
      out.push_back(c);
    }
  }
  out += size < text.size() ? "\"..." : "\"";
}

template <class = void>
void append_hex(std::string& out, std::string_view data) {
  append_text(out, "0x");
  for (const char c : data.substr(0, described_bytes_max)) out += hex(static_cast<unsigned char>(c));
  if (data.size() > described_bytes_max) append_text(out, "...");
}

template <class = void>
[[nodiscard]] std::int64_t read_ordered(std::string_view bytes) noexcept {
  return static_cast<std::int64_t>(prefix_of(bytes) ^ sign_bit);
}

// The text that `append_terminated` has put in front of `rest`, which loses it.
template <class = void>
[[nodiscard]] std::string take_terminated(std::string_view& rest) {
  std::string text;
  for (;;) {
    const std::size_t zero = rest.find('\0');
    text.append(rest.data(), zero);
    const bool escaped = rest[zero + 1] == '\xff';
    rest.remove_prefix(zero + 2);
    if (!escaped) return text;
    text.push_back('\0');
  }
}

}  // namespace key_detail

// Which keys, as bytes: from `first` on, up to `last` without it.
struct key_range {
  std::string first;
  std::string last;
  bool bounded = false;  // else all keys
};

// Negative, zero or positive, as two parts of keys, or two orderings, of one kind compare: as `encode_key` says.
template <class = void>
[[nodiscard]] int compare_parts(const value_view& a, const value_view& b) {
  switch (a.kind()) {
    case kind::integer: return (a.as_integer() > b.as_integer()) - (a.as_integer() < b.as_integer());
    case kind::boolean: return static_cast<int>(a.as_boolean()) - static_cast<int>(b.as_boolean());
    case kind::string: return a.as_string().compare(b.as_string());
    default: return a.as_bytes().compare(b.as_bytes());
  }
}

// The key of the row `values`: those in `columns`, of which there must be at least one, by their places in the row.
// Each must be an integer, a boolean, a string or bytes, so none null (other kinds fail loudly, see `fail`), and of the
// same kind in all rows whose keys are compared. Then `<` and `==` of the keys, which compare as memcmp does, are those
// of the values, the first column first; false is before true, and text is compared byte by byte as unsigned numbers.
//
// A single string or bytes is returned where it is in `values`. Anything else is written to `scratch`, replacing what
// was there: valid until that changes. No allocation once `scratch` has held a key as long. O(bytes of the key).
template <class = void>
[[nodiscard]] std::string_view encode_key(list_view values, const sequence<std::uint32_t>& columns,
                                          std::string& scratch) {
  if (columns.size() == 1) {
    const value_view only = values[columns[0]];
    if (only.kind() == kind::string) return only.as_string();
    if (only.kind() == kind::bytes) return only.as_bytes();
    if (only.kind() == kind::integer) {
      scratch.resize(sizeof(std::int64_t));  // mostly it is as long already
      key_detail::store_ordered(scratch.data(), only.as_integer());
      return scratch;
    }
  }
  scratch.clear();
  for (const std::uint32_t column : columns) {
    const value_view part = values[column];
    switch (part.kind()) {
      case kind::integer: key_detail::append_ordered(scratch, part.as_integer()); break;
      case kind::boolean: scratch.push_back(part.as_boolean() ? '\1' : '\0'); break;
      case kind::string: key_detail::append_terminated(scratch, part.as_string()); break;
      default: key_detail::append_terminated(scratch, part.as_bytes()); break;
    }
  }
  return scratch;
}

// The same key for messages: `(7, "Ada")`. Bytes are hex (`0x00ff`), control characters in text too (`\x0a`); of text
// and bytes that are longer, the first 64 bytes and `...`. Takes every kind of value: a null is `null`, and what no key
// can hold is named by its kind.
template <class = void>
[[nodiscard]] std::string describe_key(list_view values, const sequence<std::uint32_t>& columns) {
  std::string out = "(";
  for (const std::uint32_t column : columns) {
    if (out.size() > 1) append_text(out, ", ");
    const value_view part = values[column];
    switch (part.kind()) {
      case kind::integer: append_text(out, part.as_integer()); break;
      case kind::boolean: out += part.as_boolean() ? "true" : "false"; break;
      case kind::string: key_detail::append_quoted(out, part.as_string()); break;
      case kind::bytes: key_detail::append_hex(out, part.as_bytes()); break;
      default: out += name_of(part.kind()); break;
    }
  }
  out.push_back(')');
  return out;
}

// The same for a key that `encode_key` has written, of columns of these kinds.
template <class = void>
[[nodiscard]] std::string describe_key(std::string_view key, const sequence<kind>& kinds) {
  sequence<std::string> texts;
  texts.reserve(kinds.size());  // `values` look into it
  sequence<value_view> values;
  sequence<std::uint32_t> columns;
  for (const kind each : kinds) {
    columns.push_back(static_cast<std::uint32_t>(columns.size()));
    if (each == kind::integer) {
      values.emplace_back(key_detail::read_ordered(key.substr(0, 8)));
      key.remove_prefix(8);
    } else if (each == kind::boolean) {
      values.emplace_back(key[0] != '\0');
      key.remove_prefix(1);
    } else {
      const std::string& text =
          texts.emplace_back(kinds.size() == 1 ? std::string(key) : key_detail::take_terminated(key));
      if (each == kind::string)
        values.emplace_back(std::string_view(text));
      else
        values.emplace_back(bytes{text});
    }
  }
  return describe_key(list_view(values.data(), values.size()), columns);
}

}  // namespace tarn::inline TARN_ABI
