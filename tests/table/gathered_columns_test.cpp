#include <doctest/doctest.h>

#include <tarn/table/gathered_columns.hpp>

using namespace tarn;

TEST_CASE("a null among the rows that are appended is refused by a column that takes none, in whatever form it comes") {
  using form = column_view::form;
  const value_view any[] = {1, nullptr, "text"};
  const std::int64_t integers[] = {1, 0, 3};
  const unsigned char present[] = {1, 0, 1};
  const column_view mixed(form::values, any, nullptr, 3);
  const column_view masked(form::integers, integers, present, 3);
  const column_view nulls(form::nulls, nullptr, nullptr, 3);
  for (const column_type type : {column_type::any, column_type::integer}) {
    CAPTURE(name_of(type));
    const column never_null("a", type, nullability::not_null);
    arena memory;
    gathered_column gathered(never_null);
    for (const column_view& each : {mixed, masked, nulls}) {
      if (type == column_type::integer && each.has() == form::values) continue;
      gathered.clear(memory, 3);
      CHECK_FALSE(gathered.append({each}, 1, 1));
      gathered.clear(memory, 3);
      CHECK_FALSE(gathered.append({each}, 0, 3));
      if (each.has() == form::nulls) continue;
      gathered.clear(memory, 3);
      REQUIRE(gathered.append({each}, 2, 1));
      CHECK(gathered.append({each}, 0, 1));
      CHECK_FALSE(gathered.append(value_view(), memory));
      REQUIRE(gathered.view().size() == 2);
      CHECK(gathered.view()[0] == each[2]);
      CHECK(gathered.view()[1] == 1);
    }
  }
}
