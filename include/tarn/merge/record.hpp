// Records: how keyed objects hold rows and operations. Every record is a row of the codec with the table's columns
// after one or two of tarn's:
//
//   base form    [what, column, column, ...]             what: 0 a row, 2 a tombstone
//   delta form   [what, place, column, column, ...]      what: 0 upsert, 1 erase, 2 ordered erase, 3 = 1 then 0,
//                                                              4 = 1 then 2
//
// Both are sorted by key, each key once. The place says where the key is among the rows of the base that the block was
// written against: p >= 0 is "at row p", p < 0 is "before row -p - 1" (before row n: at the end), null is not known.
// What an erase does not need of the columns is null.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/value.hpp"
#include "../log/entry.hpp"
#include "fold.hpp"

namespace tarn::inline TARN_ABI {

// A row that is as long as the limits allow is longer as a record.
template <class = void>
[[nodiscard]] limits limits_of_records(limits bounds) noexcept {
  constexpr std::size_t around = 32;
  if (bounds.row_bytes_max < static_cast<std::size_t>(-1) - around) bounds.row_bytes_max += around;
  return bounds;
}

// The codec's columns before the table's.
[[nodiscard]] constexpr std::size_t columns_before(object_form form) noexcept {
  return form == object_form::base ? 1 : 2;
}

// What a record of a base says that it is.
inline constexpr std::int64_t base_record_live = 0;
inline constexpr std::int64_t base_record_tombstone = 2;

// A pure function of a key and a base, never of what other deltas did to it.
struct base_place {
  std::uint64_t index = 0;
  bool at = false;     // row number `index` has the key, live or tombstone; else it is the first with a greater one
  bool known = false;  // else the other members mean nothing

  friend constexpr bool operator==(const base_place&, const base_place&) = default;
};

template <class = void>
[[nodiscard]] value_view encode_place(const base_place& place) noexcept {
  if (!place.known) return nullptr;
  const auto index = static_cast<std::int64_t>(place.index);
  return place.at ? index : -index - 1;
}

template <class = void>
[[nodiscard]] std::int64_t encode_operation(const operation& done) noexcept {
  if (done.then == key_state::nothing) return 1;
  return (done.then == key_state::live ? 0 : 2) + (!done.resets ? 0 : done.then == key_state::live ? 3 : 2);
}

// A record as it is read. The values are the table's columns.
struct record {
  operation done;
  base_place place;
  list_view values;
};

// Whether records of this form can say that they are `what`.
[[nodiscard]] constexpr bool is_operation(std::int64_t what, object_form form) noexcept {
  return form == object_form::base ? what == base_record_live || what == base_record_tombstone : what >= 0 && what <= 4;
}
// Of one for which that is so.
[[nodiscard]] constexpr operation decode_operation(std::int64_t what) noexcept {
  constexpr operation decoded[] = {{false, key_state::live},
                                   {true, key_state::nothing},
                                   {false, key_state::tombstone},
                                   {true, key_state::live},
                                   {true, key_state::tombstone}};
  return decoded[what];
}
// Of a place that is known.
[[nodiscard]] constexpr base_place decode_place(std::int64_t place) noexcept {
  return {static_cast<std::uint64_t>(place < 0 ? -(place + 1) : place), place >= 0, true};
}

// False if these are not a record of this form.
template <class = void>
[[nodiscard]] bool decode_record(const list_view& encoded, object_form form, record& read) noexcept {
  if (encoded.size() < columns_before(form) || encoded[0].kind() != kind::integer) return false;
  const std::int64_t what = encoded[0].as_integer();
  if (!is_operation(what, form)) return false;
  read.done = decode_operation(what);
  read.place = {};
  read.values = encoded.from(columns_before(form));
  if (form == object_form::base || encoded[1].is_null()) return true;
  if (encoded[1].kind() != kind::integer) return false;
  read.place = decode_place(encoded[1].as_integer());
  return true;
}

}  // namespace tarn::inline TARN_ABI
