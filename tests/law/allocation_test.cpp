// LAW: an allocation that fails takes nothing with it. Whatever a client does, and whichever of its allocations fails,
// once or from then on, std::bad_alloc comes out of the call; what was committed before is there, what was not is there
// whole or not at all, nothing leaks, and the same client goes on. (The loop is SQLite's: for each k, until none
// fails.)
#include <tarn/core/config.hpp>

#if TARN_HAS_EXCEPTIONS

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <tarn/changes.hpp>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"
#include "../support/rows_as_text.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;

using client = tarn::client<tarn::memory_store>;

// What a client does while allocations fail. `acked` is the newest version that it was told of.
struct scenario {
  const char* name;
  bool begins_cold;  // with a client that has not opened the lake yet
  void (*work)(client& lake, tarn::version& acked);
};

constexpr tarn::vacuum_options keep_nothing{.keep_ms = 0, .keep_versions = 1, .grace_ms = 0};

const std::vector<scenario> scenarios = {
    {"open, and read all", true,
     [](client& lake, tarn::version&) {
       auto tx = lake.begin().value();
       for (const char* const table : {"bag", "keyed"})
         for (auto scan = tx.scan(table).value(); scan.next();) (void)scan.row();
     }},
    {"create tables", false,
     [](client& lake, tarn::version& acked) {
       auto tx = lake.begin().value();
       tx.create_table("first", {"a", {"b", tarn::column_type::string}}).value();
       tx.create_table("second", {{"k", tarn::column_type::integer}}, tarn::keyed{{"k"}}).value();
       acked = tx.commit().value();
     }},
    {"append more than one object", false,
     [](client& lake, tarn::version& acked) {
       auto tx = lake.begin().value();
       for (int row = 0; row < 6; ++row) tx.insert("bag", {100 + row, "more"}).value();
       acked = tx.commit().value();
     }},
    {"write a keyed table", false,
     [](client& lake, tarn::version& acked) {
       auto tx = lake.begin().value();
       tx.upsert("keyed", {1, "uno"}).value();
       tx.insert("keyed", {9, "nine"}).value();
       tx.erase("keyed", {2}).value();
       acked = tx.commit().value();
     }},
    {"look up and update by key", false,
     [](client& lake, tarn::version& acked) {
       auto tx = lake.begin().value();
       (void)tx.get("keyed", {3}).value();
       tx.update("keyed", {4}, {{"v", "vier"}}).value();
       acked = tx.commit().value();
     }},
    {"delete and update rows of a bag", false,
     [](client& lake, tarn::version& acked) {
       auto tx = lake.begin().value();
       (void)tx.erase_where("bag", {{"n", tarn::less_than, 3}}).value();
       (void)tx.update_where("bag", {{"n", tarn::equals, 5}}, {{"text", "changed"}}).value();
       acked = tx.commit().value();
     }},
    {"commit after others have", false,
     [](client& lake, tarn::version& acked) {
       client other = lake;
       auto tx = lake.begin().value();
       tx.insert("bag", {200, "mine"}).value();
       auto theirs = other.begin().value();
       theirs.upsert("keyed", {5, "theirs"}).value();
       acked = theirs.commit().value();
       acked = tx.commit().value();
     }},
    {"read on after others have committed", false,
     [](client& lake, tarn::version& acked) {
       client other = lake;
       for (int round = 0; round < 2; ++round) {
         auto theirs = other.begin().value();
         theirs.insert("bag", {250 + round, "theirs"}).value();
         theirs.upsert("keyed", {round, "theirs"}).value();
         acked = theirs.commit().value();
       }
       (void)lake.begin().value();
     }},
    {"commit numbered work, and again", false,
     [](client& lake, tarn::version& acked) {
       for (int again = 0; again < 2; ++again)
         acked = lake.run({"loader", 7}, [](auto& tx) { return tx.insert("bag", {300, "numbered"}); }).value();
     }},
    {"change the columns of a table", false,
     [](client& lake, tarn::version& acked) {
       auto tx = lake.begin().value();
       tx.add_column("bag", {"more", tarn::column_type::integer}).value();
       tx.rename_column("bag", "text", "words").value();
       tx.insert("bag", {400, "wide", 1}).value();
       acked = tx.commit().value();
     }},
    {"roll back what was flushed", false,
     [](client& lake, tarn::version&) {
       auto tx = lake.begin().value();
       tx.insert("bag", {500, "never"}).value();
       tx.flush().value();
       tx.rollback();
     }},
    {"compact a keyed table", false, [](client& lake, tarn::version& acked) { acked = lake.compact("keyed").value(); }},
    {"compact a bag", false, [](client& lake, tarn::version& acked) { acked = lake.compact("bag").value(); }},
    {"write a checkpoint", false, [](client& lake, tarn::version&) { (void)lake.checkpoint().value(); }},
    {"restore a version", false,
     [](client& lake, tarn::version& acked) { acked = lake.restore(tarn::version{1}).value(); }},
    {"tag a version and untag it", false,
     [](client& lake, tarn::version& acked) {
       acked = lake.tag("first", tarn::version{1}).value();
       acked = lake.untag("first").value();
     }},
    {"vacuum", false, [](client& lake, tarn::version& acked) { acked = tarn::vacuum(lake, keep_nothing).value().at; }},
    {"vacuum and truncate, and open what is left", false,
     [](client& lake, tarn::version& acked) {
       acked = tarn::vacuum(lake, keep_nothing).value().at;
       (void)tarn::truncate(lake).value();
       client cold(lake.store(), lake.core()->options);
       (void)cold.begin().value();
     }},
    {"read the changes", false,
     [](client& lake, tarn::version&) {
       for (const char* const table : {"bag", "keyed"})
         for (auto feed = tarn::changes(lake, table, tarn::version{0}, tarn::version{4}).value(); feed.next();)
           (void)feed.change();
     }},
    {"check everything", false, [](client& lake, tarn::version&) { (void)tarn::check(lake).value(); }},
    {"find out about a commit", false,
     [](client& lake, tarn::version&) {
       const tarn::uuid nobody;
       (void)lake.find_commit(nobody, tarn::version{2}).value();
     }},
};

[[nodiscard]] tarn::client_options options_with(test_environment& environment) {
  tarn::client_options options;
  options.commit.inline_bytes_max = 300;  // about one object
  options.bounds.rows_per_object = 4;
  options.checkpoint_interval = 3;
  options.surroundings = environment.get();
  return options;
}

[[nodiscard]] tarn::memory_store copy_of(const tarn::memory_store& original) {
  tarn::memory_store copy;
  REQUIRE(original
              .list("", "",
                    [&](std::string_view name) {
                      (void)copy.put_if_absent(name, std::string_view(original.get(name).value()));
                    })
              .has_value());
  return copy;
}

// A bag and a keyed table with a few rows in several objects, some of them deleted, and five versions.
[[nodiscard]] tarn::memory_store prepare() {
  test_environment environment(1);
  tarn::memory_store content;
  client lake(content, options_with(environment));
  auto first = lake.begin().value();
  first.create_table("bag", {{"n", tarn::column_type::integer}, "text"}).value();
  first.create_table("keyed", {{"k", tarn::column_type::integer}, "v"}, tarn::keyed{{"k"}}).value();
  for (int row = 0; row < 6; ++row) first.insert("bag", {row, "row"}).value();
  (void)first.commit().value();
  for (int round = 0; round < 3; ++round) {
    auto next = lake.begin().value();
    next.insert("bag", {10 + round, "round"}).value();
    for (int key = round; key < round + 4; ++key) next.upsert("keyed", {key, "round " + std::to_string(round)}).value();
    (void)next.commit().value();
  }
  auto last = lake.begin().value();
  (void)last.erase_where("bag", {{"n", tarn::equals, 4}}).value();
  (void)last.commit().value();
  environment.clock.ms += 1'000;
  return content;
}

// All tables and rows of the newest version.
[[nodiscard]] std::string text_of(client& lake) {
  auto tx = lake.begin().value();
  std::string text;
  for (const std::string& table : tx.tables().value()) text += table + ": " + sorted_rows_as_text(tx, table) + "\n";
  return text;
}

class allocation_loop {
 public:
  explicit allocation_loop(const scenario& which) : which_(which), prepared_(prepare()) {
    // Without failures: what the lake is after each of the scenario's commits.
    test_environment environment(2);
    const tarn::memory_store content = copy_of(prepared_);
    client lake = open(content, environment);
    first_ = lake.newest_snapshot().value()->at;
    const std::string before = text_of(lake);
    tarn::version acked = first_;
    which_.work(lake, acked);
    const tarn::version last = lake.newest_snapshot().value()->at;
    for (tarn::version at = first_; at <= last; at = at.next()) {
      auto tx = lake.begin_at(at);
      std::string text;
      if (tx)
        for (const std::string& table : tx->tables().value())
          text += table + ": " + sorted_rows_as_text(*tx, table) + "\n";
      states_.push_back(tx ? text : before);  // given up by a vacuum, which changes nothing else
    }
    (void)run_once(0, false);  // so that what the test itself allocates once for all is there
  }

  // Each allocation that `step` divides fails, from `offset` on; returns how many there were.
  std::size_t run(std::size_t offset, std::size_t step, bool for_good) {
    std::size_t failures = 0;
    for (std::size_t before = offset;; before += step) {
      const std::size_t live = live_bytes();
      const bool failed = run_once(before, for_good);
      CHECK_MESSAGE(live_bytes() == live, where(before, for_good), "leaks ", live_bytes() - live, " bytes");
      if (!failed) return failures;
      ++failures;
    }
  }

 private:
  [[nodiscard]] client open(const tarn::memory_store& content, test_environment& environment) const {
    client lake(content, options_with(environment));
    if (!which_.begins_cold) (void)lake.begin().value();
    return lake;
  }

  [[nodiscard]] std::string where(std::size_t before, bool for_good) const {
    return std::string(which_.name) + ", allocation " + std::to_string(before) +
           (for_good ? " and all after it: " : ": ");
  }

  [[nodiscard]] bool run_once(std::size_t before, bool for_good) {
    test_environment environment(2);
    const tarn::memory_store content = copy_of(prepared_);
    client lake = open(content, environment);
    tarn::version acked = first_;
    bool thrown = false;
    bool failed = false;
    std::string other_error;
    {
      const failing_allocation failing(before, for_good);
      try {
        which_.work(lake, acked);
      } catch (const std::bad_alloc&) {
        thrown = true;
      } catch (const tarn::failure& why) {
        thrown = true;
        other_error = why.what();
      }
      failed = failing.has_failed();
    }
    const std::string place = where(before, for_good);
    CHECK_MESSAGE(other_error.empty(), place, other_error);
    CHECK_MESSAGE(thrown == failed, place, "an allocation failed: ", failed, ", it was told: ", thrown);
    judge(content, acked, place);
    go_on(lake, content, place);
    return failed;
  }

  // By a client that knows nothing of it.
  void judge(const tarn::memory_store& content, tarn::version acked, const std::string& place) const {
    test_environment environment(3);
    client fresh(content, options_with(environment));
    const tarn::version head = fresh.newest_snapshot().value()->at;
    const auto commits = static_cast<std::size_t>(head.number - first_.number);
    REQUIRE_MESSAGE(commits < states_.size(), place, "too many commits");
    CHECK_MESSAGE(head >= acked, place, "lost a commit");
    CHECK_MESSAGE(text_of(fresh) == states_[commits], place, "other rows");
    const auto report = tarn::check(fresh).value();
    CHECK_MESSAGE(report.sound(), place, report.sound() ? "" : report.findings[0].message);
  }

  void go_on(client& lake, const tarn::memory_store& content, const std::string& place) const {
    const auto committed = lake.run([](auto& tx) { return tx.upsert("keyed", {77, "after"}); });
    REQUIRE_MESSAGE(committed.has_value(), place, "does not go on: ", committed.error().message());
    test_environment environment(4);
    client fresh(content, options_with(environment));
    auto tx = fresh.begin().value();
    CHECK_MESSAGE(tx.get("keyed", {77}).has_value(), place, "what came after is lost");
    CHECK_MESSAGE(text_of(fresh) == text_of(lake), place, "the same client reads other rows");
  }

  const scenario& which_;
  tarn::memory_store prepared_;
  tarn::version first_;
  std::vector<std::string> states_;  // from `first_` on
};

}  // namespace

TEST_CASE("an allocation that is to fail does, and those after it if all are to") {
  for (const bool for_good : {false, true}) {
    std::size_t thrown = 0;
    const failing_allocation failing(2, for_good);
    for (int made = 0; made < 5; ++made) {
      try {
        ::operator delete(::operator new(10));
      } catch (const std::bad_alloc&) {
        ++thrown;
      }
    }
    CHECK(thrown == (for_good ? 3 : 1));
    CHECK(failing.has_failed());
  }
  const failing_allocation none(2, true);
  CHECK_FALSE(none.has_failed());
}

TEST_CASE("LAW: F22: whichever allocation fails, nothing that was committed is lost, nothing leaks, and all goes on") {
  // All of them take half a minute in a debug build: then only some, others each time.
  const std::uint64_t step = number_from_environment("TARN_LAW_HISTORIES", 0) > 0 ? 1 : 17;
  random_source random(seed_of_this_run());
  std::string summary;
  std::size_t failures = 0;
  for (const scenario& each : scenarios) {
    allocation_loop loop(each);
    for (const bool for_good : {false, true}) {
      const std::size_t own = loop.run(random.below(step), step, for_good);
      CHECK_MESSAGE(own > 0, std::string(each.name), ": nothing failed");
      summary += std::string("\n  ") + each.name + (for_good ? ", for good: " : ": ") + std::to_string(own);
      failures += own;
    }
  }
  MESSAGE("TARN_TEST_SEED=", seed_of_this_run(), ", ", scenarios.size(), " scenarios, ", failures, " failures",
          summary);
}

#endif
