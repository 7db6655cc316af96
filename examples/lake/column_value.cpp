#include "column_value.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <tarn/codec/json_escapes.hpp>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_writer.hpp>

#include "csv_field.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

tarn::error unfit(const tarn::column& column, std::string_view shown, std::string_view why = {}) {
  constexpr std::size_t shown_width_max = 40;
  std::string message = tarn::concat({"column '", column.name, "' takes ", tarn::name_of(column.type),
                                      column.nullable ? " or null" : ", not null", "; this is "});
  append_visible(message, shown, shown_width_max);
  return {tarn::errc::invalid_argument, message + std::string(why)};
}

// Told by its bits: to convert it there and back tells nothing where the processor computes with more digits.
bool is_exact_double(std::int64_t integer) {
  if (integer == 0) return true;
  const auto bits = static_cast<std::uint64_t>(integer);
  const std::uint64_t magnitude = integer < 0 ? 0 - bits : bits;
  return magnitude >> std::countr_zero(magnitude) < std::uint64_t{1} << std::numeric_limits<double>::digits;
}

// The content of the map's only member, if that has this name.
bool find_escape(tarn::value_view value, std::string_view name, std::string_view& content) {
  if (value.kind() != tarn::kind::map || value.as_map().size() != 1) return false;
  const tarn::member_view member = value.as_map()[0];
  if (member.key != name || member.value.kind() != tarn::kind::string) return false;
  content = member.value.as_string();
  return true;
}

// The double that a field without further meaning states. Like a literal in a program, it may have more digits than a
// double keeps.
bool parse_decimal(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end && tarn::is_finite(number);
}

}  // namespace

tarn::error no_such_column(const tarn::schema& columns, std::string_view name) {
  constexpr std::size_t named_max = 20;
  std::string message = tarn::concat({"the table has no column '", name, "'; it has:"});
  for (std::size_t at = 0; at < columns.size() && at < named_max; ++at)
    message += tarn::concat({at == 0 ? " " : ", ", columns[at].name});
  if (columns.size() > named_max) message += tarn::concat({" and ", columns.size() - named_max, " more"});
  return {tarn::errc::invalid_argument, message};
}

tarn::result<tarn::value_view> value_for_column(const tarn::column& column, tarn::value_view value,
                                                tarn::arena& memory) {
  if (column.takes(value.kind())) return value;
  std::string_view content;
  tarn::value_view read;
  if (column.type == tarn::column_type::bytes && find_escape(value, "$bytes", content) &&
      tarn::decode_bytes_escape(content, memory, read))
    return read;
  if (column.type == tarn::column_type::real) {
    if (find_escape(value, "$double", content) && tarn::decode_double_escape(content, read)) return read;
    if (value.kind() == tarn::kind::integer && is_exact_double(value.as_integer()))
      return tarn::value_view(static_cast<double>(value.as_integer()));
  }
  std::string shown;
  tarn::append_json(shown, value, tarn::json_escapes::none);
  const bool inexact = column.type == tarn::column_type::real && value.kind() == tarn::kind::integer;
  return unfit(column, shown, inexact ? ", which no double equals" : "");
}

tarn::result<tarn::value_view> value_for_column(const tarn::column& column, csv_text field, bare_fields bare,
                                                tarn::arena& memory) {
  const bool is_null = field.text.empty() && !field.quoted;
  if (is_null) return value_for_column(column, nullptr, memory);
  tarn::value_view value = value_of_bare_field(field.text);
  switch (column.type) {
    case tarn::column_type::any:
      if (field.quoted || bare == bare_fields::are_strings) value = field.text;
      return value;
    case tarn::column_type::string: return tarn::value_view(field.text);
    case tarn::column_type::boolean:
    case tarn::column_type::integer:
      if (column.takes(value.kind())) return value;
      return unfit(column, field.text);
    case tarn::column_type::real:
      if (double number = 0; value.kind() == tarn::kind::string && parse_decimal(field.text, number))
        return tarn::value_view(number);
      if (value.kind() != tarn::kind::string) return value_for_column(column, value, memory);
      break;
    case tarn::column_type::bytes:
    case tarn::column_type::list:
    case tarn::column_type::map: break;
  }
  const tarn::result<tarn::value_view> parsed = tarn::parse_json(field.text, memory);
  if (!parsed) return unfit(column, field.text);
  return value_for_column(column, *parsed, memory);
}

}  // namespace lake
