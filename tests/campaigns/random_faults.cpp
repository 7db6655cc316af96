// Random clients under all faults that a store can have, in random orders of their calls and in those of priorities
// that change now and then, which find bugs of a few ordered steps.
//
//   campaign_random_faults ci|nightly
//
// A failure is told with the number of its programs and a schedule, which TARN_RANDOM_FAULTS="number schedule" makes
// again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../support/random_clients.hpp"
#include "campaign.hpp"

namespace {

using namespace tarn_test;

constexpr std::size_t runs_of_one_plan = 20;

// Every third set of programs also meets damage.
[[nodiscard]] bool meets_damage(std::uint64_t number) { return number % 3 == 2; }

[[nodiscard]] bool explore(std::uint64_t number, random_clients_counts& counts) {
  random_clients clients(number, meets_damage(number), counts);
  const auto report = number % 2 == 0
                          ? clients.explore(tarn::testing::explore_by::random{number, runs_of_one_plan})
                          : clients.explore(tarn::testing::explore_by::priorities{number, runs_of_one_plan, 3});
  if (report.passed()) return true;
  for (const auto& each : report.failures)
    std::printf("FAILED: %s\n  TARN_RANDOM_FAULTS=\"%llu %s\"\n  simpler: %s\n  TARN_RANDOM_FAULTS=\"%llu %s\"\n",
                each.message.c_str(), static_cast<unsigned long long>(number), each.schedule.c_str(),
                each.shrunk_message.c_str(), static_cast<unsigned long long>(number), each.shrunk_schedule.c_str());
  return false;
}

int replay(const char* text) {
  char* rest = nullptr;
  const std::uint64_t number = std::strtoull(text, &rest, 10);
  while (*rest == ' ') ++rest;
  random_clients_counts counts;
  random_clients clients(number, meets_damage(number), counts);
  const auto report = clients.explore(tarn::testing::explore_by::replay{rest});
  std::printf("%s\n", report.text().c_str());
  return report.passed() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (const char* const text = std::getenv("TARN_RANDOM_FAULTS")) return replay(text);
  const std::uint64_t runs = campaign_size_of(count, arguments) == campaign_size::ci ? 100'000 : 3'000'000;
  const stopwatch since;
  random_clients_counts counts;
  std::size_t failures = 0;
  for (std::uint64_t number = 0; counts.runs < runs && failures < 3; ++number)
    if (!explore(number, counts)) ++failures;
  const std::string missing = counts.faults.missing(1'000, 10);
  if (!missing.empty()) std::printf("happened too rarely: %s\n", missing.c_str());
  std::printf("%s", counts.faults.text().c_str());
  print_campaign("random_faults",
                 std::to_string(counts.runs) + " runs of 4 to 8 clients with 3 transactions each, " +
                     std::to_string(counts.calls) + " calls, " + std::to_string(counts.faults.total()) + " faults, " +
                     std::to_string(counts.commits) + " commits, " + std::to_string(counts.refused) + " refused, " +
                     std::to_string(counts.in_doubt) + " in doubt, " + std::to_string(counts.failed) + " failed, " +
                     std::to_string(counts.crashes) + " crashes, " + std::to_string(counts.truncations) +
                     " truncations, " + std::to_string(counts.detected) + " times damage detected, " +
                     std::to_string(failures) + " failures",
                 since);
  return failures == 0 && missing.empty() && counts.runs >= runs ? 0 : 1;
}
