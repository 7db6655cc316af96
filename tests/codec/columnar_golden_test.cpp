// The bytes of columnar objects are a decision: these.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <vector>

using namespace tarn;

namespace {

using rows = std::vector<row>;

constexpr object_identity example{"x", {1, 2}};

[[nodiscard]] std::string encode(const rows& encoded) {
  auto builder = columnar_codec{}.build(example);
  for (const row& each : encoded) REQUIRE(builder.append(each));
  return std::string(builder.finish());
}

// Two hexadecimal digits for each byte; spaces do not count.
[[nodiscard]] std::string bytes_of(std::string_view hex) {
  std::string bytes;
  int high = -1;
  for (const char each : hex) {
    const int digit = hex_digit(each);
    if (digit < 0) continue;
    if (high >= 0) bytes.push_back(static_cast<char>(16 * high + digit));
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

[[nodiscard]] std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char each : bytes) text += hex(static_cast<unsigned char>(each)) + " ";
  return text;
}

// What columnar_format.hpp says between two lines of its page, without what it says about it.
[[nodiscard]] std::string bytes_on_the_page(const std::string& begin, const std::string& end) {
  std::ifstream page(TARN_TEST_FIXTURES "/../../include/tarn/codec/columnar_format.hpp");
  REQUIRE(page.is_open());
  std::string hex;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.find(begin) != std::string::npos) inside = true;
    if (line.find(end) != std::string::npos) inside = false;
    const std::size_t first = line.find_first_not_of("/ ");
    if (inside && first != std::string::npos) hex += line.substr(first, line.find("   ", first) - first) + " ";
  }
  return bytes_of(hex);
}

// Rows in which each encoding is the shortest somewhere.
[[nodiscard]] rows one_of_each() {
  rows made;
  for (std::int64_t number = 0; number < 40; ++number)
    made.push_back(
        {1'000'000 + 1'000 * number, number / 16 * 1'234'567'890, number * 7 % 10, number % 3 == 0,
         number % 2 == 0 ? value("even number") : value("odd number"),
         number < 35 ? value() : value(0.1 * static_cast<double>(number)),
         number % 4 == 0 ? value::list({number / 20, "x", nullptr}) : value::map({{"k", bytes{"\xff"}}, {"", -0.5}})});
  return made;
}

}  // namespace

TEST_CASE("The worked example of the format's page is what is written") {
  const std::string object = encode({{"Ada", 36, 1.5}, {"Ada", nullptr, 2.0}, {"Eve", 41, 2.5}});
  const std::string page = bytes_on_the_page("\"columnar\", version 1", "A reader must take nothing");
  CHECK(object.size() == 139);
  CHECK(hex_of(object) == hex_of(page));
}

TEST_CASE("The bytes of an object without rows") {
  CHECK(hex_of(encode({})) == hex_of(bytes_of("636f6c756d6e6172 01 0178 0000000000000001 0000000000000002 "
                                              "000000 03000000 54e31cd9 636f6c756d6e6172")));
}

TEST_CASE("The bytes of an object with every encoding") {
  const std::string object = encode(one_of_each());
  CHECK(hex_of(object) == hex_of(bytes_of("636f6c756d6e617201017800000000000000010000000000000002040180897a"
                                          "d00f0000040203001f0100000080b4806592b480651200050010220400000400"
                                          "7014589236701458923670145892367014589236020000010049922449921001"
                                          "0200140100016576656e206e756d6265726f6464206e756d62657200000100aa"
                                          "aaaaaaaa090000010000000000f801808080808080808c80019ab3e6cc99b366"
                                          "0000c000000100eeeeeeeeee0102000e00000302000401780003020204017800"
                                          "00000100e00301010020000002016b0501ff0003000000000000e0bf00000000"
                                          "0728012809390a1b000280897ab0ea7e1765440e870200c896e0b2121973bc83"
                                          "1f0200120a2d46b2ab0026d10b6796046576656e206e756d6f6464206e756d62"
                                          "1e4a158214030000000000000c403433333333330f403e8c5fe0d8005c000000"
                                          "a55ae7ec636f6c756d6e6172")));
  object_expectation expected;
  expected.identity = example;
  expected.columns = 7;
  auto cursor = columnar_codec{}.open(object, expected).value();
  for (const row& each : one_of_each()) {
    REQUIRE(cursor.next());
    CHECK(row_view(cursor.row()) == row_view(each));
  }
  CHECK_FALSE(cursor.next());
}
