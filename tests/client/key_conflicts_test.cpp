// Which keys two transactions have in common: found by what costs least, and the same as if all keys were compared.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;

namespace {

// A table with a key of this kind in so many buckets, and two clients.
struct setup {
  tarn_test::test_environment hands;
  client_options options = tarn_test::with_stored_objects();
  memory_store store;

  explicit setup(column_type key = column_type::integer, std::uint32_t buckets = 1) {
    options.surroundings = hands.get();
    auto lake = open();
    auto tx = lake.begin().value();
    tx.create_table("x", {{"k", key}, "v"}, keyed{{"k"}, buckets}).value();
    tx.commit().value();
  }
  [[nodiscard]] client<memory_store> open() const { return client<memory_store>(store, options); }

  // Whether what `mine` does conflicts with keys that another writes meanwhile.
  template <class Key, class Mine>
  bool conflicts(const std::vector<Key>& theirs, Mine mine) {
    auto lake = open();
    auto tx = lake.begin().value();
    mine(tx);
    auto others = open();
    auto winner = others.begin().value();
    for (const Key& key : theirs) winner.upsert("x", {key, "theirs"}).value();
    winner.commit().value();
    const auto done = tx.commit();
    if (done) return false;
    CHECK(done.error().code() == errc::conflict);
    return true;
  }
};

using numbers = std::vector<std::int64_t>;

// Looks the key up and writes another, far away.
auto reading(std::int64_t key) {
  return [=](auto& tx) {
    (void)tx.get("x", {key});
    tx.upsert("x", {std::int64_t{1'000'000}, "mine"}).value();
  };
}
auto writing(const numbers& keys) {
  return [=](auto& tx) {
    for (const std::int64_t key : keys) tx.upsert("x", {key, "mine"}).value();
  };
}
// Scans the keys from `first` up to `last`, and writes one far away.
auto scanning(std::int64_t first, std::int64_t last) {
  return [=](auto& tx) {
    auto scan = tx.scan("x", {first}, {last}).value();
    while (scan.next()) {
    }
    tx.upsert("x", {std::int64_t{-1'000'000}, "mine"}).value();
  };
}

}  // namespace

TEST_CASE("a key that was looked up is in common only with a write of that key, in whatever bucket") {
  for (const std::uint32_t buckets : {1U, 4U})
    for (std::int64_t key = 0; key < 8; ++key) {
      CAPTURE(buckets);
      CAPTURE(key);
      CHECK(setup(column_type::integer, buckets).conflicts(numbers{0, 3, 6}, reading(key)) == (key % 3 == 0));
    }
}

TEST_CASE("keys that were looked up between those that another writes, in its bucket or others, are not in common") {
  const auto reading_each = [](std::int64_t first) {
    return [=](auto& tx) {
      for (std::int64_t key = first; key < 60; key += 2) (void)tx.get("x", {key});
      tx.upsert("x", {std::int64_t{1'000'000}, "mine"}).value();
    };
  };
  numbers even;
  for (std::int64_t key = 0; key < 60; key += 2) even.push_back(key);
  for (const std::uint32_t buckets : {1U, 4U}) {
    CHECK_FALSE(setup(column_type::integer, buckets).conflicts(even, reading_each(1)));
    CHECK(setup(column_type::integer, buckets).conflicts(even, reading_each(0)));
  }
}

TEST_CASE("keys that both write are in common, whichever object ends first") {
  setup made;
  CHECK_FALSE(made.conflicts(numbers{1, 3, 5}, writing({2, 4, 6})));
  CHECK_FALSE(made.conflicts(numbers{2, 4, 6}, writing({1, 3, 5})));
  CHECK_FALSE(made.conflicts(numbers{1, 9}, writing({2, 3})));
  CHECK_FALSE(made.conflicts(numbers{2, 3}, writing({1, 9})));
  CHECK(made.conflicts(numbers{1, 3, 5}, writing({2, 5})));
  CHECK(made.conflicts(numbers{1, 3}, writing({1, 7})));
  setup many(column_type::integer, 8);
  CHECK_FALSE(many.conflicts(numbers{1}, writing({2})));
  CHECK(many.conflicts(numbers{1, 2, 3, 4}, writing({4})));
}

TEST_CASE("a range that was read is in common with writes from its first key on, up to its last") {
  setup made;
  for (std::int64_t key = 1; key < 10; ++key) {
    CAPTURE(key);
    CHECK(made.conflicts(numbers{key}, scanning(3, 7)) == (key >= 3 && key < 7));
    CHECK(made.conflicts(numbers{-1, key, 20}, scanning(3, 7)) == (key >= 3 && key < 7));
  }
  CHECK_FALSE(made.conflicts(numbers{1, 2}, scanning(3, 7)));
  CHECK_FALSE(made.conflicts(numbers{7, 8}, scanning(3, 7)));
}

TEST_CASE("keys too long for bounds are compared all the same") {
  const std::string long_one(100, 'x'), other_long_one(100, 'y');
  const auto reading_text = [](const std::string& key) {
    return [=](auto& tx) {
      (void)tx.get("x", {std::string_view(key)});
      tx.upsert("x", {"mine", 1}).value();
    };
  };
  for (const std::uint32_t buckets : {1U, 4U}) {
    setup made(column_type::string, buckets);
    using texts = std::vector<std::string_view>;
    CHECK(made.conflicts(texts{long_one}, reading_text(long_one)));
    CHECK_FALSE(made.conflicts(texts{long_one}, reading_text(other_long_one)));
    CHECK_FALSE(made.conflicts(texts{long_one}, reading_text("a")));
    CHECK_FALSE(made.conflicts(texts{long_one}, reading_text("z")));
  }
}

TEST_CASE("a range of keys too long for bounds is compared with the keys themselves") {
  const std::string x(100, 'x'), y(100, 'y'), z(100, 'z');
  const auto scanning_text = [](const std::string& first, const std::string& last) {
    return [=](auto& tx) {
      auto scan = tx.scan("x", {std::string_view(first)}, {std::string_view(last)}).value();
      while (scan.next()) {
      }
      tx.upsert("x", {"a", 1}).value();
    };
  };
  setup made(column_type::string);
  using texts = std::vector<std::string_view>;
  CHECK(made.conflicts(texts{y}, scanning_text(x, z)));
  CHECK_FALSE(made.conflicts(texts{x}, scanning_text(y, z)));  // all of theirs come before
  CHECK_FALSE(made.conflicts(texts{z}, scanning_text(x, y)));  // after
  CHECK_FALSE(made.conflicts(texts{x, z}, scanning_text("xy", y)));
}

TEST_CASE("an entry that writes to a bucket that is not there is corrupt, whatever keys are compared with its") {
  setup made;
  auto lake = made.open();
  auto tx = lake.begin().value();
  tx.upsert("x", {1, "mine"}).value();
  entry forged;
  forged.at = {1};
  forged.transaction = {1, 2};
  forged.read_version = {0};
  forged.previous_checksum = crc32c(made.store.get(entry_name({0})).value());
  action added{action_kind::add_block, {}, {}, {uuid{1, 3}, true, "json", 1, 1, 1}};
  added.block.bucket = 1;
  forged.actions.find_or_insert("x").push_back(added);
  REQUIRE(made.store.put_if_absent(entry_name({1}), write_entry(forged)).outcome() == put_outcome::created);
  const auto done = tx.commit();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::corrupt);
  CHECK(done.error().message().find("names a missing bucket") != std::string::npos);
}

TEST_CASE("keys of an object that a vacuum has taken cannot be compared: the transaction has expired") {
  setup made;
  made.options.bounds.key_index_bytes_max = 0;
  auto lake = made.open();
  auto tx = lake.begin().value();
  (void)tx.get("x", {3});
  tx.upsert("x", {9, "mine"}).value();
  auto others = made.open();
  for (const std::int64_t key : {1, 5}) {
    auto winner = others.begin().value();
    for (const std::int64_t each : {key, key + 4}) winner.upsert("x", {each, "theirs"}).value();
    winner.commit().value();
  }
  others.compact("x").value();
  made.hands.clock.ms += 1'000;
  vacuum_options wanted;
  wanted.keep_ms = wanted.grace_ms = 0;
  vacuum(others, wanted).value();
  const auto done = tx.commit();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::expired);
}
