#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <tarn/core/config.hpp>
#include <tarn/core/sequence.hpp>
#include <type_traits>
#include <utility>

#include "../support/counting_allocator.hpp"

using namespace tarn;

static_assert(std::is_nothrow_move_constructible_v<sequence<int>> && std::is_nothrow_move_assignable_v<sequence<int>>);

namespace {

// Long enough to be on the heap: what is lost, or freed twice, shows under the sanitizers.
std::string text(std::size_t number) { return "element number " + std::to_string(number) + " of many"; }

sequence<std::string> texts(std::size_t count) {
  sequence<std::string> made;
  for (std::size_t number = 0; number < count; ++number) made.push_back(text(number));
  return made;
}

}  // namespace

TEST_CASE("A sequence keeps what is appended, in order, while it grows") {
  const sequence<std::string> made = texts(1'000);
  REQUIRE(made.size() == 1'000);
  std::size_t number = 0;
  for (const std::string& each : made) REQUIRE(each == text(number++));
  CHECK(number == 1'000);
  CHECK(made.front() == text(0));
  CHECK(made.back() == text(999));
  CHECK(sequence<int>().empty());
}

TEST_CASE("A sequence is made of elements in braces, or of a range") {
  const sequence<std::string> braces{"a", "b"};
  CHECK(braces.size() == 2);
  const char* const names[] = {"a", "b"};
  CHECK(sequence<std::string>(names, names + 2) == braces);
}

TEST_CASE("An element of a sequence can be appended again while it grows") {
  sequence<std::string> made = texts(1);
  for (int round = 0; round < 100; ++round) made.push_back(made[0]);
  for (const std::string& each : made) REQUIRE(each == text(0));
  sequence<std::size_t> numbers{7};
  for (int round = 0; round < 100; ++round) numbers.emplace_back(numbers[0]);
  CHECK(numbers.back() == 7);
}

TEST_CASE("Copies of a sequence are independent and equal until one changes") {
  sequence<std::string> first = texts(5);
  const sequence<std::string> second = first;
  CHECK(first == second);
  first[4] = "changed";
  CHECK(second[4] == text(4));
  CHECK(first != second);
  first = second;
  CHECK(first == second);
  const sequence<std::string>& itself = first;
  first = itself;
  CHECK(first == second);
  first.pop_back();
  CHECK(first != second);
}

TEST_CASE("A moved sequence takes its elements along and leaves nothing") {
  sequence<std::string> first = texts(3);
  const std::string* const where = first.data();
  sequence<std::string> second = std::move(first);
  CHECK(second.data() == where);
  CHECK(first.empty());  // NOLINT(bugprone-use-after-move): this is promised
  sequence<std::string> third = texts(1);
  third = std::move(second);
  CHECK(third == texts(3));
}

TEST_CASE("Elements are inserted and erased where they are told to") {
  sequence<std::string> made;
  made.insert(0, text(1));
  made.insert(0, text(0));
  made.insert(2, text(3));
  made.insert(2, text(2));
  CHECK(made == texts(4));
  made.erase(1);
  CHECK(made == sequence<std::string>{text(0), text(2), text(3)});
  made.erase(2);
  made.erase(0);
  CHECK(made == sequence<std::string>{text(2)});
  made.shrink(0);
  CHECK(made.empty());
}

TEST_CASE("A sequence that was cleared, or given room, does not allocate") {
  sequence<int> numbers;
  for (int number = 0; number < 100; ++number) numbers.push_back(number);
  sequence<int> roomy;
  roomy.reserve(100);
  const std::size_t before = tarn_test::allocations();
  for (int round = 0; round < 3; ++round) {
    numbers.clear();
    for (int number = 0; number < 100; ++number) numbers.push_back(number);
  }
  for (int number = 0; number < 100; ++number) roomy.push_back(number);
  CHECK(tarn_test::allocations() == before);
  CHECK(numbers == roomy);
}

TEST_CASE("A sequence allocates once for what it is told of, and for what it appends as often as it doubles") {
  const auto allocations_of = [](auto&& work) {
    const std::size_t before = tarn_test::allocations();
    work();
    return tarn_test::allocations() - before;
  };
  sequence<int> many;
  CHECK(allocations_of([&] {
          for (int number = 0; number < 4096; ++number) many.push_back(number);
        }) <= 12);
  CHECK(allocations_of([&] { const sequence<int> copy(many); }) == 1);
  CHECK(allocations_of([&] { const sequence<int> five{1, 2, 3, 4, 5}; }) == 1);
  CHECK(allocations_of([&] { many.reserve(10); }) == 0);
  many.reserve(10'000);
  REQUIRE(many.size() == 4096);
  CHECK(many.back() == 4095);
}

TEST_CASE("Sequences of different sizes differ, whichever is longer") {
  const sequence<int> shorter{1, 2};
  const sequence<int> longer{1, 2, 3};
  CHECK(shorter != longer);
  CHECK(longer != shorter);
}

TEST_CASE("A shrunk sequence has its first elements") {
  sequence<std::string> made = texts(5);
  made.shrink(2);
  CHECK(made == texts(2));
  sequence<int> numbers{1, 2, 3};
  numbers.shrink(1);
  CHECK(numbers == sequence<int>{1});
}

TEST_CASE("A sequence moved to itself is as it was, one moved from has what the other had") {
  sequence<std::string> first = texts(3);
  sequence<std::string>& itself = first;
  first = std::move(itself);
  CHECK(first == texts(3));
  sequence<std::string> second = texts(1);
  first = std::move(second);
  CHECK(second == texts(3));  // NOLINT(bugprone-use-after-move): this is promised
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("A sequence whose new element throws is as it was") {
  struct fragile {
    explicit fragile(int n) : number(n) {
      if (n < 0) throw std::runtime_error("negative");
    }
    int number;
    std::string ballast = text(0);
  };
  sequence<fragile> made;
  for (int number = 0; number < 20; ++number) {  // full before some of them
    CHECK_THROWS_AS(made.emplace_back(-1), std::runtime_error);
    REQUIRE(made.size() == static_cast<std::size_t>(number));
    made.emplace_back(number);
    REQUIRE(made.back().number == number);
  }
}

namespace {

// Counts those that exist; the one numbered 3 cannot be copied.
struct counted {
  explicit counted(int n) : number(n) { ++existing; }
  counted(const counted& other) : number(other.number) {
    if (number == 3) throw std::runtime_error("copied");
    ++existing;
  }
  counted(counted&& other) noexcept : number(other.number) { ++existing; }
  counted& operator=(const counted&) = delete;
  ~counted() { --existing; }

  int number;
  static inline int existing = 0;
};

}  // namespace

TEST_CASE("Every element of a sequence is destroyed once, also those of a copy that fails half-way") {
  {
    sequence<counted> made;
    for (int number = 0; number < 100; ++number) made.emplace_back(number);
    CHECK(counted::existing == 100);
    CHECK_THROWS_AS(sequence<counted>{made}, std::runtime_error);
    CHECK_THROWS_AS(sequence<counted>(made.begin(), made.end()), std::runtime_error);
    CHECK(counted::existing == 100);
    made.shrink(40);
    CHECK(counted::existing == 40);
  }
  CHECK(counted::existing == 0);
}

TEST_CASE("A sequence has no room for more than memory can have") {
  sequence<std::uint64_t> made;
  CHECK_THROWS_AS(made.reserve(static_cast<std::size_t>(-1) / 8 + 2), std::bad_alloc);
}
#endif
