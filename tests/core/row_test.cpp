#include <doctest/doctest.h>

#include <string>
#include <tarn/core/row.hpp>

using namespace tarn;

namespace {

// As an insert takes them.
[[nodiscard]] std::size_t size_of(const row_view& values) { return values.size(); }
[[nodiscard]] row kept(const row_view& values) { return row(values.begin(), values.end()); }

}  // namespace

TEST_CASE("Braces are rows, whatever is in them") {
  CHECK(size_of({1, "Ada", 2.5, nullptr, true, bytes{"\x01"}}) == 6);
  CHECK(size_of({}) == 0);
  CHECK(size_of({"one"}) == 1);
  CHECK(size_of({"two", "strings"}) == 2);
  CHECK(size_of({1}) == 1);
  CHECK(size_of({nullptr}) == 1);
  const std::string name = "Ada";
  CHECK(kept({name, 1})[0] == value("Ada"));
  CHECK(kept({value::list({1, 2}), value::map({{"k", 1}})})[0] == value::list({1, 2}));
}

TEST_CASE("A row that is kept does not change with what it was made of") {
  std::string name = "Ada";
  const row made = kept({name, 1});
  name = "Joey";
  CHECK(made[0] == value("Ada"));
  CHECK(row_view(made) == row_view{"Ada", 1});
  CHECK_FALSE(row_view(made) == row_view{"Ada", 1.0});
  CHECK_FALSE(row_view(made) == row_view{"Ada"});
}

TEST_CASE("A row that knows its columns is read by name") {
  const schema columns{"name", "age"};
  const row values{value("Ada"), value(36)};
  const row_view view(list_view(values), &columns);
  CHECK(view["age"].as_integer() == 36);
  CHECK(view[std::string("name")].as_string() == "Ada");
  CHECK(view[0].as_string() == "Ada");
  std::size_t count = 0;
  for (const value_view each : view) count += each.is_null() ? 0U : 1U;
  CHECK(count == 2);
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("A column that is not there fails, naming it") {
  const schema columns{"name"};
  const row values{value("Ada")};
  const row_view view(list_view(values), &columns);
  CHECK_THROWS_WITH_AS((void)view["age"], "the row has no column named 'age'", failure);
  CHECK_THROWS_AS((void)row_view(values)["name"], failure);
}
#endif
