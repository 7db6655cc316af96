// Opening a lake: which checkpoint to start from, and reading on to the head.
//
//   cold    markers, then the newest checkpoint that is intact, then the entries after it
//   warm    the entries after the version in hand, then the next marker, in this order
//
// If a marker says that the version in hand is among what is gone, it may rest on garbage (log/truncation.hpp), and the
// lake is opened anew from a checkpoint. A hole or a broken chain is reported only if no marker explains it.
#pragma once

#include <cstddef>
#include <cstdint>
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

namespace open_detail {

// The versions that may have a checkpoint, oldest first: those that the store lists and those that the latest
// truncation relies on. One `list`. Where that goes through all names it is the only one that opening a lake needs: it
// also tells how far the log reaches, and of truncations.
template <object_store Store>
[[nodiscard]] result<sequence<version>> list_checkpoints(Store& store, log_extent& extent) {
  constexpr bool flat = strengths_of<Store>().flat_list;
  sequence<version> all;
  std::int64_t newest_marker = -1;
  const status listed = store.list(flat ? lake_prefix : checkpoint_prefix, {}, [&](std::string_view name) {
    version at;
    if (parse_checkpoint_name(name, at)) all.push_back(at);
    if (flat && parse_entry_name(name, at) && at > extent.listed) extent.listed = at;
    std::int64_t number = 0;
    if (flat && parse_marker_name(name, number) && number > newest_marker) newest_marker = number;
  });
  if (!listed) return listed.error();
  if (newest_marker >= extent.markers)
    if (const status found = list_truncations(store, extent); !found) return found.error();
  for (const version each : extent.checkpoints) all.push_back(each);
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

// The state at a version that the log does not reach back to: only a checkpoint has it, which a tag has held.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> read_held_checkpoint(Store& store, const log_extent& extent, version at,
                                                           const limits& bounds) {
  if (at != version()) {
    result<shared_snapshot> state = read_checkpoint(store, at, bounds);
    if (state || state.error().code() != errc::not_found) return state;
  }
  return error(errc::snapshot_expired, concat({"version ", at.number, " is gone: the log was truncated to version ",
                                               extent.truncated.number, ", and no tag has held it"}));
}

template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_start(Store& store, log_extent& extent, version last, const limits& bounds) {
  if (last < extent.truncated) return read_held_checkpoint(store, extent, last, bounds);
  const result<sequence<version>> all = list_checkpoints(store, extent);
  if (!all) return all.error();
  status failure;
  for (std::size_t at = all->size(); at-- > 0;) {
    const version each = (*all)[at];
    if (each > last) continue;
    if (each < extent.truncated) break;  // what came next is gone
    result<shared_snapshot> state = read_checkpoint(store, each, bounds);
    if (state) return state;
    if (!is_unusable(state.error())) return state.error();
    if (failure) failure = state.error();
  }
  if (extent.truncated == version()) return shared_snapshot();
  return unreadable_start(extent, failure);
}

// Whether version `at`, which may have a checkpoint, was committed at `time` or before. The entry says so at less cost,
// if its slot is not one that was emptied, and it states a time. False if neither is there and intact; an error if the
// store fails.
template <object_store Store>
[[nodiscard]] result<bool> was_committed_before(Store& store, const log_extent& extent, version at, timestamp time,
                                                const limits& bounds) {
  if (at > extent.truncated) {
    const result<logged_entry> logged = get_entry(store, at, bounds);
    if (logged && !logged->content.of_article) return logged->content.time <= time;
    if (!logged && !is_unusable(logged.error())) return logged.error();
  }
  const result<shared_snapshot> state = read_checkpoint(store, at, bounds);
  if (!state && !is_unusable(state.error())) return state.error();
  return state && (*state)->time <= time;
}

template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_start_before(Store& store, log_extent& extent, timestamp time,
                                                        const limits& bounds) {
  const result<sequence<version>> all = list_checkpoints(store, extent);
  if (!all) return all.error();
  const std::size_t first = lower_bound(all->begin(), all->size(), [&](version at) { return at < extent.truncated; });
  status failure;
  const std::size_t later = first + lower_bound(all->begin() + first, all->size() - first, [&](version at) {
                              const result<bool> before = was_committed_before(store, extent, at, time, bounds);
                              if (!before) failure = before.error();
                              return before && *before;
                            });
  if (!failure) return failure.error();
  if (later > first) return open_detail::find_start(store, extent, (*all)[later - 1], bounds);
  if (extent.truncated == version()) return shared_snapshot();
  return error(errc::snapshot_expired, concat({"what was committed at ", time.ms,
                                               " ms since 1970 or before is gone: the log was truncated to version ",
                                               extent.truncated.number}));
}

template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_first(Store& store, log_extent& extent, const limits& bounds) {
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

// The state that `find` finds. Asked again as often as a truncation has overtaken it: the checkpoints that it has
// looked for may be gone, and what it says of that is not so.
template <object_store Store, class Find>
[[nodiscard]] result<shared_snapshot> find_up_to_date(Store& store, log_extent& extent, Find find) {
  for (;;) {
    const std::int64_t markers = extent.markers;
    result<shared_snapshot> state = find();
    if (state) return state;
    if (const status found = find_truncations(store, extent); !found) return found.error();
    if (extent.markers == markers) return state;
  }
}

}  // namespace open_detail

// The state to read on from to version `last` or to the head, if that is before: the newest checkpoint's that is not
// after it and that the log goes on from; the empty lake's, if the log is there from its beginning. errc::corrupt if
// it is not, and no checkpoint can be read; errc::snapshot_expired if `last` is gone, and has no checkpoint that a tag
// has held. One `list` and a `get`, one more for each part, and for each checkpoint that is passed over.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_start(Store& store, log_extent& extent, version last, const limits& bounds) {
  return open_detail::find_up_to_date(store, extent,
                                      [&] { return open_detail::find_start(store, extent, last, bounds); });
}

// The state to read on from to the newest version that was committed at `time` or before. errc::snapshot_expired if
// that is gone, even if a tag has held it: what came next is not known. Looks at log n entries of n checkpoints.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_start_before(Store& store, log_extent& extent, timestamp time,
                                                        const limits& bounds) {
  return open_detail::find_up_to_date(store, extent,
                                      [&] { return open_detail::find_start_before(store, extent, time, bounds); });
}

// The oldest state that the log goes on from.
template <object_store Store>
[[nodiscard]] result<shared_snapshot> find_first(Store& store, log_extent& extent, const limits& bounds) {
  return open_detail::find_up_to_date(store, extent, [&] { return open_detail::find_first(store, extent, bounds); });
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
