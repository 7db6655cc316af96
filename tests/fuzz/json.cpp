// Bytes as a JSON text, read in each of the parser's ways.
#include <string>
#include <string_view>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_writer.hpp>
#include <tarn/core/utf8.hpp>
#include <tarn/core/value.hpp>

#include "memory_bound.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

constexpr std::size_t memory_factor = 64;  // see entry.cpp

void check_text(std::string_view text, const tarn::json_options& options) {
  tarn::arena memory;
  tarn::json_parser<> parser(text, options);
  const auto parse = [&] {
    const memory_bound bound(text.size(), memory_factor);
    return parser.parse(memory);
  };
  const tarn::result<tarn::value_view> read = parse();
  if (!read) {
    const tarn::errc code = read.error().code();
    expect(code == tarn::errc::invalid_argument || code == tarn::errc::limit_exceeded, "a text is refused as one");
    expect(parser.failure_offset() <= text.size(), "an error names a place in the text");
    return;
  }
  expect(tarn::find_invalid_utf8(text.substr(0, parser.offset())) == parser.offset(), "what is read is UTF-8");
  const tarn::value owned(*read);
  expect(owned == *read, "a copied value is the same");
  std::string written;
  tarn::append_json(written, *read, options.escapes);
  tarn::arena again_memory;
  const tarn::result<tarn::value_view> again = tarn::parse_json(written, again_memory, options);
  expect(again.has_value(), "a text that was written can be read", again ? written : again.error().message());
  expect(*again == *read, "a value reads back as it was written", written);
  std::string written_again;
  tarn::append_json(written_again, owned, options.escapes);
  expect(written_again == written, "equal values have equal texts", written);
}

int fuzz_json(const unsigned char* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  check_text(text, {});
  check_text(text, {.escapes = tarn::json_escapes::tarn, .wide = tarn::wide_integers::are_doubles});
  check_text(text, {.nesting_depth_max = 3});
  return 0;
}

}  // namespace

const target targets::json{"json", fuzz_json, nullptr};

}  // namespace tarn_test::fuzz
