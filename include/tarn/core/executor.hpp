// The seam for work beside the client's thread: tarn starts no thread, but hands what can be done meanwhile to whoever
// the caller names. Plain function pointers, like those of `environment`.
#pragma once

#include "config.hpp"

namespace tarn::inline TARN_ABI {

// `context` is passed back to each function and must outlive every transaction of the clients that have it. Each
// client calls from the thread that uses it; clients that share an executor, from all their threads. Neither function
// may throw or call the client.
struct executor {
  void* context = nullptr;
  // Has work(argument) called, once: on another thread, now or later, or at once, before it returns. Gives what
  // `finish` is to be told; null: the work was not and will not be called, and the caller does it. `argument` belongs
  // to the caller, and lives until the work is finished.
  void* (*start)(void* context, void (*work)(void* argument), void* argument) = nullptr;
  // Returns when the work has, and all that it wrote is visible to the caller. Called once for each that was started,
  // in the order of the starts or any other, also if the work is of no use any more: what `start` has made can go.
  void (*finish)(void* context, void* started) = nullptr;
};

}  // namespace tarn::inline TARN_ABI
