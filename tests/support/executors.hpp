// Executors of all kinds that the contract allows, which count what is asked of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <tarn/core/executor.hpp>
#include <thread>

namespace tarn_test {

enum class running : unsigned char {
  at_start,   // before `start` returns
  at_finish,  // as late as can be
  in_thread,  // of its own
  refused,    // never
};

// Refers to itself: must stay where it is.
class counting_executor {
 public:
  explicit counting_executor(running when) : when_(when) {}

  [[nodiscard]] tarn::executor get() {
    tarn::executor made;
    made.context = this;
    made.start = [](void* self, void (*work)(void*), void* argument) {
      return static_cast<counting_executor*>(self)->start(work, argument);
    };
    made.finish = [](void* self, void* given) { static_cast<counting_executor*>(self)->finish(given); };
    return made;
  }

  // Calls of `start` that were not refused, of those that were, of `finish`, and how many were under way at once.
  std::uint64_t started = 0;
  std::uint64_t refused = 0;
  std::uint64_t finished = 0;
  std::uint64_t under_way_max = 0;
  bool loses_work = false;  // what is to run at finish, does not

 private:
  struct task {
    void (*work)(void*);
    void* argument;
    std::thread thread;
  };

  void* start(void (*work)(void*), void* argument) {
    if (when_ == running::refused) {
      ++refused;
      return nullptr;
    }
    ++started;
    if (started - finished > under_way_max) under_way_max = started - finished;
    task* const made = new task{work, argument, {}};
    if (when_ == running::at_start) work(argument);
    if (when_ == running::in_thread) made->thread = std::thread(work, argument);
    return made;
  }

  void finish(void* given) {
    ++finished;
    task* const mine = static_cast<task*>(given);
    if (when_ == running::at_finish && !loses_work) mine->work(mine->argument);
    if (when_ == running::in_thread) mine->thread.join();
    delete mine;
  }

  running when_;
};

}  // namespace tarn_test
