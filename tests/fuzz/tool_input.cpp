// Bytes as what a user gives the lake tool: in the first line the types of the columns and a condition, then rows, as
// CSV or NDJSON.
//
//   is name = "Ada"      the first column is of integers, the second of strings, others of anything
//   id,name
//   1,Ada
#include <cstddef>
#include <string>
#include <string_view>
#include <tarn/codec/json_writer.hpp>
#include <tarn/core/filter.hpp>
#include <tarn/core/row.hpp>
#include <utility>
#include <vector>

#include "../../examples/lake/arguments.hpp"
#include "../../examples/lake/csv_field.hpp"
#include "../../examples/lake/csv_reader.hpp"
#include "../../examples/lake/input.hpp"
#include "../../examples/lake/ndjson_reader.hpp"
#include "../../examples/lake/row_conditions.hpp"
#include "memory_bound.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

constexpr std::size_t memory_factor = 128;  // see entry.cpp; and names are kept in sets

using rows = std::vector<tarn::row>;

[[nodiscard]] lake::csv_reader reader_of_csv(std::string_view text) {
  return lake::csv_reader(lake::input::of_text("input", text), lake::bare_fields::are_values);
}
[[nodiscard]] lake::ndjson_reader reader_of_ndjson(std::string_view text) {
  return lake::ndjson_reader(lake::input::of_text("input", text));
}

// A letter for each column, in order: the first of its type's name; any other is `any`.
[[nodiscard]] tarn::schema schema_of(const std::vector<std::string>& names, std::string_view letters) {
  tarn::sequence<tarn::column> columns;
  for (const std::string& name : names) {
    tarn::column& made = columns.emplace_back(name);
    const std::size_t at = columns.size() - 1;
    const char letter = at < letters.size() ? letters[at] : 'a';
    // y: bytes, since b: boolean; r: real.
    constexpr std::string_view all = "abirsylm";
    if (const std::size_t type = all.find(letter); type != std::string_view::npos)
      made.type = static_cast<tarn::column_type>(type);
  }
  return tarn::schema(std::move(columns));
}

// Whether all rows could be read.
template <class Reader>
[[nodiscard]] bool read_rows(Reader reader, const tarn::schema& columns, rows& into) {
  if (!reader.bind(columns)) return false;
  for (;;) {
    const tarn::result<bool> found = reader.next();
    if (!found) expect(!found.error().message().empty(), "an error says what is wrong");
    if (!found || !*found) return found.has_value();
    const tarn::row_view row = reader.row();
    expect(row.size() == columns.size(), "a row has a value for each column");
    for (std::size_t at = 0; at < row.size(); ++at)
      expect(columns[at].takes(row[at].kind()), "a value is what its column takes");
    into.emplace_back(row.begin(), row.end());
  }
}

[[nodiscard]] std::string csv_of(const rows& all, const tarn::schema& columns) {
  std::string out;
  if (columns.size() == 0) return out;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (at > 0) out += ',';
    lake::append_csv_string(out, columns[at].name);
  }
  lake::csv_field_writer writer;
  for (const tarn::row& each : all) {
    out += '\n';
    for (std::size_t at = 0; at < each.size(); ++at) {
      if (at > 0) out += ',';
      writer.append(out, each[at]);
    }
  }
  return out + '\n';
}

[[nodiscard]] std::string ndjson_of(const rows& all, const tarn::schema& columns) {
  std::string out;
  for (const tarn::row& each : all) {
    std::vector<tarn::value_view> alternating;
    for (std::size_t at = 0; at < each.size(); ++at) {
      alternating.emplace_back(columns[at].name);
      alternating.emplace_back(each[at]);
    }
    tarn::append_json(out, tarn::map_view(tarn::list_view(alternating.data(), alternating.size())),
                      tarn::json_escapes::none);
    out += '\n';
  }
  return out;
}

// What the tool writes of rows, it reads as the same rows.
template <class Open, class Write>
void check_rows(std::string_view text, std::string_view letters, const Open& open, const Write& write,
                tarn::schema& columns, rows& all) {
  const auto read_names = [&] {
    const memory_bound bound(text.size(), memory_factor);
    return open(text).columns();
  };
  const tarn::result<std::vector<std::string>> names = read_names();
  if (!names) return;
  columns = schema_of(*names, letters);
  if (!read_rows(open(text), columns, all)) return;
  const std::string written = write(all, columns);
  rows again;
  expect(read_rows(open(written), columns, again), "rows that were written can be read", written);
  expect(again == all, "rows read back as they were written", written);
}

void check_condition(const std::string& condition, const tarn::schema& columns, const rows& all) {
  constexpr lake::option options[] = {{"--where", true}, {"--set", true}};
  const char* const words[] = {"--where", condition.c_str(), "--set", condition.c_str()};
  const auto given = lake::arguments::parse(words, options);
  expect(given.has_value(), "options that are known are taken");
  tarn::arena memory;
  const auto wanted = lake::wanted_rows(*given, columns, memory);
  const auto changes = lake::wanted_changes(*given, columns, memory);
  if (changes) expect(changes->size() == 1, "one change was asked for");
  if (!wanted) return;
  expect(wanted->conditions().size() == 1, "one condition was asked for");
  const auto filter = tarn::row_filter::make(*wanted, columns);
  for (const tarn::row& each : all)
    if (filter) (void)filter->matches(each);
}

int fuzz_tool_input(const unsigned char* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const std::string_view text = bytes.substr(line.size() < bytes.size() ? line.size() + 1 : bytes.size());
  const std::string_view letters = line.substr(0, line.find(' '));
  tarn::schema columns;
  rows all;
  if (text.starts_with('{'))
    check_rows(text, letters, reader_of_ndjson, ndjson_of, columns, all);
  else
    check_rows(text, letters, reader_of_csv, csv_of, columns, all);
  if (letters.size() < line.size()) check_condition(std::string(line.substr(letters.size() + 1)), columns, all);
  (void)lake::parse_csv_names(line);
  return 0;
}

}  // namespace

const target targets::tool_input{"tool_input", fuzz_tool_input, nullptr};

}  // namespace tarn_test::fuzz
