#include <algorithm>
#include <iterator>

#include "command.hpp"
#include "lake.hpp"
#include "numbers.hpp"
#include "output.hpp"
#include "row_source.hpp"

namespace lake {
namespace {

constexpr option options[] = {
    {"--from", true}, {"--format", true}, {"--key", true}, {"--buckets", true}, {"--ordering", true}};

// "NAME", "NAME:TYPE" or "NAME:TYPE!". The type is after the last colon, since a name may hold colons.
tarn::result<tarn::column> parse_column(std::string_view text) {
  const auto refuse = [&](const auto&... why) {
    return tarn::error(tarn::errc::invalid_argument, tarn::concat({"column '", text, "': ", why...}));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    if (text.ends_with('!')) return refuse("write ", text.substr(0, text.size() - 1), ":any! for one without nulls");
    return tarn::column(text);
  }
  std::string_view type_name = text.substr(colon + 1);
  const bool not_null = type_name.ends_with('!');
  if (not_null) type_name.remove_suffix(1);
  tarn::column_type type{};
  if (!tarn::parse_column_type(type_name, type))
    return refuse("there is no type '", type_name,
                  "': use boolean, integer, double, string, bytes, list, map or any, with '!' after it for not null");
  return tarn::column(text.substr(0, colon), type,
                      not_null ? tarn::nullability::not_null : tarn::nullability::nullable);
}

// What --key, --buckets and --ordering say; nothing of a bag. The error is for the user.
tarn::result<std::optional<tarn::keyed>> wanted_key(const arguments& given) {
  const auto refuse = [](std::string_view why) { return tarn::error(tarn::errc::invalid_argument, std::string(why)); };
  const auto names = given.value("--key");
  if (!names && given.has("--buckets")) return refuse("--buckets goes with --key");
  if (!names && given.has("--ordering")) return refuse("--ordering goes with --key");
  if (!names) return std::optional<tarn::keyed>();
  const tarn::result<std::vector<std::string>> parsed = parse_csv_names(*names);
  if (!parsed) return parsed.error();
  tarn::keyed key{{parsed->begin(), parsed->end()}};
  if (const auto text = given.value("--buckets")) {
    const std::optional<std::int64_t> buckets = parse_count(*text);
    if (!buckets || *buckets == 0 || *buckets > tarn::limits{}.buckets_max)
      return refuse(tarn::concat({"--buckets ", *text, ": 1 to ", tarn::limits{}.buckets_max, " are possible"}));
    key.buckets = static_cast<std::uint32_t>(*buckets);
  }
  if (const auto column = given.value("--ordering")) key.fold = tarn::by_ordering(*column);
  return std::optional(std::move(key));
}

exit_code create_table(const call& asked, tarn::sequence<tarn::column> columns, const std::optional<tarn::keyed>& key) {
  const std::string_view table = asked.argument(0);
  tarn::result<client> opened = open_or_found(asked.folder);
  if (!opened) return report(opened.error());
  tarn::result<transaction> writing = begin(*opened);
  if (!writing) return report(writing.error());
  const std::size_t count = columns.size();
  tarn::schema made(std::move(columns));
  const tarn::status created =
      key ? writing->create_table(table, std::move(made), *key) : writing->create_table(table, std::move(made));
  if (!created) return report(created.error());
  const tarn::result<tarn::version> committed = commit(*opened, *writing);
  if (!committed) return report(committed.error());
  output out;
  out.print(tarn::concat({"created ", key ? "keyed " : "", "table ", table, " with ", count_of(count, "column"),
                          " (version ", committed->number, ")\n"}));
  return out.finish();
}

exit_code run(const call& asked) {
  const auto& words = asked.given.positional();
  const auto from = asked.given.value("--from");
  if (from && words.size() > 1) return misused(asked.of, "give the columns, or --from, not both");
  if (!from && words.size() < 2) return misused(asked.of, "a table needs at least one column");
  if (!from && asked.given.has("--format")) return misused(asked.of, "--format says what --from reads");
  const tarn::result<std::optional<tarn::keyed>> key = wanted_key(asked.given);
  if (!key) return misused(asked.of, key.error().message());
  if (from && *key) return misused(asked.of, "a key needs columns with types: give them, instead of --from");
  if (from) {
    const tarn::result<source_format> format = source_format_of(asked.given);
    if (!format) return misused(asked.of, format.error().message());
    const tarn::result<std::vector<std::string>> names = column_names_in(*from, *format);
    if (!names) return report(names.error());
    return create_table(asked, {names->begin(), names->end()}, {});
  }
  tarn::sequence<tarn::column> columns;
  for (const std::string_view word : std::span(words).subspan(1)) {
    tarn::result<tarn::column> parsed = parse_column(word);
    if (!parsed) return misused(asked.of, parsed.error().message());
    columns.push_back(*std::move(parsed));
  }
  return create_table(asked, std::move(columns), *key);
}

}  // namespace

constexpr command create_command{"create",
                                 "TABLE COLUMN[:TYPE[!]]...\n         [--key COLUMN[,COLUMN]... [--buckets N] "
                                 "[--ordering COLUMN]]\n       lake DIR create TABLE --from FILE [--format ndjson|csv]",
                                 "make a table",
                                 R"(Makes a table, and the lake if there is none in DIR.

Types: boolean, integer (64 bits), double, string (UTF-8), bytes, list, map, or
any, which takes values of every kind and is what a column without TYPE has.
With '!' after its type a column takes no nulls. In a column's name that holds a
colon, the last one begins the type: "12:30:any".

A table with a key has at most one row for each key, and `upsert`, `erase`, `get`
and `compact` work on it. A table without has rows in no order, without identity.

  --key A,B      the columns of the key, as in a line of CSV, of type integer,
                 string, bytes or boolean; they take no nulls
  --buckets N    divides the rows by their keys, 1 if not given; a bucket is what
                 `get` and `compact` read. Never changes
  --ordering A   of writes of one key that with the greatest A counts, an integer,
                 string or bytes; if not given, the latest write
  --from FILE    names the columns as FILE does ("-" is standard input): as the
                 first line of CSV, or as the keys of the first 1,000 objects of
                 NDJSON, in the order of their first appearance. All of type any
  --format F     what FILE is, ndjson or csv, if its name and first byte mislead

For example:
  lake my-lake create weather date:string! precipitation:double wind
  lake my-lake create airports --from airports.csv
  lake my-lake create users id:integer name:string --key id --buckets 4
)",
                                 options,
                                 1,
                                 static_cast<std::size_t>(-1),
                                 run};

}  // namespace lake
