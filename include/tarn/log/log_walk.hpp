// The whole log, slot by slot, whatever is wrong with it: what a check reads. Whoever wants a state uses open.hpp,
// which takes the shortest way and stops at the first thing that is wrong on it.
//
//   slot      0     1     2     3     4     5    5     6
//           good  good  ruined  -   good  good   |   good
//   state    yes   yes   no    no    no    no   yes   yes       the checkpoint of 5 tells the state again
//
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
#include "checkpoint.hpp"
#include "entry.hpp"
#include "log.hpp"
#include "snapshot.hpp"

namespace tarn::inline TARN_ABI {

// What a walk finds.
enum class slot_state : unsigned char {
  good,       // an entry; it fits what comes before, as far as that is known
  missing,    // nothing, though the log goes on; so does the walk, at the next slot or checkpoint that is there
  damaged,    // something else, or what the store cannot give
  off_chain,  // an entry that was made to follow another one
  unfitting,  // an entry that is on the chain, but cannot be applied to the state before it
  resumed,    // no slot: after damage, or where a truncated log begins, the checkpoint of the version tells the state
};

// The versions that the store lists, each in order.
struct listed_versions {
  sequence<version> entries;
  sequence<version> checkpoints;
};

// `store` and `listed` must outlive it. Memory: one entry and two states, which share what they have in common.
template <object_store Store>
class log_walk {
 public:
  // Of the slots after `truncated`; -1: all.
  log_walk(Store& store, const listed_versions& listed, version truncated, const limits& bounds)
      : store_(&store), listed_(&listed), bounds_(bounds), at_(truncated), whole_(truncated == version()) {}

  // Moves on; false after the last filled slot. One `get`, more only around what is wrong.
  [[nodiscard]] bool next() {
    const bool jumped = slot_ == slot_state::missing;
    if (!jumped && !whole_ && resume()) return true;
    at_ = jumped ? next_there_ : at_.next();
    result<logged_entry> read = get_entry(*store_, at_, bounds_);
    if (!read && read.error().code() == errc::not_found) return jumped ? resume() : find_hole();
    outcome_ = read ? status() : status(read.error());
    slot_ = read ? slot_state::good : slot_state::damaged;
    if (slot_ == slot_state::good) content_ = *std::move(read);
    if (slot_ == slot_state::good && whole_) apply();
    whole_ = whole_ && slot_ == slot_state::good;
    return true;
  }

  [[nodiscard]] version at() const noexcept { return at_; }
  [[nodiscard]] slot_state slot() const noexcept { return slot_; }
  // Why the slot is not good.
  [[nodiscard]] const status& outcome() const noexcept { return outcome_; }
  // Whether there is an entry, on the chain or off it.
  [[nodiscard]] bool has_entry() const noexcept {
    return slot_ == slot_state::good || slot_ == slot_state::off_chain || slot_ == slot_state::unfitting;
  }
  [[nodiscard]] const entry& content() const noexcept { return content_.content; }

  // Whether the state is known. Only then is `before` that before the entry; `after` is the last one known. Where it is
  // known again, `before` is the last one that was.
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

  [[nodiscard]] bool resume() {
    const std::size_t place = lower_bound(listed_->checkpoints.begin(), listed_->checkpoints.size(),
                                          [&](version each) { return each < at_; });
    if (place == listed_->checkpoints.size() || listed_->checkpoints[place] != at_) return false;
    result<shared_snapshot> state = read_checkpoint(*store_, at_, bounds_);
    if (!state) return false;
    before_ = after_;
    after_ = *std::move(state);
    slot_ = slot_state::resumed;
    outcome_ = {};
    whole_ = true;
    return true;
  }

  // The slot `at_` is empty: whether anything comes after it. Listed names that cannot be got are ghosts of the
  // listing.
  [[nodiscard]] bool find_hole() {
    constexpr version none{INT64_MAX};
    version later = none;
    for (const version each : listed_->entries) {
      if (each <= at_) continue;
      const auto filled = store_->get(entry_name(each));
      if (!filled && filled.error().code() == errc::not_found) continue;
      later = each;
      break;
    }
    for (const version each : listed_->checkpoints)
      if (each >= at_ && each < later && read_checkpoint(*store_, each, bounds_)) later = each;
    if (later == none) return false;
    next_there_ = later;
    slot_ = slot_state::missing;
    outcome_ = missing_entry(at_, later);
    whole_ = false;
    return true;
  }

  Store* store_;
  const listed_versions* listed_;
  limits bounds_;
  version at_;
  version next_there_;  // after a slot that is missing
  slot_state slot_ = slot_state::good;
  status outcome_;
  logged_entry content_;
  shared_snapshot before_;
  shared_snapshot after_;
  bool whole_;
};

}  // namespace tarn::inline TARN_ABI
