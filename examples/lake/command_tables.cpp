#include <algorithm>
#include <iterator>
#include <optional>

#include "command.hpp"
#include "keyed_table.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "reading.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}, {"--at", true}, {"--count", false}};

// What is in a table's objects.
struct totals {
  std::uint64_t records = 0;  // of a bag: rows
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  bool counted = true;  // records and bytes are known

  void add(const tarn::data_object& object) {
    ++objects;
    records += object.rows;
    bytes += object.bytes;
    counted = counted && object.described;
  }
};

totals totals_of(const tarn::table_state& table) {
  totals content;
  for (std::size_t at = 0; at < table.objects.size(); ++at) content.add(table.objects[at].object);
  for (const auto& bucket : table.buckets)
    for (const tarn::keyed_object& each : bucket->objects) content.add(each.object);
  return content;
}

struct description {
  std::string name;
  tarn::schema columns;
  tarn::table_key key;
  totals content;
  std::optional<std::uint64_t> rows;  // if they are known
};

tarn::result<std::uint64_t> count_rows(transaction& reading, std::string_view table) {
  tarn::result<transaction::row_scan> scan = reading.scan(table);
  if (!scan) return scan.error();
  progress shown("counting");
  while (scan->next()) shown.count_row();
  if (!scan->status()) return scan->status().error();
  return scan->statistics().rows;
}

// The rows of a keyed table show only when its objects are merged: that is done if `counting` says so.
tarn::result<std::vector<description>> describe_tables(client& opened, transaction& reading, bool counting) {
  const tarn::result<tarn::shared_snapshot> state = state_of(opened, reading);
  if (!state) return state.error();
  const tarn::result<tarn::sequence<std::string>> names = reading.tables();
  if (!names) return names.error();
  std::vector<description> tables;
  for (const std::string& name : *names) {
    const tarn::table_state& table = *(*state)->find_table(name);
    description made{name, table.columns, table.key, totals_of(table), std::nullopt};
    if (table.key.empty() && made.content.counted) made.rows = made.content.records;
    if (counting && !made.rows) {
      const tarn::result<std::uint64_t> rows = count_rows(reading, name);
      if (!rows) return rows.error();
      made.rows = *rows;
    }
    tables.push_back(std::move(made));
  }
  return tables;
}

std::string type_text(const tarn::column& column) {
  return tarn::concat({tarn::name_of(column.type), column.nullable ? "" : "!"});
}

// For programs: a row for each table.
void print_rows(const std::vector<description>& tables, row_format format, output& out) {
  const std::vector<std::string> names = {"table", "rows",    "objects",  "bytes",  "columns",
                                          "key",   "buckets", "ordering", "records"};
  with_printer(format, out, names, [&](auto printer) {
    for (const description& each : tables) {
      std::vector<tarn::value> columns;
      for (const tarn::column& of : each.columns) columns.emplace_back(tarn::concat({of.name, ":", type_text(of)}));
      const auto number = [](std::uint64_t n) { return tarn::value_view(static_cast<std::int64_t>(n)); };
      const totals& content = each.content;
      tarn::value_view row[9] = {each.name, nullptr, number(content.objects), nullptr, tarn::list_view(columns)};
      if (each.rows) row[1] = number(*each.rows);
      if (content.counted) row[3] = number(content.bytes);
      std::vector<tarn::value> key;
      for (const std::uint32_t place : each.key.columns) key.emplace_back(each.columns[place].name);
      if (!each.key.empty()) {
        row[5] = tarn::list_view(key);
        row[6] = number(each.key.buckets);
        row[8] = number(content.records);
      }
      if (each.key.ordered()) row[7] = each.columns[each.key.ordering].name;
      printer.print(tarn::list_view(row, std::size(row)));
    }
    printer.finish();
  });
}

std::string content_text(const description& of) {
  const totals& content = of.content;
  std::string text = of.rows ? count_of(*of.rows, "row") : "";
  if (!of.key.empty()) text += (text.empty() ? "" : " of ") + count_of(content.records, "record");
  if (text.empty()) text = "an unknown number of rows";
  text += " in " + count_of(content.objects, "object");
  if (content.counted) text += ", " + count_of(content.bytes, "byte");
  if (of.key.empty()) return text;
  text += tarn::concat({"; key ", names_of_key(of.columns, of.key), ", ", count_of(of.key.buckets, "bucket"), ", "});
  if (!of.key.ordered()) return text + "the latest write counts";
  return text + tarn::concat({"the greatest ", of.columns[of.key.ordering].name, " counts"});
}

// For people: a paragraph for each table.
void print_paragraphs(const std::vector<description>& tables, output& out) {
  for (const description& each : tables) {
    std::string line = each.name + ": ";
    append_visible(line, content_text(each));  // has the names of columns
    out.print(line + "\n");
    std::size_t width = 0;
    for (const tarn::column& of : each.columns) width = std::max(width, width_of(of.name));
    for (const tarn::column& of : each.columns) {
      std::string cell = "  ";
      const std::size_t name_width = append_visible(cell, of.name);
      out.print(tarn::concat({cell, std::string(width - name_width, ' '), "  ", type_text(of), "\n"}));
    }
  }
}

exit_code run(const call& asked) {
  return with_reading(asked, [&](const reading& now) -> exit_code {
    const auto tables = describe_tables(now.opened, now.at, asked.given.has("--count"));
    if (!tables) return report(tables.error());
    if (now.format == row_format::table)
      print_paragraphs(*tables, now.out);
    else
      print_rows(*tables, now.format, now.out);
    return now.out.finish();
  });
}

}  // namespace

constexpr command tables_command{"tables",
                                 "[--count] [--format table|ndjson|csv] [--at WHEN]",
                                 "list the tables",
                                 R"(Lists the tables with their columns, rows, data objects and bytes: as text on a
terminal, else as NDJSON. Rows and bytes of tables that the article's program wrote
are unknown, since its log does not state them.

Of keyed tables also the key, its buckets, the ordering, and the number of records:
rows and erasures as they were written, several of one key until they are compacted.
How many rows they come to is known only from reading them.

  --count         reads tables whose rows are unknown, and counts them
  --format F      table, ndjson or csv
  --at WHEN       the tables that this version has; see `at --help`

For example:
  lake my-lake tables
)",
                                 options,
                                 0,
                                 0,
                                 run};

}  // namespace lake
