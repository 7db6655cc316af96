// Bytes as a data object of a bag, of tarn's or of the article's program.
#include <cstddef>
#include <string>
#include <string_view>
#include <tarn/codec/json_codec.hpp>
#include <tarn/core/row.hpp>
#include <vector>

#include "damage.hpp"
#include "memory_bound.hpp"
#include "sealing.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

constexpr std::size_t memory_factor = 64;  // see entry.cpp

struct rows_read {
  std::vector<tarn::row> rows;
  tarn::status outcome;
};

[[nodiscard]] rows_read read(std::string_view bytes, const tarn::object_expectation& expected,
                             const tarn::limits& bounds = {}) {
  rows_read read;
  auto cursor = tarn::json_codec().open(bytes, expected, bounds);
  if (!cursor) return {{}, cursor.error()};
  while (cursor->next()) read.rows.emplace_back(cursor->row().begin(), cursor->row().end());
  expect(!cursor->next(), "a cursor that has ended stays at its end");
  read.outcome = cursor->status();
  return read;
}

// The same without keeping anything: what a scan takes.
[[nodiscard]] bool scan(std::string_view bytes, const tarn::object_expectation& expected) {
  auto cursor = tarn::json_codec().open(bytes, expected);
  std::size_t rows = 0;
  while (cursor && cursor->next()) ++rows;
  expect(rows <= bytes.size(), "there are no more rows than bytes");
  return cursor && cursor->status().has_value();
}

// What the log would say of such an object, as far as the bytes tell.
[[nodiscard]] tarn::object_expectation expectation_of(std::string_view bytes) {
  tarn::object_expectation expected;
  expected.identity.table = text_after(bytes, R"("Table":")");
  (void)tarn::parse_uuid(text_after(bytes, R"(","Name":")"), expected.identity.id);
  const std::size_t rows = bytes.find(tarn::json_object_detail::rows_label);
  if (rows == std::string_view::npos) return expected;
  tarn::arena memory;
  tarn::json_parser<> parser(bytes.substr(rows + tarn::json_object_detail::rows_label.size()),
                             {.escapes = tarn::json_escapes::tarn});
  if (parser.parse_next(memory) && parser.value().kind() == tarn::kind::list)
    expected.columns = parser.value().as_list().size();
  return expected;
}

[[nodiscard]] std::string write(const std::vector<tarn::row>& rows, const tarn::object_identity& identity) {
  auto builder = tarn::json_codec().build(identity);
  for (const tarn::row& each : rows)
    expect(builder.append(tarn::list_view(each)).has_value(), "a row that was read can be written");
  expect(builder.rows() == rows.size(), "a builder counts its rows");
  return std::string(builder.finish());
}

void check_rows(std::string_view bytes, const rows_read& whole, tarn::object_expectation expected) {
  const std::string written = write(whole.rows, expected.identity);
  const rows_read again = read(written, expected);
  expect(again.outcome.has_value(), "an object that was written can be read",
         again.outcome ? written : again.outcome.error().message());
  expect(again.rows == whole.rows, "rows read back as they were written", written);
  if (bytes.starts_with(tarn::json_object_detail::start))
    expect_damage_noticed(bytes, [&](std::string_view damaged) { return read(damaged, expected).outcome.has_value(); });

  // What the log knows besides must not change anything.
  expected.checksum_verified = true;
  expected.counted = true;
  expected.rows = whole.rows.size();
  expect(read(bytes, expected).rows == whole.rows, "rows do not depend on who has verified the checksum");
  tarn::limits small;
  small.row_bytes_max = 40;
  const rows_read short_rows = read(bytes, expected, small);
  expect(short_rows.outcome.has_value() || short_rows.outcome.error().code() == tarn::errc::limit_exceeded,
         "a row that is too long is refused as that");
  for (std::size_t at = 0; at < short_rows.rows.size(); ++at)
    expect(short_rows.rows[at] == whole.rows[at], "a limit on rows changes none");
}

int fuzz_data_object(const unsigned char* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  tarn::object_expectation expected = expectation_of(bytes);
  bool is_whole = false;
  {
    const memory_bound bound(size, memory_factor);
    is_whole = scan(bytes, expected);
  }
  const rows_read whole = read(bytes, expected);
  expect(whole.outcome.has_value() == is_whole, "reading twice gives the same");
  if (is_whole) check_rows(bytes, whole, expected);
  if (!is_whole)
    expect(whole.outcome.error().message().find(to_text(expected.identity.id)) != std::string::npos,
           "an error names the object", whole.outcome.error().message());
  expected.checksum_verified = true;
  (void)scan(bytes, expected);
  return 0;
}

}  // namespace

const target targets::data_object{"data_object", fuzz_data_object, mend_object};

}  // namespace tarn_test::fuzz
