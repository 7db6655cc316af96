// Reading a slice: one streaming merge of a base with the runs of records that came after it.
//
//   base   a b c d e f g ...                  read once, from the first row to the last
//   runs   b= (at 1)   d= (at 3)   x= ...     sorted by key among themselves, ties in commit order, by a heap
//          c- (no place)
//
// Records of one key form a group. Where the group's key is among the base's rows is found by its position, if one of
// its records has one that holds, else by comparing keys from the current row on. So if all positions hold, the base's
// keys are never looked at, as in the positional delta trees of Héman et al. (SIGMOD 2010); and a record without, in
// the same group or another, costs a search that is no longer than the way to the next position.
//
// Positions are only ever used instead of this search, never instead of the order of the runs: records of one key are
// folded in commit order, however each of them was placed.
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

// How much a merge checks of what it reads. Ranges and the order of positions and keys are always checked.
enum class verification : bool {
  of_order,
  of_positions,  // also that the row at a position has the record's key, and the rows around a gap do not
};

// Memory: one record of the base and of each run. Not thread-safe; movable.
template <record_source Source>
class slice_merge {
 public:
  slice_merge(const table_key& key, verification checks)
      : key_(&key), verifies_(checks == verification::of_positions) {}

  // The base: at most one, of `rows` rows.
  void set_base(Source source, std::uint64_t rows) {
    base_.emplace_back(std::move(source));
    base_rows_ = rows;
  }
  // A run, after those added before in commit order. `positions_hold`: places in it are of this base.
  void add_run(Source source, bool positions_hold) {
    ++(positions_hold ? statistics_.blocks_by_position : statistics_.blocks_by_key);
    runs_.emplace_back(std::move(source), positions_hold);
  }

  // Moves to the next key that has a row, or, if `with_tombstones`, a tombstone. False at the end and on failure.
  [[nodiscard]] bool next(bool with_tombstones = false) {
    if (!started_ && !start()) return false;
    while (status_) {
      if (!leave_current()) return false;
      if (group_.empty() && !form_group()) return false;
      const bool found = group_.empty() ? take_base_row() : reach_group();
      if (!status_ || !found) return false;
      if (current_.state == key_state::live || (with_tombstones && current_.state == key_state::tombstone)) return true;
    }
    return false;
  }

  // The state of the key that next() moved to; valid until it is called again.
  [[nodiscard]] const folded& current() const noexcept { return current_; }
  // Where that key is in the base.
  [[nodiscard]] const base_place& place() const noexcept { return place_; }

  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }
  [[nodiscard]] const merge_statistics& statistics() const noexcept { return statistics_; }

 private:
  // A source with its current record and, once it was asked for, the record's key.
  class reader {
   public:
    explicit reader(Source source, bool positions_hold = false)
        : source_(std::move(source)), positions_hold_(positions_hold) {}

    // Moves on and keeps what the order of the next record can be checked with: the position, and the key if it is
    // known anyway, or the only thing that tells the records of one gap apart.
    [[nodiscard]] bool next_in_order(const table_key& of) {
      previous_place_ = at_start_ ? base_place() : place();
      if (previous_place_.known && !previous_place_.at) (void)key(of);
      has_previous_ = has_key_;
      if (has_key_) previous_.assign(key_);
      return next();
    }
    [[nodiscard]] bool next() {
      has_key_ = false;
      at_start_ = false;
      return source_.next();
    }
    [[nodiscard]] const record& current() const { return source_.current(); }
    [[nodiscard]] tarn::status status() { return source_.status(); }
    [[nodiscard]] std::string describe() { return source_.describe(); }

    [[nodiscard]] std::string_view key(const table_key& of) {
      if (!has_key_) key_ = encode_key(source_.current().values, of.columns, scratch_);
      has_key_ = true;
      return key_;
    }
    // Unknown if the block's positions do not hold.
    [[nodiscard]] base_place place() const { return positions_hold_ ? source_.current().place : base_place(); }

    // Whether the current record comes after the one before, as far as both have been looked at.
    [[nodiscard]] bool in_order(const table_key& of) {
      const base_place here = place();
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
    bool at_start_ = true;
    bool has_key_ = false;
    bool has_previous_ = false;
    base_place previous_place_;
    std::string_view key_;  // in `scratch_`, or in the record
    std::string scratch_;
    std::string previous_;
  };

  [[nodiscard]] bool start() {
    started_ = true;
    for (std::uint32_t run = 0; run < runs_.size(); ++run)
      if (!advance(run)) return false;
    return true;
  }

  // What was current has been seen: its records make room for the next ones.
  [[nodiscard]] bool leave_current() {
    if (!group_done_) return true;
    group_done_ = false;
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
  [[nodiscard]] bool form_group() {
    if (heap_.empty()) return true;
    group_.push_back(pop());
    group_place_ = runs_[group_[0]].place();
    while (!heap_.empty() && compare(heap_[0], group_[0]) == 0) {
      group_.push_back(pop());
      const base_place other = runs_[group_.back()].place();
      if (!other.known) continue;
      if (group_place_.known && group_place_ != other)
        return corrupt(runs_[group_.back()], "has another position for a key than other objects");
      group_place_ = other;
    }
    ++(group_place_.known ? statistics_.keys_by_position : statistics_.keys_by_key);
    return check_place();
  }

  [[nodiscard]] bool check_place() {
    if (!group_place_.known) return true;
    const std::uint64_t rows = base_rows_;
    if (group_place_.index > rows || (group_place_.at && group_place_.index == rows))
      return corrupt(runs_[group_[0]], concat({"has position ", group_place_.index, ", the base has ", rows, " rows"}));
    if (group_place_.index < base_index_) return corrupt(runs_[group_[0]], "has positions that go back");
    return true;
  }

  // Emits the base's rows before the group's key and then the group itself, one at a time.
  [[nodiscard]] bool reach_group() {
    if (group_place_.known) {
      if (base_index_ < group_place_.index) return take_base_row();
      if (verifies_ && !verify_place()) return false;
      return fold_group(group_place_.at);
    }
    const std::string_view key = runs_[group_[0]].key(*key_);
    if (base_index_ >= search_end()) return fold_group(false);
    if (!load_base_row()) return false;
    ++statistics_.base_keys_compared;
    const int order = base_[0].key(*key_).compare(key);
    if (order < 0) return take_base_row();
    return fold_group(order == 0);
  }

  // The row that the next group is at or before: a key that comes before it has no row from there on.
  [[nodiscard]] std::uint64_t search_end() {
    const base_place next = heap_.empty() ? base_place() : runs_[heap_[0]].place();
    return next.known && next.index < base_rows_ ? next.index : base_rows_;
  }

  [[nodiscard]] bool fold_group(bool with_base_row) {
    current_ = {};
    if (with_base_row) {
      if (!load_base_row()) return false;
      fold(current_, base_[0].current().done, base_[0].current().values, *key_);
    }
    place_ = {base_index_, with_base_row, !base_.empty()};
    for (const std::uint32_t run : group_) {
      const record& each = runs_[run].current();
      fold(current_, each.done, each.values, *key_);
    }
    if (with_base_row) leave_base_row();
    group_done_ = true;
    return true;
  }

  // The current row of the base, alone in its group. False at the end of the base, which is the end of all.
  [[nodiscard]] bool take_base_row() {
    if (base_index_ == base_rows_) return end_base();
    if (!load_base_row()) return false;
    current_ = {base_[0].current().done.then, base_[0].current().values};
    place_ = {base_index_, true, true};
    leave_base_row();
    return true;
  }

  // False: there are no more rows. Nor may there be anything in the base's object: it would go unnoticed.
  [[nodiscard]] bool end_base() {
    if (base_.empty()) return false;
    if (base_[0].next()) return corrupt(base_[0], "has more rows than the log says");
    status_ = base_[0].status();
    return false;
  }

  // Reads the base's row number `base_index_`, unless it has been. The row stays valid until the next one is read.
  [[nodiscard]] bool load_base_row() {
    if (base_loaded_) return true;
    if (!(verifies_ ? base_[0].next_in_order(*key_) : base_[0].next()))
      return base_[0].status() ? corrupt(base_[0], "has fewer rows than the log says")
                               : fail(base_[0].status().error());
    base_loaded_ = true;
    if (!verifies_) return true;
    const std::string_view key = base_[0].key(*key_);
    if (base_[0].has_previous() && base_[0].previous() >= key) return corrupt(base_[0], "has rows not sorted by key");
    return true;
  }
  void leave_base_row() noexcept {
    base_loaded_ = false;
    ++base_index_;
  }

  // That the base has the key of each of the group's records where the position says, or keys around it that are less
  // and greater. Of each: records at one position need not have one key, since it was not looked at.
  [[nodiscard]] bool verify_place() {
    const bool at_end = base_index_ == base_rows_;
    if (!at_end && !load_base_row()) return false;
    for (const std::uint32_t run : group_)
      if (!holds(runs_[run], at_end))
        return corrupt(runs_[run],
                       concat({"has a wrong position, ", group_place_.at ? "at" : "before", " row ", group_place_.index,
                               ", for the key ", describe_key(runs_[run].current().values, key_->columns)}));
    return true;
  }
  [[nodiscard]] bool holds(reader& claims, bool at_end) {
    reader& base = base_[0];
    const std::string_view key = claims.key(*key_);
    // After the last row, the key that was read last is the one before the gap.
    const bool follows =
        at_end ? base_rows_ == 0 || base.key(*key_) < key : !base.has_previous() || base.previous() < key;
    const int order = at_end ? 1 : base.key(*key_).compare(key);
    return group_place_.at ? order == 0 : order > 0 && follows;
  }

  // By position where both have one, since then the keys need not be decoded; else by key. The order is the same.
  [[nodiscard]] int compare(std::uint32_t a, std::uint32_t b) {
    const base_place left = runs_[a].place();
    const base_place right = runs_[b].place();
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

  [[nodiscard]] bool fail(const error& why) {
    status_ = why;
    return false;
  }
  [[nodiscard]] bool corrupt(reader& where, std::string_view what) {
    return fail(error(errc::corrupt, concat({where.describe(), " ", what})));
  }

  const table_key* key_;
  bool verifies_;
  bool started_ = false;
  sequence<reader> base_;  // one or none
  std::uint64_t base_rows_ = 0;
  std::uint64_t base_index_ = 0;  // of the next row to be taken
  bool base_loaded_ = false;      // that row has been read
  sequence<reader> runs_;         // in commit order
  sequence<std::uint32_t> heap_;
  sequence<std::uint32_t> group_;  // the runs that have the next key
  base_place group_place_;
  bool group_done_ = false;
  folded current_;
  base_place place_;
  tarn::status status_;
  merge_statistics statistics_;
};

}  // namespace tarn::inline TARN_ABI
