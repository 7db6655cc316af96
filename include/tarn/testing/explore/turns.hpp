// How the clients of an exploration take turns: on fibers or on threads, with the same results.
#pragma once

#include <cstddef>
#include <memory>

#include "../../core/config.hpp"
#include "fibers.hpp"
#include "parked_threads.hpp"

namespace tarn::inline TARN_ABI::testing {

enum class switching : unsigned char {
  fibers,   // where there is POSIX, else threads
  threads,  // where there are any, else fibers
};

// See `fibers` for what the functions do. Where there are neither fibers nor threads they do nothing: there is no
// `explore` there.
class turns {
 public:
  turns([[maybe_unused]] switching how, [[maybe_unused]] std::size_t count, [[maybe_unused]] std::size_t stack_bytes,
        [[maybe_unused]] void (*body)(void* context, std::size_t index), [[maybe_unused]] void* context) {
#if TARN_HAS_POSIX
    if (how == switching::fibers || !TARN_HAS_THREADS)
      fibers_ = std::make_unique<fibers>(count, stack_bytes, body, context);
    if (fibers_ != nullptr) return;
#endif
#if TARN_HAS_THREADS
    threads_ = std::make_unique<parked_threads>(count, body, context);
#endif
  }

  void resume([[maybe_unused]] std::size_t index) {
#if TARN_HAS_POSIX
    if (fibers_ != nullptr) return fibers_->resume(index);
#endif
#if TARN_HAS_THREADS
    threads_->resume(index);
#endif
  }
  void park([[maybe_unused]] std::size_t index) {
#if TARN_HAS_POSIX
    if (fibers_ != nullptr) return fibers_->park(index);
#endif
#if TARN_HAS_THREADS
    threads_->park(index);
#endif
  }

 private:
#if TARN_HAS_POSIX
  std::unique_ptr<fibers> fibers_;
#endif
#if TARN_HAS_THREADS
  std::unique_ptr<parked_threads> threads_;
#endif
};

}  // namespace tarn::inline TARN_ABI::testing
