#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_writer.hpp>
#include <tarn/testing/random_values.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"

using namespace tarn;
using namespace std::string_literals;

static_assert(std::is_move_constructible_v<json_parser<>>);

namespace {

constexpr json_options with_escapes{64, json_escapes::tarn, wide_integers::are_errors};

// The value, as text again; "error: ..." if it is refused.
[[nodiscard]] std::string read(std::string_view text, const json_options& options = {}) {
  const std::vector<char> exact(text.begin(), text.end());  // so that sanitizers see a read past the end
  arena memory;
  const auto parsed = parse_json({exact.data(), exact.size()}, memory, options);
  if (!parsed) return "error: " + parsed.error().message();
  std::string again;
  append_json(again, *parsed, options.escapes);
  return again;
}

[[nodiscard]] bool accepts(std::string_view text, const json_options& options = {}) {
  return read(text, options).find("error: ") != 0;
}

// What the value equals; `memory` must outlive it.
[[nodiscard]] value_view parse(std::string_view text, arena& memory, const json_options& options = {}) {
  const auto parsed = parse_json(text, memory, options);
  CAPTURE(text);
  REQUIRE(parsed);
  return *parsed;
}

}  // namespace

TEST_CASE("Every kind of value is read as what it is") {
  arena memory;
  CHECK(parse("null", memory) == value_view());
  CHECK(parse("true", memory) == value_view(true));
  CHECK(parse("false", memory) == value_view(false));
  CHECK(parse("17", memory) == value_view(17));
  CHECK(parse("17.0", memory) == value_view(17.0));
  CHECK(parse("-0", memory) == value_view(-0.0));
  CHECK(parse("\"text\"", memory) == value_view("text"));
  CHECK(parse("[]", memory) == value_view(value::list({})));
  CHECK(parse("{}", memory) == value_view(value::map({})));
  CHECK(parse("[1,\"two\",[null,{}],{\"k\":[3.5]}]", memory) ==
        value_view(
            value::list({1, "two", value::list({nullptr, value::map({})}), value::map({{"k", value::list({3.5})}})})));
  CHECK(parse("{\"b\":1,\"a\":2,\"\":3}", memory) == value_view(value::map({{"b", 1}, {"a", 2}, {"", 3}})));
}

TEST_CASE("White space may be between tokens, and nothing else may") {
  CHECK(read(" \t\r\n[ \t\r\n1 \t\r\n, \t\r\n{ \t\r\n\"k\" \t\r\n: \t\r\n2 \t\r\n} \t\r\n] \t\r\n") == "[1,{\"k\":2}]");
  CHECK(read("[ ]") == "[]");
  CHECK(read("{ }") == "{}");
  for (int c = 0; c < 256; ++c) {
    const std::string between = "[1" + std::string(1, static_cast<char>(c)) + ",2]";
    const bool white = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    const bool digit = c >= '0' && c <= '9';
    CAPTURE(c);
    CHECK(accepts(between) == (white || digit));
    CHECK(accepts(std::string(1, static_cast<char>(c)) + "[]") == white);
    CHECK(accepts("[]" + std::string(1, static_cast<char>(c))) == white);
  }
}

TEST_CASE("Texts that are no JSON are refused") {
  for (const std::string& text :
       {// structure
        ""s, " "s, "["s, "]"s, "{"s, "}"s, "[1"s, "[1,"s, "[1,]"s, "[,1]"s, "[1,,2]"s, "[1 2]"s, "[1]]"s, "[1],"s,
        "[[]"s, "[}"s, "{]"s, "[1}"s, "{\"a\":1]"s, "1 2"s, "[][]"s, "{}{}"s, ","s, ":"s, "[:]"s, "[1:2]"s, "\"a\":1"s,
        "[\"a\":1]"s,
        // objects
        "{\"a\"}"s, "{\"a\":}"s, "{\"a\":1,}"s, "{,\"a\":1}"s, "{\"a\":1,,\"b\":2}"s, "{\"a\" 1}"s, "{\"a\"::1}"s,
        "{a:1}"s, "{'a':1}"s, "{1:1}"s, "{null:1}"s, "{\"a\":1 \"b\":2}"s, "{\"a\":1,\"b\"}"s, "{\"a\":1,2}"s,
        "{\"a\""s, "{\"a\":"s, "{\"a\":1"s, "{\"a\":1,"s, "{\"a"s, "{[]:1}"s,
        // literals
        "nul"s, "tru"s, "fals"s, "nulll"s, "True"s, "NULL"s, "truefalse"s, "n"s, "undefined"s, "NaN"s, "Infinity"s,
        "-Infinity"s, "nan"s,
        // numbers
        "+1"s, "-"s, "--1"s, "01"s, "-01"s, "00"s, "1."s, ".5"s, "-.5"s, "1.e1"s, "1e"s, "1e+"s, "1E-"s, "1e1.5"s,
        "1.2.3"s, "0x10"s, "1_000"s, "1,000"s, "1e309"s, "-1e309"s, "9223372036854775808"s, "-9223372036854775809"s,
        "1a"s, "1-2"s, "\xef\xbc\x91"s,
        // strings
        "\""s, "\"a"s, "\"a\\\""s, "'a'"s, "\"\\x41\""s, "\"\\'\""s, "\"\\0\""s, "\"\\u\""s, "\"\\u12\""s,
        "\"\\u12G4\""s, "\"\\U00000041\""s, "\"\n\""s, "\"\t\""s, "\"\0\""s, "\"\x1f\""s, "\"\xff\""s, "\"\xc0\x80\""s,
        "\"\xed\xa0\x80\""s, "\"\\ud800\""s, "\"\\udc00\""s, "\"\\ud800\\u0041\""s, "abc"s, "\"a\"b"s,
        // what some readers let pass
        "// c\n1"s, "/* c */1"s, "#1"s, "1//"s, "\xef\xbb\xbf[]"s, "\xfe\xff\0[\0]"s, "[1]\0"s, "\0"s, "[\0]"s,
        "[1;2]"s, "(1)"s, "\v1"s, "\f1"s,
        "\xc2\xa0"
        "1"s,
        "1\x1a"s, "[1]garbage"s, "`1`"s}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text));
  }
}

TEST_CASE("An error says at which byte, what was expected and what is there") {
  CHECK(read("") == "error: byte 0: expected a value, found the end of the text");
  CHECK(read("[1,]") == "error: byte 3: expected a value, found ']'");
  CHECK(read("[1 2]") == "error: byte 3: expected ',' or ']', found '2'");
  CHECK(read("{\"a\":1;}") == "error: byte 6: expected ',' or '}', found ';'");
  CHECK(read("{\"a\" 1}") == "error: byte 5: expected ':' after a key, found '1'");
  CHECK(read("{1}") == "error: byte 1: expected a key in quotes, found '1'");
  CHECK(read("[true,\x01]") == "error: byte 6: expected a value, found the byte 0x01");
  CHECK(read("[] x") == "error: byte 3: expected the end of the text, found 'x'");
  CHECK(read("\xef\xbb\xbf[]") == "error: byte 0: expected a value, found the byte 0xef");
  CHECK(read("[nul]") == "error: byte 1: expected a value, found 'n'");
}

TEST_CASE("Everything cut short is refused") {
  const std::string text = R"({"a":[1,-2.5e-3,"x\u00e9\n",true,false,null,{"$b":{}}],"b":[[]]})";
  CHECK(read(text) == R"({"a":[1,-0.0025,"xé\n",true,false,null,{"$b":{}}],"b":[[]]})");
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(accepts(text.substr(0, size)));
  }
}

TEST_CASE("C18: nesting is refused beyond the limit, and costs no stack below it") {
  const auto lists = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(accepts(lists(64)));
  CHECK(read(lists(65)) == "error: byte 64: nested deeper than nesting_depth_max, which is 64, allows");
  CHECK_FALSE(accepts(lists(100'000)));
  CHECK_FALSE(accepts(std::string(100'000, '[')));
  CHECK_FALSE(accepts(std::string(100'000, '{')));
  std::string maps;
  for (int depth = 0; depth < 100'000; ++depth) maps += "{\"k\":";
  CHECK_FALSE(accepts(maps));

  json_options deep;
  deep.nesting_depth_max = 100'000;
  CHECK(read(lists(100'000), deep) == lists(100'000));
  CHECK(read(maps + "1" + std::string(100'000, '}'), deep) == maps + "1" + std::string(100'000, '}'));
  CHECK_FALSE(accepts(lists(100'001), deep));
  deep.nesting_depth_max = 0;
  CHECK(accepts("1", deep));
  CHECK_FALSE(accepts("[]", deep));
  CHECK_FALSE(accepts("{}", deep));

  arena memory;
  CHECK(parse_json(lists(65), memory).error().code() == errc::limit_exceeded);
  CHECK(parse_json("[", memory).error().code() == errc::invalid_argument);
}

TEST_CASE("C18: a string of 100 MB is read without a copy, or unescaped into one") {
  constexpr std::size_t size = 100'000'000;
  std::string text(size + 2, 'x');
  text.front() = text.back() = '"';
  arena memory;
  const std::size_t before = tarn_test::live_bytes();
  CHECK(parse(text, memory).as_string().size() == size);
  CHECK(tarn_test::live_bytes() - before < 10'000);
  text.replace(1, 2, "\\n");
  CHECK(parse(text, memory).as_string().size() == size - 1);
  CHECK(tarn_test::live_bytes() - before < size + 10'000);
}

TEST_CASE("C18: 10,000 values in one list") {
  std::string text = "[0";
  for (int number = 1; number < 10'000; ++number) text += "," + std::to_string(number);
  text += "]";
  arena memory;
  const list_view list = parse(text, memory).as_list();
  REQUIRE(list.size() == 10'000);
  CHECK(list[9'999].as_integer() == 9'999);
  CHECK(read(text) == text);
}

TEST_CASE("C18: equal keys in one object are refused, among few and among very many") {
  CHECK(read("{\"a\":1,\"a\":1}") == "error: byte 12: the map that ends here has the key 'a' twice");
  CHECK_FALSE(accepts("{\"\":1,\"\":2}"));
  CHECK_FALSE(accepts("{\"a\":1,\"\\u0061\":2}"));
  CHECK_FALSE(accepts("[{\"x\":{\"b\":1,\"a\":2,\"b\":3}}]"));
  CHECK(accepts("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":1}}"));
  CHECK(accepts("[{\"a\":1},{\"a\":2}]"));
  CHECK_FALSE(accepts("{\"" + std::string(1'000, 'k') + "\":1,\"" + std::string(1'000, 'k') + "\":1}"));

  // Keys of one length that begin alike: what would make a comparison of all pairs, or of hashes, slow.
  std::string text = "{";
  for (int number = 1'000'000; number < 1'100'000; ++number)
    text += "\"a key that is like the others up to " + std::to_string(number) + "\":1,";
  CHECK(accepts(text + "\"last\":1}"));
  CHECK(read(text + "\"a key that is like the others up to 1050000\":1}").find("1050000' twice") != std::string::npos);
}

TEST_CASE("Integers beyond 64 bits are doubles for the article's sake only") {
  json_options article;
  article.wide = wide_integers::are_doubles;
  arena memory;
  CHECK(parse("[1000000000000000000000,-0]", memory, article) == value_view(value::list({1e21, -0.0})));
  CHECK(parse("9223372036854775807", memory, article) == value_view(INT64_MAX));
  CHECK_FALSE(accepts("[1000000000000000000000]"));
}

TEST_CASE("A9: escapes are bytes, and doubles that are not finite, bit for bit") {
  arena memory;
  CHECK(parse(R"({"$bytes":"AP8="})", memory, with_escapes) == value_view(bytes{std::string_view("\0\xff", 2)}));
  CHECK(parse(R"({"$bytes":""})", memory, with_escapes) == value_view(bytes{""}));
  CHECK(parse(R"( { "$bytes" : "" } )", memory, with_escapes) == value_view(bytes{""}));
  CHECK(parse(R"({"$double":"7ff0000000000000"})", memory, with_escapes) ==
        value_view(testing::double_of_bits(0x7ff0'0000'0000'0000U)));
  CHECK(parse(R"({"$double":"fff800000000abcd"})", memory, with_escapes) ==
        value_view(testing::double_of_bits(0xfff8'0000'0000'abcdU)));
  CHECK(parse(R"([{"$bytes":"QQ=="},{"k":{"$bytes":"QQ=="}}])", memory, with_escapes) ==
        value_view(value::list({bytes{"A"}, value::map({{"k", bytes{"A"}}})})));
  CHECK(parse(R"({"$bytes":"AP8="})", memory) == value_view(value::map({{"$bytes", "AP8="}})));
}

TEST_CASE("A key's first '$' is doubled, so that no map is taken for an escape") {
  arena memory;
  CHECK(parse(R"({"$$bytes":"AP8="})", memory, with_escapes) == value_view(value::map({{"$bytes", "AP8="}})));
  CHECK(parse(R"({"$$":1,"$$$":2,"a$":3})", memory, with_escapes) ==
        value_view(value::map({{"$", 1}, {"$$", 2}, {"a$", 3}})));
  CHECK_FALSE(accepts(R"({"$$a":1,"$$a":2})", with_escapes));
}

TEST_CASE("Escapes that are not written as tarn writes them are refused") {
  for (const char* text : {R"({"$":""})",
                           R"({"$other":""})",
                           R"({"$Bytes":""})",
                           R"({"$bytes2":""})",
                           R"({"$byte":""})",
                           R"({"$double":1.5})",
                           R"({"$bytes":[]})",
                           R"({"$bytes":null})",
                           R"({"$bytes":{"$bytes":""}})",
                           R"({"$bytes":"","a":1})",
                           R"({"a":1,"$bytes":""})",
                           R"({"$bytes":"","$bytes":""})",
                           R"({"$bytes":"A"})",
                           R"({"$bytes":"AB=="})",
                           R"({"$bytes":"AA"})",
                           R"({"$bytes":"AA==","$double":"7ff0000000000000"})",
                           R"({"$bytes":"A A="})",
                           R"({"$bytes":"AA-_"})",
                           R"({"$double":"7FF0000000000000"})",
                           R"({"$double":"7ff000000000000"})",
                           R"({"$double":"7ff00000000000000"})",
                           R"({"$double":"3ff0000000000000"})",
                           R"({"$double":"0000000000000000"})",
                           R"({"$double":""})",
                           R"({"$double":"7fefffffffffffff"})",
                           R"({"$double":"0x7ff00000000000"})",
                           "{\"\\u0024bytes\":\"\"}",
                           "{\"$bytes\"",
                           "{\"$",
                           "{\"$bytes\":\"\""}) {
    CAPTURE(text);
    CHECK_FALSE(accepts(text, with_escapes));
  }
  CHECK(read(R"([{"$what":1}])", with_escapes) ==
        "error: byte 2: expected the escape \"$bytes\" or \"$double\", found '\"'");
  CHECK(read(R"({"a":1,"$bytes":""})", with_escapes).find("error: byte 7: expected no other member beside an escape") ==
        0);
}

TEST_CASE("An escape is a value without parts: it may be as deep as any") {
  const std::string lists = std::string(64, '[') + R"({"$bytes":"QQ=="})" + std::string(64, ']');
  CHECK(read(lists, with_escapes) == lists);
  CHECK_FALSE(accepts(lists));
  CHECK_FALSE(accepts(std::string(64, '[') + "{}" + std::string(64, ']'), with_escapes));
}

TEST_CASE("A parser reads values one after another, and what is between them") {
  json_parser<> parser(" 1 , [2] ;3 ");
  arena memory;
  CHECK(*parser.parse(memory) == value_view(1));
  CHECK(parser.consume(','));
  CHECK_FALSE(parser.consume(','));
  CHECK(*parser.parse(memory) == value_view(value::list({2})));
  CHECK_FALSE(parser.at_end());
  json_parser<> moved = std::move(parser);
  CHECK(moved.unexpected("a comma").message() == "byte 9: expected a comma, found ';'");
  CHECK(moved.consume(';'));
  CHECK(moved.offset() == 10);
  moved.set_end(11);
  CHECK(moved.size_left() == 1);
  CHECK(*moved.parse(memory) == value_view(3));
  CHECK(moved.at_end());
  moved.seek(0);
  CHECK(*moved.parse(memory) == value_view(1));
}

TEST_CASE("A parser and an arena that are warm allocate nothing") {
  const std::string text = R"([1,"a\nb",{"k":[2.5,{"$bytes":"QUJD"}],"l":"x","m":[]},[[[[1]]]],"plain"])";
  arena memory;
  json_parser<> parser(text, with_escapes);
  REQUIRE(parser.parse(memory));
  const std::size_t before = tarn_test::allocations();
  for (int round = 0; round < 100; ++round) {
    memory.clear();
    parser.seek(0);
    if (!parser.parse(memory)) FAIL("the text is good");
  }
  CHECK(tarn_test::allocations() == before);
}

TEST_CASE("Random bytes and random damage never do worse than an error") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  const std::string alphabet = "[]{},:\"\\0123456789.eE+-truefalsn $bytesdoubl=A\x80\xc3\xa9\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random.below(40), ' ');
    for (char& c : text) c = alphabet[random.below(alphabet.size())];
    (void)read(text, random.chance(50) ? with_escapes : json_options{});
  }
  const std::string good =
      R"({"a":[1,-2.5e-3,"x\u00e9\ud83d\ude00",true,{"$bytes":"QUI="}],"$$b":{"$double":"7ff8000000000000"}})";
  REQUIRE(accepts(good, with_escapes));
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      if (random.chance(50))
        text[at] = alphabet[random.below(alphabet.size())];
      else
        text.erase(at, 1 + random.below(4));
      if (text.empty()) text = " ";
    }
    const std::string once = read(text, with_escapes);
    if (once.find("error: ") != 0) REQUIRE(read(once, with_escapes) == once);  // what is read can be written and read
  }
}
