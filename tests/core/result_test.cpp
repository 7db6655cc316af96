#include <doctest/doctest.h>

#include <string>
#include <tarn/core/result.hpp>
#include <type_traits>
#include <utility>

using namespace tarn;

static_assert(sizeof(status) == sizeof(void*), "success is one null pointer");
static_assert(std::is_nothrow_move_constructible_v<result<std::string>>);

namespace {

struct move_only {
  explicit move_only(int n) : number(n) {}
  move_only(move_only&&) = default;
  move_only& operator=(move_only&&) = default;
  int number;
};

// Counts how many of its kind live.
struct counted {
  explicit counted(int& lives) : count(&lives) { ++*count; }
  counted(const counted& other) : count(other.count) { ++*count; }
  counted& operator=(const counted&) = default;
  ~counted() { --*count; }
  int* count;
};

[[nodiscard]] error full() { return {errc::no_space, "full"}; }

}  // namespace

TEST_CASE("A result is a value or an error") {
  const result<std::string> good = std::string("yes");
  CHECK(good.has_value());
  CHECK(good);
  CHECK(*good == "yes");
  CHECK(good->size() == 3);
  CHECK(good.value() == "yes");
  CHECK(good.value_or("no") == "yes");

  const result<std::string> bad = full();
  CHECK_FALSE(bad.has_value());
  CHECK_FALSE(bad);
  CHECK(bad.error().code() == errc::no_space);
  CHECK(bad.value_or("no") == "no");
}

TEST_CASE("A result can be assigned, whatever the two held") {
  result<std::string> one = std::string(100, 'x');
  result<std::string> other = full();
  one = other;
  CHECK(one.error().message() == "full");
  one = std::string("again");
  CHECK(*one == "again");
  other = one;
  CHECK(*other == "again");
  one = full();
  CHECK_FALSE(one);
  CHECK(*other == "again");
}

TEST_CASE("A result moves its value out, also one that cannot be copied") {
  result<move_only> held = move_only(7);
  const move_only taken = *std::move(held);
  CHECK(taken.number == 7);
  CHECK(result<move_only>(move_only(8)).value().number == 8);
}

TEST_CASE("A result destroys what it held") {
  int lives = 0;
  {
    result<counted> first = counted(lives);
    const result<counted> second = first;
    CHECK(lives == 2);
    first = full();
    CHECK(lives == 1);
    result<counted> third = second;
    first = std::move(third);
    CHECK(lives == 3);
  }
  CHECK(lives == 0);
}

TEST_CASE("A status is success, or an error") {
  const status good;
  CHECK(good);
  good.value();
  const status bad = full();
  CHECK_FALSE(bad);
  CHECK(bad.error().message() == "full");
  status changed = bad;
  CHECK_FALSE(changed);
  changed = good;
  CHECK(changed);
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("Asking an error for its value throws a failure that holds the error") {
  const result<int> bad = full();
  CHECK_THROWS_AS((void)bad.value(), failure);
  const status failed = full();
  try {
    failed.value();
    FAIL("value() must not return");
  } catch (const failure& thrown) {
    CHECK(std::string(thrown.what()) == "full");
    CHECK(thrown.why().code() == errc::no_space);
  }
}
#endif
