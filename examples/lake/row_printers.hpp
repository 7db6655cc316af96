// Rows on standard output: as NDJSON or CSV for other programs, as a table for people.
//
// A printer is made for the columns of the rows it will get; `print` takes one row, `finish` comes after the last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/codec/json_writer.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/row.hpp>
#include <vector>

#include "arguments.hpp"
#include "csv_field.hpp"
#include "output.hpp"

namespace lake {

enum class row_format : unsigned char { table, ndjson, csv };

// What --format says, or else what suits where the output goes. The error is for the user.
[[nodiscard]] tarn::result<row_format> wanted_format(const arguments& given, const output& out);

// One JSON object a line. Values are written as tarn writes them in its objects, but keys are left alone.
class ndjson_printer {
 public:
  ndjson_printer(output& out, const std::vector<std::string>& columns);
  void print(tarn::row_view row);
  void finish() {}

 private:
  output& out_;
  std::vector<std::string> keys_;  // with all that is before the value
  tarn::json_writer<> writer_;
};

// A line with the names, then one for each row; see csv_field.hpp.
class csv_printer {
 public:
  csv_printer(output& out, const std::vector<std::string>& columns);
  void print(tarn::row_view row);
  void finish() {}

 private:
  output& out_;
  csv_field_writer writer_;
};

// Aligned columns, as wide as the first rows need; what is wider is cut. Memory: those rows' cells.
class table_printer {
 public:
  table_printer(output& out, const std::vector<std::string>& columns);
  void print(tarn::row_view row);
  void finish();

 private:
  struct cell {
    std::string text;
    std::size_t width = 0;
  };
  struct column {
    cell name;
    std::size_t width;
    bool has_numbers = false;  // in the sample
    bool has_others = false;   // but nulls

    [[nodiscard]] bool is_numeric() const noexcept { return has_numbers && !has_others; }  // aligned to the right
  };

  static constexpr std::size_t sampled_rows_max = 1'000;
  static constexpr std::size_t sampled_cells_max = 100'000;
  static constexpr std::size_t cell_width_max = 40;

  [[nodiscard]] cell make_cell(tarn::value_view value, std::size_t width_max);
  void end_sample();
  void fit_into(std::size_t terminal_width);
  void print_line(const std::vector<cell>& cells);

  output& out_;
  std::vector<column> columns_;
  std::vector<std::vector<cell>> sample_;
  bool sampling_ = true;
  tarn::json_writer<> writer_;
  std::string text_;
};

// Calls `use` with the printer for the format.
template <class Use>
void with_printer(row_format format, output& out, const std::vector<std::string>& columns, Use use) {
  switch (format) {
    case row_format::table: return use(table_printer(out, columns));
    case row_format::ndjson: return use(ndjson_printer(out, columns));
    case row_format::csv: return use(csv_printer(out, columns));
  }
}

}  // namespace lake
