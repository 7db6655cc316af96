// Small random programs on a bare store, and all that can come of them: for finding out whether an exploration leaves
// anything out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/random_source.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

// A call, and whether the next one is left out if this one found or made nothing: then what a client does depends on
// what it was answered.
struct random_call {
  enum class kind : unsigned char { get, put, remove, list, put_later, remove_later };
  kind what = kind::get;
  std::string name;
  std::string start_after;  // of a list
  bool else_skip = false;
};

struct random_scenario {
  std::vector<std::vector<random_call>> clients;
  std::vector<std::string> initial;  // names
};

// Some of the names are the prefixes of others, for lists.
inline constexpr std::string_view scenario_names[] = {"x", "x1", "x2", "y"};

inline random_call make_random_call(tarn::testing::random_source& random, std::size_t names, bool may_be_late) {
  using kind = random_call::kind;
  constexpr kind kinds[] = {kind::get,    kind::get,    kind::put,  kind::put,       kind::put,         kind::remove,
                            kind::remove, kind::remove, kind::list, kind::put_later, kind::remove_later};
  random_call made;
  made.what = kinds[random.below(may_be_late ? std::size(kinds) : std::size(kinds) - 2)];
  made.name = scenario_names[random.below(names)];
  if (made.what == kind::list && random.chance(50)) made.start_after = scenario_names[random.below(names)];
  made.else_skip = random.chance(30);
  return made;
}

// Two to four clients with at most 9 calls, so that all their interleavings can be run.
inline random_scenario make_random_scenario(std::uint64_t seed) {
  tarn::testing::random_source random(seed);
  random_scenario made;
  const std::size_t names = 1 + random.below(std::size(scenario_names));
  for (std::size_t at = 0; at < names; ++at)
    if (random.chance(40)) made.initial.emplace_back(scenario_names[at]);
  made.clients.resize(2 + random.below(3));
  std::size_t late_left = 2;
  const std::size_t calls = made.clients.size() == 2 ? 8 : 7;
  for (std::size_t left = made.clients.size() + random.below(calls - made.clients.size() + 1); left > 0; --left) {
    std::vector<random_call>& client = made.clients[random.below(made.clients.size())];
    client.push_back(make_random_call(random, names, late_left > 0));
    if (client.back().what >= random_call::kind::put_later) --late_left;
  }
  return made;
}

// What a client was told, as text.
inline void run_calls(const std::vector<random_call>& calls, std::size_t client, tarn::testing::explored_store store,
                      std::string& told) {
  using kind = random_call::kind;
  bool skip = false;
  for (std::size_t number = 0; number < calls.size(); ++number) {
    if (std::exchange(skip, false)) continue;
    const random_call& call = calls[number];
    const std::string bytes = tarn::concat({client, ".", number});
    bool found = true;
    if (call.what == kind::get) {
      const auto got = store.get(call.name);
      found = got.has_value();
      told += found ? std::string(std::string_view(*got)) : "none";
    } else if (call.what == kind::put) {
      found = store.put_if_absent(call.name, bytes).outcome() == tarn::put_outcome::created;
      told += found ? "made" : "exists";
    } else if (call.what == kind::remove) {
      store.remove(call.name).value();
    } else if (call.what == kind::list) {
      std::string names;
      store.list(call.name, call.start_after, [&](std::string_view name) { names += std::string(name) + "+"; }).value();
      found = !names.empty();
      told += names;
    } else if (call.what == kind::put_later) {
      store.put_later(call.name, bytes);
    } else {
      store.remove_later(call.name);
    }
    told += ' ';
    skip = !found && call.else_skip;
  }
}

struct scenario_outcomes {
  std::set<std::string> all;  // the store at the end, and what each client was told
  tarn::testing::exploration_report report;
};

inline scenario_outcomes explore_scenario(const random_scenario& scenario, tarn::testing::exploration_options options) {
  const std::size_t clients = scenario.clients.size();
  std::vector<std::string> told(clients);
  std::vector<tarn::testing::explored_program> programs;
  for (std::size_t client = 0; client < clients; ++client)
    programs.push_back({"p", [&, client](tarn::testing::explored_store store) {
                          run_calls(scenario.clients[client], client, std::move(store), told[client]);
                        }});
  for (const std::string& name : scenario.initial) (void)options.initial.put_if_absent(name, "old");
  scenario_outcomes outcomes;
  options.begin = [&](const tarn::testing::fault_plan&) { told.assign(clients, {}); };
  options.check = [&](const tarn::testing::explored_moment& end) {
    std::string outcome;
    auto store = end.store();
    store
        .list("", "",
              [&](std::string_view name) {
                outcome += tarn::concat({name, "=", std::string_view(store.get(name).value()), " "});
              })
        .value();
    for (const std::string& each : told) outcome += "| " + each;
    outcomes.all.insert(outcome);
    return std::string();
  };
  outcomes.report = tarn::testing::explore(std::move(programs), options);
  return outcomes;
}

// What differs between brute force and the two searches that make fewer runs; empty if nothing does. All interleavings
// are counted by each in its own way.
struct scenario_comparison {
  std::string difference;
  std::uint64_t all_runs = 0;
  std::uint64_t partial_order_runs = 0;
  std::uint64_t state_runs = 0;
};

inline scenario_comparison compare_searches(const random_scenario& scenario, tarn::testing::call_relation related) {
  namespace by = tarn::testing::explore_by;
  tarn::testing::exploration_options options;
  options.repeat_every = 0;
  options.stack_bytes = 64 * 1024;
  options.related = related;
  options.by = by::brute_force();
  const scenario_outcomes all = explore_scenario(scenario, options);
  options.by = by::partial_order();
  const scenario_outcomes reduced = explore_scenario(scenario, options);
  options.by = by::states();
  const scenario_outcomes states = explore_scenario(scenario, options);

  scenario_comparison made;
  made.all_runs = all.report.runs;
  made.partial_order_runs = reduced.report.runs + reduced.report.given_up;
  made.state_runs = states.report.runs + states.report.given_up;
  const auto check = [&](bool good, std::string_view what) {
    if (!good) made.difference += tarn::concat({what, "; "});
  };
  check(all.report.exhaustive && reduced.report.exhaustive && states.report.exhaustive, "not exhaustive");
  check(all.all == reduced.all, "by partial order the outcomes are others");
  check(all.all == states.all, "by states the outcomes are others");
  check(all.report.runs == states.report.interleavings, "by states the count is wrong");
  check(all.report.runs == reduced.report.interleavings, "by partial order the count is wrong");
  return made;
}

}  // namespace tarn_test
