// Small random programs on a bare store, and all that can come of them: for finding out whether an exploration leaves
// anything out.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/fault_store.hpp>
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
  std::vector<std::string> programs;  // what the client's are called: those of one name are the same
  std::vector<std::string> initial;   // names
  std::vector<tarn::testing::planned_fault> faults;

  [[nodiscard]] bool is_symmetric() const {
    return std::set<std::string>(programs.begin(), programs.end()).size() < programs.size();
  }
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
  for (std::size_t client = 0; client < made.clients.size(); ++client)
    made.programs.push_back("p" + std::to_string(client));
  return made;
}

// Two or three clients that do the same, and perhaps one that does something else, before or after them.
inline random_scenario make_symmetric_scenario(std::uint64_t seed) {
  tarn::testing::random_source random(seed);
  random_scenario made;
  const std::size_t names = 1 + random.below(std::size(scenario_names));
  for (std::size_t at = 0; at < names; ++at)
    if (random.chance(40)) made.initial.emplace_back(scenario_names[at]);
  const auto make_calls = [&](std::size_t count) {
    std::vector<random_call> calls;
    bool may_be_late = true;
    for (; count > 0; --count) {
      calls.push_back(make_random_call(random, names, may_be_late));
      may_be_late = may_be_late && calls.back().what < random_call::kind::put_later;
    }
    return calls;
  };
  const std::size_t copies = 2 + random.below(2);
  made.clients.assign(copies, make_calls(1 + random.below(copies == 2 ? 3 : 2)));
  made.programs.assign(copies, "same");
  if (random.chance(60)) {
    const auto place = static_cast<std::ptrdiff_t>(random.below(copies + 1));
    made.clients.insert(made.clients.begin() + place, make_calls(1 + random.below(2)));
    made.programs.insert(made.programs.begin() + place, "other");
  }
  return made;
}

// One of its calls meets a fault, or all from then on do: of those that depend on nothing but that call.
inline random_scenario make_faulty_scenario(std::uint64_t seed) {
  using tarn::testing::fault_kind;
  constexpr fault_kind kinds[] = {fault_kind::error_before, fault_kind::error_after,   fault_kind::late,
                                  fault_kind::exists_after, fault_kind::not_applied,   fault_kind::duplicate,
                                  fault_kind::crash,        fault_kind::list_omits,    fault_kind::list_disorder,
                                  fault_kind::truncated,    fault_kind::foreign_names, fault_kind::misdirected};
  constexpr tarn::testing::store_operation operations[] = {
      tarn::testing::store_operation::get, tarn::testing::store_operation::put, tarn::testing::store_operation::remove,
      tarn::testing::store_operation::list};
  random_scenario made = make_random_scenario(seed);
  tarn::testing::random_source random(~seed);
  std::vector<std::pair<tarn::testing::planned_fault, tarn::testing::store_operation>> calls;
  for (std::size_t client = 0; client < made.clients.size(); ++client) {
    std::size_t number = 0;
    for (const random_call& each : made.clients[client])
      if (each.what < random_call::kind::put_later)
        calls.push_back({{client, number++, {}}, operations[static_cast<std::size_t>(each.what)]});
  }
  if (calls.empty()) return made;
  auto [met, operation] = calls[random.below(calls.size())];
  do met.what = {kinds[random.below(std::size(kinds))], random.below(100), random.chance(20)};
  while (!can_happen(met.what.kind, operation));
  made.faults = {met};
  return made;
}

// What a client was told, as text. Its bytes are the only ones in which its letter, a capital one, is.
template <class Store>
void run_calls(const std::vector<random_call>& calls, std::size_t client, Store store, std::string& told) {
  using kind = random_call::kind;
  const auto outside = [&]() -> tarn::testing::explored_store& {
    if constexpr (requires { store.inner(); })
      return store.inner();
    else
      return store;
  };
  bool skip = false;
  for (std::size_t number = 0; number < calls.size(); ++number) {
    if (std::exchange(skip, false)) continue;
    const random_call& call = calls[number];
    const std::string bytes = static_cast<char>('A' + client) + std::to_string(number);
    bool found = true;
    if (call.what == kind::get) {
      const auto got = store.get(call.name);
      found = got.has_value();
      told += found ? std::string(std::string_view(*got)) : tarn::name_of(got.error().code());
    } else if (call.what == kind::put) {
      const tarn::put_outcome outcome = store.put_if_absent(call.name, bytes).outcome();
      found = outcome == tarn::put_outcome::created;
      told += found ? "made" : outcome == tarn::put_outcome::already_exists ? "exists" : "failed";
    } else if (call.what == kind::remove) {
      told += store.remove(call.name) ? "" : "failed";
    } else if (call.what == kind::list) {
      std::string names;
      const auto listed =
          store.list(call.name, call.start_after, [&](std::string_view name) { names += std::string(name) + "+"; });
      found = !names.empty();
      told += names + (listed ? "" : "failed");
    } else if (call.what == kind::put_later) {
      outside().put_later(call.name, bytes);
    } else {
      outside().remove_later(call.name);
    }
    told += ' ';
    skip = !found && call.else_skip;
  }
}

// The store at the end, and what each client was told.
struct scenario_outcome {
  std::string store;
  std::vector<std::string> told;
  friend auto operator<=>(const scenario_outcome&, const scenario_outcome&) = default;
};

// The least of those that are the same but for which client is which, of those that do the same.
inline scenario_outcome without_identities(const scenario_outcome& outcome, const std::vector<std::string>& programs) {
  std::vector<std::size_t> called(programs.size());  // what each client would be
  for (std::size_t client = 0; client < called.size(); ++client) called[client] = client;
  std::optional<scenario_outcome> least;
  do {
    bool same = true;
    for (std::size_t client = 0; client < called.size(); ++client)
      same = same && programs[client] == programs[called[client]];
    if (!same) continue;
    const auto renamed = [&](std::string text) {
      for (char& each : text)
        if (each >= 'A' && each <= 'Z') each = static_cast<char>('A' + called[static_cast<std::size_t>(each - 'A')]);
      return text;
    };
    scenario_outcome other{renamed(outcome.store), outcome.told};
    for (std::size_t client = 0; client < called.size(); ++client)
      other.told[called[client]] = renamed(outcome.told[client]);
    if (!least || other < *least) least = std::move(other);
  } while (std::next_permutation(called.begin(), called.end()));
  return *least;
}

struct scenario_outcomes {
  std::set<scenario_outcome> all;
  tarn::testing::exploration_report report;
};

inline scenario_outcomes explore_scenario(const random_scenario& scenario, tarn::testing::exploration_options options) {
  using faulty_store = tarn::testing::fault_store<tarn::testing::explored_store>;
  const std::size_t clients = scenario.clients.size();
  std::vector<std::string> told(clients);
  faulty_store::state faults;
  std::vector<tarn::testing::explored_program> programs;
  for (std::size_t client = 0; client < clients; ++client)
    programs.push_back({scenario.programs[client], [&, client](tarn::testing::explored_store store) {
                          const std::vector<random_call>& calls = scenario.clients[client];
                          if (scenario.faults.empty())
                            run_calls(calls, client, std::move(store), told[client]);
                          else
                            run_calls(calls, client, faulty_store(std::move(store), faults, client), told[client]);
                        }});
  for (const std::string& name : scenario.initial) (void)options.initial.put_if_absent(name, "old");
  scenario_outcomes outcomes;
  if (!scenario.faults.empty()) options.faults.plans = {scenario.faults};
  options.faults.fired = [&] { return faults->never_fired(scenario.faults).empty(); };
  options.begin = [&](const auto& plan) {
    told.assign(clients, {});
    faults = faulty_store::state_of(plan);
  };
  options.check = [&](const tarn::testing::explored_moment& end) {
    scenario_outcome outcome{{}, told};
    auto store = end.store();
    store
        .list("", "",
              [&](std::string_view name) {
                outcome.store += tarn::concat({name, "=", std::string_view(store.get(name).value()), " "});
              })
        .value();
    outcomes.all.insert(outcome);
    return std::string();
  };
  outcomes.report = tarn::testing::explore(std::move(programs), options);
  std::set<scenario_outcome> all;
  for (const scenario_outcome& each : outcomes.all) all.insert(without_identities(each, scenario.programs));
  outcomes.all = std::move(all);
  return outcomes;
}

// What differs between brute force and the two searches that make fewer runs; empty if nothing does. All interleavings
// are counted by each in its own way.
struct scenario_comparison {
  std::string difference;
  std::uint64_t all_runs = 0;
  std::uint64_t partial_order_runs = 0;
  std::uint64_t state_runs = 0;
  bool fault_happened = false;
};

inline scenario_comparison compare_searches(const random_scenario& scenario, tarn::testing::call_relation related) {
  namespace by = tarn::testing::explore_by;
  tarn::testing::exploration_options options;
  options.repeat_every = 0;
  options.stack_bytes = 64 * 1024;
  options.related = related;
  options.by = by::brute_force();
  const scenario_outcomes all = explore_scenario(scenario, options);
  options.symmetric = scenario.is_symmetric();
  const scenario_outcomes ordered = options.symmetric ? explore_scenario(scenario, options) : all;
  options.by = by::partial_order();
  const scenario_outcomes reduced = explore_scenario(scenario, options);
  options.by = by::states();
  const scenario_outcomes states = explore_scenario(scenario, options);

  scenario_comparison made;
  made.all_runs = all.report.runs;
  made.partial_order_runs = reduced.report.runs + reduced.report.given_up;
  made.state_runs = states.report.runs + states.report.given_up;
  made.fault_happened = !scenario.faults.empty() && all.report.runs_with_faults > 0;
  const auto check = [&](bool good, std::string_view what) {
    if (!good) made.difference += tarn::concat({what, "; "});
  };
  check(all.report.exhaustive && reduced.report.exhaustive && states.report.exhaustive, "not exhaustive");
  check(all.all == ordered.all, "of clients in one order the outcomes are others");
  check(all.report.runs == ordered.report.interleavings || !options.symmetric, "in one order the count is wrong");
  check(all.all == reduced.all, "by partial order the outcomes are others");
  check(all.all == states.all, "by states the outcomes are others");
  check(all.report.runs == states.report.interleavings, "by states the count is wrong");
  check(all.report.interleavings == reduced.report.interleavings, "by partial order the count is wrong");
  return made;
}

}  // namespace tarn_test
