// The rules of conflicts by themselves: no store, no keys, but a table that says which are common.
#include <doctest/doctest.h>

#include <string>
#include <tarn/table/bounds_builder.hpp>
#include <tarn/table/conflict.hpp>
#include <tarn/table/key_bounds.hpp>
#include <vector>

#include "../support/sample_entry.hpp"

using namespace tarn;
using tarn_test::sample_id;

namespace {

// What both can do with table x. The objects 1 and 2, rows 1 and 2 of object 1, and the keys "k" and "l" are there.
enum class deed {
  nothing,
  look_up,
  list,
  scan,
  read_k,
  read_range_of_k,
  validate_k,
  write_k,
  write_l,
  append,
  delete_row_1,
  delete_row_2,
  delete_in_2,
  compact_1,
  compact_2,
  compact_bucket_1,
  compact_bucket_2,
  create,
  alter,
  drop,
  restore
};
constexpr deed deeds[] = {deed::nothing,          deed::look_up,         deed::list,         deed::scan,
                          deed::read_k,           deed::read_range_of_k, deed::validate_k,   deed::write_k,
                          deed::write_l,          deed::append,          deed::delete_row_1, deed::delete_row_2,
                          deed::delete_in_2,      deed::compact_1,       deed::compact_2,    deed::compact_bucket_1,
                          deed::compact_bucket_2, deed::create,          deed::alter,        deed::drop,
                          deed::restore};
constexpr isolation levels[] = {isolation::serializable, isolation::snapshot, isolation::non_blocking};

bool is_one_of(deed what, std::initializer_list<deed> these) {
  for (const deed each : these)
    if (what == each) return true;
  return false;
}

row_set rows_of(std::uint64_t number) {
  row_set rows;
  rows.add(number);
  return rows;
}

footprint mine(deed what, isolation level = isolation::serializable, const char* table = "x") {
  footprint used;
  used.level = level;
  used.listed_tables = what == deed::list;
  if (what == deed::nothing || what == deed::list) return used;
  table_access& access = used.tables.find_or_insert(table);
  access.scanned = what == deed::scan;
  access.wrote = is_one_of(what, {deed::write_k, deed::write_l});
  access.appended = what == deed::append;
  access.created = what == deed::create;
  access.altered = what == deed::alter;
  access.dropped = what == deed::drop;
  access.restored = what == deed::restore;
  if (what == deed::read_k) access.reads.add_key(0, "k", 10);
  if (what == deed::read_range_of_k) access.reads.add_range({"j", "l", true}, 10);
  if (what == deed::validate_k) access.validated.add_key(0, "k", 10);
  if (what == deed::delete_row_1) access.deleted.push_back({sample_id(1), rows_of(1)});
  if (what == deed::delete_row_2) access.deleted.push_back({sample_id(1), rows_of(2)});
  if (what == deed::delete_in_2) access.deleted.push_back({sample_id(2), rows_of(1)});
  if (is_one_of(what, {deed::compact_1, deed::compact_bucket_1})) access.compacted = {sample_id(1)};
  if (is_one_of(what, {deed::compact_2, deed::compact_bucket_2})) access.compacted = {sample_id(2)};
  return used;
}

// The entry of who does this; no actions if it only reads.
entry theirs(deed what, const char* table = "x") {
  const auto kind_of = [](deed done) {
    switch (done) {
      case deed::validate_k:
      case deed::write_k:
      case deed::write_l: return action_kind::add_block;
      case deed::append: return action_kind::add_object;
      case deed::delete_row_1:
      case deed::delete_row_2:
      case deed::delete_in_2: return action_kind::delete_rows;
      case deed::compact_1:
      case deed::compact_2: return action_kind::replace_objects;
      case deed::compact_bucket_1:
      case deed::compact_bucket_2: return action_kind::remove_object;
      case deed::create: return action_kind::create_table;
      case deed::alter: return action_kind::alter_table;
      case deed::drop: return action_kind::drop_table;
      default: return action_kind::restore_table;
    }
  };
  entry won;
  won.at = {7};
  won.transaction = sample_id(9);
  if (is_one_of(what, {deed::nothing, deed::look_up, deed::list, deed::scan, deed::read_k, deed::read_range_of_k}))
    return won;
  sequence<action>& actions = won.actions.find_or_insert(table);
  action& done = actions.emplace_back(action{kind_of(what), sample_id(30), schema{"a"}, {}});
  // The object of what is written tells the key here.
  if (is_one_of(what, {deed::validate_k, deed::write_k})) done.object.id = sample_id('k');
  if (what == deed::write_l) done.object.id = sample_id('l');
  if (is_one_of(what, {deed::delete_row_1, deed::delete_row_2, deed::compact_bucket_1})) done.object.id = sample_id(1);
  if (is_one_of(what, {deed::delete_in_2, deed::compact_bucket_2})) done.object.id = sample_id(2);
  if (is_one_of(what, {deed::delete_row_1, deed::delete_in_2})) done.rows = rows_of(1);
  if (what == deed::delete_row_2) done.rows = rows_of(2);
  if (what == deed::compact_1) done.replaced = {sample_id(1)};
  if (what == deed::compact_2) done.replaced = {sample_id(2)};
  if (!is_one_of(what, {deed::compact_bucket_1, deed::compact_bucket_2})) return won;
  action& base = actions.emplace_back(action{action_kind::add_block, {}, {}, {}});
  base.object.id = sample_id('b');
  base.block.compacted = true;
  return won;
}

// Compares single letters; `written` is what the transaction itself has written.
struct letter_keys {
  std::string written;

  static std::string key_in(const action& block) {
    REQUIRE(block.kind == action_kind::add_block);
    REQUIRE_FALSE(block.block.compacted);
    return block.object.id == sample_id('k') ? "k" : "l";
  }
  static result<std::string> find_read(const std::string&, const read_set& reads, const action& block) {
    const std::string key = key_in(block);
    for (const read_key& each : reads.keys())
      if (each.key == key) return "key " + key;
    for (const key_range& each : reads.ranges())
      if (each.first <= key && key < each.last) return "key " + key;
    return std::string();
  }
  [[nodiscard]] result<std::string> find_written(const std::string&, const action& block) const {
    const std::string key = key_in(block);
    return key == written ? "key " + key : std::string();
  }
};

status check(deed ours, deed won, isolation level = isolation::serializable, const char* my_table = "x",
             const char* their_table = "x") {
  letter_keys keys{ours == deed::write_k ? "k" : ours == deed::write_l ? "l" : ""};
  return check_conflict(mine(ours, level, my_table), theirs(won, their_table), keys);
}

bool conflicts(deed ours, deed won, isolation level) { return !check(ours, won, level).has_value(); }

bool changes_data_of_bag(deed what) {
  return is_one_of(what, {deed::append, deed::delete_row_1, deed::delete_row_2, deed::delete_in_2});
}
bool writes_keys(deed what) { return is_one_of(what, {deed::write_k, deed::write_l, deed::validate_k}); }
bool redefines(deed what) { return is_one_of(what, {deed::create, deed::alter, deed::drop, deed::restore}); }
bool reads_only(deed what) {
  return is_one_of(what, {deed::nothing, deed::look_up, deed::list, deed::scan, deed::read_k, deed::read_range_of_k});
}
bool is_of_bag(deed what) { return changes_data_of_bag(what) || is_one_of(what, {deed::compact_1, deed::compact_2}); }
bool is_of_keys(deed what) {
  return writes_keys(what) ||
         is_one_of(what, {deed::read_k, deed::read_range_of_k, deed::compact_bucket_1, deed::compact_bucket_2});
}

// Section by section, what the table of rules says, in other words.
bool should_conflict(deed ours, deed won, isolation level) {
  const bool serializable = level == isolation::serializable;
  if (ours == deed::nothing || reads_only(won)) return false;
  if (ours == deed::list) return redefines(won) && won != deed::alter;
  if (redefines(ours) || redefines(won)) return true;
  switch (ours) {
    case deed::look_up: return false;
    case deed::scan: return serializable && (changes_data_of_bag(won) || writes_keys(won));
    case deed::read_k:
    case deed::read_range_of_k:
      return serializable && (is_one_of(won, {deed::write_k, deed::validate_k}) || changes_data_of_bag(won));
    case deed::validate_k: return is_one_of(won, {deed::write_k, deed::validate_k}) || changes_data_of_bag(won);
    case deed::write_k:
      return changes_data_of_bag(won) ||
             (level != isolation::non_blocking && is_one_of(won, {deed::write_k, deed::validate_k}));
    case deed::write_l: return changes_data_of_bag(won) || (level != isolation::non_blocking && won == deed::write_l);
    case deed::append: return writes_keys(won);
    case deed::delete_row_1:
    case deed::delete_row_2:
      return won == ours || writes_keys(won) || is_one_of(won, {deed::compact_1, deed::compact_bucket_1});
    case deed::delete_in_2:
      return won == ours || writes_keys(won) || is_one_of(won, {deed::compact_2, deed::compact_bucket_2});
    case deed::compact_1:
    case deed::compact_bucket_1:
      return is_one_of(won, {deed::delete_row_1, deed::delete_row_2, deed::compact_1, deed::compact_bucket_1});
    default: return is_one_of(won, {deed::delete_in_2, deed::compact_2, deed::compact_bucket_2});
  }
}

}  // namespace

TEST_CASE("every pair of what both did to a table is decided as the table of rules says, at each level") {
  int conflicting = 0;
  for (const isolation level : levels)
    for (const deed ours : deeds)
      for (const deed won : deeds) {
        CAPTURE(static_cast<int>(level));
        CAPTURE(static_cast<int>(ours));
        CAPTURE(static_cast<int>(won));
        CHECK(conflicts(ours, won, level) == should_conflict(ours, won, level));
        conflicting += conflicts(ours, won, level) ? 1 : 0;
      }
  CHECK(conflicting > 400);  // of 1323
}

TEST_CASE("C6: the rules are symmetric where what both do is: between writers, at each level") {
  // Not symmetric are reads against writes, and looking a name up against redefining it.
  for (const isolation level : levels)
    for (const deed a : deeds)
      for (const deed b : deeds) {
        if (reads_only(a) || reads_only(b)) continue;
        // What a validation reads is more than what it writes.
        if (a != b && (a == deed::validate_k || b == deed::validate_k)) continue;
        // One table is a bag or has keys: these pairs cannot come about.
        if ((is_of_bag(a) && is_of_keys(b)) || (is_of_keys(a) && is_of_bag(b))) continue;
        CAPTURE(static_cast<int>(level));
        CAPTURE(static_cast<int>(a));
        CAPTURE(static_cast<int>(b));
        CHECK(conflicts(a, b, level) == conflicts(b, a, level));
      }
}

TEST_CASE("A16: different tables never conflict, but for a list of them") {
  for (const isolation level : levels)
    for (const deed ours : deeds)
      for (const deed won : deeds)
        if (ours != deed::list) CHECK(check(ours, won, level, "y").has_value());
}

TEST_CASE("names that differ in case only are one table") {
  CHECK_FALSE(check(deed::create, deed::create, isolation::serializable, "X").has_value());
}

TEST_CASE("one action of several is enough, whichever it is") {
  entry won = theirs(deed::append, "a");
  won.actions.find_or_insert("x") = theirs(deed::append).actions.find("x")[0];
  won.actions.find_or_insert("x").push_back({action_kind::drop_table, sample_id(1), {}, {}});
  no_keys none;
  CHECK_FALSE(check_conflict(mine(deed::append), won, none).has_value());
}

TEST_CASE("tags and vacuums change no table: nothing conflicts with them") {
  entry won = theirs(deed::nothing);
  won.tags.push_back({"monday", {3}});
  won.vacuums = true;
  won.kept = {{1'700'000'000'000}, {3}};
  no_keys none;
  for (const deed ours : deeds) CHECK(check_conflict(mine(ours), won, none).has_value());
}

TEST_CASE("an application's numbered work conflicts with who has looked at its last, and with nobody else") {
  entry won = theirs(deed::nothing);
  won.work = {"loader", 3};
  no_keys none;
  footprint looked;
  looked.applications.push_back("other");
  looked.applications.push_back("");
  CHECK(check_conflict(looked, won, none).has_value());
  CHECK(check_conflict(looked, theirs(deed::append), none).has_value());
  looked.applications.push_back("loader");
  CHECK_FALSE(check_conflict(looked, won, none).has_value());
}

TEST_CASE("a conflict says version, transaction, table, what of it, and why; and that running again helps") {
  const auto message = [](deed ours, deed won) {
    const status found = check(ours, won);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().code() == errc::conflict);
    CHECK(found.error().retry_helps());
    const std::string begin = concat({"version 7, by transaction ", to_text(sample_id(9)), ", "});
    const std::string end = ": run it again";
    const std::string& text = found.error().message();
    REQUIRE(text.starts_with(begin));
    REQUIRE(text.ends_with(end));
    return text.substr(begin.size(), text.size() - begin.size() - end.size());
  };
  CHECK(message(deed::scan, deed::append) == "appended to table x, and this transaction has scanned it");
  CHECK(message(deed::read_k, deed::write_k) == "wrote to table x, key k, and this transaction has looked it up");
  CHECK(message(deed::validate_k, deed::write_k) ==
        "wrote to table x, key k, and this transaction has inserted or updated it");
  CHECK(message(deed::write_l, deed::write_l) == "wrote to table x, key l, and this transaction has written it");
  CHECK(message(deed::delete_row_1, deed::delete_row_1) ==
        concat({"deleted from table x, row 1 of object ", to_text(sample_id(1)),
                ", and this transaction has deleted from it"}));
  CHECK(message(deed::compact_1, deed::compact_1) ==
        concat({"compacted table x, object ", to_text(sample_id(1)), ", and this transaction has compacted it"}));
  CHECK(message(deed::look_up, deed::restore) == "restored table x, and this transaction has used that name");
  CHECK(message(deed::list, deed::drop) ==
        "dropped table x, and this transaction has looked at which tables there are");
  CHECK(message(deed::drop, deed::compact_1) ==
        "compacted table x, and this transaction has created, altered, dropped or restored it");
}

TEST_CASE("what keys cannot be compared for is an error, and never a success") {
  struct unreadable {
    static result<std::string> find_read(const std::string&, const read_set&, const action&) {
      return error(errc::snapshot_expired, "gone");
    }
    static result<std::string> find_written(const std::string&, const action&) { return error(errc::corrupt, "torn"); }
  } keys;
  const auto code = [&](deed ours) { return check_conflict(mine(ours), theirs(deed::write_l), keys).error().code(); };
  CHECK(code(deed::read_k) == errc::snapshot_expired);
  CHECK(code(deed::write_k) == errc::corrupt);
}

TEST_CASE("of a transaction that has compacted and deleted, what it has in common is each by itself") {
  footprint both = mine(deed::compact_1);
  both.tables.find_or_insert("x").deleted.push_back({sample_id(2), rows_of(1)});
  no_keys none;
  CHECK_FALSE(check_conflict(both, theirs(deed::compact_1), none).has_value());
  CHECK_FALSE(check_conflict(both, theirs(deed::delete_row_2), none).has_value());  // of what it has compacted
  CHECK_FALSE(check_conflict(both, theirs(deed::delete_in_2), none).has_value());
  CHECK_FALSE(check_conflict(both, theirs(deed::compact_2), none).has_value());
  entry elsewhere = theirs(deed::delete_in_2);
  elsewhere.actions.find_or_insert("x")[0].rows = rows_of(7);
  CHECK(check_conflict(both, elsewhere, none).has_value());
  elsewhere.actions.find_or_insert("x")[0].object.id = sample_id(3);
  CHECK(check_conflict(both, elsewhere, none).has_value());
}

TEST_CASE("who has no keys has none in common with anybody") {
  CHECK(no_keys::find_read("x", read_set(), action()).value().empty());
  CHECK(no_keys::find_written("x", action()).value().empty());
}

// --- what was read ---------------------------------------------------------------------------------------------------

TEST_CASE("a read set keeps each key once, in order, and past its limit it is the whole table") {
  read_set reads;
  CHECK(reads.empty());
  for (int round = 0; round < 1'000; ++round)
    for (const char* key : {"c", "a", "b"}) reads.add_key(1, key, 4);
  reads.sort(4);
  REQUIRE(reads.keys().size() == 3);
  CHECK(reads.keys()[0].key == "a");
  CHECK(reads.keys()[1].key == "b");
  CHECK(reads.keys()[2].key == "c");
  CHECK_FALSE(reads.is_whole());
  reads.add_range({"x", "y", true}, 4);
  reads.sort(4);
  CHECK_FALSE(reads.is_whole());
  reads.add_key(0, "d", 4);
  CHECK_FALSE(reads.is_whole());
  reads.sort(4);
  CHECK(reads.is_whole());
  CHECK_FALSE(reads.empty());
  reads.add_key(0, "e", 4);
  CHECK(reads.keys().empty());  // it has all of them
}

TEST_CASE("a read set of many keys is bounded while it grows") {
  read_set reads;
  std::size_t most = 0;
  for (int key = 0; key < 1'000 && !reads.is_whole(); ++key) {
    reads.add_key(0, std::to_string(key), 100);
    most = reads.keys().size() > most ? reads.keys().size() : most;
  }
  CHECK(reads.is_whole());
  CHECK(most <= 200);
  read_set ranges;
  for (int at = 0; at < 11; ++at) ranges.add_range({"a", "b", true}, 10);
  CHECK(ranges.is_whole());
  ranges.add_range({"c", "d", true}, 10);
  CHECK(ranges.ranges().empty());  // it has all of them
}

// --- bounds of keys --------------------------------------------------------------------------------------------------

namespace {

table_state table_of_keys(schema columns, sequence<std::uint32_t> places) {
  columns.number_columns();
  table_state made;
  made.name = "t";
  made.columns = std::move(columns);
  made.key.columns = std::move(places);
  return made;
}

data_object object_with(const table_state& table, const std::vector<std::vector<value_view>>& rows) {
  bounds_builder builder(table.columns, table.key.columns, limits{});
  for (const auto& each : rows) builder.add(list_view(each.data(), each.size()));
  data_object object;
  object.bounds = builder.finish();
  return object;
}

std::string key_bytes(const std::vector<value_view>& parts) {
  sequence<std::uint32_t> columns;
  while (columns.size() < parts.size()) columns.push_back(static_cast<std::uint32_t>(columns.size()));
  std::string scratch;
  return std::string(encode_key(list_view(parts.data(), parts.size()), columns, scratch));
}

}  // namespace

TEST_CASE("bounds of keys: a box, that of each part by itself, in the order of keys") {
  // The key is (b, a): its parts are not in the order of the columns.
  const table_state table = table_of_keys(schema{{"a", column_type::integer}, {"b", column_type::string}, "c"}, {1, 0});
  const data_object one = object_with(table, {{5, "m", 0.5}, {-3, "p", {}}, {9, "n", true}});
  REQUIRE(one.bounds->size() == 2);
  CHECK((*one.bounds)[0].column == table.columns[1].id);
  CHECK((*one.bounds)[0].min == value("m"));
  CHECK((*one.bounds)[0].max == value("p"));
  CHECK((*one.bounds)[1].min == value(-3));
  CHECK((*one.bounds)[1].max == value(9));

  CHECK(may_share_keys(table, one, one));
  CHECK(may_share_keys(table, one, object_with(table, {{9, "p", 1}})));
  CHECK_FALSE(may_share_keys(table, one, object_with(table, {{10, "n", 1}})));  // only the second part tells
  CHECK_FALSE(may_share_keys(table, object_with(table, {{5, "a", 1}, {5, "l", 1}}), one));
  CHECK(may_share_keys(table, one, data_object()));  // not known: anything may be
  CHECK(may_share_keys(table, one, object_with(table, {{10, "a", 1}, {9, "z", 1}})));

  const key_span span = span_of_keys(table, one);
  REQUIRE(span.bounded);
  CHECK(span.first == key_bytes({"m", -3}));
  CHECK(span.last == key_bytes({"p", 9}));
  CHECK(span.overlaps({key_bytes({"p", 9}), key_bytes({"q", 0}), true}));
  CHECK_FALSE(span.overlaps({key_bytes({"p", 10}), key_bytes({"q", 0}), true}));
  CHECK_FALSE(span.overlaps({"", key_bytes({"m", -3}), true}));  // a range ends before its last key
  CHECK(span.overlaps({"", key_bytes({"m", -2}), true}));
  CHECK_FALSE(span_of_keys(table, data_object()).bounded);
  CHECK(span_of_keys(table, data_object()).overlaps({key_bytes({"q", 0}), key_bytes({"r", 0}), true}));  // any key
}

TEST_CASE("bounds of keys: long texts have none, booleans have, and nothing has none") {
  const table_state table = table_of_keys(schema{{"text", column_type::bytes}, {"flag", column_type::boolean}}, {0, 1});
  const std::string longest(64, 'x');
  const std::string longer(65, 'x');
  CHECK(span_of_keys(table, object_with(table, {{bytes{longest}, true}})).bounded);
  const data_object cut = object_with(table, {{bytes{"a"}, true}, {bytes{longer}, true}});
  CHECK_FALSE((*cut.bounds)[0].bounded);
  CHECK_FALSE(span_of_keys(table, cut).bounded);
  CHECK_FALSE(may_share_keys(table, cut, object_with(table, {{bytes{"b"}, false}})));
  CHECK(may_share_keys(table, cut, object_with(table, {{bytes{"b"}, true}})));
  CHECK_FALSE(span_of_keys(table, object_with(table, {})).bounded);
  CHECK_FALSE(
      may_share_keys(table, object_with(table, {{bytes{"a"}, true}}), object_with(table, {{bytes{"b"}, true}})));
  CHECK(may_share_keys(table, object_with(table, {{bytes{"b"}, true}}), object_with(table, {{bytes{"b"}, true}})));
  // Bounds of another kind than the column's, or of two kinds, which only a faulty writer makes, are none.
  const auto may_share_with = [&](const value& min, const value& max) {
    data_object wrong;
    wrong.bounds = object_bounds{{table.columns[1].id, 0, true, min, max}};
    return may_share_keys(table, wrong, object_with(table, {{bytes{"b"}, true}}));
  };
  CHECK(may_share_with(value(1), value(2)));
  CHECK(may_share_with(value(), value()));
  CHECK(may_share_with(value(false), value(0)));
  CHECK(may_share_with(value(false), value(true)));
  CHECK_FALSE(may_share_with(value(false), value(false)));
}

TEST_CASE("a key is described from its bytes as from its values") {
  const std::string zeros("a\0\0b\0", 5);
  const std::vector<std::vector<value_view>> keys = {{-7},
                                                     {"ad\"a"},
                                                     {bytes{std::string_view("\0\xff", 2)}},
                                                     {true},
                                                     {std::string_view(zeros), INT64_MIN},
                                                     {false, bytes{zeros}, "", 3}};
  for (const auto& parts : keys) {
    sequence<kind> kinds;
    sequence<std::uint32_t> columns;
    for (const value_view& each : parts) {
      columns.push_back(static_cast<std::uint32_t>(columns.size()));
      kinds.push_back(each.kind());
    }
    CHECK(describe_key(key_bytes(parts), kinds) == describe_key(list_view(parts.data(), parts.size()), columns));
  }
}
