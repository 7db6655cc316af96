// Putting a data object into the store, once all its rows are in a builder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_state.hpp"
#include "../store/put_object.hpp"
#include "client_core.hpp"

namespace tarn::inline TARN_ABI {

// How many bytes of objects may still travel in the entry of a transaction.
struct inline_room {
  std::size_t bytes_left = 0;
};

// What the lake says, as long as the entry is sure to stay within its limit, however much longer the bytes are as JSON.
template <class = void>
[[nodiscard]] inline_room room_for_inline_objects(const snapshot& state, const limits& bounds) noexcept {
  const std::size_t safe = bounds.entry_bytes_max / 8;
  return {state.inline_bytes_max < safe ? state.inline_bytes_max : safe};
}

// Finishes `rows`, an object of `table` with the columns that it has now, and puts it under its name, unless there is
// room for it in the entry. Returns what the log will say of it: until an entry does, nobody sees it.
template <class Store, row_codec Codec, row_builder Builder>
[[nodiscard]] result<data_object> put_rows(client_core<Store, Codec>& lake, const table_state& table, const uuid& id,
                                           Builder& rows, inline_room& room) {
  const std::string_view bytes = rows.finish();
  data_object object{id,           true,          std::string(Codec::name), rows.rows(),
                     bytes.size(), crc32c(bytes), table.schema_number()};
  if (bytes.size() <= room.bytes_left) {
    room.bytes_left -= bytes.size();
    object.inline_bytes = shared<const std::string>::make(bytes);
    return object;
  }
  const status put = put_object(lake.store, object_name(table.name, id), bytes, lake.options.commit.backoff,
                                lake.options.surroundings);
  if (!put) return put.error().within(concat({"flushing rows of table ", table.name}));
  return object;
}

}  // namespace tarn::inline TARN_ABI
