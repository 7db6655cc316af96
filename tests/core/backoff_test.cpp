#include <doctest/doctest.h>

#include <cstring>
#include <tarn/core/backoff.hpp>
#include <vector>

using namespace tarn;

namespace {

struct waiting {
  std::vector<std::uint64_t> waits;
  std::uint64_t random = 0;
  bool entropy = true;

  [[nodiscard]] environment get() {
    environment made;
    made.context = this;
    made.now = [](void*) { return timestamp{}; };
    made.fill_random = [](void* self, void* bytes, std::size_t size) {
      auto& here = *static_cast<waiting*>(self);
      if (here.entropy) std::memcpy(bytes, &here.random, size);
      return here.entropy;
    };
    made.wait_us = [](void* self, std::uint64_t us) { static_cast<waiting*>(self)->waits.push_back(us); };
    return made;
  }
};

}  // namespace

TEST_CASE("The bound of a wait doubles up to its maximum, and the attempts are counted") {
  waiting here;
  here.entropy = false;  // then each wait is its bound
  const environment surroundings = here.get();
  const backoff_options options{100, 1'000, 8};
  backoff retries(options, surroundings);
  int attempts = 1;
  while (retries.wait()) ++attempts;
  CHECK(attempts == 8);
  CHECK(here.waits == std::vector<std::uint64_t>{100, 200, 400, 800, 1'000, 1'000, 1'000});
  CHECK_FALSE(retries.wait());
}

TEST_CASE("Waits are spread over the whole range up to the bound") {
  for (const std::uint64_t random : {0U, 1U, 50U, 100U, 101U, 150U}) {
    waiting here;
    here.random = random;
    const environment surroundings = here.get();
    const backoff_options options{100, 1'000, 2};
    backoff retries(options, surroundings);
    CHECK(retries.wait());
    CHECK(here.waits == std::vector<std::uint64_t>{random % 101});
  }
}

TEST_CASE("By default all waits add up to about two seconds at most") {
  waiting here;
  here.entropy = false;
  const environment surroundings = here.get();
  const backoff_options options;
  backoff retries(options, surroundings);
  while (retries.wait()) {
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t us : here.waits) sum += us;
  CHECK(sum > 100'000);
  CHECK(sum <= 2'100'000);
}

TEST_CASE("A single attempt is followed by no wait") {
  waiting here;
  const environment surroundings = here.get();
  const backoff_options options{100, 1'000, 1};
  backoff retries(options, surroundings);
  CHECK_FALSE(retries.wait());
  CHECK(here.waits.empty());
}

TEST_CASE("After a restart the attempts are counted anew, and the waits go back by half") {
  waiting here;
  here.entropy = false;
  const environment surroundings = here.get();
  const backoff_options options{100, 1'000, 3};
  backoff retries(options, surroundings);
  CHECK(retries.wait());
  CHECK(retries.wait());
  CHECK_FALSE(retries.wait());
  retries.restart();
  CHECK(retries.wait());
  CHECK(here.waits == std::vector<std::uint64_t>{100, 200, 200});
}

TEST_CASE("All waits together have a bound, which no restart lifts") {
  waiting here;
  here.entropy = false;
  const environment surroundings = here.get();
  const backoff_options options{100, 1'000, 8, 500};
  backoff retries(options, surroundings);
  CHECK(retries.wait());
  CHECK(retries.wait());
  CHECK_FALSE(retries.is_late());
  CHECK(retries.wait());  // the last one may be longer than what is left
  CHECK(here.waits == std::vector<std::uint64_t>{100, 200, 400});
  CHECK(retries.is_late());
  CHECK_FALSE(retries.wait());
  retries.restart();
  CHECK_FALSE(retries.wait());
  CHECK(here.waits.size() == 3);
}

TEST_CASE("Without time to wait there is one attempt") {
  waiting here;
  const environment surroundings = here.get();
  const backoff_options options{100, 1'000, 8, 0};
  backoff retries(options, surroundings);
  CHECK_FALSE(retries.wait());
  CHECK(here.waits.empty());
}
