#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/core/row.hpp>
#include <tarn/merge/bucket.hpp>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"

using namespace tarn;

namespace {

// With as many buckets as there can be, the bucket is the hash without its sign bit, but for one value.
constexpr std::uint32_t all = 0x7fff'ffff;

[[nodiscard]] std::uint32_t without_sign(std::int64_t hash) { return static_cast<std::uint32_t>(hash) & 0x7fff'ffffU; }

}  // namespace

TEST_CASE("murmur3_x86_32 has the published values") {
  CHECK(murmur3_x86_32("") == 0);
  CHECK(murmur3_x86_32("", 1) == 0x514e'28b7);
  CHECK(murmur3_x86_32("", 0xffff'ffff) == 0x81f1'6f39);
  CHECK(murmur3_x86_32("hello") == 0x248b'fa47);
  CHECK(murmur3_x86_32("hello, world") == 0x149b'bb7f);
  CHECK(murmur3_x86_32("The quick brown fox jumps over the lazy dog") == 0x2e4f'f723);
  CHECK(murmur3_x86_32("\xff\xff\xff\xff") == 0x7629'3b50);
}

// The first are published (stackoverflow.com/a/31929528), the last come from a program in Python.
TEST_CASE("murmur3_x86_32 takes every number of bytes after the last four, and bytes as unsigned") {
  const char published[] = "\x21\x43\x65\x87";
  constexpr std::uint32_t published_hashes[] = {0, 0x7266'1cf4, 0xa0f7'b07a, 0x7e4a'8634, 0xf55b'516b};
  for (std::size_t size = 0; size <= 4; ++size) {
    CAPTURE(size);
    CHECK(murmur3_x86_32({published, size}) == published_hashes[size]);
  }
  const char bytes[] = "\x80\x01\xfe\x7f\xff\x00\x90\xa5";
  constexpr std::uint32_t hashes[] = {0x087f'cd5c, 0x421e'00f2, 0xa071'33a2, 0x3223'da01, 0x9de3'8317,
                                      0xf51c'2445, 0x8f26'57c3, 0xddf3'05c0, 0x10fb'62df};
  for (std::size_t size = 0; size <= 8; ++size) {
    CAPTURE(size);
    CHECK(murmur3_x86_32({bytes, size}, 42) == hashes[size]);
  }
}

TEST_CASE("A hasher does not mind how its bytes are cut into pieces") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  for (int round = 0; round < 2'000; ++round) {
    std::string whole(random.below(40), '\0');
    for (char& c : whole) c = static_cast<char>(random.next() & 0xffU);
    murmur3_hasher<> hasher(static_cast<std::uint32_t>(round));
    for (std::string_view rest = whole; !rest.empty();) {
      const std::size_t size = random.below(rest.size() + 1);
      hasher.add(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    REQUIRE(hasher.hash() == murmur3_x86_32(whole, static_cast<std::uint32_t>(round)));
  }
}

TEST_CASE("Buckets of one column are those of the Iceberg spec") {
  CHECK(bucket_of(row{34}, {0}, all) == 2'017'239'379);
  CHECK(bucket_of(row{"iceberg"}, {0}, all) == 1'210'000'089);
  CHECK(bucket_of(row{bytes{std::string_view("\0\1\2\3", 4)}}, {0}, all) == without_sign(-188'683'207));
  CHECK(bucket_of(row{true}, {0}, all) == 1'392'991'556);
  CHECK(bucket_of(row{true}, {0}, all) == bucket_of(row{1}, {0}, all));
  CHECK(bucket_of(row{false}, {0}, all) == bucket_of(row{0}, {0}, all));
  CHECK(bucket_of(row{34}, {0}, 16) == 2'017'239'379 % 16);
  CHECK(bucket_of(row{bytes{std::string_view("\0\1\2\3", 4)}}, {0}, 10) == without_sign(-188'683'207) % 10);
  CHECK(bucket_of(row{"anything"}, {0}, 1) == 0);
}

TEST_CASE("A key of several columns is hashed with the size of each") {
  const row values{"ab", nullptr, -2, bytes{""}, true};
  const std::string hashed(
      "\2\0\0\0ab"
      "\x08\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff"
      "\0\0\0\0"
      "\x08\0\0\0\1\0\0\0\0\0\0\0",
      6 + 12 + 4 + 12);
  CHECK(bucket_of(values, {0, 2, 3, 4}, all) == without_sign(murmur3_x86_32(hashed)));
  CHECK(bucket_of(row{"a", "bc"}, {0, 1}, all) != bucket_of(row{"ab", "c"}, {0, 1}, all));
  CHECK(bucket_of(row{"a", "b"}, {0, 1}, all) != bucket_of(row{"a", "b"}, {1, 0}, all));
  const std::string long_text(0x10203, 'x');
  CHECK(bucket_of(row{long_text, ""}, {0, 1}, all) ==
        without_sign(murmur3_x86_32(std::string("\x03\x02\x01\0", 4) + long_text + std::string(4, '\0'))));
}

TEST_CASE("Consecutive numbers fall into all buckets about evenly") {
  std::vector<int> counts(16);
  const std::size_t before = tarn_test::allocations();
  const sequence<std::uint32_t> key{0};
  const std::size_t made_key = tarn_test::allocations();
  for (int number = 0; number < 16'000; ++number) {
    const value_view values[] = {number};
    const std::uint32_t bucket = bucket_of({values, 1}, key, 16);
    REQUIRE(bucket < 16);
    ++counts[bucket];
  }
  CHECK(tarn_test::allocations() == made_key);
  CHECK(made_key > before);
  for (const int count : counts) CHECK((count > 850 && count < 1'150));
}

#if TARN_HAS_EXCEPTIONS
TEST_CASE("The bucket of what no key can hold fails") {
  CHECK_THROWS_AS((void)bucket_of(row{nullptr}, {0}, 4), failure);
  CHECK_THROWS_AS((void)bucket_of(row{1, 0.5}, {0, 1}, 4), failure);
}
#endif
