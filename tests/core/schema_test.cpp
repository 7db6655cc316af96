#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/core/schema.hpp>

using namespace tarn;

TEST_CASE("A schema is written as a list of columns, with what is not stated by default") {
  const schema columns{"id", {"born", column_type::integer}, {"name", column_type::string, nullability::not_null}};
  REQUIRE(columns.size() == 3);
  CHECK(columns[0].name == "id");
  CHECK(columns[0].type == column_type::any);
  CHECK(columns[0].nullable);
  CHECK(columns[1].type == column_type::integer);
  CHECK_FALSE(columns[2].nullable);
  CHECK(columns.find("name") == 2);
  CHECK(columns.find("Name") == schema::none);
  CHECK(schema().size() == 0);
}

TEST_CASE("A column takes values of its type only, and null unless it must not") {
  for (unsigned char k = 0; k <= static_cast<unsigned char>(kind::map); ++k)
    for (unsigned char t = 0; t <= static_cast<unsigned char>(column_type::map); ++t) {
      const auto value_kind = static_cast<kind>(k);
      const auto type = static_cast<column_type>(t);
      const bool null = value_kind == kind::null;
      CHECK(column("c", type).takes(value_kind) ==
            (null || type == column_type::any || name_of(type) == name_of(value_kind)));
      CHECK(column("c", type, nullability::not_null).takes(value_kind) ==
            (!null && (type == column_type::any || name_of(type) == name_of(value_kind))));
    }
}

TEST_CASE("A type is found by its name") {
  for (unsigned char t = 0; t <= static_cast<unsigned char>(column_type::map); ++t) {
    column_type read = column_type::any;
    CHECK(parse_column_type(name_of(static_cast<column_type>(t)), read));
    CHECK(read == static_cast<column_type>(t));
  }
  column_type read = column_type::list;
  for (const char* no_type : {"", "null", "Any", "int", "double "}) CHECK_FALSE(parse_column_type(no_type, read));
  CHECK(read == column_type::list);
}

TEST_CASE("Columns are numbered from 1 in their order") {
  schema columns{"a", "b"};
  columns.number_columns();
  CHECK(columns[0].id == column_id{1});
  CHECK(columns[1].id == column_id{2});
}

TEST_CASE("A column is found by its id, wherever the search begins") {
  schema columns{"a", "b", "c"};
  columns.number_columns();
  for (std::size_t first = 0; first <= columns.size(); ++first) {
    for (std::uint32_t id = 1; id <= 3; ++id) CHECK(columns.find(column_id{id}, first) == id - 1);
    CHECK(columns.find(column_id{4}, first) == schema::none);
  }
  CHECK(schema().find(column_id{1}) == schema::none);
}
