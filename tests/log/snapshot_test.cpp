#include <doctest/doctest.h>

#include <string>
#include <tarn/log/apply_entry.hpp>
#include <tarn/log/snapshot.hpp>
#include <utility>

#include "../support/sample_entry.hpp"

using namespace tarn;
using tarn_test::sample_id;

namespace {

entry next_entry(const snapshot& state) {
  entry made;
  made.at = state.at.next();
  made.previous_checksum = state.entry_checksum;
  made.time = {100 + made.at.number};
  return made;
}

action create(std::uint64_t id) { return {action_kind::create_table, sample_id(id), schema{"a"}, {}}; }
action add(std::uint64_t id) { return {action_kind::add_object, {}, {}, {sample_id(id), true, "json", 1, 10, 0}}; }
action drop(std::uint64_t id) { return {action_kind::drop_table, sample_id(id), {}, {}}; }

snapshot with_table() {
  snapshot state;
  entry first = next_entry(state);
  first.actions.find_or_insert("x") = {create(1), add(2)};
  REQUIRE(apply_entry(state, first, 11).has_value());
  return state;
}

}  // namespace

TEST_CASE("a snapshot follows its entries") {
  snapshot state = with_table();
  CHECK(state.at == version{0});
  CHECK(state.entry_checksum == 11);
  CHECK(state.time == timestamp{100});
  REQUIRE(state.find_table("x") != nullptr);
  CHECK(state.find_table("X") == nullptr);
  CHECK(state.find_table("x")->objects.size() == 1);
  entry second = next_entry(state);
  second.actions.find_or_insert("x") = {drop(1), create(5), add(6), add(7)};
  REQUIRE(apply_entry(state, second, 12).has_value());
  CHECK(state.find_table("x")->id == sample_id(5));
  CHECK(state.find_table("x")->objects.size() == 2);
}

TEST_CASE("an entry that does not follow is corrupt: wrong version, wrong chain, inconsistent actions") {
  const snapshot start = with_table();
  const auto refused = [&](entry next) {
    snapshot state = start;
    const status applied = apply_entry(state, next, 0);
    return !applied && applied.error().code() == errc::corrupt;
  };
  entry good = next_entry(start);
  CHECK_FALSE(refused(good));
  entry skips = good;
  skips.at = {2};
  CHECK(refused(skips));
  entry off_chain = good;
  off_chain.previous_checksum ^= 1;
  CHECK(refused(off_chain));
  entry of_article = off_chain;
  of_article.of_article = true;  // has no chain
  CHECK_FALSE(refused(of_article));
  entry twice = good;
  twice.actions.find_or_insert("X") = {create(9)};
  CHECK(refused(twice));
  entry missing = good;
  missing.actions.find_or_insert("y") = {add(9)};
  CHECK(refused(missing));
  entry wrong_drop = good;
  wrong_drop.actions.find_or_insert("x") = {drop(2)};
  CHECK(refused(wrong_drop));
}

TEST_CASE("A14: a feature needed to read stops the reader, one needed to write is remembered") {
  snapshot state = with_table();
  entry writes = next_entry(state);
  writes.needed_to_write = {"time-machine"};
  REQUIRE(apply_entry(state, writes, 1).has_value());
  entry later = next_entry(state);
  REQUIRE(apply_entry(state, later, 2).has_value());
  CHECK(state.needed_to_write == sequence<std::string>{"time-machine"});
  entry again = next_entry(state);
  again.needed_to_write = {"time-machine", "wings"};
  REQUIRE(apply_entry(state, again, 3).has_value());
  CHECK(state.needed_to_write == sequence<std::string>{"time-machine", "wings"});
  entry reads = next_entry(state);
  reads.needed_to_read = {"anti-gravity"};
  const status applied = apply_entry(state, reads, 4);
  REQUIRE_FALSE(applied.has_value());
  CHECK(applied.error().code() == errc::unsupported);
  CHECK(applied.error().message().find("anti-gravity") != std::string::npos);
}

TEST_CASE("copies of a snapshot do not see each other's changes") {
  const shared_snapshot before{with_table()};
  shared_snapshot after = before;
  entry more = next_entry(*after);
  more.actions.find_or_insert("x") = {add(3)};
  REQUIRE(apply_entry(after.writable(), more, 1).has_value());
  CHECK(before->find_table("x")->objects.size() == 1);
  CHECK(after->find_table("x")->objects.size() == 2);
}

TEST_CASE("an object list keeps all objects in order, over any number of chunks, and its copies keep theirs") {
  object_list list;
  sequence<object_list> copies;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    copies.push_back(list);
    list.push_back({{sample_id(number), true, "json", number, 0, 0}});
  }
  CHECK(list.size() == 1000);
  for (std::size_t size = 0; size < copies.size(); ++size) {
    REQUIRE(copies[size].size() == size);
    for (std::size_t at = 0; at < size; at += 97) REQUIRE(copies[size][at].object.rows == at);
    if (size > 0) REQUIRE(copies[size][size - 1].object.rows == size - 1);
  }
}

TEST_CASE("a table of the article's gets an id that says where it was created, another one when it is another table") {
  snapshot state;
  entry first = next_entry(state);
  first.of_article = true;
  first.actions.find_or_insert("x") = {create(0)};
  first.actions.find_or_insert("y") = {create(0)};
  REQUIRE(apply_entry(state, first, 1).has_value());
  CHECK(state.find_table("x")->id != state.find_table("y")->id);
  CHECK(to_text(state.find_table("y")->id) == "00000000-0000-8000-8000-000000000001");
}

TEST_CASE("the article's tables whose names differ in case only are not supported, and said to be so") {
  snapshot state;
  for (const char* const name : {"x", "X"}) {
    entry next = next_entry(state);
    next.of_article = true;
    next.actions.find_or_insert(name) = {create(1)};
    const status applied = apply_entry(state, next, 1);
    REQUIRE(applied.has_value() == (*name == 'x'));
    if (applied) continue;
    CHECK(applied.error().code() == errc::unsupported);
    CHECK(applied.error().message().find("x and X") != std::string::npos);
  }
}

namespace {

action create_keyed() { return {action_kind::create_table, sample_id(1), schema{"a"}, {}, table_key{{0}, 2}}; }
action add_block(std::uint64_t id, object_form form = object_form::delta) {
  block_header block;
  block.bucket = 1;
  block.form = form;
  return {action_kind::add_block, {}, {}, {sample_id(id), true, "json", 1, 10, 0}, {}, block};
}
action compacted(std::uint64_t id, version plan) {
  action made = add_block(id, object_form::base);
  made.block.compacted = true;
  made.block.read_version = plan;
  return made;
}
action remove(std::uint64_t id) {
  action made = add_block(id);
  made.kind = action_kind::remove_object;
  return made;
}

// The ids in bucket 1, in order.
std::string ids_in(const snapshot& state) {
  std::string ids;
  for (const keyed_object& each : state.find_table("x")->buckets[1]->objects)
    ids += std::to_string(each.object.id.low & 0xffU) + " ";
  return ids;
}

}  // namespace

TEST_CASE("a bucket's objects are in the order of commits, and what a compaction makes comes before the rest") {
  snapshot state;
  const auto apply = [&](sequence<action> actions) {
    entry next = next_entry(state);
    next.actions.find_or_insert("x") = std::move(actions);
    return apply_entry(state, next, static_cast<std::uint32_t>(next.at.number) + 11);
  };
  REQUIRE(apply({create_keyed(), add_block(2, object_form::base), add_block(3)}).has_value());
  const auto base_of = [&] { return state.find_table("x")->buckets[1]->base(); };
  REQUIRE(base_of() != nullptr);
  CHECK(state.find_table("x")->buckets[1]->since == version{0});
  REQUIRE(apply({add_block(4, object_form::base)}).has_value());  // not first: a delta
  CHECK(ids_in(state) == "2 3 4 ");
  REQUIRE(apply({remove(2), remove(3), compacted(5, {0})}).has_value());
  CHECK(ids_in(state) == "5 4 ");
  CHECK(base_of()->object.id == sample_id(5));
  CHECK(state.find_table("x")->buckets[1]->since == version{2});
  CHECK(state.find_table("x")->buckets[0]->objects.empty());
}

TEST_CASE("a compaction that does not fit its bucket is corrupt") {
  const auto refused = [](sequence<action> actions) {
    snapshot state;
    entry first = next_entry(state);
    first.actions.find_or_insert("x") = {create_keyed(), add_block(2)};
    REQUIRE(apply_entry(state, first, 11).has_value());
    entry next = next_entry(state);
    next.actions.find_or_insert("x") = std::move(actions);
    const status applied = apply_entry(state, next, 12);
    return !applied && applied.error().code() == errc::corrupt;
  };
  CHECK_FALSE(refused({remove(2), compacted(3, {0})}));
  CHECK(refused({compacted(3, {0})}));             // 2 is not folded, and not after the plan
  CHECK(refused({remove(4), compacted(3, {0})}));  // there is no 4
  action elsewhere = add_block(3);
  elsewhere.block.bucket = 2;
  CHECK(refused({elsewhere}));
  CHECK(refused({add(3)}));  // a bag's
}

namespace {

action erase(std::uint64_t object, std::initializer_list<row_range> rows) {
  action made{action_kind::delete_rows, {}, {}, {}};
  made.object.id = sample_id(object);
  for (const row_range& each : rows) made.rows.add(each);
  return made;
}

action replace(std::initializer_list<std::uint64_t> objects, std::uint64_t with) {
  action made{action_kind::replace_objects, {}, {}, {}};
  if (with != 0) made.object = add(with).object;
  for (const std::uint64_t each : objects) made.replaced.push_back(sample_id(each));
  return made;
}

// The objects of table x, as "2 4:0,3": object 2, and object 4 without rows 0 and 3.
std::string objects_in(const snapshot& state) {
  std::string all;
  const object_list& objects = state.find_table("x")->objects;
  for (std::size_t at = 0; at < objects.size(); ++at) {
    if (at > 0) all += " ";
    all += concat({objects[at].object.id.low & 0xffffU});
    if (!objects[at].deleted->empty()) all += ":" + to_text(*objects[at].deleted);
  }
  return all;
}

}  // namespace

TEST_CASE("deleted rows of a bag's object add up, and what takes the place of objects is where they were") {
  snapshot state = with_table();
  const auto apply = [&](std::initializer_list<action> actions) {
    entry next = next_entry(state);
    next.actions.find_or_insert("x") = actions;
    snapshot after = state;
    const status applied = apply_entry(after, next, 1);
    if (applied) state = after;
    return applied ? std::string("good") : std::string(name_of(applied.error().code()));
  };
  action large = add(3);
  large.object.rows = 10;
  REQUIRE(apply({large, add(4), add(5), erase(3, {{0, 0}, {4, 6}})}) == "good");  // of an object of its own entry, too
  CHECK(objects_in(state) == "2 3:0,4-6 4 5");
  const snapshot before = state;
  CHECK(apply({erase(3, {{5, 9}}), erase(2, {{0, 0}})}) == "good");
  CHECK(objects_in(state) == "2:0 3:0,4-9 4 5");
  CHECK(objects_in(before) == "2 3:0,4-6 4 5");
  CHECK(apply({erase(3, {{10, 10}})}) == "corrupt");
  CHECK(apply({erase(9, {{0, 0}})}) == "corrupt");
  CHECK(apply({replace({3, 5}, 6)}) == "corrupt");  // no neighbours
  CHECK(apply({replace({4, 3}, 6)}) == "corrupt");
  CHECK(apply({replace({5, 6}, 7)}) == "corrupt");
  CHECK(apply({replace({}, 6)}) == "corrupt");
  CHECK(apply({replace({3, 4}, 6)}) == "good");
  CHECK(objects_in(state) == "2:0 6 5");
  CHECK(apply({replace({2}, 0)}) == "good");
  CHECK(objects_in(state) == "6 5");
  CHECK(apply({erase(3, {{1, 1}})}) == "corrupt");  // it is gone
  CHECK(apply({replace({6, 5}, 0)}) == "good");
  CHECK(objects_in(state).empty());
  CHECK(objects_in(before) == "2 3:0,4-6 4 5");
}

namespace {

// What is wrong with these changes of a table, in an entry after `state`; nothing: they fit.
std::string complaint_of(snapshot state, const char* table, sequence<action> actions) {
  entry next = next_entry(state);
  next.actions.find_or_insert(table) = std::move(actions);
  const status applied = apply_entry(state, next, 1);
  if (applied) return "";
  CHECK(applied.error().code() == errc::corrupt);
  const std::string begin = concat({"version ", next.at.number, " (", entry_name(next.at), ") "});
  REQUIRE(applied.error().message().starts_with(begin));
  return applied.error().message().substr(begin.size());
}

action alter(std::uint64_t id, schema columns) {
  columns.number_columns();
  return {action_kind::alter_table, sample_id(id), std::move(columns), {}};
}

// The same change, of an object with columns that no version of the table has had.
action with_later_columns(action change) {
  change.object.schema_number = 1;
  return change;
}

}  // namespace

TEST_CASE("changes that do not fit a table are corrupt, and said to be what they are") {
  const snapshot bag = with_table();
  CHECK(complaint_of(bag, "x", {add(3)}).empty());
  CHECK(complaint_of(bag, "x", {with_later_columns(add(3))}) == "adds an object with unknown columns to table x");
  CHECK(complaint_of(bag, "x", {with_later_columns(replace({2}, 3))}) == "replaces objects that are not in table x");
  CHECK(complaint_of(bag, "x", {with_later_columns(erase(2, {{0, 0}}))}).empty());  // adds none
  CHECK(complaint_of(bag, "x", {remove(2)}) == "names a missing bucket of table x");
  CHECK(complaint_of(bag, "X", {add(3)}) == "changes objects of the missing table X");
  CHECK(complaint_of(bag, "y", {drop(1)}) == "drops the missing table y");
  CHECK(complaint_of(bag, "x", {drop(2)}) == "drops the missing table x");
  CHECK(complaint_of(bag, "y", {alter(1, schema{"a"})}) == "alters the missing table y");
  CHECK(complaint_of(bag, "x", {alter(2, schema{"a"})}) == "alters the missing table x");
  CHECK(complaint_of(bag, "x", {create(3)}) == "creates the existing table x");
  entry of_article = next_entry(bag);
  of_article.of_article = true;
  of_article.actions.find_or_insert("x") = {create(3)};
  snapshot after = bag;
  CHECK(apply_entry(after, of_article, 1).error().code() == errc::corrupt);
  action undescribed = add(3);
  undescribed.object.described = false;  // as the article's are: how many rows there are is not known
  CHECK(complaint_of(bag, "x", {undescribed, erase(3, {{0, 1'000}})}).empty());

  snapshot keyed;
  entry first = next_entry(keyed);
  first.actions.find_or_insert("x") = {create_keyed(), add_block(2)};
  REQUIRE(apply_entry(keyed, first, 11).has_value());
  CHECK(complaint_of(keyed, "x", {add_block(3)}).empty());
  CHECK(complaint_of(keyed, "x", {with_later_columns(add_block(3))}) ==
        "adds an object with unknown columns to table x");
  action from_the_future = add_block(3);
  from_the_future.block.read_version = {1};
  CHECK(complaint_of(keyed, "x", {from_the_future}) == "adds or removes out of order an object of table x");
  CHECK(complaint_of(keyed, "x", {remove(2), compacted(3, {1})}) ==
        "adds or removes out of order an object of table x");
  CHECK(complaint_of(keyed, "x", {alter(1, schema{"b"})}) ==
        "takes away or changes a column of the key or the ordering of table x");
}

TEST_CASE("an application's work is in the log once, in order") {
  snapshot state;
  const auto apply = [&](const char* application, std::int64_t number) {
    entry next = next_entry(state);
    next.work = {application, number};
    snapshot after = state;
    const status applied = apply_entry(after, next, static_cast<std::uint32_t>(next.at.number) + 11);
    if (applied) state = after;
    return applied.has_value();
  };
  CHECK(apply("b", 3));
  CHECK_FALSE(apply("b", 3));
  CHECK_FALSE(apply("b", 2));
  CHECK(apply("a", 1));
  CHECK(apply("c", 1));
  CHECK(apply("b", 7));
  CHECK(state.applications->find("b")->work.sequence == 7);
  CHECK(state.applications->find("a")->at == version{1});
  CHECK(state.applications->find("aa") == nullptr);
  CHECK(state.applications->find("d") == nullptr);
}

TEST_CASE("tags are in order, and what vacuums have given up stays given up") {
  snapshot state;
  const auto apply = [&](const sequence<version_tag>& tags, retention kept, bool vacuums) {
    entry next = next_entry(state);
    next.tags = tags;
    next.kept = kept;
    next.vacuums = vacuums;
    REQUIRE(apply_entry(state, next, static_cast<std::uint32_t>(next.at.number) + 11).has_value());
  };
  const auto names = [&] {
    std::string all;
    for (const version_tag& each : *state.tags) all += concat({each.name, "=", each.at.number, " "});
    return all;
  };
  apply({{"b", {1}}, {"a", {2}}, {"c", {3}}}, {}, false);
  CHECK(names() == "a=2 b=1 c=3 ");
  apply({{"b", version()}, {"d", version()}, {"c", {0}}}, {{90}, {9}}, false);
  CHECK(names() == "a=2 c=0 ");
  CHECK(state.kept.horizon == retention().horizon);
  CHECK(state.kept.oldest == retention().oldest);
  apply({}, {{50}, {2}}, true);
  apply({}, {{40}, {3}}, true);  // one of a slow vacuum
  CHECK(state.kept.horizon == timestamp{50});
  CHECK(state.kept.oldest == version{3});
  apply({}, {{60}, {1}}, true);
  CHECK(state.kept.horizon == timestamp{60});
  CHECK(state.kept.oldest == version{3});
}
