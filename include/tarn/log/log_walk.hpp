// The whole log, entry by entry, whatever is wrong with it: what a check reads. Whoever wants a state uses log.hpp,
// which stops at the first thing that is wrong.
//
//   slot      0     1     2     3     4     5
//           good  good  ruined  -   good  good
//   outcome   |     |     |     |     |     |
//             ok    ok  corrupt hole  ok    ok
//   whole    yes   yes    no    no    no    no       states are known as long as the chain is whole
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/strong_types.hpp"
#include "../store/store.hpp"
#include "apply_entry.hpp"
#include "entry.hpp"
#include "log.hpp"
#include "snapshot.hpp"

namespace tarn::inline TARN_ABI {

// What a walk finds in a slot.
enum class slot_state : unsigned char {
  good,       // an entry; it fits what comes before, as far as that is known
  missing,    // nothing, though a later slot is filled; the walk goes on at the first filled one
  damaged,    // something else, or what the store cannot give
  off_chain,  // an entry that was made to follow another one
  unfitting,  // an entry that is on the chain, but cannot be applied to the state before it
};

// `store` and `listed`, the versions that the store lists, sorted, must outlive it. Memory: one entry and two states,
// which share what they have in common.
template <object_store Store>
class log_walk {
 public:
  log_walk(Store& store, const sequence<version>& listed, shared_snapshot begin, const limits& bounds)
      : store_(&store), listed_(&listed), bounds_(bounds), at_(begin->at), before_(begin), after_(std::move(begin)) {}

  // Moves to the next slot; false after the last filled one. One `get`, more only where slots are missing.
  [[nodiscard]] bool next() {
    at_ = slot_ == slot_state::missing ? next_filled_ : at_.next();
    result<logged_entry> read = get_entry(*store_, at_, bounds_);
    if (!read && read.error().code() == errc::not_found) return find_hole();
    outcome_ = read ? status() : status(read.error());
    slot_ = read ? slot_state::good : slot_state::damaged;
    if (read) content_ = *std::move(read);
    if (read && whole_) apply();
    whole_ = whole_ && slot_ == slot_state::good;
    return true;
  }

  [[nodiscard]] version at() const noexcept { return at_; }
  [[nodiscard]] slot_state slot() const noexcept { return slot_; }
  // Why the slot is not good.
  [[nodiscard]] const status& outcome() const noexcept { return outcome_; }
  // Whether there is an entry, on the chain or off it.
  [[nodiscard]] bool has_entry() const noexcept { return slot_ != slot_state::missing && slot_ != slot_state::damaged; }
  [[nodiscard]] const entry& content() const noexcept { return content_.content; }

  // Whether all was good from the beginning to here. Only then is `before` the state before the entry; `after` is the
  // last state that is known.
  [[nodiscard]] bool whole() const noexcept { return whole_; }
  [[nodiscard]] const shared_snapshot& before() const noexcept { return before_; }
  [[nodiscard]] const shared_snapshot& after() const noexcept { return after_; }

 private:
  void apply() {
    before_ = after_;
    outcome_ = check_link(after_->at, after_->entry_checksum, content_.content);
    if (!outcome_) {
      slot_ = slot_state::off_chain;
      return;
    }
    shared_snapshot next = after_;
    outcome_ = apply_entry(next.writable(), content_.content, content_.checksum);
    if (outcome_)
      after_ = std::move(next);
    else
      slot_ = slot_state::unfitting;
  }

  // The slot `at_` is empty. Listed names that cannot be got are ghosts of the listing.
  [[nodiscard]] bool find_hole() {
    for (const version later : *listed_) {
      if (later <= at_) continue;
      const auto filled = store_->get(entry_name(later));
      if (!filled && filled.error().code() == errc::not_found) continue;
      next_filled_ = later;
      slot_ = slot_state::missing;
      outcome_ = missing_entry(at_, later);
      whole_ = false;
      return true;
    }
    return false;
  }

  Store* store_;
  const sequence<version>* listed_;
  limits bounds_;
  version at_;
  version next_filled_;  // after a slot that is missing
  slot_state slot_ = slot_state::good;
  status outcome_;
  logged_entry content_;
  shared_snapshot before_;
  shared_snapshot after_;
  bool whole_ = true;
};

}  // namespace tarn::inline TARN_ABI
