#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/log/checkpoint.hpp>
#include <tarn/log/open.hpp>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/scripted_store.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr std::string_view writer = "writer \"of\" all";

// A lake whose state has something of everything that a checkpoint holds.
template <class Store>
class varied_lake {
 public:
  explicit varied_lake(Store store, client_options options = {}) : lake_(std::move(store), options) {
    commit([](auto& tx) {
      tx.create_table("bag", {"a", {"b", column_type::real}}).value();
      tx.create_table("users",
                      {{"id", column_type::integer}, {"part", column_type::bytes}, {"n", column_type::integer}},
                      keyed{{"id", "part"}, 3, by_ordering("n")})
          .value();
    });
    write(0);
  }

  [[nodiscard]] client<Store>& get() noexcept { return lake_; }

  // Up to version `last`.
  void grow_to(std::int64_t last) {
    while (lake_.newest_snapshot().value()->at.number < last) write(lake_.newest_snapshot().value()->at.number);
  }

  // What entries can say beside changes of tables, in one.
  void vacuum_and_tag(version oldest, std::string name) {
    entry mine;
    mine.operation = "vacuum, tag";
    mine.vacuums = true;
    mine.kept = {{1}, oldest};
    mine.tags.push_back({std::move(name), oldest});
    commit_entry(*lake_.core(), lake_.newest_snapshot().value(), std::move(mine), accept_all).value();
  }

  [[nodiscard]] snapshot newest() { return *lake_.newest_snapshot().value(); }

 private:
  template <class Work>
  void commit(Work work) {
    auto tx = lake_.begin().value();
    work(tx);
    tx.commit({std::string(writer), static_cast<std::int64_t>(++sequence_)}).value();
  }
  void write(std::int64_t number) {
    commit([&](auto& tx) {
      tx.insert("bag", {"\x01 text", 0.5}).value();
      tx.upsert("users", {number % 7, bytes{"\xff\x00"}, number}).value();
      if (number % 5 == 0) tx.erase("users", {number % 7, bytes{"\xff\x00"}}).value();
    });
  }

  client<Store> lake_;
  std::uint64_t sequence_ = 0;
};

// All of a state, as text.
std::string describe(const snapshot& state) {
  return checkpoint_json::write_head(state) + checkpoint_json::write_tables(state);
}

limits small_parts() {
  limits bounds;
  bounds.checkpoint_part_bytes = 100;
  return bounds;
}

client_options without_checkpoints() {
  client_options options;
  options.checkpoint_interval = 0;
  return options;
}

}  // namespace

TEST_CASE_TEMPLATE("a checkpoint is the state that the log leads to, in one object or in parts", Place,
                   TARN_EACH_STORE) {
  for (const limits& bounds : {limits(), small_parts()}) {
    Place place;
    client_options options = without_checkpoints();
    options.bounds = bounds;
    varied_lake lake(place.open(), options);
    lake.grow_to(11);
    lake.vacuum_and_tag(version{5}, "monday");
    const snapshot state = lake.newest();
    CHECK(lake.get().checkpoint().value() == version{12});
    const std::size_t parts = names_in(place.open(), checkpoint_prefix).size() - 1;
    CHECK((bounds.checkpoint_part_bytes == 100 ? parts > 10 : parts == 0));
    auto store = place.open();
    const shared_snapshot read = read_checkpoint(store, {12}, bounds).value();
    CHECK(describe(*read) == describe(state));
    CHECK(read->entry_checksum == state.entry_checksum);
    // What is left out of the text above is left out of both sides.
    CHECK(read->kept.horizon.ms == 1);
    CHECK(read->kept.oldest == version{5});
    REQUIRE(read->find_tag("monday") != nullptr);
    CHECK(read->find_tag("monday")->at == version{5});
    REQUIRE(read->applications->find(writer) != nullptr);
    CHECK(read->applications->find(writer)->at == version{11});
    // The log goes on from it.
    lake.grow_to(15);
    client cold(place.open(), options);
    CHECK(describe(*cold.newest_snapshot().value()) == describe(lake.newest()));
  }
}

TEST_CASE("a checkpoint's bytes are the same, whoever writes it and however the state was come by") {
  in_memory one;
  varied_lake lake(one.open(), without_checkpoints());
  lake.grow_to(9);
  memory_store other;
  for (const std::string& name : names_in(one.open()))
    REQUIRE(other.put_if_absent(name, *one.open().get(name)).outcome() == put_outcome::created);
  (void)lake.get().checkpoint().value();
  (void)client(other).checkpoint().value();
  client later(other, without_checkpoints());  // opens by the checkpoint
  (void)later.checkpoint().value();
  const std::string mine(std::string_view(*one.open().get(checkpoint_name({9}))));
  CHECK(std::string(std::string_view(*other.get(checkpoint_name({9})))) == mine);
}

TEST_CASE(
    "C12: cold, opening reads one checkpoint and at most one interval of entries; warm, one get that finds nothing") {
  scripted_store store;
  varied_lake lake(store);
  for (const std::int64_t last : {99, 100, 150, 199, 200, 1000}) {
    lake.grow_to(last);
    client cold(store);
    store.plan().gets = store.plan().lists = 0;
    CHECK(cold.begin()->read_version() == version{last});
    const std::uint64_t of_checkpoint = last < 100 ? 0 : 1;
    const std::uint64_t entries = static_cast<std::uint64_t>(last < 100 ? last + 1 : last % 100);
    CHECK(store.plan().gets == of_checkpoint + entries + 1);
    CHECK(store.plan().lists == 2);
    store.plan().gets = store.plan().lists = 0;
    CHECK(cold.begin()->read_version() == version{last});
    CHECK(store.plan().gets == 1);
    CHECK(store.plan().lists == 0);
  }
}

TEST_CASE(
    "as a state grows there are fewer checkpoints of it, and a cold open reads no more than a 16th of its objects") {
  scripted_store store;
  client_options options;
  options.checkpoint_interval = 1;
  varied_lake lake(store, options);
  for (const std::int64_t last : {30, 100, 500, 1500}) {
    lake.grow_to(last);
    const std::uint64_t objects = count_objects(lake.newest());
    client cold(store, options);
    store.plan().gets = 0;
    CHECK(cold.begin()->read_version() == version{last});
    CHECK(store.plan().gets <= 2 + objects / 16);
  }
  // In all of them together, what one state has some 64 times at most, not 1500 times.
  std::uint64_t bytes = 0;
  for (const std::string& name : names_in(store.inner(), checkpoint_prefix))
    bytes += std::string_view(*store.inner().get(name)).size();
  CHECK(bytes < 64 * checkpoint_json::write_tables(lake.newest()).size());
}

TEST_CASE("every damage to a checkpoint is noticed, and passed over") {
  in_memory place;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  options.bounds.checkpoint_part_bytes = 500;
  varied_lake lake(place.open(), options);
  lake.grow_to(4);
  (void)lake.get().checkpoint().value();
  lake.grow_to(6);
  const std::string expected = describe(lake.newest());
  const std::vector<std::string> names = names_in(place.open(), checkpoint_prefix);
  REQUIRE(names.size() > 2);
  std::size_t noticed = 0;
  for (const std::string& name : names) {
    const std::string whole(std::string_view(*place.open().get(name)));
    for (std::size_t at = 0; at < 8 * whole.size(); at += 3) {
      std::string damaged = whole;
      damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ 1 << at % 8);
      memory_store copy;
      for (const std::string& each : names_in(place.open())) {
        const bool here = each == name;
        const auto bytes = place.open().get(each);
        (void)copy.put_if_absent(each, here ? std::string_view(damaged) : std::string_view(*bytes));
      }
      const auto read = read_checkpoint(copy, {4}, options.bounds);
      REQUIRE_FALSE(read.has_value());
      REQUIRE(read.error().code() == errc::corrupt);
      ++noticed;
      if (at % 101 == 0) CHECK(describe(*client(copy, options).newest_snapshot().value()) == expected);
    }
  }
  CHECK(noticed > 1000);
}

TEST_CASE_TEMPLATE("C9: a damaged, torn or missing checkpoint is passed over for an older one, or for the log", Place,
                   TARN_EACH_STORE) {
  Place place;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  varied_lake lake(place.open(), options);
  for (const std::int64_t at : {3, 6}) {
    lake.grow_to(at);
    (void)lake.get().checkpoint().value();
  }
  lake.grow_to(8);
  const std::string expected = describe(lake.newest());
  auto store = place.open();
  const auto replace = [&](const std::string& name, std::string_view bytes) {
    REQUIRE(store.remove(name).has_value());
    REQUIRE(store.put_if_absent(name, bytes).outcome() == put_outcome::created);
  };
  const auto reopened = [&] { return describe(*client(place.open(), options).newest_snapshot().value()); };
  REQUIRE(store.remove(checkpoint_part_name({6}, 2)).has_value());  // half written
  CHECK(reopened() == expected);
  replace(checkpoint_name({3}), "");
  CHECK(reopened() == expected);
  replace(checkpoint_name({6}), R"({"Checkpoint":2,"Checksum":"00000000"})");
  CHECK(reopened() == expected);
  // On demand, a damaged one is made whole.
  CHECK(client(place.open(), options).checkpoint().value() == version{8});
  replace(checkpoint_name({8}), "torn");
  CHECK(client(place.open(), options).checkpoint().value() == version{8});
  CHECK(read_checkpoint(store, {8}, options.bounds).has_value());
}

TEST_CASE("C9: a damaged entry before a good checkpoint is in nobody's way but a reader's of its own version") {
  memory_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(5);
  (void)lake.get().checkpoint().value();
  lake.grow_to(7);
  REQUIRE(store.remove(entry_name({4})).has_value());
  REQUIRE(store.put_if_absent(entry_name({4}), "damaged").outcome() == put_outcome::created);
  client cold(store);
  CHECK(cold.begin()->read_version() == version{7});
  CHECK(cold.begin_at(version{5}).has_value());
  CHECK(cold.begin_at(version{3}).has_value());
  const auto there = cold.begin_at(version{4});
  REQUIRE_FALSE(there.has_value());
  CHECK(there.error().code() == errc::corrupt);
  CHECK(there.error().message().find("version 4 ") != std::string::npos);
}

TEST_CASE("a damaged entry after the newest checkpoint is an error that names it, never an older state") {
  memory_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(5);
  (void)lake.get().checkpoint().value();
  lake.grow_to(7);
  REQUIRE(store.remove(entry_name({6})).has_value());
  client cold(store);
  const auto begun = cold.begin();
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code() == errc::corrupt);
  CHECK(begun.error().message().find("version 6 ") != std::string::npos);
  CHECK(cold.begin_at(version{5}).has_value());
}

TEST_CASE("a commit is a commit, whatever becomes of its checkpoint") {
  scripted_store store;
  client_options options;
  options.checkpoint_interval = 5;
  test_environment hands;
  options.surroundings = hands.get();
  store.plan().put = [](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (name.starts_with(checkpoint_prefix)) return put_result::not_applied({errc::no_space, "the disk is full"});
    return inner.put_if_absent(name, bytes);
  };
  varied_lake lake(store, options);
  lake.grow_to(10);
  CHECK(names_in(store.inner(), checkpoint_prefix).empty());
  const auto asked = lake.get().checkpoint();
  REQUIRE_FALSE(asked.has_value());
  CHECK(asked.error().code() == errc::no_space);
  store.plan().put = {};
  lake.grow_to(15);
  CHECK(names_in(store.inner(), checkpoint_prefix) == std::vector<std::string>{checkpoint_name({15})});
}

TEST_CASE("a checkpoint of a newer tarn is passed over; a failing store is not") {
  scripted_store store;
  varied_lake lake(store, without_checkpoints());
  lake.grow_to(3);
  std::string newer = R"({"Checkpoint":2,"Version":3)";
  append_seal(newer);
  REQUIRE(store.inner().put_if_absent(checkpoint_name({3}), newer).outcome() == put_outcome::created);
  CHECK(read_checkpoint(store, {3}, limits()).error().code() == errc::unsupported);
  CHECK(client(store).begin()->read_version() == version{3});
  store.plan().before_get = [](std::string_view name) {
    return name.starts_with(checkpoint_prefix) ? status(error(errc::io, "down")) : status();
  };
  const auto begun = client(store).begin();
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().code() == errc::io);
}

TEST_CASE("limits bound how large a checkpoint may be that is read") {
  memory_store store;
  client_options options = without_checkpoints();
  options.bounds = small_parts();
  varied_lake lake(store, options);
  (void)lake.get().checkpoint().value();
  for (const std::size_t bytes_max : {std::size_t{10}, std::size_t{700}}) {
    limits tight;
    tight.checkpoint_bytes_max = bytes_max;
    const auto read = read_checkpoint(store, {1}, tight);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code() == errc::limit_exceeded);
    CHECK(read.error().message().find("checkpoint_bytes_max") != std::string::npos);
  }
}
