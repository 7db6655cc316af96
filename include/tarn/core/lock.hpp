// Mutual exclusion where the program has threads, and nothing at all where it has none (TARN_HAS_THREADS).
//
// Why not std::mutex: <mutex> adds more to the compile time of every user than the rest of the store layer together.
#pragma once

#include "config.hpp"

#if TARN_HAS_THREADS
#include <pthread.h>
#endif

namespace tarn::inline TARN_ABI {

// Held by at most one `scoped_lock` at a time. Not recursive: a thread that locks it twice waits for itself.
class mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

#if TARN_HAS_THREADS
  // Locking a default mutex that was initialised and that this thread does not hold cannot fail.
  ~mutex() { (void)::pthread_mutex_destroy(&native_); }
  void lock() noexcept { (void)::pthread_mutex_lock(&native_); }
  void unlock() noexcept { (void)::pthread_mutex_unlock(&native_); }

 private:
  pthread_mutex_t native_ = PTHREAD_MUTEX_INITIALIZER;
#else
  void lock() noexcept {}
  void unlock() noexcept {}
#endif
};

// Holds a mutex for as long as it lives.
class [[nodiscard]] scoped_lock {
 public:
  explicit scoped_lock(mutex& held) noexcept : held_(held) { held_.lock(); }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;
  ~scoped_lock() { held_.unlock(); }

 private:
  mutex& held_;
};

}  // namespace tarn::inline TARN_ABI
