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

// Before each piece, its size; as large as what keeps the piece aligned.
constexpr std::size_t header_size = alignof(std::max_align_t);

void* allocate(std::size_t size) {
#if defined(__cpp_exceptions)
  if (size > PTRDIFF_MAX - header_size) throw std::bad_alloc();
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

}  // namespace tarn_test

// All forms but those with an alignment of their own, so that what one allocates another can release. The sanitizers
// have each form, and would else mix theirs with these.
void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* bytes) noexcept { release(bytes); }
void operator delete[](void* bytes) noexcept { release(bytes); }
void operator delete(void* bytes, std::size_t) noexcept { release(bytes); }
void operator delete[](void* bytes, std::size_t) noexcept { release(bytes); }
void operator delete(void* bytes, const std::nothrow_t&) noexcept { release(bytes); }
void operator delete[](void* bytes, const std::nothrow_t&) noexcept { release(bytes); }
