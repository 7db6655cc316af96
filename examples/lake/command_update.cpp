#include "command.hpp"
#include "numbers.hpp"
#include "row_conditions.hpp"
#include "writing.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--set", true}, {"--where", true}};

exit_code run(const call& asked) {
  if (!asked.given.has("--set")) return misused(asked.of, "give --set: what is new in the rows");
  if (!asked.given.has("--where")) return misused(asked.of, "give --where: which rows");
  const std::string_view table = asked.argument(0);
  return with_writing(asked, [&](transaction& writing) -> tarn::result<std::string> {
    const tarn::result<tarn::schema> columns = writing.columns(table);
    if (!columns) return columns.error();
    tarn::arena memory;
    const tarn::result<tarn::filter> wanted = wanted_rows(asked.given, *columns, memory);
    if (!wanted) return wanted.error();
    const auto changes = wanted_changes(asked.given, *columns, memory);
    if (!changes) return changes.error();
    const tarn::result<std::uint64_t> updated = writing.update_where(table, *wanted, *changes);
    if (!updated) return updated.error();
    return tarn::concat({"updated ", count_of(*updated, "row"), " of ", table});
  });
}

}  // namespace

constexpr command update_command{"update",
                                 "TABLE --set 'COLUMN = VALUE'... --where CONDITION...",
                                 "change rows of a table",
                                 R"(Changes columns of the rows for which the condition holds, or all of several:
'COLUMN = VALUE', or with != < <= > >=, or 'COLUMN is null', or
'COLUMN is not null'. Earlier versions have the rows as they were. VALUE is read as
a field of CSV: nothing is null, "" is the empty string.
A column of the key cannot be changed: erase the row and insert another.

  --set 'COLUMN = VALUE'   what is new; may be given for several columns

Exit code 3 if another process changed one of these rows meanwhile.

For example:
  lake my-lake update weather --set 'wind = 5.1' --where 'date = 2012-02-01'
)",
                                 options,
                                 1,
                                 1,
                                 run};

}  // namespace lake
