#include "keyed_table.hpp"

#include "column_value.hpp"
#include "csv_field.hpp"
#include "numbers.hpp"

namespace lake {
namespace {

// In quotes, so that an empty word is an empty string and no null.
tarn::result<tarn::value_view> parse_word(const tarn::column& column, std::string_view word, tarn::arena& memory) {
  return value_for_column(column, {word, true}, bare_fields::are_values, memory);
}

}  // namespace

tarn::result<keyed_table> find_keyed_table(transaction& reading, std::string_view table) {
  const tarn::result<tarn::schema> columns = reading.columns(table);
  if (!columns) return columns.error();
  const tarn::result<tarn::table_key> key = reading.key(table);
  if (!key) return key.error();
  if (!key->empty()) return keyed_table{std::string(table), *columns, *key};
  return tarn::error(tarn::errc::invalid_argument, tarn::concat({"table ", table, " has no key: it is a bag of rows"}));
}

std::string names_of_key(const tarn::schema& columns, const tarn::table_key& key) {
  std::string names;
  for (const std::uint32_t place : key.columns) {
    if (!names.empty()) names += ',';
    append_csv_string(names, columns[place].name);
  }
  return names;
}

tarn::result<std::vector<tarn::value_view>> parse_key(const keyed_table& of, std::span<const std::string_view> words,
                                                      tarn::arena& memory) {
  const std::size_t size = of.key.columns.size();
  if (words.size() != size)
    return tarn::error(tarn::errc::invalid_argument,
                       tarn::concat({"the key of table ", of.name, " is ", names_of_key(of.columns, of.key), ": give ",
                                     count_of(size, "value"), ", not ", words.size()}));
  std::vector<tarn::value_view> key;
  for (std::size_t at = 0; at < size; ++at) {
    const auto part = parse_word(of.columns[of.key.columns[at]], words[at], memory);
    if (!part) return part.error();
    key.push_back(*part);
  }
  return key;
}

tarn::result<tarn::value_view> parse_ordering(const keyed_table& of, std::string_view word, tarn::arena& memory) {
  if (of.key.ordered()) return parse_word(of.columns[of.key.ordering], word, memory);
  return tarn::error(tarn::errc::invalid_argument,
                     tarn::concat({"table ", of.name, " has no ordering: its latest write counts"}));
}

}  // namespace lake
