// A call of a store as others can tell that it happened, and which calls of two clients depend on each other: the
// relation that everything else of an exploration rests on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/config.hpp"
#include "../fault.hpp"

namespace tarn::inline TARN_ABI::testing {

// The texts belong to the content of the run.
struct store_call {
  store_operation operation = store_operation::get;
  bool effective = false;        // it changed the store
  std::string_view name;         // of the object; of a list: its prefix
  std::string_view start_after;  // of a list
};

// Whether a list with this prefix from there on says if the object exists.
[[nodiscard]] inline bool list_shows(const store_call& list, std::string_view name) noexcept {
  return name.starts_with(list.name) && name > list.start_after;
}

// Whether the order of two calls, one right after the other, can matter to anybody. If it does not, both orders lead to
// the same store and the same answers, and each call is as effective in both. The last is what is easily overlooked:
//
//                  get k   put k made   put k exists   remove k was there   remove k was not   list with k
//   put k made      yes       yes           yes               yes                 yes              yes
//   remove k there  yes       yes           yes               YES                 YES              yes
//   any other two of one object, or of two objects: no
//
// Two removes of one object commute as far as the store and their callers can tell. But the one that found nothing,
// moved before the other, is the one that is effective, and then races with everything before it: without the two cells
// in capitals an exploration misses outcomes of 162 of 10,000 random programs of at most 8 calls.
[[nodiscard]] inline bool calls_depend(const store_call& one, const store_call& other) noexcept {
  if (!one.effective && !other.effective) return false;
  if (one.operation == store_operation::list) return list_shows(one, other.name);
  if (other.operation == store_operation::list) return list_shows(other, one.name);
  return one.name == other.name;
}

// `calls_depend`, or another relation, to find out what it is good for. It must be symmetric.
using call_relation = bool (*)(const store_call&, const store_call&) noexcept;

}  // namespace tarn::inline TARN_ABI::testing
