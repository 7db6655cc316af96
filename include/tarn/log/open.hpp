// Opening a lake: which checkpoint to start from, and reading on to the head.
//
//   cold    markers, then the newest checkpoint that is intact, then the entries after it
//   warm    the entries after the version in hand, then the next marker, in this order
//
// If a marker says that the version in hand is among what is gone, it may rest on garbage (log/truncation.hpp), and the
// lake is opened anew from a checkpoint. A hole or a broken chain is reported only if no marker explains it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../store/store.hpp"
#include "checkpoint.hpp"
#include "entry.hpp"
#include "log.hpp"
#include "names.hpp"
#include "snapshot.hpp"
#include "truncation.hpp"

namespace tarn::inline TARN_ABI {

// The versions that may have a checkpoint, oldest first: those that the store lists and those that the latest
// truncation relies on. One `list`.
template <object_store Store>
[[nodiscard]] result<sequence<version>> list_checkpoints(Store& store, const log_extent& extent) {
  sequence<version> all = extent.checkpoints;
  const status listed = store.list(checkpoint_prefix, std::string_view(), [&](std::string_view name) {
    version at;
    if (parse_checkpoint_name(name, at)) all.push_back(at);
  });
  if (!listed) return listed.error();
  sort(all.begin(), all.size(), [](version a, version b) { return a < b; });
  std::size_t kept = 0;
  for (const version each : all)
    if (kept == 0 || all[kept - 1] != each) all[kept++] = each;
  all.shrink(kept);
  return all;
}

// Whether a checkpoint that cannot be read is to be passed over: it is not there, damaged, or a newer tarn's.
template <class = void>
[[nodiscard]] bool is_unusable(const error& why) noexcept {
  return why.code() == errc::not_found || why.code() == errc::corrupt || why.code() == errc::unsupported ||
         why.code() == errc::limit_exceeded;
}

template <class = void>
[[nodiscard]] error unreadable_start(const log_extent& extent, const status& failure) {
  return {errc::corrupt, concat({"the log was truncated to version ", extent.truncated.number,
                                 ", and no checkpoint after that can be read",
                                 failure ? std::string() : concat({": ", failure.error().message()})})};
}

// The state to read on from to version `last` or to the head, if that is before: the newest checkpoint's that is not
// after it and that the log goes on from; the empty lake's, if the log is there from its beginning. errc::corrupt if
// it is not, and no checkpoint can be read; errc::snapshot_expired if all come after `last`. One `list` and a `get`,
// one more for each part, and for each checkpoint that is passed over.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_start(Store& store, const log_extent& extent, version last,
                                                 const limits& bounds) {
  const result<sequence<version>> all = list_checkpoints(store, extent);
  if (!all) return all.error();
  status failure;
  for (std::size_t at = all->size(); at-- > 0;) {
    const version each = (*all)[at];
    if (each > last) continue;
    if (each < extent.truncated && each != last) break;  // what came next is gone
    result<shared_snapshot> state = read_checkpoint(store, each, bounds);
    if (state) return state;
    if (!is_unusable(state.error())) return state.error();
    if (failure) failure = state.error();
  }
  if (extent.truncated == version()) return shared_snapshot();
  if (last < extent.truncated)
    return error(errc::snapshot_expired, concat({"version ", last.number, " is gone: the log was truncated to version ",
                                                 extent.truncated.number, ", and no tag has held it"}));
  return unreadable_start(extent, failure);
}

// Whether version `at`, which may have a checkpoint, was committed at `time` or before. The entry says so at less cost,
// if it is still there and states a time. False if neither can be read.
template <object_store Store>
[[nodiscard]] bool was_committed_before(Store& store, version at, timestamp time, const limits& bounds) {
  const result<logged_entry> logged = get_entry(store, at, bounds);
  if (logged && !logged->content.of_article) return logged->content.time <= time;
  const result<shared_snapshot> state = read_checkpoint(store, at, bounds);
  return state && (*state)->time <= time;
}

// The state to read on from to the newest version that was committed at `time` or before. Looks at log n entries of n
// checkpoints.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_start_before(Store& store, const log_extent& extent, timestamp time,
                                                        const limits& bounds) {
  const result<sequence<version>> all = list_checkpoints(store, extent);
  if (!all) return all.error();
  const std::size_t later =
      lower_bound(all->begin(), all->size(), [&](version at) { return was_committed_before(store, at, time, bounds); });
  if (later > 0) return find_start(store, extent, (*all)[later - 1], bounds);
  if (extent.truncated == version()) return shared_snapshot();
  return error(errc::snapshot_expired, concat({"what was committed at ", time.ms,
                                               " ms since 1970 or before is gone: the log was truncated to version ",
                                               extent.truncated.number}));
}

// The oldest state that the log goes on from.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_first(Store& store, const log_extent& extent, const limits& bounds) {
  if (extent.truncated == version()) return shared_snapshot();
  const result<sequence<version>> all = list_checkpoints(store, extent);
  if (!all) return all.error();
  for (const version each : *all) {
    if (each < extent.truncated) continue;
    result<shared_snapshot> state = read_checkpoint(store, each, bounds);
    if (state || !is_unusable(state.error())) return state;
  }
  return unreadable_start(extent, {});
}

// Reads forward from `state`, up to version `last` or the head, like `read_forward`; as often as a truncation has
// overtaken it, begins again at a checkpoint. `state` must be the log's as of what `extent` knows, or the empty lake.
// With `state` at the head, costs one `get` that finds nothing, two where the store can remove.
template <object_store Store>
[[nodiscard]] status read_on(Store& store, shared_snapshot& state, log_extent& extent, version last,
                             const limits& bounds) {
  bool overtaken = state->at < extent.truncated && state->at < last;
  for (;;) {
    if (overtaken) {
      result<shared_snapshot> start = find_start(store, extent, last, bounds);
      if (!start) return start.error();
      state = *std::move(start);
    }
    const version began = state->at;
    const version known = extent.truncated;
    const status read = read_forward(store, state, {last, extent.listed}, bounds, accept_all);
    if (const status found = find_truncations(store, extent); !found) return found;
    // Where nothing was read, nothing can have been garbage; but the head may be elsewhere now.
    overtaken = extent.truncated > known && extent.truncated >= state->at && began < last;
    if (!overtaken) return read;
  }
}

}  // namespace tarn::inline TARN_ABI
