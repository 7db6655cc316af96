#include <initializer_list>

#include "command.hpp"
#include "numbers.hpp"
#include "row_source.hpp"
#include "row_writing.hpp"
#include "writing.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}, {"--strings", false}};

exit_code run(const call& asked) {
  const std::string_view table = asked.argument(0);
  const std::string_view path = asked.given.positional().size() > 1 ? asked.argument(1) : "-";
  const bare_fields bare = asked.given.has("--strings") ? bare_fields::are_strings : bare_fields::are_values;
  const tarn::result<source_format> format = source_format_of(asked.given);
  if (!format) return misused(asked.of, format.error().message());

  return with_writing(asked, [&](transaction& writing) -> tarn::result<std::string> {
    const tarn::result<tarn::schema> columns = writing.columns(table);
    if (!columns) return columns.error();
    const tarn::status keyed = writing.upsert(table, std::initializer_list<tarn::row_view>{});  // before any input
    if (!keyed) return keyed.error();
    const auto rows = with_reader(path, *format, bare, [&](auto& reader) {
      return write_rows(*columns, reader, "upserting",
                        [&](const tarn::row_view& row) { return writing.upsert(table, row); });
    });
    if (!rows) return rows.error();
    return tarn::concat({"upserted ", count_of(*rows, "row"), " into ", table});
  });
}

}  // namespace

constexpr command upsert_command{"upsert",
                                 "TABLE [FILE] [--format ndjson|csv] [--strings]",
                                 "write rows of a keyed table from NDJSON or CSV",
                                 R"(Writes the rows in FILE, or in standard input if FILE is "-" or not given, into a
keyed table: a row whose key is there already replaces the row that has it, unless
the table has an ordering and that row's is greater. All of them or, if there is
anything wrong, none. Of rows with the same key in the input the same holds.

  --format F    what the input is, ndjson or csv; see `insert`, which also says how
                values are read
  --strings     takes every CSV field for a string, not for a number or a boolean

Exit code 3 if another process wrote a row with one of these keys meanwhile.

For example:
  echo '{"id": 7, "name": "Ada"}' | lake my-lake upsert users
)",
                                 options,
                                 1,
                                 2,
                                 run};

}  // namespace lake
