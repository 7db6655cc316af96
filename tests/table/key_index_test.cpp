#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/table/key_index.hpp>

using namespace tarn;

namespace {

const table_key by_number{{0}, 1};

uuid object(std::uint64_t number) { return {number * 7919 % 1009, number}; }  // in no order

// Of the keys 0, 1, 2, ...
shared<key_index> index_of(std::int64_t keys) {
  auto made = shared<key_index>::make();
  std::string scratch;
  for (std::int64_t key = 0; key < keys; ++key) {
    const value_view values[] = {key};
    record each;
    each.values = list_view(values, 1);
    REQUIRE(made->append(each, by_number, scratch));
  }
  return made;
}

std::string key_of(std::int64_t number) {
  std::string scratch;
  const value_view values[] = {number};
  return std::string(encode_key(list_view(values, 1), by_number.columns, scratch));
}

}  // namespace

TEST_CASE("an index finds its keys, and where others would be") {
  const auto index = index_of(5);
  for (std::int64_t key = -1; key <= 5; ++key) {
    CAPTURE(key);
    const base_place found = index->find(key_of(key));
    CHECK(found.known);
    CHECK(found.at == (key >= 0 && key < 5));
    CHECK(found.index == static_cast<std::uint64_t>(key < 0 ? 0 : key));
  }
  CHECK(index_of(0)->find(key_of(1)).index == 0);
}

TEST_CASE("an index refuses a key that does not come after the last one") {
  const auto index = index_of(3);
  std::string scratch;
  for (const std::int64_t key : {2, 1}) {
    const value_view values[] = {key};
    record each;
    each.values = list_view(values, 1);
    CHECK_FALSE(index->append(each, by_number, scratch));
  }
  CHECK(index->size() == 3);
}

TEST_CASE("the cache finds what was put there, whatever the order of ids") {
  key_index_cache cache;
  constexpr std::uint64_t count = 300;
  for (std::uint64_t put = 1; put <= count; ++put) {
    cache.insert(object(put), index_of(0), 1'000'000);
    for (std::uint64_t each = 1; each <= count; ++each)
      REQUIRE(static_cast<bool>(cache.find(object(each))) == (each <= put));
  }
}

TEST_CASE("the cache stays within its bytes and forgets what was used longest ago") {
  key_index_cache cache;
  const std::size_t bytes = index_of(10)->byte_size();
  for (const std::uint64_t each : {1U, 2U, 3U}) cache.insert(object(each), index_of(10), 3 * bytes);
  REQUIRE(cache.find(object(1)));
  cache.insert(object(4), index_of(10), 3 * bytes);
  CHECK(cache.find(object(1)));
  CHECK_FALSE(cache.find(object(2)));
  CHECK(cache.find(object(3)));
  CHECK(cache.find(object(4)));
  cache.insert(object(5), index_of(20), 3 * bytes);  // 3 and 4 are newer than 1
  CHECK_FALSE(cache.find(object(1)));
  CHECK(cache.find(object(5)));
  cache.insert(object(6), index_of(1'000),
               3 * bytes);  // larger than all that may be there: not kept, nothing forgotten
  CHECK_FALSE(cache.find(object(6)));
  CHECK(cache.find(object(5)));
}
