// The check of histories: says nothing about good ones, finds one lie in each that has one, and is fast.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/random_source.hpp>

#include "../support/generated_history.hpp"
#include "campaign.hpp"

namespace {

using namespace tarn_test;
using tarn::testing::commit_outcome;
using tarn::testing::history;
using tarn::testing::operation_kind;
using tarn::testing::random_source;

bool failed = false;

void expect(bool holds, const char* what, std::uint64_t seed, const std::string& message = {}) {
  if (holds) return;
  failed = true;
  std::fprintf(stderr, "%s: seed %llu: %s\n", what, static_cast<unsigned long long>(seed), message.c_str());
}

// Makes one lie of a good history; false if it has found none to make.
[[nodiscard]] bool lie(history& told, random_source& random) {
  const std::size_t wanted = random.below(5);
  const std::size_t first = random.below(told.operations.size());
  for (std::size_t step = 0; wanted < 3 && step < told.operations.size(); ++step) {
    auto& each = told.operations[(first + step) % told.operations.size()];
    if (wanted == 0 && each.kind == operation_kind::look_up) return ++each.seen, true;
    if (wanted == 1 && each.kind == operation_kind::look_up && each.seen != 0) return each.seen = 0, true;
    if (wanted == 2 && each.kind == operation_kind::found) return each.key ^= 1, true;
  }
  for (std::size_t step = 0; step < told.transactions.size(); ++step) {
    auto& each = told.transactions[(first + step) % told.transactions.size()];
    if (each.outcome != commit_outcome::acknowledged || each.committed <= each.snapshot) continue;
    if (wanted == 3) return each.outcome = commit_outcome::failed, true;
    return each.committed = each.committed.next(), true;
  }
  return false;
}

[[nodiscard]] double megabytes_used() {
  double kilobytes = 0;
  if (std::FILE* const status = std::fopen("/proc/self/status", "r"); status != nullptr) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr)
      if (std::sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1) break;
    std::fclose(status);
  }
  return kilobytes / 1024;
}

}  // namespace

int main(int count, char** arguments) {
  const campaign_size size = campaign_size_of(count, arguments);
  const stopwatch since;
  const std::uint64_t histories = size == campaign_size::ci ? 10'000 : 100'000;
  random_source seeds(20'261'130);
  std::uint64_t good = 0, lies = 0, permitted = 0, contested = 0;
  for (std::uint64_t number = 0; number < histories; ++number) {
    const std::uint64_t seed = seeds.next();
    random_source random(seed);
    generated_shape shape{.keys = 2 + random.below(30)};
    shape.clients = 2 + random.below(6);
    generated_history made(seed, shape);
    const auto report = check_history(made.get());
    expect(report.good(), "a false alarm", seed, report.message());
    good += report.transactions;
    permitted += report.permitted_cycles;
    contested += report.contested;
    if (!lie(made.get(), random)) continue;
    ++lies;
    expect(!check_history(made.get()).good(), "a lie that was believed", seed);
  }

  const std::size_t transactions = size == campaign_size::ci ? 1'000'000 : 20'000'000;
  const std::uint64_t seed = seeds.next();
  generated_history large(seed, {.transactions = transactions, .clients = 16, .keys = transactions / 10});
  const std::clock_t begin = std::clock();  // of the processor: others may use it too
  const auto report = check_history(large.get());
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  expect(report.good(), "a false alarm", seed, report.message());
  const double per_second = static_cast<double>(report.transactions) / seconds;
  expect(per_second > 100'000, "slow", seed, std::to_string(per_second) + " transactions/s");
  expect(permitted > 0 && contested > 0 && lies > 0, "nothing to find", seed);

  char line[512];
  std::snprintf(
      line, sizeof line,
      "%llu good histories of 2 to 7 clients, %llu transactions, 0 false alarms allowed; %llu contested ranges, "
      "%llu permitted cycles; %llu lies, all found; one history of %llu transactions, %llu versions, %llu "
      "reads: %.0f transactions/s of one core, %.0f MB in all",
      static_cast<unsigned long long>(histories), static_cast<unsigned long long>(good),
      static_cast<unsigned long long>(contested), static_cast<unsigned long long>(permitted),
      static_cast<unsigned long long>(lies), static_cast<unsigned long long>(report.transactions),
      static_cast<unsigned long long>(report.versions), static_cast<unsigned long long>(report.reads), per_second,
      megabytes_used());
  print_campaign("history", line, since);
  return failed ? 1 : 0;
}
