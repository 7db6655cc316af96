// What can go wrong with a call of a store: the kinds of faults, numbered as in the literature of this project's tests,
// and what a client of a lake owes whoever meets one.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI::testing {

// The meaning of `fault::argument` is in brackets; calls are counted over all clients of the store.
enum class fault_kind : unsigned char {
  none = 0,
  error_before = 1,     // the call fails and has done nothing
  error_after = 2,      // the call has done its work and fails: the answer is lost
  late = 3,             // the call fails, and does its work [argument] calls later: put, remove
  exists_after = 4,     // the put has created the object, and the answer is that it existed
  not_applied = 5,      // nothing landed, nor will, and the answer says so: put
  duplicate = 6,        // the put is done, and arrives once more [argument] calls later, even after a remove
  crash = 7,            // [0: before, 1: after the call's work] the client's process ends: no later call does anything
  pause = 8,            // the client stands still before the call while its clock goes on by [argument] ms
  clock_step = 9,       // the client's clock, from now on, [argument is signed] ms off; 0: stands still
  stale_list = 10,      // a list lacks what was put in the last [argument] calls, and has what was removed in them
  list_omits = 11,      // a list omits up to two names [argument: which]
  ghost_name = 12,      // a list has a name that was never put, or is gone [argument: which]
  list_disorder = 13,   // a list is shuffled, names things twice, and sees the store change under it [argument: seed]
  foreign_names = 14,   // a list has names that no store of tarn's makes
  negative_cache = 15,  // a get does not find what was put less than [argument] calls ago
  truncated = 16,       // a get returns the first [argument modulo size] bytes only
  flipped_bit = 17,     // a get returns the bytes with bit [argument modulo bits] flipped
  misdirected = 18,     // a get returns the bytes of another object [argument: which]
  old_bytes = 19,       // a get returns what the name held before: nothing in tarn is overwritten, so it has no effect
  directory = 20,       // a system call of a store in a folder fails: see recording_system.hpp
  slow = 21,            // the call takes [argument] ms of its client's clock
  allocation = 22,      // an allocation fails: see the tests, which replace operator new
};
inline constexpr std::size_t fault_kinds = 23;  // with `none`

// What the library owes: that nothing is lost and nobody is lied to in any case, and beyond that ...
enum class fault_contract : unsigned char {
  tolerated,  // the call of the client succeeds, or says truthfully what is known
  detected,   // an error, never other rows
};

struct fault {
  fault_kind kind = fault_kind::none;
  std::uint64_t argument = 0;
  bool for_good = false;  // also at all later calls to which it can happen: error_before

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

// A fault at one call: the `call`-th of a client, counted from 0.
struct planned_fault {
  std::size_t client = 0;
  std::size_t call = 0;
  fault what;

  friend bool operator==(const planned_fault&, const planned_fault&) = default;
};

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

}  // namespace tarn::inline TARN_ABI::testing
