#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tarn/store/store.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/fault_store.hpp>
#include <utility>
#include <vector>

#include "../support/random_programs.hpp"
#include "../support/random_source.hpp"

namespace {

namespace by = tarn::testing::explore_by;
using tarn::testing::exploration_options;
using tarn::testing::exploration_report;
using tarn::testing::explore;
using tarn::testing::explored_moment;
using tarn::testing::explored_program;
using tarn::testing::explored_store;
using tarn::testing::fault_kind;
using tarn::testing::fault_plan;
using tarn::testing::store_call;

static_assert(tarn::removing_store<explored_store>);

// Puts `count` objects, whose names begin with `prefix`.
explored_program puts(std::string name, int count, std::string prefix) {
  return {std::move(name), [=](explored_store store) {
            for (int number = 0; number < count; ++number)
              (void)store.put_if_absent(tarn::concat({prefix, number}), "bytes");
          }};
}

exploration_report explore_by_strategy(std::vector<explored_program> programs, tarn::testing::exploration_strategy by) {
  exploration_options options;
  options.by = std::move(by);
  return explore(std::move(programs), options);
}

// A counter, as an object for each value: adding one reads the greatest and puts the next. The wrong way takes "exists"
// for success.
explored_program counts(std::string name, bool& done, bool rightly) {
  return {
      std::move(name), [&done, rightly](explored_store store) {
        for (int next = 0; !done; ++next) {
          if (store.get(tarn::concat({"n", next}))) continue;
          done = store.put_if_absent(tarn::concat({"n", next}), "").outcome() == tarn::put_outcome::created || !rightly;
        }
      }};
}

// Two that count, and whether the counter is what it must be at the end.
struct counting {
  bool done[3] = {};
  exploration_options options;

  counting() {
    options.begin = [this](const fault_plan&) { done[0] = done[1] = done[2] = false; };
    options.check = [this](const explored_moment& end) {
      const auto counted = static_cast<std::size_t>(done[0] + done[1] + done[2]);
      const bool right = end.store().get(tarn::concat({"n", counted - 1})).has_value();
      return right ? std::string() : tarn::concat({"counted ", counted, " times, but there is no n", counted - 1});
    };
  }
  std::vector<explored_program> programs(bool rightly, std::size_t count = 2) {
    std::vector<explored_program> all;
    const char* const names[] = {"ada", "joey", "kim"};
    for (std::size_t number = 0; number < count; ++number) all.push_back(counts(names[number], done[number], rightly));
    return all;
  }
};

// The first of so many random scenarios, from this seed on, in which the searches by this relation differ from brute
// force, and how; 0 if there is none.
std::uint64_t first_difference(std::uint64_t seed, std::uint64_t count, tarn::testing::call_relation related,
                               std::string_view how, decltype(tarn_test::make_random_scenario)& make) {
  for (const std::uint64_t end = seed + count; seed < end; ++seed) {
    const auto compared = tarn_test::compare_searches(make(seed), related);
    if (compared.difference.empty() || compared.difference.find(how) == std::string::npos) continue;
    MESSAGE("seed ", seed, ": ", compared.difference);
    return seed;
  }
  return 0;
}

bool removes_commute(const store_call& one, const store_call& other) noexcept {
  using tarn::testing::store_operation;
  return (one.operation != store_operation::remove || other.operation != store_operation::remove) &&
         calls_depend(one, other);
}
bool lists_commute(const store_call& one, const store_call& other) noexcept {
  using tarn::testing::store_operation;
  return one.operation != store_operation::list && other.operation != store_operation::list && calls_depend(one, other);
}
bool gets_commute(const store_call& one, const store_call& other) noexcept {
  using tarn::testing::store_operation;
  return one.operation != store_operation::get && other.operation != store_operation::get && calls_depend(one, other);
}
bool same_name(const store_call& one, const store_call& other) noexcept { return one.name == other.name; }

}  // namespace

TEST_CASE("Partial order and states find what brute force finds, and count the interleavings that it runs") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  const std::uint64_t count = 120 / tarn_test::share_of_cases();
  CHECK(first_difference(seed, count, tarn::testing::calls_depend, {}, tarn_test::make_random_scenario) == 0);
  CHECK(first_difference(seed, count, tarn::testing::calls_depend, {}, tarn_test::make_faulty_scenario) == 0);
  // All orders of clients that do the same are many.
  CHECK(first_difference(seed, count / 8, tarn::testing::calls_depend, {}, tarn_test::make_symmetric_scenario) == 0);
}

TEST_CASE("Clients that do the same and never come to a call of their own have no order to begin in") {
  using kind = tarn_test::random_call::kind;
  tarn_test::random_scenario scenario;
  scenario.clients.assign(2, {{kind::put_later, "x", {}, false}});
  scenario.programs = {"same", "same"};
  const auto compared = tarn_test::compare_searches(scenario, tarn::testing::calls_depend);
  CHECK(compared.difference == "");
  CHECK(compared.all_runs == 2);
}

TEST_CASE("A relation that calls dependent calls independent is found out by brute force") {
  constexpr std::string_view outcomes = "by partial order the outcomes are others";
  for (auto* const make : {tarn_test::make_random_scenario, tarn_test::make_faulty_scenario}) {
    CHECK(first_difference(1, 100, lists_commute, outcomes, *make) > 0);
    CHECK(first_difference(1, 100, gets_commute, outcomes, *make) > 0);
  }
  CHECK(first_difference(1, 100, gets_commute, outcomes, tarn_test::make_symmetric_scenario) > 0);
  // Two removes lead to the same store and the same answers in both orders: that they depend is less clear.
  CHECK(first_difference(101, 10, removes_commute, outcomes, tarn_test::make_random_scenario) > 0);
}

TEST_CASE("Calls depend on each other if one changes what the other is about") {
  using tarn::testing::store_operation;
  const store_call get{store_operation::get, false, "k", {}};
  const store_call created{store_operation::put, true, "k", {}};
  const store_call exists{store_operation::put, false, "k", {}};
  const store_call removed{store_operation::remove, true, "k", {}};
  const store_call nothing{store_operation::remove, false, "k", {}};
  const store_call list{store_operation::list, false, "", "a"};
  const store_call elsewhere{store_operation::put, true, "j", {}};
  const store_call all[] = {get, created, exists, removed, nothing, list};
  for (const store_call& one : all)
    for (const store_call& other : all) {
      CAPTURE(static_cast<int>(one.operation));
      CAPTURE(static_cast<int>(other.operation));
      CHECK(calls_depend(one, other) == (one.effective || other.effective));
    }
  for (const store_call& one : {get, created, exists, removed, nothing}) CHECK_FALSE(calls_depend(one, elsewhere));
  CHECK(calls_depend(list, elsewhere));
  CHECK_FALSE(calls_depend({store_operation::list, false, "", "k"}, created));  // what comes after k
  CHECK_FALSE(calls_depend(created, {store_operation::list, false, "l", ""}));  // what begins with l
}

TEST_CASE("The numbers of runs are those that theory says") {
  const exploration_report all = explore_by_strategy({puts("a", 6, "a"), puts("b", 6, "b")}, by::brute_force());
  CHECK(all.runs == 924);  // 12 over 6
  CHECK(all.longest_run == 12);
  CHECK(all.calls_max == 6);
  CHECK(all.exhaustive);

  const auto two = [](const char* prefix) { return std::vector{puts("a", 8, "a"), puts("b", 8, prefix)}; };
  const exploration_report apart = explore_by_strategy(two("b"), by::partial_order());
  CHECK(apart.runs == 1);
  CHECK(apart.interleavings == 12'870);  // 16 over 8
  CHECK_FALSE(apart.at_least);

  // Of each of 8 pairs of puts, one or the other comes first.
  const exploration_report together = explore_by_strategy(two("a"), by::partial_order());
  CHECK(together.runs == 256);
  CHECK(together.interleavings == 12'870);

  exploration_options every_order;
  every_order.related = same_name;
  const std::vector one_object{explored_program{"a", [](explored_store store) {
                                                  for (int at = 0; at < 5; ++at) (void)store.get("x");
                                                }}};
  CHECK(explore({one_object[0], one_object[0]}, every_order).runs == 252);  // 10 over 5

  const std::vector three{puts("a", 8, "a"), puts("b", 8, "b"), puts("c", 8, "c")};
  const exploration_report states = explore_by_strategy(three, by::states());
  CHECK(states.interleavings == 9'465'511'770);
  CHECK(states.states == 9 * 9 * 9 - 1);  // but for the last, in which nobody can go on
}

TEST_CASE("Fewer preemptions mean fewer runs, and none means one after the other") {
  const std::vector two{puts("a", 4, "a"), puts("b", 4, "b")};
  const exploration_report none = explore_by_strategy(two, by::brute_force{0});
  CHECK(none.runs == 2);
  CHECK_FALSE(none.exhaustive);
  CHECK(none.why_not == "at most 0 preemptions");
  CHECK(explore_by_strategy(two, by::brute_force{1}).runs == 2 + 3 + 3);
  CHECK(explore_by_strategy(two, by::brute_force{8}).runs == 70);
}

TEST_CASE("[threads] Fibers and threads make the same runs") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto scenario = tarn_test::make_random_scenario(seed);
    exploration_options options;
    const auto fibers = tarn_test::explore_scenario(scenario, options);
    options.how = tarn::testing::switching::threads;
    const auto threads = tarn_test::explore_scenario(scenario, options);
    CHECK(fibers.all == threads.all);
    CHECK(fibers.report.text() == threads.report.text());
  }
}

TEST_CASE("A lost update is found, made simple, and made again by its schedule") {
  counting two;
  const exploration_report report = explore(two.programs(false), two.options);
  REQUIRE(report.failures.size() == 1);
  CHECK_FALSE(report.exhaustive);
  CHECK(report.failures[0].message == "counted 2 times, but there is no n1");
  CHECK(report.failures[0].shrunk_schedule == "v1|ada,joey|a1b");
  CHECK(report.text().find("FAILED v1|ada,joey|") != std::string::npos);

  for (const std::string& text : {report.failures[0].schedule, report.failures[0].shrunk_schedule}) {
    two.options.by = by::replay{text};
    const exploration_report again = explore(two.programs(false), two.options);
    CHECK(again.runs == 1);
    REQUIRE(again.failures.size() == 1);
    CHECK(again.failures[0].message == report.failures[0].message);
    CHECK(explore(two.programs(true), two.options).runs == 1);
  }
  two.options.by = by::partial_order();
  const exploration_report right = explore(two.programs(true), two.options);
  CHECK(right.passed());
  CHECK(right.exhaustive);
  CHECK(right.runs > 1);
}

TEST_CASE("Every strategy finds a lost update") {
  const std::string some_bytes("\0\1\1\0", 4);
  const tarn::testing::exploration_strategy all[] = {by::partial_order(),  by::brute_force(), by::brute_force{1},
                                                     by::states(),         by::random(),      by::priorities(),
                                                     by::bytes{some_bytes}};
  for (const auto& each : all) {
    CAPTURE(each.index());
    counting two;
    two.options.by = each;
    CHECK(explore(two.programs(false), two.options).failures.size() == 1);
    CHECK(explore(two.programs(true), two.options).passed());
  }
}

TEST_CASE("Priorities find what random walks do not come by: all of one client between two calls of another") {
  std::string told;
  const explored_program looks{"looks", [&](explored_store store) {
                                 told = store.get("x0") ? "1" : "0";
                                 told += store.get("x19") ? "1" : "0";
                               }};
  exploration_options options;
  options.check = [&](const explored_moment&) {
    return told == "01" ? std::string("x between two looks") : std::string();
  };
  options.by = by::random{1, 1000};
  CHECK(explore({looks, puts("puts", 20, "x")}, options).passed());
  options.by = by::priorities{1, 1000, 2};
  CHECK_FALSE(explore({looks, puts("puts", 20, "x")}, options).passed());
}

TEST_CASE("What has no part in a failure is left out of its schedule") {
  counting three;
  three.options.by = by::random();
  const exploration_report report = explore(three.programs(false, 3), three.options);
  REQUIRE(report.failures.size() == 1);
  const auto shrunk = tarn::testing::schedule_from(report.failures[0].shrunk_schedule);
  REQUIRE(shrunk);
  CHECK(std::count(shrunk->programs.begin(), shrunk->programs.end(), "-") == 1);
  CHECK(shrunk->blocks.size() == 2);

  // A check that expects something of each client says nothing of those that are left.
  three.options.check = [&](const explored_moment& end) {
    return std::string(end.store().get("n2") ? "" : "not counted 3 times");
  };
  const exploration_report all_needed = explore(three.programs(false, 3), three.options);
  REQUIRE(all_needed.failures.size() == 1);
  CHECK(all_needed.failures[0].shrunk_schedule.find('-') == std::string::npos);
}

TEST_CASE("Switches that have no part in a failure are left out of its schedule") {
  std::string told;
  const auto waste_time = [](explored_store& store) {
    for (int at = 0; at < 4; ++at) (void)store.get("y");
  };
  const explored_program looks{"looks", [&](explored_store store) {
                                 waste_time(store);
                                 told = store.get("x") ? "1" : "0";
                                 told += store.get("x") ? "1" : "0";
                               }};
  const explored_program puts_x{"puts", [&](explored_store store) {
                                  waste_time(store);
                                  (void)store.put_if_absent("x", "");
                                }};
  exploration_options options;
  options.by = by::random();
  options.check = [&](const explored_moment&) { return std::string(told == "01" ? "x between two looks" : ""); };
  const exploration_report report = explore({looks, puts_x}, options);
  REQUIRE(report.failures.size() == 1);
  CHECK(tarn::testing::schedule_from(report.failures[0].schedule)->blocks.size() > 3);
  CHECK(report.failures[0].shrunk_schedule == "v1|looks,puts|a5b");
}

TEST_CASE("A schedule is a text") {
  using tarn::testing::schedule_from;
  for (const std::string_view text :
       {"v1|W,C,V|a5b2c", "v1|W,C,V|a5b2ca|f:b3.F2", "v1|W|", "v1|W,-|a1A2A+1a|f:a0.F7:1,b3.F1!", "v1|W,V|aAB+b"}) {
    const auto read = schedule_from(text);
    REQUIRE_MESSAGE(read, text);
    CHECK(to_text(*read) == text);
  }
  for (const std::string_view text : {"", "v2|W|a", "v1||a", "v1|W|b", "v1|W|a5-", "v1|W|a|x", "v1|W|a|f:b3.F2",
                                      "v1|W|a|f:a3.F99", "v1|W|a99999999999999999999999", "v1|W|B"})
    CHECK_MESSAGE(!schedule_from(text), text);
  const auto many = schedule_from("v1|W|A++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++");
  CHECK_FALSE(many);
}

TEST_CASE("A schedule that the programs cannot follow is said to be none of theirs") {
  counting two;
  for (const std::string_view text : {"nonsense", "v1|ada|a", "v1|ada,bob|ab", "v1|ada,joey|a9b", "v1|ada,joey|Aab"}) {
    two.options.by = by::replay{std::string(text)};
    const exploration_report report = explore(two.programs(true), two.options);
    CHECK_MESSAGE(report.failures.size() == 1, text);
    CHECK_FALSE(report.exhaustive);
  }
}

TEST_CASE("A program that depends on more than its store is found out") {
  int runs = 0;
  const explored_program moody{"moody",
                               [&](explored_store store) { (void)store.get(++runs % 2 == 0 ? "even" : "odd"); }};
  const exploration_report report = explore({moody}, {});
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].message.find("another run") != std::string::npos);
}

TEST_CASE("A program that never ends is a failure with a schedule") {
  const explored_program waits{"waits", [](explored_store store) {
                                 for (;;) {
                                   const auto found = store.get("x0");
                                   if (found || found.error().code() != tarn::errc::not_found) return;
                                 }
                               }};
  exploration_options options;
  options.calls_max = 5;
  const exploration_report report = explore({waits, puts("puts", 1, "x")}, options);
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].message == "the client waits made more than 5 calls");
  CHECK(report.failures[0].shrunk_schedule == "v1|waits,-|");
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("A program that throws is a failure") {
  const explored_program throws{"throws", [](explored_store store) { (void)store.get("x").value(); }};
  const exploration_report report = explore({throws}, {});
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].message == "the client throws threw: there is no object x");
}

TEST_CASE("A check that throws has found something") {
  exploration_options options;
  options.check = [](const explored_moment& end) {
    return std::string(std::string_view(end.store().get("a1").value()));
  };
  const exploration_report report = explore({puts("a", 1, "a")}, options);
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].message == "the check threw: there is no object a1");
}
#endif

TEST_CASE("Programs that cannot be explored are refused") {
  CHECK_FALSE(explore({}, {}).passed());
  CHECK_FALSE(explore({puts("a,b", 1, "x")}, {}).passed());
  CHECK_FALSE(explore({puts("", 1, "x")}, {}).passed());
  CHECK_FALSE(explore({explored_program{"nothing", {}}}, {}).passed());
  CHECK_FALSE(explore(std::vector(27, puts("a", 1, "x")), {}).passed());
}

TEST_CASE("Steps are checked one by one where that is asked for") {
  exploration_options options;
  std::set<std::size_t> lengths;
  options.check_step = [&](const explored_moment& now) {
    lengths.insert(now.steps().size());
    return std::string(now.store().get("a1") && !now.store().get("b0") ? "a1 without b0" : "");
  };
  const std::vector two{puts("a", 2, "a"), puts("b", 1, "b")};
  const exploration_report report = explore(two, options);
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].shrunk_message == "a1 without b0");
  CHECK(report.failures[0].shrunk_schedule == "v1|a,-|");
  CHECK(lengths == std::set<std::size_t>{1, 2});
}

TEST_CASE("When the runs do not suffice, some more are made at random, and the report says so") {
  exploration_options options;
  options.by = by::brute_force();
  options.runs_max = 100;
  options.samples = 50;
  const exploration_report report = explore({puts("a", 8, "a"), puts("b", 8, "b")}, options);
  CHECK(report.runs == 150);
  CHECK_FALSE(report.exhaustive);
  CHECK(report.why_not == "more than 100 runs would be needed");
  CHECK(report.passed());
}

TEST_CASE("Clients that do the same begin in one order only, and stand for all") {
  const std::vector<explored_program> same(3, {"same", [](explored_store store) {
                                                 if (!store.get("x")) (void)store.put_if_absent("x", "");
                                                 (void)store.get("x");
                                               }});
  exploration_options options;
  const exploration_report all = explore(same, options);
  options.symmetric = true;
  const exploration_report some = explore(same, options);
  CHECK(some.exhaustive);
  CHECK(some.runs < all.runs);
  CHECK(all.interleavings > 0);
  CHECK(some.interleavings == all.interleavings);
}

TEST_CASE("What is sent ahead arrives at all times, even after the end of who sent it") {
  // Whether joey finds it at his first, second or no get at all; and what a late remove takes away.
  std::set<std::string> seen;
  std::string found;
  const explored_program sends{"sends", [](explored_store store) {
                                 store.put_later("x", "late");
                                 (void)store.get("y");
                                 store.remove_later("x");
                               }};
  const explored_program looks{"looks", [&](explored_store store) {
                                 for (int at = 0; at < 3; ++at) found += store.get("x") ? '1' : '0';
                               }};
  exploration_options options;
  options.begin = [&](const fault_plan&) { found.clear(); };
  options.check = [&](const explored_moment& end) {
    seen.insert(found + (end.store().get("x") ? '1' : '0'));
    return std::string();
  };
  const exploration_report report = explore({sends, looks}, options);
  CHECK(report.exhaustive);
  // From nothing to something and back at most once; and a remove that comes first does nothing.
  const std::set<std::string> all{"0000", "0001", "0010", "0011", "0100", "0110",
                                  "0111", "1000", "1100", "1110", "1111"};
  CHECK(seen == all);
}

namespace {

// The faults that a test needs: a call fails before it does anything, or it is put off, or the client ends.
class faulty {
 public:
  struct plan {
    fault_plan faults;
    std::size_t happened = 0;
  };
  faulty(explored_store store, std::size_t client, plan& planned)
      : store_(std::move(store)), client_(client), plan_(planned) {}

  bool put(std::string_view name) {
    const fault_kind fault = next();
    if (fault == fault_kind::late) store_.put_later(name, "");
    if (fault != fault_kind::none) return false;
    return store_.put_if_absent(name, "").outcome() == tarn::put_outcome::created;
  }
  bool get(std::string_view name) { return next() == fault_kind::none && store_.get(name).has_value(); }

 private:
  fault_kind next() {
    const std::size_t call = call_++;
    for (const tarn::testing::planned_fault& each : plan_.faults) {
      if (each.client != client_) continue;
      if (each.call == call) ++plan_.happened;
      if (each.call == call || (each.call < call && each.what.kind == fault_kind::crash)) return each.what.kind;
    }
    return fault_kind::none;
  }

  explored_store store_;
  std::size_t client_;
  plan& plan_;
  std::size_t call_ = 0;
};

struct faulty_pair {
  faulty::plan plan;
  std::set<std::string> plans;  // that have happened
  exploration_options options;

  explicit faulty_pair(std::vector<tarn::testing::fault> kinds, std::size_t at_once) {
    options.faults.kinds = std::move(kinds);
    options.faults.at_once = at_once;
    options.begin = [this](const fault_plan& faults) { plan = {faults, 0}; };
    options.faults.fired = [this] { return plan.happened == plan.faults.size(); };
    options.check = [this](const explored_moment& end) {
      if (options.faults.fired()) {
        std::string text;
        for (const auto& each : end.faults()) text += to_text(each) + " ";
        plans.insert(text);
      }
      return std::string();
    };
  }
  // Client a: a put, and another if that failed. Client b: a get.
  exploration_report run() {
    return explore({{"puts",
                     [this](explored_store store) {
                       faulty mine(std::move(store), 0, plan);
                       if (!mine.put("x")) (void)mine.put("y");
                     }},
                    {"gets",
                     [this](explored_store store) {
                       faulty mine(std::move(store), 1, plan);
                       (void)mine.get("x");
                     }}},
                   options);
  }
};

}  // namespace

TEST_CASE("Every fault is tried at every call that it can happen to") {
  faulty_pair one({{fault_kind::crash, 0, false}, {fault_kind::late, 0, false}}, 1);
  const exploration_report report = one.run();
  CHECK(report.passed());
  CHECK(report.exhaustive);
  CHECK(one.plans == std::set<std::string>{"", "a0.F7 ", "b0.F7 ", "a0.F3 "});  // a get is never late
  CHECK(report.plans == 4);
  CHECK(report.plans_dropped == 0);
}

TEST_CASE("Of two faults, the second may be at a call that is only made because of the first") {
  faulty_pair two({{fault_kind::error_before, 0, false}}, 2);
  const exploration_report report = two.run();
  CHECK(two.plans == std::set<std::string>{"", "a0.F1 ", "b0.F1 ", "a0.F1 a1.F1 ", "a0.F1 b0.F1 "});
  CHECK(report.plans == 5);
  CHECK(report.plans_dropped == 0);  // no second fault at the same call
  CHECK(report.runs_with_faults > 0);
}

TEST_CASE("Of two faults, the second may be at a call that the store sees later because of the first") {
  using store = tarn::testing::fault_store<explored_store>;
  store::state faults;
  std::set<std::string> happened;
  exploration_options options;
  for (const char* const name : {"x1", "x2", "x3"}) (void)options.initial.put_if_absent(name, name);
  options.faults.kinds = {{fault_kind::list_disorder, 4}, {fault_kind::misdirected, 0}, {fault_kind::late, 0}};
  options.faults.at_once = 2;
  options.begin = [&](const fault_plan& plan) { faults = store::state_of(plan); };
  options.faults.fired = [&] { return faults->never_fired(faults->chooser().planned()).empty(); };
  options.check = [&](const explored_moment& end) {
    if (options.faults.fired()) happened.insert(to_text(end.faults()));
    return std::string();
  };
  const explored_program program{"looks", [&](explored_store content) {
                                   store mine(std::move(content), faults, 0);
                                   std::string names;
                                   (void)mine.list("x", "", [&](std::string_view name) { names += name; });
                                   const auto found = mine.get("x1");
                                   const bool misled = names != "x1x2x3" || std::string_view(found.value()) != "x1";
                                   if (misled) (void)mine.remove("x1");
                                 }};
  const exploration_report report = explore({program}, options);
  CHECK(report.exhaustive);
  CHECK(happened ==
        std::set<std::string>{"", "a0.F13:4", "a1.F18", "a0.F13:4,a1.F18", "a0.F13:4,a2.F3", "a1.F18,a2.F3"});
}

TEST_CASE("Plans of faults that never happen do not count") {
  faulty_pair one({}, 1);
  one.options.faults.plans = {{}, {{1, 5, {fault_kind::error_before, 0, false}}}};
  const exploration_report report = one.run();
  CHECK(report.plans == 1);
  CHECK(report.plans_dropped == 1);
  CHECK(report.runs == 2);
  CHECK(report.runs_dropped == 2);
}

TEST_CASE("A failure under faults says which, and needs no more of them than necessary") {
  faulty_pair two({{fault_kind::error_before, 0, false}}, 2);
  two.options.faults.plans = {
      {{0, 0, {fault_kind::error_before, 0, false}}, {1, 0, {fault_kind::error_before, 0, false}}}};
  two.options.check = [](const explored_moment& end) { return std::string(end.store().get("y") ? "y is there" : ""); };
  const exploration_report report = two.run();
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].schedule.find("|f:a0.F1,b0.F1") != std::string::npos);
  CHECK(report.failures[0].shrunk_schedule == "v1|puts,-||f:a0.F1");

  // Also where the other client cannot be left out.
  two.options.check = [](const explored_moment& end) {
    return std::string(end.took_part(1) && end.store().get("y") ? "y is there" : "");
  };
  const exploration_report both = two.run();
  REQUIRE(both.failures.size() == 1);
  CHECK(both.failures[0].shrunk_schedule == "v1|puts,gets||f:a0.F1");
}
