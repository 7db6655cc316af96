#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/core/sequence.hpp>
#include <tarn/log/bounds.hpp>
#include <utility>
#include <vector>

#include "../support/counting_allocator.hpp"

using namespace tarn;

TEST_CASE("bounds are copies that outlive what they were made of, and are shared by their copies") {
  object_bounds copied;
  CHECK_FALSE(copied);
  {
    std::string text(100, 'x');
    const value deep = value::list({1, "two", value::map({{"three", bytes{"4"}}})});
    const object_bounds made{{{1}, 2, true, std::string_view(text), deep}, {{3}, 4, false, {}, {}}};
    copied = made;
    CHECK(copied->begin() == made->begin());
    text.assign(100, 'y');
  }
  REQUIRE(copied);
  REQUIRE(copied->size() == 2);
  CHECK(copied->front().column == column_id{1});
  CHECK(copied->front().nulls == 2);
  CHECK(copied->front().bounded);
  CHECK(copied->front().min == value(std::string(100, 'x')));
  CHECK(copied->front().max == value::list({1, "two", value::map({{"three", bytes{"4"}}})}));
  CHECK((*copied)[1].nulls == 4);
  CHECK_FALSE((*copied)[1].bounded);
  const object_bounds of_no_columns{std::initializer_list<column_bounds>()};
  CHECK(of_no_columns);
  CHECK(of_no_columns->empty());
}

TEST_CASE("bounds of one object are two allocations, those of many some for a hundred") {
  const column_bounds columns[] = {{{1}, 0, true, "least", "greatest"}, {{2}, 0, true, 1, 2}, {{3}, 7, false, {}, {}}};
  const array_view<column_bounds> of_one(columns, 3);
  const std::size_t before_one = tarn_test::allocations();
  const object_bounds one(of_one);
  CHECK(tarn_test::allocations() - before_one == 2);
  CHECK(one->size() == 3);

  sequence<object_bounds> kept;
  kept.reserve(1'000);
  const std::size_t before = tarn_test::allocations();
  {
    bounds_memory memory;
    for (int number = 0; number < 1'000; ++number) kept.push_back(memory.copy(of_one));
  }
  CHECK(tarn_test::allocations() - before < 60);
  for (const object_bounds& each : kept) {
    REQUIRE(each->size() == 3);
    REQUIRE((*each)[0].max == value("greatest"));
    REQUIRE((*each)[1].min == value(1));
  }
}
