// The records of a keyed object, or of a transaction's buffer, a batch of columns at a time: what is handed out of
// them, what each one is, and their keys where they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/batch_cursor.hpp"
#include "../codec/codec.hpp"
#include "../codec/codecs.hpp"
#include "../codec/column_view.hpp"
#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../log/entry.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "../merge/record.hpp"
#include "client_core.hpp"
#include "gathered_columns.hpp"
#include "object_reader.hpp"
#include "projection.hpp"
#include "record_buffer.hpp"

namespace tarn::inline TARN_ABI {

// Movable; not thread-safe. Memory: that of the codec's cursor, or a batch of `batch_builder`. The bytes of keys
// are not touched until one is asked for, unless they are wanted, or the codec reads whole rows.
template <class Store, row_codec Codec>
class record_columns {
 public:
  using core = client_core<Store, Codec>;

  // The records of an object of the table `of`; both `of` and `wanted`, some of its columns, must outlive this. One
  // `get`; errors as of `object_reader::open`.
  [[nodiscard]] static result<record_columns> open(core& lake, const table_state& of, const keyed_object& object,
                                                   const schema& wanted) {
    const object_form form = object.block.form;
    result<reader> opened =
        reader::open(lake, of, object.object, limits_of_records(lake.options.bounds), columns_before(form));
    if (!opened) return opened.error();
    rows_type records(opened->as_written());
    const schema& written = of.schema_of(object.object.schema_number);
    record_columns columns(of, written, form, std::move(records), wanted);
    columns.id_ = object.object.id;
    columns.object_.push_back(*std::move(opened));
    return columns;
  }
  // Buffered ones, which have the table's columns as they are now.
  record_columns(const table_state& of, buffered_records records, const schema& wanted)
      : record_columns(of, of.columns, object_form::delta, rows_type(buffered_rows(std::move(records))), wanted) {}

  // Moves to the next rows. False at the end and on failure.
  [[nodiscard]] bool next() {
    rows_ = 0;
    keys_.clear();
    if (!status_) return false;
    if (!batches_.next()) return fail(batches_.status());
    rows_ = batches_.batch().rows();
    find_columns();
    return read_what() && read_places() && read_ordering();
  }
  // How many there are. An `index` must be less, here and below.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

  // The values of a wanted column, by its place among those: of all these rows.
  [[nodiscard]] const read_column& column(std::size_t at) const noexcept { return columns_[at]; }

  [[nodiscard]] bool has_tombstones() const noexcept { return has_tombstones_; }
  [[nodiscard]] bool is_tombstone(std::size_t index) const noexcept { return what_[index] == base_record_tombstone; }

  // A row's record: of its values there is the ordering and, where keys are known, the key; the others are null. What
  // it refers to is valid until this or state() is called again.
  void read_record(std::size_t index, record& read) noexcept {
    read.done = decode_operation(what_[index]);
    read.place = places_.is_null(index) ? base_place() : decode_place(places_.integers().data()[index]);
    for (const key_column& each : keys_) record_row_[each.place] = each.values[index];
    read.values = ordering_row(index);
  }
  // What a row of a base is, as the fold knows it: without its key.
  [[nodiscard]] folded state(std::size_t index) noexcept {
    return {is_tombstone(index) ? key_state::tombstone : key_state::live, ordering_row(index)};
  }

  // Makes sure that the rows' keys are known. False on failure.
  [[nodiscard]] bool read_keys() { return !keys_.empty() || fetch_keys(); }
  // Then how a row's key compares with that of `values`, which have all columns of the table: negative, zero or
  // positive.
  [[nodiscard]] int compare_key(std::size_t index, const list_view& values) const {
    int order = 0;
    for (std::size_t at = 0; at < keys_.size() && order == 0; ++at)
      order = compare(keys_[at].values, index, values[keys_[at].place]);
    return order;
  }

  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }
  [[nodiscard]] std::string describe() const {
    return object_.empty() ? std::string("the transaction's buffer") : concat({"object ", object_name(of_->name, id_)});
  }
  // Of the object's; 0 for buffered records.
  [[nodiscard]] std::size_t byte_size() const { return object_.empty() ? 0 : object_[0].byte_size(); }

 private:
  using reader = object_reader<Store, Codec>;
  using rows_type = either_cursor<typename reader::cursor, buffered_rows>;
  using batches = batches_of<rows_type>;

  static constexpr auto tombstone_bit = static_cast<std::uint64_t>(base_record_tombstone);
  static_assert(base_record_live == 0 && (tombstone_bit & (tombstone_bit - 1)) == 0);

  struct key_column {
    column_view values;
    std::uint32_t place;  // among the table's
  };

  record_columns(const table_state& of, const schema& written, object_form form, rows_type records,
                 const schema& wanted)
      : of_(&of),
        form_(form),
        written_(written, of.columns, columns_before(form)),
        wanted_(written, wanted, columns_before(form)),
        batches_(read(std::move(records), written.size())) {
    while (record_row_.size() < of.columns.size()) record_row_.emplace_back();
  }

  // The batches of the columns that are read at once and, where somebody asks, of the key's.
  [[nodiscard]] batches read(rows_type records, std::size_t columns) const {
    sequence<std::size_t> now;
    for (const projection::place& each : wanted_.places())
      if (each.index != schema::none) add(now, each.index);
    if (of_->key.ordered()) add(now, place_of(of_->key.ordering));
    sequence<std::size_t> all = now;
    for (const std::uint32_t each : of_->key.columns) add(all, place_of(each));
    return batches(shared<rows_type>::make(std::move(records)), {now.data(), now.size()},
                   columns_before(form_) + columns, {all.data() + now.size(), all.size() - now.size()});
  }
  static void add(sequence<std::size_t>& to, std::size_t place) {
    for (const std::size_t each : to)
      if (each == place) return;
    to.push_back(place);
  }
  // Where a column of the table is in the rows. Key and ordering have always been there.
  [[nodiscard]] std::size_t place_of(std::size_t column) const noexcept {
    return written_.places()[columns_before(form_) + column].index;
  }

  void find_columns() {
    columns_.clear();
    for (std::size_t at = columns_before(form_); at < wanted_.places().size(); ++at) {
      const projection::place& from = wanted_.places()[at];
      if (from.index == schema::none)
        columns_.push_back({column_view(column_view::form::nulls, nullptr, nullptr, rows_), false});
      else
        columns_.push_back({batches_.batch().column(from.index), from.widened});
    }
  }

  [[nodiscard]] bool read_what() {
    const column_view& what = batches_.batch().column(0);
    if (what.has() != column_view::form::integers || what.has_nulls()) return fail_record();
    what_ = what.integers();
    std::uint64_t bits = 0;  // those of all: a base is looked at in as few steps a row as can be
    for (const std::int64_t each : what_) bits |= static_cast<std::uint64_t>(each);
    has_tombstones_ = bits != base_record_live;
    if (form_ == object_form::base) return (bits & ~tombstone_bit) == 0 || fail_record();
    for (const std::int64_t each : what_)
      if (!is_operation(each, form_)) return fail_record();
    return true;
  }
  // A null is not known.
  [[nodiscard]] bool read_places() {
    places_ = {};
    if (form_ == object_form::delta) places_ = batches_.batch().column(1);
    return places_.has() == column_view::form::integers || places_.has() == column_view::form::nulls || fail_record();
  }
  // A plain erase has none.
  [[nodiscard]] bool read_ordering() {
    if (!of_->key.ordered()) return true;
    ordering_ = batches_.batch().column(place_of(of_->key.ordering));
    if (has_only(ordering_, of_->key.ordering)) return true;
    for (std::size_t index = 0; index < rows_; ++index)
      if (decode_operation(what_[index]).then != key_state::nothing &&
          !of_->columns[of_->key.ordering].takes(ordering_[index].kind()))
        return fail_record();
    return true;
  }
  [[nodiscard]] bool fetch_keys() {
    for (const std::uint32_t each : of_->key.columns) {
      column_view read;
      if (!batches_.fetch(place_of(each), read)) return fail(batches_.status());
      if (!has_only(read, each)) return fail_record();
      keys_.push_back({read, each});
    }
    return true;
  }
  // As of `compare_parts`.
  [[nodiscard]] static int compare(const column_view& values, std::size_t index, const value_view& with) {
    if (values.has() != column_view::form::integers) return compare_parts(values[index], with);
    const std::int64_t left = values.integers().data()[index];
    return (left > with.as_integer()) - (left < with.as_integer());
  }
  [[nodiscard]] list_view ordering_row(std::size_t index) noexcept {
    if (ordering_.size() > 0) record_row_[of_->key.ordering] = ordering_[index];
    return {record_row_.data(), record_row_.size()};
  }
  // Values of the column's type, none of them null: what reads key and ordering relies on it.
  [[nodiscard]] bool has_only(const column_view& values, std::size_t column) const noexcept {
    if (values.has() != form_of(of_->columns[column].type)) return false;
    return !values.has_nulls();
  }

  bool fail(const tarn::status& why) {
    status_ = why;
    rows_ = 0;
    return false;
  }
  [[gnu::cold]] bool fail_record() {
    return fail(error(errc::corrupt, concat({describe(), " has a row that is no record"})));
  }

  const table_state* of_;
  uuid id_;
  object_form form_;
  projection written_;       // where the table's columns are in the rows
  projection wanted_;        // and the wanted ones
  sequence<reader> object_;  // none: the records are buffered
  batches batches_;
  std::size_t rows_ = 0;
  sequence<read_column> columns_;  // the wanted ones
  array_view<std::int64_t> what_;
  bool has_tombstones_ = false;
  column_view places_;
  column_view ordering_;       // empty if there is none
  sequence<key_column> keys_;  // none: not read yet
  sequence<value_view> record_row_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
