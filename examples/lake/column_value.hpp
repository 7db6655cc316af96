// Values of the input as a column takes them. A declared type decides how they are read; nothing is rounded to fit.
#pragma once

#include <string_view>
#include <tarn/core/arena.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/value.hpp>

namespace lake {

// The error of naming a column that is not there; says which there are.
[[nodiscard]] tarn::error no_such_column(const tarn::schema& columns, std::string_view name);

// A value of a JSON text. A double column takes integers that are exactly a double; {"$bytes":...} and {"$double":...},
// as they are written by `scan`, are what they stand for in a column of that type.
[[nodiscard]] tarn::result<tarn::value_view> value_for_column(const tarn::column& column, tarn::value_view value,
                                                              tarn::arena& memory);

struct csv_text {
  std::string_view text;
  bool quoted = false;
};

// What `any` columns make of fields without quotes.
enum class bare_fields : bool { are_values, are_strings };

// A field of a CSV record. In a column of a declared type it is read as that, in quotes or not.
[[nodiscard]] tarn::result<tarn::value_view> value_for_column(const tarn::column& column, csv_text field,
                                                              bare_fields bare, tarn::arena& memory);

}  // namespace lake
