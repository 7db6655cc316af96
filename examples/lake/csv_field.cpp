#include "csv_field.hpp"

#include <charconv>
#include <cstdint>
#include <tarn/codec/json_number.hpp>

namespace lake {
namespace {

// Whether a number can begin and end so. Most strings are told apart here.
bool may_be_number(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const char first = text.front() == '-' && text.size() > 1 ? text[1] : text.front();
  constexpr std::size_t longest_double = 26;  // as they are written, with ".0"
  return text.size() <= longest_double && is_digit(first) && is_digit(text.back());
}

template <class Number>
bool parse_all(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end;
}

void append_in_quotes(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

tarn::value_view value_of_bare_field(std::string_view field) {
  if (field.empty()) return nullptr;
  if (field == "true") return true;
  if (field == "false") return false;
  if (!may_be_number(field)) return field;
  std::int64_t integer = 0;
  if (parse_all(field, integer)) {
    if (tarn::concat({integer}) == field) return integer;
    return field;
  }
  double number = 0;
  if (!parse_all(field, number) || !tarn::is_finite(number)) return field;
  std::string written;
  tarn::append_json_double(written, number);
  if (written == field) return number;
  return field;
}

void append_csv_string(std::string& out, std::string_view text) {
  constexpr std::string_view byte_order_mark = "\ufeff";  // would be taken off if it came first in a file
  const bool must_be_quoted = text.find_first_of(",\"\r\n") != std::string_view::npos ||
                              value_of_bare_field(text).kind() != tarn::kind::string ||
                              text.starts_with(byte_order_mark);
  if (must_be_quoted)
    append_in_quotes(out, text);
  else
    out += text;
}

void csv_field_writer::append(std::string& out, tarn::value_view value) {
  if (value.is_null()) return;
  if (value.kind() == tarn::kind::string) return append_csv_string(out, value.as_string());
  text_.clear();
  json_.append(text_, value, tarn::json_escapes::none);
  const bool plain = value.kind() == tarn::kind::boolean || value.kind() == tarn::kind::integer ||
                     (value.kind() == tarn::kind::real && tarn::is_finite(value.as_double()));
  if (plain)
    out += text_;
  else
    append_in_quotes(out, text_);
}

}  // namespace lake
