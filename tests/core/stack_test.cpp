#include <doctest/doctest.h>

#include <cstddef>
#include <tarn/core/stack.hpp>
#include <type_traits>
#include <utility>

#include "../support/counting_allocator.hpp"

using namespace tarn;

static_assert(!std::is_copy_constructible_v<stack<int>>);
static_assert(std::is_nothrow_move_constructible_v<stack<int>> && std::is_nothrow_move_assignable_v<stack<int>>);

TEST_CASE("A stack keeps what is pushed, in order, while it grows") {
  stack<std::size_t> numbers;
  CHECK(numbers.empty());
  for (std::size_t number = 0; number < 1'000; ++number) numbers.push(number);
  REQUIRE(numbers.size() == 1'000);
  for (std::size_t number = 0; number < 1'000; ++number) REQUIRE(numbers[number] == number);
  numbers.pop();
  CHECK(numbers.back() == 998);
  numbers.shrink(10);
  CHECK(numbers.back() == 9);
  CHECK(numbers.size() == 10);
}

TEST_CASE("An element of a stack can be pushed again while the stack grows") {
  stack<std::size_t> numbers;
  numbers.push(std::size_t{7});
  for (int round = 0; round < 100; ++round) numbers.push(numbers[0]);
  CHECK(numbers.back() == 7);
}

TEST_CASE("A moved stack takes its elements along and leaves nothing") {
  stack<int> first;
  first.push(1);
  stack<int> second = std::move(first);
  CHECK(second.back() == 1);
  CHECK(first.empty());  // NOLINT(bugprone-use-after-move): this is promised
  stack<int> third;
  third.push(3);
  third = std::move(second);
  CHECK(third.back() == 1);
}

TEST_CASE("A cleared stack keeps its memory") {
  stack<int> numbers;
  for (int number = 0; number < 100; ++number) numbers.push(number);
  const std::size_t before = tarn_test::allocations();
  for (int round = 0; round < 3; ++round) {
    numbers.clear();
    for (int number = 0; number < 100; ++number) numbers.push(number);
  }
  CHECK(tarn_test::allocations() == before);
}
