#include <iterator>

#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "row_printers.hpp"
#include "times.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}};

// One row for each table that the version has changed; one without a table if it has changed none.
template <class Printer>
void print_version(const tarn::commit_summary& summary, bool with_transaction, Printer& printer) {
  const std::string time = iso_8601(summary.time);
  const std::string transaction = to_text(summary.transaction);
  const auto number = [](std::uint64_t n) { return tarn::value_view(static_cast<std::int64_t>(n)); };
  const auto print = [&](const tarn::table_change* change) {
    tarn::value_view row[] = {summary.at.number, nullptr, summary.operation, nullptr, nullptr,
                              nullptr,           nullptr, nullptr,           nullptr};
    if (!summary.of_article) row[1] = time;
    if (change != nullptr) row[3] = change->table;
    if (change != nullptr && change->counted) row[4] = number(change->rows);
    if (change != nullptr && change->counted) row[5] = number(change->bytes);
    if (change != nullptr) row[6] = number(change->deleted);
    if (change != nullptr) row[7] = number(change->replaced);
    if (!summary.of_article) row[8] = transaction;
    printer.print(tarn::list_view(row, std::size(row) - (with_transaction ? 0 : 1)));
  };
  for (const tarn::table_change& change : summary.tables) print(&change);
  if (summary.tables.empty()) print(nullptr);
}

// Leaves only what a version did to the table; false if that is nothing.
bool select(tarn::commit_summary& summary, std::string_view table) {
  tarn::sequence<tarn::table_change> selected;
  for (tarn::table_change& each : summary.tables)
    if (each.table == table) selected.push_back(std::move(each));
  summary.tables = std::move(selected);
  return !summary.tables.empty();
}

exit_code run(const call& asked) {
  output out;
  const tarn::result<row_format> format = wanted_format(asked.given, out);
  if (!format) return misused(asked.of, format.error().message());
  tarn::result<client> opened = open_existing(asked.folder);
  if (!opened) return report(opened.error());
  auto log = opened->log();
  if (!log) return report(log.error());

  std::vector<std::string> columns = {"version", "time", "operation", "table", "rows", "bytes", "deleted", "replaced"};
  const bool with_transaction = *format != row_format::table;  // too wide for people
  if (with_transaction) columns.emplace_back("transaction");
  with_printer(*format, out, columns, [&](auto printer) {
    while (!out.failed() && log->next()) {
      tarn::commit_summary summary = log->summary();
      if (asked.given.positional().empty() || select(summary, asked.argument(0)))
        print_version(summary, with_transaction, printer);
    }
    printer.finish();
  });
  const exit_code written = out.finish();
  return log->status() ? written : report(log->status().error());
}

}  // namespace

constexpr command history_command{"history",
                                  "[TABLE] [--format table|ndjson|csv]",
                                  "list the versions of the lake",
                                  R"(Lists the versions, oldest first, with a line for each table that the version has
changed: when it was committed (UTC), by what operation, the rows and bytes that it
added, how many rows it deleted or updated, and how many objects a compaction has
replaced. Rows of keyed tables are records: rows and erasures. As a table on a
terminal; else as NDJSON, with the transaction's id. With TABLE, only what was done
to that one. A log that was truncated begins with its first version that is left.

If the log is damaged, the versions before the damage are listed; see `check`.
`log` is another name of this command.

  --format F    table, ndjson or csv

For example:
  lake my-lake history
  lake my-lake history weather
)",
                                  options,
                                  0,
                                  1,
                                  run};

}  // namespace lake
