#include <doctest/doctest.h>

#include <string>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_writer.hpp>
#include <tarn/testing/random_values.hpp>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"

using namespace tarn;

namespace {

[[nodiscard]] std::string written(value_view content, json_escapes escapes = json_escapes::tarn) {
  std::string text;
  append_json(text, content, escapes);
  return text;
}

}  // namespace

TEST_CASE("Each value has one text") {
  CHECK(written(value_view()) == "null");
  CHECK(written(true) == "true");
  CHECK(written(false) == "false");
  CHECK(written(-17) == "-17");
  CHECK(written(INT64_MIN) == "-9223372036854775808");
  CHECK(written(1.0) == "1.0");
  CHECK(written("a\"b") == R"("a\"b")");
  CHECK(written(bytes{"AB"}) == R"({"$bytes":"QUI="})");
  CHECK(written(bytes{""}) == R"({"$bytes":""})");
  CHECK(written(testing::double_of_bits(0xfff0'0000'0000'0000U)) == R"({"$double":"fff0000000000000"})");
  CHECK(written(testing::double_of_bits(0x7ff8'0000'0000'0001U)) == R"({"$double":"7ff8000000000001"})");
  CHECK(written(value::list({})) == "[]");
  CHECK(written(value::map({})) == "{}");
  CHECK(written(value::list(
            {1, value::list({2, value::list({}), 3}), value::map({{"a", 4}, {"b", value::list({5})}, {"c", 6}}), 7})) ==
        R"([1,[2,[],3],{"a":4,"b":[5],"c":6},7])");
}

TEST_CASE("A text is appended to what is there") {
  std::string out = "x=";
  append_json(out, 1, json_escapes::tarn);
  append_json(out, value::list({2}), json_escapes::tarn);
  CHECK(out == "x=1[2]");
}

TEST_CASE("Keys that begin with '$' get one more, but not when people are to read them") {
  const value map = value::map({{"$", 1}, {"$bytes", 2}, {"$$", 3}, {"a$", 4}});
  CHECK(written(map) == R"({"$$":1,"$$bytes":2,"$$$":3,"a$":4})");
  CHECK(written(map, json_escapes::none) == R"({"$":1,"$bytes":2,"$$":3,"a$":4})");
  CHECK(written(bytes{"A"}, json_escapes::none) == R"({"$bytes":"QQ=="})");
  CHECK(written(testing::double_of_bits(0x7ff0'0000'0000'0000U), json_escapes::none) ==
        R"({"$double":"7ff0000000000000"})");
}

TEST_CASE("Views are written as the values they look at") {
  const value_view elements[] = {"k", 1, "l", 2.5};
  CHECK(written(list_view(elements, 4)) == R"(["k",1,"l",2.5])");
  CHECK(written(map_view(list_view(elements, 4))) == R"({"k":1,"l":2.5})");
}

TEST_CASE("Depth costs no stack") {
  std::string text(200'000, '[');
  text.append(200'000, ']');
  json_options deep;
  deep.nesting_depth_max = 200'000;
  arena memory;
  const auto parsed = parse_json(text, memory, deep);
  REQUIRE(parsed);
  CHECK(written(*parsed) == text);
}

TEST_CASE("A writer that is warm allocates only for its output") {
  json_writer<> writer;
  std::string out;
  out.reserve(1'000);
  const value nested = testing::nested(value("x"), 20);
  writer.append(out, nested, json_escapes::tarn);
  const std::size_t before = tarn_test::allocations();
  for (int round = 0; round < 10; ++round) {
    out.clear();
    writer.append(out, nested, json_escapes::tarn);
  }
  CHECK(tarn_test::allocations() == before);
}

TEST_CASE("Random values come back bit for bit") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  testing::random_values random(seed);
  arena memory;
  const json_options options{64, json_escapes::tarn, wide_integers::are_errors};
  for (int round = 0; round < 3'000; ++round) {
    const value original = random.next(5);
    const std::string text = written(original);
    CAPTURE(text);
    memory.clear();
    const auto parsed = parse_json(text, memory, options);
    REQUIRE(parsed);
    REQUIRE(*parsed == value_view(original));
  }
}
