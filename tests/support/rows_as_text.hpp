// Rows as text, each value under the name of its column as the reader has it: "id=1 name=Ada; id=2 name=null".
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <vector>

namespace tarn_test {

// Doubles have a point, so that they are not taken for integers.
[[nodiscard]] inline std::string value_as_text(const tarn::value_view& value) {
  switch (value.kind()) {
    case tarn::kind::boolean: return value.as_boolean() ? "true" : "false";
    case tarn::kind::integer: return std::to_string(value.as_integer());
    case tarn::kind::string: return std::string(value.as_string());
    case tarn::kind::real: {
      char text[32];
      std::snprintf(text, sizeof text, "%.17g", value.as_double());
      return std::string(text) + (std::string_view(text).find_first_of(".en") == std::string_view::npos ? "." : "");
    }
    default: return std::string(name_of(value.kind()));
  }
}

[[nodiscard]] inline std::string row_as_text(const tarn::row_view& row, const tarn::schema& columns) {
  std::string text;
  REQUIRE(row.size() == columns.size());
  for (const tarn::column& each : columns)
    text += (text.empty() ? "" : " ") + each.name + "=" + value_as_text(row[std::string_view(each.name)]);
  return text;
}

[[nodiscard]] inline std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& each : lines) all += (&each == &lines.front() ? "" : "; ") + each;
  return all;
}

// The rows of a table, in the order of the scan.
template <class Transaction>
[[nodiscard]] std::vector<std::string> lines_of(Transaction& tx, std::string_view table) {
  auto scan = tx.scan(table);
  REQUIRE_MESSAGE(scan.has_value(), (scan ? std::string() : scan.error().message()));
  std::vector<std::string> lines;
  while (scan->next()) lines.push_back(row_as_text(scan->row(), scan->columns()));
  REQUIRE_MESSAGE(scan->status().has_value(), (scan->status() ? std::string() : scan->status().error().message()));
  return lines;
}
template <class Transaction>
[[nodiscard]] std::string rows_as_text(Transaction& tx, std::string_view table) {
  return joined(lines_of(tx, table));
}
template <class Transaction>
[[nodiscard]] std::string sorted_rows_as_text(Transaction& tx, std::string_view table) {
  std::vector<std::string> lines = lines_of(tx, table);
  std::sort(lines.begin(), lines.end());
  return joined(lines);
}

}  // namespace tarn_test
