#include <doctest/doctest.h>

#include <string>
#include <tarn/table/conflict.hpp>

#include "../support/sample_entry.hpp"

using namespace tarn;
using tarn_test::sample_id;

namespace {

enum class use { nothing, lookup, append, scan, scan_and_append, create, drop };
constexpr use uses[] = {use::nothing,         use::lookup, use::append, use::scan,
                        use::scan_and_append, use::create, use::drop};

footprint mine(use what, const char* table = "x") {
  footprint used;
  if (what == use::nothing) return used;
  table_access& access = used.tables.find_or_insert(table);
  access.scanned = what == use::scan || what == use::scan_and_append;
  access.appended = what == use::append || what == use::scan_and_append;
  access.created = what == use::create;
  access.dropped = what == use::drop;
  return used;
}

entry theirs(action_kind what, const char* table = "x") {
  entry won;
  won.at = {7};
  won.transaction = sample_id(9);
  won.actions.find_or_insert(table) = {{what, sample_id(1), schema{"a"}, {}}};
  return won;
}

bool conflicts(use my_use, action_kind their_action) {
  return !check_conflict(mine(my_use), theirs(their_action)).has_value();
}

}  // namespace

TEST_CASE("every pair of what both did to a table is decided as the table of rules says") {
  for (const use my_use : uses) {
    CAPTURE(static_cast<int>(my_use));
    // Whoever used the name at all cannot follow a change of what the name means (C7, C8, D13).
    CHECK(conflicts(my_use, action_kind::create_table) == (my_use != use::nothing));
    CHECK(conflicts(my_use, action_kind::drop_table) == (my_use != use::nothing));
    // Appends disturb those who have read the rows, or throw them away; not those who append as well (C17).
    const bool disturbed = my_use == use::scan || my_use == use::scan_and_append || my_use == use::drop;
    CHECK(conflicts(my_use, action_kind::add_object) == disturbed);
  }
}

TEST_CASE("A16: different tables never conflict") {
  for (const use my_use : uses)
    for (const action_kind their_action : {action_kind::create_table, action_kind::add_object, action_kind::drop_table})
      CHECK(check_conflict(mine(my_use, "y"), theirs(their_action)).has_value());
}

TEST_CASE("names that differ in case only are one table") {
  CHECK_FALSE(check_conflict(mine(use::create, "X"), theirs(action_kind::create_table, "x")).has_value());
}

TEST_CASE("who looked at which tables there are conflicts with any creation and drop, not with appends") {
  footprint looked;
  looked.listed_tables = true;
  CHECK_FALSE(check_conflict(looked, theirs(action_kind::create_table)).has_value());
  CHECK_FALSE(check_conflict(looked, theirs(action_kind::drop_table)).has_value());
  CHECK(check_conflict(looked, theirs(action_kind::add_object)).has_value());
}

TEST_CASE("one action of several is enough") {
  entry won = theirs(action_kind::add_object, "a");
  won.actions.find_or_insert("x") = theirs(action_kind::add_object).actions.find("x")[0];
  won.actions.find_or_insert("x").push_back({action_kind::drop_table, sample_id(1), {}, {}});
  CHECK_FALSE(check_conflict(mine(use::append), won).has_value());
}

TEST_CASE("a conflict says version, transaction, table and reason, and that running again helps") {
  const status found = check_conflict(mine(use::scan), theirs(action_kind::add_object));
  REQUIRE_FALSE(found.has_value());
  CHECK(found.error().code() == errc::conflict);
  CHECK(found.error().retry_helps());
  CHECK(found.error().message() ==
        concat({"version 7, by transaction ", to_text(sample_id(9)),
                ", appended to table x, and this transaction has scanned it: run it again"}));
}
