// What a client says when its store fails or lists nonsense is true: a failure is a failure, and not damage, absence or
// a version that is gone. (Each of these was found by clients at random, tests/campaigns/random_faults.cpp.)
#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <tarn/client.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

#include "../support/interrupted_faults.hpp"
#include "../support/reading.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn::testing;
using tarn::errc;
using tarn::version;

using plan = tarn_test::interrupted_faults<planned_faults>;
using store = fault_store<tarn::memory_store, plan>;
using client = tarn::client<store>;

constexpr tarn::vacuum_options keep_nothing{.keep_ms = 0, .keep_versions = 1, .grace_ms = 0};

// A lake of one bag, "t", with checkpoints of versions 2 and 4 and a row for each version; and clients with faults.
class lake_with_faults {
 public:
  lake_with_faults() {
    client writer = open();
    auto first = writer.begin().value();
    first.create_table("t", {"n"}).value();
    (void)first.commit().value();
    while (commit(writer) < version{5}) {
    }
  }

  [[nodiscard]] client open() {
    tarn::client_options options = tarn_test::with_stored_objects();
    options.checkpoint_interval = 2;
    options.commit.backoff.attempts_max = 1;
    options.surroundings = environment.get();
    return client(store(content, faults, clients++), options);
  }
  // The next call of the client that is opened last, or the one after so many others, meets the fault.
  void plan_fault(std::size_t after, fault_kind kind, std::uint64_t argument = 0, bool for_good = false) {
    const std::size_t last = clients - 1;
    faults->chooser() = plan(planned_faults({{last, faults->calls_of(last) + after, {kind, argument, for_good}}}));
  }
  [[nodiscard]] bool has_fired() const { return faults->never_fired(faults->chooser().plan().planned()).empty(); }

  version commit(client& lake) {
    environment.clock.ms += 1'000;
    auto tx = lake.begin().value();
    tx.insert("t", {1}).value();
    return tx.commit().value();
  }
  static void drop_table(client& lake) {
    auto tx = lake.begin().value();
    tx.drop_table("t").value();
    (void)tx.commit().value();
  }
  // Drops the table, gives up all versions but the newest, and the log before it.
  void give_up_everything() {
    client other = open();
    drop_table(other);
    environment.clock.ms += 1'000;
    (void)tarn::vacuum(other, keep_nothing).value();
    (void)tarn::truncate(other).value();
  }

  tarn_test::test_environment environment;
  tarn::memory_store content;
  store::state faults = store::state_of();
  std::size_t clients = 0;
};

// Does `what(client)`, a result, with a client that has just been made, once for each of its calls, which fails: it
// says so, or what it says without. Returns how many there were.
template <class Prepare, class What>
std::size_t fail_each_call(const Prepare& prepare, const What& what) {
  const auto code_of = [](const auto& done) {
    return done ? std::string("success") : std::string(name_of(done.error().code()));
  };
  for (std::size_t call = 0;; ++call) {
    lake_with_faults made;
    auto lake = prepare(made);
    const std::string expected = code_of(what(lake));
    lake_with_faults again;
    auto failing = prepare(again);
    again.plan_fault(call, fault_kind::error_before);
    const std::string said = code_of(what(failing));
    if (!again.has_fired()) return call;
    CHECK_MESSAGE((said == expected || said == "io"), "call ", call, ": ", said, " instead of ", expected);
  }
}

}  // namespace

TEST_CASE("a store that fails at any call is said to fail, by whoever opens, looks back or reads the log") {
  const auto cold = [](lake_with_faults& made) { return made.open(); };
  const auto after_truncation = [](lake_with_faults& made) {
    made.give_up_everything();
    return made.open();
  };
  const auto then = [](client& lake) { return lake.begin_at(tarn::timestamp{1'700'000'004'500}); };
  CHECK(fail_each_call(cold, [](client& lake) { return lake.begin(); }) > 3);
  CHECK(fail_each_call(cold, [](client& lake) { return lake.begin_at(version{3}); }) > 3);
  CHECK(fail_each_call(cold, then) > 5);
  CHECK(fail_each_call(cold, [](client& lake) { return lake.log(); }) > 1);
  CHECK(fail_each_call(after_truncation, [](client& lake) { return lake.begin(); }) > 3);
  CHECK(fail_each_call(after_truncation, [](client& lake) { return lake.begin_at(version{3}); }) > 3);
  // Between the two versions that are left.
  const auto between = [](client& lake) { return lake.begin_at(tarn::timestamp{1'700'000'005'500}); };
  CHECK(fail_each_call(after_truncation, between) > 5);
}

TEST_CASE("an object that a vacuum has removed is not called damaged when the store fails meanwhile") {
  const auto reader_of_the_past = [](lake_with_faults& made) {
    client reader = made.open();
    auto tx = reader.begin().value();
    const std::size_t own = made.clients;
    made.give_up_everything();
    made.clients = own;  // so that faults are planned for the reader
    return tx;
  };
  const auto read = [](auto& tx) {
    auto scan = tx.scan("t").value();
    while (scan.next()) {
    }
    return scan.status();
  };
  CHECK(fail_each_call(reader_of_the_past, read) > 3);
  lake_with_faults made;
  auto tx = reader_of_the_past(made);
  made.plan_fault(2, fault_kind::error_before);  // after the object and the next entry: the next marker
  const tarn::status said = read(tx);
  REQUIRE_FALSE(said.has_value());
  CHECK(said.error().code() == errc::io);
  CHECK(said.error().message().find("is missing, and the log cannot tell why") != std::string::npos);
}

TEST_CASE("a checkpoint that a truncation removes at once is made of the version that is the newest then") {
  lake_with_faults made;
  client lake = made.open();
  const tarn::shared_snapshot old = lake.newest_snapshot().value();
  const auto truncate_meanwhile = [&](std::size_t calls) {
    made.faults->chooser().interrupt(calls, [&] { made.give_up_everything(); });
  };
  truncate_meanwhile(3);  // the next slot, the next marker, the put: then the checkpoint is read back
  const auto at = lake.checkpoint();
  CHECK(made.faults->chooser().take_interruption());
  REQUIRE(at.has_value());
  CHECK(*at > old->at);
  CHECK(made.content.get(tarn::checkpoint_name(*at)).has_value());

  lake_with_faults again;
  client other = again.open();
  const tarn::shared_snapshot state = other.newest_snapshot().value();
  again.faults->chooser().interrupt(1, [&] { again.give_up_everything(); });
  const tarn::status said = other.checkpoint_of(*state);
  REQUIRE_FALSE(said.has_value());
  CHECK(said.error().code() == errc::snapshot_expired);
}

TEST_CASE("a marker that is listed and not there costs one get, however far away it says the log begins") {
  lake_with_faults made;
  made.give_up_everything();
  client lake = made.open();
  for (std::uint64_t which = 0; which < 4; ++which) {
    client cold = made.open();
    made.plan_fault(1, fault_kind::ghost_name, which);  // after the first marker
    const std::uint64_t before = made.faults->calls();
    REQUIRE(cold.begin().has_value());
    CHECK(made.has_fired());
    CHECK(made.faults->calls() - before < 15);
  }
}

TEST_CASE("a vacuum leaves names of others alone, also those that begin and end like its own") {
  lake_with_faults made;
  client lake = made.open();
  lake_with_faults::drop_table(lake);
  made.environment.clock.ms += 1'000;
  const std::size_t before = tarn_test::names_in(made.content, "_table_").size();
  made.plan_fault(0, fault_kind::foreign_names, 0, true);
  const auto done = tarn::vacuum(lake, keep_nothing);
  REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message()));
  CHECK(made.has_fired());
  CHECK(done->objects.size() == before);
  CHECK(tarn_test::names_in(made.content, "_table_").empty());
}
