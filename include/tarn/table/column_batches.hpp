// Rows as batches of the columns that somebody wants: as the table has them now, without the rows that were deleted.
//
//   the cursor's columns    1 id    2 name    3 age      what is not wanted is not read
//                             |                 |
//   the wanted columns      3 age   1 id    4 city       where nothing changes, the cursor's arrays, without a copy
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/batch_cursor.hpp"
#include "../codec/codec.hpp"
#include "../codec/column_view.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/entry.hpp"
#include "../log/row_set.hpp"
#include "../merge/record.hpp"
#include "gathered_columns.hpp"
#include "projection.hpp"

namespace tarn::inline TARN_ABI {

// Movable; not thread-safe. Memory: that of the cursor, and of one batch more where values must be copied: next to
// deleted rows, of widened columns, and of those that are null throughout.
template <row_cursor Cursor>
class column_batches {
 public:
  // Of the cursor's rows, which have the columns of `written`, and are all there but for those in `deleted`, by number.
  // `wanted` must outlive this; `origin` says in messages where the rows are.
  column_batches(shared<Cursor> rows, std::string origin, const schema& written, const schema& wanted,
                 copy_on_write<row_set> deleted = copy_on_write<row_set>())
      : column_batches(std::move(rows), std::move(origin), written, wanted, std::move(deleted), 0) {}

  // Of the records of a base, without tombstones; see merge/record.hpp. Of their keys no more is checked than what is
  // wanted of them.
  [[nodiscard]] static column_batches of_base(shared<Cursor> records, std::string origin, const schema& written,
                                              const schema& wanted) {
    return column_batches(std::move(records), std::move(origin), written, wanted, copy_on_write<row_set>(),
                          columns_before(object_form::base));
  }

  // Moves to the next batch, of at least one row. False at the end and on failure.
  [[nodiscard]] bool next() {
    batch_ = {};
    while (status_ && rows_.next()) {
      const std::size_t live = before_ == 0 ? find_live(rows_.batch().rows()) : find_live(rows_.batch().column(0));
      if (live > 0) return shape(rows_.batch(), live);
    }
    if (status_) status_ = rows_.status();
    return false;
  }

  // Valid until next() is called again, also if this is moved.
  [[nodiscard]] const row_batch& batch() const noexcept { return batch_; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

 private:
  using form = column_view::form;

  // `before` columns are in front of those of `written`.
  column_batches(shared<Cursor> rows, std::string origin, const schema& written, const schema& wanted,
                 copy_on_write<row_set> deleted, std::size_t before)
      : wanted_(&wanted),
        before_(before),
        places_(written, wanted, before),
        rows_(batches(std::move(rows), places_, before + written.size())),
        origin_(std::move(origin)),
        deleted_(std::move(deleted)) {
    for (std::size_t at = 0; at < wanted.size(); ++at) views_.emplace_back();
  }

  // Rows of the current batch of the cursor.
  struct run {
    std::size_t begin;
    std::size_t end;
  };

  [[nodiscard]] static batches_of<Cursor> batches(shared<Cursor> rows, const projection& places, std::size_t columns) {
    sequence<std::size_t> wanted;
    for (const projection::place& each : places.places())
      if (each.index != schema::none) wanted.push_back(each.index);
    return batches_of<Cursor>(std::move(rows), {wanted.data(), wanted.size()}, columns);
  }

  // Finds the runs of rows that were not deleted among the next `count`, and returns how many rows they are.
  [[nodiscard]] std::size_t find_live(std::size_t count) {
    const sequence<row_range>& deleted = deleted_->ranges();
    const std::uint64_t first = passed_;
    passed_ += count;
    runs_.clear();
    std::size_t begin = 0;
    std::size_t live = 0;
    const auto end_run = [&](std::size_t end) { live += append_run(begin, end); };
    for (; next_range_ < deleted.size() && deleted[next_range_].first < passed_; ++next_range_) {
      const row_range& gone = deleted[next_range_];
      if (gone.first > first) end_run(static_cast<std::size_t>(gone.first - first));
      begin = gone.last < passed_ ? static_cast<std::size_t>(gone.last - first + 1) : count;
      if (gone.last >= passed_) break;  // it goes on in the next batch
    }
    end_run(count);
    return live;
  }

  // The same for rows that are no tombstones, by what each record is. 0, and failure, if one is neither.
  [[nodiscard]] std::size_t find_live(const column_view& what) {
    runs_.clear();
    const array_view<std::int64_t> kinds = what.integers();
    std::size_t begin = 0;
    std::size_t live = 0;
    bool good = kinds.size() == what.size() && !what.has_nulls();
    for (std::size_t at = 0; good && at < kinds.size(); ++at) {
      if (kinds[at] == base_record_live) continue;
      good = kinds[at] == base_record_tombstone;
      live += append_run(begin, at);
      begin = at + 1;
    }
    if (!good) status_ = error(errc::corrupt, concat({origin_, " has a row that is no record"}));
    return good ? live + append_run(begin, kinds.size()) : 0;
  }

  // Returns its length; nothing is appended if it is empty.
  std::size_t append_run(std::size_t begin, std::size_t end) {
    if (begin < end) runs_.push_back({begin, end});
    return begin < end ? end - begin : 0;
  }

  [[nodiscard]] bool shape(const row_batch& read, std::size_t live) {
    memory_.clear();
    for (std::size_t at = 0; at < views_.size(); ++at) {
      const projection::place& from = places_.places()[before_ + at];
      views_[at] = from.index == schema::none ? column_view(form::nulls, nullptr, nullptr, live)
                                              : live_rows_of(read.column(from.index), live);
      if (from.widened) views_[at] = widened(views_[at]);
      const column& of = (*wanted_)[at];
      if (!give_form(views_[at], form_of(of.type)) || (!of.nullable && !give_up_nulls(views_[at])))
        return fail_kind(of);
    }
    batch_ = row_batch(views_.data(), views_.size(), live);
    return true;
  }

  [[nodiscard]] column_view live_rows_of(const column_view& from, std::size_t live) {
    if (from.size() == live) return from;
    const void* const elements = from.data() == nullptr ? nullptr : copy_live(from.data(), live, from.element_size());
    const void* const present = from.present() == nullptr ? nullptr : copy_live(from.present(), live, 1);
    return {from.has(), elements, static_cast<const unsigned char*>(present), live};
  }
  [[nodiscard]] const void* copy_live(const void* from, std::size_t live, std::size_t element_size) {
    char* const copied = memory_.allocate<char>(live * element_size);
    char* to = copied;
    for (const run& each : runs_) {
      const std::size_t size = (each.end - each.begin) * element_size;
      std::memcpy(to, static_cast<const char*>(from) + each.begin * element_size, size);
      to += size;
    }
    return copied;
  }

  // See `projection::apply`.
  [[nodiscard]] column_view widened(const column_view& from) {
    if (from.has() != form::integers) return from;
    auto* const doubles = memory_.allocate<double>(from.size());
    const std::int64_t* const integers = from.integers().data();
    for (std::size_t at = 0; at < from.size(); ++at) doubles[at] = static_cast<double>(integers[at]);
    return {form::doubles, doubles, from.present(), from.size()};
  }

  // A column that is declared with a type has the type's form in each batch, also where all its values are null. False
  // if it has values of other kinds, which a table does not take.
  [[nodiscard]] bool give_form(column_view& view, form declared) {
    if (declared == form::values || view.has() == declared) return true;
    if (view.has() != form::nulls) return false;
    switch (declared) {
      case form::booleans: view = nulls<bool>(declared, view.size()); break;
      case form::integers: view = nulls<std::int64_t>(declared, view.size()); break;
      case form::doubles: view = nulls<double>(declared, view.size()); break;
      default: view = nulls<std::string_view>(declared, view.size()); break;
    }
    return true;
  }
  // Of a column that takes no null. False if it has one.
  [[nodiscard]] static bool give_up_nulls(column_view& view) {
    if (!view.has_nulls() && view.has() != form::values) return true;
    for (std::size_t at = 0; at < view.size(); ++at)
      if (view.is_null(at)) return false;
    view = {view.has(), view.data(), nullptr, view.size()};
    return true;
  }
  template <class T>
  [[nodiscard]] column_view nulls(form of, std::size_t count) {
    T* const elements = memory_.allocate<T>(count);
    for (std::size_t at = 0; at < count; ++at) new (elements + at) T();
    auto* const present = memory_.allocate<unsigned char>(count);
    std::memset(present, 0, count);
    return {of, elements, present, count};
  }

  [[gnu::cold]] bool fail_kind(const column& of) {
    status_ = error(errc::corrupt, concat({origin_, " has values in column '", of.name,
                                           "' that the column does not take: it is declared ", name_of(of.type)}));
    return false;
  }

  const schema* wanted_;
  std::size_t before_;
  projection places_;  // where the wanted columns are
  batches_of<Cursor> rows_;
  std::string origin_;
  copy_on_write<row_set> deleted_;
  std::size_t next_range_ = 0;  // of the deleted rows: the first that the batches have not passed
  std::uint64_t passed_ = 0;    // rows of the cursor
  sequence<run> runs_;          // in the cursor's batch
  arena memory_;                // of what had to be copied
  sequence<column_view> views_;
  row_batch batch_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
