// The anomalies that isolation is about, by their names: which of them each level prevents. And what the rules of
// table/conflict.hpp cost: which objects are read to decide them.
//
//               serializable   snapshot    non_blocking
//   dirty write, dirty read, aborted read, intermediate read, fuzzy read, read skew, long fork: prevented at each
//   lost update    prevented     prevented    permitted, but by `update` and `insert`
//   write skew, phantoms that decide what is written, the read-only anomaly: prevented by serializable only
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <vector>

#include "../support/reading.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

constexpr isolation levels[] = {isolation::serializable, isolation::snapshot, isolation::non_blocking};

template <class Transaction>
std::optional<std::int64_t> get(Transaction& tx, std::string_view key) {
  const result<row> found = tx.get("t", {key});
  if (!found) REQUIRE(found.error().code() == errc::not_found);
  if (!found) return {};
  return value_view((*found)[1]).as_integer();
}

// A lake with a keyed table "t", x = 10 and y = 20 in it, and an empty bag "g"; for two clients, as of two processes.
template <class Place>
struct setting {
  Place place;
  client<typename Place::store> one{place.open()};
  client<typename Place::store> two{place.open()};

  setting() {
    one.run([](auto& tx) -> status {
         tx.create_table("t", {{"k", column_type::string}, "v"}, keyed{{"k"}}).value();
         tx.create_table("g", {"v"}).value();
         return tx.upsert("t", {{"x", 10}, {"y", 20}});
       })
        .value();
  }
  // What a transaction begun now sees.
  std::optional<std::int64_t> now(std::string_view key) {
    auto tx = one.begin().value();
    return get(tx, key);
  }
  std::size_t rows_now(std::string_view table) {
    auto tx = one.begin().value();
    return rows_of(tx, table).size();
  }
};

template <class Transaction>
void put(Transaction& tx, std::string_view key, std::int64_t v) {
  tx.upsert("t", {key, v}).value();
}

// Whether it commits; if not, it is for a conflict.
template <class Transaction>
bool commits(Transaction& tx) {
  const result<version> done = tx.commit();
  if (!done) CHECK_MESSAGE(done.error().code() == errc::conflict, done.error().message());
  if (!done) CHECK(done.error().retry_helps());
  return done.has_value();
}

// The keys that a scan of [first, last) finds.
template <class Transaction>
std::size_t count_range(Transaction& tx, std::string_view first, std::string_view last) {
  auto scan = tx.scan("t", {first}, {last}).value();
  std::size_t rows = 0;
  while (scan.next()) ++rows;
  REQUIRE(scan.status().has_value());
  return rows;
}

}  // namespace

TEST_CASE_TEMPLATE("dirty write: what two write of two keys is never mixed", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    auto t2 = s.two.begin(level).value();
    put(t1, "x", 1);
    put(t2, "x", 2);
    t1.flush().value();
    put(t2, "y", 2);
    t2.flush().value();
    put(t1, "y", 1);
    CHECK(commits(t1));
    const bool both = commits(t2);
    CHECK(both == (level == isolation::non_blocking));
    CHECK(s.now("x") == (both ? 2 : 1));
    CHECK(s.now("y") == (both ? 2 : 1));
  }
}

TEST_CASE_TEMPLATE("dirty read, aborted read, intermediate read: only what is committed is seen", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    auto before = s.two.begin(level).value();
    put(t1, "x", 101);
    t1.flush().value();  // in the store, not in the log
    auto during = s.two.begin(level).value();
    CHECK(get(before, "x") == 10);
    CHECK(get(during, "x") == 10);
    put(t1, "x", 11);
    CHECK(commits(t1));
    CHECK(get(before, "x") == 10);
    CHECK(get(during, "x") == 10);
    CHECK(s.now("x") == 11);

    auto aborted = s.one.begin(level).value();
    put(aborted, "x", 102);
    aborted.flush().value();
    aborted.rollback();
    CHECK(s.now("x") == 11);
  }
}

TEST_CASE_TEMPLATE("fuzzy read: what was read is the same when it is read again", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    CHECK(get(t1, "x") == 10);
    auto t2 = s.two.begin(level).value();
    put(t2, "x", 11);
    t2.erase("t", {"y"}).value();
    CHECK(commits(t2));
    CHECK(get(t1, "x") == 10);
    CHECK(get(t1, "y") == 20);
    put(t1, "z", 30);  // decided by what it has read, for all that is known
    CHECK(commits(t1) == (level != isolation::serializable));
  }
}

TEST_CASE_TEMPLATE("lost update: of two that count up, one conflicts, but without blocking if both upsert", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const bool updates : {false, true}) {
      setting<Place> s;
      const auto count = [&](auto& tx) {
        const std::int64_t seen = *get(tx, "x");
        return updates ? tx.update("t", {"x"}, {{"v", seen + 1}}) : tx.upsert("t", {"x", seen + 1});
      };
      auto t1 = s.one.begin(level).value();
      auto t2 = s.two.begin(level).value();
      count(t1).value();
      count(t2).value();
      CHECK(commits(t1));
      CHECK(commits(t2) == (level == isolation::non_blocking && !updates));
      CHECK(s.now("x") == 11);
      // Run again after the conflict, none is lost.
      s.one.run(count, level).value();
      s.two.run(count, level).value();
      CHECK(s.now("x") == 13);
    }
}

TEST_CASE_TEMPLATE("read skew: two keys are read as they were at one time", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    CHECK(get(t1, "x") == 10);
    auto t2 = s.two.begin(level).value();
    put(t2, "x", 12);
    put(t2, "y", 18);
    CHECK(commits(t2));
    CHECK(get(t1, "y") == 20);
    CHECK(commits(t1));  // it has only read
  }
}

TEST_CASE_TEMPLATE("C5: write skew: each reads what the other writes", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    auto t2 = s.two.begin(level).value();
    if (*get(t1, "x") + *get(t1, "y") >= 30) put(t1, "x", -20);
    if (*get(t2, "x") + *get(t2, "y") >= 30) put(t2, "y", -10);
    CHECK(commits(t1));
    CHECK(commits(t2) == (level != isolation::serializable));
  }
}

TEST_CASE_TEMPLATE("phantom: rows that come into a scan, or a range, that was read", Place, TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const bool ranges : {false, true}) {
      setting<Place> s;
      const auto count = [&](auto& tx) { return ranges ? count_range(tx, "w", "z") : rows_of(tx, "t").size(); };
      auto t1 = s.one.begin(level).value();
      auto untouched = s.one.begin(level).value();
      CHECK(count(t1) == 2);
      CHECK(count_range(untouched, "a", "c") == 0);
      CHECK(count_range(untouched, "z", "zz") == 0);
      auto t2 = s.two.begin(level).value();
      t2.insert("t", {"ya", 1}).value();
      t2.insert("t", {"c", 1}).value();  // a range ends before its last key
      CHECK(commits(t2));
      CHECK(count(t1) == 2);
      put(t1, "total", 2);
      CHECK(commits(t1) == (level != isolation::serializable));
      put(untouched, "none", 0);
      CHECK(commits(untouched));
    }
}

TEST_CASE_TEMPLATE("predicate write skew: each writes a row that the other has looked for", Place, TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const char* table : {"t", "g"}) {
      setting<Place> s;
      const std::size_t before = s.rows_now(table);
      const auto book = [&](auto& tx, const char* who) {
        for (const row& each : rows_of(tx, table))
          if (each.back() == value(30)) return;
        if (*table == 't')
          tx.insert(table, {who, 30}).value();
        else
          tx.insert(table, {30}).value();
      };
      auto t1 = s.one.begin(level).value();
      auto t2 = s.two.begin(level).value();
      book(t1, "a");
      book(t2, "b");
      CHECK(commits(t1));
      const bool both = commits(t2);
      CHECK(both == (level != isolation::serializable));
      CHECK(s.rows_now(table) == before + (both ? 2 : 1));
    }
}

TEST_CASE_TEMPLATE("read-only anomaly: what a reader has seen stays true", Place, TARN_EACH_STORE) {
  // Fekete, O'Neil, O'Neil 2004: a withdrawal that costs a fee if it overdraws, a deposit, and a reader between.
  for (const isolation level : levels) {
    setting<Place> s;
    s.one.run([](auto& tx) { return tx.upsert("t", {{"x", 0}, {"y", 0}}); }).value();
    auto withdrawal = s.one.begin(level).value();
    const bool overdraws = *get(withdrawal, "x") + *get(withdrawal, "y") < 10;
    auto deposit = s.two.begin(level).value();
    put(deposit, "y", *get(deposit, "y") + 20);
    CHECK(commits(deposit));
    auto reader = s.two.begin(level).value();
    CHECK(get(reader, "x") == 0);
    CHECK(get(reader, "y") == 20);
    CHECK(commits(reader));  // it always does: so it must be true that the deposit came first
    put(withdrawal, "x", overdraws ? -11 : -10);
    CHECK(commits(withdrawal) == (level != isolation::serializable));
  }
}

TEST_CASE_TEMPLATE("long fork: readers see the same order of commits", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    auto t2 = s.two.begin(level).value();
    put(t1, "x", 11);
    put(t2, "y", 21);
    CHECK(commits(t2));
    auto r1 = s.one.begin(level).value();
    CHECK(commits(t1));
    auto r2 = s.two.begin(level).value();
    // After a reader that has y and not x, none can have x and not y.
    CHECK(get(r1, "x") == 10);
    CHECK(get(r1, "y") == 21);
    CHECK(get(r2, "x") == 11);
    CHECK(get(r2, "y") == 21);
  }
}

TEST_CASE_TEMPLATE("C3: erase where nothing matches, then insert, by two at once", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    for (const bool by_key : {true, false}) {
      setting<Place> s;
      const auto replace = [&](auto& tx, std::string_view key) {
        if (by_key) {
          if (get(tx, "a")) tx.erase("t", {"a"}).value();  // not there: that is what was read
        } else {
          auto scan = tx.scan("t", {"a"}, {"n"}).value();
          while (scan.next()) tx.erase(scan).value();
        }
        put(tx, key, 1);
      };
      auto t1 = s.one.begin(level).value();
      auto t2 = s.two.begin(level).value();
      replace(t1, "a");
      replace(t2, "b");
      CHECK(commits(t1));
      CHECK(commits(t2) == (level != isolation::serializable));
    }
  }
}

TEST_CASE_TEMPLATE("C4: of two that insert the same new key, exactly one succeeds, at each level", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    auto t2 = s.two.begin(level).value();
    t1.insert("t", {"new", 1}).value();
    t2.insert("t", {"new", 2}).value();
    CHECK(commits(t1));
    const result<version> lost = t2.commit();
    REQUIRE_FALSE(lost.has_value());
    CHECK(lost.error().message().find("wrote to table t, key (\"new\"), and this transaction has ") !=
          std::string::npos);
    CHECK(s.now("new") == 1);
    const result<version> again = s.two.run([](auto& tx) { return tx.insert("t", {"new", 2}); }, level);
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code() == errc::exists);
  }
}

TEST_CASE_TEMPLATE("that a key exists, or does not, is an answer that must hold at the commit", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    CHECK(t1.insert("t", {"x", 1}).error().code() == errc::exists);
    put(t1, "z", 1);
    auto t2 = s.one.begin(level).value();
    CHECK(t2.update("t", {"no"}, {{"v", 1}}).error().code() == errc::not_found);
    put(t2, "z", 1);
    auto t3 = s.one.begin(level).value();
    CHECK_FALSE(get(t3, "no"));
    put(t3, "z", 1);
    s.two
        .run([](auto& tx) -> status {
          tx.erase("t", {"x"}).value();
          return tx.insert("t", {"no", 1});
        })
        .value();
    CHECK_FALSE(commits(t1));  // insert and update read their keys at every level
    CHECK_FALSE(commits(t2));
    CHECK(commits(t3) == (level != isolation::serializable));
  }
}

TEST_CASE_TEMPLATE("C7: of a drop and a change of the table, the later conflicts, at each level", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const bool drop_first : {false, true})
      for (const char* table : {"t", "g"}) {
        setting<Place> s;
        auto change = s.one.begin(level).value();
        auto drop = s.two.begin(level).value();
        if (*table == 't')
          put(change, "z", 1);
        else
          change.insert("g", {1}).value();
        drop.drop_table(table).value();
        CHECK(commits(drop_first ? drop : change));
        CHECK_FALSE(commits(drop_first ? change : drop));
      }
}

TEST_CASE_TEMPLATE("D13: who has created B as there was no A conflicts with who creates A, at each level", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    if (!t1.has_table("a").value()) t1.create_table("b", {"v"}).value();
    auto t2 = s.two.begin(level).value();
    t2.create_table("a", {"v"}).value();
    CHECK(commits(t2));
    CHECK_FALSE(commits(t1));
  }
}

TEST_CASE_TEMPLATE("a compaction disturbs neither readers nor writers, and they not it", Place, TARN_EACH_STORE) {
  for (const isolation level : levels) {
    setting<Place> s;
    auto t1 = s.one.begin(level).value();
    CHECK(get(t1, "x") == 10);
    CHECK(rows_of(t1, "t").size() == 2);
    t1.update("t", {"y"}, {{"v", 21}}).value();
    s.two.run([](auto& tx) { return tx.erase("t", {"nothing"}); }).value();  // so that there is something to fold
    auto plans = s.two.plan_compaction("t").value();
    REQUIRE(plans.size() == 1);
    const compacted_objects done = s.two.run_compaction(plans[0]).value();
    auto t2 = s.one.begin(level).value();
    put(t2, "z", 30);
    CHECK(commits(t2));
    CHECK(s.two.commit_compaction(done).has_value());
    CHECK(commits(t1) == (level != isolation::serializable));  // for what t2 wrote into its scan, at that level
    CHECK(s.now("z") == 30);
  }
}

TEST_CASE_TEMPLATE("D12: of a deletion in an object and a compaction of it, the later conflicts, at each level", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const bool delete_first : {false, true}) {
      setting<Place> s;
      for (const int v : {1, 2, 3}) s.one.run([&](auto& tx) { return tx.insert("g", {v}); }).value();
      const auto plans = s.two.plan_compaction("g").value();
      REQUIRE(plans.size() == 1);
      const compacted_objects done = s.two.run_compaction(plans[0]).value();
      auto deleting = s.one.begin(level).value();
      auto appending = s.one.begin(level).value();
      REQUIRE(deleting.erase_where("g", {{"v", equals, 2}}).value() == 1);
      appending.insert("g", {4}).value();
      if (delete_first) {
        CHECK(commits(deleting));
        CHECK(s.two.commit_compaction(done).error().code() == errc::conflict);
      } else {
        CHECK(s.two.commit_compaction(done).has_value());
        CHECK_FALSE(commits(deleting));
        const auto again = [](auto& tx) -> status {
          const auto erased = tx.erase_where("g", {{"v", equals, 2}});
          return erased ? status() : status(erased.error());
        };
        CHECK(s.one.run(again, level).has_value());
      }
      CHECK(commits(appending));
      CHECK(s.rows_now("g") == 3);  // 1, 3 and 4: what was deleted does not return
    }
}

TEST_CASE_TEMPLATE("lost update in a bag: of two that change the same row, one conflicts, at each level", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const bool same_row : {true, false}) {
      setting<Place> s;
      s.one.run([](auto& tx) { return tx.insert("g", {{1}, {2}}); }).value();
      auto t1 = s.one.begin(level).value();
      auto t2 = s.two.begin(level).value();
      REQUIRE(t1.update_where("g", {{"v", equals, 1}}, {{"v", 10}}).value() == 1);
      REQUIRE(t2.erase_where("g", {{"v", equals, same_row ? 1 : 2}}).value() == 1);
      CHECK(commits(t1));
      CHECK(commits(t2) == (!same_row && level != isolation::serializable));  // which has read all rows
    }
}

TEST_CASE_TEMPLATE("of a change of the schema, or a restore, and any use of the table, the later conflicts", Place,
                   TARN_EACH_STORE) {
  for (const isolation level : levels)
    for (const bool use_first : {false, true}) {
      setting<Place> s;
      auto use = s.one.begin(level).value();
      auto looked = s.one.begin(level).value();
      auto alter = s.two.begin(level).value();
      put(use, "z", 1);
      CHECK(looked.columns("t").value().size() == 2);  // decides by what columns there are
      looked.insert("g", {1}).value();
      alter.add_column("t", {"w"}).value();
      CHECK(commits(use_first ? use : alter));
      CHECK_FALSE(commits(use_first ? alter : use));
      CHECK(commits(looked) == use_first);

      auto late = s.one.begin(level).value();
      late.insert("g", {2}).value();
      late.erase("t", {"x"}).value();
      CHECK(s.two.restore({0}).has_value());
      CHECK_FALSE(commits(late));
      CHECK(s.now("x") == 10);
    }
}

// --- what it costs ---------------------------------------------------------------------------------------------------

namespace {

// Commits `theirs` between the begin and the commit of `mine`, in a table whose keys "a" to "z" are in `buckets`
// buckets. What was looked at for it is in `seen`.
template <class Mine, class Theirs>
bool race(std::uint32_t buckets, isolation level, Mine mine, Theirs theirs, conflict_statistics& seen,
          client_options options = {}) {
  memory_store store;
  client one{store, options};
  client two{store};
  one.run([&](auto& tx) {
       return tx.create_table("t", {{"k", column_type::string}, "v"}, keyed{{"k"}, buckets});
     })
      .value();
  one.run([&](auto& tx) -> status {
       for (char key = 'a'; key <= 'z'; ++key) put(tx, std::string(1, key), 0);
       return {};
     })
      .value();
  auto tx = one.begin(level).value();
  mine(tx);
  two.run([&](auto& won) -> status { return theirs(won), status(); }).value();
  const bool committed = commits(tx);
  seen = one.core()->conflicts;
  return committed;
}

// Three letters, the first and the last in one of 16 buckets, the one between in another.
struct spread_letters {
  std::string low, between, high;
};
spread_letters find_spread_letters() {
  const auto bucket = [](char letter) {
    const std::string key(1, letter);
    const value_view values[] = {std::string_view(key)};
    return bucket_of(list_view(values, 1), {0}, 16);
  };
  for (char low = 'a'; low <= 'x'; ++low)
    for (char high = 'z'; high > low + 1; --high)
      if (const auto between = static_cast<char>(low + 1);
          bucket(low) == bucket(high) && bucket(between) != bucket(low))
        return {std::string(1, low), std::string(1, between), std::string(1, high)};
  FAIL("all letters are in order of bucket");
  return {};
}

}  // namespace

TEST_CASE("keys are read only where bucket and bounds do not tell that there is none in common") {
  conflict_statistics seen;
  const spread_letters spread = find_spread_letters();
  const auto write = [](const std::vector<std::string>& keys) {
    return [=](auto& tx) {
      for (const std::string& key : keys) put(tx, key, 1);
    };
  };
  const auto read = [](const std::vector<std::string>& keys) {
    return [=](auto& tx) {
      for (const std::string& key : keys) (void)get(tx, key);
      tx.create_table("other", {"v"}).value();  // something to commit
    };
  };
  for (const isolation level : {isolation::serializable, isolation::snapshot}) {
    // Writes against writes. Disjoint bounds: nothing is read.
    CHECK(race(1, level, write({"a", "c"}), write({"d", "f"}), seen));
    CHECK(seen.compared == 1);
    CHECK(seen.objects_read == 0);
    // They overlap, the keys do not: the winner's keys are read.
    CHECK(race(1, level, write({"a", "e"}), write({"d", "f"}), seen));
    CHECK(seen.objects_read == 1);
    CHECK_FALSE(race(1, level, write({"a", "e"}), write({"d", "e"}), seen));
    CHECK(seen.objects_read == 1);
    // Other buckets: nothing is read, whatever the bounds.
    CHECK(race(16, level, write({spread.between}), write({spread.low, spread.high}), seen));
    CHECK(seen.compared == 1);
    CHECK(seen.objects_read == 0);
    CHECK_FALSE(race(16, level, write({"k"}), write({"k"}), seen));
    CHECK(seen.objects_read == 1);
    // Erases count in the bounds.
    const auto erase_z = [](auto& tx) {
      put(tx, "m", 1);
      tx.erase("t", {"z"}).value();
    };
    CHECK_FALSE(race(1, level, write({"z"}), erase_z, seen));
    CHECK_FALSE(race(1, level, erase_z, write({"z"}), seen));
  }
  // Reads against writes, the same.
  CHECK(race(1, isolation::serializable, read({"a", "c"}), write({"d", "f"}), seen));
  CHECK(seen.compared == 1);
  CHECK(seen.objects_read == 0);
  CHECK(race(1, isolation::serializable, read({"a", "e", "z"}), write({"d", "f"}), seen));
  CHECK(seen.objects_read == 1);
  CHECK_FALSE(race(1, isolation::serializable, read({"a", "f", "z"}), write({"d", "f"}), seen));
  CHECK(race(16, isolation::serializable, read({spread.between}), write({spread.low, spread.high}), seen));
  CHECK(seen.compared == 1);
  CHECK(seen.objects_read == 0);
  // Who writes without blocking compares nothing.
  CHECK(race(1, isolation::non_blocking, write({"e"}), write({"e"}), seen));
  CHECK(seen.compared == 0);
  CHECK(race(1, isolation::snapshot, read({"e"}), write({"e"}), seen));
  CHECK(seen.compared == 0);
}

TEST_CASE("composite keys conflict part by part, and ranges of them by their order") {
  memory_store store;
  client one{store};
  client two{store};
  one.run([](auto& tx) {
       return tx.create_table("t", {{"a", column_type::integer}, {"b", column_type::string}, "v"}, keyed{{"a", "b"}});
     })
      .value();
  const auto write = [](std::int64_t a, std::string_view b) {
    return [=](auto& tx) { return tx.upsert("t", {a, b, 0}); };
  };
  const auto conflicts = [&](auto mine, auto theirs) {
    auto tx = one.begin().value();
    mine(tx).value();
    two.run(theirs).value();
    return !commits(tx);
  };
  CHECK(conflicts(write(1, "m"), write(1, "m")));
  CHECK_FALSE(conflicts(write(1, "m"), write(1, "n")));
  CHECK_FALSE(conflicts(write(1, "m"), write(-1, "m")));
  CHECK(one.core()->conflicts.objects_read == 1);  // of the first race: the boxes of the others are disjoint
  const auto range = [](auto& tx) -> status {
    auto scan = tx.scan("t", {2, "b"}, {4, "b"}).value();
    while (scan.next()) continue;
    return tx.upsert("t", {9, "total", 0});
  };
  CHECK(conflicts(range, write(2, "b")));
  CHECK(conflicts(range, write(3, "zzz")));
  CHECK_FALSE(conflicts(range, write(2, "a")));
  CHECK_FALSE(conflicts(range, write(4, "b")));
}

TEST_CASE("a transaction that has read more keys than the limit has read the table, inserted keys do not count") {
  client_options options;
  options.bounds.read_keys_max = 3;
  conflict_statistics seen;
  const auto write_z = [](auto& tx) { put(tx, "z", 1); };
  const auto read = [](int keys) {
    return [=](auto& tx) {
      for (int round = 0; round < 3; ++round)  // the same ones again count once
        for (char key = 'a'; key < 'a' + keys; ++key) (void)get(tx, std::string(1, key));
      tx.create_table("other", {"v"}).value();
    };
  };
  const auto insert = [](int keys) {
    return [=](auto& tx) {
      for (int key = 0; key < keys; ++key) tx.insert("t", {"new" + std::to_string(key), 1}).value();
    };
  };
  const auto update = [](auto& tx) {
    for (char key = 'a'; key < 'k'; ++key) tx.update("t", {std::string(1, key)}, {{"v", 2}}).value();
  };
  CHECK(race(1, isolation::serializable, read(3), write_z, seen, options));
  CHECK_FALSE(race(1, isolation::serializable, read(4), write_z, seen, options));
  CHECK(race(1, isolation::snapshot, read(4), write_z, seen, options));
  for (const isolation level : {isolation::serializable, isolation::snapshot}) {
    CHECK(race(1, level, insert(10), write_z, seen, options));
    CHECK(race(1, level, update, write_z, seen, options));
  }
  CHECK(race(1, isolation::non_blocking, insert(3), write_z, seen, options));
  CHECK_FALSE(race(1, isolation::non_blocking, insert(4), write_z, seen, options));
}

TEST_CASE("a winner's object that is gone, or damaged, is never followed") {
  memory_store store;
  client one{store, tarn_test::with_stored_objects()};
  client two{store};
  one.run([&](auto& tx) { return tx.create_table("t", {{"k", column_type::string}, "v"}, keyed{{"k"}}); }).value();
  for (const bool gone : {true, false}) {
    auto tx = one.begin().value();
    put(tx, "k", 1);
    const std::vector<std::string> before = names_in(store, "_table_t_");
    auto won = two.begin().value();
    put(won, "k", 2);
    won.commit().value();
    std::string name;
    for (const std::string& each : names_in(store, "_table_t_"))
      if (std::find(before.begin(), before.end(), each) == before.end()) name = each;
    REQUIRE(!name.empty());
    REQUIRE(store.remove(name).has_value());
    if (!gone) REQUIRE(store.put_if_absent(name, "damage").outcome() == put_outcome::created);
    const result<version> refused = tx.commit();
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::corrupt);
    CHECK(refused.error().message().find(name) != std::string::npos);
  }
}

TEST_CASE("what is committed between is read once, also by later commits of the same client") {
  memory_store store;
  client one{store};
  client two{store};
  one.run([&](auto& tx) { return tx.create_table("t", {{"k", column_type::string}, "v"}, keyed{{"k"}}); }).value();
  auto first = one.begin().value();
  auto second = one.begin().value();
  for (auto* const tx : {&first, &second}) {
    (void)get(*tx, "b");
    (void)get(*tx, "d");
    put(*tx, tx == &first ? "x" : "y", 1);
  }
  two.run([](auto& tx) { return tx.upsert("t", {{"a", 1}, {"c", 1}}); }).value();
  CHECK(commits(first));
  CHECK(one.core()->conflicts.objects_read == 1);
  CHECK(commits(second));
  CHECK(one.core()->conflicts.objects_read == 1);
  CHECK(one.core()->conflicts.compared > 2);
}
