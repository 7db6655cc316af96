// Interleavings of two and three clients of a lake, with no fault and with one, at every call: all of them, or as many
// as the bounds of each line allow. On the real code, and each outcome is checked.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <tarn/core/text.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "../support/explored_lake.hpp"
#include "campaign.hpp"

namespace {

using namespace tarn_test;
using tarn::isolation;
using tarn::testing::exploration_options;
using tarn::testing::exploration_report;
using tarn::testing::fault;
using tarn::testing::fault_kind;

// Programs that are explored together.
struct scenario {
  std::vector<program_kind> kinds;
  isolation level = isolation::serializable;
  std::uint32_t inline_bytes_max = 0;
};

// What is done with each scenario of a campaign.
struct bounds {
  const char* name;
  std::vector<fault> faults;
  std::size_t at_once;          // faults
  std::uint64_t runs_max;       // of one scenario; then it is sampled
  std::uint64_t exhausted_min;  // how many scenarios must need no more than that
};

// All of `size` programs out of the ten kinds, in any combination.
std::vector<scenario> scenarios(std::size_t size, isolation level, std::uint32_t inline_bytes_max) {
  std::vector<scenario> all{{{}, level, inline_bytes_max}};
  for (std::size_t number = 0; number < size; ++number) {
    std::vector<scenario> longer;
    for (const scenario& each : all)
      for (std::size_t kind = each.kinds.empty() ? 0 : static_cast<std::size_t>(each.kinds.back());
           kind < program_kinds; ++kind) {
        longer.push_back(each);
        longer.back().kinds.push_back(static_cast<program_kind>(kind));
      }
    all = std::move(longer);
  }
  return all;
}

const std::vector<fault> crash_or_lost_answer{
    {fault_kind::crash, 0}, {fault_kind::crash, 1}, {fault_kind::error_before}, {fault_kind::error_after}};
const std::vector<fault> late_or_twice{
    {fault_kind::late}, {fault_kind::exists_after}, {fault_kind::not_applied}, {fault_kind::duplicate}};

// The sum over many explorations.
class totals {
 public:
  void add(const exploration_report& report, const explored_lake& lake) {
    runs_ += report.runs;
    repeated_ += report.repeated;
    plans_ += report.plans;
    with_faults_ += report.runs_with_faults;
    interleavings_ += static_cast<double>(report.interleavings);
    longest_ = std::max(longest_, report.longest_run);
    exhaustive_ += report.exhaustive ? 1U : 0U;
    ++scenarios_;
    stores_ += lake.stores();
    transactions_ += lake.transactions();
    judged_ += lake.judged();
    faults_ += lake.faults();
    const explored_outcomes& ended = lake.outcomes();
    outcomes_.runs += ended.runs;
    outcomes_.done += ended.done;
    outcomes_.conflicts += ended.conflicts;
    outcomes_.expired += ended.expired;
    outcomes_.unknown += ended.unknown;
    outcomes_.failed += ended.failed;
    if (!report.passed()) failures_ += "  " + report.text() + "\n";
  }

  // A library that refuses everything has not passed, nor one that does so much that nothing is explored to its end.
  [[nodiscard]] bool passed(const bounds& within) const {
    return exhaustive_ >= within.exhausted_min && outcomes_.done > runs_ && failures_.empty();
  }
  [[nodiscard]] const std::string& failures() const { return failures_; }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

  [[nodiscard]] std::string text(const std::vector<fault>& kinds) const {
    char interleavings[32];
    std::snprintf(interleavings, sizeof interleavings, "%.1e", interleavings_);
    std::string line = tarn::concat({scenarios_,
                                     " scenarios, ",
                                     exhaustive_,
                                     " of them exhaustively, ",
                                     runs_,
                                     " runs that stand for ",
                                     interleavings,
                                     " interleavings or more, up to ",
                                     longest_,
                                     " calls long, ",
                                     plans_,
                                     " plans of faults, ",
                                     with_faults_,
                                     " runs with faults, ",
                                     repeated_,
                                     " runs made twice, ",
                                     stores_,
                                     " different stores, ",
                                     transactions_,
                                     " transactions checked, ",
                                     judged_,
                                     " removals and looks in vain judged; in ",
                                     outcomes_.runs,
                                     " runs, those of plans that never happened among them, programs ended ",
                                     outcomes_.done,
                                     " done, ",
                                     outcomes_.conflicts,
                                     " conflict, ",
                                     outcomes_.expired,
                                     " expired, ",
                                     outcomes_.unknown,
                                     " unknown, ",
                                     outcomes_.failed,
                                     " failed"});
    std::vector<fault_kind> told;
    for (const fault& each : kinds) {
      if (std::find(told.begin(), told.end(), each.kind) != told.end()) continue;
      told.push_back(each.kind);
      line += tarn::concat({"; F", static_cast<unsigned>(each.kind), " fired ", faults_.of(each.kind), " times"});
    }
    return line;
  }
  // Which of the faults have never happened.
  [[nodiscard]] std::string never(const std::vector<fault>& kinds) const {
    for (const fault& each : kinds)
      if (faults_.of(each.kind) == 0) return std::string(name_of(each.kind)) + " never happened";
    return {};
  }

 private:
  std::uint64_t scenarios_ = 0;
  std::uint64_t exhaustive_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t repeated_ = 0;
  std::uint64_t plans_ = 0;
  std::uint64_t with_faults_ = 0;
  std::uint64_t stores_ = 0;
  std::uint64_t transactions_ = 0;
  std::uint64_t judged_ = 0;
  double interleavings_ = 0;
  std::size_t longest_ = 0;
  explored_outcomes outcomes_;
  tarn::testing::fault_counts faults_;
  std::string failures_;
};

// Scenarios are independent: each core takes the next one.
totals explore_all(const std::vector<scenario>& all, const bounds& within, std::uint64_t repeat_every) {
  totals sum;
  std::mutex guard;
  std::size_t next = 0;
  const auto work = [&] {
    for (;;) {
      std::unique_lock<std::mutex> held(guard);
      if (next == all.size()) return;
      const scenario& mine = all[next++];
      held.unlock();
      explored_lake lake(mine.level, mine.inline_bytes_max);
      exploration_options options;
      options.symmetric = true;
      options.runs_max = within.runs_max;
      options.samples = repeat_every == 1 ? 20 : 4;  // of each plan
      options.repeat_every = repeat_every;
      options.faults.kinds = within.faults;
      options.faults.at_once = within.at_once;
      const exploration_report report = lake.explore(mine.kinds, std::move(options));
      held.lock();
      sum.add(report, lake);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned core = 1; core < std::max(1U, std::thread::hardware_concurrency()); ++core) workers.emplace_back(work);
  work();
  for (std::thread& each : workers) each.join();
  return sum;
}

class campaign {
 public:
  explicit campaign(campaign_size size) : size_(size) {}

  void run(const bounds& within, std::size_t programs, isolation level = isolation::serializable,
           std::uint32_t inline_bytes_max = 0) {
    const stopwatch since;
    // At night every run is made twice, to see that it is a function of its schedule.
    const totals sum =
        explore_all(scenarios(programs, level, inline_bytes_max), within, size_ == campaign_size::ci ? 100 : 1);
    print_campaign(tarn::concat({"exploration of ", programs, " clients, ", within.name, ", at most ", within.runs_max,
                                 " runs of each scenario before it is sampled"})
                       .c_str(),
                   sum.text(within.faults), since);
    const std::string never = sum.never(within.faults);
    const bool passed = sum.passed(within) && never.empty();
    good_ = good_ && passed;
    if (!passed) std::printf("FAILED: %s\n", within.name);
    if (!never.empty()) std::printf("FAILED: %s\n", never.c_str());
    if (!sum.failures().empty()) std::printf("FAILED:\n%s", sum.failures().c_str());
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  campaign_size size_;
  bool good_ = true;
};

}  // namespace

int main(int count, char** arguments) {
  const campaign_size size = campaign_size_of(count, arguments);
  std::vector<fault> every = crash_or_lost_answer;
  every.insert(every.end(), late_or_twice.begin(), late_or_twice.end());
  const bool nightly = size == campaign_size::nightly;
  campaign all(size);
  for (const auto& [level, name] : {std::pair{isolation::serializable, "serializable, no faults"},
                                    std::pair{isolation::snapshot, "snapshot, no faults"},
                                    std::pair{isolation::non_blocking, "non_blocking, no faults"}})
    all.run({name, {}, 0, nightly ? 10'000U : 2'000U, 51}, 2, level);
  all.run({"one fault", every, 1, nightly ? 10'000U : 4'000U, 45}, 2);
  all.run({"rows in log entries, one crash or error", crash_or_lost_answer, 1, nightly ? 4'000U : 1'000U, 32}, 2,
          isolation::serializable, 4'096);
  all.run({"no faults", {}, 0, nightly ? 2'000U : 1'000U, 136}, 3);
  all.run({"one crash or error", crash_or_lost_answer, 1, nightly ? 1'000U : 500U, 16}, 3);
  if (nightly) {
    all.run({"two crashes or errors", crash_or_lost_answer, 2, 4'000, 0}, 2);
    all.run({"two crashes or errors", crash_or_lost_answer, 2, 1'000, 0}, 3);
    all.run({"one put that is late, repeated or refused", late_or_twice, 1, 500, 0}, 3);
    all.run({"no faults", {}, 0, 200, 0}, 4);
  }
  return all.good() ? 0 : 1;
}
