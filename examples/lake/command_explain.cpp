#include "command.hpp"
#include "keyed_table.hpp"
#include "lake.hpp"
#include "output.hpp"
#include "row_printers.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}, {"--at", true}};

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
  const tarn::result<keyed_table> table = find_keyed_table(*reading, asked.argument(0));
  if (!table) return report(table.error());
  const tarn::result<tarn::explanation> runs = reading->explain(table->name);
  if (!runs) return report(runs.error());

  with_printer(*format, out, {"bucket", "object", "version", "records", "place"}, [&](auto printer) {
    for (const tarn::explained_run& each : *runs)
      printer.print({each.bucket, tarn::to_text(each.object), each.at.number, static_cast<std::int64_t>(each.records),
                     name_of(each.placed)});
    printer.finish();
  });
  return out.finish();
}

}  // namespace

constexpr command explain_command{"explain",
                                  "TABLE [--format table|ndjson|csv] [--at VERSION]",
                                  "show how a keyed table is read",
                                  R"(Prints a line for each object that a scan of a keyed table merges, bucket after
bucket, in the order in which their records count: the version it came with, its
records, and whether they find their places in the bucket's base by position or by
comparing keys, and why. `compact` leaves one object to each bucket.

Reads the log only.

  --format F       table, ndjson or csv
  --at VERSION     as it was at this version; `log` lists the versions

For example:
  lake my-lake explain users
)",
                                  options,
                                  1,
                                  1,
                                  run};

}  // namespace lake
