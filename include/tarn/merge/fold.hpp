// The fold: what writes of one key, in order, make of it. The one definition of what a keyed row's value is, whatever
// the strategy, the buckets, the flushes and the compactions.
//
//   latest        upsert replaces; erase removes
//   by_ordering   upsert(row) replaces if its ordering is not less than the state's, else it is ignored; an ordered
//                 erase leaves a tombstone with its ordering, by the same rule; a plain erase resets to nothing
#pragma once

#include <cstdint>

#include "../core/config.hpp"
#include "../core/table_key.hpp"
#include "../core/value.hpp"
#include "key.hpp"

namespace tarn::inline TARN_ABI {

// What is known of a key: nothing, its row, or that it was erased with an ordering. Rows and tombstones have all the
// table's columns; of a tombstone only key and ordering count.
enum class key_state : unsigned char { nothing, live, tombstone };

// What one record does to its key: a plain erase or not, and then something or nothing. All writes of a key within one
// block come to one such.
struct operation {
  bool resets = false;
  key_state then = key_state::nothing;

  friend constexpr bool operator==(const operation&, const operation&) = default;
};

// A key's state, with the values that it has; they belong to whoever was folded.
struct folded {
  key_state state = key_state::nothing;
  list_view values = {};
};

// Whether a write with these values counts after `before`.
template <class = void>
[[nodiscard]] bool counts_after(const folded& before, const list_view& values, const table_key& key) {
  if (before.state == key_state::nothing || !key.ordered()) return true;
  return compare_parts(values[key.ordering], before.values[key.ordering]) >= 0;
}

// Whether the state is now this record's.
template <class = void>
bool fold(folded& into, const operation& done, const list_view& values, const table_key& key) {
  if (done.resets) into = {};
  if (done.then == key_state::nothing || !counts_after(into, values, key)) return false;
  into = {done.then, values};
  return true;
}

}  // namespace tarn::inline TARN_ABI
