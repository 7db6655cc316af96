// LAW: whatever the stores of several clients do, every history of theirs is one that a lake may have. A few of the
// runs of tests/campaigns/random_faults.cpp, others each time, for all compilers and sanitizers.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "../support/random_clients.hpp"
#include "../support/random_source.hpp"

TEST_CASE("LAW: random clients under all faults of a store: nothing is lost, nobody is lied to") {
  using namespace tarn_test;
  random_source seeds(seed_of_this_run());
  random_clients_counts counts;
  for (std::size_t plan = 0; plan < 8; ++plan) {
    const std::uint64_t seed = seeds.next();
    const bool damage = plan % 3 == 2;
    random_clients clients(seed, damage, counts);
    const auto report = plan % 2 == 0 ? clients.explore(tarn::testing::explore_by::random{seed, 6})
                                      : clients.explore(tarn::testing::explore_by::priorities{seed, 6, 3});
    CHECK_MESSAGE(report.passed(), "seed ", seed, ", damage ", damage, ": ", report.text());
  }
  MESSAGE("TARN_TEST_SEED=", seed_of_this_run(), ", ", counts.text());
  CHECK(counts.commits > 0);
  CHECK(counts.faults.total() > 0);
}

TEST_CASE("what random clients have found once, in millions of runs, they do not find again") {
  using namespace tarn_test;
  const auto replay = [](std::uint64_t seed, const char* schedule) {
    random_clients_counts counts;
    random_clients clients(seed, false, counts);
    const auto report = clients.explore(tarn::testing::explore_by::replay{schedule});
    CHECK_MESSAGE(report.passed(), "seed ", seed, ": ", report.text());
    CHECK(report.runs == 1);
  };
  // An entry that the store has put and not told of, in a slot that a truncation then empties and another fills again.
  replay(8739, "v1|-,B,C,D,-|d19b11cd|f:b10.F4");
  // A marker that is listed and not there, and the get that would tell fails.
  replay(29110, "v1|-,B,-,D,E|de|f:e5.F12:6979,e6.F1");
}
