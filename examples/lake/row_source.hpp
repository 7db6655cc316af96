// Where rows come from: a file or standard input, NDJSON or CSV.
#pragma once

#include <string>
#include <string_view>
#include <tarn/core/result.hpp>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "csv_reader.hpp"
#include "input.hpp"
#include "ndjson_reader.hpp"

namespace lake {

enum class source_format : unsigned char { unknown, ndjson, csv };

// What --format says; unknown if it was not given. The error is for the user.
[[nodiscard]] tarn::result<source_format> source_format_of(const arguments& given);

// What the input is: as `stated` or, if that is unknown, as its name ends, or else as its first byte suggests.
[[nodiscard]] tarn::result<source_format> recognize(input& from, source_format stated);

// Calls `use` with the reader for the input, and returns what it returns, which must be a tarn::result.
template <class Use>
auto with_reader(std::string_view path, source_format stated, bare_fields bare, Use use)
    -> decltype(use(std::declval<csv_reader&>())) {
  tarn::result<input> opened = input::open(path);
  if (!opened) return opened.error();
  const tarn::result<source_format> format = recognize(*opened, stated);
  if (!format) return format.error();
  if (*format == source_format::ndjson) {
    ndjson_reader reader(*std::move(opened));
    return use(reader);
  }
  csv_reader reader(*std::move(opened), bare);
  return use(reader);
}

// The names of the columns that the input's rows have: at least one.
template <class Reader>
[[nodiscard]] tarn::result<std::vector<std::string>> some_columns_of(Reader& reader) {
  tarn::result<std::vector<std::string>> names = reader.columns();
  if (names && names->empty())
    return tarn::error(tarn::errc::invalid_argument, "the input has no rows that could tell the names of the columns");
  return names;
}
[[nodiscard]] tarn::result<std::vector<std::string>> column_names_in(std::string_view path, source_format stated);

}  // namespace lake
