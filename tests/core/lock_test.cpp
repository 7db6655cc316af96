#include <doctest/doctest.h>

#include <tarn/core/lock.hpp>
#include <thread>
#include <type_traits>
#include <vector>

static_assert(!std::is_copy_constructible_v<tarn::mutex>);
static_assert(!std::is_copy_constructible_v<tarn::scoped_lock>);

TEST_CASE("A lock keeps threads from each other [threads]") {
  tarn::mutex guard;
  int count = 0;
  const auto work = [&] {
    for (int round = 0; round < 20'000; ++round) {
      const tarn::scoped_lock hold(guard);
      const int seen = count;
      if (round % 100 == 0) std::this_thread::yield();  // the others get their chance to come between
      count = seen + 1;
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(count, 80'000);
}

TEST_CASE("A lock that was given back can be taken again") {
  tarn::mutex guard;
  for (int round = 0; round < 3; ++round) {
    const tarn::scoped_lock hold(guard);
  }
}
