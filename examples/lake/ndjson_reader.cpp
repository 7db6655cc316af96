#include "ndjson_reader.hpp"

#include <functional>
#include <unordered_set>

#include "column_value.hpp"
#include "numbers.hpp"

namespace lake {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// Says by line and column where in the line it went wrong, not by byte.
tarn::error relocated(const tarn::error& why, std::size_t offset, bool at_end, std::string_view place) {
  const std::string byte = tarn::concat({"byte ", offset, ": "});
  std::string message = why.message().starts_with(byte) ? why.message().substr(byte.size()) : why.message();
  if (at_end) message += " (NDJSON has a whole object in each line)";
  return {why.code(), tarn::concat({place, ": ", message})};
}

}  // namespace

tarn::result<std::vector<std::string>> ndjson_reader::columns() {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::size_t objects = 0; objects < sample_objects_max && line_.offset < sample_bytes_max;) {
    const tarn::result<bool> found = read_line(line_.offset + line_.size, line_.number + 1);
    if (!found) return found.error();
    if (!*found) break;
    if (is_blank(line_.text)) continue;
    ++objects;
    const tarn::result<tarn::map_view> object = parse_object();
    if (!object) return object.error();
    for (const tarn::member_view member : *object)
      if (seen.insert(std::string(member.key)).second) names.emplace_back(member.key);
  }
  line_ = {};  // from the start again: nothing was passed
  return names;
}

tarn::status ndjson_reader::bind(const tarn::schema& columns) {
  schema_ = columns;
  for (std::size_t at = 0; at < schema_.size(); ++at) {
    places_.emplace(schema_[at].name, at);
    if (!schema_[at].nullable) not_null_.push_back(at);
  }
  return {};
}

tarn::result<bool> ndjson_reader::next() {
  do {
    input_.pass(line_.offset + line_.size);
    line_.offset = 0;
    line_.size = 0;
    const tarn::result<bool> found = read_line(0, line_.number + 1);
    if (!found || !*found) return found;
  } while (is_blank(line_.text));
  const tarn::result<tarn::map_view> object = parse_object();
  if (!object) return object.error();
  row_.assign(schema_.size(), nullptr);
  std::size_t hint = 0;
  for (const tarn::member_view member : *object) {
    const tarn::status taken = take_member(member, hint);
    if (!taken) return taken.error();
  }
  for (const std::size_t at : not_null_)
    if (row_[at].is_null())
      return tarn::error(tarn::errc::invalid_argument,
                         tarn::concat({"column '", schema_[at].name, "' takes no nulls, and there is no key '",
                                       schema_[at].name, "'"}))
          .within(place());
  return true;
}

tarn::result<bool> ndjson_reader::read_line(std::size_t offset, std::size_t number) {
  std::size_t searched = offset;
  for (;;) {
    const std::string_view text = input_.unpassed();
    const std::size_t newline = text.find('\n', searched);
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
    if (newline == std::string_view::npos && end - offset <= line_bytes_max) {
      searched = end;
      const tarn::result<bool> more = input_.more();
      if (!more) return more.error();
      if (*more) continue;
      if (end == offset) return false;
    }
    if (end - offset > line_bytes_max)
      return tarn::error(tarn::errc::limit_exceeded, tarn::concat({"the line has more than ", grouped(line_bytes_max),
                                                                   " bytes: NDJSON has one object in each line"}))
          .within(place_in(input_, number, 1));
    // What is unpassed may have moved in memory.
    line_ = {input_.unpassed().substr(offset, end - offset), number, offset, 0};
    line_.size = line_.text.size() + (newline == std::string_view::npos ? 0 : 1);
    return true;
  }
}

tarn::result<tarn::map_view> ndjson_reader::parse_object() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (line_.number == 1 && line_.text.starts_with(mark)) line_.text.remove_prefix(mark.size());
  memory_.clear();
  tarn::json_parser<> parser(line_.text);
  const tarn::result<tarn::value_view> parsed = parser.parse(memory_);
  const bool is_object = parsed && parsed->kind() == tarn::kind::map;
  if (is_object && parser.at_end()) return parsed->as_map();
  if (line_.text.starts_with('[') || (parsed && !is_object))
    return tarn::error(
               tarn::errc::invalid_argument,
               "this is no object: NDJSON has one object, such as {\"a\": 1}, in each line; `jq -c '.[]'` makes "
               "it of an array")
        .within(place());
  const tarn::error why = parsed ? parser.unexpected("the end of the line") : parsed.error();
  const std::size_t offset = parser.failure_offset();
  const std::size_t column = 1 + characters_in(line_.text.substr(0, offset));
  return relocated(why, offset, offset == line_.text.size(), place_in(input_, line_.number, column));
}

tarn::status ndjson_reader::take_member(const tarn::member_view& member, std::size_t& hint) {
  std::size_t column = hint;  // mostly keys come in the columns' order
  if (column >= schema_.size() || schema_[column].name != member.key) {
    const auto found = places_.find(member.key);
    if (found == places_.end()) return no_such_column(schema_, member.key).within(place_of_key(member.key));
    column = found->second;
  }
  hint = column + 1;
  const tarn::result<tarn::value_view> value = value_for_column(schema_[column], member.value, memory_);
  if (!value) return value.error().within(place_of_key(member.key));
  row_[column] = *value;
  return {};
}

std::string ndjson_reader::place_of_key(std::string_view key) const {
  // A key with escapes is not in the line as it is, but in memory of its own.
  const auto before = std::less<>();
  const char* const line_end = line_.text.data() + line_.text.size();
  const bool in_line = !before(key.data(), line_.text.data() + 1) && before(key.data(), line_end);
  if (!in_line) return place();
  const auto offset = static_cast<std::size_t>(key.data() - line_.text.data());
  return place_in(input_, line_.number, characters_in(line_.text.substr(0, offset)));
}

}  // namespace lake
