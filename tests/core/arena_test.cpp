#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <tarn/core/arena.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "../support/counting_allocator.hpp"

using namespace tarn;

static_assert(!std::is_copy_constructible_v<arena>, "views would point into the original");
static_assert(std::is_nothrow_move_constructible_v<arena> && std::is_nothrow_move_assignable_v<arena>);

namespace {

// Pieces of many sizes, each filled with a byte of its own.
class filled_pieces {
 public:
  explicit filled_pieces(arena& memory) {
    for (std::size_t size : {1U, 7U, 8U, 9U, 100U, 4'000U, 1U, 50'000U, 3U, 4'096U, 1'000'000U, 2U, 0U, 16U}) {
      char* const piece = memory.allocate<char>(size);
      std::memset(piece, static_cast<char>('a' + pieces_.size()), size);
      pieces_.emplace_back(piece, size);
    }
  }
  [[nodiscard]] bool intact() const {
    for (std::size_t at = 0; at < pieces_.size(); ++at)
      if (std::string(pieces_[at].first, pieces_[at].second) !=
          std::string(pieces_[at].second, static_cast<char>('a' + at)))
        return false;
    return true;
  }

 private:
  std::vector<std::pair<const char*, std::size_t>> pieces_;
};

}  // namespace

TEST_CASE("What an arena hands out does not overlap and stays where it is, also when the arena is moved") {
  arena memory;
  const filled_pieces first(memory);
  const filled_pieces second(memory);
  CHECK(first.intact());
  arena moved = std::move(memory);
  const filled_pieces third(moved);
  arena assigned;
  (void)assigned.allocate<char>(10);
  assigned = std::move(moved);
  CHECK(first.intact());
  CHECK(second.intact());
  CHECK(third.intact());
}

TEST_CASE("An arena's memory is aligned for pointers, integers and doubles") {
  arena memory;
  for (int round = 0; round < 10; ++round) {
    (void)memory.allocate<char>(1);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.allocate<double>(1)) % alignof(double) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.allocate<std::uint64_t>(600)) % alignof(std::uint64_t) == 0);
  }
}

TEST_CASE("A cleared arena hands out the same memory again without allocating") {
  arena memory;
  { const filled_pieces warm(memory); }
  for (int round = 0; round < 3; ++round) {
    memory.clear();
    const std::size_t before = tarn_test::allocations();
    for (std::size_t size = 1; size < 300'000; size *= 3) (void)memory.allocate<char>(size);
    CHECK(tarn_test::allocations() == before);
  }
}

TEST_CASE("An arena that was told what it will be asked for allocates that, once") {
  arena memory;
  const std::size_t before = tarn_test::live_bytes();
  memory.reserve(112);
  const std::size_t reserved = tarn_test::live_bytes() - before;
  CHECK(reserved >= 112);
  CHECK(reserved < 200);
  for (int piece = 0; piece < 14; ++piece) std::memset(memory.allocate<char>(8), 'x', 8);
  CHECK(tarn_test::live_bytes() - before == reserved);
  CHECK(memory.byte_size() == 112);
  std::memset(memory.allocate<char>(1'000), 'y', 1'000);  // more is no fault
  CHECK(tarn_test::live_bytes() - before > reserved);
}

TEST_CASE("An arena allocates blocks that grow: a thousand times the memory costs a few more of them") {
  const std::size_t before = tarn_test::allocations();
  arena memory;
  for (int piece = 0; piece < 100'000; ++piece) (void)memory.allocate<std::uint64_t>(10);
  CHECK(tarn_test::allocations() - before < 20);
}
