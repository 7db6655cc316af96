// Compaction of tables without a key: what is worth it, that no answer changes, and that deleted rows stay deleted.
#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

#include "../support/bag_numbers.hpp"
#include "../support/reading.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using tarn_test::numbers;
using tarn_test::numbers_in;
using tarn_test::numbers_of;
using tarn_test::objects_of;

namespace {

// One commit of these rows, by a client whose objects hold so many.
template <class Client>
void append(Client& lake, std::int64_t first, std::int64_t last) {
  auto tx = lake.begin().value();
  if (!tx.has_table("x").value()) tx.create_table("x", {"n"}).value();
  for (std::int64_t number = first; number <= last; ++number) tx.insert("x", {number}).value();
  tx.commit().value();
}
template <class Client>
void erase(Client& lake, std::int64_t first, std::int64_t last) {
  auto tx = lake.begin().value();
  CHECK(tx.erase_where("x", {{"n", at_least, first}, {"n", at_most, last}}).has_value());
  tx.commit().value();
}

// How many rows each object has, as "4+2/3": two of three were deleted.
template <class Client>
std::string objects_in(Client& lake) {
  const shared_snapshot state = lake.newest_snapshot().value();
  const table_state& table = *state->find_table("x");
  std::string all;
  for (std::size_t at = 0; at < table.objects.size(); ++at) {
    const bag_object& each = table.objects[at];
    if (!all.empty()) all += "+";
    if (!each.deleted->empty()) all += concat({each.deleted->size(), "/"});
    all += each.object.described ? concat({each.object.rows}) : std::string("?");
  }
  return all;
}

template <class T>
errc code_of(const result<T>& done) {
  REQUIRE_FALSE(done.has_value());
  return done.error().code();
}

numbers count(std::int64_t first, std::int64_t last) {
  numbers all;
  for (; first <= last; ++first) all.push_back(first);
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("neighbours that are small are put together, in their places, and earlier versions keep theirs",
                   Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open(), objects_of(10)};
  append(lake, 0, 9);  // full
  append(lake, 10, 11);
  append(lake, 12, 12);
  append(lake, 13, 16);
  append(lake, 17, 26);  // full
  append(lake, 27, 28);
  CHECK(objects_in(lake) == "10+2+1+4+10+2");
  const version before = lake.begin()->read_version();
  const auto plans = lake.plan_compaction("x").value();
  REQUIRE(plans.size() == 1);
  CHECK(plans.front().objects.size() == 3);
  CHECK(plans.front().at == before);
  const version compacted = lake.compact("x").value();
  CHECK(compacted == before.next());
  CHECK(objects_in(lake) == "10+7+10+2");
  CHECK(numbers_in(lake) == count(0, 28));
  CHECK(lake.compact("x").value() == compacted);  // there is nothing left to do, and nothing is written
  client other{store.open()};
  CHECK(numbers_in(other) == count(0, 28));
  auto old = other.begin_at(before).value();
  CHECK(numbers_of(old) == count(0, 28));
  const commit_summary last = tarn_test::versions_of(other).back();
  CHECK(last.operation == "compact");
  REQUIRE(last.tables.size() == 1);
  CHECK(last.tables[0].objects == 1);
  CHECK(last.tables[0].rows == 7);
  CHECK(last.tables[0].replaced == 3);
}

TEST_CASE("what is worth compacting: small neighbours that fit together, and what has lost more than a quarter") {
  struct expectation {
    std::vector<std::int64_t> rows;     // of each object
    std::vector<std::int64_t> deleted;  // the first so many of each
    const char* after;
  };
  for (const expectation& each : {
           expectation{{49, 49}, {0, 0}, "98"},
           {{50, 49}, {0, 0}, "50+49"},                // half full is not small
           {{49, 51, 49}, {0, 0, 0}, "49+51+49"},      // no neighbours
           {{40, 40, 40}, {0, 0, 0}, "80+40"},         // three do not fit
           {{40, 40, 40, 40}, {0, 0, 0, 0}, "80+80"},  //
           {{100}, {25}, "25/100"},                    // a quarter stays
           {{100}, {26}, "74"},                        //
           {{100, 20}, {30, 0}, "90"},                 //
           {{100, 31}, {30, 0}, "70+31"},              // does not fit, but is worth it alone
           {{100, 100, 100}, {100, 0, 100}, "100"},    // nothing is left of two
           {{3, 100, 4}, {0, 100, 1}, "6"},            //
           {{5}, {1}, "1/5"},                          //
           {{5}, {2}, "3"},                            //
           {{5}, {0}, "5"},                            //
           {{5}, {5}, ""},                             //
           {{60, 70}, {30, 30}, "70"},                 //
           {{100, 1, 100, 1}, {0, 0, 0, 0}, "100+1+100+1"},
       }) {
    CAPTURE(each.after);
    client lake{memory_store{}, objects_of(100)};
    std::int64_t next = 0;
    numbers left;
    for (std::size_t at = 0; at < each.rows.size(); ++at) {
      append(lake, next, next + each.rows[at] - 1);
      for (std::int64_t row = each.deleted[at]; row < each.rows[at]; ++row) left.push_back(next + row);
      next += 1000;
    }
    for (std::size_t at = 0; at < each.rows.size(); ++at)
      if (const auto first = static_cast<std::int64_t>(1000 * at); each.deleted[at] > 0)
        erase(lake, first, first + each.deleted[at] - 1);
    CHECK(numbers_in(lake) == left);
    lake.compact("x").value();
    CHECK(objects_in(lake) == each.after);
    CHECK(numbers_in(lake) == left);
    CHECK(lake.plan_compaction("x")->empty());
    // A cold reader has it all from the log.
    client cold{lake.store()};
    CHECK(numbers_in(cold) == left);
    CHECK(objects_in(cold) == each.after);
    append(lake, next, next + 1);
    left.insert(left.end(), {next, next + 1});
    CHECK(numbers_in(lake) == left);
  }
}

TEST_CASE("objects of many bytes are not small, whatever their rows") {
  client_options options = objects_of(100);
  options.bounds.bytes_per_object = 4'000;
  client lake{memory_store{}, options};
  for (int commits = 0; commits < 3; ++commits) {
    auto tx = lake.begin().value();
    if (commits == 0) tx.create_table("x", {"n", "s"}).value();
    tx.insert("x", {commits, std::string(commits == 2 ? 100 : 2'500, 'x')}).value();
    tx.commit().value();
  }
  CHECK(lake.plan_compaction("x")->empty());
  CHECK(numbers_in(lake) == numbers{0, 1, 2});
}

TEST_CASE("of small neighbours as many are put together as fit by their bytes") {
  client_options options = objects_of(100);
  options.bounds.bytes_per_object = 4'000;
  client lake{memory_store{}, options};
  for (int number = 0; number < 4; ++number) {
    auto tx = lake.begin().value();
    if (number == 0) tx.create_table("x", {"n", "s"}).value();
    tx.insert("x", {number, std::string(1'500, 'x')}).value();
    tx.commit().value();
  }
  lake.compact("x").value();
  CHECK(objects_in(lake) == "2+2");
  CHECK(numbers_in(lake) == numbers{0, 1, 2, 3});
}

TEST_CASE("who runs a plan makes objects of the size that it was told, whoever has planned") {
  client planner{memory_store{}, objects_of(100)};
  for (const std::int64_t first : {0, 4, 8}) append(planner, first, first + 3);
  const compaction_plan plan = planner.plan_compaction("x").value().front();
  CHECK(plan.objects.size() == 3);
  for (const std::uint64_t rows : {4U, 5U, 8U, 11U, 12U}) {
    client runner{planner.store(), objects_of(rows)};
    const compacted_objects done = runner.run_compaction(plan).value();
    CHECK(done.object.rows == rows / 4 * 4);
    CHECK(done.plan.objects.size() == rows / 4);
  }
}

TEST_CASE("a row that newer columns make longer than the limit is not compacted, and said to be the reason") {
  client_options options;
  options.bounds.row_bytes_max = 100;
  client lake{memory_store{}, options};
  lake.run([](auto& tx) { return tx.create_table("x", {"n", "s"}); }).value();
  for (int number = 0; number < 2; ++number)
    lake.run([&](auto& tx) { return tx.insert("x", {number, std::string(80, 'x')}); }).value();
  for (const char* const name : {"a", "b", "c", "d"})
    lake.run([&](auto& tx) { return tx.add_column("x", {name}); }).value();
  const auto done = lake.compact("x");
  CHECK(code_of(done) == errc::limit_exceeded);
  CHECK(done.error().message().find("compacting table x") != std::string::npos);
  CHECK(numbers_in(lake) == numbers{0, 1});
}

TEST_CASE("a compaction without entropy for the new object's id fails, and so does its commit") {
  tarn_test::test_environment hands;
  client_options options = objects_of(100);
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  append(lake, 0, 3);
  append(lake, 4, 6);
  const compaction_plan plan = lake.plan_compaction("x").value().front();
  const compacted_objects done = lake.run_compaction(plan).value();
  hands.has_entropy = false;
  CHECK(lake.run_compaction(plan).error().message().find("entropy") != std::string::npos);
  CHECK(lake.commit_compaction(done).error().message().find("entropy") != std::string::npos);
  hands.has_entropy = true;
  CHECK(lake.commit_compaction(done).has_value());
  CHECK(objects_in(lake) == "7");
}

TEST_CASE("what is small or has lost much is a matter of options, which are checked") {
  client_options options = objects_of(100);
  options.compaction = {0, 100};
  client never{memory_store{}, options};
  append(never, 0, 4);
  append(never, 5, 9);
  erase(never, 0, 4);
  CHECK(never.plan_compaction("x")->empty());
  options.compaction = {100, 100};
  client always{never.store(), options};
  CHECK(always.plan_compaction("x")->size() == 1);
  options.compaction = {101, 0};
  CHECK(code_of(client{memory_store{}, options}.begin()) == errc::invalid_argument);
}

TEST_CASE_TEMPLATE("the three steps can be taken apart: a plan is text, run and committed by any client", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  client lake{store.open(), objects_of(10)};
  for (std::int64_t number = 0; number < 4; ++number) append(lake, number, number);
  const compaction_plan plan = read_plan(to_text(lake.plan_compaction("x").value().front())).value();
  append(lake, 4, 4);  // goes on meanwhile
  client other{store.open(), objects_of(10)};
  const compacted_objects done = other.run_compaction(plan).value();
  CHECK(done.object.rows == 4);
  CHECK(done.object.bounds->front().max == value(3));
  append(lake, 5, 5);
  client third{store.open(), objects_of(10)};
  third.commit_compaction(done).value();
  CHECK(objects_in(third) == "4+1+1");
  CHECK(numbers_in(third) == count(0, 5));
  CHECK(code_of(lake.commit_compaction(done)) == errc::conflict);  // its objects are not there any more
  CHECK(numbers_in(lake) == count(0, 5));
}

TEST_CASE("a plan of another lake, of another table of that name, or of objects that are no neighbours is refused") {
  client lake{memory_store{}, objects_of(10)};
  for (std::int64_t number = 0; number < 3; ++number) append(lake, number, number);
  const compaction_plan plan = lake.plan_compaction("x").value().front();
  compaction_plan gap = plan;
  gap.objects.erase(1);
  CHECK(code_of(lake.run_compaction(gap)) == errc::invalid_argument);
  compaction_plan empty = plan;
  empty.objects.clear();
  CHECK(code_of(lake.run_compaction(empty)) == errc::invalid_argument);
  compaction_plan turned = plan;
  std::swap(turned.objects[0], turned.objects[1]);
  CHECK(code_of(lake.run_compaction(turned)) == errc::invalid_argument);
  compaction_plan elsewhere = plan;
  elsewhere.table_id = {1, 1};
  CHECK(code_of(lake.run_compaction(elsewhere)) == errc::invalid_argument);
  compaction_plan unknown = plan;
  unknown.table = "y";
  CHECK(code_of(lake.run_compaction(unknown)) == errc::invalid_argument);
  CHECK(code_of(lake.plan_compaction("y")) == errc::no_such_table);
  CHECK(code_of(lake.compact("y")) == errc::no_such_table);
}

TEST_CASE("rows that were deleted before the plan stay deleted, those deleted after the run make it fail") {
  client lake{memory_store{}, objects_of(10)};
  append(lake, 0, 3);
  append(lake, 4, 6);
  erase(lake, 1, 1);
  const auto plan = lake.plan_compaction("x").value().front();
  erase(lake, 5, 5);
  const compacted_objects stale = lake.run_compaction(plan).value();
  CHECK(stale.object.rows == 6);  // as of the plan
  CHECK(code_of(lake.commit_compaction(stale)) == errc::conflict);
  CHECK(numbers_in(lake) == numbers{0, 2, 3, 4, 6});
  lake.compact("x").value();
  CHECK(objects_in(lake) == "5");
  CHECK(numbers_in(lake) == numbers{0, 2, 3, 4, 6});
  erase(lake, 3, 3);  // row 2 of the new object
  CHECK(numbers_in(lake) == numbers{0, 2, 4, 6});
}

TEST_CASE("an update is compacted as any row, and values keep their bits") {
  client lake{memory_store{}, objects_of(100)};
  auto tx = lake.begin().value();
  tx.create_table("x", {"n", "v"}).value();
  tx.insert("x", {0, -0.0}).value();
  tx.insert("x", {1, bytes{"\xff"}}).value();
  tx.commit().value();
  auto change = lake.begin().value();
  CHECK(change.update_where("x", {{"n", equals, 0}}, {{"n", 2}}).value() == 1);
  change.commit().value();
  lake.compact("x").value();
  CHECK(objects_in(lake) == "2");
  auto reading = lake.begin().value();
  const auto rows = tarn_test::rows_of(reading, "x");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0] == row{1, bytes{"\xff"}});
  CHECK(rows[1] == row{2, -0.0});
}

TEST_CASE("objects with earlier columns are put together in those that the table has now, and deleted rows are gone") {
  client lake{memory_store{}, objects_of(10)};
  auto first = lake.begin().value();
  first.create_table("x", {{"n", column_type::integer}, "s"}).value();
  first.insert("x", {{1, "a"}, {2, "b"}, {3, "c"}}).value();
  first.commit().value();
  auto second = lake.begin().value();
  second.widen_column("x", "n").value();
  second.drop_column("x", "s").value();
  second.add_column("x", {"t"}).value();
  second.insert("x", {4.5, "d"}).value();
  second.commit().value();
  auto third = lake.begin().value();
  CHECK(third.erase_where("x", {{"n", equals, 2}}).value() == 1);
  CHECK(third.update_where("x", {{"n", equals, 3.0}}, {{"t", "new"}}).value() == 1);
  third.commit().value();
  auto before = lake.begin().value();
  const auto rows = tarn_test::rows_of(before, "x");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == row{1.0, nullptr});
  CHECK(rows[2] == row{3.0, "new"});
  lake.compact("x").value();
  CHECK(objects_in(lake) == "3");
  auto after = client{lake.store()}.begin().value();
  CHECK(tarn_test::rows_of(after, "x") == rows);
  auto old = lake.begin_at(version{0}).value();
  CHECK(tarn_test::rows_of(old, "x")[1] == row{2, "b"});
}

TEST_CASE(
    "a restore brings deleted rows and replaced objects back, and a compaction of other objects does not commit") {
  client lake{memory_store{}, objects_of(10)};
  append(lake, 0, 2);
  append(lake, 3, 4);  // version 1
  erase(lake, 1, 3);
  lake.compact("x").value();
  append(lake, 5, 5);
  const compaction_plan plan = lake.plan_compaction("x").value().front();
  const compacted_objects done = lake.run_compaction(plan).value();
  lake.restore({1}).value();
  CHECK(code_of(lake.commit_compaction(done)) == errc::conflict);
  CHECK(objects_in(lake) == "3+2");
  CHECK(numbers_in(lake) == numbers{0, 1, 2, 3, 4});
  lake.restore({2}).value();
  CHECK(objects_in(lake) == "2/3+1/2");
  CHECK(numbers_in(lake) == numbers{0, 4});
  client cold{lake.store()};
  CHECK(numbers_in(cold) == numbers{0, 4});
}

TEST_CASE("a vacuum in between: a new object may be garbage by then, a compaction that leaves none has none to lose") {
  for (const bool all_deleted : {false, true}) {
    tarn_test::test_environment hands;
    client_options options = objects_of(10);
    options.surroundings = hands.get();
    client lake{memory_store{}, options};
    append(lake, 0, 4);
    erase(lake, 0, all_deleted ? 4 : 3);
    const compacted_objects done = lake.run_compaction(lake.plan_compaction("x").value().front()).value();
    CHECK(done.object.id.is_nil() == all_deleted);
    hands.clock.ms += 48LL * 3'600'000;
    REQUIRE(vacuum(lake, {}).has_value());
    const auto committed = lake.commit_compaction(done);
    if (all_deleted)
      CHECK(committed.has_value());
    else
      CHECK(code_of(committed) == errc::expired);
    CHECK(numbers_in(lake) == (all_deleted ? numbers{} : numbers{4}));
  }
}

TEST_CASE("objects of the article's program are put together as well, as many as fit, and are described then") {
  for (const char* const name : {"two-commits", "two-objects", "value-kinds"})
    for (const std::uint64_t rows_per_object : {4U, 65'536U}) {
      const tarn_test::temporary_folder folder;
      std::filesystem::copy(std::string(TARN_TEST_FIXTURES) + "/article/" + name, folder.path(),
                            std::filesystem::copy_options::recursive);
      client lake{file_store{folder.path().string()}, objects_of(rows_per_object)};
      auto before = lake.begin().value();
      const auto tables = before.tables().value();
      REQUIRE_FALSE(tables.empty());
      for (const std::string& table : tables) {
        const auto rows = tarn_test::rows_of(before, table);
        lake.compact(table).value();
        auto after = lake.begin().value();
        CHECK(tarn_test::rows_of(after, table) == rows);
        CHECK(lake.plan_compaction(table)->empty());
        const shared_snapshot state = lake.newest_snapshot().value();
        const object_list& objects = state->find_table(table)->objects;
        for (std::size_t at = 0; at < objects.size(); ++at) CHECK(objects[at].object.described);
      }
    }
}

TEST_CASE("an object of the article's program that is gone or damaged is not compacted, and named") {
  for (const char* const damage : {"gone", "cut", "garbled"}) {
    CAPTURE(damage);
    const std::string what = damage;
    const tarn_test::temporary_folder folder;
    std::filesystem::copy(std::string(TARN_TEST_FIXTURES) + "/article/two-commits", folder.path(),
                          std::filesystem::copy_options::recursive);
    client lake{file_store{folder.path().string()}};
    const shared_snapshot state = lake.newest_snapshot().value();
    const auto& [name, table] = *state->tables.begin();
    const std::string damaged = object_name(name, table->objects[1].object.id);
    const std::filesystem::path path = folder.path() / damaged;
    REQUIRE(std::filesystem::exists(path));
    if (what == "gone") std::filesystem::remove(path);
    if (what == "cut") std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    if (what == "garbled") {  // in its row
      std::string bytes(file_store{folder.path().string()}.get(damaged).value());
      bytes.replace(bytes.find("[[") + 2, 1, "?");
      std::ofstream(path, std::ios::binary) << bytes;
    }
    const auto done = lake.compact(name);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code() == errc::corrupt);
    CHECK(done.error().message().find(damaged) != std::string::npos);
    CHECK(lake.newest_snapshot().value()->at == state->at);
  }
}
