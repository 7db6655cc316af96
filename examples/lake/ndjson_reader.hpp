// Rows from NDJSON: each line that is not blank is one JSON object, whose keys name columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/codec/json_parser.hpp>
#include <tarn/core/arena.hpp>
#include <tarn/core/limits.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "input.hpp"

namespace lake {

// Called in this order: `columns` at most once, `bind` once, `next` until it is false. Memory: one line, or those that
// `columns` has looked at. Errors name the place in the input; after one the reader must not be used any more.
class ndjson_reader {
 public:
  // How far `columns` looks: what comes first.
  static constexpr std::size_t sample_objects_max = 1'000;
  static constexpr std::size_t sample_bytes_max = std::size_t{8} << 20;

  explicit ndjson_reader(input from) : input_(std::move(from)) {}

  // The keys of the first objects, in the order of their first appearance. Passes nothing.
  [[nodiscard]] tarn::result<std::vector<std::string>> columns();

  // The columns that the rows are for. What an object has no key for is null.
  [[nodiscard]] tarn::status bind(const tarn::schema& columns);

  // Moves to the next row: false at the end.
  [[nodiscard]] tarn::result<bool> next();

  // Valid until `next` is called.
  [[nodiscard]] tarn::row_view row() const noexcept { return tarn::list_view(row_.data(), row_.size()); }
  // Where the row begins in the input.
  [[nodiscard]] std::string place() const { return place_in(input_, line_.number, 1); }

 private:
  struct line {
    std::string_view text;   // without its end
    std::size_t number = 0;  // counted from 1
    std::size_t offset = 0;  // of the text in what is unpassed
    std::size_t size = 0;    // with its end
  };

  static constexpr std::size_t line_bytes_max = tarn::limits{}.row_bytes_max;

  // Makes `line_` the one that begins at `offset` of what is unpassed: false at the end.
  [[nodiscard]] tarn::result<bool> read_line(std::size_t offset, std::size_t number);
  [[nodiscard]] tarn::result<tarn::map_view> parse_object();
  [[nodiscard]] tarn::status take_member(const tarn::member_view& member, std::size_t& hint);
  [[nodiscard]] std::string place_of_key(std::string_view key) const;

  input input_;
  line line_;
  tarn::arena memory_;
  tarn::schema schema_;
  std::unordered_map<std::string_view, std::size_t> places_;  // of the columns in the schema
  std::vector<std::size_t> not_null_;                         // columns
  std::vector<tarn::value_view> row_;
};

}  // namespace lake
