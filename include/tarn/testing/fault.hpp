// What can go wrong with a call of a store: the kinds of faults, which calls each can happen to, what a client of a
// lake owes whoever meets one, and how faults are written down so that a run can be made again.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/config.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI::testing {

enum class store_operation : unsigned char { put, get, list, remove };
inline constexpr std::size_t store_operations = 4;
inline constexpr store_operation all_operations[] = {store_operation::put, store_operation::get, store_operation::list,
                                                     store_operation::remove};

[[nodiscard]] constexpr std::string_view name_of(store_operation operation) noexcept {
  constexpr const char* names[] = {"put", "get", "list", "remove"};
  return names[static_cast<unsigned char>(operation)];
}

// The meaning of `fault::argument` is in brackets; "calls" are those of all clients of a store together.
enum class fault_kind : unsigned char {
  none = 0,
  error_before = 1,     // the call fails and has done nothing; a put does not say whether it has
  error_after = 2,      // the call has done its work and fails: the answer is lost; a list has named all it had to
  late = 3,             // the call fails, and does its work after [argument] more calls
  exists_after = 4,     // the put has created the object, and the answer is that it existed
  not_applied = 5,      // nothing landed, nor will, and the answer says so [0: try again, 1: no space]
  duplicate = 6,        // the put is done, and arrives once more after [argument] more calls, even after a remove
  crash = 7,            // [0: before, 1: after the call's work] the client's process ends: no later call does anything
  pause = 8,            // the client stands still before the call while its clock goes on by [argument] ms
  clock_step = 9,       // the client's clock, from now on, [argument is signed] ms off; 0: stands still
  stale_list = 10,      // a list lacks what was put in the last [argument] calls, and has what was removed in them
  list_omits = 11,      // a list omits one or two names [argument: which]
  ghost_name = 12,      // a list has a name that was never put, or is gone [argument: which]
  list_disorder = 13,   // a list is shuffled, names things twice, and sees the store change under it [argument: seed]
  foreign_names = 14,   // a list has names that no store of tarn's makes
  negative_cache = 15,  // a get does not find what was put in the last [argument] calls
  truncated = 16,       // a get returns the first [argument modulo size] bytes only
  flipped_bit = 17,     // a get returns the bytes with bit [argument modulo bits] flipped
  misdirected = 18,     // a get returns the bytes of another object [argument: which]
  old_bytes = 19,       // a get returns what the name held before: nothing in tarn is overwritten, so it cannot happen
  directory = 20,       // a system call of a store in a folder fails: see recording_system.hpp
  slow = 21,            // the call takes [argument] ms of its client's clock
  allocation = 22,      // an allocation fails: not a fault of a store's call; see tests/law/allocation_test.cpp
};
inline constexpr std::size_t fault_kinds = 23;  // with `none`

[[nodiscard]] constexpr std::string_view name_of(fault_kind kind) noexcept {
  constexpr const char* names[] = {"none",           "error before", "error after", "late",        "exists after",
                                   "not applied",    "duplicate",    "crash",       "pause",       "clock step",
                                   "stale list",     "list omits",   "ghost name",  "disorder",    "foreign names",
                                   "negative cache", "truncated",    "flipped bit", "misdirected", "old bytes",
                                   "directory",      "slow",         "allocation"};
  return names[static_cast<unsigned char>(kind)];
}

// Whether a fault of this kind can happen to a call. A get that fails after its work is one that fails before.
[[nodiscard]] constexpr bool can_happen(fault_kind kind, store_operation operation) noexcept {
  switch (kind) {
    case fault_kind::error_before:
    case fault_kind::crash:
    case fault_kind::pause:
    case fault_kind::clock_step:
    case fault_kind::slow: return true;
    case fault_kind::error_after: return operation != store_operation::get;
    case fault_kind::late: return operation == store_operation::put || operation == store_operation::remove;
    case fault_kind::exists_after:
    case fault_kind::not_applied:
    case fault_kind::duplicate: return operation == store_operation::put;
    case fault_kind::stale_list:
    case fault_kind::list_omits:
    case fault_kind::ghost_name:
    case fault_kind::list_disorder:
    case fault_kind::foreign_names: return operation == store_operation::list;
    case fault_kind::negative_cache:
    case fault_kind::truncated:
    case fault_kind::flipped_bit:
    case fault_kind::misdirected: return operation == store_operation::get;
    case fault_kind::none:
    case fault_kind::old_bytes:
    case fault_kind::directory:
    case fault_kind::allocation: return false;
  }
  return false;
}

// What the library owes: that nothing is lost and nobody is lied to in any case, and beyond that ...
enum class fault_contract : unsigned char {
  tolerated,  // the call of the client succeeds, or says truthfully what is known
  detected,   // an error, never other rows
};

struct fault {
  fault_kind kind = fault_kind::none;
  std::uint64_t argument = 0;
  bool for_good = false;  // also at all later calls of the client to which it can happen

  // The argument, modulo a size that is not 0: which of so many.
  [[nodiscard]] std::size_t argument_below(std::size_t size) const noexcept {
    return static_cast<std::size_t>(argument % size);
  }

  friend bool operator==(const fault&, const fault&) = default;
};

[[nodiscard]] constexpr fault_contract contract_of(fault_kind kind) noexcept {
  switch (kind) {
    case fault_kind::negative_cache:
    case fault_kind::truncated:
    case fault_kind::flipped_bit:
    case fault_kind::misdirected: return fault_contract::detected;
    default: return fault_contract::tolerated;
  }
}

// A fault at one call: the `call`-th of a client, counted from 0. The first 26 clients can be written down.
struct planned_fault {
  std::size_t client = 0;
  std::size_t call = 0;
  fault what;

  friend bool operator==(const planned_fault&, const planned_fault&) = default;
};
using fault_plan = std::vector<planned_fault>;

// As in "b3.F2": client b's call 3 meets error_after; with an argument "b3.F7:1", for good "b3.F1!".
[[nodiscard]] inline std::string to_text(const planned_fault& planned) {
  std::string text(1, planned.client < 26 ? static_cast<char>('a' + planned.client) : '?');
  append_text(text, concat({planned.call, ".F", static_cast<unsigned>(planned.what.kind)}));
  if (planned.what.argument != 0) append_text(text, concat({":", planned.what.argument}));
  if (planned.what.for_good) text.push_back('!');
  return text;
}
// Nothing if `text` is not of this form.
[[nodiscard]] inline std::optional<planned_fault> planned_fault_from(std::string_view text) {
  const auto number = [&](auto& into) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (failed != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  const auto skip = [&](std::string_view expected) {
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(expected.size());
    return true;
  };
  if (text.empty() || text.front() < 'a' || text.front() > 'z') return {};
  planned_fault planned;
  planned.client = static_cast<std::size_t>(text.front() - 'a');
  text.remove_prefix(1);
  unsigned kind = 0;
  if (!number(planned.call) || !skip(".F") || !number(kind) || kind >= fault_kinds) return {};
  planned.what.kind = static_cast<fault_kind>(kind);
  if (skip(":") && !number(planned.what.argument)) return {};
  planned.what.for_good = skip("!");
  if (!text.empty()) return {};
  return planned;
}

// Several, with commas between: "a1.F7,b3.F2".
[[nodiscard]] inline std::string to_text(const fault_plan& planned) {
  std::string text;
  for (const planned_fault& each : planned) {
    if (!text.empty()) text.push_back(',');
    append_text(text, to_text(each));
  }
  return text;
}
// Nothing if `text` is not of this form; the empty text is no faults.
[[nodiscard]] inline std::optional<fault_plan> planned_faults_from(std::string_view text) {
  fault_plan planned;
  if (text.empty()) return planned;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::optional<planned_fault> next = planned_fault_from(text.substr(0, comma));
    if (!next) return {};
    planned.push_back(*next);
    if (comma == std::string_view::npos) return planned;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace tarn::inline TARN_ABI::testing
