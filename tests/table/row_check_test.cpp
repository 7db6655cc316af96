#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <tarn/table/row_check.hpp>
#include <vector>

using namespace tarn;

namespace {

std::string why(const status& checked) {
  return checked ? std::string() : concat({name_of(checked.error().code()), ": ", checked.error().message()});
}

}  // namespace

TEST_CASE("A18: a schema needs columns with names that are UTF-8, not empty, and differ") {
  const limits bounds;
  CHECK(check_schema({"a", "b", "A"}, bounds).has_value());
  CHECK(why(check_schema(schema(), bounds)).find("at least one column") != std::string::npos);
  CHECK(why(check_schema({"a", ""}, bounds)).find("column 1 has an empty name") != std::string::npos);
  CHECK(why(check_schema({"a", "b", "a"}, bounds)).find("two columns have the name 'a'") != std::string::npos);
  CHECK(why(check_schema({"\xff"}, bounds)).find("not UTF-8") != std::string::npos);
  CHECK(why(check_schema({column(std::string(1025, 'x'))}, bounds)).find("limits::column_name_bytes_max") !=
        std::string::npos);
  limits two;
  two.columns_max = 2;
  CHECK(why(check_schema({"a", "b", "c"}, two)).find("limits::columns_max is 2") != std::string::npos);
}

TEST_CASE("A18: a row has as many values as the table has columns") {
  const schema two{"a", "b"};
  CHECK(check_row({1, 2}, two, limits{}).has_value());
  CHECK(why(check_row({1}, two, limits{})) == "invalid_argument: the row has 1 value, the table has 2 columns");
  CHECK(why(check_row({1, 2, 3}, two, limits{})) == "invalid_argument: the row has 3 values, the table has 2 columns");
  CHECK_FALSE(check_row(row_view(), two, limits{}).has_value());
}

TEST_CASE("A19: a row whose every value is null is an ordinary row") {
  CHECK(check_row({nullptr, nullptr}, {"a", "b"}, limits{}).has_value());
}

TEST_CASE("a declared type takes values of its kind and null, unless it is not_null") {
  const std::vector<std::pair<column_type, value>> samples = {{column_type::boolean, true},
                                                              {column_type::integer, 1},
                                                              {column_type::real, 1.0},
                                                              {column_type::string, "s"},
                                                              {column_type::bytes, bytes{"b"}},
                                                              {column_type::list, value::list({1})},
                                                              {column_type::map, value::map({{"k", 1}})}};
  for (const auto& [type, ignored] : samples)
    for (const auto& [other, sample] : samples) {
      const schema nullable{{"c", type}};
      const schema not_null{{"c", type, nullability::not_null}};
      CHECK(check_row({value_view(sample)}, nullable, limits{}).has_value() == (type == other));
      CHECK(check_row({value_view(sample)}, {"any"}, limits{}).has_value());
      CHECK(check_row({nullptr}, nullable, limits{}).has_value());
      CHECK_FALSE(check_row({nullptr}, not_null, limits{}).has_value());
    }
  CHECK(why(check_row({1}, {{"c", column_type::real, nullability::not_null}}, limits{})) ==
        "invalid_argument: column 'c' takes double, not null, the value is integer");
}

TEST_CASE("A9: a string that is not UTF-8 is refused wherever it is; bytes and any double are taken") {
  const std::string bad = "abc\xff";
  CHECK(why(check_row({1, std::string_view(bad)}, {"a", "b"}, limits{})) ==
        "invalid_argument: column 'b': has a string that is not UTF-8 at byte 3: store it as bytes");
  CHECK_FALSE(check_row({value_view(value::list({1, value::map({{"k", bad}})}))}, {"a"}, limits{}).has_value());
  CHECK_FALSE(check_row({value_view(value::map({{bad, 1}}))}, {"a"}, limits{}).has_value());
  CHECK(check_row({bytes{bad}, std::nan(""), -INFINITY}, {"a", "b", "c"}, limits{}).has_value());
}

TEST_CASE("a map has every key once") {
  CHECK(why(check_row({value_view(value::map({{"k", 1}, {"l", 2}, {"k", 3}}))}, {"a"}, limits{}))
            .find("two members 'k'") != std::string::npos);
}

TEST_CASE("C18: rows that are nested too deep or too large are refused, naming the limit") {
  limits bounds;
  value deep = 1;
  for (std::uint32_t depth = 0; depth < bounds.nesting_depth_max; ++depth) deep = value::list({deep});
  CHECK(check_row({value_view(deep)}, {"a"}, bounds).has_value());
  const value deeper = value::list({deep});
  CHECK(why(check_row({value_view(deeper)}, {"a"}, bounds)).find("limits::nesting_depth_max, 64") != std::string::npos);
  bounds.row_bytes_max = 1000;
  CHECK(check_row({std::string(900, 'x')}, {"a"}, bounds).has_value());
  CHECK(why(check_row({std::string(1000, 'x')}, {"a"}, bounds)).find("limits::row_bytes_max is 1000") !=
        std::string::npos);
  const std::vector<value> many(200, value(1));
  CHECK_FALSE(check_row({value_view(list_view(many))}, {"a"}, bounds).has_value());
}
