// Where reading begins: which checkpoints are passed over, and which errors are passed on.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/log/checkpoint.hpp>
#include <tarn/log/entry_writer.hpp>
#include <tarn/log/open.hpp>

#include "../support/scripted_store.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using tarn_test::scripted_store;

namespace {

// Entries 0 to 5, committed at 0, 1,000, ... ms, with a checkpoint of each; number 3 is the article's, which says no
// time.
struct setup {
  scripted_store store;
  log_extent extent;

  setup() {
    tarn_test::test_environment hands;
    snapshot state;
    for (std::int64_t number = 0; number < 6; ++number) {
      std::string bytes = concat({R"({"Id":)", number, R"(,"Actions":{}})"});
      if (number != 3) {
        entry next;
        next.at = {number};
        next.previous_checksum = state.entry_checksum;
        next.time = {1'000 * number};
        bytes = write_entry(next);
      }
      REQUIRE(store.inner().put_if_absent(entry_name({number}), bytes).outcome() == put_outcome::created);
      const entry read = read_entry(bytes, {number}, limits()).value();
      REQUIRE(read.of_article == (number == 3));
      REQUIRE(apply_entry(state, read, crc32c(bytes)).has_value());
      REQUIRE(write_checkpoint(store, state, limits(), backoff_options{}, hands.get()).has_value());
    }
  }

  void truncate_to(std::int64_t last) { extent = {{}, 1, {last}, {{last}, {5}}}; }
  void damage(std::int64_t number) {
    REQUIRE(store.inner().remove(checkpoint_name({number})).has_value());
    REQUIRE(store.inner().put_if_absent(checkpoint_name({number}), "damaged").outcome() == put_outcome::created);
  }
  // Names of the store that begin so cannot be got from now on.
  void fail(std::string prefix) {
    store.plan().before_get = [=](std::string_view name) {
      return name.starts_with(prefix) ? status(error(errc::io, "down")) : status();
    };
  }
};

// The version that was found, or the error's name.
std::string told(const result<shared_snapshot>& found) {
  return found ? concat({(*found)->at.number}) : std::string(name_of(found.error().code()));
}

struct flat_store : scripted_store {
  using scripted_store::scripted_store;
  static constexpr store_strengths strengths{.flat_list = true};
};

struct removing_flat_store : tarn_test::removing_scripted_store {
  using removing_scripted_store::removing_scripted_store;
  static constexpr store_strengths strengths{.flat_list = true};
};

std::string start_before(setup& made, std::int64_t ms) {
  return told(find_start_before(made.store, made.extent, {ms}, limits()));
}

}  // namespace

TEST_CASE("reading begins at the newest checkpoint that is good, small enough, and not after what is wanted") {
  setup made;
  const auto start = [&](std::int64_t last, const limits& bounds = {}) {
    return told(find_start(made.store, made.extent, {last}, bounds));
  };
  CHECK(start(9) == "5");
  CHECK(start(4) == "4");
  made.damage(4);
  CHECK(start(4) == "3");
  limits tight;
  tight.checkpoint_bytes_max = 10;
  CHECK(start(5, tight) == "-1");  // all are passed over, and the log is there from its beginning
  made.fail(checkpoint_name({3}));
  CHECK(start(4) == "io");
}

TEST_CASE("where a list goes through all names anyway, the one that finds a checkpoint tells how far the log reaches") {
  const setup made;
  const auto open = [&](auto store) {
    client lake(store);
    store.plan().lists = 0;
    const auto begun = lake.begin();
    const std::uint64_t lists = store.plan().lists;
    const std::string found = begun ? concat({begun->read_version().number}) : begun.error().message();
    return concat({found, " after ", lists});
  };
  memory_store content = scripted_store(made.store).inner();
  CHECK(open(flat_store(content)) == "5 after 1");
  CHECK(open(scripted_store(content)) == "5 after 2");
  // What is missing after the checkpoint is missed both ways.
  for (const std::int64_t number : {4, 5}) REQUIRE(content.remove(checkpoint_name({number})).has_value());
  REQUIRE(content.remove(entry_name({4})).has_value());
  CHECK(open(flat_store(content)).starts_with("version 4 (_log_00000000000000000004) is missing"));
  CHECK(open(scripted_store(content)).starts_with("version 4 (_log_00000000000000000004) is missing"));
  // And a time is found, in one list as well.
  flat_store flat(content);
  client lake(flat);
  flat.plan().lists = 0;
  CHECK(lake.begin_at(timestamp{1'500})->read_version() == version{1});
}

TEST_CASE("who reads the log is told of a hole in it, also what came since, and where one list tells all") {
  const auto read = [](auto store, bool is_warm) {
    const setup made;
    memory_store all = scripted_store(made.store).inner();
    memory_store content = store.inner();
    const auto copy = [&](std::int64_t number) {
      const std::string name = entry_name({number});
      REQUIRE(content.put_if_absent(name, *all.get(name)).outcome() == put_outcome::created);
    };
    for (const std::int64_t number : {0, 1}) copy(number);
    client lake(store);
    if (is_warm) REQUIRE(lake.begin()->read_version() == version{1});
    for (const std::int64_t number : {2, 4, 5}) copy(number);
    auto log = lake.log().value();
    std::size_t versions = 0;
    while (log.next()) ++versions;
    return concat({versions, ": ", log.status() ? std::string() : log.status().error().message()});
  };
  for (const bool is_warm : {false, true}) {
    CHECK(read(scripted_store(), is_warm).starts_with("3: version 3 (_log_00000000000000000003) is missing"));
    CHECK(read(flat_store(), is_warm).starts_with("3: version 3 (_log_00000000000000000003) is missing"));
  }
}

TEST_CASE("a marker that is lost does not hide those after it") {
  const auto open = [](auto store) {
    const setup made;
    memory_store all = scripted_store(made.store).inner();
    memory_store content = store.inner();
    for (const std::string& name : {checkpoint_name({4}), checkpoint_name({5}), entry_name({5})})
      REQUIRE(content.put_if_absent(name, *all.get(name)).outcome() == put_outcome::created);
    const truncation_marker second{{1}, {4}, {{4}, {5}}, sequence<uuid>{uuid(), uuid(), uuid(), uuid()}};
    REQUIRE(content.put_if_absent(marker_name(1), write_marker(second)).outcome() == put_outcome::created);
    client begun(store), told(store);
    const auto tx = begun.begin();
    auto log = told.log().value();
    std::size_t versions = 0;
    while (log.next()) ++versions;
    return concat({tx ? concat({tx->read_version().number}) : tx.error().message(), ", ", begun.core()->extent.markers,
                   "; ", versions, ", ", told.core()->extent.markers});
  };
  CHECK(open(tarn_test::removing_scripted_store()) == "5, 2; 1, 2");
  CHECK(open(removing_flat_store()) == "5, 2; 1, 2");
}

TEST_CASE("a time is looked for in entries, and in checkpoints of those that state none") {
  setup made;
  CHECK(start_before(made, -1) == "-1");
  CHECK(start_before(made, 1'999) == "1");
  CHECK(start_before(made, 2'000) == "3");  // the article's counts as committed with the one before
  CHECK(start_before(made, 4'500) == "4");
  made.damage(3);
  CHECK(start_before(made, 2'000) == "2");
  made.fail(checkpoint_name({3}));
  CHECK(start_before(made, 3'500) == "io");
  made.fail(entry_name({3}));
  CHECK(start_before(made, 3'500) == "io");
}

TEST_CASE("a time of an entry that is gone or damaged is that of its checkpoint") {
  for (const bool damaged : {false, true}) {
    setup made;
    REQUIRE(made.store.inner().remove(entry_name({2})).has_value());
    if (damaged) REQUIRE(made.store.inner().put_if_absent(entry_name({2}), "?").outcome() == put_outcome::created);
    CHECK(start_before(made, 2'000) == "3");
    CHECK(start_before(made, 1'999) == "1");
  }
}

TEST_CASE("if no checkpoint after a truncation is good, what is wrong with the newest is told") {
  setup made;
  made.truncate_to(2);
  CHECK(told(find_start(made.store, made.extent, {9}, limits())) == "5");
  for (const std::int64_t number : {5, 4, 3, 2}) made.damage(number);
  const auto found = find_start(made.store, made.extent, {9}, limits());
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().code() == errc::corrupt);
  CHECK(found.error().message().find(checkpoint_name({5})) != std::string::npos);
}

TEST_CASE("the first state that the log goes on from is that of the first good checkpoint") {
  setup made;
  const auto first = [&] { return told(find_first(made.store, made.extent, limits())); };
  CHECK(first() == "-1");
  made.truncate_to(2);
  CHECK(first() == "2");
  made.damage(2);
  CHECK(first() == "3");
  made.fail(checkpoint_name({3}));
  CHECK(first() == "io");
  made.store.plan().before_get = {};
  for (const std::int64_t number : {3, 4, 5}) made.damage(number);
  CHECK(first() == "corrupt");
}
