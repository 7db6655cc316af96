// What a keyed table answers: keys, errors, conflicts, ranges, and which way its scans took.
#include <doctest/doctest.h>

#include <string>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/keyed_story.hpp"
#include "../support/reading.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

const schema users{{"id", column_type::integer}, "name", {"at", column_type::integer}};

template <class Transaction>
void create_users(Transaction& tx, std::uint32_t buckets = 1) {
  tx.create_table("users", users, keyed{{"id"}, buckets}).value();
}

template <class Result>
errc code_of(const Result& failed) {
  REQUIRE_FALSE(failed.has_value());
  return failed.error().code();
}

// Everything is placed by positions that were counted in whatever base, as long as there are any.
struct believes_all {
  static constexpr bool records_positions = true;
  [[nodiscard]] static bool positions_hold(const block_header&, const uuid&, version) noexcept { return true; }
};

}  // namespace

TEST_CASE_TEMPLATE("keys of all kinds, composite ones too, tell rows apart", Place, TARN_EACH_STORE) {
  const Place place;
  client lake{place.open()};
  auto tx = lake.begin().value();
  const schema columns{{"i", column_type::integer},
                       {"s", column_type::string},
                       {"y", column_type::bytes},
                       {"b", column_type::boolean},
                       "v"};
  tx.create_table("all", columns, keyed{{"s", "b", "i", "y"}, 7}).value();
  const std::vector<row> rows{
      {1, "a", bytes{"bc"}, true, 1},  {1, "ab", bytes{"c"}, true, 2},
      {-1, "a", bytes{"bc"}, true, 3}, {1, "a", bytes{"bc"}, false, 4},
      {1, "", bytes{""}, true, 5},     {INT64_MIN, "a", bytes{std::string_view("\0", 1)}, true, 6}};
  tx.upsert("all", rows).value();
  tx.commit().value();
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "all").size() == rows.size());
  for (const row& each : rows)
    CHECK(reading.get("all", {value_view(each[1]), value_view(each[3]), value_view(each[0]), value_view(each[2])})
              .value() == each);
}

TEST_CASE("a key is declared, named once and never null") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  CHECK(code_of(tx.create_table("t", {"a"}, keyed{{"a"}})) == errc::invalid_argument);  // of any type
  CHECK(code_of(tx.create_table("t", {{"a", column_type::real}}, keyed{{"a"}})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{"who"}})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{}})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{"id", "id"}})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{"id"}, 0})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{"id"}, 5'000})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{"id"}, 1, by_ordering("name")})) == errc::invalid_argument);
  CHECK(code_of(tx.create_table("t", users, keyed{{"id"}, 1, by_ordering("")})) == errc::invalid_argument);
  create_users(tx);
  CHECK(code_of(tx.upsert("users", {nullptr, "x", 1})) == errc::invalid_argument);
  CHECK(code_of(tx.upsert("users", {"1", "x", 1})) == errc::invalid_argument);
  CHECK(code_of(tx.get("users", {1, 2})) == errc::invalid_argument);
  CHECK(code_of(tx.get("users", {"1"})) == errc::invalid_argument);
  CHECK(code_of(tx.erase("users", {nullptr})) == errc::invalid_argument);
  CHECK(code_of(tx.erase("users", {1}, 5)) == errc::invalid_argument);  // it has no ordering
  tx.create_table("bag", {"a"}).value();
  CHECK(code_of(tx.upsert("bag", {1})) == errc::invalid_argument);
  CHECK(code_of(tx.get("bag", {1})) == errc::invalid_argument);
  CHECK(code_of(tx.upsert("missing", {1})) == errc::no_such_table);
}

TEST_CASE_TEMPLATE("a transaction sees its own writes, flushed or not", Place, TARN_EACH_STORE) {
  const Place place;
  client lake{place.open()};
  auto tx = lake.begin().value();
  create_users(tx, 3);
  tx.insert("users", {{1, "Ada", 1}, {2, "Bob", 2}, {3, "Cyd", 3}}).value();
  CHECK(code_of(tx.insert("users", {2, "again", 0})) == errc::exists);
  tx.flush().value();
  CHECK(code_of(tx.insert("users", {2, "again", 0})) == errc::exists);
  tx.update("users", {2}, {{"name", "Bill"}}).value();
  tx.erase("users", {1}).value();
  CHECK(tx.get("users", {2}).value() == row{2, "Bill", 2});
  CHECK(code_of(tx.get("users", {1})) == errc::not_found);
  CHECK(rows_of(tx, "users").size() == 2);
  tx.insert("users", {1, "new", 0}).value();
  CHECK(code_of(tx.update("users", {9}, {{"name", "x"}})) == errc::not_found);
  CHECK(code_of(tx.update("users", {2}, {{"id", 7}})) == errc::invalid_argument);
  CHECK(code_of(tx.update("users", {2}, {{"what", 7}})) == errc::invalid_argument);
  CHECK(code_of(tx.update("users", {2}, {{"at", "x"}})) == errc::invalid_argument);
  tx.commit().value();
  auto reading = lake.begin().value();
  CHECK(reading.get("users", {1}).value() == row{1, "new", 0});
  CHECK(reading.get("users", {3}).value() == row{3, "Cyd", 3});
}

TEST_CASE("an insert is late if a greater ordering hides it") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("users", users, keyed{{"id"}, 1, by_ordering("at")}).value();
  tx.upsert("users", {1, "Ada", 10}).value();
  tx.erase("users", {1}, 12).value();
  CHECK(code_of(tx.insert("users", {1, "late", 11})) == errc::late);
  tx.insert("users", {1, "in time", 12}).value();
  CHECK(code_of(tx.erase("users", {1}, "12")) == errc::invalid_argument);
  CHECK(tx.get("users", {1}).value() == row{1, "in time", 12});
}

TEST_CASE("rows are read from a key on, up to another") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  create_users(tx);
  for (int id = -5; id < 5; ++id) tx.upsert("users", {id, "x", 0}).value();
  const auto ids = [&](auto scan) {
    std::vector<std::int64_t> found;
    for (const row_view each : scan.value()) found.push_back(each[0].as_integer());
    return found;
  };
  CHECK(ids(tx.scan("users", {-2}, {2})) == std::vector<std::int64_t>{-2, -1, 0, 1});
  CHECK(ids(tx.scan("users", {4}, {100})) == std::vector<std::int64_t>{4});
  CHECK(ids(tx.scan("users", {3}, {3})).empty());
  CHECK(ids(tx.scan("users")).size() == 10);
}

TEST_CASE("concurrent writers of a key conflict, unless they do not want to; those of other keys do not") {
  client lake{memory_store{}};
  {
    auto tx = lake.begin().value();
    create_users(tx);
    tx.upsert("users", {1, "first", 0}).value();
    tx.commit().value();
  }
  const auto race = [&](isolation level, auto work) {
    auto mine = lake.begin(level).value();
    work(mine);
    auto theirs = lake.begin(isolation::non_blocking).value();
    theirs.upsert("users", {2, "theirs", 0}).value();
    theirs.commit().value();
    const auto committed = mine.commit();
    CHECK((committed || committed.error().code() == errc::conflict));
    return committed.has_value();
  };
  const auto upserts = [](auto& tx) { tx.upsert("users", {2, "mine", 0}).value(); };
  const auto upserts_another = [](auto& tx) { tx.upsert("users", {3, "mine", 0}).value(); };
  const auto scans = [](auto& tx) {
    (void)rows_of(tx, "users");
    tx.create_table("t" + to_text(tx.id()), {"a"}).value();
  };
  const auto updates = [](auto& tx) { tx.update("users", {2}, {{"name", "updated"}}).value(); };
  const auto updates_another = [](auto& tx) { tx.update("users", {1}, {{"name", "updated"}}).value(); };
  CHECK_FALSE(race(isolation::serializable, upserts));
  CHECK_FALSE(race(isolation::snapshot, upserts));
  CHECK(race(isolation::non_blocking, upserts));
  CHECK_FALSE(race(isolation::serializable, scans));
  CHECK(race(isolation::snapshot, scans));
  CHECK(race(isolation::non_blocking, scans));
  CHECK_FALSE(race(isolation::non_blocking, updates));  // it has relied on what the row was
  for (const isolation level : {isolation::serializable, isolation::snapshot, isolation::non_blocking}) {
    CHECK(race(level, upserts_another));
    CHECK(race(level, updates_another));
  }
}

TEST_CASE("compaction gets in nobody's way, and drops get in its") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  create_users(tx);
  tx.upsert("users", {1, "a", 0}).value();
  tx.commit().value();
  const auto change = [&](int id) {
    auto writing = lake.begin().value();
    writing.upsert("users", {id, "b", 0}).value();
    return writing;
  };
  change(2).commit().value();
  auto open = change(3);
  lake.compact("users").value();
  open.commit().value();  // serializable, and not disturbed
  const auto plans = lake.plan_compaction("users").value();
  REQUIRE(plans.size() == 1);
  const auto done = lake.run_compaction(plans[0]).value();
  change(4).commit().value();
  lake.commit_compaction(done).value();
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "users").size() == 4);
  CHECK(code_of(lake.commit_compaction(done)) == errc::conflict);
  CHECK(code_of(lake.compact("nothing")) == errc::no_such_table);

  const auto next = lake.run_compaction(lake.plan_compaction("users").value()[0]).value();
  auto dropping = lake.begin().value();
  dropping.drop_table("users").value();
  dropping.commit().value();
  CHECK(code_of(lake.commit_compaction(next)) == errc::conflict);
}

TEST_CASE("a plan is stored as text, and read by another client") {
  const memory_store store;
  client lake{store};
  auto tx = lake.begin().value();
  create_users(tx, 2);
  tx.upsert("users", {{1, "a", 0}, {2, "b", 0}, {3, "c", 0}, {4, "d", 0}}).value();
  tx.commit().value();
  auto erasing = lake.begin().value();
  for (const int id : {1, 2, 3, 4}) erasing.erase("users", {id}).value();
  erasing.commit().value();
  client other{store};
  for (const compaction_plan& plan : lake.plan_compaction("users").value()) {
    const compaction_plan read = read_plan(to_text(plan)).value();
    CHECK(to_text(read) == to_text(plan));
    other.commit_compaction(other.run_compaction(read).value()).value();
    const auto refuses = [&](auto change) {
      compaction_plan wrong = read;
      change(wrong);
      return code_of(other.run_compaction(wrong)) == errc::invalid_argument;
    };
    CHECK(refuses([](compaction_plan& wrong) { wrong.objects.pop_back(); }));
    CHECK(refuses([](compaction_plan& wrong) { std::swap(wrong.objects[0], wrong.objects[1]); }));
    CHECK(refuses([](compaction_plan& wrong) { wrong.bucket = 2; }));
    CHECK(refuses([](compaction_plan& wrong) { wrong.table = "nobody"; }));
    CHECK(refuses([](compaction_plan& wrong) { wrong.table_id = {1, 1}; }));
    CHECK(refuses([](compaction_plan& wrong) { wrong.objects.clear(); }));
  }
  CHECK(lake.plan_compaction("users").value().empty());
  CHECK(code_of(read_plan("{}")) == errc::corrupt);
  CHECK(code_of(read_plan("[")) == errc::corrupt);
}

TEST_CASE("a plan is renewed for what its bucket has now, unless its table was dropped or is another one") {
  client lake{memory_store{}};
  const auto change = [&](auto work) { lake.run(work).value(); };
  change([](auto& tx) {
    create_users(tx);
    return tx.upsert("users", {1, "a", 0});
  });
  change([](auto& tx) { return tx.upsert("users", {2, "b", 0}); });
  compaction_plan plan = lake.plan_compaction("users").value()[0];
  change([](auto& tx) { return tx.upsert("users", {3, "c", 0}); });
  CHECK(renew_plan(plan, *lake.newest_snapshot().value()));
  CHECK(plan.objects.size() == 3);
  CHECK(plan.at == version{2});
  change([](auto& tx) { return tx.drop_table("users"); });
  CHECK_FALSE(renew_plan(plan, *lake.newest_snapshot().value()));
  change([](auto& tx) {
    create_users(tx);
    return tx.upsert("users", {1, "a", 0});
  });
  CHECK_FALSE(renew_plan(plan, *lake.newest_snapshot().value()));
}

TEST_CASE("what stops a compaction of keys is told, and nothing is committed") {
  test_environment hands;
  client_options options;
  options.surroundings = hands.get();
  options.bounds.row_bytes_max = 100;
  client lake{memory_store{}, options};
  lake.run([](auto& tx) { return tx.create_table("t", {{"k", column_type::integer}, "v"}, keyed{{"k"}}); }).value();
  for (const int key : {1, 2}) lake.run([&](auto& tx) { return tx.upsert("t", {key, std::string(80, 'x')}); }).value();
  hands.has_entropy = false;
  CHECK(lake.run_compaction(lake.plan_compaction("t").value()[0]).error().message().find("entropy") !=
        std::string::npos);
  hands.has_entropy = true;
  // Newer columns make the rows longer than the limit.
  for (const char* const name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "l"})
    lake.run([&](auto& tx) { return tx.add_column("t", {name}); }).value();
  const version before = lake.newest_snapshot().value()->at;
  CHECK(code_of(lake.compact("t")) == errc::limit_exceeded);
  CHECK(lake.newest_snapshot().value()->at == before);
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "t").size() == 2);
}

TEST_CASE("a fresh block is placed by position, a stale one in the same slice by key") {
  keyed_story<in_memory, merge::by_position> story({});
  story.commit({"a", "b", "c", "d"});
  auto stale = story.begin();
  decltype(story)::write_known(stale, "d=stale");
  story.commit({"-a"});
  story.compact();
  auto fresh = story.begin();
  decltype(story)::write_known(fresh, "c=fresh");
  fresh.commit().value();
  stale.commit().value();
  CHECK(story.rows() == "b c=fresh d=stale");
  const merge_statistics merged = story.how_merged();
  CHECK(merged.blocks_by_position == 1);
  CHECK(merged.blocks_by_key == 1);
  CHECK(merged.keys_by_position == 1);
  CHECK(merged.keys_by_key == 1);
}

TEST_CASE("explain says which objects are placed by position, and why others are not") {
  keyed_story<in_memory, merge::by_position> story({});
  const auto placed = [](auto& tx) {
    std::string all;
    for (const explained_run& each : tx.explain("t").value())
      all += concat({name_of(each.placed), " ", each.records, " ", each.at.number, "; "});
    return all;
  };
  story.commit({"a", "b", "c", "d"});
  auto stale = story.begin();
  decltype(story)::write_known(stale, "d=stale");
  story.commit({"-a"});
  story.compact();
  auto fresh = story.begin();
  CHECK(placed(fresh) == "base 3 2; ");
  decltype(story)::write_known(fresh, "c=fresh");
  CHECK(placed(fresh) == "base 3 2; by position 1 -1; ");
  fresh.commit().value();
  stale.commit().value();
  auto reading = story.begin();
  CHECK(placed(reading) == "base 3 2; by position 1 4; by key, its positions are not used 1 5; ");
  const explanation runs = reading.explain("t").value();
  CHECK(to_text(runs).starts_with(concat({"bucket 0: ", to_text(runs[0].object), ", 3 records, version "})));
  create_users(reading);
  CHECK(reading.explain("users").value().empty());
  CHECK(code_of(reading.explain("none")) == errc::no_such_table);
}

TEST_CASE("if every position holds, no key of the base is compared; by key, they are") {
  const auto merged_by = [](auto story) {
    story.commit({"a", "b", "c", "d"});
    auto tx = story.begin();
    decltype(story)::write_known(tx, "c=new");
    tx.commit().value();
    CHECK(story.rows() == "a b c=new d");
    return story.how_merged();
  };
  const merge_statistics by_position = merged_by(keyed_story<in_memory, merge::by_position>({}));
  CHECK(by_position.keys_by_position == 1);
  CHECK(by_position.base_keys_compared == 0);
  const merge_statistics derived = merged_by(keyed_story<in_memory, merge::derived>({}));
  CHECK(derived.keys_by_position == 1);
  CHECK(derived.base_keys_compared == 0);
  const merge_statistics by_key = merged_by(keyed_story<in_memory, merge::by_key>({}));
  CHECK(by_key.keys_by_position == 0);
  CHECK(by_key.base_keys_compared > 0);
}

TEST_CASE("a verifying scan names the object whose positions do not hold") {
  keyed_story<in_memory, believes_all> story({});
  story.commit({"a", "b", "c", "d"});
  auto stale = story.begin();
  decltype(story)::write_known(stale, "c=stale");
  story.commit({"-a"});
  story.compact();
  stale.commit().value();
  auto tx = story.begin();
  CHECK(rows_of(tx, "t").size() == 3);  // in range and in order, so not noticed: one row hides another
  auto verified = tx.verifying_scan("t").value();
  while (verified.next()) {
  }
  REQUIRE_FALSE(verified.status().has_value());
  CHECK(verified.status().error().code() == errc::corrupt);
  CHECK(verified.status().error().message().find("has a wrong position, at row 2, for the key (\"c\")") !=
        std::string::npos);
}

TEST_CASE("what a scan stands on is changed as it is now, and by its own transaction only") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  create_users(tx);
  tx.upsert("users", {{1, "Ada", 1}, {2, "Bob", 2}}).value();
  tx.commit().value();
  for (const bool flushes : {false, true}) {
    auto changing = lake.begin().value();
    auto scan = changing.scan("users").value();
    CHECK(code_of(changing.update(scan, {{"at", 7}})) == errc::invalid_argument);  // before the first row
    REQUIRE(scan.next());
    changing.update(scan, {{"name", "first"}}).value();
    if (flushes) changing.flush().value();
    changing.update(scan, {{"at", 7}}).value();
    CHECK(changing.get("users", {1}).value() == row{1, "first", 7});
    changing.erase("users", {1}).value();
    CHECK(code_of(changing.update(scan, {{"at", 8}})) == errc::not_found);
    auto other = lake.begin().value();
    CHECK(code_of(other.update(scan, {{"at", 8}})) == errc::invalid_argument);
    CHECK(code_of(other.erase(scan)) == errc::invalid_argument);
    while (scan.next()) changing.erase(scan).value();
    CHECK(code_of(changing.erase(scan)) == errc::invalid_argument);  // after the last row
    CHECK(rows_of(changing, "users").empty());
  }
}

TEST_CASE("updating what scans stand on reads no row again, but those that were written since") {
  tarn_test::scripted_store store{memory_store{}};
  client_options options = tarn_test::with_stored_objects();
  options.bounds.rows_per_object = 10;
  client lake{store, options};
  auto tx = lake.begin().value();
  create_users(tx);
  for (std::int64_t id = 0; id < 100; ++id) tx.upsert("users", {id, "old", 1}).value();
  tx.commit().value();

  auto changing = lake.begin().value();
  store.plan().gets = 0;
  CHECK(changing.update_where("users", {}, {{"name", "new"}}).value() == 100);
  CHECK(store.plan().gets == 10);  // of the scan
  auto scan = changing.scan("users").value();
  store.plan().gets = 0;
  while (scan.next()) changing.update(scan, {{"name", "newer"}}).value();
  CHECK(scan.status().has_value());
  CHECK(store.plan().gets == 10 + 9 + 9);  // of the scan, and the keys of what was flushed meanwhile
  changing.upsert("users", {99, "last", 1}).value();
  changing.flush().value();
  CHECK(rows_of(changing, "users").size() == 100);
  CHECK(rows_of(changing, "users")[98] == row{98, "newer", 1});
  CHECK(rows_of(changing, "users")[99] == row{99, "last", 1});
}

TEST_CASE("a scan of a table that was dropped changes nothing of the one that has its name") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  create_users(tx);
  tx.upsert("users", {1, "Ada", 1}).value();
  auto scan = tx.scan("users").value();
  REQUIRE(scan.next());
  tx.drop_table("users").value();
  CHECK(code_of(tx.erase(scan)) == errc::no_such_table);
  tx.create_table("users", {"a", "b", "c", {"k", column_type::string}}, keyed{{"k"}}).value();
  CHECK(code_of(tx.erase(scan)) == errc::invalid_argument);
  CHECK(code_of(tx.update(scan, {{"a", 1}})) == errc::invalid_argument);
  CHECK(scan.row()[1].as_string() == "Ada");  // it still reads what it was made for
}

TEST_CASE("a keyed object with rows that are no records is corrupt, whatever its checksums say") {
  for (const std::string_view data : {"[[0,null,null,null]]", "[[0,null,\"1\",null]]", "[[7,null,1,null]]",
                                      "[[0,true,1,null]]", "[[null,null,1,null]]"}) {
    CAPTURE(data);
    const memory_store store;
    client lake{store};
    auto tx = lake.begin().value();
    tx.create_table("t", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
    tx.upsert("t", {5, "x"}).value();
    tx.commit().value();
    const uuid id{0x018bcfe568007f68U, 0xba9873000e6fd052U};
    std::string object = concat(
        {R"({"Codec":"json","Table":"t","Name":")", to_text(id), R"(","Data":)", data, R"(,"Len":1,"Checksum":")"});
    object += hex(crc32c(object)) + "\"}";
    memory_store writable = store;
    REQUIRE(writable.put_if_absent(object_name("t", id), object).outcome() == put_outcome::created);
    entry forged;
    forged.at = {1};
    forged.read_version = {0};
    forged.time = {INT64_MAX / 2};
    forged.previous_checksum = crc32c(*store.get(entry_name({0})));
    action added{action_kind::add_block, {}, {}, {id, true, "json", 1, object.size(), crc32c(object)}};
    forged.actions.find_or_insert("t").push_back(std::move(added));
    REQUIRE(writable.put_if_absent(entry_name({1}), write_entry(forged)).outcome() == put_outcome::created);
    auto reading = lake.begin().value();
    CHECK(code_of(reading.get("t", {5})) == errc::corrupt);
    CHECK(code_of(lake.compact("t")) == errc::corrupt);
    auto scan = reading.scan("t").value();
    while (scan.next()) {
    }
    REQUIRE_FALSE(scan.status().has_value());
    CHECK(scan.status().error().code() == errc::corrupt);
  }
}

TEST_CASE("a key to be erased or looked up is as good as one that is written") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("t", {{"k", column_type::string}, {"o", column_type::string}}, keyed{{"k"}, 1, by_ordering("o")})
      .value();
  tx.upsert("t", {"a", "1"}).value();
  CHECK(code_of(tx.erase("t", {"\xff"})) == errc::invalid_argument);
  CHECK(code_of(tx.get("t", {"\xff"})) == errc::invalid_argument);
  CHECK(code_of(tx.erase("t", {"a"}, "\xff")) == errc::invalid_argument);
  const std::string long_key(limits{}.row_bytes_max + 1, 'x');
  CHECK(code_of(tx.erase("t", {long_key})) == errc::limit_exceeded);
  tx.commit().value();
  auto reading = lake.begin().value();
  CHECK(rows_of(reading, "t").size() == 1);
}

TEST_CASE("a row that is as long as the limit allows is read back") {
  client_options options;
  options.bounds.row_bytes_max = 1'000;
  client lake{memory_store{}, options};
  int committed_rows = 0, refused_rows = 0;
  for (std::size_t size = 490; size < 520; ++size) {
    const std::string quotes(size, '"');  // each takes two bytes of the row's text
    auto writing = lake.begin().value();
    writing.create_table("t" + std::to_string(size), {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
    writing.upsert("t" + std::to_string(size), {1, quotes}).value();
    if (const auto committed = writing.commit(); !committed) {
      ++refused_rows;
      CHECK(committed.error().code() == errc::limit_exceeded);
      CHECK(committed.error().message().find("key (1)") != std::string::npos);
      continue;
    }
    auto reading = lake.begin().value();
    CHECK(rows_of(reading, "t" + std::to_string(size)).size() == 1);
    ++committed_rows;
  }
  CHECK(committed_rows > 0);
  CHECK(refused_rows > 0);
}

TEST_CASE("several rows are inserted all or none") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  create_users(tx);
  tx.insert("users", {2, "there", 0}).value();
  CHECK(code_of(tx.insert("users", {{1, "a", 0}, {2, "b", 0}})) == errc::exists);
  CHECK(code_of(tx.insert("users", {{3, "a", 0}, {3, "b", 0}})) == errc::exists);
  CHECK(rows_of(tx, "users") == std::vector<row>{{2, "there", 0}});
}

TEST_CASE("an update that a greater ordering would hide is late") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("users", users, keyed{{"id"}, 1, by_ordering("at")}).value();
  tx.upsert("users", {1, "Ada", 5}).value();
  CHECK(code_of(tx.update("users", {1}, {{"name", "x"}, {"at", 3}})) == errc::late);
  tx.update("users", {1}, {{"name", "y"}}).value();
  CHECK(tx.get("users", {1}).value() == row{1, "y", 5});
}

TEST_CASE("what is in lists and what was written over counts for the size of an object") {
  client_options options;
  options.bounds.bytes_per_object = 10'000;
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  tx.create_table("t", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
  const std::string text(1'000, 'x');
  for (int at = 0; at < 100; ++at) tx.upsert("t", {at % 3, value::list({std::string_view(text)})}).value();
  CHECK(names_in(lake.store(), "_table_").size() >= 8);
}
