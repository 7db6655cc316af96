// Restoring an older version, and tags, which name versions.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <vector>

#include "../support/rows_as_text.hpp"
#include "../support/stores.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

// What all tables hold, with their names.
template <class Transaction>
[[nodiscard]] std::string contents(Transaction& tx) {
  std::string all;
  for (const std::string& table : tx.tables().value())
    all += (all.empty() ? "" : " | ") + table + ": " + sorted_rows_as_text(tx, table);
  return all;
}
template <class Lake>
[[nodiscard]] std::string contents_now(Lake& lake) {
  auto tx = lake.begin().value();
  return contents(tx);
}
template <class Lake>
[[nodiscard]] std::string contents_at(Lake& lake, std::int64_t at) {
  auto tx = lake.begin_at(version{at}).value();
  return contents(tx);
}

template <class Result>
void check_refused(const Result& outcome, errc code, std::string_view why) {
  REQUIRE_FALSE(outcome.has_value());
  CAPTURE(outcome.error().message());
  CHECK(outcome.error().code() == code);
  CHECK(outcome.error().message().find(why) != std::string::npos);
}

// The tables that an entry says anything of.
template <class Lake>
[[nodiscard]] std::string tables_named(Lake& lake, std::int64_t at) {
  const logged_entry found = get_entry(lake.store(), version{at}, limits()).value();
  std::string all;
  for (const auto& [table, actions] : found.content.actions) all += (all.empty() ? "" : " ") + table;
  return all;
}

// "u" is keyed, "b" a bag, both with the columns k and v.
template <class Lake>
void create_tables(Lake& lake, const fold_rule& fold = latest()) {
  auto tx = lake.begin().value();
  tx.create_table("b", {{"k", column_type::integer}, "v"}).value();
  tx.create_table("u", {{"k", column_type::integer}, "v", {"o", column_type::integer}}, keyed{{"k"}, 1, fold}).value();
  tx.commit().value();
}

template <class Place, class Merge>
struct setting {
  using place = Place;
  using lake_type = client<typename Place::store, json_codec, Merge>;
};

#define TARN_EACH_MERGE                                                                                          \
  setting<in_memory, merge::by_key>, setting<in_memory, merge::by_position>, setting<in_memory, merge::derived>, \
      setting<in_files, merge::derived>

// Entries that say something of a version's state that the client does not write by itself.
template <class Lake>
[[nodiscard]] version commit_by_hand(Lake& lake, entry mine) {
  return commit_entry(*lake.core(), lake.newest_snapshot().value(), std::move(mine), accept_all).value();
}

}  // namespace

TEST_CASE_TEMPLATE("C16: version 3 is restored at version 9, then rows are inserted, then version 9 is restored",
                   Setting, TARN_EACH_MERGE) {
  typename Setting::place store;
  typename Setting::lake_type lake(store.open());
  create_tables(lake, by_ordering("o"));
  const auto change = [&](auto work) { return lake.run([&](auto& tx) { return work(tx); }).value().number; };
  change([](auto& tx) { return tx.insert("b", {{1, "a"}, {2, "b"}}); });
  change([](auto& tx) { return tx.upsert("u", {{1, "a", 1}, {2, "b", 1}, {3, "c", 1}}); });
  change([](auto& tx) { return tx.erase("u", {2}); });
  const std::string third = "b: k=1 v=a; k=2 v=b | u: k=1 v=a o=1; k=3 v=c o=1";
  CHECK(contents_now(lake) == third);
  change([](auto& tx) { return tx.upsert("u", {{2, "B", 2}, {4, "d", 2}}); });
  CHECK(lake.compact("u").value() == version{5});
  change([](auto& tx) { return tx.erase("u", {1}, 7); });
  change([](auto& tx) { return tx.insert("b", {3, "c"}); });
  change([](auto& tx) { return tx.add_column("b", "w"); });
  CHECK(change([](auto& tx) { return tx.upsert("u", {3, "C", 3}); }) == 9);
  const std::string ninth =
      "b: k=1 v=a w=null; k=2 v=b w=null; k=3 v=c w=null | u: k=2 v=B o=2; k=3 v=C o=3; k=4 v=d o=2";
  CHECK(contents_now(lake) == ninth);

  CHECK(lake.restore(version{3}).value() == version{10});
  CHECK(contents_now(lake) == third);
  change([](auto& tx) {
    tx.upsert("u", {{1, "new", 5}, {5, "e", 5}}).value();
    return tx.insert("b", {9, "z"});
  });
  const std::string changed = "b: k=1 v=a; k=2 v=b; k=9 v=z | u: k=1 v=new o=5; k=3 v=c o=1; k=5 v=e o=5";
  CHECK(contents_now(lake) == changed);
  CHECK(lake.restore(version{9}).value() == version{12});
  CHECK(contents_now(lake) == ninth);
  // Tombstones were restored too: what comes late stays hidden.
  change([](auto& tx) { return tx.upsert("u", {1, "late", 6}); });
  CHECK(contents_now(lake) == ninth);
  CHECK(lake.compact("u").value() == version{14});
  CHECK(contents_now(lake) == ninth);
  change([](auto& tx) { return tx.upsert("u", {1, "back", 7}); });
  CHECK(contents_now(lake).find("k=1 v=back o=7") != std::string::npos);

  typename Setting::lake_type other(store.open());
  CHECK(contents_at(other, 3) == third);
  CHECK(contents_at(other, 9) == ninth);
  CHECK(contents_at(other, 10) == third);
  CHECK(contents_at(other, 11) == changed);
  CHECK(contents_at(other, 12) == ninth);
  CHECK(other.restore(version{10}).value() == version{16});
  CHECK(contents_now(other) == third);
}

TEST_CASE_TEMPLATE("tables that were created, dropped, created again or altered since are what they were", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  create_tables(lake);
  lake.run([](auto& tx) -> status {
        tx.create_table("same", {"n"}).value();
        tx.insert("same", {1}).value();
        tx.create_table("Case", {"n"}).value();
        tx.insert("Case", {2}).value();
        tx.insert("b", {1, "a"}).value();
        return tx.upsert("u", {1, "a", 1});
      })
      .value();
  const std::string before = contents_now(lake);
  lake.run([](auto& tx) -> status {
        tx.drop_table("b").value();
        tx.drop_table("Case").value();
        tx.create_table("cASE", {"other"}).value();
        tx.create_table("new", {"n"}).value();
        tx.drop_column("u", "v").value();
        tx.rename_column("u", "k", "key").value();
        return tx.upsert("u", {1, 9});
      })
      .value();
  lake.run([](auto& tx) { return tx.create_table("b", {"x"}); }).value();
  const std::string after = contents_now(lake);
  CHECK(after == "b:  | cASE:  | new:  | same: n=1 | u: key=1 o=9");
  CHECK(lake.restore(version{1}).value() == version{4});
  CHECK(contents_now(lake) == before);
  CHECK(tables_named(lake, 4) == "b Case new u");  // not the one that is the same
  client other{store.open()};
  CHECK(contents_now(other) == before);
  CHECK(other.restore(version{3}).value() == version{5});
  CHECK(contents_now(other) == after);
  CHECK(contents_now(lake) == after);
  CHECK(lake.restore(version{0}).value() == version{6});
  CHECK(contents_now(lake) == "b:  | u: ");
  const auto log = get_entry(lake.store(), version{6}, limits()).value();
  CHECK(log.content.operation == "restore");
}

TEST_CASE_TEMPLATE("deletions of rows of a bag, its updates and compactions are undone and restored", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  create_tables(lake);
  lake.run([](auto& tx) { return tx.insert("b", {{1, "a"}, {2, "b"}, {3, "c"}}); }).value();
  auto tx = lake.begin().value();
  CHECK(tx.erase_where("b", {{"k", equals, 1}}).value() == 1);
  CHECK(tx.update_where("b", {{"k", equals, 2}}, {{"v", "B"}}).value() == 1);
  tx.commit().value();
  CHECK(lake.compact("b").value() == version{3});
  const std::string changed = "b: k=2 v=B; k=3 v=c | u: ";
  CHECK(contents_now(lake) == changed);
  client other{store.open()};
  for (const std::int64_t to : {1, 2, 1, 3, 2}) {
    const std::int64_t head = other.restore(version{to}).value().number;
    CHECK(contents_now(lake) == (to == 1 ? "b: k=1 v=a; k=2 v=b; k=3 v=c | u: " : changed));
    CHECK(tables_named(lake, head) == "b");
  }
}

TEST_CASE("ids of columns are not given again after a restore") {
  client lake{memory_store{}};
  create_tables(lake);
  lake.run([](auto& tx) -> status {
        tx.add_column("b", "x").value();
        return tx.insert("b", {1, "a", "of x"});
      })
      .value();
  CHECK(lake.restore(version{0}).value() == version{2});
  lake.run([](auto& tx) { return tx.add_column("b", "y"); }).value();
  auto tx = lake.begin().value();
  CHECK(tx.columns("b").value()[2].id == column_id{4});
  auto old = lake.begin_at(version{1}).value();
  CHECK(old.columns("b").value()[2].id == column_id{3});
}

TEST_CASE("restoring what there is writes nothing, and brings back neither sequences nor tags") {
  memory_store store;
  client lake{store};
  create_tables(lake);
  CHECK(lake.restore(version{0}).value() == version{0});
  auto tx = lake.begin().value();
  tx.insert("b", {1, "a"}).value();
  tx.commit(application_sequence{"loader", 7}).value();
  lake.tag("one", version{1}).value();
  CHECK(lake.restore(version{1}).value() == version{2});
  CHECK(lake.restore(version{0}).value() == version{3});
  CHECK(lake.begin()->last_sequence("loader").value().work.sequence == 7);
  CHECK(lake.tags().value().size() == 1);
  CHECK(names_in(store, "_log_").size() == 4);
}

TEST_CASE("versions that are not there, or given up, cannot be restored or tagged; those with tags are kept") {
  client lake{memory_store{}};
  check_refused(lake.restore(version{0}), errc::not_found, "there is no version 0");
  create_tables(lake);
  for (std::int64_t at = 1; at < 5; ++at) lake.run([&](auto& tx) { return tx.insert("b", {at, "a"}); }).value();
  lake.tag("kept", version{1}).value();
  check_refused(lake.restore(version{9}), errc::not_found, "there is no version 9");
  check_refused(lake.restore(version{-1}), errc::not_found, "there is no version -1");
  check_refused(lake.tag("x", version{9}), errc::not_found, "there is no version 9");
  check_refused(lake.tag("x", version{-1}), errc::not_found, "there is no version -1");
  entry vacuum;
  vacuum.operation = "vacuum";
  vacuum.vacuums = true;
  vacuum.kept.oldest = {3};
  CHECK(commit_by_hand(lake, vacuum) == version{6});
  check_refused(lake.restore(version{2}), errc::snapshot_expired, "the oldest that is kept is 3");
  check_refused(lake.tag("x", version{2}), errc::snapshot_expired, "the oldest that is kept is 3");
  CHECK(lake.restore(version{1}).value() == version{7});
  CHECK(lake.tag("again", version{1}).value() == version{8});
  CHECK(lake.restore(version{3}).value() == version{9});
}

TEST_CASE("an entry that would be too long is not committed") {
  memory_store store;
  client lake{store};
  create_tables(lake);
  for (std::int64_t at = 1; at <= 12; ++at) lake.run([&](auto& tx) { return tx.insert("b", {at, "a"}); }).value();
  CHECK(lake.restore(version{0}).value() == version{13});
  client_options options;
  options.bounds.entry_bytes_max = 1'500;  // more than any entry so far has, less than 12 objects need
  client strict{store, options};
  check_refused(strict.restore(version{12}), errc::limit_exceeded, "entry_bytes_max");
  CHECK(lake.restore(version{12}).value() == version{14});
}

TEST_CASE_TEMPLATE("a restore conflicts with whatever others do with the tables meanwhile", Lake, TARN_EACH_STORE) {
  for (const isolation level : {isolation::serializable, isolation::snapshot, isolation::non_blocking}) {
    CAPTURE(static_cast<int>(level));
    Lake store;
    client lake{store.open()};
    client other{store.open()};
    create_tables(lake);
    lake.run([](auto& tx) -> status {
          tx.insert("b", {1, "a"}).value();
          return tx.upsert("u", {1, "a", 1});
        })
        .value();
    // Others against a winner that restores.
    const auto loses = [&](auto work) {
      auto tx = lake.begin(level).value();
      work(tx).value();
      const version to{lake.newest_snapshot().value()->find_table("b")->objects.size() == 0 ? 1 : 0};
      other.restore(to).value();
      return tx.commit();
    };
    check_refused(loses([](auto& tx) { return tx.insert("b", {2, "b"}); }), errc::conflict, "restored");
    check_refused(loses([](auto& tx) { return tx.upsert("u", {2, "b", 1}); }), errc::conflict, "restored");
    check_refused(loses([](auto& tx) { return tx.rename_column("b", "k", "key"); }), errc::conflict, "restored");
    check_refused(loses([](auto& tx) { return tx.drop_table("b"); }), errc::conflict, "restored");
  }
  // A restore against winners: it was decided at one version, and is committed after theirs.
  const auto restores_after = [](auto work, std::string_view why) {
    memory_store store;
    client lake{store};
    create_tables(lake);
    lake.run([](auto& tx) { return tx.upsert("u", {1, "a", 1}); }).value();
    lake.run([](auto& tx) { return tx.upsert("u", {2, "b", 1}); }).value();
    const shared_snapshot then = lake.snapshot_at(version{1}).value();
    const shared_snapshot now = lake.newest_snapshot().value();
    client other{store};
    work(other);
    const result<version> committed = restore_tables(*lake.core(), now, then);
    if (!why.empty()) return check_refused(committed, errc::conflict, why);
    CHECK(committed.has_value());
  };
  const auto run = [](auto work) {
    return [work](auto& lake) { lake.run([&](auto& tx) { return work(tx); }).value(); };
  };
  restores_after(run([](auto& tx) { return tx.upsert("u", {3, "c", 1}); }), "u");
  restores_after([](auto& lake) { lake.compact("u").value(); }, "u");
  restores_after(run([](auto& tx) { return tx.rename_column("u", "v", "w"); }), "u");
  restores_after(run([](auto& tx) { return tx.drop_table("u"); }), "u");
  restores_after([](auto& lake) { lake.restore(version{0}).value(); }, "u");
  restores_after(run([](auto& tx) { return tx.insert("b", {1, "a"}); }), "b");  // it was to stay as it is
  restores_after(run([](auto& tx) { return tx.create_table("new", {"n"}); }), "new");
  restores_after([](auto& lake) { lake.tag("x", version{0}).value(); }, "");
  restores_after(
      [](auto& lake) {
        entry vacuum;
        vacuum.vacuums = true;
        vacuum.kept.oldest = {2};
        (void)commit_by_hand(lake, vacuum);
      },
      "vacuum");
}

TEST_CASE_TEMPLATE("D7: after two restores a base is current since the second", Setting, TARN_EACH_MERGE) {
  typename Setting::place store;
  typename Setting::lake_type lake(store.open());
  const auto write = [&](auto work) {
    auto tx = lake.begin(isolation::non_blocking).value();
    work(tx).value();
    return tx.commit().value();
  };
  write([](auto& tx) -> status {
    tx.create_table("u", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
    return tx.upsert("u", {{1, "a"}, {2, "b"}, {3, "c"}});  // base A
  });
  write([](auto& tx) { return tx.erase("u", {1}); });
  CHECK(lake.compact("u").value() == version{2});  // base C: 2, 3
  CHECK(lake.restore(version{0}).value() == version{3});
  auto tx = lake.begin(isolation::non_blocking).value();
  (void)tx.get("u", {3}).value();  // its position, in A, is recorded
  tx.upsert("u", {3, "C"}).value();
  auto late = lake.begin(isolation::non_blocking).value();
  late.upsert("u", {3, "lost"}).value();
  CHECK(tx.commit().value() == version{4});
  CHECK(lake.restore(version{2}).value() == version{5});
  check_refused(late.commit(), errc::conflict, "u");
  // What the rules have refused is done by hand: T's block, of a reader of version 3, after the second restore.
  const logged_entry block = get_entry(lake.store(), version{4}, limits()).value();
  entry mine;
  mine.operation = "write";
  mine.actions = block.content.actions;
  CHECK(commit_by_hand(lake, mine) == version{6});
  auto reading = lake.begin().value();
  auto scan = reading.verifying_scan("u").value();
  while (scan.next()) {
  }
  REQUIRE_MESSAGE(scan.status().has_value(), (scan.status() ? std::string() : scan.status().error().message()));
  CHECK(scan.statistics().merged.blocks_by_position == 0);
  CHECK(rows_as_text(reading, "u") == "k=2 v=b; k=3 v=C");
}

TEST_CASE_TEMPLATE("D8: a compaction that was planned before a restore does not commit after it", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  create_tables(lake);
  for (std::int64_t at = 1; at <= 3; ++at) lake.run([&](auto& tx) { return tx.upsert("u", {at, "a", 1}); }).value();
  const std::string third = contents_now(lake);
  CHECK(lake.restore(version{2}).value() == version{4});
  const auto plans = lake.plan_compaction("u").value();
  REQUIRE(plans.size() == 1);
  CHECK(plans[0].objects.size() == 2);
  const compacted_objects done = lake.run_compaction(plans[0]).value();
  client other{store.open()};
  CHECK(other.restore(version{3}).value() == version{5});
  check_refused(lake.commit_compaction(done), errc::conflict, "u");
  CHECK(contents_now(lake) == third);
  // And by itself: what was not folded comes before the new base.
  entry mine;
  mine.operation = "compact";
  mine.actions.find_or_insert("u") = compaction_actions(*lake.newest_snapshot().value()->find_table("u"), done);
  const auto forced = commit_entry(*lake.core(), lake.newest_snapshot().value(), std::move(mine), accept_all);
  check_refused(forced, errc::corrupt, "out of order");
  CHECK(contents_now(lake) == third);
}

TEST_CASE_TEMPLATE("tags name versions, are listed by name, and are taken away", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  create_tables(lake);
  lake.run([](auto& tx) { return tx.insert("b", {1, "a"}); }).value();
  CHECK(lake.tags().value().empty());
  CHECK(lake.tag("release 2", version{1}).value() == version{2});
  CHECK(lake.tag("empty", version{0}).value() == version{3});
  CHECK(lake.tag("Release 2", version{1}).value() == version{4});
  client other{store.open()};
  const auto all = [](auto& reader) {
    std::string text;
    for (const version_tag& each : reader.tags().value())
      text += each.name + "=" + std::to_string(each.at.number) + " ";
    return text;
  };
  CHECK(all(other) == "Release 2=1 empty=0 release 2=1 ");
  CHECK(contents_at(other, other.tags().value()[1].at.number) == "b:  | u: ");
  check_refused(other.tag("empty", version{1}), errc::exists, "version 0");
  check_refused(other.tag("empty", version{0}), errc::exists, "untag it first");
  check_refused(other.tag("", version{0}), errc::invalid_name, "1 to 128 bytes");
  check_refused(other.tag(std::string(129, 'x'), version{0}), errc::invalid_name, "1 to 128 bytes");
  check_refused(other.tag("\xff", version{0}), errc::invalid_name, "UTF-8");
  check_refused(other.untag("none"), errc::not_found, "there is no tag 'none'");
  CHECK(other.untag("empty").value() == version{5});
  CHECK(all(lake) == "Release 2=1 release 2=1 ");
  CHECK(lake.tag("empty", version{1}).value() == version{6});
  CHECK(all(other) == "Release 2=1 empty=1 release 2=1 ");
  // Tags are in no one's way, nor are tables in theirs.
  auto tx = lake.begin().value();
  (void)contents(tx);
  tx.insert("b", {2, "b"}).value();
  other.tag("meanwhile", version{0}).value();
  CHECK(tx.commit().has_value());
}

TEST_CASE("two that change one tag at once cannot both") {
  memory_store store;
  client lake{store};
  client other{store};
  create_tables(lake);
  lake.tag("old", version{0}).value();
  const shared_snapshot now = lake.newest_snapshot().value();
  other.untag("old").value();
  check_refused(untag_version(*lake.core(), now, "old"), errc::conflict, "'old'");
  const shared_snapshot later = lake.newest_snapshot().value();
  other.tag("x", version{1}).value();
  other.run([](auto& tx) { return tx.insert("b", {1, "a"}); }).value();
  check_refused(tag_version(*lake.core(), later, "x", version{0}), errc::conflict, "'x'");
  CHECK(tag_version(*lake.core(), later, "y", version{0}).has_value());
  entry vacuum;
  vacuum.vacuums = true;
  vacuum.kept.oldest = {1};
  const shared_snapshot last = lake.newest_snapshot().value();
  (void)commit_by_hand(other, vacuum);
  check_refused(tag_version(*lake.core(), last, "z", version{0}), errc::conflict, "vacuum");
  CHECK(tag_version(*lake.core(), last, "z", version{1}).has_value());
}
