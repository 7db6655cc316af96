// Threads for tests: as many as wanted do the same work at the same time.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_THREADS

#include <pthread.h>
#include <sched.h>

#include <vector>

namespace tarn::inline TARN_ABI::testing {

// Calls `work(index)` in `count` threads, index 0 to count - 1. No call begins before all threads are there to begin
// theirs, so that they do meet. Returns when all have returned; false, and nothing was called, if there are no threads
// to be had.
template <class Work>
[[nodiscard]] bool run_in_threads(unsigned count, Work& work) {
  enum : unsigned { waiting, going, cancelled };
  struct meeting {
    Work& work;
    unsigned signal = waiting;
    unsigned arrived = 0;
  };
  struct participant {
    meeting* met;
    unsigned index;
    pthread_t thread{};

    static void* run(void* self) {
      const auto& own = *static_cast<participant*>(self);
      __atomic_fetch_add(&own.met->arrived, 1U, __ATOMIC_ACQ_REL);
      unsigned signal = waiting;
      while ((signal = __atomic_load_n(&own.met->signal, __ATOMIC_ACQUIRE)) == waiting) ::sched_yield();
      if (signal == going) own.met->work(own.index);
      return nullptr;
    }
  };

  meeting here{work};
  std::vector<participant> all;
  for (unsigned index = 0; index < count; ++index) all.push_back({&here, index});
  unsigned started = 0;
  while (started < count && ::pthread_create(&all[started].thread, nullptr, &participant::run, &all[started]) == 0)
    ++started;
  while (__atomic_load_n(&here.arrived, __ATOMIC_ACQUIRE) < started) ::sched_yield();
  __atomic_store_n(&here.signal, started == count ? going : cancelled, __ATOMIC_RELEASE);
  for (unsigned index = 0; index < started; ++index) (void)::pthread_join(all[index].thread, nullptr);
  return started == count;
}

}  // namespace tarn::inline TARN_ABI::testing

#endif  // TARN_HAS_THREADS
