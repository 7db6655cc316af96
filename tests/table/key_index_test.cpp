#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/merge/key.hpp>
#include <tarn/table/key_index.hpp>

using namespace tarn;

namespace {

const table_key by_number{{0}, 1};

uuid object(std::uint64_t number) { return {number * 7919 % 1009, number}; }  // in no order

std::string key_of(std::int64_t number) {
  std::string scratch;
  const value_view values[] = {number};
  return std::string(encode_key(list_view(values, 1), by_number.columns, scratch));
}

bool append(key_index& to, std::int64_t key) {
  const value_view values[] = {key};
  return to.append(key_of(key), {false, key_state::live}, list_view(values, 1), by_number);
}

// Of the keys 0, 1, 2, ...
shared<key_index> index_of(std::int64_t keys) {
  auto made = shared<key_index>::make();
  for (std::int64_t key = 0; key < keys; ++key) REQUIRE(append(*made, key));
  return made;
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

TEST_CASE("an index finds a key from the place of any before it") {
  const auto index = index_of(20);
  for (std::int64_t key = -1; key <= 20; ++key)
    for (std::int64_t before = -1; before <= key; ++before)
      CHECK(index->find_after(index->find(key_of(before)), key_of(key)) == index->find(key_of(key)));
}

TEST_CASE("an index has what it was given: keys of all lengths, operations, and orderings that it owns") {
  const table_key by_text{{0}, 1, 1};
  key_index index;
  for (const std::string key : {"", "a", "ab", "b"}) {
    const std::string ordering = "ordering of " + key;
    const value_view values[] = {std::string_view(key), std::string_view(ordering)};
    REQUIRE(index.append(key, {key == "a", key_state::tombstone}, list_view(values, 2), by_text));
  }
  REQUIRE(index.size() == 4);
  CHECK(index.key(0).empty());
  CHECK(index.key(2) == "ab");
  CHECK(index[1].done == operation{true, key_state::tombstone});
  CHECK(index[2].done == operation{false, key_state::tombstone});
  CHECK(index[3].key == "b");
  CHECK(index[3].ordering[0].as_string() == "ordering of b");
  CHECK(index.find("aa").index == 2);
  CHECK_FALSE(index.find("aa").at);
}

TEST_CASE("an index refuses a key that does not come after the last one") {
  const auto index = index_of(3);
  for (const std::int64_t key : {2, 1}) CHECK_FALSE(append(*index, key));
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
