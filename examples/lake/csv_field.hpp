// CSV fields as values, and values as CSV fields. One rule holds both ways: a field without quotes is what
// `value_of_bare_field` says; a field in quotes is a string. So reading what was written gives the same values, and
// writing what was read gives the same fields (but for quotes that were not needed).
#pragma once

#include <string>
#include <string_view>
#include <tarn/codec/json_writer.hpp>
#include <tarn/core/value.hpp>

namespace lake {

// Nothing is null; `true` and `false` are booleans. An integer of 64 bits or a double is a number if writing that
// number gives the very same characters, so that no id, zip code or price is changed: 42 and -0.5 are numbers; 007,
// +1, 1.10, 1e5, -0 and 12345678901234567890 are strings, as is everything else.
[[nodiscard]] tarn::value_view value_of_bare_field(std::string_view field);

// Writes values as fields. Bytes, lists, maps and doubles that are not finite are JSON, in quotes.
class csv_field_writer {
 public:
  void append(std::string& out, tarn::value_view value);

 private:
  tarn::json_writer<> json_;
  std::string text_;
};

// A string as a field, in quotes if it would be read as something else without.
void append_csv_string(std::string& out, std::string_view text);

}  // namespace lake
