// Changing the columns of a table: what was written before, between and after is read with the columns of the reader,
// and old versions keep theirs.
#include <doctest/doctest.h>

#include <algorithm>
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

template <class Place, class Merge>
struct setting {
  using place = Place;
  using lake_type = client<typename Place::store, json_codec, Merge>;
};

#define TARN_EACH_MERGE                                                                                          \
  setting<in_memory, merge::by_key>, setting<in_memory, merge::by_position>, setting<in_memory, merge::derived>, \
      setting<in_files, merge::by_position>

client_options small_objects(std::uint64_t rows) {
  client_options options;
  options.bounds.rows_per_object = rows;
  return options;
}

const schema people{{"id", column_type::integer}, {"name", column_type::string}, {"age", column_type::integer}};

// Table t with one of people.
template <class Lake>
void create_people(Lake& lake) {
  auto tx = lake.begin().value();
  tx.create_table("t", people).value();
  tx.insert("t", {1, "Ada", 36}).value();
  tx.commit().value();
}

template <class Lake>
[[nodiscard]] std::string rows_at(Lake& lake, std::int64_t at) {
  auto tx = lake.begin_at(version{at}).value();
  return rows_as_text(tx, "t");
}
template <class Lake>
[[nodiscard]] std::string rows_now(Lake& lake) {
  auto tx = lake.begin().value();
  return rows_as_text(tx, "t");
}

template <class Result>
void check_refused(const Result& outcome, errc code, std::string_view why) {
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().code() == code);
  CAPTURE(outcome.error().message());
  CHECK(outcome.error().message().find(why) != std::string::npos);
}

}  // namespace

TEST_CASE_TEMPLATE("rows of a bag, written before, between and after changes, are read with the columns of the version",
                   Lake, TARN_EACH_STORE) {
  for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{65'536}}) {
    CAPTURE(rows);
    Lake store;
    client lake{store.open(), small_objects(rows)};
    create_people(lake);

    auto tx = lake.begin().value();
    tx.insert("t", {2, "Bob", 40}).value();
    tx.add_column("t", "city").value();
    tx.insert("t", {3, "Cyd", 41, "Delft"}).value();
    tx.rename_column("t", "name", "called").value();
    tx.insert("t", {4, "Dan", 42, "Gouda"}).value();
    tx.widen_column("t", "age").value();
    tx.insert("t", {5, "Eve", 1.5, "Leiden"}).value();
    const std::string altered =
        "id=1 called=Ada age=36. city=null; id=2 called=Bob age=40. city=null; id=3 called=Cyd age=41. city=Delft; "
        "id=4 called=Dan age=42. city=Gouda; id=5 called=Eve age=1.5 city=Leiden";
    CHECK(sorted_rows_as_text(tx, "t") == altered);  // its own, before the commit
    CHECK(tx.commit().value() == version{1});
    CHECK(rows_now(lake) == altered);

    auto next = lake.begin().value();
    next.drop_column("t", "city").value();
    next.drop_column("t", "id").value();
    next.add_column("t", {"city", column_type::integer}).value();
    next.insert("t", {"Fay", 2.5, 7}).value();
    next.commit().value();
    const std::string dropped =
        "called=Ada age=36. city=null; called=Bob age=40. city=null; called=Cyd age=41. city=null; "
        "called=Dan age=42. city=null; called=Eve age=1.5 city=null; called=Fay age=2.5 city=7";
    CHECK(rows_now(lake) == dropped);

    client other{store.open()};
    CHECK(rows_now(other) == dropped);
    CHECK(rows_at(other, 1) == altered);
    CHECK(rows_at(other, 0) == "id=1 name=Ada age=36");
    CHECK(rows_at(lake, 0) == "id=1 name=Ada age=36");
  }
}

TEST_CASE_TEMPLATE("keyed rows: look-ups, merges, compactions and positions go on over changes of the columns", Setting,
                   TARN_EACH_MERGE) {
  for (const bool ordered : {false, true})
    for (const std::uint32_t buckets : {1U, 7U})
      for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{65'536}}) {
        CAPTURE(ordered);
        CAPTURE(buckets);
        CAPTURE(rows);
        typename Setting::place store;
        typename Setting::lake_type lake(store.open(), small_objects(rows));
        std::vector<std::string> versions;  // what was read as soon as each was there
        const auto read = [&] {
          auto tx = lake.begin().value();
          auto verified = tx.verifying_scan("t").value();
          while (verified.next()) {
          }
          REQUIRE(verified.status().has_value());
          return sorted_rows_as_text(tx, "t");
        };
        const auto commit = [&](auto& tx) {
          const std::string own = sorted_rows_as_text(tx, "t");
          tx.commit().value();
          CHECK(read() == own);
          versions.push_back(own);
          return own;
        };
        const auto compact = [&] {
          const std::string before = read();
          const std::int64_t head = lake.compact("t").value().number;
          while (static_cast<std::int64_t>(versions.size()) <= head) versions.push_back(before);
          CHECK(read() == before);
        };

        {
          auto tx = lake.begin().value();
          keyed key{{"id"}, buckets};
          if (ordered) key.fold = by_ordering("at");
          tx.create_table("t",
                          {{"name", column_type::string},
                           {"id", column_type::integer},
                           {"at", column_type::integer},
                           {"age", column_type::integer}},
                          key)
              .value();
          tx.upsert("t", {{"Ada", 1, 5, 36}, {"Bob", 2, 5, 40}, {"Cyd", 3, 5, 41}, {"Dan", 4, 5, 42}}).value();
          CHECK(commit(tx) ==
                "name=Ada id=1 at=5 age=36; name=Bob id=2 at=5 age=40; name=Cyd id=3 at=5 age=41; "
                "name=Dan id=4 at=5 age=42");
        }
        compact();
        {
          auto tx = lake.begin().value();
          tx.upsert("t", {"Eve", 5, 5, 43}).value();
          tx.add_column("t", "city").value();
          CHECK(tx.get("t", {5}).value() == row{"Eve", 5, 5, 43, nullptr});
          CHECK(tx.get("t", {1}).value() == row{"Ada", 1, 5, 36, nullptr});
          tx.upsert("t", {"Bob", 2, 6, 40, "Delft"}).value();
          tx.erase("t", {3}).value();
          tx.widen_column("t", "age").value();
          tx.update("t", {5}, {{"city", "Gouda"}, {"age", 43.5}}).value();
          tx.drop_column("t", "name").value();  // the key moves
          CHECK(tx.insert("t", {1, 9, 1.0, "x"}).error().code() == errc::exists);
          tx.rename_column("t", "id", "key").value();
          tx.rename_column("t", "at", "when").value();
          CHECK(commit(tx) ==
                "key=1 when=5 age=36. city=null; key=2 when=6 age=40. city=Delft; "
                "key=4 when=5 age=42. city=null; key=5 when=5 age=43.5 city=Gouda");
        }
        {
          auto tx = lake.begin().value();
          auto scan = tx.scan("t").value();
          while (scan.next()) {
            if (scan.row()["key"].as_integer() == 4) tx.erase(scan).value();
            if (scan.row()["key"].as_integer() == 1) tx.update(scan, {{"city", "Leiden"}}).value();
          }
          tx.upsert("t", {2, 4, 0.5, "late"}).value();
          const std::string second = ordered ? "key=2 when=6 age=40. city=Delft" : "key=2 when=4 age=0.5 city=late";
          CHECK(commit(tx) == "key=1 when=5 age=36. city=Leiden; " + second + "; key=5 when=5 age=43.5 city=Gouda");
        }
        compact();
        const auto compacted = lake.newest_snapshot().value();
        const table_state& table = *compacted->find_table("t");
        CHECK(table.schema_number() == 5);
        for (const auto& bucket : table.buckets)
          for (const keyed_object& each : bucket->objects) CHECK(each.object.schema_number == 5);
        {
          auto tx = lake.begin().value();
          tx.drop_column("t", "city").value();
          tx.add_column("t", {"city", column_type::integer}).value();
          tx.upsert("t", {5, 7, 44.0, 12}).value();
          commit(tx);
          CHECK(versions.back().find("key=5 when=7 age=44. city=12") != std::string::npos);
          CHECK(versions.back().find("key=1 when=5 age=36. city=null") != std::string::npos);
        }
        typename Setting::lake_type other(store.open());
        for (std::size_t at = 0; at < versions.size(); ++at) {
          CAPTURE(at);
          auto tx = other.begin_at(version{static_cast<std::int64_t>(at)}).value();
          CHECK(sorted_rows_as_text(tx, "t") == versions[at]);
        }
      }
}

TEST_CASE("positions in a base hold whatever columns its rows were written with") {
  client lake{memory_store{}};
  lake.run([](auto& tx) -> status {
        tx.create_table("t", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
        return tx.upsert("t", {{1, "a"}, {2, "b"}, {3, "c"}});
      })
      .value();
  auto tx = lake.begin().value();
  (void)tx.get("t", {2}).value();
  tx.add_column("t", "w").value();
  tx.upsert("t", {2, "B", true}).value();
  tx.commit().value();
  auto reading = lake.begin().value();
  auto scan = reading.verifying_scan("t").value();
  while (scan.next()) {
  }
  REQUIRE(scan.status().has_value());
  CHECK(scan.statistics().merged.blocks_by_position == 1);
  CHECK(scan.statistics().merged.keys_by_position == 1);
  CHECK(rows_as_text(reading, "t") == "k=1 v=a w=null; k=2 v=B w=true; k=3 v=c w=null");
}

TEST_CASE("a column that gets the name of a dropped one is another column, with an id that none ever had") {
  client lake{memory_store{}};
  create_people(lake);
  const auto change = [&](auto work) { lake.run([&](auto& tx) { return work(tx); }).value(); };
  change([](auto& tx) { return tx.drop_column("t", "age"); });
  change([](auto& tx) { return tx.add_column("t", {"age", column_type::integer}); });
  CHECK(rows_now(lake) == "id=1 name=Ada age=null");
  auto tx = lake.begin().value();
  CHECK(tx.columns("t").value()[2].id == column_id{4});
  tx.drop_column("t", "age").value();
  tx.add_column("t", "age").value();
  CHECK(tx.columns("t").value()[2].id == column_id{5});
  // Names that change hands.
  tx.rename_column("t", "id", "x").value();
  tx.rename_column("t", "name", "id").value();
  tx.rename_column("t", "x", "name").value();
  CHECK(rows_as_text(tx, "t") == "name=1 id=Ada age=null");
  tx.commit().value();
  CHECK(rows_now(lake) == "name=1 id=Ada age=null");
  CHECK(rows_at(lake, 0) == "id=1 name=Ada age=36");
}

TEST_CASE("many columns, of which many are dropped and others added: each row has its own values in those that stay") {
  constexpr std::int64_t count = 300;
  client lake{memory_store{}};
  sequence<column> columns;
  row values;
  for (std::int64_t each = 0; each < count; ++each) {
    columns.push_back({"c" + std::to_string(each), column_type::integer});
    values.emplace_back(each);
  }
  auto tx = lake.begin().value();
  tx.create_table("t", schema(columns)).value();
  tx.insert("t", values).value();
  tx.commit().value();
  auto changing = lake.begin().value();
  for (std::int64_t each = 0; each < count; ++each) {
    if (each % 3 == 1) changing.drop_column("t", "c" + std::to_string(each)).value();
    if (each % 3 == 2) changing.widen_column("t", "c" + std::to_string(each)).value();
    if (each % 3 == 1) changing.add_column("t", column("d" + std::to_string(each))).value();
  }
  auto scan = changing.scan("t").value();
  REQUIRE(scan.next());
  CHECK(scan.row().size() == count);
  for (std::int64_t each = 0; each < count; ++each) {
    const std::string name = std::to_string(each);
    if (each % 3 == 0) CHECK(scan.row()["c" + name] == value(each));
    if (each % 3 == 1) CHECK(scan.row()["d" + name].is_null());
    if (each % 3 == 2) CHECK(scan.row()["c" + name] == value(static_cast<double>(each)));
  }
}

TEST_CASE("a widened integer is the double nearest to it") {
  client lake{memory_store{}};
  auto tx = lake.begin().value();
  tx.create_table("t", {{"n", column_type::integer}}).value();
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  tx.insert("t", {{exact}, {-exact}, {exact + 1}, {exact + 3}, {INT64_MAX}, {INT64_MIN}, {0}, {nullptr}}).value();
  tx.widen_column("t", "n").value();
  tx.commit().value();
  std::vector<value> read;
  auto reading = lake.begin().value();
  for (const row_view each : reading.scan("t").value()) read.emplace_back(each[0]);
  CHECK(read == std::vector<value>{0x1p53, -0x1p53, 0x1p53, 0x1p53 + 4, 0x1p63, -0x1p63, 0.0, nullptr});
}

TEST_CASE("changes that cannot be made say why, and change nothing") {
  client_options options;
  options.bounds.columns_max = 4;
  options.bounds.column_name_bytes_max = 5;
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  tx.create_table("t", {{"k", column_type::string}, {"o", column_type::integer}, {"n", column_type::integer}, "v"},
                  keyed{{"k"}, 1, by_ordering("o")})
      .value();
  tx.create_table("one", {"v"}).value();
  const errc wrong = errc::invalid_argument;
  check_refused(tx.add_column("one", {"x", column_type::any, nullability::not_null}), wrong, "must be nullable");
  check_refused(tx.add_column("one", "v"), wrong, "two columns have the name 'v'");
  check_refused(tx.add_column("one", ""), wrong, "empty name");
  check_refused(tx.add_column("one", "\xff"), wrong, "not UTF-8");
  check_refused(tx.add_column("one", "longer"), errc::limit_exceeded, "column_name_bytes_max");
  check_refused(tx.add_column("t", "x"), errc::limit_exceeded, "columns_max");
  check_refused(tx.add_column("none", "x"), errc::no_such_table, "there is no table 'none'");
  check_refused(tx.drop_column("one", "v"), wrong, "its only one");
  check_refused(tx.drop_column("one", "x"), wrong, "has no column 'x'");
  check_refused(tx.drop_column("t", "k"), wrong, "part of the key");
  check_refused(tx.drop_column("t", "o"), wrong, "ordering");
  check_refused(tx.rename_column("t", "x", "y"), wrong, "has no column 'x'");
  check_refused(tx.rename_column("t", "n", "v"), wrong, "two columns have the name 'v'");
  check_refused(tx.rename_column("t", "n", "longer"), errc::limit_exceeded, "column_name_bytes_max");
  check_refused(tx.widen_column("t", "k"), wrong, "part of the key");
  check_refused(tx.widen_column("t", "o"), wrong, "ordering");
  check_refused(tx.widen_column("t", "v"), wrong, "takes any value");
  tx.widen_column("t", "n").value();
  check_refused(tx.widen_column("t", "n"), wrong, "only integer can be widened");
  CHECK(tx.columns("one").value().size() == 1);
  tx.upsert("t", {"a", 1, 1.5, nullptr}).value();
  tx.commit().value();
  check_refused(tx.add_column("one", "x"), errc::finished, "ended");
  CHECK(rows_now(lake) == "k=a o=1 n=1.5 v=null");
}

TEST_CASE_TEMPLATE("scans that are open keep the columns that they began with", Lake, TARN_EACH_STORE) {
  Lake store;
  client lake{store.open(), small_objects(1)};
  create_people(lake);
  lake.run([](auto& tx) -> status {
        tx.create_table("u", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
        return tx.upsert("u", {{1, "a"}, {2, "b"}});
      })
      .value();
  auto tx = lake.begin().value();
  tx.insert("t", {{2, "Bob", 40}, {3, "Cyd", 41}}).value();
  auto people_scan = tx.scan("t").value();
  auto keyed_scan = tx.scan("u").value();
  REQUIRE(people_scan.next());
  REQUIRE(keyed_scan.next());
  for (const char* const table : {"t", "u"}) {
    tx.add_column(table, "x").value();
    tx.rename_column(table, table == std::string_view("t") ? "age" : "v", "y").value();
  }
  check_refused(tx.erase(people_scan), errc::invalid_argument, "its columns were changed since");
  check_refused(tx.update(people_scan, {{"y", 1}}), errc::invalid_argument, "its columns were changed since");
  std::vector<std::int64_t> ages;
  do ages.push_back(people_scan.row()["age"].as_integer());
  while (people_scan.next());
  CHECK(people_scan.status().has_value());
  CHECK(ages == std::vector<std::int64_t>{41, 36, 40});
  CHECK(keyed_scan.row()["v"] == value_view("a"));
  check_refused(tx.erase(keyed_scan), errc::invalid_argument, "its columns were changed since");
  check_refused(tx.update(keyed_scan, {{"y", 1}}), errc::invalid_argument, "its columns were changed since");
  REQUIRE(keyed_scan.next());
  CHECK(keyed_scan.row()["v"] == value_view("b"));
  tx.rollback();
  CHECK(rows_now(lake) == "id=1 name=Ada age=36");
}

TEST_CASE_TEMPLATE("C8: a table that was dropped and created again has only its own columns and rows", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  client lake{store.open()};
  create_people(lake);
  lake.run([](auto& tx) { return tx.add_column("t", "x"); }).value();
  auto tx = lake.begin().value();
  tx.insert("t", {2, "Bob", 40, 1}).value();
  tx.drop_column("t", "x").value();
  tx.drop_table("t").value();
  tx.create_table("t", {"id"}).value();
  tx.insert("t", {7}).value();
  tx.add_column("t", "name").value();
  tx.insert("t", {8, "h"}).value();
  tx.commit().value();
  CHECK(rows_now(lake) == "id=7 name=null; id=8 name=h");
  client other{store.open()};
  CHECK(rows_now(other) == "id=7 name=null; id=8 name=h");
  CHECK(rows_at(other, 1) == "id=1 name=Ada age=36 x=null");
  // Created, altered and dropped by one transaction: as if it had never been there.
  auto nothing = lake.begin().value();
  nothing.create_table("v", {"id"}).value();
  nothing.add_column("v", "name").value();
  nothing.drop_table("v").value();
  CHECK(nothing.commit().value() == version{2});
}

TEST_CASE("a change of the columns writes an entry, whatever the number of rows") {
  const memory_store store;
  client lake{store};
  create_people(lake);
  const std::size_t before = names_in(store).size();
  lake.run([](auto& tx) { return tx.add_column("t", "x"); }).value();
  CHECK(names_in(store).size() == before + 1);
  CHECK(rows_now(lake) == "id=1 name=Ada age=36 x=null");
}

TEST_CASE_TEMPLATE("a change of the columns conflicts with whatever others do with the table meanwhile", Lake,
                   TARN_EACH_STORE) {
  for (const isolation level : {isolation::serializable, isolation::snapshot, isolation::non_blocking}) {
    CAPTURE(static_cast<int>(level));
    Lake store;
    client lake{store.open()};
    client other{store.open()};
    lake.run([](auto& tx) -> status {
          tx.create_table("bag", {"n", "m"}).value();
          tx.create_table("else", {"n"}).value();
          return tx.create_table("keyed", {{"n", column_type::integer}, "m"}, keyed{{"n"}});
        })
        .value();
    const auto write = [](auto& tx, const char* table) {
      return table == std::string_view("keyed") ? tx.upsert(table, {1, "b"}) : tx.insert(table, {1, "b"});
    };
    const auto alter = [](auto& tx, const char* table) { return tx.rename_column(table, "m", "m"); };
    const auto look = [](auto& tx, const char* table) {
      if (const auto found = tx.columns(table); !found) return status(found.error());
      return tx.insert("else", {1});
    };
    const auto insert_elsewhere = [](auto& tx, const char*) { return tx.insert("else", {1}); };
    for (const char* const table : {"bag", "keyed"}) {
      CAPTURE(std::string(table));
      const auto race = [&](auto loses, auto wins) {
        auto loser = lake.begin(level).value();
        loses(loser, table).value();
        other.run([&](auto& tx) { return wins(tx, table); }).value();
        return loser.commit();
      };
      CHECK(race(insert_elsewhere, alter).has_value());
      CHECK(race(alter, insert_elsewhere).has_value());
      check_refused(race(alter, write), errc::conflict, table);
      check_refused(race(write, alter), errc::conflict, table);
      check_refused(race(alter, alter), errc::conflict, table);
      check_refused(race(look, alter), errc::conflict, table);
    }
    other.run([&](auto& tx) { return write(tx, "keyed"); }).value();
    auto loser = lake.begin(level).value();
    alter(loser, "keyed").value();
    other.compact("keyed").value();
    check_refused(loser.commit(), errc::conflict, "keyed");
    other.run([&](auto& tx) { return write(tx, "keyed"); }).value();
    const auto plans = other.plan_compaction("keyed").value();
    const auto done = other.run_compaction(plans[0]).value();
    lake.run([&](auto& tx) { return alter(tx, "keyed"); }).value();
    check_refused(other.commit_compaction(done), errc::conflict, "keyed");
  }
}
