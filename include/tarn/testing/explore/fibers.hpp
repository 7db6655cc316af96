// Functions that stop in the middle and go on later, on stacks of their own, all on one thread: the fast way to run the
// clients of an exploration in any order (about a microsecond for a switch).
#pragma once

#include "../../core/config.hpp"

#if TARN_HAS_POSIX

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tarn::inline TARN_ABI::testing {

// Sanitizers must be told of each switch. Weak: null in a program without them.
// NOLINTBEGIN(readability-identifier-naming): theirs
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}
// NOLINTEND(readability-identifier-naming)

// Each fiber calls `body(context, index)` from its beginning whenever it is resumed after an end. A program must not
// park inside a catch block: what is being caught is known by thread. Used by the thread that made it.
class fibers {
 public:
  using body_type = void (*)(void* context, std::size_t index);

  // The stacks are real memory only as far as they are used; below each is a page that may not be touched, so that a
  // stack that is too small ends the program at once.
  fibers(std::size_t count, std::size_t stack_bytes, body_type body, void* context)
      : body_(body), context_(context), all_(count) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    stack_bytes = (stack_bytes + page - 1) / page * page;
    for (std::size_t index = 0; index < count; ++index)
      all_[index] = std::make_unique<fiber>(*this, index, stack_bytes, page);
  }
  fibers(const fibers&) = delete;
  fibers& operator=(const fibers&) = delete;
  // No body may be in the middle: their objects would never be destroyed.
  ~fibers() {
    quitting_ = true;
    for (const auto& each : all_)
      if (each->entered) enter(*each);
  }

  // Runs a body until it parks or ends. Not for use inside a body.
  void resume(std::size_t index) { enter(*all_[index]); }
  // In the body of this index: goes back to where it was resumed from, until it is resumed again.
  void park(std::size_t index) { leave(*all_[index], false); }

 private:
  struct fiber {
    fiber(fibers& all, std::size_t number, std::size_t size, std::size_t page)
        : owner(all),
          index(number),
          stack_bytes(size),
          guard_bytes(page),
          memory(::mmap(nullptr, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
      if (memory == MAP_FAILED || ::mprotect(memory, guard_bytes, PROT_NONE) != 0 || ::getcontext(&place) != 0) {
        std::fprintf(stderr, "tarn: there is no memory for a stack of %zu bytes\n", stack_bytes);
        std::abort();
      }
      place.uc_stack.ss_sp = bottom();
      place.uc_stack.ss_size = stack_bytes;
      place.uc_link = nullptr;
      ::makecontext(&place, &fibers::main, 0);
      if (&__tsan_create_fiber != nullptr) thread_sanitizer = __tsan_create_fiber(0);
    }
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    ~fiber() {
      if (&__tsan_destroy_fiber != nullptr) __tsan_destroy_fiber(thread_sanitizer);
      (void)::munmap(memory, guard_bytes + stack_bytes);
    }
    [[nodiscard]] void* bottom() const noexcept { return static_cast<char*>(memory) + guard_bytes; }

    fibers& owner;
    std::size_t index;
    std::size_t stack_bytes;
    std::size_t guard_bytes;
    void* memory;
    ucontext_t place{};
    bool entered = false;
    void* address_sanitizer = nullptr;  // its fake stack
    void* thread_sanitizer = nullptr;
  };

  void enter(fiber& next) {
    next.entered = true;
    entering() = &next;
    void* fake_stack = nullptr;
    if (&__tsan_switch_to_fiber != nullptr) {
      thread_sanitizer_ = __tsan_get_current_fiber();
      __tsan_switch_to_fiber(next.thread_sanitizer, 0);
    }
    if (&__sanitizer_start_switch_fiber != nullptr)
      __sanitizer_start_switch_fiber(&fake_stack, next.bottom(), next.stack_bytes);
    (void)::swapcontext(&home_, &next.place);
    if (&__sanitizer_finish_switch_fiber != nullptr) __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
  }

  void leave(fiber& self, bool for_good) {
    if (&__tsan_switch_to_fiber != nullptr) __tsan_switch_to_fiber(thread_sanitizer_, 0);
    if (&__sanitizer_start_switch_fiber != nullptr)
      __sanitizer_start_switch_fiber(for_good ? nullptr : &self.address_sanitizer, home_bottom_, home_bytes_);
    (void)::swapcontext(&self.place, &home_);
    arrive(self);
  }

  void arrive(fiber& self) {
    if (&__sanitizer_finish_switch_fiber != nullptr)
      __sanitizer_finish_switch_fiber(self.address_sanitizer, &home_bottom_, &home_bytes_);
  }

  // makecontext passes nothing but int.
  [[nodiscard]] static fiber*& entering() noexcept {
    thread_local fiber* one = nullptr;
    return one;
  }
  static void main() {
    fiber& self = *entering();
    fibers& all = self.owner;
    all.arrive(self);
    while (!all.quitting_) {
      all.body_(all.context_, self.index);
      all.leave(self, false);
    }
    all.leave(self, true);
  }

  body_type body_;
  void* context_;
  std::vector<std::unique_ptr<fiber>> all_;
  bool quitting_ = false;
  ucontext_t home_{};
  const void* home_bottom_ = nullptr;
  std::size_t home_bytes_ = 0;
  void* thread_sanitizer_ = nullptr;
};

}  // namespace tarn::inline TARN_ABI::testing

#endif  // TARN_HAS_POSIX
