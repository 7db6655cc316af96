#include "command.hpp"
#include "keyed_table.hpp"
#include "numbers.hpp"
#include "row_conditions.hpp"
#include "row_source.hpp"
#include "row_writing.hpp"
#include "writing.hpp"

namespace lake {
namespace {

constexpr option options[] = {{"--from", true}, {"--format", true}, {"--ordering", true}, {"--where", true}};

using outcome = tarn::result<std::uint64_t>;  // how many keys were erased

outcome erase_typed(const call& asked, transaction& writing, const keyed_table& table) {
  tarn::arena memory;
  const auto key = parse_key(table, std::span(asked.given.positional()).subspan(1), memory);
  if (!key) return key.error();
  const tarn::list_view values(key->data(), key->size());
  tarn::status erased;
  if (const auto word = asked.given.value("--ordering")) {
    const tarn::result<tarn::value_view> ordering = parse_ordering(table, *word, memory);
    if (!ordering) return ordering.error();
    erased = writing.erase(table.name, values, *ordering);
  } else {
    erased = writing.erase(table.name, values);
  }
  if (!erased) return erased.error();
  return 1;
}

// The table's columns, of which only those of the key must have values.
tarn::schema columns_with_key(const keyed_table& table) {
  tarn::sequence<tarn::column> columns;
  for (tarn::column each : table.columns) {
    each.nullable = true;
    columns.push_back(std::move(each));
  }
  tarn::schema made(std::move(columns));
  for (const std::uint32_t place : table.key.columns) made.forbid_null(place);
  return made;
}

outcome erase_listed(std::string_view path, source_format format, transaction& writing, const keyed_table& table) {
  std::vector<tarn::value_view> key(table.key.columns.size());
  const auto erase = [&](const tarn::row_view& row) {
    for (std::size_t at = 0; at < key.size(); ++at) key[at] = row[table.key.columns[at]];
    return writing.erase(table.name, tarn::list_view(key.data(), key.size()));
  };
  return with_reader(path, format, bare_fields::are_values,
                     [&](auto& reader) { return write_rows(columns_with_key(table), reader, "erasing", erase); });
}

// Rows of either kind of table, found by what is in them.
exit_code erase_matching(const call& asked) {
  const std::string_view table = asked.argument(0);
  return with_writing(asked, [&](transaction& writing) -> tarn::result<std::string> {
    const tarn::result<tarn::schema> columns = writing.columns(table);
    if (!columns) return columns.error();
    tarn::arena memory;
    const tarn::result<tarn::filter> wanted = wanted_rows(asked.given, *columns, memory);
    if (!wanted) return wanted.error();
    const tarn::result<std::uint64_t> erased = writing.erase_where(table, *wanted);
    if (!erased) return erased.error();
    return tarn::concat({"erased ", count_of(*erased, "row"), " of ", table});
  });
}

exit_code run(const call& asked) {
  const auto from = asked.given.value("--from");
  const bool typed = asked.given.positional().size() > 1;
  if (asked.given.has("--where")) {
    if (from || typed || asked.given.has("--ordering") || asked.given.has("--format"))
      return misused(asked.of, "--where says which rows: give no key and no other option with it");
    return erase_matching(asked);
  }
  if (from && typed) return misused(asked.of, "give a key, or --from, not both");
  if (!from && !typed) return misused(asked.of, "give a key, --from or --where");
  if (from && asked.given.has("--ordering")) return misused(asked.of, "--ordering goes with a key, not with --from");
  if (!from && asked.given.has("--format")) return misused(asked.of, "--format says what --from reads");
  const tarn::result<source_format> format = source_format_of(asked.given);
  if (!format) return misused(asked.of, format.error().message());

  return with_writing(asked, [&](transaction& writing) -> tarn::result<std::string> {
    const tarn::result<keyed_table> table = find_keyed_table(writing, asked.argument(0));
    if (!table) return table.error();
    const outcome keys = from ? erase_listed(*from, *format, writing, *table) : erase_typed(asked, writing, *table);
    if (!keys) return keys.error();
    return tarn::concat({"erased ", count_of(*keys, "key"), " of ", table->name});
  });
}

}  // namespace

constexpr command erase_command{
    "erase",
    "TABLE KEY... [--ordering VALUE]\n       lake DIR erase TABLE --from FILE [--format ndjson|csv]\n"
    "       lake DIR erase TABLE --where CONDITION...",
    "erase rows of a table",
    R"(Erases rows; earlier versions still have them. With --where, those for which the
condition holds, or all of several: 'COLUMN = VALUE', or with != < <= > >=, or
'COLUMN is null', or 'COLUMN is not null'.

With a key, the row of a keyed table that has it: KEY has an argument for each
column of the key, in the order that `tables` shows, read as a field of CSV for a
column of that type.

In a table with an ordering this forgets the key's ordering too: whatever is written
afterwards counts.

  --ordering V   only if the row's ordering is not greater than V; what is written
                 with a lesser one afterwards does not count
  --from FILE    erases all rows whose keys are in FILE ("-" is standard input),
                 NDJSON or CSV, as `scan` prints rows; only the key counts
  --format F     what FILE is, ndjson or csv, if its name and first byte mislead

Exit code 3 if another process changed one of these rows meanwhile.

For example:
  lake my-lake erase users 7
  lake my-lake erase weather --where 'date < 2012-02-01'
)",
    options,
    1,
    static_cast<std::size_t>(-1),
    run};

}  // namespace lake
