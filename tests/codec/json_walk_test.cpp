#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tarn/codec/json_parser.hpp>
#include <tarn/codec/json_walk.hpp>
#include <tarn/codec/json_writer.hpp>

using namespace tarn;

namespace {

constexpr json_options options{.escapes = json_escapes::tarn};

// Walks through all maps and lists of a text, and writes it again; "refused" if it is none.
class rewriter {
 public:
  explicit rewriter(std::string_view text) : parser_(text, options) {}

  std::string rewrite() {
    std::string out;
    if (!read_value(out)) return parser_.failure().message().empty() ? "no reason" : "refused";
    return parser_.at_end() ? out : "refused";
  }

 private:
  bool read_value(std::string& out) {
    if (parser_.enter_list()) {
      out += '[';
      const bool walked = walk_list(parser_, [&] {
        if (out.back() != '[') out += ',';
        return read_value(out);
      });
      out += ']';
      return walked;
    }
    if (parser_.enter_map()) {
      sequence<value_view> members;
      out += '{';
      const bool walked = walk_map(parser_, memory_, members, [&](std::string_view key, value_view& content) {
        if (out.back() != '{') out += ',';
        append_json_string(out, key.starts_with('$') ? "$" + std::string(key) : std::string(key));
        out += ':';
        content = key;
        return read_value(out);
      });
      out += '}';
      for (std::size_t at = 0; walked && at < members.size(); at += 2) CHECK(members[at] == members[at + 1]);
      return walked;
    }
    const result<value_view> parsed = parser_.parse(memory_);
    if (parsed) append_json(out, *parsed, json_escapes::tarn);
    return parsed.has_value();
  }

  json_parser<> parser_;
  arena memory_;
};

std::string parsed_and_written(const std::string& text) {
  arena memory;
  const result<value_view> parsed = parse_json(text, memory, options);
  if (!parsed) return "refused";
  std::string out;
  append_json(out, *parsed, json_escapes::tarn);
  return out;
}

}  // namespace

TEST_CASE("what is walked through is what is parsed, and what is refused is the same") {
  const std::string text =
      R"( { "a" : [ 1 , {} , [ ] , -2.5 ], "$$b\n":{"c":null,"d":{"$bytes":"QQ=="}},"e" : [true,"x\u0041"] } )";
  CHECK(rewriter(text).rewrite() == parsed_and_written(text));
  CHECK(rewriter(text).rewrite() == R"({"a":[1,{},[],-2.5],"$$b\n":{"c":null,"d":{"$bytes":"QQ=="}},"e":[true,"xA"]})");
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char c : std::string_view("\"\\ ,:{}[]0-.abcde$n\x01")) {
      for (const std::size_t replaced : {0U, 1U, 2U}) {
        std::string other = text;
        other.replace(at, replaced, 1, c);
        CAPTURE(other);
        const std::string expected = parsed_and_written(other);
        REQUIRE(rewriter(other).rewrite() == expected);
        if (expected == "refused") ++refused;
      }
    }
  CHECK(refused > 1000);
}

TEST_CASE("a key that comes twice in a map that is walked through is refused, and named") {
  json_parser<> parser(R"({"one":1,"two":2,"\u006fne":3})", options);
  arena memory;
  sequence<value_view> members;
  REQUIRE(parser.enter_map());
  CHECK_FALSE(walk_map(parser, memory, members, [&](std::string_view, value_view& content) {
    const result<value_view> parsed = parser.parse(memory);
    if (parsed) content = *parsed;
    return parsed.has_value();
  }));
  CHECK(parser.failure().message().find("'one'") != std::string::npos);
}

TEST_CASE("nothing is entered but what begins as a map or a list") {
  for (const char* const scalar : {R"({"$bytes":"QQ=="})", R"("{")", "1", ""}) {
    json_parser<> parser(scalar, options);
    CHECK_FALSE(parser.enter_map());
    CHECK_FALSE(parser.enter_list());
  }
}
