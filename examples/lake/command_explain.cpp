#include "command.hpp"
#include "keyed_table.hpp"
#include "reading.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}, {"--at", true}};

exit_code run(const call& asked) {
  return with_reading(asked, [&](const reading& now) -> exit_code {
    const tarn::result<keyed_table> table = find_keyed_table(now.at, asked.argument(0));
    if (!table) return report(table.error());
    const tarn::result<tarn::explanation> runs = now.at.explain(table->name);
    if (!runs) return report(runs.error());

    with_printer(now.format, now.out, {"bucket", "object", "version", "records", "place"}, [&](auto printer) {
      for (const tarn::explained_run& each : *runs)
        printer.print({each.bucket, tarn::to_text(each.object), each.at.number, static_cast<std::int64_t>(each.records),
                       name_of(each.placed)});
      printer.finish();
    });
    return now.out.finish();
  });
}

}  // namespace

constexpr command explain_command{"explain",
                                  "TABLE [--format table|ndjson|csv] [--at WHEN]",
                                  "show how a keyed table is read",
                                  R"(Prints a line for each object that a scan of a keyed table merges, bucket after
bucket, in the order in which their records count: the version it came with, its
records, and whether they find their places in the bucket's base by position or by
comparing keys, and why. `compact` leaves one object to each bucket.

Reads the log only.

  --format F       table, ndjson or csv
  --at WHEN        as it was at this version; see `at --help`

For example:
  lake my-lake explain users
)",
                                  options,
                                  1,
                                  1,
                                  run};

}  // namespace lake
