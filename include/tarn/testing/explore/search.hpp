// Searches that leave nothing out: every order of steps (`depth_first_search`), every order that could matter
// (`partial_order_search`), every state (`state_search`).
//
// A strategy says, of each run, who takes the next step:
//   begin()        false: there is nothing left to try
//   next(run)      a process that can take a step, or no_process: what is left of this run is known already
//   end(run)       all steps have been taken, or it was given up
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "causal_order.hpp"
#include "explored_run.hpp"
#include "store_call.hpp"

namespace tarn::inline TARN_ABI::testing {

[[nodiscard]] inline std::uint64_t process_bit(std::size_t process) noexcept { return std::uint64_t{1} << process; }
[[nodiscard]] inline std::size_t first_process(std::uint64_t bits) noexcept {
  return static_cast<std::size_t>(std::countr_zero(bits));
}
// The process of the last step if it is among `bits`, else the first that is: schedules with few switches are easier to
// understand.
[[nodiscard]] inline std::size_t same_or_first(const explored_run& run, std::uint64_t bits) noexcept {
  if (bits == 0) return no_process;
  const std::size_t last = run.steps().empty() ? no_process : run.steps().back().process;
  return last != no_process && (bits >> last & 1U) != 0 ? last : first_process(bits);
}

// Every run there is, or every one in which at most so many steps are taken by another process although the last one
// could have gone on (Musuvathi, Qadeer, "Iterative context bounding", 2007).
class depth_first_search {
 public:
  explicit depth_first_search(std::size_t preemptions_max = SIZE_MAX) : preemptions_max_(preemptions_max) {}

  [[nodiscard]] bool begin() const noexcept { return !done_; }

  [[nodiscard]] std::size_t next(const explored_run& run) {
    const std::size_t depth = run.steps().size();
    if (depth == nodes_.size()) push(run);
    return nodes_[depth].chosen;
  }

  void end(const explored_run&) {
    for (; !nodes_.empty(); nodes_.pop_back()) {
      node& last = nodes_.back();
      if (last.untried == 0) continue;
      last.chosen = first_process(last.untried);
      last.untried &= last.untried - 1;
      return;
    }
    done_ = true;
  }

 private:
  struct node {
    std::size_t chosen = 0;
    std::uint64_t untried = 0;
    std::size_t staying = no_process;  // who took the last step and could go on
    std::size_t preemptions = 0;       // so far
  };

  void push(const explored_run& run) {
    node made;
    const std::uint64_t enabled = run.enabled();
    made.chosen = same_or_first(run, enabled);
    if (!nodes_.empty()) {
      const node& before = nodes_.back();
      made.preemptions = before.preemptions;
      if (before.staying != no_process && before.staying != before.chosen) ++made.preemptions;
      if ((enabled >> before.chosen & 1U) != 0) made.staying = before.chosen;
    }
    const bool may_preempt = made.staying == no_process || made.preemptions < preemptions_max_;
    if (may_preempt) made.untried = enabled & ~process_bit(made.chosen);
    nodes_.push_back(made);
  }

  std::size_t preemptions_max_;
  std::vector<node> nodes_;
  bool done_ = false;
};

// Of all runs that differ only in the order of independent steps, just one: dynamic partial order reduction by source
// sets and sleep sets (Abdulla, Aronsson, Jonsson, Sagonas, "Optimal dynamic partial order reduction", 2014, algorithm
// 1).
//
// After a run, for each race in it: the second step must be tried before the first. What leads to it is v, the steps
// after the first that do not follow it, and then the second; unless the node before the first step tries a process
// already with which some order of v begins, it will. A process that was tried sleeps: in the other branches of its
// node it is not tried again until a step is taken that depends on its own.
class partial_order_search {
 public:
  explicit partial_order_search(call_relation related) : related_(related), order_(related) {}

  [[nodiscard]] bool begin() const noexcept { return !done_; }

  [[nodiscard]] std::size_t next(const explored_run& run) {
    const std::size_t depth = run.steps().size();
    if (depth == nodes_.size()) {
      node made = after_last(run);
      made.chosen = same_or_first(run, run.enabled() & ~made.asleep);
      if (made.chosen == no_process) return no_process;
      made.wanted = process_bit(made.chosen);
      nodes_.push_back(std::move(made));
    }
    return nodes_[depth].chosen;
  }

  void end(const explored_run& run) {
    for (const causal_order::race& each : order_.take(run.steps(), known_, nodes_.size())) reverse(run, each);
    for (; !nodes_.empty(); nodes_.pop_back()) {
      node& last = nodes_.back();
      const std::size_t depth = nodes_.size() - 1;
      last.sleepers.push_back({last.chosen, run.steps()[depth].call});
      last.asleep |= process_bit(last.chosen);
      const std::uint64_t untried = last.wanted & ~last.asleep;
      if (untried == 0) continue;
      last.chosen = first_process(untried);
      known_ = depth;
      return;
    }
    done_ = true;
  }

  // Of the run that was ended last.
  [[nodiscard]] causal_order& order() noexcept { return order_; }

 private:
  struct sleeper {
    std::size_t process;
    store_call call;  // what it will do: nothing that happened since has changed that
  };
  struct node {
    std::size_t chosen = 0;
    std::uint64_t wanted = 0;  // what is, was or will be chosen
    std::uint64_t asleep = 0;
    std::vector<sleeper> sleepers;
  };

  [[nodiscard]] node after_last(const explored_run& run) const {
    node made;
    if (nodes_.empty()) return made;
    const explored_step& step = run.steps().back();
    for (const sleeper& each : nodes_.back().sleepers)
      if (!related_(each.call, step.call)) {
        made.sleepers.push_back(each);
        made.asleep |= process_bit(each.process);
      }
    return made;
  }

  void reverse(const explored_run& run, const causal_order::race& found) {
    node& before = nodes_[found.first];
    const std::uint64_t starts = initials(run, found);
    if ((starts & before.wanted) != 0) return;
    const std::uint64_t second = process_bit(run.steps()[found.second].process);
    before.wanted |= (starts & second) != 0 ? second : starts & (~starts + 1);
  }

  // The processes with which some order of v begins.
  [[nodiscard]] std::uint64_t initials(const explored_run& run, const causal_order::race& found) {
    std::uint64_t starts = 0;
    std::uint64_t seen = 0;
    leading_.clear();
    for (std::size_t at = found.first + 1; at <= found.second; ++at) {
      if (at != found.second && order_.follows(at, found.first)) continue;
      const std::uint64_t process = process_bit(run.steps()[at].process);
      if ((seen & process) == 0) {
        bool free = true;
        for (const std::size_t earlier : leading_) free = free && !order_.follows(at, earlier);
        if (free) starts |= process;
      }
      seen |= process;
      leading_.push_back(at);
    }
    return starts;
  }

  call_relation related_;
  causal_order order_;
  std::vector<node> nodes_;
  std::vector<std::size_t> leading_;  // v, so far
  std::size_t known_ = 0;             // so many steps are those of the run before
  bool done_ = false;
};

// Every state once, where a state is the content and what each client was answered: as a client is a function of its
// answers, the same state has the same future. Finds out how many runs there are without making them.
class state_search {
 public:
  [[nodiscard]] bool begin() const noexcept { return !done_; }

  [[nodiscard]] std::size_t next(const explored_run& run) {
    const std::size_t depth = run.steps().size();
    if (depth == nodes_.size()) {
      const std::uint64_t hash = run.state_hash();
      if (const auto known = paths_.find(hash); known != paths_.end()) {
        count(known->second);
        given_up_ = true;
        return no_process;
      }
      const std::uint64_t enabled = run.enabled();
      const std::size_t chosen = same_or_first(run, enabled);
      nodes_.push_back({hash, chosen, enabled & ~process_bit(chosen), 0});
    }
    return nodes_[depth].chosen;
  }

  void end(const explored_run&) {
    if (!given_up_) count(1);
    given_up_ = false;
    while (!nodes_.empty()) {
      node& last = nodes_.back();
      if (last.untried != 0) {
        last.chosen = first_process(last.untried);
        last.untried &= last.untried - 1;
        return;
      }
      const std::uint64_t paths = last.paths;
      paths_.emplace(last.hash, paths);
      nodes_.pop_back();
      count(paths);
    }
    done_ = true;
  }

  // How many runs there are; UINT64_MAX: at least. Known when `begin` is false.
  [[nodiscard]] std::uint64_t interleavings() const noexcept { return all_; }
  [[nodiscard]] std::size_t states() const noexcept { return paths_.size(); }

 private:
  struct node {
    std::uint64_t hash;
    std::size_t chosen;
    std::uint64_t untried;
    std::uint64_t paths;  // from here to the end, as far as tried
  };

  void count(std::uint64_t paths) noexcept {
    std::uint64_t& total = nodes_.empty() ? all_ : nodes_.back().paths;
    total = add_saturating(total, paths);
  }

  std::vector<node> nodes_;
  std::unordered_map<std::uint64_t, std::uint64_t> paths_;  // by the hash of a state
  std::uint64_t all_ = 0;
  bool given_up_ = false;
  bool done_ = false;
};

}  // namespace tarn::inline TARN_ABI::testing
