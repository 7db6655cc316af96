// The rows in which two states of a bag differ: first those that are gone or were updated, then the new ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/names.hpp"
#include "../log/table_state.hpp"
#include "bag_difference.hpp"
#include "client_core.hpp"
#include "object_reader.hpp"
#include "row_change.hpp"

namespace tarn::inline TARN_ABI {

// Models the cursor of a change feed. Memory: one object, and another while it tells updates: their new rows are read
// forward, in the order in which updates write them (in any other, their object would be opened again for each).
template <class Store, row_codec Codec>
class bag_changes {
 public:
  using core = client_core<Store, Codec>;

  // Null: there is no table; else it must outlive this. Rows are shown with the columns after.
  bag_changes(shared<core> lake, const table_state* before, const table_state* after, bag_difference made)
      : lake_(std::move(lake)), before_(before), after_(after), erased_(before, after), made_(std::move(made)) {}

  // Moves to the next change. False at the end and on failure.
  [[nodiscard]] bool next() {
    while (status_) {
      if (!rows_ && !open_next()) return false;
      const object_rows& part = current();
      if (part.reaches(rows_->next_number) && rows_->move()) {
        if (part.contains(rows_->number())) return take_row();
        continue;
      }
      status_ = rows_->reader.status();
      rows_ = {};
      ++next_object_;
    }
    return false;
  }

  // But for the version, which the caller knows.
  [[nodiscard]] const row_change& change() const noexcept { return change_; }
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

 private:
  using reader_type = object_reader<Store, Codec>;

  // An object that is being read.
  struct open_object {
    reader_type reader;
    std::uint64_t next_number = 0;

    [[nodiscard]] bool move() {
      ++next_number;
      return reader.next();
    }
    [[nodiscard]] std::uint64_t number() const noexcept { return next_number - 1; }
  };

  [[nodiscard]] bool is_erasing() const noexcept { return next_object_ < made_.erased.size(); }
  [[nodiscard]] const object_rows& current() const noexcept {
    return is_erasing() ? made_.erased[next_object_] : made_.inserted[next_object_ - made_.erased.size()];
  }

  // False after the last object that has any rows to tell, and if it cannot be read.
  [[nodiscard]] bool open_next() {
    successor_ = {};
    const std::size_t objects = made_.erased.size() + made_.inserted.size();
    while (next_object_ < objects && !current().has_any()) ++next_object_;  // all of them were told as updates
    if (next_object_ == objects) return false;
    rows_ = open(is_erasing() ? *before_ : *after_, current().object);
    return static_cast<bool>(rows_);
  }
  // Null on failure.
  [[nodiscard]] shared<open_object> open(const table_state& table, const data_object& object) {
    result<reader_type> opened = reader_type::open(*lake_, table, object, lake_->options.bounds);
    if (opened) return shared<open_object>::make(open_object{*std::move(opened)});
    status_ = opened.error();
    return {};
  }

  [[nodiscard]] bool take_row() {
    const list_view values = rows_->reader.row();
    change_ = {};
    if (!is_erasing()) {
      change_.after = row_view(values, &after_->columns);
      return true;
    }
    change_.kind = change_kind::erase;
    change_.before = erased_.show(values);
    inserted_row place;
    const result<bool> is_updated = take_successor(made_, current().object.id, rows_->number(), place);
    if (!is_updated) status_ = is_updated.error();
    if (!is_updated || !*is_updated) return static_cast<bool>(status_);
    change_.kind = change_kind::update;
    return read_successor(place);
  }

  [[nodiscard]] bool read_successor(const inserted_row& place) {
    const data_object& object = made_.inserted[place.object].object;
    if (!successor_ || successor_object_ != place.object || successor_->next_number > place.number) {
      successor_ = {};  // the last object goes before the next comes
      successor_ = open(*after_, object);
    }
    if (!successor_) return false;
    successor_object_ = place.object;
    while (successor_->next_number <= place.number)
      if (!successor_->move()) return fail_to_reach(place.number, object);
    change_.after = row_view(successor_->reader.row(), &after_->columns);
    return true;
  }
  [[nodiscard]] bool fail_to_reach(std::uint64_t number, const data_object& object) {
    status_ = successor_->reader.status();
    if (status_)
      status_ = error(errc::corrupt, concat({"object ", object_name(after_->name, object.id), " has no row ", number,
                                             ", which took the place of another"}));
    return false;
  }

  shared<core> lake_;
  const table_state* before_;
  const table_state* after_;
  row_display erased_;
  bag_difference made_;
  std::size_t next_object_ = 0;    // of the erased ones, then of the inserted ones
  shared<open_object> rows_;       // null between objects
  shared<open_object> successor_;  // with the new rows of updates; null: none is open
  std::size_t successor_object_ = 0;
  row_change change_;
  tarn::status status_;
};

}  // namespace tarn::inline TARN_ABI
