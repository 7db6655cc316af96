// What decides which calls of a store meet a fault: a list, a table of chances with a seed, or the bytes of a fuzzer.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "fault.hpp"
#include "random_source.hpp"

namespace tarn::inline TARN_ABI::testing {

// A call that is about to be made.
struct client_call {
  store_operation operation = store_operation::get;
  std::size_t client = 0;
  std::size_t number = 0;  // among the calls of this client, from 0
  std::string_view name;   // of a list: the prefix
};

// Asked once for each call, in the order in which they are made. What cannot happen to the call does not.
template <class C>
concept chooses_faults = requires(C& chooser, const client_call& call) {
  { chooser.choose(call) } -> std::same_as<fault>;
};

// The faults of a list. At one call only the first that can happen does.
class planned_faults {
 public:
  planned_faults() = default;
  explicit planned_faults(std::vector<planned_fault> planned) : planned_(std::move(planned)) {}

  [[nodiscard]] const std::vector<planned_fault>& planned() const noexcept { return planned_; }

  [[nodiscard]] fault choose(const client_call& call) const noexcept {
    for (const planned_fault& each : planned_) {
      const bool now = each.call == call.number || (each.what.for_good && each.call < call.number);
      if (now && each.client == call.client && can_happen(each.what.kind, call.operation)) return each.what;
    }
    return {};
  }

 private:
  std::vector<planned_fault> planned_;
};

// How often a fault happens, with what argument.
struct fault_chance {
  fault_kind kind = fault_kind::none;
  std::uint32_t per_million = 0;  // of the calls to which it can happen
  // The argument is anything from 0 to this. Of clock_step, also as much less; every fourth clock stands still.
  std::uint64_t argument_max = 0;
};

// Every kind that a store's calls can meet and that must be tolerated, with the same chance for each: a list has a
// dozen kinds to choose from, a get five. Pauses and steps of the clock are up to two days, longer than a vacuum's
// grace; puts and removes are late by up to 40 calls.
[[nodiscard]] inline std::vector<fault_chance> tolerated_faults(std::uint32_t per_million) {
  constexpr std::uint64_t two_days_ms = std::uint64_t{2} * 86'400'000;
  constexpr std::uint64_t any = 0xffff;
  return {{fault_kind::error_before, per_million},
          {fault_kind::error_after, per_million},
          {fault_kind::late, per_million, 40},
          {fault_kind::exists_after, per_million},
          {fault_kind::not_applied, per_million, 1},
          {fault_kind::duplicate, per_million, 40},
          {fault_kind::crash, per_million, 1},
          {fault_kind::pause, per_million, two_days_ms},
          {fault_kind::clock_step, per_million, two_days_ms},
          {fault_kind::stale_list, per_million, 40},
          {fault_kind::list_omits, per_million, any},
          {fault_kind::ghost_name, per_million, any},
          {fault_kind::list_disorder, per_million, any},
          {fault_kind::foreign_names, per_million, any},
          {fault_kind::slow, per_million, 10'000}};
}
// The kinds that must be detected.
[[nodiscard]] inline std::vector<fault_chance> detected_faults(std::uint32_t per_million) {
  constexpr std::uint64_t any = 0xffff;
  return {{fault_kind::negative_cache, per_million, 40},
          {fault_kind::truncated, per_million, any},
          {fault_kind::flipped_bit, per_million, any},
          {fault_kind::misdirected, per_million, any}};
}

// What a call meets follows from the seed, its client and its number alone: it stays the same when calls of others come
// in another order.
class random_faults {
 public:
  random_faults(std::uint64_t seed, std::vector<fault_chance> chances) : seed_(seed), chances_(std::move(chances)) {}

  [[nodiscard]] fault choose(const client_call& call) const noexcept {
    random_source clients(seed_ + call.client);
    random_source random(clients.next() + call.number);
    std::size_t drawn = random.below(1'000'000);
    for (const fault_chance& each : chances_) {
      if (!can_happen(each.kind, call.operation)) continue;
      if (drawn < each.per_million) return {each.kind, argument_of(each, random), false};
      drawn -= each.per_million;
    }
    return {};
  }

 private:
  [[nodiscard]] static std::uint64_t argument_of(const fault_chance& chance, random_source& random) noexcept {
    if (chance.kind != fault_kind::clock_step) return random.next() % (chance.argument_max + 1);
    if (random.chance(25)) return 0;
    return random.next() % (2 * chance.argument_max + 1) - chance.argument_max;  // negative ones wrap around
  }

  std::uint64_t seed_;
  std::vector<fault_chance> chances_;
};

// One byte for each call, in the order of the calls: which kind, where it is one that can happen, else none. After such
// a one a second byte, the argument. None when the bytes are used up, so that the shortest input is the run without
// faults.
class byte_faults {
 public:
  explicit byte_faults(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] fault choose(const client_call& call) noexcept {
    const std::size_t kind = take();
    if (kind >= fault_kinds || !can_happen(static_cast<fault_kind>(kind), call.operation)) return {};
    return {static_cast<fault_kind>(kind), take(), false};
  }

 private:
  [[nodiscard]] unsigned char take() noexcept {
    return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : static_cast<unsigned char>(0);
  }

  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace tarn::inline TARN_ABI::testing
