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
    tarn::arena memory;
    const auto key = parse_key(*table, std::span(asked.given.positional()).subspan(1), memory);
    if (!key) return report(key.error());
    const tarn::result<tarn::row> row = now.at.get(table->name, tarn::list_view(key->data(), key->size()));
    if (!row) return report(row.error());

    std::vector<std::string> names;
    for (const tarn::column& each : table->columns) names.push_back(each.name);
    with_printer(now.format, now.out, names, [&](auto printer) {
      printer.print(*row);
      printer.finish();
    });
    return now.out.finish();
  });
}

}  // namespace

constexpr command get_command{"get",
                              "TABLE KEY... [--format table|ndjson|csv] [--at WHEN]",
                              "print the row with a key",
                              R"(Prints the row of a keyed table that has this key, as `scan` does; exit code 1 if
there is none. KEY has an argument for each column of the key, in the order that
`tables` shows, read as a field of CSV for a column of that type.

Reads the keys of one bucket, and the object that has the row.

  --format F       table, ndjson or csv
  --at WHEN        the row as it was at this version; see `at --help`

For example:
  lake my-lake get users 7
)",
                              options,
                              2,
                              static_cast<std::size_t>(-1),
                              run};

}  // namespace lake
