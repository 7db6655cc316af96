// Committing an entry, and what a client learns from it. Every version of a lake comes about here.
#pragma once

#include <cstdint>
#include <utility>

#include "../core/config.hpp"
#include "../core/new_id.hpp"
#include "../core/result.hpp"
#include "../core/strong_types.hpp"
#include "../core/uuid.hpp"
#include "../log/checkpoint.hpp"
#include "../log/commit.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "client_core.hpp"

namespace tarn::inline TARN_ABI {

template <class Store, class Codec>
[[nodiscard]] status put_checkpoint(client_core<Store, Codec>& lake, const snapshot& state) {
  return write_checkpoint(lake.store, state, lake.options.bounds, lake.options.commit.backoff,
                          lake.options.surroundings);
}

// Commits `mine`, made from what was read at `state`; its id is given here if it has none. `check` is
// `status(const entry& theirs)`: whether it may follow that entry of another. Errors and cost: see commit_attempt.
template <class Store, class Codec, class Check>
[[nodiscard]] result<version> commit_entry(client_core<Store, Codec>& lake, const shared_snapshot& state, entry mine,
                                           Check check) {
  mine.read_version = state->at;
  if (mine.transaction.is_nil()) {
    const result<uuid> id = new_id(lake.options.surroundings, state->time);
    if (!id) return id.error();
    mine.transaction = *id;
  }
  commit_attempt attempt(lake.store, state, lake.extent, std::move(mine), std::move(check), lake.options.commit,
                         lake.options.surroundings, lake.options.bounds);
  const result<version> committed = attempt.run();
  // Numbered work may have been committed before, by another entry than this one.
  if (!committed || *committed <= lake.latest->at || attempt.after()->at != *committed) return committed;
  lake.latest = attempt.after();
  const std::uint32_t interval = lake.options.checkpoint_interval;
  // What has been committed stays so, whether or not there is a checkpoint of it; the next one comes.
  if (interval > 0 && committed->number > 0 && committed->number % interval == 0)
    (void)put_checkpoint(lake, *lake.latest);
  return committed;
}

}  // namespace tarn::inline TARN_ABI
