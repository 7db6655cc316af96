// The explorer against itself: on random programs, what it finds by partial order and by states must be what brute
// force finds; also where clients do the same and begin in one order only, and where a call of one meets a fault.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <tarn/core/text.hpp>

#include "../support/random_programs.hpp"
#include "campaign.hpp"

namespace {

// False if anything differs.
bool compare(const char* what, tarn_test::random_scenario (*make)(std::uint64_t), std::uint64_t programs) {
  const tarn_test::stopwatch since;
  std::uint64_t differences = 0;
  std::uint64_t all_runs = 0;
  std::uint64_t partial_order_runs = 0;
  std::uint64_t state_runs = 0;
  std::uint64_t faults = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const auto compared = tarn_test::compare_searches(make(seed), tarn::testing::calls_depend);
    all_runs += compared.all_runs;
    partial_order_runs += compared.partial_order_runs;
    state_runs += compared.state_runs;
    faults += compared.fault_happened ? 1U : 0U;
    if (compared.difference.empty()) continue;
    ++differences;
    std::fprintf(stderr, "%s of seed %" PRIu64 ": %s\n", what, seed, compared.difference.c_str());
  }
  tarn_test::print_campaign(
      "explorer",
      tarn::concat({programs, " random ", what, ", 2 to 4 clients, ", faults, " with a fault that happened, ", all_runs,
                    " runs by brute force, ", partial_order_runs, " by partial order, ", state_runs, " by states, ",
                    differences, " differences"}),
      since);
  return differences == 0 && all_runs > programs;
}

}  // namespace

int main(int count, char** arguments) {
  const bool nightly = tarn_test::campaign_size_of(count, arguments) == tarn_test::campaign_size::nightly;
  const std::uint64_t programs = nightly ? 100'000 : 2'000;
  const bool good = compare("programs", tarn_test::make_random_scenario, programs);
  const bool symmetric = compare("programs of which some are the same", tarn_test::make_symmetric_scenario, programs);
  const bool faulty = compare("programs under a fault", tarn_test::make_faulty_scenario, programs);
  return good && symmetric && faulty ? 0 : 1;
}
