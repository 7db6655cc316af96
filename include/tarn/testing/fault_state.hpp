// What all clients of one simulated lake share: who chooses the faults, what has come of it, what is still under way.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../store/store.hpp"
#include "fault.hpp"
#include "fault_chooser.hpp"
#include "fault_counts.hpp"
#include "recent_changes.hpp"

namespace tarn::inline TARN_ABI::testing {

// A store that says of a remove whether there was anything: one whose clients take turns between its calls.
template <class S>
concept tells_removed = requires(S& store, std::string_view name) {
  { store.remove_if_there(name) } -> std::same_as<result<bool>>;
};
// Removes an object; false if there was none.
template <removing_store Inner>
[[nodiscard]] result<bool> remove_from(Inner& inner, std::string_view name) {
  if constexpr (tells_removed<Inner>) {
    return inner.remove_if_there(name);
  } else {
    const bool was_there = inner.get(name).has_value();
    if (const status removed = inner.remove(name); !removed) return removed.error();
    return was_there;
  }
}

// A put or a remove whose caller has gone on without it.
struct late_effect {
  store_operation operation = store_operation::put;
  std::string name;
  std::string bytes;
};

// One for each run. Used by one thread at a time: by clients that take turns, as under an explorer.
template <chooses_faults Chooser = planned_faults>
class fault_state {
 public:
  fault_state() = default;
  explicit fault_state(Chooser chooser) : chooser_(std::move(chooser)) {}
  fault_state(const fault_state&) = delete;
  fault_state& operator=(const fault_state&) = delete;

  [[nodiscard]] Chooser& chooser() noexcept { return chooser_; }

  // Calls so far, of all clients or of one; those after a crash are none.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::size_t calls_of(std::size_t client) const noexcept {
    return client < clients_.size() ? clients_[client].calls : 0;
  }

  // What has happened, in this order. As a list of planned faults it makes the same run again, whoever has chosen it.
  [[nodiscard]] const std::vector<planned_fault>& fired() const noexcept { return fired_; }
  [[nodiscard]] const fault_counts& counts() const noexcept { return counts_; }
  // Of a list: the faults that have not happened, since their call was not made, was another operation, or had nothing
  // to be done to. A test whose plan has such a one has not tested what it says.
  [[nodiscard]] std::vector<planned_fault> never_fired(const std::vector<planned_fault>& planned) const {
    std::vector<planned_fault> never = planned;
    std::erase_if(never, [&](const planned_fault& each) {
      return std::any_of(fired_.begin(), fired_.end(), [&](const planned_fault& done) {
        const bool then = done.call == each.call || (each.what.for_good && done.call > each.call);
        return then && done.client == each.client && done.what.kind == each.what.kind &&
               done.what.argument == each.what.argument;
      });
    });
    return never;
  }

  // Whether the client's process has ended.
  [[nodiscard]] bool has_crashed(std::size_t client) const noexcept {
    return client < clients_.size() && clients_[client].crashed;
  }
  // Another process goes on under this client's number. (It opens the lake anew.)
  void restart(std::size_t client) { of(client).crashed = false; }

  // Effects that are still to come, and those that have come and changed something.
  [[nodiscard]] std::size_t under_way() const noexcept { return under_way_.size(); }
  [[nodiscard]] std::uint64_t landed() const noexcept { return landed_; }

  // Every effect that is still to come does.
  template <object_store Inner>
  void deliver_all(Inner& inner) {
    for (timed_effect& each : under_way_) each.due = 0;
    deliver_due(inner);
  }

  // --- for fault_store ---

  // One more call: its number.
  [[nodiscard]] std::size_t begin_call(std::size_t client) {
    ++calls_;
    return of(client).calls++;
  }
  // Time goes on within a call.
  void pass_call() noexcept { ++calls_; }
  void crash(std::size_t client) { of(client).crashed = true; }

  void note_fired(const client_call& call, const fault& what) {
    counts_.add(call.operation, what.kind);
    fired_.push_back({call.client, call.number, {what.kind, what.argument, false}});
  }

  void deliver_later(late_effect effect, std::uint64_t calls) {
    under_way_.push_back({std::move(effect), calls_ + calls});
  }
  template <object_store Inner>
  void deliver_due(Inner& inner) {
    // An inner store may let others have a turn, and these may send more: no reference is kept.
    for (std::size_t at = 0; at < under_way_.size();) {
      if (under_way_[at].due >= calls_) {
        ++at;
        continue;
      }
      const late_effect effect = std::move(under_way_[at].what);
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(at));
      deliver(inner, effect);
      at = 0;
    }
  }

  void note_put(std::string_view name, const put_result& put) {
    if (put.outcome() == put_outcome::created) changes_.note_put(name, calls_);
  }
  void note_remove(std::string_view name) { changes_.note_remove(name, calls_); }
  [[nodiscard]] const recent_changes& changes() const noexcept { return changes_; }
  // The number of the call that was so many calls ago.
  [[nodiscard]] std::uint64_t calls_ago(std::uint64_t calls) const noexcept {
    return calls < calls_ ? calls_ - calls - 1 : 0;
  }

 private:
  struct client_state {
    std::size_t calls = 0;
    bool crashed = false;
  };
  struct timed_effect {
    late_effect what;
    std::uint64_t due;  // the last call that comes before it
  };

  [[nodiscard]] client_state& of(std::size_t client) {
    if (client >= clients_.size()) clients_.resize(client + 1);
    return clients_[client];
  }

  template <object_store Inner>
  void deliver(Inner& inner, const late_effect& effect) {
    if (effect.operation == store_operation::put) {
      const put_result put = inner.put_if_absent(effect.name, effect.bytes);
      note_put(effect.name, put);
      if (put.outcome() == put_outcome::created) ++landed_;
    } else if constexpr (removing_store<Inner>) {
      const result<bool> removed = remove_from(inner, effect.name);
      if (removed && *removed) {
        note_remove(effect.name);
        ++landed_;
      }
    }
  }

  Chooser chooser_;
  std::uint64_t calls_ = 0;
  std::vector<client_state> clients_;
  std::vector<planned_fault> fired_;
  fault_counts counts_;
  std::vector<timed_effect> under_way_;
  std::uint64_t landed_ = 0;
  recent_changes changes_;
};

}  // namespace tarn::inline TARN_ABI::testing
