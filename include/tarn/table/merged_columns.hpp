// Reading a slice column by column: what `slice_merge` makes of it, in the same order, but rows of the base that no
// record is about are not looked at one by one.
//
//   base   a b c d e f g h ...    a batch of columns at a time
//   runs         d=    f-  ...    a record at a time
//   out    a b c d'  e   g h      runs of the base and single rows, copied next to each other
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/batch_builder.hpp"
#include "../codec/codec.hpp"
#include "../codec/column_view.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "../log/snapshot.hpp"
#include "../merge/fold.hpp"
#include "../merge/record_runs.hpp"
#include "base_columns.hpp"
#include "gathered_columns.hpp"
#include "record_sources.hpp"

namespace tarn::inline TARN_ABI {

// Movable; not thread-safe. Memory: that of the base's cursor, one record of each run, and a batch as `batch_builder`
// makes them.
template <class Store, row_codec Codec>
class merged_columns {
 public:
  using base_type = base_columns<Store, Codec>;
  using source = record_source_of<Store, Codec>;

  // `wanted`, some of the table's columns, and the table must outlive this.
  merged_columns(const table_state& table, const schema& wanted)
      : table_(&table), runs_(table.key), room_max_(batch_limits::rows_of(wanted.size())) {
    std::size_t next = 0;
    for (const tarn::column& each : wanted) {
      columns_.emplace_back(each);
      views_.emplace_back();
      places_.push_back(next = table.columns.find(each.id, next));
    }
  }

  // As of slice_merge.
  void set_base(base_type base, std::uint64_t rows) {
    base_.emplace_back(std::move(base));
    runs_.set_base_rows(rows);
  }
  void add_run(source records, bool positions_hold) { runs_.add(std::move(records), positions_hold); }

  // Moves to the next batch, of at least one row. False at the end and on failure.
  [[nodiscard]] bool next() {
    batch_ = {};
    memory_.clear();
    rows_ = 0;
    for (gathered_column& each : columns_) each.clear(memory_, room_max_);
    texts_begin_ = memory_.byte_size();
    while (append_piece()) {
    }
    if (!status_ || rows_ == 0) return false;
    for (std::size_t at = 0; at < columns_.size(); ++at) views_[at] = columns_[at].view();
    batch_ = row_batch(views_.data(), views_.size(), rows_);
    return true;
  }

  // Valid until next() is called again, also if this is moved.
  [[nodiscard]] const row_batch& batch() const noexcept { return batch_; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }
  [[nodiscard]] merge_statistics statistics() const noexcept {
    merge_statistics all = runs_.statistics();
    all.base_keys_compared = base_keys_compared_;
    return all;
  }

 private:
  // Appends some rows of the base, or a key that records are about. False at the end of the batch, of all, and on
  // failure. The base's next rows are not read before those that were gathered from the ones before are handed out.
  [[nodiscard]] bool append_piece() {
    if (room() == 0 || memory_.byte_size() - texts_begin_ >= batch_limits::bytes_max) return false;
    if (base_index_ < runs_.base_rows() && left() == 0) return rows_ == 0 && read_base();
    if (!runs_.find_group(base_index_)) return fail(runs_.status());
    std::size_t count = 0;
    if (!count_rows_before_group(count)) return false;
    if (count > 0) return append_base(count);
    return runs_.has_group() ? append_group() : rows_ == 0 && end_base();
  }

  [[nodiscard]] std::size_t room() const noexcept { return room_max_ - rows_; }
  // Of the base's rows that were read, those that have not been passed.
  [[nodiscard]] std::size_t left() const noexcept { return base_.empty() ? 0 : base_[0].rows() - passed_; }

  [[nodiscard]] bool read_base() {
    passed_ = 0;
    if (base_[0].next()) {
      if (base_[0].rows() <= runs_.base_rows() - base_index_) return true;
      return fail_base("has more rows than the log says");
    }
    return base_[0].status() ? fail_base("has fewer rows than the log says") : fail(base_[0].status());
  }
  // False: there are no more rows, nor may there be in the base's object: it would go unnoticed.
  [[nodiscard]] bool end_base() {
    if (base_.empty()) return false;
    if (base_[0].next()) return fail_base("has more rows than the log says");
    return fail(base_[0].status());
  }

  // How many of the base's next rows come before the current group, as far as they were read and there is room.
  [[nodiscard]] bool count_rows_before_group(std::size_t& count) {
    const std::size_t at_hand = left() < room() ? left() : room();
    if (!runs_.has_group()) {
      count = at_hand;
      return true;
    }
    const base_place& place = runs_.place();
    count = rows_to(place.known ? place.index : runs_.search_end(), at_hand);
    has_base_row_ = place.known && place.at;
    return place.known || find_key(count);
  }
  [[nodiscard]] std::size_t rows_to(std::uint64_t index, std::size_t at_hand) const noexcept {
    const std::uint64_t rows = index - base_index_;
    return rows < at_hand ? static_cast<std::size_t>(rows) : at_hand;
  }

  // Finds the group's key among the next `count` rows, which then are those before it: the way counts, not the rows
  // that were read.
  [[nodiscard]] bool find_key(std::size_t& count) {
    base_type& base = base_[0];
    (void)runs_.key();  // who knows a record's key checks that the next one's is greater
    const list_view& values = runs_.in_group(0).current().values;
    if (count > 0 && !base.read_keys()) return fail(base.status());
    const std::size_t end = count;
    bool is_there = false;  // as far as rows have been looked at that are not before it
    count = find_near_first_not(0, end, [&](std::size_t ahead) {
      ++base_keys_compared_;
      const int order = base.compare_key(passed_ + ahead, values);
      if (order >= 0) is_there = order == 0;
      return order < 0;
    });
    has_base_row_ = is_there;
    return true;
  }

  // The next rows of the base, but for tombstones.
  [[nodiscard]] bool append_base(std::size_t count) {
    const std::size_t end = passed_ + count;
    base_index_ += count;
    while (passed_ < end) {
      std::size_t live = end - passed_;
      if (base_[0].has_tombstones())
        for (live = 0; passed_ + live < end && !base_[0].is_tombstone(passed_ + live);) ++live;
      if (!append_rows(passed_, live)) return false;
      passed_ += live;
      if (passed_ < end) ++passed_;  // a tombstone
    }
    return true;
  }
  [[nodiscard]] bool append_rows(std::size_t first, std::size_t count) {
    for (std::size_t at = 0; at < columns_.size(); ++at)
      if (!columns_[at].append(base_[0].column(at), first, count)) return fail_value(at, base_[0].describe());
    rows_ += count;
    return true;
  }

  // What the group's records make of the base's row, if it has one.
  [[nodiscard]] bool append_group() {
    folded state;
    if (has_base_row_) state = base_[0].state(passed_);
    const bool is_changed = runs_.take_group(state);
    if (state.state == key_state::live && !(is_changed ? append_row(state.values) : append_rows(passed_, 1)))
      return false;
    if (has_base_row_) ++base_index_, ++passed_;
    return true;
  }
  [[nodiscard]] bool append_row(const list_view& values) {
    for (std::size_t at = 0; at < columns_.size(); ++at)
      if (!columns_[at].append(values[places_[at]], memory_)) return fail_value(at, concat({"table ", table_->name}));
    ++rows_;
    return true;
  }

  bool fail(const tarn::status& why) {
    status_ = why;
    return false;
  }
  [[gnu::cold]] bool fail_base(std::string_view what) {
    return fail(error(errc::corrupt, concat({base_[0].describe(), " ", what})));
  }
  [[gnu::cold]] bool fail_value(std::size_t at, const std::string& where) {
    const tarn::column& of = columns_[at].declared();
    return fail(error(errc::corrupt, concat({where, " has values in column '", of.name,
                                             "' that the column does not take: it is declared ", name_of(of.type)})));
  }

  const table_state* table_;
  sequence<base_type> base_;      // one or none
  std::uint64_t base_index_ = 0;  // of its next row
  std::size_t passed_ = 0;        // of the rows that were read last
  bool has_base_row_ = false;     // the current group has, and it is that next one
  record_runs<source> runs_;
  std::uint64_t base_keys_compared_ = 0;
  sequence<std::size_t> places_;  // of the wanted columns among the table's
  sequence<gathered_column> columns_;
  std::size_t room_max_;  // rows of a batch
  std::size_t rows_ = 0;
  arena memory_;                 // of what was gathered
  std::size_t texts_begin_ = 0;  // how much of it is not of texts
  sequence<column_view> views_;
  row_batch batch_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
