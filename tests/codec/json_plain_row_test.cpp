// The way of plain rows against the general one: where it does not give up, both read and write the same.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_plain_row.hpp>
#include <tarn/codec/json_writer.hpp>
#include <tarn/core/row.hpp>
#include <vector>

#include "../support/random_source.hpp"

using namespace tarn;

namespace {

// Whether plain rows are read and written at all. (Where they are not, everything goes the general way.)
constexpr bool reads_plain = std::endian::native == std::endian::little;
constexpr bool has_plain_decimals = __FLT_EVAL_METHOD__ == 0;

const std::string padding(128, ' ');  // rows near the end of the text are not plain

struct reading {
  bool plain = false;
  std::size_t size = 0;
  std::vector<value_view> values;
};

reading read_plain(const std::string& text, std::size_t columns) {
  reading made;
  made.values.resize(columns);
  const char* const end = scan_plain_row(text.data(), text.data() + text.size(), made.values.data(), columns);
  made.plain = end != nullptr;
  if (made.plain) made.size = static_cast<std::size_t>(end - text.data());
  return made;
}

// How many columns the row is plain with; 0 if it is not. Fails if the general way reads something else.
std::size_t check_reading(const std::string& row) {
  const std::string text = row + padding;
  for (std::size_t columns = 1; columns <= 4; ++columns) {
    const reading plain = read_plain(text, columns);
    if (!plain.plain) continue;
    CAPTURE(row);
    arena memory;
    json_options options;
    options.escapes = json_escapes::tarn;
    json_parser<> parser(text, options);
    const result<value_view> general = parser.parse(memory);
    REQUIRE(general.has_value());
    REQUIRE(general->kind() == kind::list);
    CHECK(parser.offset() == plain.size);
    CHECK(list_view(plain.values.data(), columns) == general->as_list());
    return columns;
  }
  return 0;
}

std::string written_plain(const row_view& row) {
  char room[512];
  sequence<value_view> views;
  const char* const end = write_plain_row(room, room + sizeof room, views_of(row.values(), views), row.size());
  return end == nullptr ? "" : std::string(static_cast<const char*>(room), end);
}
std::string written(const row_view& row) {
  std::string text;
  append_json(text, row.values(), json_escapes::tarn);
  return text;
}
void check_writing(const row_view& row) {
  const std::string plain = written_plain(row);
  REQUIRE(plain == written(row));
  if (reads_plain && has_plain_decimals) CHECK(check_reading(plain) <= row.size());
}

}  // namespace

TEST_CASE("Rows of short scalars in compact text are plain") {
  if (!reads_plain) return;
  for (const std::string row :
       {"[1]", "[-1]", "[0]", "[null]", "[true]", "[false]", "[\"\"]", "[\"text\"]", "[123456789012345678]",
        "[-123456789012345678]", "[\"a rather long text, of many words\"]"})
    CHECK(check_reading(row) == 1);
  CHECK(check_reading("[\"station\",17,null,true]") == 4);
  if (!has_plain_decimals) return;
  for (const std::string row : {"[1.5]", "[-0.0]", "[0.001]", "[9007199254740.992]", "[0.00000000000000001]"})
    CHECK(check_reading(row) == 1);
}

TEST_CASE("Any other row, and a row of another length, is left to the general way") {
  for (const std::string row : {"",
                                "1",
                                "[",
                                "[]",
                                "[ 1]",
                                "[1 ]",
                                "[1",
                                "[1,",
                                "[,1]",
                                "[01]",
                                "[-]",
                                "[-0]",
                                "[1.]",
                                "[.5]",
                                "[1e5]",
                                "[1.5e3]",
                                "[1234567890123456789]",
                                "[0.1234567890123456789]",
                                "[90071992547409.93]",
                                "[+1]",
                                "[1-]",
                                "[nul]",
                                "[True]",
                                "[\"]",
                                "[\"a\\n\"]",
                                "[\"\xc3\xa9\"]",
                                "[\"\t\"]",
                                "[[1]]",
                                "[{\"a\":1}]",
                                "[1}",
                                "[1,2,3,4,5]"})
    CHECK(check_reading(row) == 0);
  CHECK_FALSE(read_plain("[1,2]" + padding, 1).plain);
  CHECK_FALSE(read_plain("[1,2]" + padding, 3).plain);
  CHECK_FALSE(read_plain("[1,2]", 2).plain);
}

TEST_CASE("A plain row that is damaged in any way is read as the general way reads it, or left to it") {
  const std::string row = "[\"station\",-170,2.75,null,true]";
  std::size_t plain = 0;
  for (std::size_t bit = 0; bit < 8 * row.size(); ++bit) {
    std::string damaged = row;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    plain += check_reading(damaged) != 0;
    for (std::size_t size = 0; size <= row.size(); ++size) CHECK(check_reading(row.substr(0, size)) == 0);
  }
  std::string some = row.substr(0, row.size() - 6) + "]";  // four columns
  for (std::size_t bit = 0; bit < 8 * some.size(); ++bit) {
    std::string damaged = some;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    plain += check_reading(damaged) != 0;
  }
  if (reads_plain && has_plain_decimals) CHECK(plain > 40);  // other digits and letters
}

TEST_CASE("Texts of each length and with each byte at each place are read and written as the general way does") {
  for (std::size_t size = 0; size < 70; ++size) {
    std::string text(size, 'x');
    check_writing({text, 1});
    for (std::size_t place = 0; place < size; ++place)
      for (const char c : {'"', '\\', '\n', '\x1f', '\0', '\x7f', ' '}) {
        text[place] = c;
        const std::string plain = written_plain({text});
        CHECK(plain == (c == '\x7f' || c == ' ' ? written({text}) : ""));
        text[place] = 'x';
      }
  }
}

TEST_CASE("Numbers of each magnitude are written as the standard library does, and read back") {
  tarn_test::random_source random(tarn_test::seed_of_this_run());
  for (int run = 0; run < 20'000; ++run) {
    const std::uint64_t bits = random.next() >> random.below(64);
    const auto number = static_cast<std::int64_t>(random.below(2) == 0 ? bits : 0 - bits);
    REQUIRE(written_plain({number}) == "[" + std::to_string(number) + "]");
    check_writing({number, number});
  }
  for (const std::int64_t number : {INT64_MIN, INT64_MAX, std::int64_t{0}}) check_writing({number});
}

TEST_CASE("What has no plain form, or no room, is not written") {
  CHECK(written_plain({}).empty());
  CHECK(written_plain({bytes{"x"}}).empty());
  CHECK(written_plain({1, list_view()}).empty());
  CHECK(written_plain({map_view()}).empty());
  CHECK(written_plain({std::bit_cast<double>(0x7ff0'0000'0000'0000U)}).empty());
  CHECK(written_plain({std::string(509, 'x')}).empty());
  const std::string text(100, 'x');
  const value_view values[] = {text, -1, 0.5, nullptr};
  const row_view row(list_view(values, 4));
  const std::string whole = written(row);
  std::vector<char> room(whole.size() + 100);
  for (std::size_t size = 0; size <= room.size(); ++size) {
    std::vector<char> watched(size);  // by the sanitizer
    char* const end = write_plain_row(watched.data(), watched.data() + size, values, row.size());
    if (end != nullptr) CHECK(std::string(watched.data(), static_cast<std::size_t>(end - watched.data())) == whole);
    if (size >= whole.size() + 64) CHECK(end != nullptr);
  }
}
