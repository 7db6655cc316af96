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
