// What a client shares with its transactions and scans.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/environment.hpp"
#include "../core/executor.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/system_environment.hpp"
#include "../log/commit.hpp"
#include "../log/snapshot.hpp"
#include "../log/truncation.hpp"
#include "../store/store.hpp"
#include "key_index.hpp"

namespace tarn::inline TARN_ABI {

// Which objects of bags are worth compacting. (A bucket of a keyed table is, as soon as it has anything to fold.)
struct compaction_options {
  // An object is small that is filled less than this, by limits::rows_per_object and limits::bytes_per_object: it is
  // put together with small neighbours.
  std::uint32_t small_percent = 50;
  // An object that has lost more of its rows than this is written anew.
  std::uint32_t deleted_percent = 25;
};

// Settings of a client. They are checked by `client::begin`.
struct client_options {
  limits bounds = {};
  commit_options commit = {};
  // Whoever commits a version that this divides writes a checkpoint; with more than 32 times as many objects, of every
  // second such version, and so on. 0: never.
  std::uint32_t checkpoint_interval = 100;
  compaction_options compaction = {};
#if TARN_HAS_POSIX
  environment surroundings = system_environment();
#else
  environment surroundings;  // must be given: there is no operating system to ask
#endif
  // What puts a transaction's objects into the store while it encodes the next, up to limits::flushes_max at a time;
  // for stores whose strengths say `thread_safe`. Without: each write that fills an object waits for its put.
  tarn::executor executor = {};
};

template <class = void>
[[nodiscard]] status check_options(const client_options& options, const store_strengths& store) {
  // What recursion on values is bounded by; with it no row can exhaust a small stack.
  constexpr std::uint32_t nesting_depth_limit = 1'000;
  if (!options.surroundings.complete())
    return error(errc::invalid_argument,
                 "client_options::surroundings lacks a clock, a source of entropy or a way to wait");
  if ((options.executor.start == nullptr) != (options.executor.finish == nullptr))
    return error(errc::invalid_argument, "client_options::executor needs both `start` and `finish`, or neither");
  if (options.executor.start != nullptr && !store.thread_safe)
    return error(errc::invalid_argument,
                 "client_options::executor is for stores that several threads may use at once: if this one is such a "
                 "store, let it have `static constexpr tarn::store_strengths strengths{.thread_safe = true};`");
  if (options.bounds.rows_per_object == 0)
    return error(errc::invalid_argument, "limits::rows_per_object is 0: a data object needs room for a row");
  if (options.bounds.nesting_depth_max > nesting_depth_limit)
    return error(errc::invalid_argument, concat({"limits::nesting_depth_max is ", options.bounds.nesting_depth_max,
                                                 ": at most ", nesting_depth_limit, " is allowed"}));
  if (options.compaction.small_percent > 100 || options.compaction.deleted_percent > 100)
    return error(errc::invalid_argument, "compaction_options are percentages: 100 at most");
  if (options.commit.backoff.attempts_max == 0)
    return error(errc::invalid_argument, "backoff_options::attempts_max is 0: nothing would ever be tried");
  return {};
}

// What a client has looked at to find out whether others have written keys that its transactions had read or written.
struct conflict_statistics {
  std::uint64_t compared = 0;      // how often a concurrent block of records was met
  std::uint64_t objects_read = 0;  // and how often its keys had to be read: bucket and bounds did not settle it
};

// Used by one thread at a time, like the client it belongs to.
template <class Store, class Codec>
struct client_core {
  Store store;
  Codec codec;
  client_options options;
  shared_snapshot latest;  // the newest state seen
  bool opened = false;     // `latest` was read from the log, and is not just the empty state to start from
  log_extent extent;
  key_index_cache key_indexes;
  conflict_statistics conflicts = {};
};

}  // namespace tarn::inline TARN_ABI
