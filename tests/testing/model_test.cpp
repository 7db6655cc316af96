// The model of a lake: what each write does to it, that trials leave no trace, and that it agrees with a fold that is
// said in another way.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tarn/core/filter.hpp>
#include <tarn/testing/model.hpp>
#include <tarn/testing/plain_filter.hpp>
#include <tarn/testing/plain_fold.hpp>
#include <tarn/testing/random_source.hpp>
#include <vector>

namespace {

using tarn::testing::key_model;
using tarn::testing::keyed_change;
using tarn::testing::keyed_contents;
using tarn::testing::keyed_layout;
using tarn::testing::lake_model;
using tarn::testing::operation_kind;
using tarn::testing::plain_filter;
using tarn::testing::plain_holds;
using tarn::testing::plain_row;
using tarn::testing::random_source;
using tarn::testing::recorded_operation;
using tarn::testing::table_model;
using tarn::testing::table_shape;

void create(lake_model& lake, std::uint32_t table, table_shape shape, std::int64_t at = 0) {
  lake.apply({operation_kind::create_table, table, static_cast<std::uint64_t>(shape)}, at);
}

// Rows by key, which must be those of `live` too.
[[nodiscard]] std::map<std::uint64_t, std::uint64_t> rows_of(const table_model& table) {
  std::map<std::uint64_t, std::uint64_t> rows;
  for (const std::uint64_t key : table.live) rows[key] = table.at(key).row;
  std::size_t count = 0;
  for (const key_model& each : table.keys) count += each.row != 0 ? 1U : 0U;
  CHECK(rows.size() == table.live.size());
  CHECK(rows.size() == count);
  return rows;
}

[[nodiscard]] recorded_operation random_write(random_source& random, std::uint64_t row, std::uint32_t table) {
  constexpr operation_kind kinds[] = {operation_kind::upsert, operation_kind::upsert, operation_kind::erase,
                                      operation_kind::ordered_erase};
  recorded_operation done{kinds[random.below(4)], table, random.below(4)};
  done.ordering = static_cast<std::int64_t>(random.below(6));
  if (done.kind == operation_kind::upsert) done.row = row;
  return done;
}

TEST_CASE("a key has the row that was written last, and knows when it was written and changed") {
  lake_model lake;
  create(lake, 0, table_shape::latest);
  CHECK(lake.apply({operation_kind::upsert, 0, 3, 11}, 1));
  CHECK(lake.table(0).at(3).row == 11);
  CHECK(lake.apply({operation_kind::upsert, 0, 3, 12}, 2));
  CHECK(lake.apply({operation_kind::erase, 0, 3}, 3));
  CHECK_FALSE(lake.apply({operation_kind::erase, 0, 3}, 4));
  CHECK(lake.table(0).at(3).row == 0);
  CHECK(lake.table(0).at(3).changed == 3);
  CHECK(lake.table(0).at(3).written == 4);
  CHECK(lake.table(0).changed == 3);
}

TEST_CASE("a greater ordering hides what comes later, also behind a tombstone") {
  lake_model lake;
  create(lake, 0, table_shape::by_ordering);
  lake.apply({operation_kind::upsert, 0, 0, 11, 0, 5}, 1);
  CHECK_FALSE(lake.apply({operation_kind::upsert, 0, 0, 12, 0, 4}, 2));
  CHECK(lake.apply({operation_kind::upsert, 0, 0, 13, 0, 5}, 3));
  CHECK_FALSE(lake.apply({operation_kind::ordered_erase, 0, 0, 0, 0, 4}, 4));
  CHECK(lake.apply({operation_kind::ordered_erase, 0, 0, 0, 0, 7}, 5));
  CHECK_FALSE(lake.apply({operation_kind::upsert, 0, 0, 14, 0, 6}, 6));
  CHECK(rows_of(lake.table(0)).empty());
  CHECK_FALSE(lake.apply({operation_kind::erase, 0, 0}, 7));
  CHECK(lake.apply({operation_kind::upsert, 0, 0, 15, 0, 1}, 8));
  CHECK(lake.table(0).at(0).row == 15);
}

TEST_CASE("the fold of any writes is the one by the definition") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    random_source random(seed);
    lake_model lake;
    create(lake, 0, table_shape::by_ordering);
    keyed_contents expected;
    const keyed_layout layout{{0}, 1, 1};  // key, ordering, row
    for (std::int64_t at = 1; at < 30; ++at) {
      const recorded_operation done = random_write(random, static_cast<std::uint64_t>(at), 0);
      lake.apply(done, at);
      const plain_row row{static_cast<std::int64_t>(done.key), done.ordering, static_cast<std::int64_t>(done.row)};
      const keyed_change change = done.kind == operation_kind::upsert  ? keyed_change::upsert
                                  : done.kind == operation_kind::erase ? keyed_change::erase
                                                                       : keyed_change::ordered_erase;
      apply(expected, layout, {change, row});
    }
    std::map<std::uint64_t, std::uint64_t> rows;
    for (const auto& [key, value] : expected)
      if (value.live)
        rows[static_cast<std::uint64_t>(std::get<std::int64_t>(key[0]))] =
            static_cast<std::uint64_t>(std::get<std::int64_t>(value.row[2]));
    CHECK(rows_of(lake.table(0)) == rows);
  }
}

TEST_CASE("filters hold for the second evaluation as they do for the first, whatever is compared") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<tarn::value> all{{},
                                     false,
                                     true,
                                     0,
                                     -7,
                                     0x20'0000'0000'0001,
                                     INT64_MAX,
                                     INT64_MIN,
                                     0.0,
                                     -0.0,
                                     0.5,
                                     -7.0,
                                     9007199254740992.0,
                                     0x1p63,
                                     -0x1p63,
                                     1e300,
                                     nan,
                                     "",
                                     "a",
                                     "ab",
                                     "\xc3\xa9",
                                     tarn::bytes{"a"},
                                     tarn::bytes{"\xff"}};
  std::size_t hold = 0;
  for (const tarn::value& found : all)
    for (const tarn::value& operand : all)
      for (int how = 0; how <= static_cast<int>(tarn::is_not_null); ++how) {
        const tarn::condition wanted{"n", static_cast<tarn::comparison>(how), operand};
        if (tarn::value_view(operand).is_null() && wanted.how != tarn::is_null && wanted.how != tarn::is_not_null)
          continue;
        CAPTURE(how);
        const bool holds = plain_holds(wanted, found);
        CHECK(holds == wanted.holds_for(found));
        hold += holds ? 1U : 0U;
      }
  CHECK(hold > 1'000);
  const plain_filter rows({{"b", tarn::at_least, 3}, {"a", tarn::equals, "x"}}, {"a", "b"});
  CHECK(rows.matches({"x", 3}));
  CHECK_FALSE(rows.matches({"x", 2}));
  CHECK_FALSE(rows.matches({"y", 3}));
}

TEST_CASE("what was tried leaves no trace") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    random_source random(seed);
    lake_model lake;
    for (std::uint32_t table = 0; table < 3; ++table) create(lake, table, table_shape::by_ordering);
    std::uint64_t row = 0;
    for (std::int64_t at = 1; at < 20; ++at)
      lake.apply(random_write(random, ++row, static_cast<std::uint32_t>(random.below(3))), at);
    const lake_model before = lake;
    lake.begin_trial();
    for (int step = 0; step < 20; ++step) {
      const auto table = static_cast<std::uint32_t>(random.below(3));
      if (random.below(10) == 0) lake.apply({operation_kind::drop_table, table}, 99);
      if (random.below(10) == 0) create(lake, table, table_shape::latest, 99);
      lake.apply(random_write(random, ++row, table), 99);
    }
    CHECK(lake.trial_changed_rows());
    lake.end_trial();
    for (std::uint32_t table = 0; table < 3; ++table) {
      CHECK(are_same(lake.table(table), before.table(table)));
      CHECK(rows_of(lake.table(table)) == rows_of(before.table(table)));
      CHECK(lake.table(table).changed == before.table(table).changed);
      CHECK(lake.table(table).redefined == before.table(table).redefined);
      for (std::uint64_t key = 0; key < 4; ++key)
        CHECK(lake.table(table).at(key).written == before.table(table).at(key).written);
    }
  }
}

TEST_CASE("a trial that comes to nothing has changed nothing") {
  lake_model lake;
  create(lake, 0, table_shape::bag);
  lake.begin_trial();
  lake.apply({operation_kind::append, 0, 0, 11}, 1);
  CHECK(lake.trial_changed_rows());
  lake.apply({operation_kind::delete_row, 0, 0}, 1);
  CHECK_FALSE(lake.trial_changed_rows());
  lake.end_trial();
}

TEST_CASE("a restore makes the tables that have changed what they were, and no others") {
  lake_model lake({{1}, {2}});
  create(lake, 0, table_shape::latest);
  create(lake, 1, table_shape::latest);
  lake.end_version({0});
  lake.apply({operation_kind::upsert, 0, 0, 11}, 1);
  lake.end_version({1});
  lake.apply({operation_kind::upsert, 0, 0, 12}, 2);
  lake.end_version({2});
  lake.apply({operation_kind::upsert, 1, 0, 13}, 3);  // by another, before the restore that has read version 2
  lake.end_version({3});
  lake.apply({operation_kind::restore, 0, 1, 0, 0, 2}, 4);
  CHECK(lake.table(0).at(0).row == 11);
  CHECK(lake.table(0).redefined == 4);
  CHECK(lake.table(1).at(0).row == 13);
  CHECK(lake.table(1).redefined == 0);
}

}  // namespace
