#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/table/bag_scan.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <utility>
#include <vector>

#include "../support/asked_schedule.hpp"
#include "../support/random_source.hpp"

namespace {

using tarn::testing::exploration_options;
using tarn::testing::exploration_report;
using tarn::testing::explored_store;
using tarn::testing::fault_kind;
using tarn::testing::fault_plan;
using tarn::testing::simulated_environment;
using faulty_store = tarn::testing::fault_store<explored_store>;
using lake_client = tarn::client<faulty_store>;

// Writers that have read a lake with an empty table x, and begin each run from there: each inserts its number.
class appending_clients {
 public:
  explicit appending_clients(std::size_t count) : told_(count) {
    for (std::size_t number = 0; number < count; ++number) {
      surroundings_.emplace_back(number + 1);
      clients_.emplace_back(faulty_store(explored_store(lake_), faults_, number),
                            tarn::client_options{.surroundings = surroundings_[number].get()});
      auto tx = clients_[number].begin().value();
      if (number != 0) continue;
      tx.create_table("x", {"who"}).value();
      tx.commit().value();
    }
  }

  [[nodiscard]] exploration_report explore(exploration_options options) {
    tarn_test::replay_if_asked(options);
    options.initial = lake_;
    options.begin = [this](const fault_plan& plan) { begin(plan); };
    options.faults.fired = [this] { return faults_->never_fired(faults_->chooser().planned()).empty(); };
    options.check = [this](const tarn::testing::explored_moment& end) { return difference(end); };
    std::vector<tarn::testing::explored_program> programs;
    for (std::size_t number = 0; number < clients_.size(); ++number)
      programs.push_back({"appends", [this, number](explored_store store) { append(number, std::move(store)); }});
    return tarn::testing::explore(std::move(programs), options);
  }

  // How often each kind of answer was given, in all runs.
  std::size_t committed = 0;
  std::size_t failed = 0;
  std::size_t in_doubt = 0;

 private:
  enum class answer : unsigned char { none, committed, failed, in_doubt };

  void begin(const fault_plan& plan) {
    faults_ = faulty_store::state_of(plan);
    told_.assign(told_.size(), answer::none);
    for (std::size_t number = 0; number < surroundings_.size(); ++number)
      surroundings_[number] = simulated_environment(100 + number);  // ids that nobody else makes
  }

  void append(std::size_t number, explored_store store) {
    lake_client mine(clients_[number]);
    mine.store() = faulty_store(std::move(store), faults_, number, &surroundings_[number]);
    const auto done = mine.run([&](auto& tx) { return tx.insert("x", {static_cast<int>(number)}); });
    if (done)
      told_[number] = answer::committed;
    else
      told_[number] = done.error().code() == tarn::errc::commit_unknown ? answer::in_doubt : answer::failed;
  }

  // Whoever was told that its row is there must be right, or that it is not.
  [[nodiscard]] std::string difference(const tarn::testing::explored_moment& end) {
    lake_client reader(clients_[0]);
    reader.store() = faulty_store(end.store(), faulty_store::state_of(), 0);
    std::vector<std::size_t> rows(told_.size());
    auto tx = reader.begin();
    if (!tx) return tx.error().message();
    for (const tarn::row_view row : tx->scan("x").value()) ++rows[static_cast<std::size_t>(row[0].as_integer())];
    for (std::size_t number = 0; number < told_.size(); ++number) {
      const answer told = told_[number];
      committed += told == answer::committed ? 1 : 0;
      failed += told == answer::failed ? 1 : 0;
      in_doubt += told == answer::in_doubt ? 1 : 0;
      if (rows[number] > 1) return tarn::concat({"row ", number, " is there twice"});
      if (told == answer::committed && rows[number] == 0) return tarn::concat({"row ", number, " is not there"});
      const bool crashed = faults_->fired().size() == 1 && faults_->fired()[0].what.kind == fault_kind::crash;
      if (told == answer::failed && rows[number] == 1 && !crashed)
        return tarn::concat({"row ", number, " is there, though its writer was told that it failed"});
    }
    return {};
  }

  tarn::memory_store lake_;
  faulty_store::state faults_ = faulty_store::state_of();
  std::deque<simulated_environment> surroundings_;
  std::deque<lake_client> clients_;
  std::vector<answer> told_;
};

}  // namespace

TEST_CASE("Two writers append: each order of their calls ends with both rows, and so does each state") {
  appending_clients two(2);
  exploration_options options;
  const exploration_report report = two.explore(options);
  CHECK_MESSAGE(report.passed(), report.text());
  CHECK(report.exhaustive);
  CHECK(report.runs > 1);
  CHECK(two.committed >= 2 * report.runs);
  CHECK(two.failed + two.in_doubt == 0);

  options.by = tarn::testing::explore_by::states();
  const exploration_report states = two.explore(options);
  CHECK_MESSAGE(states.passed(), states.text());
  CHECK(states.interleavings == report.interleavings);

  if (tarn_test::share_of_cases() > 1) return;
  options.by = tarn::testing::explore_by::brute_force();
  const exploration_report all = two.explore(options);
  CHECK_MESSAGE(all.passed(), all.text());
  CHECK(all.runs == report.interleavings);
  MESSAGE("2 writers: ", report.text(), "\n", states.text(), "\n", all.text());
}

TEST_CASE("Three writers append: the orders that can matter are few, and those that they stand for many") {
  appending_clients three(3);
  exploration_options options;
  const exploration_report report = three.explore(options);
  CHECK_MESSAGE(report.passed(), report.text());
  CHECK(report.exhaustive);
  options.symmetric = true;
  const exploration_report some = three.explore(options);
  CHECK_MESSAGE(some.passed(), some.text());
  CHECK(some.runs < report.runs);
  CHECK(some.interleavings == report.interleavings);
  MESSAGE("3 writers: ", report.text(), "\n", some.text());
}

TEST_CASE("Two writers append, and any call of either meets any fault: nobody is told anything wrong") {
  appending_clients two(2);
  exploration_options options;
  options.faults.kinds = {{fault_kind::error_before}, {fault_kind::error_after}, {fault_kind::late},
                          {fault_kind::exists_after}, {fault_kind::not_applied}, {fault_kind::duplicate},
                          {fault_kind::crash, 0},     {fault_kind::crash, 1}};
  const exploration_report report = two.explore(options);
  CHECK_MESSAGE(report.passed(), report.text());
  CHECK(report.exhaustive);
  CHECK(report.plans > 50);
  CHECK(two.committed > 0);
  CHECK(two.failed > 0);
  MESSAGE(report.text(), "\ncommitted ", two.committed, ", failed ", two.failed, ", in doubt ", two.in_doubt);
}
