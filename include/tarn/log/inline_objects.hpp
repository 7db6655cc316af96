// Objects that travel in log entries. The rows of a small transaction need no object of their own in the store: then a
// commit is one put.
//
//   entry 7    ... {"AddInlineObject":{"Name":"<uuid>", ... ,"Inline":"<all bytes of the object>"}} ...
//                     |
//                     | a checkpoint names objects only, and the log before it may go:
//                     v it puts them first, each under the name that it has had from birth
//   store      _table_<table>_<uuid>
//
// LAW: wherever an object's bytes are read from, they are the same. So there is nothing to choose between the two, and
// whoever puts one that is there already has done nothing.
#pragma once

#include <cstddef>
#include <string>

#include "../core/backoff.hpp"
#include "../core/config.hpp"
#include "../core/environment.hpp"
#include "../core/result.hpp"
#include "../core/shared.hpp"
#include "../store/put_object.hpp"
#include "../store/store.hpp"
#include "data_object.hpp"
#include "names.hpp"
#include "snapshot.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

// Puts those objects of a table into the store that travel in the log. A put for each.
template <object_store Store>
[[nodiscard]] status put_inline_objects(Store& store, const table_state& table, const backoff_options& options,
                                        const environment& surroundings) {
  const auto put = [&](const data_object& object) {
    if (!object.inline_bytes) return status();
    return put_object(store, object_name(table.name, object.id), *object.inline_bytes, options, surroundings);
  };
  for (std::size_t at = 0; at < table.objects.size(); ++at)
    if (const status done = put(table.objects[at].object); !done) return done;
  for (const copy_on_write<bucket_state>& bucket : table.buckets)
    for (const keyed_object& each : bucket->objects)
      if (const status done = put(each.object); !done) return done;
  return {};
}

// For a state whose inline objects have all been put: the next checkpoint need not put them again, nor this client keep
// them. O(objects).
template <class = void>
void forget_inline_bytes(shared_snapshot& state) {
  const shared<const std::string> none;  // Clang 14 would leak what `= {}` replaces
  for (auto& [name, table] : state.writable().tables) {
    for (std::size_t at = 0; at < table->objects.size(); ++at)
      if (table->objects[at].object.inline_bytes) table.writable().objects.writable(at).object.inline_bytes = none;
    for (std::size_t bucket = 0; bucket < table->buckets.size(); ++bucket)
      for (std::size_t at = 0; at < table->buckets[bucket]->objects.size(); ++at)
        if (table->buckets[bucket]->objects[at].object.inline_bytes)
          table.writable().buckets[bucket].writable().objects[at].object.inline_bytes = none;
  }
}

// The same as `put_inline_objects` of a table, for all tables.
template <object_store Store>
[[nodiscard]] status put_inline_objects(Store& store, const snapshot& state, const backoff_options& options,
                                        const environment& surroundings) {
  for (const auto& [name, table] : state.tables)
    if (const status done = put_inline_objects(store, *table, options, surroundings); !done) return done;
  return {};
}

}  // namespace tarn::inline TARN_ABI
