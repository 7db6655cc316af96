#include <doctest/doctest.h>

#include <string>
#include <tarn/log/log.hpp>
#include <vector>

#include "../support/scripted_store.hpp"

using namespace tarn;
using tarn_test::scripted_store;

namespace {

// A store with entries 0 to count - 1, each adding nothing.
scripted_store store_with(std::int64_t count) {
  scripted_store store;
  snapshot state;
  for (std::int64_t number = 0; number < count; ++number) {
    entry next;
    next.at = {number};
    next.previous_checksum = state.entry_checksum;
    const std::string bytes = write_entry(next);
    REQUIRE(store.inner().put_if_absent(entry_name(next.at), bytes).outcome() == put_outcome::created);
    REQUIRE(apply_entry(state, next, crc32c(bytes)).has_value());
  }
  return store;
}

// Lists some of what it holds.
class forgetful_store : public scripted_store {
 public:
  explicit forgetful_store(const scripted_store& all) : scripted_store(all) {}
  template <class Visit>
  status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return scripted_store::list(prefix, start_after, [&](std::string_view name) {
      if (name.ends_with('4')) visit(name);
    });
  }
};

// Lists two entries more than it holds.
class haunted_store : public scripted_store {
 public:
  explicit haunted_store(const scripted_store& all) : scripted_store(all) {}
  template <class Visit>
  status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    visit(entry_name({8}));
    visit(entry_name({9}));
    return scripted_store::list(prefix, start_after, visit);
  }
};

// As a client does it.
template <class Store>
result<shared_snapshot> open(Store& store, version last = {INT64_MAX}) {
  const result<version> listed = list_head(store, version());
  if (!listed) return listed.error();
  shared_snapshot state;
  const status read = read_forward(store, state, {last, *listed}, limits{}, accept_all);
  if (!read) return read.error();
  return state;
}

}  // namespace

TEST_CASE("an empty store is an empty lake at version -1, and opening it writes nothing") {
  scripted_store store;
  const auto state = open(store);
  REQUIRE(state.has_value());
  CHECK((*state)->at == version{-1});
  CHECK(store.plan().puts == 0);
}

TEST_CASE("opening costs one list, a get for each entry and one that finds nothing") {
  scripted_store store = store_with(20);
  const auto state = open(store);
  REQUIRE(state.has_value());
  CHECK((*state)->at == version{19});
  CHECK(store.plan().lists == 1);
  CHECK(store.plan().gets == 21);
}

TEST_CASE("reading forward from the head costs one get") {
  scripted_store store = store_with(20);
  shared_snapshot state = *open(store);
  store.plan().gets = 0;
  REQUIRE(read_forward(store, state, {}, limits{}, accept_all).has_value());
  CHECK(store.plan().gets == 1);
}

TEST_CASE("an entry that a listing misses is found all the same") {
  // A21: listings are stale or have holes while others commit.
  forgetful_store store(store_with(8));
  const auto state = open(store);
  REQUIRE(state.has_value());
  CHECK((*state)->at == version{7});
}

TEST_CASE("A11: a missing entry is an error that names its version, and the versions before it can be read") {
  scripted_store store = store_with(3);
  REQUIRE(store.inner().remove(entry_name({1})).has_value());
  const auto state = open(store);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error().code() == errc::corrupt);
  CHECK(state.error().message().find("version 1 ") != std::string::npos);
  const auto older = open(store, {0});
  REQUIRE(older.has_value());
  CHECK((*older)->at == version{0});
}

TEST_CASE("a missing first entry is an error as well") {
  scripted_store store = store_with(3);
  REQUIRE(store.inner().remove(entry_name({0})).has_value());
  const auto state = open(store);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error().message().find("version 0 ") != std::string::npos);
}

TEST_CASE("names that the store lists but does not have are not entries, and hide no hole") {
  haunted_store ghosts(store_with(3));
  const auto state = open(ghosts);
  REQUIRE(state.has_value());
  CHECK((*state)->at == version{2});
  REQUIRE(ghosts.inner().remove(entry_name({1})).has_value());
  const auto hole = open(ghosts);
  REQUIRE_FALSE(hole.has_value());
  CHECK(hole.error().message().find("version 1 ") != std::string::npos);
  CHECK(hole.error().message().find("version 2 exists") != std::string::npos);
}

TEST_CASE("A12: strangers in the store do not matter") {
  scripted_store store = store_with(2);
  for (const char* name : {"_log_backup", "_log_5", "_log_", "readme.txt", "_log_99999999999999999999"})
    REQUIRE(store.inner().put_if_absent(name, "?").outcome() == put_outcome::created);
  const auto state = open(store);
  REQUIRE(state.has_value());
  CHECK((*state)->at == version{1});
}

TEST_CASE("an entry of another history is off the chain") {
  scripted_store store = store_with(1);
  entry stranger;
  stranger.at = {1};
  stranger.previous_checksum = 12345;
  REQUIRE(store.inner().put_if_absent(entry_name({1}), write_entry(stranger)).outcome() == put_outcome::created);
  const auto state = open(store);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error().code() == errc::corrupt);
  CHECK(state.error().message().find("off the chain") != std::string::npos);
}

TEST_CASE("an error of the store while it is asked whether the log goes on is passed on") {
  const auto open_hole = [](auto fail) {
    scripted_store store = store_with(4);
    REQUIRE(store.inner().remove(entry_name({1})).has_value());
    REQUIRE(store.inner().put_if_absent("_log_00000000000000000002x", "?").outcome() == put_outcome::created);
    fail(store.plan());
    return open(store).error();
  };
  CHECK(open_hole([](auto&) {}).code() == errc::corrupt);
  const error down(errc::io, "down");
  CHECK(open_hole([&](auto& plan) {
          plan.before_list = [&plan, down] { return plan.lists > 1 ? status(down) : status(); };
        }).code() == errc::io);
  CHECK(open_hole([&](auto& plan) {
          plan.before_get = [down](std::string_view name) { return name == entry_name({2}) ? status(down) : status(); };
        }).code() == errc::io);
}

TEST_CASE("an error of the store is passed on, not taken for the end of the log") {
  scripted_store store = store_with(3);
  store.plan().before_get = [](std::string_view name) {
    return name == entry_name({2}) ? status(error(errc::io, "the disk is on fire")) : status();
  };
  const auto state = open(store);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error().code() == errc::io);
}
