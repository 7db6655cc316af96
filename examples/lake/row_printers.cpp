#include "row_printers.hpp"

namespace lake {

tarn::result<row_format> wanted_format(const arguments& given, const output& out) {
  const auto name = given.value("--format");
  if (!name) return out.is_terminal() ? row_format::table : row_format::ndjson;
  if (*name == "table") return row_format::table;
  if (*name == "ndjson") return row_format::ndjson;
  if (*name == "csv") return row_format::csv;
  return tarn::error(tarn::errc::invalid_argument,
                     tarn::concat({"--format ", *name, ": the formats are table, ndjson and csv"}));
}

ndjson_printer::ndjson_printer(output& out, const std::vector<std::string>& columns) : out_(out) {
  for (const std::string& name : columns) {
    std::string key = keys_.empty() ? "{" : ",";
    tarn::append_json_string(key, name);
    keys_.push_back(key + ":");
  }
}

void ndjson_printer::print(tarn::row_view row) {
  std::string& text = out_.buffer();
  for (std::size_t at = 0; at < keys_.size(); ++at) {
    text += keys_[at];
    writer_.append(text, row[at], tarn::json_escapes::none);
  }
  out_.print("}\n");
}

csv_printer::csv_printer(output& out, const std::vector<std::string>& columns) : out_(out) {
  std::vector<tarn::value_view> names(columns.begin(), columns.end());
  print(tarn::list_view(names.data(), names.size()));
}

void csv_printer::print(tarn::row_view row) {
  std::string& text = out_.buffer();
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (at > 0) text += ',';
    writer_.append(text, row[at]);
  }
  out_.print("\n");
}

}  // namespace lake
