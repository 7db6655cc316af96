// The same as fibers with threads, of which one runs at any time: four times as slow, for systems without ucontext, and
// for debuggers and tools that do not know fibers.
#pragma once

#include "../../core/config.hpp"

#if TARN_HAS_THREADS

#include <cstddef>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

namespace tarn::inline TARN_ABI::testing {

// As `fibers`; the size of stacks is the system's.
class parked_threads {
 public:
  using body_type = void (*)(void* context, std::size_t index);

  parked_threads(std::size_t count, body_type body, void* context) : body_(body), context_(context) {
    for (std::size_t index = 0; index < count; ++index) all_.push_back(std::make_unique<place>());
    for (std::size_t index = 0; index < count; ++index)
      all_[index]->thread = std::thread([this, index] { run(index); });
  }
  parked_threads(const parked_threads&) = delete;
  parked_threads& operator=(const parked_threads&) = delete;
  ~parked_threads() {
    quitting_ = true;
    for (const auto& each : all_) {
      each->turn.release();
      each->thread.join();
    }
  }

  void resume(std::size_t index) {
    all_[index]->turn.release();
    home_.acquire();
  }
  void park(std::size_t index) {
    home_.release();
    all_[index]->turn.acquire();
  }

 private:
  struct place {
    std::binary_semaphore turn{0};
    std::thread thread;
  };

  void run(std::size_t index) {
    for (all_[index]->turn.acquire(); !quitting_; park(index)) body_(context_, index);
  }

  body_type body_;
  void* context_;
  std::vector<std::unique_ptr<place>> all_;
  bool quitting_ = false;  // written while all threads are parked
  std::binary_semaphore home_{0};
};

}  // namespace tarn::inline TARN_ABI::testing

#endif  // TARN_HAS_THREADS
