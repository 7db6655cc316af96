#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <tarn/codec/json_codec.hpp>
#include <tarn/codec/json_cursor.hpp>
#include <utility>
#include <vector>

#include "../support/counting_allocator.hpp"

using namespace tarn;

static_assert(row_cursor<json_cursor<>>);

namespace {

constexpr object_identity example{"x", {1, 2}};
const std::string example_name = "_table_x_00000000-0000-0001-0000-000000000002";

// An object of ours with these rows, whatever they are, and a checksum that is right.
[[nodiscard]] std::string ours(std::string_view rows, std::uint64_t count) {
  std::string text;
  (void)append_json_object_head(text, example);
  text += rows;
  append_json_object_tail(text, count);
  return text;
}

[[nodiscard]] std::string articles(std::string_view elements, std::uint64_t count) {
  return concat(
      {R"({"Table":"x","Name":"00000000-0000-0001-0000-000000000002","Data":[)", elements, R"(],"Len":)", count, "}"});
}

struct reading {
  std::vector<row> rows;
  std::string message;  // of the error; empty if there is none
  errc code = errc::io;
};

[[nodiscard]] reading read(const std::string& text, std::size_t columns, const limits& bounds = limits{}) {
  object_expectation expected;
  expected.identity = example;
  expected.columns = columns;
  reading made;
  const auto note = [&](const error& why) {
    made.message = why.message();
    made.code = why.code();
  };
  auto cursor = json_codec{}.open(text, expected, bounds);
  if (!cursor) {
    note(cursor.error());
    return made;
  }
  while (cursor->next()) made.rows.emplace_back(cursor->row().begin(), cursor->row().end());
  CHECK(cursor->row().empty());
  CHECK_FALSE(cursor->next());
  if (const auto end = cursor->status(); !end) note(end.error());
  return made;
}

[[nodiscard]] std::string fixture(const std::string& path) {
  std::ifstream file(std::string(TARN_TEST_FIXTURES) + "/article/" + path, std::ios::binary);
  REQUIRE(file.good());
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// The rows of one of the article's objects.
[[nodiscard]] std::vector<row> fixture_rows(const std::string& folder, std::string_view table, const char* id,
                                            std::size_t columns) {
  object_expectation expected;
  expected.identity.table = table;
  REQUIRE(parse_uuid(id, expected.identity.id));
  expected.columns = columns;
  const std::string text = fixture(folder + "/" + name_of(expected.identity));
  auto cursor = json_codec{}.open(text, expected);
  REQUIRE(cursor);
  std::vector<row> rows;
  while (cursor->next()) rows.emplace_back(cursor->row().begin(), cursor->row().end());
  CHECK(cursor->status());
  return rows;
}

}  // namespace

TEST_CASE("A2, A5: of the article's objects the first Len rows are read: two commits") {
  const auto first = fixture_rows("two-commits", "x", "ed1e6a73-74f1-4c17-bef9-d54470f5f09b", 2);
  CHECK(first == std::vector<row>{{value("Joey"), value(1)}, {value("Yue"), value(2)}});
  const auto second = fixture_rows("two-commits", "x", "c7ccfbe0-532d-4269-a6cd-d01d01cff64e", 2);
  CHECK(second == std::vector<row>{{value("Ada"), value(3)}});
}

TEST_CASE("A5: of the article's objects the first Len rows are read: one after 65,536, with stale rows behind it") {
  const auto first = fixture_rows("two-objects", "n", "9163dbd9-c0aa-46f5-8b69-1e0a68e55ec5", 2);
  REQUIRE(first.size() == 65'536);
  for (std::int64_t number = 0; number < 65'536; ++number)
    REQUIRE(first[static_cast<std::size_t>(number)] == row{value(number), value(std::to_string(number * number))});
  const auto second = fixture_rows("two-objects", "n", "2cca5600-e538-45dc-b0b9-2ba832fc9643", 2);
  CHECK(second == std::vector<row>{{value(65'536), value("4294967296")}});
}

TEST_CASE("All kinds of values of the article's program are read as it meant them") {
  const auto rows = fixture_rows("value-kinds", "kinds", "e64ea99c-39ec-4359-b0c9-8bf10e70c334", 2);
  const std::vector<value> expected{value(),
                                    value(true),
                                    value(false),
                                    value(0),
                                    value(-1),
                                    value(1.5),
                                    value(-0.25),
                                    value(1e21),
                                    value(1e-7),
                                    value(123'456'789'012),
                                    value(""),
                                    value("plain"),
                                    value("quote\" back\\ slash/ tab\t nl\n"),
                                    value("caf\xc3\xa9 \xe2\x98\x83 \xf0\x9f\x98\x80"),
                                    value("<&>\xe2\x80\xa8"),
                                    value::list({1, "two", nullptr}),
                                    value::map({{"k", 1}, {"nested", value::list({true})}})};
  REQUIRE(rows.size() == expected.size());
  for (std::size_t at = 0; at < rows.size(); ++at) {
    CAPTURE(at);
    CHECK(rows[at] == row{value(static_cast<std::int64_t>(at)), expected[at]});
  }
}

TEST_CASE("In the article's objects wide integers are doubles and nothing is an escape; in ours it is the reverse") {
  const std::string rows = R"([1000000000000000000000],[-0],[{"$bytes":"QQ=="}],[{"$k":1}])";
  const reading of_article = read(articles(rows, 4), 1);
  CHECK(of_article.message == "");
  CHECK(of_article.rows ==
        std::vector<row>{{value(1e21)}, {value(-0.0)}, {value::map({{"$bytes", "QQ=="}})}, {value::map({{"$k", 1}})}});
  CHECK(read(ours(R"([-0],[{"$bytes":"QQ=="}],[{"$$k":1}])", 3), 1).rows ==
        std::vector<row>{{value(-0.0)}, {value(bytes{"A"})}, {value::map({{"$k", 1}})}});
  CHECK(read(ours("[1000000000000000000000]", 1), 1).message.find("64 bits") != std::string::npos);
  CHECK(read(ours(R"([{"$k":1}])", 1), 1).message.find("$double") != std::string::npos);
}

TEST_CASE("Errors name the object, the row and the byte") {
  const reading bad = read(ours("[1],[2],[tru],[4]", 4), 1);
  CHECK(bad.rows.size() == 2);
  CHECK(bad.code == errc::corrupt);
  CHECK(bad.message == example_name + ": row 2: byte 91: expected a value, found 't'");
}

TEST_CASE("Rows that are missing or too many are noticed") {
  CHECK(read(ours("[1],[2]", 3), 1).message == example_name + ": row 2: is missing: the object should have 3 rows");
  CHECK(read(ours("", 1), 1).message == example_name + ": row 0: is missing: the object should have 1 rows");
  CHECK(read(articles("[1],[2]", 3), 1).message == example_name + ": row 2: is missing: the object should have 3 rows");
  CHECK(read(ours("[1],[2]", 1), 1).message == example_name + ": row 1: should not be there: the object has 1 rows");
  CHECK(read(ours("[1]", 0), 1).message == example_name + ": row 0: should not be there: the object has 0 rows");
  CHECK(read(ours("[1],", 1), 1).message == example_name + ": row 1: should not be there: the object has 1 rows");
  CHECK(read(ours("[1],", 2), 1).code == errc::corrupt);
  CHECK(read(ours("[1][2]", 2), 1).code == errc::corrupt);
  CHECK(read(ours(",[1]", 1), 1).code == errc::corrupt);
  CHECK(read(ours("[1],,[2]", 2), 1).code == errc::corrupt);
  CHECK(read(ours("[1]]", 1), 1).code == errc::corrupt);
}

TEST_CASE("A18: a row with another number of values than the table has columns is noticed") {
  CHECK(read(ours("[1,2],[1]", 2), 2).message == example_name + ": row 1: has 1 values, the table has 2 columns");
  CHECK(read(ours("[1,2,3]", 1), 2).message == example_name + ": row 0: has 3 values, the table has 2 columns");
  CHECK(read(articles("[1,2],[]", 2), 2).message == example_name + ": row 1: has 0 values, the table has 2 columns");
}

TEST_CASE("A19: rows of nulls are rows, and rows of no values are no end") {
  const reading nulls = read(ours("[null,null],[null,null]", 2), 2);
  CHECK(nulls.message == "");
  CHECK(nulls.rows == std::vector<row>{{value(), value()}, {value(), value()}});
  CHECK(read(ours("[],[],[]", 3), 0).rows.size() == 3);
}

TEST_CASE("What is no list of values is no row, in ours and among the article's first Len") {
  for (const char* element : {"null", "1", "\"a\"", "{}", "true"}) {
    CAPTURE(element);
    CHECK(read(ours(concat({"[1],", element}), 2), 1).code == errc::corrupt);
    const reading of_article = read(articles(concat({"[1],", element, ",null"}), 2), 1);
    CHECK(of_article.code == errc::corrupt);
    CHECK(of_article.rows.size() == 1);
    CHECK(of_article.message.find(example_name + ": row 1: is ") == 0);
    CHECK(read(articles(concat({"[1],", element, ",null"}), 1), 1).message == "");
  }
}

TEST_CASE("What follows the article's rows must be well-formed, though nobody looks at it") {
  CHECK(read(articles("[1],null,[2,3],\"x\",{\"a\":[]},null", 1), 1).message == "");
  CHECK(read(articles("null,null", 0), 1).message == "");
  CHECK(read(articles("", 0), 1).message == "");
  for (const char* rest :
       {"nul", "null,", "null,,null", "[1", "1]", "{\"a\":1,\"a\":2}", "\"\xff\"", "null null", "]", "}"}) {
    CAPTURE(rest);
    const reading damaged = read(articles(concat({"[1],", rest}), 1), 1);
    CHECK(damaged.code == errc::corrupt);
    CHECK(damaged.rows.size() == 1);
  }
}

TEST_CASE("Nothing is read before it is asked for") {
  const std::string text = ours("[1],[2],[oops]", 3);
  object_expectation expected;
  expected.identity = example;
  expected.columns = 1;
  auto cursor = json_codec{}.open(text, expected);
  REQUIRE(cursor);
  CHECK(cursor->next());
  CHECK(cursor->next());
  CHECK(cursor->status());
  CHECK(cursor->row()[0].as_integer() == 2);
  CHECK_FALSE(cursor->next());
  CHECK_FALSE(cursor->status());
}

TEST_CASE("A row longer than row_bytes_max is not read, however it is cut; one that just fits is") {
  const std::string row_text = R"(["\ud83d\ude00",true,{"$bytes":"QUJD"},-12.5e1,"éé",null])";
  for (const bool another : {false, true}) {
    const std::string text = ours(another ? concat({row_text, ",", row_text}) : row_text, another ? 2 : 1);
    limits bounds;
    bounds.row_bytes_max = row_text.size();
    CHECK(read(text, 6, bounds).rows.size() == (another ? 2 : 1));
    for (std::size_t size = 0; size < row_text.size(); ++size) {
      CAPTURE(size);
      bounds.row_bytes_max = size;
      const reading cut = read(text, 6, bounds);
      CHECK(cut.rows.empty());
      CHECK(cut.code == errc::limit_exceeded);
      CHECK(cut.message ==
            concat({example_name, ": row 0: is longer than limits::row_bytes_max, which is ", size, ", allows"}));
    }
  }
}

TEST_CASE("C18: values nested deeper than the limit are not read") {
  const auto nested = [](std::size_t depth) {
    return ours("[" + std::string(depth, '[') + std::string(depth, ']') + "]", 1);
  };
  CHECK(read(nested(64), 1).rows.size() == 1);
  const reading deep = read(nested(65), 1);
  CHECK(deep.code == errc::limit_exceeded);
  CHECK(deep.message.find("nesting_depth_max") != std::string::npos);
  CHECK(read(nested(100'000), 1).code == errc::limit_exceeded);
  limits bounds;
  bounds.nesting_depth_max = UINT32_MAX;
  CHECK(read(nested(65), 1, bounds).rows.size() == 1);
}

TEST_CASE("A scan of 10,000 rows with escapes and nested values allocates nothing after the first few rows") {
  auto builder = json_codec{}.build(example);
  for (std::int64_t number = 0; number < 10'000; ++number)
    REQUIRE(builder.append({number, "line\nbreak \"and\" quote", bytes{"some bytes"}, 0.5,
                            value::list({1, value::map({{"$key", "escaped\t"}, {"other", value::list({nullptr})}})})}));
  const std::string text(builder.finish());
  object_expectation expected;
  expected.identity = example;
  expected.columns = 5;
  auto cursor = json_codec{}.open(text, expected);
  REQUIRE(cursor);
  const std::size_t at_start = tarn_test::allocations();
  for (int rows = 0; rows < 3; ++rows) REQUIRE(cursor->next());
  const std::size_t warm = tarn_test::allocations();
  CHECK(warm - at_start < 10);
  std::int64_t rows = 3;
  while (cursor->next()) rows += cursor->row()[0].as_integer() == rows ? 1 : 0;
  CHECK(tarn_test::allocations() == warm);
  CHECK(rows == 10'000);
  CHECK(cursor->status());
}

TEST_CASE("A cursor's memory is bounded by its longest row, not by the object") {
  auto builder = json_codec{}.build(example);
  for (int number = 0; number < 2'000; ++number) REQUIRE(builder.append({std::string(1'000, '\n')}));
  const std::string text(builder.finish());
  object_expectation expected;
  expected.identity = example;
  expected.columns = 1;
  const tarn_test::peak_bytes peak;
  auto cursor = json_codec{}.open(text, expected);
  REQUIRE(cursor);
  while (cursor->next()) {
  }
  CHECK(cursor->status());
  CHECK(peak.value() < 20'000);
}
