#include <doctest/doctest.h>

#include <string>
#include <tarn/core/shared.hpp>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tarn;

static_assert(sizeof(shared<int>) == sizeof(void*));
static_assert(std::is_nothrow_copy_constructible_v<shared<int>> && std::is_nothrow_move_constructible_v<shared<int>>);

namespace {

struct counted {
  explicit counted(int& lives) : count(&lives) { ++*count; }
  counted(counted&& other) noexcept : count(other.count) { ++*count; }
  counted(const counted& other) : count(other.count) { ++*count; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*count; }
  int* count;
};

}  // namespace

TEST_CASE("A shared object lives as long as its last owner") {
  int lives = 0;
  shared<counted> first = shared<counted>::make(lives);
  CHECK(lives == 1);
  CHECK(first.unique());
  {
    const shared<counted> second = first;  // NOLINT(performance-unnecessary-copy-initialization): it counts
    CHECK_FALSE(first.unique());
    CHECK(&*second == &*first);
  }
  CHECK(first.unique());
  shared<counted> third = std::move(first);
  CHECK(third.unique());
  CHECK_FALSE(first);  // NOLINT(bugprone-use-after-move): it owns nothing, that is promised
  CHECK_FALSE(first.unique());
  const shared<counted>& itself = third;
  third = itself;
  CHECK(lives == 1);
  third = {};
  CHECK(lives == 0);
}

TEST_CASE("Assigning a shared object releases the one before") {
  int first_lives = 0;
  int second_lives = 0;
  shared<counted> owner = shared<counted>::make(first_lives);
  owner = shared<counted>::make(second_lives);
  CHECK(first_lives == 0);
  CHECK(second_lives == 1);
}

TEST_CASE("copy_on_write copies when it is shared and written, and only then") {
  copy_on_write<std::string> first(std::string("text"));
  const std::string* const object = &*first;
  first.writable() += "1";
  CHECK(&*first == object);
  copy_on_write<std::string> second = first;
  CHECK(&*second == object);
  second.writable() += "2";
  CHECK(*first == "text1");
  CHECK(*second == "text12");
  CHECK(&*first == object);
  first.writable() += "3";
  CHECK(&*first == object);
  CHECK(*copy_on_write<std::string>() == "");
}

TEST_CASE("Owners in several threads come and go, and the object goes with the last [threads]") {
  int lives = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    {
      const shared<counted> origin = shared<counted>::make(lives);
      for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([mine = origin] {
          for (int copy = 0; copy < 500; ++copy) {
            const shared<counted> another = mine;  // NOLINT(performance-unnecessary-copy-initialization)
            if (!another) return;
          }
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(lives == 0);
  }
}

TEST_CASE("What one owner wrote is seen by the thread that finds itself the only owner [threads]") {
  for (int round = 0; round < 200; ++round) {
    shared<int> here = shared<int>::make(0);
    std::thread writer([there = here]() mutable {
      *there = 1;
      there = {};
    });
    while (!here.unique()) std::this_thread::yield();
    REQUIRE(*here == 1);
    writer.join();
  }
}
