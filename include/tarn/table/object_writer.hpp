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
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_state.hpp"
#include "client_core.hpp"
#include "object_flushes.hpp"

namespace tarn::inline TARN_ABI {

// How many bytes of objects may travel in the entry of a transaction: what the lake says, as long as the entry is sure
// to stay within its limit, however much longer the bytes are as JSON.
template <class = void>
[[nodiscard]] std::size_t room_for_inline_objects(const snapshot& state, const limits& bounds) noexcept {
  const std::size_t safe = bounds.entry_bytes_max / 8;
  return state.inline_bytes_max < safe ? state.inline_bytes_max : safe;
}

// Finishes `rows`, an object of `table` with the columns that it has now, and has it put under its name, unless there
// is room for it in the entry. Returns what the log will say of it: until an entry does, nobody sees it.
template <class Store, row_codec Codec, row_builder Builder>
[[nodiscard]] result<data_object> put_rows(client_core<Store, Codec>& lake, const table_state& table, const uuid& id,
                                           Builder& rows, object_flushes<Store, Codec>& flushes) {
  const std::string_view bytes = rows.finish();
  data_object object{id,           true,          std::string(Codec::name), rows.rows(),
                     bytes.size(), crc32c(bytes), table.schema_number()};
  if (flushes.take_inline_room(bytes.size())) {
    object.inline_bytes = shared<const std::string>::make(bytes);
    return object;
  }
  if (const status put = flushes.put(lake, table.name, id, bytes); !put) return put.error();
  return object;
}

}  // namespace tarn::inline TARN_ABI
