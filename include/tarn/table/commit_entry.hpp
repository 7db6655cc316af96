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
#include "../log/inline_objects.hpp"
#include "../log/snapshot.hpp"
#include "client_core.hpp"

namespace tarn::inline TARN_ABI {

template <class Store, class Codec>
[[nodiscard]] status put_checkpoint(client_core<Store, Codec>& lake, const snapshot& state) {
  return write_checkpoint(lake.store, state, lake.options.bounds, lake.options.commit.backoff,
                          lake.options.surroundings);
}

// Whether the state is one of those that get a checkpoint: of every `interval`th version; of every second, fourth, ...
// of those, as the state grows, so that fewer than a 32nd of its objects would have been new since. Then all
// checkpoints together grow with the history, not with its square, and a cold open reads no more entries than the state
// justifies.
template <class = void>
[[nodiscard]] bool is_checkpoint_due(const snapshot& state, std::uint64_t interval) noexcept {
  const auto number = static_cast<std::uint64_t>(state.at.number);
  if (interval == 0 || number == 0 || number % interval != 0) return false;
  for (const std::uint64_t wanted = count_objects(state) / 32; interval < wanted;) interval *= 2;
  return number % interval == 0;
}

// A restored table's objects are named only: the entries that some of them travel in may go before this one does.
template <class Store, class Codec>
[[nodiscard]] status put_restored_objects(client_core<Store, Codec>& lake, const entry& mine) {
  for (const auto& [table, actions] : mine.actions)
    for (const action& each : actions) {
      if (!each.restored) continue;
      const status put =
          put_inline_objects(lake.store, *each.restored, lake.options.commit.backoff, lake.options.surroundings);
      if (!put) return put;
    }
  return {};
}

// Commits `mine`, made from what was read at `state`; its id is given here if it has none. `check` is
// `status(const entry& theirs)`: whether it may follow that entry of another. Errors and cost: see commit_attempt;
// before its first put, one for each object that the entry restores and whose bytes travelled in the log.
template <class Store, class Codec, class Check>
[[nodiscard]] result<version> commit_entry(client_core<Store, Codec>& lake, const shared_snapshot& state, entry mine,
                                           Check check) {
  mine.read_version = state->at;
  if (const status put = put_restored_objects(lake, mine); !put) return put.error();
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
  // What has been committed stays so, whether or not there is a checkpoint of it; the next one comes.
  if (is_checkpoint_due(*lake.latest, lake.options.checkpoint_interval) && put_checkpoint(lake, *lake.latest))
    forget_inline_bytes(lake.latest);
  return committed;
}

}  // namespace tarn::inline TARN_ABI
