#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/table/bag_scan.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <utility>
#include <vector>

namespace {

using tarn::testing::exploration_options;
using tarn::testing::exploration_report;
using tarn::testing::explored_store;
using tarn::testing::simulated_environment;
using lake_client = tarn::client<explored_store>;

// Clients that have read a lake with an empty table x, and begin each run from there.
class prepared_clients {
 public:
  explicit prepared_clients(std::size_t count) : committed_(count) {
    simulated_environment founder(1);
    lake_client first(explored_store(lake_), {.surroundings = founder.get()});
    auto tx = first.begin().value();
    tx.create_table("x", {"who"}).value();
    tx.commit().value();
    for (std::size_t number = 0; number < count; ++number) {
      surroundings_.emplace_back();
      clients_.emplace_back(explored_store(lake_), tarn::client_options{.surroundings = surroundings_.back().get()});
      (void)clients_.back().begin().value();
    }
  }

  // Each inserts its number; what is there at the end must be the numbers of those that were told so.
  [[nodiscard]] exploration_report explore_appends(exploration_options options) {
    options.initial = lake_;
    options.begin = [this](const tarn::testing::fault_plan&) {
      for (std::size_t number = 0; number < clients_.size(); ++number) {
        surroundings_[number] = simulated_environment(number + 2);  // ids that nobody else makes
        committed_[number] = false;
      }
    };
    options.check = [this](const tarn::testing::explored_moment& end) { return difference(end.store()); };
    std::vector<tarn::testing::explored_program> programs;
    for (std::size_t number = 0; number < clients_.size(); ++number)
      programs.push_back({"appends", [this, number](explored_store store) { append(number, std::move(store)); }});
    return tarn::testing::explore(std::move(programs), options);
  }

 private:
  void append(std::size_t number, explored_store store) {
    lake_client mine(clients_[number]);
    mine.store() = std::move(store);
    const auto work = [&](auto& tx) { return tx.insert("x", {static_cast<int>(number)}); };
    committed_[number] = mine.run(work).has_value();
  }

  [[nodiscard]] std::string difference(explored_store store) const {
    lake_client reader(clients_[0]);
    reader.store() = std::move(store);
    std::vector<bool> there(committed_.size());
    auto tx = reader.begin().value();
    for (const tarn::row_view row : tx.scan("x").value()) {
      const auto number = static_cast<std::size_t>(row[0].as_integer());
      if (there[number]) return tarn::concat({"row ", number, " is there twice"});
      there[number] = true;
    }
    return there == committed_ ? "" : "the rows are not those that were committed";
  }

  tarn::memory_store lake_;
  std::deque<simulated_environment> surroundings_;
  std::deque<lake_client> clients_;
  std::vector<bool> committed_;
};

}  // namespace

TEST_CASE("Two writers append: each order of their calls ends with both rows, and so does each state") {
  prepared_clients two(2);
  exploration_options options;
  const exploration_report report = two.explore_appends(options);
  CHECK_MESSAGE(report.passed(), report.text());
  CHECK(report.exhaustive);
  CHECK(report.runs > 1);
  CHECK(report.interleavings > 100);

  options.by = tarn::testing::explore_by::states();
  const exploration_report states = two.explore_appends(options);
  CHECK_MESSAGE(states.passed(), states.text());
  CHECK(states.interleavings == report.interleavings);

  options.by = tarn::testing::explore_by::brute_force();
  const exploration_report all = two.explore_appends(options);
  CHECK_MESSAGE(all.passed(), all.text());
  CHECK(all.runs == report.interleavings);
  MESSAGE("2 writers: ", report.text(), "\n", states.text(), "\n", all.text());
}

TEST_CASE("Three writers append: the orders that can matter are few, and those that they stand for many") {
  prepared_clients three(3);
  exploration_options options;
  const exploration_report report = three.explore_appends(options);
  CHECK_MESSAGE(report.passed(), report.text());
  CHECK(report.exhaustive);
  options.symmetric = true;
  const exploration_report some = three.explore_appends(options);
  CHECK_MESSAGE(some.passed(), some.text());
  CHECK(some.interleavings == report.interleavings);
  MESSAGE("3 writers: ", report.text(), "\n", some.text());
}
