// The way of plain objects against the general one: where it does not give up, both read the same.
#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tarn/codec/json_parser.hpp>
#include <tarn/log/plain_object.hpp>
#include <tarn/log/table_reader.hpp>
#include <tarn/log/table_writer.hpp>
#include <utility>
#include <vector>

using namespace tarn;

namespace {

// Whether values are read as plain ones at all. (Where they are not, every object with bounds goes the general way.)
constexpr bool reads_plain = std::endian::native == std::endian::little;
constexpr bool has_plain_decimals = __FLT_EVAL_METHOD__ == 0;

const std::string padding(128, ' ');  // numbers near the end of the text are not plain

std::string text_of(const bag_object& object) {
  object_list objects;
  objects.push_back(object);
  std::string out;
  table_json::append_bag_objects(out, objects);
  const std::size_t start = out.find('{');
  return out.substr(start, out.rfind('}') + 1 - start);
}

std::string text_of(const keyed_object& object) {
  sequence<copy_on_write<bucket_state>> buckets;
  buckets.emplace_back().writable().objects.push_back(object);
  std::string out;
  table_json::append_buckets(out, buckets);
  const std::size_t start = out.find('{');
  return out.substr(start, out.rfind('}') + 1 - start);
}

// Whether the text begins with a plain object. Fails if the general way reads another one, or something else than one.
template <class Object>
bool is_plain(const std::string& object) {
  const std::string text = object + padding;
  Object plain;
  plain_text<> reading(text);
  if (!plain_object_reader().read(reading, plain)) return false;
  CAPTURE(object);
  arena memory;
  json_parser<> parser(text, {.escapes = json_escapes::tarn});
  const result<value_view> parsed = parser.parse(memory);
  REQUIRE(parsed.has_value());
  CHECK(parser.offset() == static_cast<std::size_t>(reading.at() - text.data()));
  json_fields<> complaints{map_view(), "a table"};
  const auto general = table_json::read_object<Object>(*parsed, complaints);
  REQUIRE(complaints.state().has_value());
  CHECK(text_of(plain) == text_of(general));
  return true;
}

bag_object described() {
  bag_object made;
  made.object.id = {0x01a2'2e6d'8733'7125U, 0x9678'44ac'1c16'51b3U};
  made.object.described = true;
  made.object.codec = "json";
  made.object.rows = 1;
  made.object.bytes = 160;
  made.object.checksum = 0x39f0'c488U;
  return made;
}

bag_object with_bounds(object_bounds bounds) {
  bag_object made = described();
  made.object.bounds = std::move(bounds);
  return made;
}

keyed_object keyed_one() {
  keyed_object made;
  made.object = with_bounds({{{1}, 0, true, 3, 5}}).object;
  made.block = {2, object_form::delta, {5, 6}, {41}, false};
  made.order = {{42}, 1};
  return made;
}

// The objects that are read in each of these texts of one byte's difference are the same both ways.
template <class Object>
void change_each_byte(const std::string& text) {
  std::uint64_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const char wrong : std::string_view("\"\\\0 ,:{}[]0159-.aefnz\x7f\x80", 23)) {
      std::string other = text;
      other[at] = wrong;
      if (is_plain<Object>(other)) ++plain;
      other = text;
      other.insert(at, 1, wrong);
      if (is_plain<Object>(other)) ++plain;
      other = text;
      other.erase(at, 1);
      if (is_plain<Object>(other)) ++plain;
    }
  CHECK(plain > 100);  // with other digits and letters
}

}  // namespace

TEST_CASE("objects of bags are plain as they are written, unless rows of them were deleted") {
  CHECK(is_plain<bag_object>(text_of(described())));
  bag_object other = described();
  other.object.schema_number = UINT32_MAX;
  CHECK(is_plain<bag_object>(text_of(other)));
  other.object.codec.clear();
  other.object.rows = 0;
  other.object.bytes = 999'999'999'999'999'999U;
  CHECK(is_plain<bag_object>(text_of(other)));
  other.deleted.writable().add(row_range{0, 0});
  CHECK_FALSE(is_plain<bag_object>(text_of(other)));
  CHECK_FALSE(is_plain<bag_object>(R"({"Name":"01a22e6d-8733-7125-9678-44ac1c1651b3"})"));  // the article's
}

TEST_CASE("keyed objects are plain as they are written, unless their writer has read the empty lake") {
  keyed_object object = keyed_one();
  CHECK(is_plain<keyed_object>(text_of(object)) == reads_plain);
  object.block.base = {};
  object.order.index = object_order::end;
  CHECK(is_plain<keyed_object>(text_of(object)) == reads_plain);
  object.block.form = object_form::base;
  CHECK(is_plain<keyed_object>(text_of(object)) == reads_plain);
  object.block.compacted = true;
  CHECK(is_plain<keyed_object>(text_of(object)) == reads_plain);
  object.block.form = object_form::delta;
  CHECK_FALSE(is_plain<keyed_object>(text_of(object)));
  object = keyed_one();
  object.block.read_version = version();
  CHECK_FALSE(is_plain<keyed_object>(text_of(object)));
}

TEST_CASE("bounds are plain if they are short numbers and text without escapes") {
  const auto plain = [](value_view min, value_view max) {
    return is_plain<bag_object>(text_of(with_bounds({{{7}, 2, true, min, max}})));
  };
  CHECK(plain(-3, 999'999'999'999'999'999) == reads_plain);
  CHECK(plain("fjaciuweb", "fjaciuwebfjaciuwebfjaciuwebfjaciuweb"));
  CHECK(plain("", "a"));
  CHECK(plain(-0.5, 3793791.033) == (reads_plain && has_plain_decimals));
  CHECK_FALSE(plain(INT64_MIN, INT64_MAX));
  CHECK_FALSE(plain(1e300, 2e300));
  CHECK_FALSE(plain(1.5, std::numeric_limits<double>::infinity()));
  CHECK_FALSE(plain("a\"b", "a\\b"));
  CHECK_FALSE(plain("\xc3\xa9", "\xc3\xa9"));
  CHECK_FALSE(plain(bytes{"a"}, bytes{"b"}));
  CHECK_FALSE(plain(false, true));
  CHECK(is_plain<bag_object>(text_of(with_bounds({}))));
  CHECK(is_plain<bag_object>(text_of(with_bounds({{{1}, 0, false, {}, {}}, {{UINT32_MAX}, 12, false, {}, {}}}))));
  CHECK_FALSE(is_plain<bag_object>(text_of(with_bounds({{{0}, 0, false, {}, {}}}))));
}

TEST_CASE("what differs from an object in one byte is read as the general way reads it, or given up") {
  change_each_byte<bag_object>(text_of(with_bounds({{{1}, 0, true, "a", "b"}, {{12}, 34, false, {}, {}}})));
  bag_object other = described();
  other.object.schema_number = 10;
  change_each_byte<bag_object>(text_of(other));
  change_each_byte<keyed_object>(text_of(keyed_one()));
}

TEST_CASE("an object that ends where the text does is read to its end at most") {
  const std::string text = text_of(with_bounds({{{1}, 0, true, "a", "b"}}));
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::vector<char> part(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));  // for a sanitizer
    bag_object object;
    plain_text<> reading({part.data(), part.size()});
    CHECK(plain_object_reader().read(reading, object) == (size == text.size()));
  }
}
