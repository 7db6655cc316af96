// Rows that travel in log entries: commits of one put, and that nothing changes when a checkpoint puts their objects
// into the store.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <tarn/check.hpp>
#include <tarn/tarn.hpp>
#include <tarn/testing/store_reader.hpp>
#include <tarn/vacuum.hpp>
#include <vector>

#include "../support/stores.hpp"
#include "../support/temporary_folder.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using tarn_test::names_in;

namespace {

// Notes what was put and got.
class noting_store {
 public:
  using handle = memory_store::handle;

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    puts_->emplace_back(name);
    return inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] result<handle> get(std::string_view name) {
    gets_->emplace_back(name);
    return inner_.get(name);
  }
  template <class Visit>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return inner_.list(prefix, start_after, visit);
  }
  [[nodiscard]] status remove(std::string_view name) { return inner_.remove(name); }

  [[nodiscard]] std::vector<std::string> take_puts() { return std::exchange(*puts_, {}); }
  [[nodiscard]] std::vector<std::string> take_gets() { return std::exchange(*gets_, {}); }

 private:
  memory_store inner_;
  std::shared_ptr<std::vector<std::string>> puts_ = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<std::vector<std::string>> gets_ = std::make_shared<std::vector<std::string>>();
};

// A bag and a keyed table, empty; a second passes between commits.
template <class Store>
class small_lake {
 public:
  explicit small_lake(Store store) : store_(store) {
    options.surroundings = hands.get();
    options.checkpoint_interval = 0;
  }
  void found() {
    auto lake = open();
    auto tx = lake.begin().value();
    tx.create_table("bag", {"n", "text"}).value();
    tx.create_table("keys", {{"k", column_type::integer}, "n"}, keyed{{"k"}}).value();
    tx.commit().value();
  }

  [[nodiscard]] client<Store> open() { return client<Store>(store_, options); }
  [[nodiscard]] Store& store() { return store_; }

  // One row to each table, in one transaction.
  void write(std::int64_t number) {
    hands.clock.ms += 1'000;
    auto lake = open();
    auto tx = lake.begin().value();
    tx.insert("bag", {number, "text"}).value();
    tx.upsert("keys", {number % 3, number}).value();
    tx.commit().value();
  }

  void give_up(version oldest) {
    hands.clock.ms += 1'000;
    auto lake = open();
    vacuum_options wanted;
    wanted.keep_ms = wanted.grace_ms = 0;
    wanted.keep_versions = static_cast<std::uint64_t>(lake.newest_snapshot().value()->at.number - oldest.number) + 1;
    CHECK(vacuum(lake, wanted)->kept.oldest == oldest);
    CHECK(truncate(lake).value() == oldest);
  }

  // All rows of a version, as text.
  [[nodiscard]] std::string rows_at(version at) {
    auto lake = open();
    std::string text;
    auto tx = lake.begin_at(at).value();
    for (const char* const table : {"bag", "keys"}) {
      auto rows = tx.scan(table).value();
      while (rows.next()) append_json(text, rows.row().values(), json_escapes::tarn);
      REQUIRE(rows.status().has_value());
      text += '\n';
    }
    return text;
  }
  [[nodiscard]] bool sound() {
    auto lake = open();
    const auto checked = check(lake);
    REQUIRE(checked.has_value());
    for (const auto& each : checked->findings) MESSAGE(each.message);
    return checked->sound();
  }

  tarn_test::test_environment hands;
  client_options options;

 private:
  Store store_;
};

template <class Store>
small_lake(Store) -> small_lake<Store>;

template <class Result>
void check_fails(const Result& outcome, errc code, std::string_view with) {
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().code() == code);
  INFO(outcome.error().message());
  CHECK(outcome.error().message().find(with) != std::string::npos);
}

std::string text_of(const result<memory_store::handle>& bytes) { return std::string(std::string_view(bytes.value())); }

}  // namespace

TEST_CASE("a commit of few rows is one put, and reading them gets nothing but the log") {
  small_lake made{noting_store()};
  made.found();
  (void)made.store().take_puts();
  made.write(1);
  CHECK(made.store().take_puts() == std::vector<std::string>{entry_name({1})});
  (void)made.store().take_gets();
  CHECK(made.rows_at({1}) == "[1,\"text\"]\n[1,1]\n");
  for (const std::string& name : made.store().take_gets()) CHECK_FALSE(name.starts_with(object_prefix));
  CHECK(names_in(made.store(), object_prefix).empty());
  CHECK(made.sound());
  const testing::store_reader reader(made.store());
  CHECK(reader.complaints().empty());
}

TEST_CASE_TEMPLATE("every version, from wherever it is read, is the same as where no row travels", Place,
                   TARN_EACH_STORE) {
  Place stored_place;
  Place travelling_place;
  small_lake stored{stored_place.open()};
  stored.options.commit.inline_bytes_max = 0;
  small_lake travelling{travelling_place.open()};
  for (auto* const each : {&stored, &travelling}) {
    each->found();
    for (std::int64_t number = 1; number <= 9; ++number) {
      each->write(number);
      auto lake = each->open();
      if (number % 3 == 0) REQUIRE(lake.checkpoint().has_value());
      if (number == 4) {
        auto tx = lake.begin().value();
        CHECK(tx.erase_where("bag", {{"n", less_than, 3}}).value() == 2);
        tx.commit().value();
        CHECK(lake.compact("keys").has_value());
      }
      if (number == 7) CHECK(lake.compact("bag").has_value());
    }
    CHECK(each->sound());
  }
  auto lake = stored.open();
  const version last = lake.newest_snapshot().value()->at;
  for (version at{0}; at <= last; at = at.next()) CHECK(travelling.rows_at(at) == stored.rows_at(at));
  CHECK(names_in(travelling.store(), object_prefix).size() > 0);
  CHECK(names_in(travelling.store(), object_prefix).size() < names_in(stored.store(), object_prefix).size());
  const testing::store_reader reader(travelling.store());
  CHECK(reader.complaints().empty());

  const std::string before = travelling.rows_at(last);
  travelling.give_up({8});
  CHECK(travelling.rows_at(last) == before);
  CHECK(travelling.rows_at({8}) == stored.rows_at({8}));
  CHECK(travelling.sound());
}

TEST_CASE("a checkpoint puts what travels, with the same bytes, so that deletions and positions stay what they are") {
  small_lake made{noting_store()};
  made.found();
  made.write(1);
  auto lake = made.open();
  const shared_snapshot state = lake.newest_snapshot().value();
  const data_object& in_bag = state->find_table("bag")->objects[0].object;
  const data_object& in_bucket = state->find_table("keys")->buckets[0]->objects[0].object;
  REQUIRE(in_bag.inline_bytes);
  REQUIRE(in_bucket.inline_bytes);
  {
    auto tx = lake.begin().value();
    auto rows = tx.scan("bag").value();
    REQUIRE(rows.next());
    tx.erase(rows).value();
    (void)tx.get("keys", {1}).value();
    tx.upsert("keys", {1, 10}).value();  // its place in the base travels, too
    tx.commit().value();
  }
  (void)made.store().take_puts();
  REQUIRE(lake.checkpoint().has_value());
  CHECK(made.store().take_puts().size() == 4);  // the bag's object, base and delta, and the checkpoint
  CHECK(text_of(made.store().get(object_name("bag", in_bag.id))) == *in_bag.inline_bytes);
  CHECK(text_of(made.store().get(object_name("keys", in_bucket.id))) == *in_bucket.inline_bytes);
  made.give_up({2});
  CHECK(made.rows_at({3}) == "\n[1,10]\n");
  auto tx = made.open().begin().value();
  auto rows = tx.verifying_scan("keys").value();
  while (rows.next()) continue;
  REQUIRE(rows.status().has_value());
  CHECK(rows.statistics().merged.keys_by_position == 1);
}

TEST_CASE("what travels is put once, however many checkpoints a client writes, and is read from the store then") {
  small_lake made{noting_store()};
  made.options.checkpoint_interval = 5;
  made.found();
  auto lake = made.open();
  (void)made.store().take_puts();
  std::int64_t commits = 0;
  for (; commits < 60; ++commits) {
    made.hands.clock.ms += 1'000;
    lake.run([&](auto& tx) { return tx.insert("bag", {commits, "text"}); }).value();
    if (commits == 32) REQUIRE(lake.checkpoint().has_value());
  }
  std::vector<std::string> objects;
  for (const std::string& name : made.store().take_puts())
    if (name.starts_with(object_prefix)) objects.push_back(name);
  CHECK(objects.size() == 60);
  std::sort(objects.begin(), objects.end());
  CHECK(std::unique(objects.begin(), objects.end()) == objects.end());
  (void)made.store().take_gets();
  auto rows = lake.begin().value().scan("bag").value();
  std::int64_t read = 0;
  while (rows.next()) ++read;
  CHECK(read == commits);
  std::int64_t gets = 0;
  for (const std::string& name : made.store().take_gets()) gets += name.starts_with(object_prefix);
  CHECK(gets == 60);
  CHECK(made.sound());
}

TEST_CASE("what has no room in the entry goes into the store, all the rest with it or not, table by table") {
  const auto objects_of = [](std::uint32_t room, std::size_t first, std::size_t second) {
    small_lake made{memory_store()};
    made.options.commit.inline_bytes_max = room;
    made.found();
    auto lake = made.open();
    auto tx = lake.begin().value();
    tx.insert("bag", {1, std::string(first, 'x')}).value();
    tx.upsert("keys", {1, std::string(second, 'x')}).value();
    tx.commit().value();
    CHECK(made.sound());
    return names_in(made.store(), object_prefix).size();
  };
  CHECK(objects_of(0, 1, 1) == 2);
  CHECK(objects_of(4'096, 1, 1) == 0);
  CHECK(objects_of(4'096, 5'000, 1) == 1);
  CHECK(objects_of(4'096, 2'000, 2'000) == 1);  // one alone would fit
  CHECK(objects_of(4'096, 5'000, 5'000) == 2);
  // To the byte.
  small_lake made{memory_store()};
  made.found();
  made.write(1);
  made.write(2);
  auto lake = made.open();
  const shared_snapshot state = lake.newest_snapshot().value();
  const auto bytes = static_cast<std::uint32_t>(state->find_table("bag")->objects[1].object.bytes +
                                                state->find_table("keys")->buckets[0]->objects[1].object.bytes);
  for (const std::uint32_t less : {0U, 1U}) {
    REQUIRE(made.open().set_inline_bytes_max(bytes - less).has_value());
    made.write(2 + 3 * (less + 1));  // as large
    CHECK(names_in(made.store(), object_prefix).size() == less);
  }
}

TEST_CASE("how much may travel belongs to the lake: all writers keep to it, after a checkpoint and a truncation too") {
  small_lake made{memory_store()};
  made.options.commit.inline_bytes_max = 0;
  made.found();
  made.options.commit.inline_bytes_max = 1'000'000;  // of who has founded nothing
  made.write(1);
  CHECK(names_in(made.store(), object_prefix).size() == 2);
  auto lake = made.open();
  CHECK(lake.set_inline_bytes_max(0).value() == version{1});  // as it is
  CHECK(lake.set_inline_bytes_max(500).value() == version{2});
  made.write(2);
  CHECK(names_in(made.store(), object_prefix).size() == 2);
  made.write(3);
  made.give_up({3});
  CHECK(made.open().newest_snapshot().value()->inline_bytes_max == 500);
  CHECK(lake.set_inline_bytes_max(0).has_value());
  const std::size_t before = names_in(made.store(), object_prefix).size();
  made.write(4);
  CHECK(names_in(made.store(), object_prefix).size() == before + 2);
  CHECK(made.sound());
}

TEST_CASE("who is not the first to commit to an empty lake says nothing of what may travel there") {
  noting_store store;
  small_lake first{store};
  first.options.commit.inline_bytes_max = 0;
  small_lake second{store};
  second.hands = tarn_test::test_environment(7);  // other ids
  auto late = second.open();
  auto tx = late.begin().value();
  tx.create_table("mine", {"n"}).value();
  first.found();
  CHECK(tx.commit().value() == version{1});
  CHECK(late.newest_snapshot().value()->inline_bytes_max == 0);
  first.write(1);
  CHECK(names_in(store, object_prefix).size() == 2);
}

TEST_CASE("a transaction that carries more than may travel since meanwhile is run again") {
  small_lake made{memory_store()};
  made.found();
  auto lake = made.open();
  auto other = made.open();
  auto tx = lake.begin().value();
  tx.insert("bag", {1, "text"}).value();
  REQUIRE(other.set_inline_bytes_max(1'000).has_value());  // enough
  CHECK(tx.commit().has_value());
  auto more = lake.begin().value();
  more.insert("bag", {2, "text"}).value();
  REQUIRE(other.set_inline_bytes_max(0).has_value());
  check_fails(more.commit(), errc::conflict, "has set inline_bytes_max to 0");
  auto stored = lake.begin().value();
  stored.insert("bag", {3, std::string(5'000, 'x')}).value();
  CHECK(stored.commit().has_value());
}

TEST_CASE("what may travel stays far from what an entry may have") {
  small_lake made{memory_store()};
  made.options.commit.inline_bytes_max = UINT32_MAX;
  made.options.bounds.entry_bytes_max = 8'000;
  made.found();
  auto lake = made.open();
  auto tx = lake.begin().value();
  tx.insert("bag", {1, std::string(900, '"')}).value();  // each is four bytes in the entry
  CHECK(tx.commit().has_value());
  CHECK(names_in(made.store(), object_prefix).size() == 1);
  CHECK(made.sound());
}

TEST_CASE("in a lake that the article's program has founded nothing travels") {
  const tarn_test::temporary_folder folder;
  for (const auto& each : std::filesystem::directory_iterator(TARN_TEST_FIXTURES "/article/two-commits"))
    std::filesystem::copy(each.path(), folder.path() / each.path().filename());
  client lake{file_store(folder.path().string())};
  auto tx = lake.begin().value();
  REQUIRE(tx.tables()->size() == 1);
  tx.insert(tx.tables()->front(), {"Zoe", 7}).value();
  const version at = tx.commit().value();
  const auto entry = lake.store().get(entry_name(at)).value();
  CHECK(std::string_view(entry).find("Inline") == std::string_view::npos);
  CHECK(lake.newest_snapshot().value()->inline_bytes_max == 0);
}

TEST_CASE("a restored version keeps its rows when the entries that they have travelled in are gone") {
  small_lake made{memory_store()};
  made.found();
  made.write(1);
  made.write(2);
  const std::string wanted = made.rows_at({2});
  auto lake = made.open();
  auto tx = lake.begin().value();
  CHECK(tx.erase_where("bag", {}).value() == 2);
  tx.erase("keys", {1}).value();
  tx.commit().value();
  CHECK(lake.restore({2}).value() == version{4});
  made.write(3);
  made.give_up({4});
  CHECK(made.rows_at({4}) == wanted);
  CHECK(made.sound());
}

TEST_CASE("a vacuum leaves what a checkpoint has put, and takes it once a compaction has replaced it") {
  small_lake made{memory_store()};
  made.found();
  made.write(1);
  made.write(2);
  REQUIRE(made.open().checkpoint().has_value());
  CHECK(names_in(made.store(), object_prefix).size() == 4);
  made.give_up({2});
  CHECK(names_in(made.store(), object_prefix).size() == 4);
  CHECK(made.open().compact("keys").has_value());
  CHECK(made.open().compact("bag").has_value());
  made.write(3);
  made.give_up({5});
  CHECK(names_in(made.store(), object_prefix).size() >= 2);
  CHECK(names_in(made.store(), object_prefix).size() <= 4);
  CHECK(made.rows_at({6}) == "[1,\"text\"][2,\"text\"][3,\"text\"]\n[0,3][1,1][2,2]\n");
  CHECK(made.sound());
}

// A checkpoint may put it before the vacuum lists the store: then it would be taken for garbage.
TEST_CASE("an object that travels is as old as any other to a vacuum that it was not committed before") {
  small_lake made{memory_store()};
  made.found();
  auto lake = made.open();
  auto tx = lake.begin().value();
  tx.insert("bag", {1, "late"}).value();
  made.hands.clock.ms += 10'000;
  auto other = made.open();
  vacuum_options wanted;
  wanted.keep_ms = wanted.grace_ms = 0;
  REQUIRE(vacuum(other, wanted).has_value());
  check_fails(tx.commit(), errc::expired, "is a vacuum");
}

TEST_CASE("an object that travels and is not what its entry says of it is damaged, and named") {
  const auto write = [](const std::function<void(data_object&)>& change) {
    small_lake made{memory_store()};
    made.found();
    made.write(1);
    auto lake = made.open();
    entry mine = get_entry(made.store(), {1}, limits{}).value().content;
    action added = mine.actions.find("bag")->front();
    added.object.id.low ^= 1;
    change(added.object);
    entry forged;
    forged.operation = "by hand";
    forged.actions.find_or_insert("bag").push_back(added);
    REQUIRE(commit_entry(*lake.core(), lake.newest_snapshot().value(), std::move(forged), accept_all).has_value());
    auto reader = made.open();
    auto tx = reader.begin();
    if (!tx) return tx.error().message();
    auto rows = tx->scan("bag").value();
    while (rows.next()) continue;
    CHECK_FALSE(check(reader)->sound());
    return rows.status() ? std::string() : rows.status().error().message();
  };
  const auto with = [](std::string bytes) { return shared<const std::string>::make(std::move(bytes)); };
  CHECK(write([](data_object&) {}).find("does not begin with its table and id") != std::string::npos);
  CHECK(write([](data_object& object) { ++object.checksum; }).find("is damaged: its checksum is not") !=
        std::string::npos);
  CHECK(write([](data_object& object) { ++object.bytes; }).find("bytes, the log says") != std::string::npos);
  CHECK(write([&](data_object& object) { object.inline_bytes = with("\xff"); }).find("bytes, the log says") !=
        std::string::npos);
}

TEST_CASE("what a checkpoint has put is checked as well, though the log still has its bytes") {
  small_lake made{memory_store()};
  made.found();
  made.write(1);
  made.write(2);
  REQUIRE(made.open().checkpoint().has_value());
  REQUIRE(made.sound());
  for (const bool is_missing : {true, false})
    for (const std::string& name : names_in(made.store(), object_prefix)) {
      REQUIRE(made.store().remove(name).has_value());
      if (!is_missing) REQUIRE(made.store().put_if_absent(name, "damage").outcome() == put_outcome::created);
      auto lake = made.open();
      const check_report found = check(lake).value();
      REQUIRE(found.findings.size() >= 1);
      CHECK(found.findings[0].kind == (is_missing ? finding_kind::missing_object : finding_kind::damaged_object));
      CHECK(found.findings[0].name == name);
      INFO(found.findings[0].message);
      CHECK(found.findings[0].message.find("the checkpoint of version 2 needs it") != std::string::npos);
      if (!is_missing) REQUIRE(made.store().remove(name).has_value());
      // Of the state as the log alone tells it.
      shared_snapshot state;
      REQUIRE(read_forward(made.store(), state, log_reach{{2}, {2}}, limits{}, accept_all).has_value());
      CHECK(lake.checkpoint_of(*state).has_value());
      CHECK(made.sound());
    }
}

TEST_CASE("what a vacuum has taken is not missed, though the newest checkpoint names it") {
  small_lake made{memory_store()};
  made.found();
  made.write(1);
  made.write(2);
  REQUIRE(made.open().checkpoint().has_value());
  REQUIRE(made.open().compact("keys").has_value());
  made.write(3);
  made.hands.clock.ms += 1'000;
  auto lake = made.open();
  vacuum_options wanted;
  wanted.keep_ms = wanted.grace_ms = 0;
  CHECK(vacuum(lake, wanted)->objects.size() == 2);  // the base and the delta
  CHECK(made.sound());
}

TEST_CASE("an entry that names an object as travelling must have its bytes") {
  for (const std::string_view value : {"", R"(,"Inline":null)", R"(,"Inline":7)", R"(,"Inline":["x"])"}) {
    const std::string text =
        concat({R"({"Id":1,"Actions":{"x":[{"AddInlineObject":{"Name":)",
                R"("018bcfe5-6800-7f68-ba98-73404e2fd012","Table":"x","Codec":"json","Rows":1,)",
                R"("Bytes":3,"Crc32c":"00000000")", value, R"(}}]},"Format":1,"Transaction":)",
                R"("018bcfe5-6800-71ec-85eb-b5a2935de3b7","ReadVersion":0,"PreviousCrc32c":)",
                R"("00000000","TimestampMs":1,"Operation":"x","NeededToRead":[],)", R"("NeededToWrite":[])"});
    std::string sealed = text;
    append_seal(sealed);
    check_fails(read_entry(sealed, {1}, limits{}), errc::corrupt, "Inline");
  }
}
