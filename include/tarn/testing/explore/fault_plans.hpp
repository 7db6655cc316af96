// Which plans of faults there are: every kind at every call that it can happen to, then every two of those, ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../fault.hpp"
#include "explored_run.hpp"
#include "options.hpp"
#include "store_call.hpp"

namespace tarn::inline TARN_ABI::testing {

// Kinds of calls, as bits.
using call_kinds = unsigned char;
[[nodiscard]] constexpr call_kinds only(call_kind kind) noexcept {
  return static_cast<call_kinds>(1U << static_cast<unsigned>(kind));
}
inline constexpr call_kinds any_call = 0xf;

// The calls that a fault of this kind can happen to.
[[nodiscard]] constexpr call_kinds calls_with(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::late: return only(call_kind::put) | only(call_kind::remove);
    case fault_kind::exists_after:
    case fault_kind::not_applied:
    case fault_kind::duplicate: return only(call_kind::put);
    case fault_kind::stale_list:
    case fault_kind::list_omits:
    case fault_kind::ghost_name:
    case fault_kind::list_disorder:
    case fault_kind::foreign_names: return only(call_kind::list);
    case fault_kind::negative_cache:
    case fault_kind::truncated:
    case fault_kind::flipped_bit:
    case fault_kind::misdirected:
    case fault_kind::old_bytes: return only(call_kind::get);
    default: return any_call;
  }
}

// The calls that clients have made in the runs of one plan.
class seen_calls {
 public:
  explicit seen_calls(std::size_t clients) : kinds_(clients) {}

  void add(const std::vector<explored_step>& steps) {
    std::vector<std::size_t> made(kinds_.size());
    for (const explored_step& each : steps) {
      if (each.process >= kinds_.size()) continue;
      const std::size_t call = made[each.process]++;
      std::vector<call_kinds>& kinds = kinds_[each.process];
      if (call == kinds.size()) kinds.push_back(0);
      kinds[call] |= only(each.call.kind);
    }
  }

  // Calls f(plan) for each plan with one fault more than `base`, under which these calls were seen. A call that a fault
  // kept from the store was not: after one, a client may have made one call more, and which is which is not known.
  template <class Function>
  void extend(const fault_plan& base, const std::vector<fault>& kinds, Function f) const {
    for (std::size_t client = 0; client < kinds_.size(); ++client) {
      const auto of_client = [&](const planned_fault& each) { return each.client == client; };
      const auto faults = static_cast<std::size_t>(std::count_if(base.begin(), base.end(), of_client));
      for (std::size_t call = 0; call < kinds_[client].size() + faults; ++call) {
        const call_kinds seen = faults == 0 ? kinds_[client][call] : any_call;
        if (is_settled(base, client, call)) continue;
        for (const fault& what : kinds)
          if ((calls_with(what.kind) & seen) != 0) f(with(base, {client, call, what}));
      }
    }
  }

 private:
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

  std::vector<std::vector<call_kinds>> kinds_;  // by client and call
};

}  // namespace tarn::inline TARN_ABI::testing
