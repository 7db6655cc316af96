// Reading a slice: one streaming merge of a base with the runs of records that came after it.
//
//   base   a b c d e f g ...                  read once, from the first row to the last
//   runs   b= (at 1)   d= (at 3)   x= ...     see record_runs.hpp
//          c- (no place)
//
// Where a group's key is among the base's rows is found by its position, if one of its records has one that holds, else
// by comparing keys from the current row on. So if all positions hold, the base's keys are never looked at, as in the
// positional delta trees of Héman et al. (SIGMOD 2010); and a record without, in the same group or another, costs a
// search that is no longer than the way to the next position.
//
// Positions are only ever used instead of this search, never instead of the order of the runs: records of one key are
// folded in commit order, however each of them was placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/table_key.hpp"
#include "../core/text.hpp"
#include "fold.hpp"
#include "key.hpp"
#include "record.hpp"
#include "record_runs.hpp"

namespace tarn::inline TARN_ABI {

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
      : key_(&key), verifies_(checks == verification::of_positions), runs_(key) {}

  // The base: at most one, of `rows` rows.
  void set_base(Source source, std::uint64_t rows) {
    base_.emplace_back(std::move(source));
    runs_.set_base_rows(rows);
  }
  // A run, after those added before in commit order. `positions_hold`: places in it are of this base.
  void add_run(Source source, bool positions_hold) { runs_.add(std::move(source), positions_hold); }

  // Moves to the next key that has a row, or, if `with_tombstones`, a tombstone. False at the end and on failure.
  [[nodiscard]] bool next(bool with_tombstones = false) {
    while (status_) {
      if (!runs_.find_group(base_index_)) return fail(runs_.status().error());
      const bool found = runs_.has_group() ? reach_group() : take_base_row();
      if (!status_ || !found) return false;
      if (current_.state == key_state::live || (with_tombstones && current_.state == key_state::tombstone)) return true;
    }
    return false;
  }

  // Leaves out rows of the base that come next: those that `skip(source)` takes from its source, and returns the number
  // of. Only of a base without runs, whose rows can be nothing but what they are there, and without verification.
  template <class Skip>
  std::uint64_t skip_base_rows(Skip skip) {
    const std::uint64_t skipped = skip(base_[0].source());
    base_index_ += skipped;
    return skipped;
  }

  // The state of the key that next() moved to; valid until it is called again.
  [[nodiscard]] const folded& current() const noexcept { return current_; }
  // Where that key is in the base.
  [[nodiscard]] const base_place& place() const noexcept { return place_; }

  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }
  [[nodiscard]] merge_statistics statistics() const noexcept {
    merge_statistics all = runs_.statistics();
    all.base_keys_compared = base_keys_compared_;
    return all;
  }

 private:
  using reader = record_reader<Source>;

  // Emits the base's rows before the group's key and then the group itself, one at a time.
  [[nodiscard]] bool reach_group() {
    const base_place& place = runs_.place();
    if (place.known) {
      if (base_index_ < place.index) return take_base_row();
      if (verifies_ && !verify_place()) return false;
      return fold_group(place.at);
    }
    if (base_index_ >= runs_.search_end()) return fold_group(false);
    if (!load_base_row()) return false;
    ++base_keys_compared_;
    const int order = base_[0].key(*key_).compare(runs_.key());
    if (order < 0) return take_base_row();
    return fold_group(order == 0);
  }

  [[nodiscard]] bool fold_group(bool with_base_row) {
    current_ = {};
    if (with_base_row) {
      if (!load_base_row()) return false;
      fold(current_, base_[0].current().done, base_[0].current().values, *key_);
    }
    place_ = {base_index_, with_base_row, !base_.empty()};
    runs_.take_group(current_);
    if (with_base_row) leave_base_row();
    return true;
  }

  // The current row of the base, alone in its group. False at the end of the base, which is the end of all.
  [[nodiscard]] bool take_base_row() {
    if (base_index_ == runs_.base_rows()) return end_base();
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
    const bool at_end = base_index_ == runs_.base_rows();
    if (!at_end && !load_base_row()) return false;
    for (std::size_t at = 0; at < runs_.group_size(); ++at) {
      reader& claims = runs_.in_group(at);
      if (holds(claims, at_end)) continue;
      const base_place& place = runs_.place();
      return corrupt(claims, concat({"has a wrong position, ", place.at ? "at" : "before", " row ", place.index,
                                     ", for the key ", describe_key(claims.current().values, key_->columns)}));
    }
    return true;
  }
  [[nodiscard]] bool holds(reader& claims, bool at_end) {
    reader& base = base_[0];
    const std::string_view key = claims.key(*key_);
    // After the last row, the key that was read last is the one before the gap.
    const bool follows =
        at_end ? base_index_ == 0 || base.key(*key_) < key : !base.has_previous() || base.previous() < key;
    const int order = at_end ? 1 : base.key(*key_).compare(key);
    return runs_.place().at ? order == 0 : order > 0 && follows;
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
  sequence<reader> base_;         // one or none
  std::uint64_t base_index_ = 0;  // of the next row to be taken
  bool base_loaded_ = false;      // that row has been read
  record_runs<Source> runs_;
  std::uint64_t base_keys_compared_ = 0;
  folded current_;
  base_place place_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
