// Which plans of faults there are: every kind at every call that it can happen to, then every two of those, ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../fault.hpp"
#include "explored_run.hpp"
#include "options.hpp"
#include "store_call.hpp"

namespace tarn::inline TARN_ABI::testing {

// The calls that clients have made in the runs of one plan.
class seen_calls {
 public:
  explicit seen_calls(std::size_t clients) : seen_(clients) {}

  void add(const std::vector<explored_step>& steps) {
    std::vector<std::size_t> made(seen_.size());
    for (const explored_step& each : steps) {
      if (each.process >= seen_.size()) continue;
      const std::size_t call = made[each.process]++;
      std::vector<operations>& of_client = seen_[each.process];
      if (call == of_client.size()) of_client.push_back(0);
      of_client[call] |= bit(each.call.operation);
    }
  }

  // Calls f(plan) for each plan with one fault more than `base`, under which these calls were seen. Which call of a
  // client is which that the store has seen is not known exactly, once there was a fault.
  template <class Function>
  void extend(const fault_plan& base, const std::vector<fault>& kinds, Function f) const {
    for (std::size_t client = 0; client < seen_.size(); ++client) {
      const std::size_t kept = kept_from_store(base, client);
      for (std::size_t call = 0; call < seen_[client].size() + kept; ++call) {
        if (is_settled(base, client, call)) continue;
        const operations possible = seen_between(client, call - std::min(call, kept), last_seen_as(base, client, call));
        for (const fault& what : kinds)
          if (can_meet(what.kind, possible)) f(with(base, {client, call, what}));
      }
    }
  }

 private:
  using operations = unsigned char;  // as bits

  [[nodiscard]] static operations bit(store_operation operation) noexcept {
    return static_cast<operations>(1U << static_cast<unsigned>(operation));
  }
  [[nodiscard]] static bool can_meet(fault_kind kind, operations seen) noexcept {
    return std::any_of(std::begin(all_operations), std::end(all_operations),
                       [&](store_operation each) { return (seen & bit(each)) != 0 && can_happen(kind, each); });
  }
  // How many calls, at most, faults can have kept from the store: one each. One that lasts for good keeps more, but
  // what it keeps it meets itself, and the calls of other kinds are among those that were seen.
  [[nodiscard]] std::size_t kept_from_store(const fault_plan& base, std::size_t client) const noexcept {
    std::size_t kept = 0;
    for (const planned_fault& each : base)
      if (each.client == client) kept += each.what.for_good ? seen_[client].size() : 1;
    return kept;
  }
  // A list in disorder is read page by page, and for a misdirected read others are looked for: after one of those, a
  // call can be any that came later.
  [[nodiscard]] static std::size_t last_seen_as(const fault_plan& base, std::size_t client, std::size_t call) noexcept {
    const auto makes_more = [&](const planned_fault& each) {
      return each.client == client && each.call < call &&
             (each.what.kind == fault_kind::list_disorder || each.what.kind == fault_kind::misdirected);
    };
    return std::any_of(base.begin(), base.end(), makes_more) ? SIZE_MAX : call;
  }
  [[nodiscard]] operations seen_between(std::size_t client, std::size_t first, std::size_t last) const noexcept {
    operations seen = 0;
    for (std::size_t at = first; at < seen_[client].size() && at <= last; ++at) seen |= seen_[client][at];
    return seen;
  }
  // Whether nothing more can go wrong with a call: something does already, or its client has crashed.
  [[nodiscard]] static bool is_settled(const fault_plan& base, std::size_t client, std::size_t call) noexcept {
    return std::any_of(base.begin(), base.end(), [&](const planned_fault& each) {
      return each.client == client && (each.call == call || (each.what.kind == fault_kind::crash && each.call < call));
    });
  }
  [[nodiscard]] static fault_plan with(fault_plan plan, const planned_fault& one) {
    const auto place = std::find_if(plan.begin(), plan.end(), [&](const planned_fault& each) {
      return std::pair(each.client, each.call) > std::pair(one.client, one.call);
    });
    plan.insert(place, one);
    return plan;
  }

  std::vector<std::vector<operations>> seen_;  // by client and call
};

}  // namespace tarn::inline TARN_ABI::testing
