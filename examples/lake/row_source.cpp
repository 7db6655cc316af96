#include "row_source.hpp"

namespace lake {

tarn::result<source_format> source_format_of(const arguments& given) {
  const auto name = given.value("--format");
  if (!name) return source_format::unknown;
  if (*name == "ndjson") return source_format::ndjson;
  if (*name == "csv") return source_format::csv;
  return tarn::error(tarn::errc::invalid_argument,
                     tarn::concat({"--format ", *name, ": the formats are ndjson and csv"}));
}

tarn::result<source_format> recognize(input& from, source_format stated) {
  if (stated != source_format::unknown) return stated;
  const std::string_view name = from.name();
  if (name.ends_with(".csv")) return source_format::csv;
  if (name.ends_with(".ndjson") || name.ends_with(".jsonl") || name.ends_with(".json")) return source_format::ndjson;
  for (;;) {
    const std::size_t first = from.unpassed().find_first_not_of("\xef\xbb\xbf \t\r\n");
    if (first != std::string_view::npos) {
      const char c = from.unpassed()[first];
      return c == '{' || c == '[' ? source_format::ndjson : source_format::csv;
    }
    constexpr std::size_t looked_at_max = std::size_t{1} << 20;
    if (from.unpassed().size() > looked_at_max) return source_format::csv;
    const tarn::result<bool> more = from.more();
    if (!more) return more.error();
    if (!*more) return source_format::ndjson;  // in which nothing means no rows
  }
}

tarn::result<std::vector<std::string>> column_names_in(std::string_view path, source_format stated) {
  return with_reader(path, stated, bare_fields::are_values, [](auto& reader) { return some_columns_of(reader); });
}

}  // namespace lake
