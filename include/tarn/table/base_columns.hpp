// The base of a merge, a batch of columns at a time: what is handed out of it, what each row is, and its keys where
// they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/batch_cursor.hpp"
#include "../codec/codec.hpp"
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
#include "../merge/key.hpp"
#include "../merge/record.hpp"
#include "client_core.hpp"
#include "gathered_columns.hpp"
#include "object_reader.hpp"
#include "projection.hpp"

namespace tarn::inline TARN_ABI {

// Movable; not thread-safe. Memory: that of the codec's cursor. The bytes of the key's columns are not touched until a
// key is asked for, unless they are wanted, or the codec reads whole rows.
template <class Store, row_codec Codec>
class base_columns {
 public:
  using core = client_core<Store, Codec>;

  // The base `object` of the table `of`; both `of` and `wanted`, some of its columns, must outlive this. One `get`;
  // errors as of `object_reader::open`.
  [[nodiscard]] static result<base_columns> open(core& lake, const table_state& of, const data_object& object,
                                                 const schema& wanted) {
    result<reader> opened = reader::open(lake, of, object, limits_of_records(lake.options.bounds), before);
    if (!opened) return opened.error();
    return base_columns(*std::move(opened), of, object, wanted);
  }

  // Moves to the next rows. False at the end and on failure.
  [[nodiscard]] bool next() {
    rows_ = 0;
    keys_.clear();
    if (!status_) return false;
    if (!batches_.next()) return fail(batches_.status());
    rows_ = batches_.batch().rows();
    return read_what() && read_ordering();
  }
  // How many there are. An `index` must be less, here and below.
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

  // The values of a wanted column, by its place among those.
  [[nodiscard]] read_column column(std::size_t at) const noexcept {
    const projection::place& from = places_.places()[before + at];
    if (from.index == schema::none) return {column_view(column_view::form::nulls, nullptr, nullptr, rows_), false};
    return {batches_.batch().column(from.index), from.widened};
  }

  [[nodiscard]] bool has_tombstones() const noexcept { return has_tombstones_; }
  [[nodiscard]] bool is_tombstone(std::size_t index) const noexcept { return what_[index] == base_record_tombstone; }

  // Makes sure that the rows' keys are known. False on failure.
  [[nodiscard]] bool read_keys() { return !keys_.empty() || fetch_keys(); }
  // Then a row's key, as `encode_key` has it, valid until this is called again.
  [[nodiscard]] std::string_view key(std::size_t index) {
    key_row_.clear();
    for (const column_view& each : keys_) key_row_.push_back(each[index]);
    return encode_key({key_row_.data(), key_row_.size()}, key_order_, scratch_);
  }
  // And how it compares with the key of `values`, which have all columns of the table: negative, zero or positive.
  [[nodiscard]] int compare_key(std::size_t index, const list_view& values) const {
    int order = 0;
    for (std::size_t at = 0; at < keys_.size() && order == 0; ++at)
      order = compare_parts(keys_[at][index], values[of_->key.columns[at]]);
    return order;
  }

  // A row as the fold knows it: all its values are null but the ordering.
  [[nodiscard]] folded state(std::size_t index) {
    if (of_->key.ordered()) state_row_[of_->key.ordering] = ordering_[index];
    return {is_tombstone(index) ? key_state::tombstone : key_state::live, {state_row_.data(), state_row_.size()}};
  }

  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }
  [[nodiscard]] std::string describe() const { return concat({"object ", object_name(of_->name, id_)}); }
  [[nodiscard]] std::size_t byte_size() const { return object_.byte_size(); }

 private:
  using reader = object_reader<Store, Codec>;
  using batches = batches_of<typename reader::cursor>;

  static constexpr std::size_t before = columns_before(object_form::base);

  base_columns(reader opened, const table_state& of, const data_object& object, const schema& wanted)
      : of_(&of),
        id_(object.id),
        written_(of.schema_of(object.schema_number), of.columns, before),
        places_(of.schema_of(object.schema_number), wanted, before),
        object_(std::move(opened)),
        batches_(read(object_.as_written(), of.schema_of(object.schema_number).size())) {
    for (std::uint32_t at = 0; at < of.key.columns.size(); ++at) key_order_.push_back(at);
    for (std::size_t at = 0; at < of.columns.size(); ++at) state_row_.emplace_back();
  }

  // The batches of the columns that are read at once and, where somebody asks, of the key's.
  [[nodiscard]] batches read(const shared<typename reader::cursor>& rows, std::size_t columns) const {
    sequence<std::size_t> now{0};
    for (std::size_t at = before; at < places_.places().size(); ++at)
      if (places_.places()[at].index != schema::none) add(now, places_.places()[at].index);
    if (of_->key.ordered()) add(now, place_of(of_->key.ordering));
    sequence<std::size_t> all = now;
    for (const std::uint32_t each : of_->key.columns) add(all, place_of(each));
    return batches(rows, {now.data(), now.size()}, before + columns,
                   {all.data() + now.size(), all.size() - now.size()});
  }
  static void add(sequence<std::size_t>& to, std::size_t place) {
    for (const std::size_t each : to)
      if (each == place) return;
    to.push_back(place);
  }
  // Where a column of the table is in the object's rows. Key and ordering have always been there.
  [[nodiscard]] std::size_t place_of(std::size_t column) const noexcept {
    return written_.places()[before + column].index;
  }

  [[nodiscard]] bool read_what() {
    const column_view& what = batches_.batch().column(0);
    if (what.has() != column_view::form::integers || what.has_nulls()) return fail_record();
    what_ = what.integers();
    has_tombstones_ = false;
    for (const std::int64_t each : what_) {
      if (each != base_record_live && each != base_record_tombstone) return fail_record();
      has_tombstones_ = has_tombstones_ || each == base_record_tombstone;
    }
    return true;
  }
  [[nodiscard]] bool read_ordering() {
    if (!of_->key.ordered()) return true;
    ordering_ = batches_.batch().column(place_of(of_->key.ordering));
    return has_only(ordering_, of_->key.ordering) || fail_record();
  }
  [[nodiscard]] bool fetch_keys() {
    for (const std::uint32_t each : of_->key.columns) {
      column_view read;
      if (!batches_.fetch(place_of(each), read)) return fail(batches_.status());
      if (!has_only(read, each)) return fail_record();
      keys_.push_back(read);
    }
    return true;
  }
  // Values of the column's type, none of them null: what reads key and ordering relies on it.
  [[nodiscard]] bool has_only(const column_view& values, std::size_t column) const noexcept {
    return values.has() == form_of(of_->columns[column].type) && !values.has_nulls();
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
  projection written_;  // where the table's columns are in the object's rows
  projection places_;   // and the wanted ones
  reader object_;
  batches batches_;
  std::size_t rows_ = 0;
  array_view<std::int64_t> what_;
  bool has_tombstones_ = false;
  column_view ordering_;
  sequence<value_view> state_row_;
  sequence<column_view> keys_;  // none: not read yet
  sequence<std::uint32_t> key_order_;
  sequence<value_view> key_row_;
  std::string scratch_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
