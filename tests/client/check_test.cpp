// A check finds what is damaged, names it, and reports nothing else; and it tells the last version that is good.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/log/entry_writer.hpp>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "../support/altered_store.hpp"
#include "../support/random_source.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;

namespace {

using files = std::map<std::string, std::string>;  // by name

template <class Store>
files files_in(Store store) {
  files all;
  for (const std::string& name : tarn_test::names_in(store)) {
    const auto bytes = store.get(name);
    REQUIRE(bytes.has_value());
    all[name] = std::string_view(*bytes);
  }
  return all;
}

template <class Store>
Store fill(Store store, const files& with) {
  for (const auto& [name, bytes] : with) REQUIRE(store.put_if_absent(name, bytes).outcome() == put_outcome::created);
  return store;
}

template <class Store>
check_report check_of(Store store, checked_versions which = checked_versions::retained) {
  client<Store> lake{std::move(store)};
  const result<check_report> found = check(lake, which);
  REQUIRE(found.has_value());
  return *found;
}

// One line for each finding: "kind name version table".
std::string to_text(const check_report& found) {
  std::string out;
  for (const check_finding& each : found.findings) {
    out += concat({name_of(each.kind), " ", each.name, " ", each.at.number, " ", each.table, "\n"});
    CHECK_MESSAGE(each.message.find(each.name) != std::string::npos, each.message);
    CHECK_MESSAGE((each.message.find("; ") != std::string::npos || each.message.find(": ") != std::string::npos),
                  each.message);
  }
  return out;
}
std::string line(finding_kind kind, std::string_view name, std::int64_t at, std::string_view table = "") {
  return concat({name_of(kind), " ", name, " ", at, " ", table, "\n"});
}

// What happens in a lake, with a clock and ids that are the same each time; and entries and objects as only a writer
// with a bug would put them, whose checksums are right all the same.
template <class Store>
class lake_in_making {
 public:
  explicit lake_in_making(Store store, const limits& bounds = limits{})
      : store_(store), lake_(std::move(store), options(bounds)) {}

  [[nodiscard]] client<Store>& lake() { return lake_; }
  [[nodiscard]] timestamp& clock() { return environment_.clock; }

  template <class Work>
  version commit(Work work) {
    auto tx = lake_.begin().value();
    work(tx);
    return tx.commit().value();
  }

  [[nodiscard]] table_state table(std::string_view name) { return *(*lake_.newest_snapshot())->find_table(name); }

  // An object of these rows of the codec, and what the log must say of it.
  data_object put(std::string_view table, const std::vector<row>& rows) {
    const uuid id = make_uuid(environment_.clock, 7, ++forged_ << 2);
    auto builder = json_codec().build({table, id});
    for (const row& each : rows) REQUIRE(builder.append(each).has_value());
    const std::string_view bytes = builder.finish();
    REQUIRE(store_.put_if_absent(object_name(table, id), bytes).outcome() == put_outcome::created);
    return {id, true, "json", builder.rows(), bytes.size(), crc32c(bytes)};
  }

  // Appends an entry, whatever it says.
  version append(std::string_view table, sequence<action> actions, const std::function<void(entry&)>& change = {}) {
    const shared_snapshot state = lake_.newest_snapshot().value();
    entry made;
    made.at = state->at.next();
    made.transaction = {++forged_, 1};
    made.read_version = state->at;
    made.previous_checksum = state->entry_checksum;
    made.time = {state->time.ms + 1};
    made.operation = "forged";
    if (!actions.empty()) made.actions.find_or_insert(table) = std::move(actions);
    if (change) change(made);
    REQUIRE(store_.put_if_absent(entry_name(made.at), write_entry(made)).outcome() == put_outcome::created);
    return made.at;
  }

  void put_checkpoint(version at) {
    const auto state = lake_.snapshot_at(at).value();
    REQUIRE(tarn::put_checkpoint(*lake_.core(), *state).has_value());
  }

  version add(std::string_view table, const data_object& object) {
    return append(table, {{action_kind::add_object, {}, {}, object}});
  }
  version add(std::string_view table, const data_object& object, const block_header& block) {
    return append(table, {{action_kind::add_block, {}, {}, object, {}, block}});
  }

 private:
  client_options options(const limits& bounds) {
    client_options made = tarn_test::with_stored_objects();
    made.bounds = bounds;
    made.surroundings = environment_.get();
    return made;
  }

  tarn_test::test_environment environment_;
  Store store_;
  client<Store> lake_;
  std::uint64_t forged_ = 0;
};

// Versions 0 to 7, seven data objects: a bag, a keyed table with a base, a delta with positions and a compaction, one
// of three buckets, and a table that is dropped.
template <class Store>
void make_sample(Store store) {
  lake_in_making<Store> made(store);
  made.commit([](auto& tx) {  // 0
    tx.create_table("cities", {"name", {"people", column_type::integer}}).value();
    tx.create_table("keys", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
    tx.create_table("parts", {{"k", column_type::string}, {"n", column_type::integer}}, keyed{{"k"}, 3}).value();
    tx.create_table("old", {"a"}).value();
  });
  made.commit([](auto& tx) {  // 1
    tx.insert("cities", {{"Ulm", 126'000}, {"Trier", nullptr}}).value();
    tx.insert("old", {1}).value();
  });
  made.commit([](auto& tx) { tx.insert("keys", {{1, "one"}, {3, "three"}, {5, "five"}}).value(); });  // 2
  made.commit([](auto& tx) { tx.upsert("keys", {{3, "drei"}, {4, "vier"}}).value(); });               // 3
  REQUIRE(made.lake().compact("keys").value() == version{4});
  made.commit([](auto& tx) { tx.drop_table("old").value(); });  // 5
  made.commit([](auto& tx) {                                    // 6
    tx.insert("keys", {6, "sechs"}).value();                    // looks for the key, and so knows where it is
    tx.insert("cities", {"Gera", 93'000}).value();
  });
  made.commit([](auto& tx) {  // 7
    for (int number = 0; number < 8; ++number) tx.upsert("parts", {concat({number}), number}).value();
  });
}

// The sample, with a tag on version 2, truncated to version 5; its newest version is 9.
template <class Store>
void make_truncated_sample(Store store) {
  make_sample(store);
  lake_in_making<Store> made(store);
  made.append("", {}, [](entry& forged) { forged.tags.push_back({"first", {2}}); });  // 8
  made.append("", {}, [](entry& forged) {                                             // 9
    forged.vacuums = true;
    forged.kept = {{0}, {5}};
  });
  for (const std::int64_t at : {2, 5, 9}) made.put_checkpoint({at});
  truncation_marker marker{{0}, {5}, {{5}, {9}}, {}};
  for (std::int64_t at = 0; at <= 5; ++at) {
    marker.transactions.push_back(get_entry(store, {at}, limits{})->content.transaction);
    REQUIRE(store.remove(entry_name({at})).has_value());
  }
  REQUIRE(store.put_if_absent(marker_name(0), write_marker(marker)).outcome() == put_outcome::created);
  REQUIRE(store.remove(tarn_test::names_in(store, "_table_keys_")[1]).has_value());  // came with 3, was replaced at 4
}

files sample_files() {
  static const files made = [] {
    memory_store store;
    make_sample(store);
    return files_in(store);
  }();
  return made;
}

// The objects of a table, in the order in which they came.
std::vector<std::string> objects_of(const files& all, std::string_view table) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : all)
    if (name.starts_with(concat({object_prefix, table, "_"}))) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE_TEMPLATE("an empty lake is sound", Lake, TARN_EACH_STORE) {
  Lake store;
  const check_report found = check_of(store.open());
  CHECK(found.sound());
  CHECK(found.findings.empty());
  CHECK(found.newest == version());
  CHECK(found.last_good == version());
}

TEST_CASE_TEMPLATE("a sound lake is sound, and all of it was read", Lake, TARN_EACH_STORE) {
  Lake store;
  make_sample(store.open());
  const files all = files_in(store.open());
  std::size_t bytes = 0;
  for (const auto& [name, content] : all)
    if (name.starts_with(object_prefix)) bytes += content.size();

  const check_report found = check_of(store.open());
  CHECK(to_text(found) == "");
  CHECK(found.sound());
  CHECK(found.newest == version{7});
  CHECK(found.last_good == version{7});
  CHECK(found.entries == 8);
  CHECK(found.objects == all.size() - 8);
  CHECK(found.rows == 2 + 1 + 3 + 2 + 4 + 1 + 1 + 8);
  CHECK(found.bytes == bytes);
  CHECK(files_in(store.open()) == all);  // and nothing was changed

  const check_report quick = check_of(store.open(), checked_versions::newest);
  CHECK(to_text(quick) == "");
  CHECK(quick.objects == found.objects - 3);  // that of the dropped table, and those that the compaction has replaced
  CHECK(quick.last_good == version{7});
}

TEST_CASE_TEMPLATE(
    "a lake in which everything has happened is sound, and bounds are those of the columns that were written", Lake,
    TARN_EACH_STORE) {
  Lake store;
  make_sample(store.open());
  lake_in_making made(store.open());
  auto& lake = made.lake();
  made.commit([](auto& tx) {
    tx.widen_column("cities", "people").value();
    tx.rename_column("cities", "name", "city").value();
    tx.add_column("cities", {"founded", column_type::integer}).value();
    tx.add_column("keys", {"note"}).value();
  });
  made.commit([](auto& tx) {
    tx.insert("cities", {"Essen", 0.5, 1003}).value();
    tx.upsert("keys", {3, "tri", "new"}).value();
  });
  made.commit([](auto& tx) {
    tx.drop_column("cities", "people").value();
    tx.drop_column("keys", "v").value();
  });
  made.commit([](auto& tx) {
    CHECK(tx.erase_where("cities", {{"city", equals, "Ulm"}}).value() == 1);
    CHECK(tx.update_where("cities", {{"city", equals, "Essen"}}, {{"founded", 852}}).value() == 1);
  });
  REQUIRE(lake.tag("before", lake.newest_snapshot().value()->at).has_value());
  REQUIRE(lake.compact("cities").has_value());
  made.commit([](auto& tx) { CHECK(tx.erase_where("cities", {}).value() > 0); });
  REQUIRE(lake.compact("cities").has_value());
  REQUIRE(made.table("cities").objects.size() == 0);
  REQUIRE(lake.compact("parts").has_value());
  REQUIRE(lake.restore({6}).has_value());
  made.commit([](auto& tx) { tx.insert("cities", {"Mainz", 220'000}).value(); });

  check_report found = check_of(store.open());
  CHECK(to_text(found) == "");
  CHECK(found.last_good == found.newest);
  CHECK(found.objects == tarn_test::names_in(store.open(), object_prefix).size());

  made.clock().ms += 1'000;
  vacuum_options options;
  options.keep_ms = options.grace_ms = 0;
  REQUIRE(vacuum(lake, options).value().objects.size() > 0);
  REQUIRE(truncate(lake).value() > version{7});
  found = check_of(store.open());
  CHECK(to_text(found) == "");
  CHECK(found.objects == tarn_test::names_in(store.open(), object_prefix).size());
}

TEST_CASE("the article's folders are sound") {
  for (const char* const name : {"two-commits", "two-objects", "value-kinds"}) {
    CAPTURE(name);
    const std::filesystem::path folder = std::filesystem::path(TARN_TEST_FIXTURES) / "article" / name;
    const check_report found = check_of(file_store<>(folder.string()));
    CHECK(found.sound());
    CHECK(found.entries > 0);
    CHECK(found.objects > 0);
    CHECK(found.last_good == found.newest);
    for (const check_finding& each : found.findings) CHECK(each.kind == finding_kind::stranger);
  }
}

TEST_CASE_TEMPLATE("damage in each version's entry is named, and the version before is the last good one", Lake,
                   TARN_EACH_STORE) {
  const files sound = sample_files();
  for (std::int64_t at = 0; at < 8; ++at) {
    CAPTURE(at);
    const std::string name = entry_name({at});
    files damaged = sound;
    damaged[name][30] ^= 1;
    Lake store;
    const check_report found = check_of(fill(store.open(), damaged));
    CHECK(to_text(found) == line(finding_kind::damaged_entry, name, at));
    CHECK(found.newest == version{7});
    CHECK(found.last_good == version{at - 1});
  }
}

TEST_CASE_TEMPLATE("a missing entry is named, but for the last, of which nobody can know", Lake, TARN_EACH_STORE) {
  const files sound = sample_files();
  for (std::int64_t at = 0; at < 8; ++at) {
    CAPTURE(at);
    files damaged = sound;
    damaged.erase(entry_name({at}));
    Lake store;
    const check_report found = check_of(fill(store.open(), damaged));
    if (at < 7) CHECK(to_text(found) == line(finding_kind::missing_entry, entry_name({at}), at));
    if (at == 7)  // the objects that it named are nobody's now
      for (const check_finding& each : found.findings) CHECK(each.kind == finding_kind::orphan);
    CHECK(found.newest == version{at < 7 ? 7 : 6});
    CHECK(found.last_good == version{at - 1});
  }
}

TEST_CASE_TEMPLATE("damage of each data object is named, and the newest version without it is the last good one", Lake,
                   TARN_EACH_STORE) {
  const files sound = sample_files();
  const std::vector<std::string> cities = objects_of(sound, "cities"), keys = objects_of(sound, "keys"),
                                 old = objects_of(sound, "old"), parts = objects_of(sound, "parts");
  REQUIRE(keys.size() == 4);
  struct place {
    std::string name;
    std::string table;
    std::int64_t came;
    std::int64_t last_good;
  };
  const std::vector<place> places = {{cities[0], "cities", 1, 0}, {old[0], "old", 1, 7},    {keys[0], "keys", 2, 7},
                                     {keys[1], "keys", 3, 7},     {keys[2], "keys", 4, 3},  {cities[1], "cities", 6, 5},
                                     {keys[3], "keys", 6, 5},     {parts[0], "parts", 7, 6}};
  for (const place& each : places)
    for (const std::string_view how : {"flipped bit", "cut", "empty", "missing"}) {
      CAPTURE(each.name);
      CAPTURE(how);
      files damaged = sound;
      std::string& bytes = damaged[each.name];
      if (how == "flipped bit") bytes[bytes.size() / 2] ^= 1;
      if (how == "cut") bytes.pop_back();
      if (how == "empty") bytes.clear();
      if (how == "missing") damaged.erase(each.name);
      Lake store;
      const check_report found = check_of(fill(store.open(), damaged));
      const finding_kind kind = how == "missing" ? finding_kind::missing_object : finding_kind::damaged_object;
      CHECK(to_text(found) == line(kind, each.name, each.came, each.table));
      CHECK(found.last_good == version{each.last_good});
      CHECK(check_of(store.open(), checked_versions::newest).sound() == (each.last_good == 7));
    }
}

TEST_CASE("every flipped bit of every file is found, and the file named") {
  memory_store store;
  {
    lake_in_making<memory_store> made(store);
    made.commit([](auto& tx) {
      tx.create_table("t", {"a"}).value();
      tx.create_table("k", {{"k", column_type::integer}}, keyed{{"k"}}).value();
    });
    made.commit([](auto& tx) {
      tx.insert("t", {"x"}).value();
      tx.insert("k", {1}).value();
    });
    made.commit([](auto& tx) { tx.insert("k", {2}).value(); });
  }
  const files sound = files_in(store);
  REQUIRE(check_of(store).findings.empty());
  std::size_t missed = 0;
  for (const auto& [name, bytes] : sound)
    for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += tarn_test::share_of_cases()) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      const check_report found = check_of(tarn_test::altered_store(store, {{name, flipped}}));
      bool named = false;
      for (const check_finding& each : found.findings) named = named || each.name == name;
      if (found.sound() || !named || found.findings.size() != 1) ++missed;
    }
  CHECK(missed == 0);
}

TEST_CASE_TEMPLATE("an entry that was made to follow another one breaks the chain, and what follows it is still read",
                   Lake, TARN_EACH_STORE) {
  Lake store;
  lake_in_making made(store.open());
  made.commit([](auto& tx) { tx.create_table("t", {"a"}).value(); });
  made.append("t", {}, [](entry& forged) { forged.previous_checksum ^= 1; });
  const data_object object = made.put("t", {{"row"}});
  auto opened = store.open();
  entry later;
  later.at = {2};
  later.transaction = {1, 1};
  later.read_version = {0};
  later.operation = "insert";
  later.actions.find_or_insert("t") = {{action_kind::add_object, {}, {}, object}};
  const std::string bytes = write_entry(later);
  REQUIRE(opened.put_if_absent(entry_name({2}), bytes).outcome() == put_outcome::created);

  const check_report found = check_of(store.open());
  CHECK(to_text(found) == line(finding_kind::broken_chain, entry_name({1}), 1));
  CHECK(found.objects == 1);
  CHECK(found.newest == version{2});
  CHECK(found.last_good == version{0});

  REQUIRE(opened.remove(object_name("t", object.id)).has_value());
  CHECK(to_text(check_of(store.open())) == line(finding_kind::broken_chain, entry_name({1}), 1) +
                                               line(finding_kind::missing_object, object_name("t", object.id), 2, "t"));
}

TEST_CASE_TEMPLATE("an entry that does not fit the state before it, or needs a newer tarn, is named", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  lake_in_making made(store.open());
  made.commit([](auto& tx) { tx.create_table("t", {"a"}).value(); });
  SUBCASE("drops a table that is not there") {
    made.append("t", {{action_kind::drop_table, {1, 1}, {}, {}}});
    CHECK(to_text(check_of(store.open())) == line(finding_kind::damaged_entry, entry_name({1}), 1));
  }
  SUBCASE("needs a feature") {
    made.append("t", {}, [](entry& forged) { forged.needed_to_read.emplace_back("telepathy"); });
    CHECK(to_text(check_of(store.open())) == line(finding_kind::unsupported, entry_name({1}), 1));
  }
  CHECK(check_of(store.open()).last_good == version{0});
  CHECK_FALSE(check_of(store.open()).sound());
}

TEST_CASE_TEMPLATE("rows that are not those of the table, under right checksums, are named", Lake, TARN_EACH_STORE) {
  Lake store;
  lake_in_making made(store.open());
  made.commit([](auto& tx) {
    tx.create_table("t", {{"a", column_type::integer}}).value();
    tx.create_table("k", {{"k", column_type::integer}, {"v", column_type::integer}}, keyed{{"k"}, 2}).value();
  });
  const block_header base{0, object_form::base, {}, {0}, false};
  const auto is_in = [&](std::int64_t key, std::uint32_t bucket) {
    const value_view values[] = {key};
    return bucket_of(list_view(values, 1), {0}, 2) == bucket;
  };
  sequence<std::int64_t> first, second;
  for (std::int64_t key = 0; first.size() < 2 || second.size() < 2; ++key)
    (is_in(key, 0) ? first : second).push_back(key);
  data_object object;
  std::string table = "t";
  finding_kind kind = finding_kind::wrong_rows;
  SUBCASE("fewer rows than the log says") {
    object = made.put("t", {{1}, {2}});
    ++object.rows;
    made.add("t", object);
  }
  SUBCASE("a value that the column does not take") {
    object = made.put("t", {{1}, {"two"}});
    made.add("t", object);
  }
  SUBCASE("a column too many") {
    object = made.put("t", {{1, 2}});
    made.add("t", object);
  }
  SUBCASE("another codec") {
    object = made.put("t", {{1}});
    object.codec = "columnar";
    made.add("t", object);
    kind = finding_kind::unsupported;
  }
  SUBCASE("records that are not sorted") {
    table = "k";
    object = made.put("k", {{0, first[1], 1}, {0, first[0], 2}});
    made.add("k", object, base);
  }
  SUBCASE("a record twice") {
    table = "k";
    object = made.put("k", {{0, first[0], 1}, {0, first[0], 2}});
    made.add("k", object, base);
  }
  SUBCASE("a record of another bucket") {
    table = "k";
    object = made.put("k", {{0, second[0], 1}});
    made.add("k", object, base);
  }
  SUBCASE("a record whose row is not one of the table") {
    table = "k";
    object = made.put("k", {{0, first[0], "not an integer"}});
    made.add("k", object, base);
  }
  SUBCASE("a record without a key") {
    table = "k";
    object = made.put("k", {{0, nullptr, 1}});
    made.add("k", object, base);
  }
  const check_report found = check_of(store.open());
  CHECK(to_text(found) == line(kind, object_name(table, object.id), 1, table));
  CHECK(found.last_good == version{0});
}

TEST_CASE_TEMPLATE("bounds that are not true are named", Lake, TARN_EACH_STORE) {
  Lake store;
  lake_in_making made(store.open());
  made.commit([](auto& tx) {
    tx.create_table("t", {{"a", column_type::integer}, "b"}).value();
    tx.create_table("k", {{"k", column_type::string}, "v"}, keyed{{"k"}}).value();
  });
  const auto columns = made.table("t").columns;
  const auto stating = [](data_object object, object_bounds bounds) {
    object.bounds = std::move(bounds);
    return object;
  };
  const data_object rows = made.put("t", {{3, "x"}, {nullptr, nullptr}, {1, "y"}, {2, 5}});
  const column_id a = columns[0].id, b = columns[1].id;
  data_object object;
  std::string table = "t";
  bool good = false;
  SUBCASE("true ones are not") {
    object = stating(rows, {{a, 1, true, 1, 3}, {b, 1, false, {}, {}}});
    good = true;
  }
  SUBCASE("too small a least value") { object = stating(rows, {{a, 1, true, 0, 3}}); }
  SUBCASE("too great a least value") { object = stating(rows, {{a, 1, true, 2, 3}}); }
  SUBCASE("too small a greatest value") { object = stating(rows, {{a, 1, true, 1, 2}}); }
  SUBCASE("too great a greatest value") { object = stating(rows, {{a, 1, true, 1, 4}}); }
  SUBCASE("a wrong number of nulls") { object = stating(rows, {{a, 2, true, 1, 3}}); }
  SUBCASE("of a column of several kinds") { object = stating(rows, {{b, 1, true, "x", "y"}}); }
  SUBCASE("of another kind") { object = stating(rows, {{a, 1, true, "1", "3"}}); }
  SUBCASE("of a column that is not there") { object = stating(rows, {{{99}, 0, false, {}, {}}}); }
  SUBCASE("of a keyed object's erases too") {
    table = "k";
    object = stating(made.put("k", {{0, nullptr, "b", 1}, {1, nullptr, "c", nullptr}}), {{a, 0, true, "b", "b"}});
  }
  if (table == "t")
    made.add("t", object);
  else
    made.add("k", object, {0, object_form::delta, {}, {0}, false});
  const check_report found = check_of(store.open());
  const std::string expected = line(finding_kind::wrong_bounds, object_name(table, object.id), 1, table);
  std::string text = to_text(found);
  if (table == "k" || object.id != rows.id)  // the bag's object is then nobody's
    text = text.substr(0, text.find("orphan"));
  CHECK(text == (good ? "" : expected));
  CHECK(found.last_good == version{good ? 1 : 0});
}

TEST_CASE_TEMPLATE("positions that are not those of the keys are named, also in versions that are history", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  lake_in_making made(store.open());
  made.commit([](auto& tx) { tx.create_table("k", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value(); });
  made.commit([](auto& tx) { tx.insert("k", {{1, "a"}, {3, "c"}, {5, "e"}}).value(); });
  const uuid base = made.table("k").buckets[0]->objects[0].object.id;
  const block_header block{0, object_form::delta, base, {1}, false};
  const data_object right = made.put("k", {{0, -2, 2, "b"}, {0, 1, 3, "C"}});
  made.add("k", right, block);
  data_object wrong;
  SUBCASE("all are right") {}
  SUBCASE("at a row with another key") { made.add("k", wrong = made.put("k", {{0, 2, 3, "wrong"}}), block); }
  SUBCASE("before another row") { made.add("k", wrong = made.put("k", {{0, -1, 2, "wrong"}}), block); }
  SUBCASE("past the end") { made.add("k", wrong = made.put("k", {{0, -5, 9, "wrong"}}), block); }
  const bool planted = wrong.described;
  const std::string expected =
      planted ? line(finding_kind::wrong_positions, object_name("k", wrong.id), 3, "k") : std::string();
  check_report found = check_of(store.open());
  CHECK(to_text(found) == expected);
  CHECK(found.last_good == version{2});
  CHECK(to_text(check_of(store.open(), checked_versions::newest)) == expected);

  // A strategy that uses no positions still reads the right rows, and folds them.
  client<decltype(store.open()), json_codec, merge::by_key> by_key{store.open()};
  const version folded = by_key.compact("k").value();
  found = check_of(store.open());
  CHECK(to_text(found) == expected);
  CHECK(found.last_good == folded);
  CHECK(check_of(store.open(), checked_versions::newest).sound());

  // And also if all but a tag has given them up.
  made.append("", {}, [&](entry& forged) { forged.tags.push_back({"then", {planted ? 3 : 2}}); });
  made.append("", {}, [](entry& forged) {
    forged.vacuums = true;
    forged.kept = {{0}, forged.at};
  });
  CHECK(to_text(check_of(store.open())) == expected);
}

TEST_CASE_TEMPLATE("what no version needs is an orphan, with the reason, and no damage", Lake, TARN_EACH_STORE) {
  Lake store;
  make_sample(store.open());
  const files all = files_in(store.open());
  auto opened = store.open();
  const auto orphan_reason = [](const check_report& found, std::string_view name) {
    for (const check_finding& each : found.findings)
      if (each.kind == finding_kind::orphan && each.name == name) return each.message.substr(name.size() + 2);
    return std::string("not an orphan");
  };

  SUBCASE("of transactions that were not committed") {
    const std::string of_known = "_table_cities_00000000-0000-4000-8000-000000000000";
    const std::string of_unknown = "_table_towns_00000000-0000-4000-8000-000000000000";
    const std::string misnamed =
        "_table_towns_" + objects_of(all, "cities")[0].substr(std::string("_table_cities_").size());
    for (const std::string& each : {of_known, of_unknown, misnamed})
      REQUIRE(opened.put_if_absent(each, "?").outcome() == put_outcome::created);
    const check_report found = check_of(store.open());
    CHECK(found.sound());
    CHECK(found.findings.size() == 3);
    CHECK(found.last_good == version{7});
    CHECK(orphan_reason(found, of_known).starts_with("is named by no version: its transaction failed"));
    CHECK(orphan_reason(found, of_unknown).starts_with("names no table of the lake"));
    CHECK(orphan_reason(found, misnamed).starts_with("names no table of the lake"));
  }
  SUBCASE("of versions that a vacuum has given up; those that a tag holds are none") {
    lake_in_making made(store.open());
    (void)made.lake().newest_snapshot().value();
    made.append("t", {}, [](entry& forged) { forged.tags.push_back({"first", {2}}); });  // 8
    made.append("t", {}, [](entry& forged) {                                             // 9
      forged.vacuums = true;
      forged.kept = {{0}, {7}};
    });
    const std::string replaced = objects_of(all, "keys")[1];  // came with 3, was replaced at 4
    const std::string tagged = objects_of(all, "keys")[0];    // came with 2
    check_report found = check_of(store.open());
    CHECK(found.sound());
    CHECK(to_text(found) == line(finding_kind::orphan, replaced, 3, "keys"));
    CHECK(orphan_reason(found, replaced).starts_with("was replaced by a compaction at version 4"));

    REQUIRE(opened.remove(replaced).has_value());
    CHECK(check_of(store.open()).findings.empty());
    REQUIRE(opened.remove(tagged).has_value());
    CHECK(to_text(check_of(store.open())) == line(finding_kind::missing_object, tagged, 2, "keys"));

    made.append("t", {}, [](entry& forged) { forged.tags.push_back({"first", {}}); });
    found = check_of(store.open());
    const std::string dropped = objects_of(all, "old")[0];
    CHECK(to_text(found) == line(finding_kind::orphan, dropped, 1, "old"));
    CHECK(orphan_reason(found, dropped).starts_with("was dropped with its table at version 5"));
  }
  SUBCASE("of a state that a restore has replaced; what it brings back is none") {
    lake_in_making made(store.open());
    const auto former = made.lake().snapshot_at({2}).value();
    action restore{action_kind::restore_table, {}, {}, {}};
    restore.restored = shared<const table_state>::make(*former->find_table("keys"));
    action restore_cities = restore;
    restore_cities.restored = shared<const table_state>::make(*former->find_table("cities"));
    made.append("keys", {restore},
                [&](entry& forged) { forged.actions.find_or_insert("cities") = {restore_cities}; });  // 8
    made.append("t", {}, [](entry& forged) {                                                          // 9
      forged.vacuums = true;
      forged.kept = {{0}, {8}};
    });
    const std::vector<std::string> keys = objects_of(all, "keys");
    const check_report found = check_of(store.open());
    CHECK(found.sound());
    CHECK(to_text(found) == line(finding_kind::orphan, objects_of(all, "cities")[1], 6, "cities") +
                                line(finding_kind::orphan, keys[1], 3, "keys") +
                                line(finding_kind::orphan, keys[2], 4, "keys") +
                                line(finding_kind::orphan, keys[3], 6, "keys") +
                                line(finding_kind::orphan, objects_of(all, "old")[0], 1, "old"));
    CHECK(orphan_reason(found, keys[3]).starts_with("went, as its table was restored to an older state, at version 8"));
    REQUIRE(opened.remove(keys[0]).has_value());
    CHECK(check_of(store.open()).last_good == version());
  }
}

TEST_CASE("names that are none of a lake's are strangers; what a writer left is told, too") {
  tarn_test::temporary_folder folder;
  const auto open = [&] { return file_store<>(folder.path().string()); };
  fill(open(), sample_files());
  for (const char* const name : {"_log_5", "_log_backup~", "notes.txt", "_tmp_00000000-0000-7000-8000-000000000000"})
    std::ofstream(folder.path() / name) << "?";
  const check_report found = check_of(open());
  CHECK(found.sound());
  CHECK(found.last_good == version{7});
  CHECK(to_text(found) == line(finding_kind::stranger, "_log_5", -1) +
                              line(finding_kind::stranger, "_log_backup~", -1) +
                              line(finding_kind::stranger, "notes.txt", -1) +
                              line(finding_kind::leftover, "_tmp_00000000-0000-7000-8000-000000000000", -1));
}

TEST_CASE("progress is told after each object, and a store that cannot be listed is an error") {
  client lake{fill(memory_store(), sample_files())};
  std::size_t calls = 0;
  std::uint64_t rows = 0;
  const auto watch = [&](const check_report& so_far) {
    ++calls;
    CHECK(so_far.rows > rows);
    rows = so_far.rows;
  };
  const check_report found = check(lake, checked_versions::retained, watch).value();
  CHECK(calls == found.objects);
  CHECK(rows == found.rows);
}

TEST_CASE_TEMPLATE("with a checkpoint, what is damaged before it takes little with it", Lake, TARN_EACH_STORE) {
  Lake store;
  auto opened = store.open();
  make_sample(store.open());
  lake_in_making(store.open()).put_checkpoint({4});
  CHECK(check_of(store.open()).findings.empty());
  const check_report sound = check_of(store.open());
  REQUIRE(opened.remove(entry_name({2})).has_value());
  check_report found = check_of(store.open());
  CHECK(to_text(found) == line(finding_kind::missing_entry, entry_name({2}), 2));
  CHECK(found.last_good == version{7});
  CHECK(found.objects == sound.objects - 1);  // that of the entry, which nobody names any more

  // Also the objects of those in between are read; and of the versions after it, all.
  const std::vector<std::string> keys = tarn_test::names_in(store.open(), "_table_keys_");
  REQUIRE(opened.remove(keys[1]).has_value());
  REQUIRE(opened.remove(keys[2]).has_value());
  found = check_of(store.open());
  CHECK(to_text(found) == line(finding_kind::missing_entry, entry_name({2}), 2) +
                              line(finding_kind::missing_object, keys[1], 3, "keys") +
                              line(finding_kind::missing_object, keys[2], 4, "keys"));
  CHECK(found.last_good == version{1});

  for (std::int64_t at = 3; at < 8; ++at) REQUIRE(opened.remove(entry_name({at})).has_value());
  found = check_of(store.open());
  CHECK(to_text(found) ==
        line(finding_kind::missing_entry, entry_name({2}), 2) + line(finding_kind::missing_object, keys[2], 4, "keys"));
  CHECK(found.newest == version{4});  // says the checkpoint
}

TEST_CASE_TEMPLATE("a checkpoint that is not the state of its version is named, and takes nothing with it", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  auto opened = store.open();
  make_sample(store.open());
  limits in_parts;
  in_parts.checkpoint_part_bytes = 100;
  lake_in_making made(store.open(), in_parts);
  std::string expected = line(finding_kind::damaged_checkpoint, checkpoint_name({4}), 4);
  const auto replace = [&](const std::string& name, std::string bytes) {
    REQUIRE(opened.remove(name).has_value());
    REQUIRE(opened.put_if_absent(name, bytes).outcome() == put_outcome::created);
  };
  SUBCASE("whole") {
    made.put_checkpoint({4});
    REQUIRE(files_in(store.open()).count(checkpoint_part_name({4}, 2)) == 1);
    expected.clear();
  }
  SUBCASE("a flipped bit in a part") {
    made.put_checkpoint({4});
    std::string part = files_in(store.open())[checkpoint_part_name({4}, 2)];
    part[7] ^= 1;
    replace(checkpoint_part_name({4}, 2), part);
  }
  SUBCASE("a missing part") {
    made.put_checkpoint({4});
    REQUIRE(opened.remove(checkpoint_part_name({4}, 3)).has_value());
  }
  SUBCASE("of another state") {
    made.put_checkpoint({4});
    for (const std::string& name : tarn_test::names_in(store.open(), checkpoint_prefix))
      REQUIRE(opened.remove(name).has_value());
    shared_snapshot state = made.lake().snapshot_at({4}).value();
    state.writable().tables.erase("old");
    REQUIRE(tarn::put_checkpoint(*made.lake().core(), *state).has_value());
  }
  SUBCASE("of a newer tarn") {
    std::string bytes = R"({"Checkpoint":2,"Version":4)";
    append_seal(bytes);
    REQUIRE(opened.put_if_absent(checkpoint_name({4}), bytes).outcome() == put_outcome::created);
    expected = line(finding_kind::unsupported, checkpoint_name({4}), 4);
  }
  SUBCASE("parts without it are orphans") {
    made.put_checkpoint({4});
    REQUIRE(opened.remove(checkpoint_name({4})).has_value());
    expected.clear();
    for (const std::string& name : tarn_test::names_in(store.open(), checkpoint_prefix))
      expected += line(finding_kind::orphan, name, 4);
  }
  const check_report found = check_of(store.open());
  CHECK(to_text(found) == expected);
  CHECK(found.last_good == version{7});
}

TEST_CASE_TEMPLATE("a truncated lake is sound; what is left of what was given up is nobody's", Lake, TARN_EACH_STORE) {
  Lake store;
  auto opened = store.open();
  make_truncated_sample(store.open());
  check_report found = check_of(store.open());
  CHECK(to_text(found) == "");
  CHECK(found.newest == version{9});
  CHECK(found.last_good == version{9});
  CHECK(found.entries == 4);
  CHECK(found.objects == tarn_test::names_in(store.open(), object_prefix).size());

  REQUIRE(opened.put_if_absent(entry_name({3}), "of a writer that slept").outcome() == put_outcome::created);
  REQUIRE(opened.put_if_absent(checkpoint_name({4}), "?").outcome() == put_outcome::created);
  found = check_of(store.open());
  CHECK(found.sound());
  CHECK(to_text(found) ==
        line(finding_kind::orphan, checkpoint_name({4}), 4) + line(finding_kind::orphan, entry_name({3}), 3));
}

TEST_CASE_TEMPLATE("what a vacuum is to remove are the orphans; what it and a truncation leave is sound", Lake,
                   TARN_EACH_STORE) {
  Lake store;
  make_sample(store.open());
  lake_in_making made(store.open());
  made.put("cities", {{"Essen", 1}});  // of a transaction that was not committed
  made.clock().ms += 1'000;
  made.append("", {}, [](entry& forged) {  // what a vacuum begins with: 8
    forged.vacuums = true;
    forged.kept = {forged.time, {8}};
    --forged.kept.horizon.ms;
  });
  const check_report before = check_of(store.open());
  CHECK(before.sound());
  CHECK(before.findings.size() == 4);
  CHECK(before.objects + 4 == tarn_test::names_in(store.open(), object_prefix).size());  // all others were read
  vacuum_options options;
  options.keep_ms = options.grace_ms = 0;
  const vacuum_report done = vacuum(made.lake(), options).value();
  REQUIRE(done.objects.size() == before.findings.size());
  for (const vacuum_finding& each : done.objects) CHECK(to_text(before).find(each.name) != std::string::npos);
  CHECK(check_of(store.open()).findings.empty());
  REQUIRE(truncate(made.lake()).value() > version{7});
  const check_report after = check_of(store.open());
  CHECK(to_text(after) == "");
  CHECK(after.last_good == done.at);
}

TEST_CASE_TEMPLATE("damage of a truncated lake is named, with what it takes", Lake, TARN_EACH_STORE) {
  Lake store;
  auto opened = store.open();
  make_truncated_sample(store.open());
  const files all = files_in(store.open());
  std::string expected;
  version last_good{9};
  const auto remove = [&](const std::string& name) { REQUIRE(opened.remove(name).has_value()); };
  SUBCASE("the checkpoint at which it begins") {
    remove(checkpoint_name({5}));
    expected = line(finding_kind::damaged_checkpoint, checkpoint_name({5}), 5);
  }
  SUBCASE("the other checkpoint that its marker relies on") {
    remove(checkpoint_name({9}));
    expected = line(finding_kind::damaged_checkpoint, checkpoint_name({9}), 9);
  }
  SUBCASE("both") {
    remove(checkpoint_name({5}));
    remove(checkpoint_name({9}));
    expected = line(finding_kind::damaged_checkpoint, checkpoint_name({5}), 5) +
               line(finding_kind::damaged_checkpoint, checkpoint_name({9}), 9);
    last_good = {2};  // by its tag
  }
  SUBCASE("the checkpoint of a tag") {
    remove(checkpoint_name({2}));
    expected = line(finding_kind::damaged_checkpoint, checkpoint_name({2}), 2);
  }
  SUBCASE("an object that only a version with a tag has") {
    const std::string old = objects_of(all, "old")[0];
    remove(old);
    expected = line(finding_kind::missing_object, old, 2, "old");
  }
  SUBCASE("the first entry") {
    remove(entry_name({6}));
    expected = line(finding_kind::missing_entry, entry_name({6}), 6);
  }
  SUBCASE("an entry, and the checkpoint after it") {
    remove(entry_name({7}));
    remove(checkpoint_name({9}));
    expected = line(finding_kind::missing_entry, entry_name({7}), 7) +
               line(finding_kind::damaged_checkpoint, checkpoint_name({9}), 9);
    last_good = {6};
  }
  SUBCASE("the marker") {
    remove(marker_name(0));
    std::string bytes = all.at(marker_name(0));
    bytes[20] ^= 1;
    REQUIRE(opened.put_if_absent(marker_name(0), bytes).outcome() == put_outcome::created);
    expected = line(finding_kind::damaged_marker, marker_name(0), -1);
  }
  SUBCASE("a marker that is missing, and one that does not go on") {
    const truncation_marker later{{7}, {8}, {{9}}, {{1, 1}, {1, 2}}};
    REQUIRE(opened.put_if_absent(marker_name(2), write_marker(later)).outcome() == put_outcome::created);
    expected = line(finding_kind::damaged_marker, marker_name(1), -1);
    const std::string orphans = to_text(check_of(store.open()));
    CHECK(orphans.starts_with(expected));
    REQUIRE(opened.remove(marker_name(2)).has_value());
    REQUIRE(opened.put_if_absent(marker_name(1), write_marker(later)).outcome() == put_outcome::created);
    CHECK(to_text(check_of(store.open())) == orphans);
    REQUIRE(opened.remove(marker_name(1)).has_value());
    expected.clear();
  }
  const check_report found = check_of(store.open());
  CHECK(to_text(found) == expected);
  CHECK(found.last_good == last_good);
}
