#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <tarn/table/gathered_columns.hpp>

using namespace tarn;

namespace {

struct one_column {
  read_column values;

  [[nodiscard]] const read_column& column(std::size_t) const noexcept { return values; }
};

struct piece_of_rows {
  std::size_t first;
  std::size_t count;
};

// Whether a column takes these rows; the values that it then has.
bool takes(const column& declared, const one_column& source, std::initializer_list<piece_of_rows> rows, arena& memory,
           column_view& into) {
  row_pieces<one_column> pieces;
  for (const piece_of_rows& each : rows) pieces.add(source, each.first, each.count);
  return pieces.gather(0, declared, memory, into) == nullptr;
}

}  // namespace

TEST_CASE("a null among the rows that are gathered is refused by a column that takes none, in whatever form it comes") {
  using form = column_view::form;
  const value_view any[] = {1, nullptr, 3};
  const std::int64_t integers[] = {1, 0, 3};
  const unsigned char present[] = {1, 0, 1};
  const one_column mixed{{column_view(form::values, any, nullptr, 3), false}};
  const one_column masked{{column_view(form::integers, integers, present, 3), false}};
  const one_column nulls{{column_view(form::nulls, nullptr, nullptr, 3), false}};
  for (const column_type type : {column_type::any, column_type::integer}) {
    CAPTURE(name_of(type));
    const column never_null("a", type, nullability::not_null);
    const column nullable("a", type);
    for (const one_column* const each : {&mixed, &masked, &nulls}) {
      arena memory;
      column_view gathered;
      CHECK_FALSE(takes(never_null, *each, {{1, 1}}, memory, gathered));
      CHECK_FALSE(takes(never_null, *each, {{2, 1}, {0, 3}}, memory, gathered));
      REQUIRE(takes(nullable, *each, {{2, 1}, {0, 2}}, memory, gathered));
      CHECK(gathered.is_null(2));
      if (each == &nulls) continue;
      REQUIRE(takes(never_null, *each, {{2, 1}, {0, 1}}, memory, gathered));
      REQUIRE(gathered.size() == 2);
      CHECK_FALSE(gathered.has_nulls());
      CHECK(gathered[0] == 3);
      CHECK(gathered[1] == 1);
    }
  }
}
