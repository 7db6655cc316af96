#include <algorithm>
#include <iterator>
#include <map>

#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "row_printers.hpp"
#include "visible_text.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}, {"--at", true}};

struct totals {
  std::uint64_t rows = 0;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  bool counted = true;  // rows and bytes are known
};

// What the tables have at version `last`: what the log says was added to them since they were created.
tarn::result<std::map<std::string, totals>> totals_at(client& opened, tarn::version last) {
  std::map<std::string, totals> tables;
  auto log = opened.log();
  if (!log) return log.error();
  while (log->next() && log->summary().at <= last) {
    for (const tarn::table_change& change : log->summary().tables) {
      if (change.created || change.dropped) tables.erase(change.table);
      totals& table = tables[change.table];
      table.rows += change.rows;
      table.objects += change.objects;
      table.bytes += change.bytes;
      table.counted = table.counted && change.counted;
    }
  }
  // Damage after `last` does not matter.
  if (!log->status() && log->summary().at < last) return log->status().error();
  return tables;
}

struct description {
  std::string name;
  tarn::schema columns;
  totals content;
};

tarn::result<std::vector<description>> describe_tables(client& opened, transaction& reading) {
  const auto found = totals_at(opened, reading.read_version());
  if (!found) return found.error();
  const tarn::result<tarn::sequence<std::string>> names = reading.tables();
  if (!names) return names.error();
  std::vector<description> tables;
  for (const std::string& name : *names) {
    const tarn::result<tarn::schema> columns = reading.columns(name);
    if (!columns) return columns.error();
    const auto content = found->find(name);
    tables.push_back({name, *columns, content == found->end() ? totals() : content->second});
  }
  return tables;
}

std::string type_text(const tarn::column& column) {
  return tarn::concat({tarn::name_of(column.type), column.nullable ? "" : "!"});
}

// For programs: a row for each table.
void print_rows(const std::vector<description>& tables, row_format format, output& out) {
  with_printer(format, out, {"table", "rows", "objects", "bytes", "columns"}, [&](auto printer) {
    for (const description& each : tables) {
      std::vector<tarn::value> columns;
      for (const tarn::column& of : each.columns) columns.emplace_back(tarn::concat({of.name, ":", type_text(of)}));
      const auto number = [](std::uint64_t n) { return tarn::value_view(static_cast<std::int64_t>(n)); };
      const totals& content = each.content;
      const tarn::value_view row[] = {each.name, content.counted ? number(content.rows) : nullptr,
                                      number(content.objects), content.counted ? number(content.bytes) : nullptr,
                                      tarn::list_view(columns)};
      printer.print(tarn::list_view(row, std::size(row)));
    }
    printer.finish();
  });
}

// For people: a paragraph for each table.
void print_paragraphs(const std::vector<description>& tables, output& out) {
  for (const description& each : tables) {
    const totals& content = each.content;
    const std::string rows = content.counted ? count_of(content.rows, "row") : "an unknown number of rows";
    const std::string bytes = content.counted ? ", " + count_of(content.bytes, "byte") : "";
    out.print(tarn::concat({each.name, ": ", rows, " in ", count_of(content.objects, "object"), bytes, "\n"}));
    std::size_t width = 0;
    for (const tarn::column& of : each.columns) width = std::max(width, width_of(of.name));
    for (const tarn::column& of : each.columns) {
      std::string line = "  ";
      const std::size_t name_width = append_visible(line, of.name);
      out.print(tarn::concat({line, std::string(width - name_width, ' '), "  ", type_text(of), "\n"}));
    }
  }
}

exit_code run(const call& asked) {
  output out;
  const tarn::result<row_format> format = wanted_format(asked.given, out);
  if (!format) return misused(asked.of, format.error().message());
  const auto at = wanted_version(asked.given);
  if (!at) return misused(asked.of, at.error().message());
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  tarn::result<transaction> reading = begin(*opened, *at);
  if (!reading) return report(reading.error());
  const auto tables = describe_tables(*opened, *reading);
  if (!tables) return report(tables.error());
  if (*format == row_format::table)
    print_paragraphs(*tables, out);
  else
    print_rows(*tables, *format, out);
  return out.finish();
}

}  // namespace

constexpr command tables_command{"tables",
                                 "[--format table|ndjson|csv] [--at VERSION]",
                                 "list the tables",
                                 R"(Lists the tables with their columns, rows, data objects and bytes: as text on a
terminal, else as NDJSON. Rows and bytes of tables that the article's program wrote
are unknown, since its log does not state them.

  --format F      table, ndjson or csv
  --at VERSION    the tables that this version has; `log` lists the versions

For example:
  lake my-lake tables
)",
                                 options,
                                 0,
                                 0,
                                 run};

}  // namespace lake
