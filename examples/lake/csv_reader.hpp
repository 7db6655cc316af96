// Rows from CSV. The first line names the columns.
#pragma once

#include <cstddef>
#include <string>
#include <tarn/core/arena.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <utility>
#include <vector>

#include "column_value.hpp"
#include "csv_records.hpp"
#include "input.hpp"

namespace lake {

// Called in this order: `columns` at most once, `bind` once, `next` until it is false. Memory: one record. Errors name
// the place in the input; after one the reader must not be used any more.
class csv_reader {
 public:
  csv_reader(input from, bare_fields bare) : records_(std::move(from)), bare_(bare) {}

  // The names in the first line; none if the input is empty.
  [[nodiscard]] tarn::result<std::vector<std::string>> columns();

  // The columns that the rows are for. All names of the first line must be among them; the others get null.
  [[nodiscard]] tarn::status bind(const tarn::schema& columns);

  // Moves to the next row: false at the end.
  [[nodiscard]] tarn::result<bool> next();

  // Valid until `next` is called.
  [[nodiscard]] tarn::row_view row() const noexcept { return tarn::list_view(row_.data(), row_.size()); }
  // Where the row begins in the input.
  [[nodiscard]] std::string place() const { return records_.place_of(0); }

 private:
  [[nodiscard]] tarn::status read_names();
  [[nodiscard]] tarn::error wrong_number_of_fields() const;

  csv_records records_;
  bare_fields bare_;
  tarn::schema schema_;
  std::vector<std::string> names_;    // of the fields; once they are read there is at least one, or the input is empty
  std::vector<std::size_t> targets_;  // the column of each field
  std::vector<tarn::value_view> row_;
  tarn::arena memory_;
};

// The names in a text that a user has typed, such as: a,b,"c, d"
[[nodiscard]] tarn::result<std::vector<std::string>> parse_csv_names(std::string_view text);

}  // namespace lake
