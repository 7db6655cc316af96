#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "row_source.hpp"
#include "row_writing.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--format", true}, {"--create", false}, {"--strings", false}};

// Whether the table has yet to be made.
tarn::result<bool> must_create(transaction& writing, std::string_view table, bool may_create) {
  const tarn::result<bool> exists = writing.has_table(table);
  if (!exists) return exists.error();
  if (*exists || may_create) return !*exists;
  const tarn::result<tarn::schema> missing = writing.columns(table);
  return tarn::error(missing.error().code(), missing.error().message() + "; --create makes it");
}

template <class Reader>
tarn::status create_table_for(transaction& writing, std::string_view table, Reader& reader) {
  const tarn::result<std::vector<std::string>> names = some_columns_of(reader);
  if (!names) return names.error();
  return writing.create_table(table, tarn::schema(tarn::sequence<tarn::column>(names->begin(), names->end())));
}

// Inserts all rows and returns their number.
template <class Reader>
tarn::result<std::uint64_t> insert_rows(transaction& writing, std::string_view table, Reader& reader) {
  const tarn::result<tarn::schema> columns = writing.columns(table);
  if (!columns) return columns.error();
  return write_rows(*columns, reader, "inserting",
                    [&](const tarn::row_view& row) { return writing.insert(table, row); });
}

exit_code run(const call& asked) {
  const std::string_view table = asked.argument(0);
  const bool may_create = asked.given.has("--create");
  const std::string_view path = asked.given.positional().size() > 1 ? asked.argument(1) : "-";
  const bare_fields bare = asked.given.has("--strings") ? bare_fields::are_strings : bare_fields::are_values;
  const tarn::result<source_format> format = source_format_of(asked.given);
  if (!format) return misused(asked.of, format.error().message());

  tarn::result<client> opened = may_create ? open_or_found(asked.folder) : open_existing(asked.folder);
  if (!opened) return report(opened.error());
  tarn::result<transaction> writing = begin(*opened);
  if (!writing) return report(writing.error());
  const tarn::result<bool> creates = must_create(*writing, table, may_create);
  if (!creates) return report(creates.error());

  const auto rows = with_reader(path, *format, bare, [&](auto& reader) -> tarn::result<std::uint64_t> {
    if (*creates) {
      const tarn::status created = create_table_for(*writing, table, reader);
      if (!created) return created.error().within(path == "-" ? "standard input" : path);
    }
    return insert_rows(*writing, table, reader);
  });
  if (!rows) return report(rows.error());
  const tarn::result<tarn::version> committed = commit(*opened, *writing);
  if (!committed) return report(committed.error());

  output out;
  if (*creates) out.print(tarn::concat({"created table ", table, " and "}));
  out.print(tarn::concat({"inserted ", count_of(*rows, "row"), " into ", *creates ? "it" : table, " (version ",
                          committed->number, ")\n"}));
  return out.finish();
}

}  // namespace

constexpr command insert_command{"insert",
                                 "TABLE [FILE] [--create] [--format ndjson|csv] [--strings]",
                                 "append rows from NDJSON or CSV",
                                 R"(Appends the rows in FILE, or in standard input if FILE is "-" or not given; all
of them or, if there is anything wrong, none. Memory does not grow with the input.
In a keyed table each row's key must be new; `upsert` takes others too.

  --create      makes the table if it is missing; its columns as in `create --from`,
                without a key
  --format F    what the input is, ndjson or csv. Without it the name decides (.csv,
                .ndjson, .jsonl, .json), or else the first byte: { begins NDJSON
  --strings     takes every CSV field for a string, not for a number or a boolean

NDJSON has one object in each line. Its keys must be columns; a column without a
key is null. Integers have 64 bits: longer ones are errors, not rounded.

CSV is as in RFC 4180. Its first line names columns; the others are null. An empty
field is null, one in quotes is a string, true and false are booleans. A number is
an integer or a double if it comes out again as the very same characters, so that
nothing is lost: 42, -0.5 and 1e+20 are numbers, but 007, +1, 1.10, 1e5, -0 and
12345678901234567890 are strings. Empty lines count only if there is one column.

In a column of a declared type all fields are read as that type, in quotes or not.
A double column takes integers that a double can hold exactly. Bytes are written
{"$bytes":"<base64>"}, as `scan` prints them; CSV has lists and maps as JSON.

For example:
  lake my-lake insert airports airports.csv --create
  echo '{"date": "2012-01-01", "wind": 4.7}' | lake my-lake insert weather
)",
                                 options,
                                 1,
                                 2,
                                 run};

}  // namespace lake
