// An exploration: makes the runs that its strategy asks for, plan by plan, checks them, and keeps the account.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../core/config.hpp"
#include "../../core/text.hpp"
#include "../hash.hpp"
#include "causal_order.hpp"
#include "explored_run.hpp"
#include "explored_store.hpp"
#include "fault_plans.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sampling.hpp"
#include "schedule.hpp"
#include "search.hpp"
#include "shrink.hpp"

namespace tarn::inline TARN_ABI::testing {

#if TARN_HAS_POSIX || TARN_HAS_THREADS

// See `explore`.
class explorer {
 public:
  explorer(std::vector<explored_program> programs, exploration_options options)
      : options_(std::move(options)),
        run_(std::move(programs), options_.initial, options_.how, options_.stack_bytes, options_.calls_max),
        everybody_((std::uint64_t{1} << run_.programs().size()) - 1) {}

  // Why these programs cannot be explored; empty if they can.
  [[nodiscard]] static std::string refusal(const std::vector<explored_program>& programs) {
    if (programs.empty() || programs.size() > explored_clients_max)
      return concat({"there must be 1 to ", explored_clients_max, " programs, not ", programs.size()});
    for (const explored_program& each : programs) {
      const bool good = std::all_of(each.name.begin(), each.name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      });
      if (each.name.empty() || !good)
        return concat({"a program cannot be called \"", each.name, "\": names are of letters, digits and '_'"});
      if (!each.run) return concat({"the program ", each.name, " has no function"});
    }
    return {};
  }

  [[nodiscard]] exploration_report explore() {
    if (const auto* const one = std::get_if<explore_by::replay>(&options_.by)) {
      replay(one->text);
      return std::move(report_);
    }
    report_.exhaustive = true;
    std::vector<fault_plan> plans = options_.faults.plans;
    if (plans.empty()) plans.emplace_back();
    std::set<std::string> known;
    while (!plans.empty() && !is_enough()) {
      std::vector<fault_plan> longer;
      for (const fault_plan& plan : plans) {
        if (is_enough()) break;
        const std::optional<seen_calls> seen = explore_plan(plan);
        if (!seen || plan.size() >= options_.faults.at_once) continue;
        seen->extend(plan, options_.faults.kinds, [&](const fault_plan& extended) {
          if (known.insert(to_text(extended)).second) longer.push_back(extended);
        });
      }
      plans = std::move(longer);
    }
    if (!report_.failures.empty()) not_exhaustive("it failed");
    return std::move(report_);
  }

 private:
  struct made_run {
    bool whole = false;  // not given up
    std::string wrong;   // of a whole run
  };

  [[nodiscard]] bool is_enough() const noexcept { return report_.failures.size() >= options_.failures_max; }
  void not_exhaustive(std::string_view why) {
    report_.exhaustive = false;
    report_.at_least = true;
    if (report_.why_not.empty()) report_.why_not = why;
  }

  // --- one run ---

  template <class Strategy>
  [[nodiscard]] made_run make_run(Strategy& strategy, const fault_plan& plan, std::uint64_t present) {
    if (options_.begin) options_.begin(plan);
    run_.begin(present, options_.symmetric && plan.empty() && present == everybody_ && !replaying_);
    const explored_moment moment(run_, plan, present, repeating_);
    made_run made{true, {}};
    for (std::uint64_t enabled = run_.enabled(); enabled != 0; enabled = run_.enabled()) {
      std::size_t next = made.whole ? strategy.next(run_) : no_process;
      if (next == no_process) {  // nobody can be stopped in the middle: it is ended somehow
        made.whole = false;
        next = first_process(enabled);
      }
      run_.step(next);
      if (made.whole && made.wrong.empty()) made.wrong = ask(options_.check_step, moment);
    }
    strategy.end(run_);
    if (!made.whole) return {};
    if (!run_.error().empty()) made.wrong = run_.error();
    if (made.wrong.empty()) made.wrong = ask(options_.check, moment);
    return made;
  }

  // A check may well stumble over what it is to find.
  [[nodiscard]] static std::string ask(const exploration_check& check, const explored_moment& moment) {
    if (!check) return {};
#if TARN_HAS_EXCEPTIONS
    try {
      return check(moment);
    } catch (const std::exception& thrown) {
      return concat({"the check threw: ", thrown.what()});
    }
#else
    return check(moment);
#endif
  }

  [[nodiscard]] std::uint64_t run_hash() noexcept {
    std::uint64_t hash = run_.content().hash();
    for (const explored_step& each : run_.steps()) {
      hash = mix(hash, each.process);
      hash = mix(hash, static_cast<std::uint64_t>(each.call.operation) * 2 + (each.call.effective ? 1 : 0));
      hash = mix(hash, hash_of(each.call.name));
      hash = mix(hash, each.answer);
    }
    return hash;
  }

  // What differs when the last run is made again; empty if nothing does.
  [[nodiscard]] std::string repeat(const schedule& order, std::uint64_t hash) {
    ++report_.repeated;
    replay_walk again(order.blocks);
    replaying_ = repeating_ = true;
    const made_run made = make_run(again, order.faults, order.present());
    replaying_ = repeating_ = false;
    if (again.fits() && run_hash() == hash) return {};
    return "the same schedule makes another run: a program depends on something besides its store's answers";
  }

  // Nothing if the run does not fail; else it, with the schedule that it really had.
  [[nodiscard]] std::optional<failed_run> try_again(const schedule& order) {
    replay_walk walk(order.blocks);
    replaying_ = repeating_ = true;
    made_run made = make_run(walk, order.faults, order.present());
    replaying_ = repeating_ = false;
    if (made.wrong.empty()) return {};
    return failed_run{explored_moment(run_, order.faults, order.present()).order(), std::move(made.wrong)};
  }

  void replay(const std::string& text) {
    const std::optional<schedule> order = schedule_from(text);
    bool fits = order && order->programs.size() == run_.programs().size();
    for (std::size_t number = 0; fits && number < run_.programs().size(); ++number)
      fits = order->programs[number] == "-" || order->programs[number] == run_.programs()[number].name;
    not_exhaustive("one run was asked for");
    if (!fits) {
      report_.failures.push_back({"this is not a schedule of these programs", text, {}, {}});
      return;
    }
    replay_walk walk(order->blocks);
    replaying_ = true;
    const made_run made = make_run(walk, order->faults, order->present());
    account(made, true);
    if (!made.wrong.empty())
      report_.failures.push_back({made.wrong, text, {}, {}});
    else if (!walk.fits())
      report_.failures.push_back({"the programs cannot follow this schedule", text, {}, {}});
  }

  // --- the runs of one plan ---

  // Nothing if the plan never happened.
  [[nodiscard]] std::optional<seen_calls> explore_plan(const fault_plan& plan) {
    seen_calls seen(run_.programs().size());
    plan_ = &plan;
    seen_ = &seen;
    fired_ = 0;
    exploration_report before = report_;
    std::visit([&](const auto& by) { search(by); }, options_.by);
    if (fired_ > 0 || report_.failures.size() > before.failures.size()) {
      ++report_.plans;
      return seen;
    }
    ++before.plans_dropped;
    before.runs_dropped += report_.runs - before.runs;
    const bool searched_all = report_.exhaustive;
    const std::string why_not = std::move(report_.why_not);
    report_ = std::move(before);
    if (!searched_all) not_exhaustive(why_not);
    return {};
  }

  void search(const explore_by::partial_order&) {
    partial_order_search strategy(options_.related);
    const bool whole_plan = use(strategy, [&] {
      bool known = true;
      count_interleavings(strategy.order().interleavings(options_.count_states_max, known), !known);
    });
    finish(whole_plan);
  }
  void search(const explore_by::brute_force& by) {
    depth_first_search strategy(by.preemptions_max);
    const bool bounded = by.preemptions_max != SIZE_MAX;
    const bool whole_plan = use(strategy, [&] { count_interleavings(1, bounded); });
    if (bounded) not_exhaustive(concat({"at most ", by.preemptions_max, " preemptions"}));
    finish(whole_plan);
  }
  void search(const explore_by::states&) {
    state_search strategy;
    const bool whole_plan = use(strategy, [] {});
    count_interleavings(strategy.interleavings(), strategy.interleavings() == UINT64_MAX);
    report_.states += strategy.states();
    finish(whole_plan);
  }
  void search(const explore_by::random& by) {
    random_walk strategy(by.seed);
    sample(strategy, by.runs);
    not_exhaustive("random runs");
  }
  void search(const explore_by::priorities& by) {
    priority_walk strategy(by.seed, by.depth);
    sample(strategy, by.runs);
    not_exhaustive("random runs");
  }
  void search(const explore_by::bytes& by) {
    byte_walk strategy(by.choices);
    sample(strategy, 1);
    not_exhaustive("one run was asked for");
  }
  void search(const explore_by::replay&) {}

  // Makes the runs of a search; false if it was not over when the runs allowed were.
  template <class Strategy, class AfterRun>
  [[nodiscard]] bool use(Strategy& strategy, AfterRun after_run) {
    while (strategy.begin()) {
      if (is_enough()) return true;
      if (searched_ == options_.runs_max) return false;
      ++searched_;
      if (run_and_check(strategy)) after_run();
    }
    return true;
  }
  template <class Strategy>
  void sample(Strategy& strategy, std::uint64_t runs) {
    for (; runs > 0 && !is_enough() && strategy.begin(); --runs) (void)run_and_check(strategy);
  }
  void finish(bool whole_plan) {
    if (whole_plan) return;
    not_exhaustive(concat({"more than ", options_.runs_max, " runs would be needed"}));
    priority_walk first(options_.sample_seed, 3);
    sample(first, options_.samples / 2);
    random_walk second(options_.sample_seed);
    sample(second, options_.samples - options_.samples / 2);
  }

  // Whether the run was made to its end and all of its plan has happened.
  template <class Strategy>
  [[nodiscard]] bool run_and_check(Strategy& strategy) {
    const made_run made = make_run(strategy, *plan_, everybody_);
    const bool fired = plan_->empty() || !options_.faults.fired || options_.faults.fired();
    account(made, fired);
    if (!made.whole) return false;
    seen_->add(run_.steps());
    if (fired) ++fired_;
    const bool again = options_.repeat_every != 0 && (report_.runs - 1) % options_.repeat_every == 0;
    if (made.wrong.empty() && !again) return fired;
    const schedule order = explored_moment(run_, *plan_, everybody_).order();
    std::string wrong = made.wrong;
    if (again || !wrong.empty()) {
      std::string differs = repeat(order, run_hash());
      if (!differs.empty()) wrong = wrong.empty() ? differs : concat({wrong, " (and ", differs, ")"});
    }
    if (!wrong.empty()) add_failure(order, std::move(wrong));
    return fired;
  }

  void account(const made_run& made, bool fired) {
    if (!made.whole) {
      ++report_.given_up;
      return;
    }
    ++report_.runs;
    if (fired && plan_ != nullptr && !plan_->empty()) ++report_.runs_with_faults;
    report_.longest_run = std::max(report_.longest_run, run_.steps().size());
    for (std::size_t number = 0; number < run_.programs().size(); ++number)
      report_.calls_max = std::max(report_.calls_max, run_.calls(number));
  }

  void count_interleavings(std::uint64_t more, bool at_least) {
    if (options_.symmetric && plan_->empty())
      for (std::size_t number = 0; number < run_.programs().size(); ++number) {
        std::uint64_t same = 1;  // this one, and those before it with its name: in how many places it could begin
        for (std::size_t other = 0; other < number && run_.calls(number) != 0; ++other)
          if (run_.programs()[other].name == run_.programs()[number].name) ++same;
        more = more > UINT64_MAX / same ? UINT64_MAX : more * same;
      }
    report_.interleavings = add_saturating(report_.interleavings, more);
    report_.at_least = report_.at_least || at_least || report_.interleavings == UINT64_MAX;
  }

  void add_failure(const schedule& order, std::string message) {
    exploration_failure failed{message, to_text(order), {}, {}};
    if (options_.shrink_runs_max != 0) {
      auto attempt = [this](const schedule& tried) { return try_again(tried); };
      failed_run simple = schedule_shrinker(attempt, {order, std::move(message)}, options_.shrink_runs_max).shrink();
      failed.shrunk_message = std::move(simple.message);
      failed.shrunk_schedule = to_text(simple.order);
    }
    report_.failures.push_back(std::move(failed));
  }

  exploration_options options_;
  explored_run run_;
  std::uint64_t everybody_;
  exploration_report report_;
  const fault_plan* plan_ = nullptr;
  seen_calls* seen_ = nullptr;
  std::uint64_t fired_ = 0;     // runs of this plan in which it happened
  std::uint64_t searched_ = 0;  // runs of searches, of all plans
  bool replaying_ = false;      // by a schedule: who comes first is said
  bool repeating_ = false;      // a run that was made before, or a simpler one
};

#endif

}  // namespace tarn::inline TARN_ABI::testing
