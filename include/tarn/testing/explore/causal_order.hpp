// Which steps of a run had to come before which, as opposed to those that just did.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "explored_run.hpp"
#include "store_call.hpp"

namespace tarn::inline TARN_ABI::testing {

// Adds without wrapping: the greatest number stands for itself and all greater ones.
[[nodiscard]] inline std::uint64_t add_saturating(std::uint64_t one, std::uint64_t other) noexcept {
  return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

// The order of the steps of a run by vector clocks: each step follows the ones of its process before it, the ones
// before it that depend on it, the one that made it possible, and all that those follow. All runs that keep this order
// are the same to everybody.
class causal_order {
 public:
  // Two steps that depend on each other with nothing in between that would make the second follow the first anyhow: in
  // another run they come in the other order.
  struct race {
    std::size_t first;
    std::size_t second;
  };

  explicit causal_order(call_relation related) : related_(related) {}

  // Takes over the steps [from, to) of a run whose steps before `from` it knows already, and returns the races whose
  // second step is among them. O(steps^2).
  const std::vector<race>& take(const std::vector<explored_step>& steps, std::size_t from, std::size_t to) {
    races_.clear();
    places_.resize(from);
    while (places_.size() < to) add(steps, places_.size());
    return races_;
  }

  // Whether step `later` follows `earlier`, which comes before it in the run.
  [[nodiscard]] bool follows(std::size_t later, std::size_t earlier) const noexcept {
    return covers(places_[later].time, earlier);
  }

  // How many runs have this order, which are all the interleavings that differ from this run in nothing but the order
  // of what is independent; `known` is false, and the answer too small, if counting them would take more than
  // `states_max` additions for each process.
  [[nodiscard]] std::uint64_t interleavings(std::size_t states_max, bool& known);

 private:
  using clock = std::array<std::uint16_t, processes_max>;  // how many steps of each process
  struct place {
    clock time{};
    std::size_t process = 0;
    std::uint16_t ordinal = 0;  // the number of its process's steps up to this one
  };

  [[nodiscard]] bool covers(const clock& time, std::size_t step) const noexcept {
    return time[places_[step].process] >= places_[step].ordinal;
  }
  static void merge(clock& into, const clock& other) noexcept {
    for (std::size_t at = 0; at < processes_max; ++at) into[at] = std::max(into[at], other[at]);
  }

  void add(const std::vector<explored_step>& steps, std::size_t at) {
    const explored_step& step = steps[at];
    place made;
    made.process = step.process;
    for (std::size_t before = at; before-- > 0;)
      if (places_[before].process == step.process) {
        made.time = places_[before].time;
        break;
      }
    if (step.enabled_by != no_step) merge(made.time, places_[step.enabled_by].time);
    // From the last to the first: what a later one follows is known when the earlier one is looked at.
    for (std::size_t before = at; before-- > 0;)
      if (!covers(made.time, before) && related_(steps[before].call, step.call)) {
        races_.push_back({before, at});
        merge(made.time, places_[before].time);
      }
    made.ordinal = ++made.time[step.process];
    places_.push_back(made);
  }

  call_relation related_;
  std::vector<place> places_;
  std::vector<race> races_;
};

// Dynamic programming over how far each process has come, with one number for each combination.
inline std::uint64_t causal_order::interleavings(std::size_t states_max, bool& known) {
  struct line {
    std::size_t process = 0;
    std::size_t factor = 0;  // what one step of it adds to the number of a state
    std::size_t done = 0;
    std::vector<std::size_t> steps;
  };
  std::vector<line> lines;
  for (std::size_t at = 0; at < places_.size(); ++at) {
    const auto same = [&](const line& each) { return each.process == places_[at].process; };
    auto found = std::find_if(lines.begin(), lines.end(), same);
    if (found == lines.end()) found = lines.insert(found, {places_[at].process, 0, 0, {}});
    found->steps.push_back(at);
  }
  std::size_t states = 1;
  for (line& each : lines) {
    each.factor = states;
    if (states > states_max / (each.steps.size() + 1)) return known = false, 1;
    states *= each.steps.size() + 1;
  }
  std::vector<std::uint64_t> ways(states);
  ways[0] = 1;
  const auto possible = [&](const line& next) {
    const clock& time = places_[next.steps[next.done]].time;
    return std::all_of(lines.begin(), lines.end(),
                       [&](const line& other) { return &other == &next || time[other.process] <= other.done; });
  };
  for (std::size_t state = 0; state + 1 < states; ++state) {
    if (ways[state] != 0)
      for (const line& each : lines)
        if (each.done < each.steps.size() && possible(each)) {
          std::uint64_t& next = ways[state + each.factor];
          next = add_saturating(next, ways[state]);
        }
    for (line& each : lines) {  // on to the next state
      if (each.done++ < each.steps.size()) break;
      each.done = 0;
    }
  }
  return ways.back();
}

}  // namespace tarn::inline TARN_ABI::testing
