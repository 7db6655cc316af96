// Where the records of a slice come from: keyed objects in the store, and what a transaction has not flushed yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../merge/record.hpp"
#include "object_reader.hpp"
#include "record_buffer.hpp"
#include "record_columns.hpp"

namespace tarn::inline TARN_ABI {

// Models record_source, over an object or over buffered records.
template <class Store, row_codec Codec>
class record_source_of {
 public:
  using core = client_core<Store, Codec>;

  // The records of an object of the table `of`, which must outlive them; one `get`.
  [[nodiscard]] static result<record_source_of> open(core& lake, const table_state& of, const keyed_object& object) {
    result<object_reader<Store, Codec>> rows = object_reader<Store, Codec>::open(
        lake, of, object.object, limits_of_records(lake.options.bounds), columns_before(object.block.form));
    if (!rows) return rows.error();
    record_source_of source;
    source.object_ = shared<open_object>::make(
        open_object{*std::move(rows), object_name(of.name, object.object.id), object.block.form, &of});
    return source;
  }
  explicit record_source_of(buffered_records records) : records_(std::move(records)) {}

  [[nodiscard]] bool next() {
    if (object_) return next_of_object();
    if (next_ == records_.records.size()) return false;
    current_ = records_.records[next_++].content;
    return true;
  }
  // See `object_reader`; of buffered records, none.
  std::uint64_t skip_unmatched(const row_filter& wanted) { return object_ ? object_->rows.skip_unmatched(wanted) : 0; }
  [[nodiscard]] const record& current() const noexcept { return current_; }
  [[nodiscard]] tarn::status status() const { return !damage_ || !object_ ? damage_ : object_->rows.status(); }
  [[nodiscard]] std::string describe() const {
    return object_ ? concat({"object ", object_->name}) : std::string("the transaction's buffer");
  }
  // Of the object's; 0 for buffered records.
  [[nodiscard]] std::size_t byte_size() const { return object_ ? object_->rows.byte_size() : 0; }

 private:
  struct open_object {
    object_reader<Store, Codec> rows;
    std::string name;
    object_form form;
    const table_state* table;
  };

  record_source_of() = default;

  [[nodiscard]] bool next_of_object() {
    if (!object_->rows.next()) return false;
    if (decode_record(object_->rows.row(), object_->form, current_) && has_its_key()) return true;
    damage_ = error(errc::corrupt, concat({describe(), " has a row that is no record"}));
    return false;
  }

  // Whether key and ordering are what the table's columns take: what reads them relies on it.
  [[nodiscard]] bool has_its_key() const noexcept {
    const table_state& of = *object_->table;
    for (const std::uint32_t place : of.key.columns)
      if (!of.columns[place].takes(current_.values[place].kind())) return false;
    if (!of.key.ordered() || current_.done.then == key_state::nothing) return true;
    return of.columns[of.key.ordering].takes(current_.values[of.key.ordering].kind());
  }

  shared<open_object> object_;  // null: the records are buffered
  buffered_records records_;
  std::size_t next_ = 0;
  record current_;
  tarn::status damage_;
};

// Models record_source, over columns: the values of a record that are neither of its key nor its ordering are null.
template <class Store, row_codec Codec>
class record_source_of_columns {
 public:
  explicit record_source_of_columns(record_columns<Store, Codec> columns) : columns_(std::move(columns)) {}

  // Moves to the next batch of columns after the last record of one.
  [[nodiscard]] bool next() {
    ++index_;
    if (index_ >= columns_.rows()) {
      if (!columns_.next() || !columns_.read_keys()) return false;
      index_ = 0;
    }
    columns_.read_record(index_, current_);
    return true;
  }
  [[nodiscard]] const record& current() const noexcept { return current_; }
  [[nodiscard]] tarn::status status() const { return columns_.status(); }
  [[nodiscard]] std::string describe() const { return columns_.describe(); }

  // The batch that has the current record, and which row of it that is.
  [[nodiscard]] const record_columns<Store, Codec>& columns() const noexcept { return columns_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] bool is_last_of_batch() const noexcept { return index_ + 1 == columns_.rows(); }

 private:
  record_columns<Store, Codec> columns_;
  std::size_t index_ = 0;
  record current_;
};

}  // namespace tarn::inline TARN_ABI
