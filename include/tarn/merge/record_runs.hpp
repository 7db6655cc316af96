// The runs of a merge: records that came after a base, sorted by key among themselves, ties in commit order.
//
//   runs   b= (at 1)   d= (at 3)   x= ...     each run is sorted; a heap finds the next key
//          c- (no place)
//
// Records of one key form a group, which is what a merge takes at a time: where it is in the base it has from whichever
// of them has a place that holds.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/table_key.hpp"
#include "../core/text.hpp"
#include "fold.hpp"
#include "key.hpp"
#include "record.hpp"

namespace tarn::inline TARN_ABI {

// Records sorted by key, each key once. `next()` is false at the end and on failure, and `status()` tells which; what
// `current()` refers to is valid until the next call of next(), also if the source is moved.
template <class S>
concept record_source = std::movable<S> && std::is_nothrow_move_constructible_v<S> && requires(S& source) {
  { source.next() } -> std::same_as<bool>;
  { source.current() } -> std::convertible_to<const record&>;
  { source.status() } -> std::same_as<status>;
  { source.describe() } -> std::convertible_to<std::string>;  // for messages: which object it is
};

// How a merge found its way: proof of which path ran.
struct merge_statistics {
  std::uint64_t keys_by_position = 0;  // groups of records that were placed by position
  std::uint64_t keys_by_key = 0;       // and by comparing keys
  std::uint64_t base_keys_compared = 0;
  std::uint64_t blocks_by_position = 0;  // blocks whose positions held
  std::uint64_t blocks_by_key = 0;       // all others

  void add(const merge_statistics& other) noexcept {
    keys_by_position += other.keys_by_position;
    keys_by_key += other.keys_by_key;
    base_keys_compared += other.base_keys_compared;
    blocks_by_position += other.blocks_by_position;
    blocks_by_key += other.blocks_by_key;
  }
};

// A source with its current record and, once it was asked for, the record's key.
template <record_source Source>
class record_reader {
 public:
  explicit record_reader(Source source, bool positions_hold = false)
      : source_(std::move(source)), positions_hold_(positions_hold) {}

  // Moves on and keeps what the order of the next record can be checked with: the position, and the key if it is
  // known anyway, or the only thing that tells the records of one gap apart.
  [[nodiscard]] bool next_in_order(const table_key& of) {
    previous_place_ = place_;
    if (previous_place_.known && !previous_place_.at) (void)key(of);
    has_previous_ = has_key_;
    if (has_key_) previous_.assign(key_);
    return next();
  }
  [[nodiscard]] bool next() {
    has_key_ = false;
    if (!source_.next()) return false;
    if (positions_hold_) place_ = source_.current().place;
    return true;
  }
  [[nodiscard]] const record& current() const { return source_.current(); }
  [[nodiscard]] tarn::status status() { return source_.status(); }
  [[nodiscard]] std::string describe() { return source_.describe(); }
  [[nodiscard]] Source& source() noexcept { return source_; }
  [[nodiscard]] const Source& source() const noexcept { return source_; }

  [[nodiscard]] std::string_view key(const table_key& of) {
    if (!has_key_) key_ = encode_key(source_.current().values, of.columns, scratch_);
    has_key_ = true;
    return key_;
  }
  // Unknown if the block's positions do not hold.
  [[nodiscard]] const base_place& place() const noexcept { return place_; }

  // Whether the current record comes after the one before, as far as both have been looked at.
  [[nodiscard]] bool in_order(const table_key& of) {
    const base_place& here = place_;
    if (here.known && previous_place_.known && here != previous_place_)
      return previous_place_.index < here.index || (previous_place_.index == here.index && !previous_place_.at);
    if (here.known && previous_place_.known && here.at) return false;  // two records at one row
    return !has_previous_ || previous_ < key(of);
  }
  [[nodiscard]] bool has_previous() const noexcept { return has_previous_; }
  [[nodiscard]] std::string_view previous() const noexcept { return previous_; }

 private:
  Source source_;
  bool positions_hold_;
  bool has_key_ = false;
  bool has_previous_ = false;
  base_place place_;
  base_place previous_place_;
  std::string_view key_;  // in `scratch_`, or in the record
  std::string scratch_;
  std::string previous_;
};

// Memory: one record of each run. Not thread-safe; movable.
template <record_source Source>
class record_runs {
 public:
  using reader = record_reader<Source>;

  explicit record_runs(const table_key& key) : key_(&key) {}

  // How many rows the base has, if there is one.
  void set_base_rows(std::uint64_t rows) noexcept { base_rows_ = rows; }
  [[nodiscard]] std::uint64_t base_rows() const noexcept { return base_rows_; }

  // A run, after those added before in commit order. `positions_hold`: places in it are of this base.
  void add(Source source, bool positions_hold) {
    ++(positions_hold ? statistics_.blocks_by_position : statistics_.blocks_by_key);
    runs_.emplace_back(std::move(source), positions_hold);
  }

  // Makes sure that the current group is one that was not taken yet; there is none at the end of all runs. `base_index`
  // is how many rows of the base have been passed. False on failure.
  [[nodiscard]] bool find_group(std::uint64_t base_index) {
    if (!started_ && !start()) return false;
    if (!leave_group()) return false;
    return !group_.empty() || form_group(base_index);
  }
  [[nodiscard]] bool has_group() const noexcept { return !group_.empty(); }

  // Of the current group: where it is in the base, if that is known without a look at keys, else
  [[nodiscard]] const base_place& place() const noexcept { return group_place_; }
  // its key, and the row of the base that the next group is at or before: the key has no row from there on.
  [[nodiscard]] std::string_view key() { return runs_[group_[0]].key(*key_); }
  [[nodiscard]] std::uint64_t search_end() const {
    const base_place next = heap_.empty() ? base_place() : runs_[heap_[0]].place();
    return next.known && next.index < base_rows_ ? next.index : base_rows_;
  }

  // The records of the current group, in commit order.
  [[nodiscard]] std::size_t group_size() const noexcept { return group_.size(); }
  [[nodiscard]] reader& in_group(std::size_t index) noexcept { return runs_[group_[index]]; }

  // What the group makes of the state; the next find_group() moves on. Returns whose record has the state's values, if
  // it has some and they are a record's: then they are valid until that is called. Else null, or whose is gone.
  const reader* take_group(folded& into) {
    const reader* last = nullptr;
    for (const std::uint32_t run : group_) {
      const record& each = runs_[run].current();
      if (fold(into, each.done, each.values, *key_)) last = &runs_[run];
    }
    group_taken_ = true;
    return last;
  }

  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }
  [[nodiscard]] const merge_statistics& statistics() const noexcept { return statistics_; }

 private:
  [[nodiscard]] bool start() {
    started_ = true;
    for (std::uint32_t run = 0; run < runs_.size(); ++run)
      if (!advance(run)) return false;
    return true;
  }

  // What was taken has been seen: its records make room for the next ones.
  [[nodiscard]] bool leave_group() {
    if (!group_taken_) return true;
    group_taken_ = false;
    for (const std::uint32_t run : group_)
      if (!advance(run)) return false;
    group_.clear();
    return true;
  }

  // Moves a run to its next record and puts it back among the waiting ones.
  [[nodiscard]] bool advance(std::uint32_t run) {
    reader& moved = runs_[run];
    if (!moved.next_in_order(*key_)) {
      status_ = moved.status();
      return static_cast<bool>(status_);
    }
    if (!moved.in_order(*key_)) return corrupt(moved, "has records that are not sorted by key");
    push(run);
    return true;
  }

  // The runs whose records are of the next key, in commit order; none at the end of all runs.
  [[nodiscard]] bool form_group(std::uint64_t base_index) {
    if (heap_.empty()) return true;
    group_.push_back(pop());
    group_place_ = runs_[group_[0]].place();
    while (!heap_.empty() && compare(heap_[0], group_[0]) == 0) {
      group_.push_back(pop());
      const base_place& other = runs_[group_.back()].place();
      if (!other.known) continue;
      if (group_place_.known && group_place_ != other)
        return corrupt(runs_[group_.back()], "has another position for a key than other objects");
      group_place_ = other;
    }
    ++(group_place_.known ? statistics_.keys_by_position : statistics_.keys_by_key);
    return check_place(base_index);
  }

  [[nodiscard]] bool check_place(std::uint64_t base_index) {
    if (!group_place_.known) return true;
    if (group_place_.index > base_rows_ || (group_place_.at && group_place_.index == base_rows_))
      return corrupt(runs_[group_[0]],
                     concat({"has position ", group_place_.index, ", the base has ", base_rows_, " rows"}));
    if (group_place_.index < base_index) return corrupt(runs_[group_[0]], "has positions that go back");
    return true;
  }

  // By position where both have one, since then the keys need not be decoded; else by key. The order is the same.
  [[nodiscard]] int compare(std::uint32_t a, std::uint32_t b) {
    const base_place& left = runs_[a].place();
    const base_place& right = runs_[b].place();
    if (left.known && right.known) {
      if (left.index != right.index) return left.index < right.index ? -1 : 1;
      if (left.at != right.at) return left.at ? 1 : -1;
      if (left.at) return 0;
    }
    return runs_[a].key(*key_).compare(runs_[b].key(*key_));
  }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) {
    const int order = compare(a, b);
    return order < 0 || (order == 0 && a < b);
  }

  void swap_waiting(std::size_t a, std::size_t b) noexcept {
    const std::uint32_t run = heap_[a];
    heap_[a] = heap_[b];
    heap_[b] = run;
  }
  // A binary heap of the runs that wait, the next one first.
  void push(std::uint32_t run) {
    heap_.push_back(run);
    for (std::size_t at = heap_.size() - 1; at > 0 && before(heap_[at], heap_[(at - 1) / 2]); at = (at - 1) / 2)
      swap_waiting(at, (at - 1) / 2);
  }
  [[nodiscard]] std::uint32_t pop() {
    const std::uint32_t first = heap_[0];
    heap_[0] = heap_.back();
    heap_.pop_back();
    for (std::size_t at = 0, child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], heap_[at])) break;
      swap_waiting(at, child);
      at = child;
    }
    return first;
  }

  [[nodiscard]] bool corrupt(reader& where, std::string_view what) {
    status_ = error(errc::corrupt, concat({where.describe(), " ", what}));
    return false;
  }

  const table_key* key_;
  std::uint64_t base_rows_ = 0;
  bool started_ = false;
  sequence<reader> runs_;  // in commit order
  sequence<std::uint32_t> heap_;
  sequence<std::uint32_t> group_;  // the runs that have the next key
  base_place group_place_;
  bool group_taken_ = false;
  tarn::status status_;
  merge_statistics statistics_;
};

}  // namespace tarn::inline TARN_ABI
