// Reading a slice column by column: what `slice_merge` makes of it, in the same order, but rows of the base that no
// record is about are not looked at one by one.
//
//   base     a b c d e f g h ...    a batch of columns at a time
//   runs           d=    f-  ...    so, too; of their records one is looked at after the other
//   pieces   base 0-2   run 0   base 4   base 6-7       which rows there are, in which batch
//   out      a b c d' e g h                             gathered from them, column by column
//
// The rows of a batch that is put together are pieces of batches that its sources stand on, so it ends before one of
// them moves on.
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
#include "gathered_columns.hpp"
#include "record_columns.hpp"
#include "record_sources.hpp"

namespace tarn::inline TARN_ABI {

// Movable; not thread-safe. Memory: that of `record_columns` for the base and each run, and a batch of elements.
template <class Store, row_codec Codec>
class merged_columns {
 public:
  using columns_type = record_columns<Store, Codec>;

  // `wanted`, some of the table's columns, and the table must outlive this.
  merged_columns(const table_state& table, const schema& wanted)
      : wanted_(&wanted), runs_(table.key), room_max_(batch_limits::rows_of(wanted.size())) {
    while (views_.size() < wanted.size()) views_.emplace_back();
  }

  // As of slice_merge; of the wanted columns.
  void set_base(columns_type base, std::uint64_t rows) {
    base_.emplace_back(std::move(base));
    runs_.set_base_rows(rows);
  }
  void add_run(columns_type records, bool positions_hold) { runs_.add(source(std::move(records)), positions_hold); }

  // Moves to the next batch, of at least one row. False at the end and on failure.
  [[nodiscard]] bool next() {
    batch_ = {};
    pieces_.clear();
    while (append_piece()) {
    }
    return status_ && pieces_.rows() > 0 && gather();
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
  using source = record_source_of_columns<Store, Codec>;

  // Appends some rows of the base, or a key that records are about. False at the end of the batch, of all, and on
  // failure. No source moves to its next rows before the pieces of those that it has are handed out.
  [[nodiscard]] bool append_piece() {
    if (room() == 0) return false;
    if (base_index_ < runs_.base_rows() && left() == 0) return pieces_.rows() == 0 && read_base();
    if (group_ends_batch_ && pieces_.rows() > 0) return false;
    group_ends_batch_ = false;
    if (!runs_.find_group(base_index_)) return fail(runs_.status());
    way ahead;
    if (!find_way(ahead)) return false;
    if (ahead.rows == 0 && !ahead.arrives) return pieces_.rows() == 0 && end_base();
    append_base(ahead.rows);
    if (ahead.arrives && room() > 0) append_group();
    return true;
  }

  [[nodiscard]] std::size_t room() const noexcept { return room_max_ - pieces_.rows(); }
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

  // From the base's next row to the current group: that is the whole way if it arrives there.
  struct way {
    std::size_t rows = 0;
    bool arrives = false;
  };
  // As far as the base's rows were read and there is room. Neither rows nor a group: the end of all.
  [[nodiscard]] bool find_way(way& ahead) {
    ahead.rows = left() < room() ? left() : room();
    if (!runs_.has_group()) return true;
    const base_place& place = runs_.place();
    const std::uint64_t rows = (place.known ? place.index : runs_.search_end()) - base_index_;
    ahead.arrives = rows <= ahead.rows;
    if (ahead.arrives) ahead.rows = static_cast<std::size_t>(rows);
    has_base_row_ = place.known && place.at;
    if (!place.known) return find_key(ahead);
    if (place.at && ahead.rows == left()) ahead.arrives = false;  // its row is the first that was not read
    return true;
  }

  // Finds the group's key among the next rows, which then are those before it: the way counts, not the rows that were
  // read.
  [[nodiscard]] bool find_key(way& ahead) {
    (void)runs_.key();  // who knows a record's key checks that the next one's is greater
    if (ahead.rows == 0) return true;
    columns_type& base = base_[0];
    if (!base.read_keys()) return fail(base.status());
    const list_view& values = runs_.in_group(0).current().values;
    const std::size_t end = ahead.rows;
    ahead.rows = find_near_first_not(0, end, [&](std::size_t at) {
      ++base_keys_compared_;
      const int order = base.compare_key(passed_ + at, values);
      if (order >= 0) has_base_row_ = order == 0;  // as far as rows have been looked at that are not before it
      return order < 0;
    });
    ahead.arrives = ahead.arrives || ahead.rows < end;
    return true;
  }

  // The next rows of the base, but for tombstones.
  void append_base(std::size_t count) {
    const std::size_t end = passed_ + count;
    base_index_ += count;
    while (passed_ < end) {
      const columns_type& base = base_[0];
      std::size_t live = end - passed_;
      if (base.has_tombstones())
        for (live = 0; passed_ + live < end && !base.is_tombstone(passed_ + live);) ++live;
      if (live > 0) pieces_.add(base, passed_, live);
      passed_ += live;
      if (passed_ < end) ++passed_;  // a tombstone
    }
  }

  // What the group's records make of the base's row, if it has one.
  void append_group() {
    folded state;
    if (has_base_row_) state = base_[0].state(passed_);
    const auto* const changed = runs_.take_group(state);
    if (state.state == key_state::live) {
      if (changed != nullptr)
        pieces_.add(changed->source().columns(), changed->source().index(), 1);
      else
        pieces_.add(base_[0], passed_, 1);
    }
    for (std::size_t at = 0; at < runs_.group_size(); ++at)
      group_ends_batch_ = group_ends_batch_ || runs_.in_group(at).source().is_last_of_batch();
    if (has_base_row_) ++base_index_, ++passed_;
  }

  [[nodiscard]] bool gather() {
    memory_.clear();
    for (std::size_t at = 0; at < views_.size(); ++at) {
      const auto* const refused = pieces_.gather(at, (*wanted_)[at], memory_, views_[at]);
      if (refused != nullptr) return fail_value((*wanted_)[at], *refused->source);
    }
    batch_ = row_batch(views_.data(), views_.size(), pieces_.rows());
    return true;
  }

  bool fail(const tarn::status& why) {
    status_ = why;
    return false;
  }
  [[gnu::cold]] bool fail_base(std::string_view what) {
    return fail(error(errc::corrupt, concat({base_[0].describe(), " ", what})));
  }
  [[gnu::cold]] bool fail_value(const tarn::column& of, const columns_type& where) {
    return fail(error(errc::corrupt, concat({where.describe(), " has values in column '", of.name,
                                             "' that the column does not take: it is declared ", name_of(of.type)})));
  }

  const schema* wanted_;
  sequence<columns_type> base_;   // one or none
  std::uint64_t base_index_ = 0;  // of its next row
  std::size_t passed_ = 0;        // of the rows that were read last
  bool has_base_row_ = false;     // the current group has, and it is that next one
  record_runs<source> runs_;
  bool group_ends_batch_ = false;  // after the group that was taken last, a run moves to its next batch
  std::uint64_t base_keys_compared_ = 0;
  std::size_t room_max_;  // rows of a batch
  row_pieces<columns_type> pieces_;
  arena memory_;  // of what was gathered
  sequence<column_view> views_;
  row_batch batch_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
