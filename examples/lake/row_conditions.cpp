#include "row_conditions.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <tarn/core/text.hpp>

#include "column_value.hpp"
#include "csv_field.hpp"

namespace lake {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct comparison_sign {
  std::string_view text;
  tarn::comparison how;
};

// Those of two characters come before those that they begin with.
constexpr comparison_sign signs[] = {{"!=", tarn::differs}, {"<=", tarn::at_most},  {">=", tarn::at_least},
                                     {"=", tarn::equals},   {"<", tarn::less_than}, {">", tarn::greater_than}};

// The sign that `text` begins with, or null.
const comparison_sign* find_sign(std::string_view text) {
  for (const comparison_sign& each : signs)
    if (text.starts_with(each.text)) return &each;
  return nullptr;
}

tarn::error no_condition(std::string_view text) {
  return {tarn::errc::invalid_argument,
          tarn::concat({"--where ", text,
                        ": write 'COLUMN = VALUE' (or != < <= > >=), 'COLUMN is null' or 'COLUMN is "
                        "not null'"})};
}

// What is right of a sign. A field in quotes is a string, as in CSV; one without them is what it looks like.
csv_text field_of(std::string_view text) {
  text = trimmed(text);
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return {quoted ? text.substr(1, text.size() - 2) : text, quoted};
}

tarn::result<tarn::condition> parse_condition(std::string_view text, const tarn::schema& columns, tarn::arena& memory) {
  const std::size_t sign_at = text.find_first_of("=<>!");
  tarn::condition made{{}, tarn::is_null, {}};
  std::string_view name = trimmed(text);
  const comparison_sign* sign = nullptr;
  if (sign_at != std::string_view::npos) {
    sign = find_sign(text.substr(sign_at));
    name = trimmed(text.substr(0, sign_at));
  } else if (name.ends_with(" is not null")) {
    made.how = tarn::is_not_null;
    name = trimmed(name.substr(0, name.size() - std::string_view(" is not null").size()));
  } else if (name.ends_with(" is null")) {
    name = trimmed(name.substr(0, name.size() - std::string_view(" is null").size()));
  } else {
    return no_condition(text);
  }
  if (sign_at != std::string_view::npos && sign == nullptr) return no_condition(text);
  const std::size_t place = columns.find(name);
  if (place == tarn::schema::none) return no_such_column(columns, name);
  made.column = name;
  if (sign == nullptr) return made;
  made.how = sign->how;
  csv_text field = field_of(text.substr(sign_at + sign->text.size()));
  field.quoted = field.quoted || field.text.empty();  // null is not compared with
  const auto operand = value_for_column(columns[place], field, bare_fields::are_values, memory);
  if (!operand) return operand.error().within(tarn::concat({"--where ", text}));
  made.operand = tarn::value(*operand);
  return made;
}

tarn::result<tarn::column_change> parse_change(std::string_view text, const tarn::schema& columns,
                                               tarn::arena& memory) {
  const std::size_t sign_at = text.find('=');
  if (sign_at == std::string_view::npos)
    return tarn::error(tarn::errc::invalid_argument, tarn::concat({"--set ", text, ": write 'COLUMN = VALUE'"}));
  const std::string_view name = trimmed(text.substr(0, sign_at));
  const std::size_t place = columns.find(name);
  if (place == tarn::schema::none) return no_such_column(columns, name);
  const auto made =
      value_for_column(columns[place], field_of(text.substr(sign_at + 1)), bare_fields::are_values, memory);
  if (!made) return made.error().within(tarn::concat({"--set ", text}));
  return tarn::column_change{columns[place].name, *made};
}

}  // namespace

tarn::result<tarn::filter> wanted_rows(const arguments& given, const tarn::schema& columns, tarn::arena& memory) {
  tarn::sequence<tarn::condition> conditions;
  for (const std::string_view text : given.values("--where")) {
    tarn::result<tarn::condition> made = parse_condition(text, columns, memory);
    if (!made) return made.error();
    conditions.push_back(*std::move(made));
  }
  return tarn::filter(std::move(conditions));
}

tarn::result<tarn::sequence<tarn::column_change>> wanted_changes(const arguments& given, const tarn::schema& columns,
                                                                 tarn::arena& memory) {
  tarn::sequence<tarn::column_change> changes;
  for (const std::string_view text : given.values("--set")) {
    const tarn::result<tarn::column_change> made = parse_change(text, columns, memory);
    if (!made) return made.error();
    changes.push_back(*made);
  }
  return changes;
}

}  // namespace lake
