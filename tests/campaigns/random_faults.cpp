// Random clients under all faults that a store can have, in random orders of their calls and in those of priorities
// that change now and then, which find bugs of a few ordered steps.
//
//   campaign_random_faults ci|nightly
//
// A failure is told with the number of its programs and a schedule, which TARN_RANDOM_FAULTS="number schedule" makes
// again.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "../support/random_clients.hpp"
#include "campaign.hpp"

namespace {

using namespace tarn_test;

constexpr std::size_t runs_of_one_plan = 20;
constexpr std::size_t workers = 2;

// Every third set of programs also meets damage.
[[nodiscard]] bool meets_damage(std::uint64_t number) { return number % 3 == 2; }

[[nodiscard]] bool explore(std::uint64_t number, random_clients_counts& counts) {
  random_clients clients(number, meets_damage(number), counts);
  const auto report = number / 3 % 2 == 0
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
  const bool nightly = campaign_size_of(count, arguments) == campaign_size::nightly;
  const std::uint64_t runs = nightly ? 3'000'000 : 40'000;
  const stopwatch since;
  random_clients_counts counts[workers];
  std::atomic<std::uint64_t> next = 0;
  std::atomic<std::size_t> failures = 0;
  std::vector<std::thread> threads;
  for (random_clients_counts& own : counts)
    threads.emplace_back([&] {
      for (std::uint64_t number = next++; number < runs / runs_of_one_plan && failures < 3; number = next++)
        if (!explore(number, own)) ++failures;
    });
  for (std::thread& each : threads) each.join();
  random_clients_counts all;
  for (const random_clients_counts& each : counts) all += each;
  const std::string missing = all.faults.missing(nightly ? 1'000 : 300, 10);
  if (!missing.empty()) std::printf("happened too rarely: %s\n", missing.c_str());
  std::printf("%s", all.faults.text().c_str());
  print_campaign("random_faults",
                 std::to_string(runs / runs_of_one_plan) +
                     " plans of faults for 4 to 8 clients with 3 transactions each, " + all.text() + ", " +
                     std::to_string(failures) + " failures",
                 since);
  // A library that refuses all transactions has not passed.
  const bool progress = all.commits > all.runs;
  return failures == 0 && missing.empty() && progress && all.runs >= runs ? 0 : 1;
}
