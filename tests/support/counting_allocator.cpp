#include "counting_allocator.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> call_count = 0;
std::atomic<std::size_t> live = 0;
std::atomic<std::size_t> most = 0;

// Of this thread; see failing_allocation.
thread_local std::size_t left_until_failure = SIZE_MAX;
thread_local bool fails_for_good = false;
thread_local bool has_failed_once = false;

bool is_to_fail() noexcept {
  if (left_until_failure == SIZE_MAX) return false;
  if (left_until_failure > 0) {
    --left_until_failure;
    return false;
  }
  if (!fails_for_good) left_until_failure = SIZE_MAX;
  has_failed_once = true;
  return true;
}

// Before each piece, its size; as large as what keeps the piece aligned.
constexpr std::size_t header_size = alignof(std::max_align_t);

void* allocate(std::size_t size) {
#if defined(__cpp_exceptions)
  if (is_to_fail() || size > PTRDIFF_MAX - header_size) throw std::bad_alloc();
#endif
  auto* const piece = static_cast<unsigned char*>(std::malloc(header_size + size));
  if (piece == nullptr) std::abort();  // also where there are no exceptions to throw
  *reinterpret_cast<std::size_t*>(piece) = size;
  call_count.fetch_add(1, std::memory_order_relaxed);
  const std::size_t now = live.fetch_add(size, std::memory_order_relaxed) + size;
  std::size_t before = most.load(std::memory_order_relaxed);
  while (now > before && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
  return piece + header_size;
}

void* allocate_or_null(std::size_t size) noexcept { return is_to_fail() ? nullptr : allocate(size); }

void release(void* bytes) noexcept {
  if (bytes == nullptr) return;
  auto* const piece = static_cast<unsigned char*>(bytes) - header_size;
  live.fetch_sub(*reinterpret_cast<std::size_t*>(piece), std::memory_order_relaxed);
  std::free(piece);
}

}  // namespace

namespace tarn_test {

std::size_t allocations() noexcept { return call_count.load(std::memory_order_relaxed); }
std::size_t live_bytes() noexcept { return live.load(std::memory_order_relaxed); }

peak_bytes::peak_bytes() noexcept : before_(live_bytes()) { most.store(before_, std::memory_order_relaxed); }
std::size_t peak_bytes::value() const noexcept { return most.load(std::memory_order_relaxed) - before_; }

failing_allocation::failing_allocation(std::size_t before, bool for_good) noexcept {
  left_until_failure = before;
  fails_for_good = for_good;
  has_failed_once = false;
}
failing_allocation::~failing_allocation() { left_until_failure = SIZE_MAX; }
bool failing_allocation::has_failed() const noexcept { return has_failed_once; }

}  // namespace tarn_test

// All forms but those with an alignment of their own, so that what one allocates another can release. The sanitizers
// have each form, and would else mix theirs with these.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void operator delete(void* bytes) noexcept { release(bytes); }
void operator delete[](void* bytes) noexcept { release(bytes); }
void operator delete(void* bytes, std::size_t) noexcept { release(bytes); }
void operator delete[](void* bytes, std::size_t) noexcept { release(bytes); }
void operator delete(void* bytes, const std::nothrow_t&) noexcept { release(bytes); }
void operator delete[](void* bytes, const std::nothrow_t&) noexcept { release(bytes); }
