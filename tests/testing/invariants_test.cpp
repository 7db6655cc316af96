// The invariants of stores must be able to fail: each kind of damage is found, and named; a lake that nobody has
// damaged keeps them all.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/invariants.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

#include "../support/event_store.hpp"
#include "../support/stored_objects.hpp"

namespace {

using namespace tarn_test;
using tarn::column_type;
using tarn::testing::invariant;
using tarn::testing::store_event;

// A lake with a keyed table, whose base has been compacted and has deltas by position, a bag with deleted rows, a
// checkpoint and an object that no entry names.
class small_lake {
 public:
  small_lake() {
    tarn::client_options options = with_stored_objects();
    options.surroundings = environment_.get();
    options.checkpoint_interval = 0;
    tarn::client lake(store_, options);
    const auto run = [&](auto work) { lake.run(work).value(); };
    run([](auto& tx) { return tx.create_table("t", {{"k", column_type::integer}, "v"}, tarn::keyed{{"k"}}); });
    run([](auto& tx) { return tx.create_table("b", {"x"}); });
    run([](auto& tx) { return tx.insert("t", {{1, "a"}, {3, "b"}, {5, "c"}}); });
    run([](auto& tx) { return tx.insert("b", {{1}, {2}, {3}}); });
    run([](auto& tx) { return tx.upsert("t", {3, "d"}); });
    lake.compact("t").value();
    lake.checkpoint().value();
    run([](auto& tx) { return tx.erase_where("b", {{"x", tarn::equals, 2}}); });
    run([](auto& tx) { return tx.update("t", {5}, {{"v", "e"}}); });
    auto abandoned = lake.begin().value();
    abandoned.insert("b", {7}).value();
    abandoned.flush().value();
  }

  // Once more, with time enough for a vacuum, which leaves the last three versions, or so many.
  void vacuum(std::uint64_t kept = 3) {
    environment_.clock.ms += 1000;
    tarn::client_options options;
    options.surroundings = environment_.get();
    tarn::client lake(store_, options);
    tarn::vacuum(lake, {.keep_ms = 0, .keep_versions = kept, .grace_ms = 500}).value();
    store_.note_vacuum();
  }
  void truncate() {
    tarn::client_options options;
    options.surroundings = environment_.get();
    tarn::client lake(store_, options);
    REQUIRE(tarn::truncate(lake).value() >= tarn::version{0});
  }

  [[nodiscard]] event_store& store() { return store_; }
  [[nodiscard]] std::vector<std::string> names(std::string_view prefix) {
    std::vector<std::string> found;
    store_.list(prefix, "", [&](std::string_view each) { found.emplace_back(each); }).value();
    std::sort(found.begin(), found.end());
    return found;
  }
  [[nodiscard]] std::string name(std::string_view prefix, std::size_t number) {
    const std::vector<std::string> found = names(prefix);
    REQUIRE(number < found.size());
    return found[number];
  }
  [[nodiscard]] std::string bytes(const std::string& name) {
    return std::string(std::string_view(store_.inner().get(name).value()));
  }
  void overwrite(const std::string& name, const std::string& bytes) {
    (void)store_.inner().remove(name);
    CHECK(store_.inner().put_if_absent(name, bytes).outcome() == tarn::put_outcome::created);
  }
  void replace_in(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = bytes(name);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    overwrite(name, text.replace(at, from.size(), to));
  }
  // With a checksum that fits.
  void replace_sealed(const std::string& name, const std::string& from, const std::string& to) {
    replace_in(name, from, to);
    std::string text = bytes(name);
    text.resize(text.size() - 10);
    overwrite(name, text + tarn::testing::plain_checksum(text) + "\"}");
  }

 private:
  tarn::testing::simulated_environment environment_;
  event_store store_;
};

[[nodiscard]] std::string text_of(const std::vector<tarn::testing::invariant_violation>& all) {
  std::string text;
  for (const auto& each : all) text += "L" + std::to_string(static_cast<int>(each.which)) + " " + each.message + "\n";
  return text;
}
[[nodiscard]] bool finds(const std::vector<tarn::testing::invariant_violation>& all, invariant wanted) {
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.which == wanted; });
}

template <class Damage>
void check_damage(const std::string& what, invariant broken, Damage damage) {
  CAPTURE(what);
  small_lake lake;
  damage(lake);
  const tarn::testing::store_invariants found(lake.store());
  INFO(text_of(found.violations()));
  CHECK(finds(found.violations(), broken));
}
template <class Damage>
void check_events(const std::string& what, invariant broken, Damage damage) {
  CAPTURE(what);
  small_lake lake;
  damage(lake);
  const tarn::testing::event_invariants found(lake.store().events());
  INFO(text_of(found.violations()));
  CHECK(finds(found.violations(), broken));
}

TEST_CASE("a lake that nobody has damaged keeps all invariants, also after a vacuum and a truncation") {
  small_lake lake;
  const auto check = [&] {
    CHECK(text_of(tarn::testing::store_invariants(lake.store()).violations()) == "");
    const tarn::testing::event_invariants ever(lake.store().events());
    CHECK(text_of(ever.violations()) == "");
    return ever.judged();
  };
  CHECK(check() == 0);
  lake.vacuum();
  CHECK(check() > 0);
  lake.truncate();
  CHECK(check() > 0);
}

TEST_CASE("damage to the log and to what it names is found") {
  check_damage("a slot is empty", invariant::contiguous_log,
               [](small_lake& lake) { (void)lake.store().remove(lake.name("_log_", 4)); });
  check_damage("a byte of an entry has changed", invariant::whole_entries,
               [](small_lake& lake) { lake.replace_in(lake.name("_log_", 3), "\"Format\"", "\"Fornat\""); });
  check_damage("an entry has another number", invariant::whole_entries,
               [](small_lake& lake) { lake.replace_sealed(lake.name("_log_", 7), "\"Id\":7", "\"Id\":9"); });
  check_damage("an entry is off the chain", invariant::whole_entries, [](small_lake& lake) {
    lake.replace_sealed(lake.name("_log_", 6), "\"NeededToRead\":[]", "\"NeededToRead\":[\"x\"]");
  });
  check_damage("a commit is there twice", invariant::whole_entries, [](small_lake& lake) {
    const std::string last = lake.bytes(lake.name("_log_", 7));
    (void)lake.store().put_if_absent("_log_00000000000000000008", last);
  });
  check_damage("an object is gone", invariant::whole_objects,
               [](small_lake& lake) { (void)lake.store().remove(lake.name("_table_t_", 0)); });
  check_damage("an object is shorter", invariant::whole_objects, [](small_lake& lake) {
    const std::string name = lake.name("_table_b_", 0);
    lake.overwrite(name, lake.bytes(name).substr(0, 40));
  });
  check_damage("an object has another value", invariant::whole_objects,
               [](small_lake& lake) { lake.replace_in(lake.name("_table_b_", 0), "[[1]", "[[9]"); });
}

TEST_CASE("damage to checkpoints and markers is found") {
  check_damage("a checkpoint says something else", invariant::true_checkpoints,
               [](small_lake& lake) { lake.replace_sealed(lake.name("_checkpoint_", 0), "\"Rows\":3", "\"Rows\":4"); });
  check_damage("a checkpoint is damaged", invariant::true_checkpoints,
               [](small_lake& lake) { lake.replace_in(lake.name("_checkpoint_", 0), "\"Rows\":3", "\"Rows\":4"); });
  check_damage("the checkpoints of a truncation are gone", invariant::truncation_anchored, [](small_lake& lake) {
    lake.vacuum();
    lake.truncate();
    for (const std::string& each : lake.names("_checkpoint_")) lake.store().remove(each).value();
  });
  check_damage("a marker is missing", invariant::truncation_anchored,
               [](small_lake& lake) { (void)lake.store().put_if_absent("_trunc_00000000000000000001", "{}"); });
}

TEST_CASE("a wrong place in a base is found") {
  check_damage("a record says that its key is one row later", invariant::ordered_blocks, [](small_lake& lake) {
    for (std::size_t number = 0; number < 5; ++number) {
      const std::string name = lake.name("_table_t_", number);
      if (lake.bytes(name).find("[0,2,5,\"e\"]") != std::string::npos)
        return lake.replace_in(name, "[0,2,5,\"e\"]", "[0,-1,5,\"e\"]");
    }
    FAIL("no record has a place");
  });
}

TEST_CASE("what should not happen in a store is found") {
  check_events("a name gets other bytes", invariant::constant_bytes, [](small_lake& lake) {
    const std::string name = lake.name("_table_b_", 0);
    (void)lake.store().remove(name);
    (void)lake.store().put_if_absent(name, "{}");
  });
  check_events("a reader looks in vain", invariant::kept_objects, [](small_lake& lake) {
    const std::string name = lake.name("_table_b_", 0);
    (void)lake.store().inner().remove(name);
    CHECK_FALSE(lake.store().get(name).has_value());
  });
  check_events("a vacuum leaves garbage", invariant::collected_garbage, [](small_lake& lake) {
    const std::size_t before = lake.store().events().size();
    lake.vacuum();
    auto& events = lake.store().events();
    const auto removal = [](const store_event& each) { return each.what == store_event::kind::removed; };
    REQUIRE(std::count_if(events.begin() + static_cast<std::ptrdiff_t>(before), events.end(), removal) > 0);
    events.erase(std::find_if(events.begin() + static_cast<std::ptrdiff_t>(before), events.end(), removal));
  });
  check_events("what a version needs is removed", invariant::careful_vacuum,
               [](small_lake& lake) { (void)lake.store().remove(lake.name("_table_t_", 0)); });
  check_events("what is young is removed", invariant::careful_vacuum, [](small_lake& lake) {
    std::string log;
    for (const std::string& each : lake.names("_log_")) log += lake.bytes(each);
    std::size_t removed = 0;
    for (const std::string& each : lake.names("_table_b_"))
      if (log.find(each.substr(each.size() - 36)) == std::string::npos && ++removed > 0)
        lake.store().remove(each).value();
    CHECK(removed == 1);
  });
}

TEST_CASE("what a vacuum gives up and dies is not for another to remove that has begun before") {
  const auto complains = [](bool other_ends) {
    small_lake lake;
    lake.vacuum(6);
    std::vector<store_event>& events = lake.store().events();
    const store_event end = events.back();
    REQUIRE(end.what == store_event::kind::vacuumed);
    events.pop_back();
    const std::size_t begun = events.size();
    lake.vacuum(1);
    std::size_t spared = 0;
    for (std::size_t at = begun; at < events.size(); ++at) {
      spared += events[at].what == store_event::kind::removed ? 1U : 0U;
      events[at].client = 1;
    }
    CHECK(spared > 0);
    std::erase_if(events,
                  [](const store_event& each) { return each.client == 1 && each.what == store_event::kind::removed; });
    if (!other_ends) events.pop_back();
    events.push_back(other_ends ? events.back() : end);
    const tarn::testing::event_invariants found(events);
    return finds(found.violations(), invariant::collected_garbage);
  };
  CHECK_FALSE(complains(false));
  CHECK(complains(true));
}

TEST_CASE("whoever has committed all that it did leaves nothing behind") {
  small_lake lake;
  const auto with = [&](std::set<std::uint32_t> tidy) {
    return finds(tarn::testing::event_invariants(lake.store().events(), std::move(tidy)).violations(),
                 invariant::collected_garbage);
  };
  CHECK(with({0}));
  CHECK_FALSE(with({1}));
  CHECK_FALSE(with({}));
}

}  // namespace
