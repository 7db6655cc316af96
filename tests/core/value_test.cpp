#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <tarn/core/value.hpp>
#include <type_traits>
#include <vector>

using namespace tarn;

static_assert(std::is_trivially_copyable_v<value_view>, "rows in an arena are copied as bytes");
static_assert(std::is_convertible_v<int, value_view> && std::is_convertible_v<const char*, value_view>);
static_assert(std::is_convertible_v<std::uint32_t, value_view>, "it fits");
static_assert(!std::is_convertible_v<void*, value_view>, "a pointer is not a boolean");
static_assert(!std::is_convertible_v<int*, value_view>);

namespace {

[[nodiscard]] double with_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace

TEST_CASE("Types of the language become values of their kind") {
  CHECK(value_view().kind() == kind::null);
  CHECK(value_view(nullptr).is_null());
  CHECK(value_view(true).as_boolean());
  CHECK_FALSE(value_view(false).as_boolean());
  CHECK(value_view(-5).as_integer() == -5);
  CHECK(value_view(std::uint32_t{4'000'000'000}).as_integer() == 4'000'000'000);
  CHECK(value_view(INT64_MIN).as_integer() == INT64_MIN);
  CHECK(value_view(0.5).as_double() == 0.5);
  CHECK(value_view(0.5F).kind() == kind::real);
  CHECK(value_view("text").as_string() == "text");
  CHECK(value_view(std::string("text")).kind() == kind::string);
  CHECK(value_view(std::string_view("a\0b", 3)).as_string().size() == 3);
  CHECK(value_view(bytes{"\xff"}).as_bytes() == "\xff");
}

TEST_CASE("Equality is identity of the value") {
  CHECK_FALSE(value_view(1) == value_view(1.0));
  CHECK_FALSE(value_view(0.0) == value_view(-0.0));
  CHECK_FALSE(value_view("a") == value_view(bytes{"a"}));
  CHECK_FALSE(value_view(0) == value_view(false));
  CHECK_FALSE(value_view() == value_view(0));
  const double nan = with_bits(0x7ff8'0000'0000'0000U);
  CHECK(value_view(nan) == value_view(nan));
  CHECK_FALSE(value_view(nan) == value_view(with_bits(0x7ff8'0000'0000'0001U)));
  CHECK(value::list({1, "a"}) == value::list({1, "a"}));
  CHECK_FALSE(value::list({1}) == value::list({1, nullptr}));
  CHECK_FALSE(value::list({}) == value::map({}));
  CHECK(value::map({{"k", 1}}) == value::map({{"k", 1}}));
  CHECK_FALSE(value::map({{"k", 1}}) == value::map({{"l", 1}}));
  CHECK_FALSE(value::map({{"a", 1}, {"b", 2}}) == value::map({{"b", 2}, {"a", 1}}));
}

TEST_CASE("The elements of a list are found next to each other, or put so") {
  const value_view views[] = {1, "a"};
  const std::vector<value> values{1, "a"};
  sequence<value_view> scratch;
  CHECK(views_of(list_view(views, 2), scratch) == views);
  CHECK(scratch.empty());
  CHECK(list_view(views, 2).views() == views);
  CHECK(list_view(values).views() == nullptr);
  for (int again = 0; again < 2; ++again) {
    CHECK(list_view(views_of(list_view(values), scratch), 2) == list_view(values));
    CHECK(scratch.size() == 2);
  }
}

TEST_CASE("An owned value is a deep copy of what it was made of") {
  std::string text = "text";
  std::vector<value> elements{value(text), value::list({1, value::map({{"k", 0.5}})})};
  const value kept(list_view{elements});
  text = "else";
  elements.clear();
  const list_view list = value_view(kept).as_list();
  REQUIRE(list.size() == 2);
  CHECK(list[0].as_string() == "text");
  CHECK(list[1].as_list()[1].as_map()[0].key == "k");
  CHECK(list[1].as_list()[1].as_map()[0].value.as_double() == 0.5);
  value copy = kept;
  CHECK(copy == kept);
  const value moved = std::move(copy);
  CHECK(moved == kept);
}

TEST_CASE("Lists and maps of views read as those of values do") {
  const value_view elements[] = {"key", 1, "other", nullptr};
  const list_view list(elements, 4);
  CHECK(value_view(list) == value_view(value::list({"key", 1, "other", nullptr})));
  const map_view map(list);
  CHECK(map.size() == 2);
  CHECK(value_view(map) == value_view(value::map({{"key", 1}, {"other", nullptr}})));
  CHECK(value(map) == value::map({{"key", 1}, {"other", nullptr}}));
  std::size_t members = 0;
  for (const member_view member : map) members += member.key.size();
  CHECK(members == 8);
  CHECK(list_view().empty());
  CHECK(map_view().empty());
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("Asking a value for another kind fails, naming both") {
  try {
    (void)value_view("text").as_integer();
    FAIL("as_integer() must not return");
  } catch (const failure& thrown) {
    CHECK(thrown.why().message().find("integer") != std::string::npos);
    CHECK(thrown.why().message().find("string") != std::string::npos);
  }
  CHECK_THROWS_AS((void)value_view(1).as_double(), failure);
  CHECK_THROWS_AS((void)value_view().as_list(), failure);
  CHECK_THROWS_AS((void)value_view(1.0).as_map(), failure);
  CHECK_THROWS_AS((void)value_view("").as_bytes(), failure);
}
#endif
