// The explorer against itself: on random programs, what it finds by partial order and by states must be what brute
// force finds.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <tarn/core/text.hpp>

#include "../support/random_programs.hpp"
#include "campaign.hpp"

int main(int count, char** arguments) {
  const bool nightly = tarn_test::campaign_size_of(count, arguments) == tarn_test::campaign_size::nightly;
  const std::uint64_t programs = nightly ? 100'000 : 2'000;
  const tarn_test::stopwatch since;
  std::uint64_t differences = 0;
  std::uint64_t all_runs = 0;
  std::uint64_t partial_order_runs = 0;
  std::uint64_t state_runs = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto compared =
        tarn_test::compare_searches(tarn_test::make_random_scenario(seed), tarn::testing::calls_depend);
    all_runs += compared.all_runs;
    partial_order_runs += compared.partial_order_runs;
    state_runs += compared.state_runs;
    if (compared.difference.empty()) continue;
    ++differences;
    std::fprintf(stderr, "programs of seed %" PRIu64 ": %s\n", seed, compared.difference.c_str());
  }
  tarn_test::print_campaign("explorer",
                            tarn::concat({programs, " random programs of 2 to 4 clients, ", all_runs,
                                          " runs by brute force, ", partial_order_runs, " by partial order, ",
                                          state_runs, " by states, ", differences, " differences"}),
                            since);
  return differences == 0 && all_runs > programs ? 0 : 1;
}
