// CSV taken apart into fields, as in RFC 4180: fields are separated by commas and may be in quotes; those may hold
// commas, line ends and, doubled, quotes. Lines end in LF or CRLF. Text is UTF-8, with a byte order mark or without.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/core/limits.hpp>
#include <tarn/core/result.hpp>
#include <utility>
#include <vector>

#include "column_value.hpp"
#include "input.hpp"

namespace lake {

// Memory: one record. Errors name the place in the input; after one nothing more must be read.
class csv_records {
 public:
  explicit csv_records(input from) : input_(std::move(from)) {}

  // Moves to the next record: false at the end. An empty line is a record of one empty field.
  [[nodiscard]] tarn::result<bool> next();

  // The fields of the record; valid until `next` is called, like what `place_of` says. Without any fields, the place is
  // the record's.
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] csv_text operator[](std::size_t index) const noexcept;
  [[nodiscard]] std::string place_of(std::size_t index) const;
  [[nodiscard]] bool is_empty_line() const noexcept;

 private:
  struct field {
    std::size_t offset = 0;  // where it begins in the record
    std::size_t begin = 0;   // of its text in the record or, if it had doubled quotes, in `unescaped_`
    std::size_t size = 0;
    bool quoted = false;
    bool unescaped = false;
  };

  static constexpr std::size_t record_bytes_max = tarn::limits{}.row_bytes_max;

  void leave_record();
  void skip_byte_order_mark();
  [[nodiscard]] bool read_field();
  [[nodiscard]] bool read_quoted(field& into);
  [[nodiscard]] bool read_bare(field& into);
  [[nodiscard]] bool read_separator();
  [[nodiscard]] bool check_utf8();

  // The byte at `at_`; nothing at the end of the input and after a failure.
  [[nodiscard]] std::optional<char> peek();
  bool fail_at(std::size_t offset, std::string_view what);

  input input_;
  std::vector<field> fields_;
  std::string unescaped_;       // the fields that had doubled quotes
  std::size_t at_ = 0;          // how far the record has been read
  std::size_t first_line_ = 0;  // of the record, counted from 1; 0 before the first
  bool record_ended_ = false;
  tarn::status failure_;
};

}  // namespace lake
