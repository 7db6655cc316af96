// Processes over one real folder, killed at any moment, and made to stand still for longer than a vacuum's grace in
// which others go on without them: zombie writers, zombie compactions, zombie vacuums. After each round the lake is
// checked, and so is every transaction that anybody has ever begun: acknowledged ones are there, once and in whole;
// refused ones are not; of the others all or nothing.
//
// A kill does not lose what the kernel has been given, so most rounds go without fsync, where there are more of them in
// a second; they prove what a crash of programs leaves, and power_cut.cpp what a loss of power does. In every fifth
// round the kills meet a store with full durability, on a disk.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/log/log.hpp>
#include <tarn/store/file_store.hpp>
#include <tarn/testing/random_source.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "../support/numbered_work.hpp"
#include "../support/process.hpp"
#include "../support/temporary_folder.hpp"
#include "campaign.hpp"

namespace {

using namespace tarn_test;
using tarn::testing::random_source;
using lake_client = tarn::client<tarn::file_store<>>;

struct bounds {
  std::uint64_t kills;
  std::uint64_t zombies;
  std::size_t workers;
};
constexpr bounds ci{1'000, 100, 4};
constexpr bounds nightly{20'000, 2'000, 6};

constexpr std::uint64_t kills_per_round = 25;
constexpr std::uint64_t grace_ms = 10;
constexpr std::uint64_t keep_versions = 300;  // more than are committed between two looks of the parent at the log
constexpr std::int64_t numbers_per_worker = 1'000'000;

[[nodiscard]] lake_client open_lake(const temporary_folder& folder, tarn::durability durability) {
  tarn::file_store_options durable;
  durable.durability = durability;
  tarn::client_options options;
  options.bounds.rows_per_object = 2;     // so that a transaction is several objects
  options.commit.inline_bytes_max = 300;  // some of which travel in the log
  options.checkpoint_interval = 16;
  return lake_client(tarn::file_store<>((folder.path() / "lake").string(), durable), options);
}

// --- a worker, in a process of its own -----------------------------------------------------------------------------

class worker {
 public:
  worker(lake_client lake, std::int64_t number, std::uint64_t seed, line_writer lines)
      : lake_(std::move(lake)), number_(number * numbers_per_worker), random_(seed), lines_(lines) {}

  [[noreturn]] void run() {
    for (;;) {
      const std::size_t dice = random_.below(100);
      if (dice < 60)
        commit();
      else if (dice < 72)
        report("compaction", lake_.compact(random_.chance(50) ? "keyed" : "left"));
      else if (dice < 75)
        report("checkpoint", lake_.checkpoint());
      else if (dice < 92)
        report("vacuum", vacuum(lake_, retention()));
      else
        report("truncation", truncate(lake_));
    }
  }

 private:
  // "started NUMBER ID", then "committed NUMBER VERSION", "refused NUMBER WHY" or "unknown NUMBER".
  void commit() {
    auto transaction = lake_.begin();
    if (!transaction) return report("begin", transaction);
    const std::string number = std::to_string(++number_);
    lines_.write("started " + number + " " + to_text(transaction->id()));
    const tarn::status done = numbered_work(number_).run(*transaction);
    const tarn::result<tarn::version> committed =
        done ? transaction->commit() : tarn::result<tarn::version>(done.error());
    if (committed) return lines_.write("committed " + number + " " + std::to_string(committed->number));
    if (committed.error().code() == tarn::errc::commit_unknown) return lines_.write("unknown " + number);
    lines_.write("refused " + number);
    report("commit", committed);
  }

  // "did WHAT" or "failed WHAT CODE MESSAGE".
  template <class Result>
  void report(const std::string& what, const Result& done) const {
    if (done) return lines_.write("did " + what);
    lines_.write("failed " + what + " " + std::string(name_of(done.error().code())) + " " +
                 done.error().message().substr(0, 400));
  }

  [[nodiscard]] static tarn::vacuum_options retention() {
    tarn::vacuum_options wanted;
    wanted.keep_ms = 0;
    wanted.keep_versions = keep_versions;
    wanted.grace_ms = grace_ms;
    return wanted;
  }

  lake_client lake_;
  std::int64_t number_;
  random_source random_;
  line_writer lines_;
};

// --- what all workers of a round have told -------------------------------------------------------------------------

class account {
 public:
  void note(const std::string& line) {
    std::istringstream words(line);
    std::string what;
    std::int64_t number = 0;
    std::string rest;
    words >> what;
    if (what == "did" || what == "failed") {
      words >> rest;
      std::string code;
      words >> code;
      ++happened[what == "did" ? rest : rest + " " + code];
      const bool expected = what == "did" || code == "conflict" || code == "expired" || code == "snapshot_expired";
      if (!expected) complain(line);
      return;
    }
    words >> number >> rest;
    if (what == "started") started_[rest] = number;
    if (what == "committed") committed_[number] = tarn::version{std::stoll(rest)};
    if (what == "refused") refused_.insert(number);
    ++happened[what];
  }

  // What is in the log since the last look: a truncation may take it away later.
  void look_at_log(lake_client& lake) {
    for (;;) {
      const auto read = get_entry(lake.store(), next_, lake.core()->options.bounds);
      if (!read) return;
      log_[next_] = to_text(read->content.transaction);
      next_ = next_.next();
    }
  }

  // All of it against the lake, when nobody works there any more.
  void check(lake_client& lake) {
    look_at_log(lake);
    const auto checked = tarn::check(lake);
    if (!checked) return complain(checked.error().message());
    if (!checked->sound()) complain(checked->findings[0].message);
    if (checked->newest.next() != next_)
      return complain("the log was read up to version " + std::to_string(next_.number - 1) + " of " +
                      std::to_string(checked->newest.number) + ": too late?");
    numbered_content expected;
    std::map<std::int64_t, tarn::version> places;
    for (const auto& [at, id] : log_) {
      const auto known = started_.find(id);
      if (known == started_.end()) continue;  // a vacuum, a compaction, or the tables' creation
      if (!places.emplace(known->second, at).second) complain("twice in the log: " + std::to_string(known->second));
      expected.apply(numbered_work(known->second));
    }
    for (const auto& [number, at] : committed_)
      if (const auto found = places.find(number); found == places.end() || found->second != at)
        complain("lost: transaction " + std::to_string(number));
    for (const std::int64_t number : refused_)
      if (places.count(number) != 0) complain("refused, but in the log: " + std::to_string(number));
    happened["untold commit"] += places.size() - committed_.size();
    auto transaction = lake.begin();
    if (!transaction) return complain(transaction.error().message());
    const auto content = read_numbered_content(*transaction);
    if (!content) return complain(content.error().message());
    if (const std::string wrong = difference(expected, *content); !wrong.empty()) complain(wrong);
    check_that_it_goes_on(lake);
  }

  [[nodiscard]] bool good() const { return complaints_ == 0; }

  std::map<std::string, std::uint64_t> happened;

 private:
  void check_that_it_goes_on(lake_client& lake) {
    auto transaction = lake.begin();
    if (!transaction) return complain(transaction.error().message());
    if (const tarn::status done = numbered_work(1).run(*transaction); !done) return complain(done.error().message());
    if (const auto committed = transaction->commit(); !committed) complain(committed.error().message());
  }

  void complain(const std::string& what) {
    if (complaints_++ < 10) std::printf("WRONG: %s\n", what.c_str());
  }

  std::map<std::string, std::int64_t> started_;      // by the transaction's id
  std::map<std::int64_t, tarn::version> committed_;  // as acknowledged
  std::set<std::int64_t> refused_;
  std::map<tarn::version, std::string> log_;
  tarn::version next_{0};
  std::uint64_t complaints_ = 0;
};

// --- a round -------------------------------------------------------------------------------------------------------

class round {
 public:
  round(std::uint64_t seed, std::size_t workers, tarn::durability durability)
      : durability_(durability),
        random_(seed),
        folder_(durability == tarn::durability::full ? std::filesystem::temp_directory_path() : memory_or_disk()),
        lake_(open_lake(folder_, durability)) {
    auto transaction = lake_.begin().value();
    create_numbered_tables(transaction).value();
    (void)transaction.commit().value();
    told.look_at_log(lake_);
    while (running_.size() < workers) running_.push_back({start(), {}});
  }

  void run() {
    while (kills < kills_per_round) {
      ::usleep(static_cast<useconds_t>(random_.below(8'000)));
      for (victim& each : running_) {
        listen(each, each.worker.lines_so_far());
        if (each.wakes != never && now() >= each.wakes) wake(each);
      }
      told.look_at_log(lake_);
      victim& unlucky = running_[random_.below(running_.size())];
      if (unlucky.wakes == never && random_.chance(25))
        stop(unlucky);
      else
        kill(unlucky);
    }
    // Zombies wake up among the others, and all go on for a while.
    for (victim& each : running_)
      if (each.wakes != never) wake(each);
    ::usleep(5'000);
    for (victim& each : running_) finish(each);
    told.check(lake_);
  }

  account told;
  std::uint64_t kills = 0;
  std::uint64_t zombies = 0;         // that went on after the grace was over
  std::uint64_t active_zombies = 0;  // times that one of them has told something afterwards

 private:
  using clock = std::chrono::steady_clock;
  static constexpr clock::time_point never = clock::time_point();
  struct victim {
    process worker;
    clock::time_point wakes;  // `never`: it is not standing still
    bool was_zombie = false;
  };

  [[nodiscard]] static clock::time_point now() { return clock::now(); }

  [[nodiscard]] process start() {
    const std::int64_t number = ++started_;
    const std::uint64_t seed = random_.next();
    return process(
        [&, number, seed](line_writer lines) { worker(open_lake(folder_, durability_), number, seed, lines).run(); });
  }

  void stop(victim& each) {
    each.worker.pause();
    listen(each, each.worker.lines_so_far());
    each.wakes = now() + std::chrono::milliseconds(2 * grace_ms + random_.below(4 * grace_ms));
  }
  void wake(victim& each) {
    if (now() >= each.wakes) {
      ++zombies;
      each.was_zombie = true;
    }
    each.wakes = never;
    each.worker.resume();
  }

  void kill(victim& each) {
    finish(each);
    ++kills;
    each = {start(), never};
  }
  void finish(victim& each) {
    each.worker.kill();
    listen(each, each.worker.lines());
  }
  void listen(victim& each, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) told.note(line);
    if (each.was_zombie && !lines.empty()) {
      ++active_zombies;
      each.was_zombie = false;
    }
  }

  tarn::durability durability_;
  random_source random_;
  temporary_folder folder_;
  lake_client lake_;
  std::int64_t started_ = 0;
  std::vector<victim> running_;
};

}  // namespace

int main(int count, char** arguments) {
  const bounds& wanted = campaign_size_of(count, arguments) == campaign_size::ci ? ci : nightly;
  const stopwatch since;
  std::map<std::string, std::uint64_t> happened;
  std::uint64_t kills = 0;
  std::uint64_t full_kills = 0;
  std::uint64_t zombies = 0;
  std::uint64_t active_zombies = 0;
  std::uint64_t rounds = 0;
  bool good = true;
  while (good && (kills < wanted.kills || zombies < wanted.zombies)) {
    ++rounds;
    const bool full = rounds % 5 == 0;
    round here(rounds, wanted.workers, full ? tarn::durability::full : tarn::durability::none);
    here.run();
    good = here.told.good();
    if (!good) std::printf("in round %llu\n", static_cast<unsigned long long>(rounds));
    kills += here.kills;
    full_kills += full ? here.kills : 0;
    zombies += here.zombies;
    active_zombies += here.active_zombies;
    for (const auto& [what, times] : here.told.happened) happened[what] += times;
  }
  print_campaign("torture",
                 tarn::concat({wanted.workers,
                               " processes on one folder: ",
                               kills,
                               " kills in ",
                               rounds,
                               " rounds (",
                               full_kills,
                               " of them with full durability on a disk, the others without fsync), ",
                               zombies,
                               " stopped beyond the grace of ",
                               grace_ms,
                               " ms (",
                               active_zombies,
                               " have told of more); ",
                               happened["started"],
                               " transactions, ",
                               happened["committed"],
                               " acknowledged, ",
                               happened["untold commit"],
                               " committed untold, ",
                               happened["refused"],
                               " refused (",
                               happened["commit conflict"],
                               " conflicts, ",
                               happened["commit expired"],
                               " expired), ",
                               happened["compaction"],
                               " compactions, ",
                               happened["vacuum"],
                               " vacuums, ",
                               happened["truncation"],
                               " truncations; all accounted for: ",
                               good ? "yes" : "NO"}),
                 since);
  const bool meant_something = happened["committed"] > kills && happened["untold commit"] > 0 &&
                               happened["vacuum"] > 0 && happened["truncation"] > 0 && happened["compaction"] > 0 &&
                               active_zombies > 0;
  if (!meant_something) std::printf("campaign torture: too little has happened to mean anything\n");
  return good && meant_something ? 0 : 1;
}
