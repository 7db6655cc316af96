// Makes the schedule of a failure simpler, one thing at a time, as long as there is still a failure: fewer faults, then
// fewer clients, then fewer switches, then less that is said at all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "../../core/config.hpp"
#include "schedule.hpp"

namespace tarn::inline TARN_ABI::testing {

struct failed_run {
  schedule order;
  std::string message;
};

// `attempt(schedule)` makes a run, and returns nothing, or a failed_run with the schedule that the run really had.
template <class Attempt>
class schedule_shrinker {
 public:
  schedule_shrinker(Attempt& attempt, failed_run found, std::size_t runs_max)
      : attempt_(attempt), best_(std::move(found)), runs_left_(runs_max) {}

  // A schedule from which nothing can be taken away, unless the runs did not suffice.
  [[nodiscard]] failed_run shrink() {
    while (drop_fault() || drop_client() || drop_switch()) {
    }
    drop_end();
    return std::move(best_);
  }

 private:
  [[nodiscard]] std::optional<failed_run> fails(const schedule& tried) {
    if (runs_left_ == 0) return {};
    --runs_left_;
    return attempt_(tried);
  }

  [[nodiscard]] bool drop_fault() {
    for (std::size_t number = 0; number < best_.order.faults.size(); ++number) {
      schedule tried = best_.order;
      tried.faults.erase(tried.faults.begin() + static_cast<std::ptrdiff_t>(number));
      if (take(fails(tried))) return true;
    }
    return false;
  }

  // Many a check expects something of each client, and fails for that reason alone when one is missing. So the clients
  // that are left must be right when they run one after the other. If not even all of them are, the failure must be the
  // same word for word.
  [[nodiscard]] bool drop_client() {
    const bool needs_no_switch = fails(one_after_the_other(best_.order)).has_value();
    for (std::size_t number = 0; number < best_.order.programs.size(); ++number) {
      schedule tried = best_.order;
      if (std::exchange(tried.programs[number], "-") == "-") continue;
      std::erase_if(tried.faults, [&](const planned_fault& each) { return each.client == number; });
      if (tried.present() == 0 || (!needs_no_switch && fails(one_after_the_other(tried)))) continue;
      std::optional<failed_run> found = fails(tried);
      if (needs_no_switch && found && found->message != best_.message) continue;
      if (take(std::move(found))) return true;
    }
    return false;
  }
  [[nodiscard]] static schedule one_after_the_other(const schedule& order) {
    schedule made;
    made.programs = order.programs;
    return made;
  }

  // A block is left out, so that its steps come when nobody else's do, or joined to another one of its process.
  [[nodiscard]] bool drop_switch() {
    const std::size_t count = best_.order.blocks.size();
    for (std::size_t number = 0; number < count; ++number) {
      schedule tried = best_.order;
      tried.blocks.erase(tried.blocks.begin() + static_cast<std::ptrdiff_t>(number));
      if (take_if_shorter(fails(tried))) return true;
      if (const std::optional<schedule> joined = join(number))
        if (take_if_shorter(fails(*joined))) return true;
    }
    return false;
  }
  // The next block of the same process done with this one.
  [[nodiscard]] std::optional<schedule> join(std::size_t number) const {
    schedule tried = best_.order;
    const auto first = tried.blocks.begin() + static_cast<std::ptrdiff_t>(number);
    const auto next = std::find_if(first + 1, tried.blocks.end(),
                                   [&](const schedule::block& each) { return each.process == first->process; });
    if (next == tried.blocks.end()) return {};
    first->steps = next->steps == 0 ? 0 : first->steps + next->steps;
    tried.blocks.erase(next);
    return tried;
  }

  // What follows by itself need not be said.
  void drop_end() {
    while (!best_.order.blocks.empty()) {
      schedule tried = best_.order;
      tried.blocks.pop_back();
      std::optional<failed_run> found = fails(tried);
      if (!found) break;
      best_ = {std::move(tried), std::move(found->message)};
    }
  }

  [[nodiscard]] bool take(std::optional<failed_run> found) {
    if (!found) return false;
    best_ = std::move(*found);
    return true;
  }
  [[nodiscard]] bool take_if_shorter(std::optional<failed_run> found) {
    return found && found->order.blocks.size() < best_.order.blocks.size() && take(std::move(found));
  }

  Attempt& attempt_;
  failed_run best_;
  std::size_t runs_left_;
};

}  // namespace tarn::inline TARN_ABI::testing
