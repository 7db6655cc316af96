#include "command.hpp"
#include "csv_reader.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "reading.hpp"
#include "row_conditions.hpp"

namespace lake {
namespace {

constexpr option options[] = {
    {"--columns", true}, {"--limit", true}, {"--format", true}, {"--at", true}, {"--where", true}};

struct selection {
  std::vector<std::string> names;
  std::vector<std::size_t> places;  // in the table
};

tarn::result<selection> select_columns(const tarn::schema& columns, std::optional<std::string_view> wanted) {
  selection made;
  if (!wanted) {
    for (const tarn::column& each : columns) made.names.push_back(each.name);
  } else {
    tarn::result<std::vector<std::string>> names = parse_csv_names(*wanted);
    if (!names) return names.error();
    made.names = *std::move(names);
  }
  for (const std::string& name : made.names) {
    const std::size_t place = columns.find(name);
    if (place == tarn::schema::none) return no_such_column(columns, name);
    made.places.push_back(place);
  }
  return made;
}

// Prints up to `limit` rows, and below a table how many there were.
exit_code print_rows(transaction::row_scan& scan, const selection& selected, std::int64_t limit, const reading& now) {
  output& out = now.out;
  std::int64_t printed = 0;
  bool more = false;
  with_printer(now.format, out, selected.names, [&](auto printer) {
    progress shown("reading", out.is_terminal() ? progress_display::never : progress_display::on_terminal);
    std::vector<tarn::value_view> row(selected.places.size());
    while ((more = scan.next()) && printed < limit && !out.failed()) {
      for (std::size_t at = 0; at < row.size(); ++at) row[at] = scan.row()[selected.places[at]];
      printer.print(tarn::list_view(row.data(), row.size()));
      ++printed;
      shown.count_row();
    }
    printer.finish();
  });
  if (now.format == row_format::table && scan.status())
    out.print(tarn::concat(
        {"(", count_of(static_cast<std::uint64_t>(printed), "row"), more ? "; there are more" : "", ")\n"}));
  const exit_code written = out.finish();
  return scan.status() ? written : report(scan.status().error());
}

exit_code run(const call& asked) {
  std::optional<std::int64_t> limit = INT64_MAX;
  if (const auto text = asked.given.value("--limit")) limit = parse_count(*text);
  if (!limit) return misused(asked.of, "--limit needs a number of rows");

  return with_reading(asked, [&](const reading& now) -> exit_code {
    const tarn::result<tarn::schema> columns = now.at.columns(asked.argument(0));
    if (!columns) return report(columns.error());
    tarn::arena memory;
    const tarn::result<tarn::filter> wanted = wanted_rows(asked.given, *columns, memory);
    if (!wanted) return report(wanted.error());
    tarn::result<transaction::row_scan> scan = now.at.scan(asked.argument(0), *wanted);
    if (!scan) return report(scan.error());
    const tarn::result<selection> selected = select_columns(scan->columns(), asked.given.value("--columns"));
    if (!selected) return report(selected.error());
    return print_rows(*scan, *selected, *limit, now);
  });
}

}  // namespace

constexpr command scan_command{
    "scan",
    "TABLE [--where CONDITION]... [--columns A,B...] [--limit N]\n         [--format table|ndjson|csv] [--at WHEN]",
    "print the rows of a table",
    R"(Prints the rows of a table, in the order in which they were committed, those of a
keyed table by bucket and key: as a table on a terminal, else as NDJSON.

  --where C        only rows for which C holds, or all of several: 'COLUMN = VALUE',
                   or with != < <= > >=, or 'COLUMN is null', 'COLUMN is not null';
                   VALUE is read as a field of CSV for the column's type
  --columns A,B    only these columns, in this order; written like a line of CSV
  --limit N        only the first N rows
  --format F       table, ndjson or csv
  --at WHEN        as they were at this version; see `at --help`

table   Columns are as wide as the first 1,000 rows need, but fit the terminal; what
        is wider is cut. Strings that look like another value are in quotes.
ndjson  Bytes are printed as {"$bytes":"<base64>"}, infinities and NaNs as
        {"$double":"<their 64 bits in hex>"}.
csv     As `insert` reads it: the same values come back, but lists, maps, bytes,
        infinities and NaNs come back as what they are only into columns of that
        type. Lines end in LF.

For example:
  lake my-lake scan weather --columns date,wind --limit 10
  lake my-lake scan weather --where 'wind >= 5' --where 'weather = rain'
  lake my-lake scan weather --at 3 --format csv > weather-as-it-was.csv
)",
    options,
    1,
    1,
    run};

}  // namespace lake
