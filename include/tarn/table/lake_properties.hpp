// Settings that belong to the lake, not to one of its clients: all writers keep to them.
#pragma once

#include <cstdint>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/strong_types.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "client_core.hpp"
#include "commit_entry.hpp"

namespace tarn::inline TARN_ABI {

// Commits what may travel in entries from there on: who carries more meets it, and begins again. Nothing stands in its
// own way: the last one holds.
template <class Store, class Codec>
[[nodiscard]] result<version> commit_inline_bytes_max(client_core<Store, Codec>& lake, const shared_snapshot& now,
                                                      std::uint32_t bytes) {
  entry mine;
  mine.operation = "set inline_bytes_max";
  mine.inline_bytes_max = bytes;
  return commit_entry(lake, now, std::move(mine), [](const entry&) { return status(); });
}

}  // namespace tarn::inline TARN_ABI
