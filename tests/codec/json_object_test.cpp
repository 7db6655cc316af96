#include <doctest/doctest.h>

#include <string>
#include <tarn/codec/json_object.hpp>

using namespace tarn;

namespace {

constexpr object_identity cities{"cities", {0x0190'a3f2'7c1e'7abcU, 0x8def'0123'4567'89abU}};
const std::string rows = R"(["Ada",3],["Joey",1])";

[[nodiscard]] std::string object_with(std::string_view encoded_rows, std::uint64_t count) {
  std::string text;
  (void)append_json_object_head(text, cities);
  text += encoded_rows;
  append_json_object_tail(text, count);
  return text;
}

const std::string of_the_article =
    R"({"Table":"cities","Name":"0190a3f2-7c1e-7abc-8def-0123456789ab","Data":[)" + rows + R"(,null,null],"Len":2})";

[[nodiscard]] object_expectation expected(std::uint64_t count = 2) { return {cities, 2, true, count, false}; }

// Empty if it is taken.
[[nodiscard]] std::string refusal(std::string_view text, const object_expectation& expectation = expected()) {
  const auto frame = read_json_object_frame(text, expectation);
  if (frame) return "";
  CHECK(frame.error().code() == errc::corrupt);
  const std::string prefix =
      "_table_" + std::string(expectation.identity.table) + "_" + to_text(expectation.identity.id) + ": the object ";
  CHECK(frame.error().message().find(prefix) == 0);
  return frame.error().message().substr(prefix.size());
}

}  // namespace

TEST_CASE("The bytes of an object are a decision: these") {
  CHECK(
      object_with(rows, 2) ==
      R"({"Codec":"json","Table":"cities","Name":"0190a3f2-7c1e-7abc-8def-0123456789ab","Data":[["Ada",3],["Joey",1]],"Len":2,"Checksum":"dfc13711"})");
  CHECK(
      object_with("", 0) ==
      R"({"Codec":"json","Table":"cities","Name":"0190a3f2-7c1e-7abc-8def-0123456789ab","Data":[],"Len":0,"Checksum":"012fda8f"})");
}

TEST_CASE("The frame says where the rows are and how many") {
  for (const std::string& text : {object_with(rows, 2), of_the_article}) {
    const auto frame = read_json_object_frame(text, expected());
    REQUIRE(frame);
    CHECK(frame->is_articles == (text == of_the_article));
    CHECK(frame->row_count == 2);
    CHECK(text.substr(frame->table_begin, frame->table_size) == "cities");
    CHECK(text.substr(frame->rows_begin, rows.size()) == rows);
    CHECK(text.substr(frame->rows_end, 8) == "],\"Len\":");
  }
  std::string text;
  const json_object_frame head = append_json_object_head(text, cities);
  CHECK(head.rows_begin == text.size());
  CHECK(text.substr(head.table_begin, head.table_size) == "cities");
}

TEST_CASE("An object is told from another's") {
  object_expectation other = expected();
  other.identity.table = "citie";
  CHECK(refusal(object_with(rows, 2), other).find("does not begin with its table and id") == 0);
  CHECK(refusal(of_the_article, other).find("does not begin with its table and id") == 0);
  other = expected();
  ++other.identity.id.low;
  CHECK(refusal(object_with(rows, 2), other).find("does not begin with its table and id") == 0);
  CHECK(refusal(object_with(rows, 2), expected(3)) == "states 2 rows, the log says that it has 3");
  CHECK(refusal(of_the_article, expected(1)) == "states 2 rows, the log says that it has 1");
  object_expectation uncounted = expected(17);
  uncounted.counted = false;
  CHECK(refusal(object_with(rows, 2), uncounted) == "");
}

TEST_CASE("D14: an object of ours with a damaged field is never taken for one of the article's") {
  const std::string text = object_with(rows, 2);
  object_expectation verified = expected();
  verified.checksum_verified = true;  // so that the frame alone must notice
  for (std::size_t at = 0; at < text.find("\"Table"); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      REQUIRE(refusal(damaged, verified).find("is damaged: its first bytes") == 0);
    }
  // Without the field, the rest is neither ours nor the article's, whose objects end with the number of rows.
  CHECK(refusal("{" + text.substr(text.find("\"Table"))).find("is damaged: it does not end with the number") == 0);
  CHECK(
      refusal(R"({"Codec":"json",)" + of_the_article.substr(1)).find("is damaged: it does not end with its checksum") ==
      0);
}

TEST_CASE("D14: the checksum's digits are compared as they are") {
  std::string text = object_with(rows, 2);
  const std::size_t digits = text.size() - 10;
  REQUIRE(text.substr(digits) == "dfc13711\"}");
  for (std::size_t at = digits; at < digits + 8; ++at)
    for (int c = 0; c < 256; ++c) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(c);
      REQUIRE(refusal(damaged).empty() == (damaged == text));
    }
  text.replace(digits, 8, "DFC13711");
  CHECK(refusal(text) == "is damaged: it states the checksum DFC13711, its bytes have dfc13711");
}

TEST_CASE("Every cut and every flipped bit of the frame is noticed") {
  for (const std::string& text : {object_with(rows, 2), object_with("", 0)}) {
    const object_expectation expectation = expected(text.find("Ada") == std::string::npos ? 0 : 2);
    for (std::size_t size = 0; size < text.size(); ++size) REQUIRE(refusal(text.substr(0, size), expectation) != "");
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
      std::string damaged = text;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      REQUIRE(refusal(damaged, expectation) != "");
    }
  }
  for (std::size_t size = 0; size < of_the_article.size(); ++size)
    REQUIRE(refusal(of_the_article.substr(0, size)) != "");
}

TEST_CASE("The number of rows is written in one way") {
  const std::string start = of_the_article.substr(0, of_the_article.size() - 2);
  object_expectation uncounted = expected();
  uncounted.counted = false;
  for (const char* count :
       {"", "02", "+2", "-2", "2.0", "2e0", " 2", "2 ", "0x2", "10000000000000000000", "\"2\"", "null"}) {
    CAPTURE(count);
    CHECK(refusal(start + count + "}", uncounted).find("is damaged: it does not end with the number") == 0);
  }
  CHECK(refusal(start + "0}", uncounted) == "");
  CHECK(refusal(start + "9999999999999999999}", uncounted) == "");
}

TEST_CASE("Field names differ from those of the article's program by more than case, which it ignores") {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(c | 0x20);
    return text;
  };
  for (const char* ours : {"Codec", "Checksum"})
    for (const char* theirs : {"Table", "Name", "Data", "Len"}) CHECK(lower(ours) != lower(theirs));
}
