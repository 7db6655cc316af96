// Objects of a transaction that an executor puts while the next are encoded: nothing else changes by it.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/store/memory_store.hpp>
#include <utility>
#include <vector>

#include "../support/executors.hpp"
#include "../support/reading.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using tarn_test::counting_executor;
using tarn_test::running;

namespace {

// What happens to the puts of objects.
struct put_plan {
  std::mutex guard;
  std::condition_variable changed;
  std::uint64_t failing = 0;  // the put of this number, from 1 on; 0: none
  std::uint64_t meeting = 1;  // a put waits for so many to be there
  std::uint64_t met = 0;
  std::uint64_t puts = 0;
  std::uint64_t now = 0;  // that are there
  std::uint64_t now_max = 0;
  bool alone = false;  // a meeting did not take place
};

// A store in memory, for several threads. Copies share the plan and the content.
class planned_store {
 public:
  using handle = memory_store::handle;
  static constexpr store_strengths strengths = memory_store::strengths;

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (!name.starts_with("_table_")) return inner_.put_if_absent(name, bytes);
    bool fails = false;
    {
      std::unique_lock hold(plan_->guard);
      fails = ++plan_->puts == plan_->failing;
      plan_->now_max = std::max(plan_->now_max, ++plan_->now);
      meet(hold);
    }
    put_result put =
        fails ? put_result::not_applied({errc::no_space, "the disk is full"}) : inner_.put_if_absent(name, bytes);
    const std::scoped_lock hold(plan_->guard);
    --plan_->now;
    return put;
  }
  [[nodiscard]] result<handle> get(std::string_view name) { return inner_.get(name); }
  template <class Visit>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return inner_.list(prefix, start_after, visit);
  }

  [[nodiscard]] put_plan& plan() { return *plan_; }

 private:
  // The puts go on when as many are there as are to meet. That they never are is an error, found after a while.
  void meet(std::unique_lock<std::mutex>& hold) {
    if (plan_->meeting <= 1) return;
    const std::uint64_t wanted = (plan_->met++ / plan_->meeting + 1) * plan_->meeting;
    plan_->changed.notify_all();
    if (!plan_->changed.wait_for(hold, std::chrono::seconds(20), [&] { return plan_->met >= wanted; }))
      plan_->alone = true;
  }

  memory_store inner_;
  std::shared_ptr<put_plan> plan_ = std::make_shared<put_plan>();
};

// A lake with a bag and a keyed table, none of whose rows travel in entries. Ids follow from a seed, so that two that
// do the same hold the same bytes.
template <class Codec, class Store = planned_store>
struct small_lake {
  using client_type = client<Store, Codec>;

  explicit small_lake(std::optional<running> when = {}, std::uint32_t flushes_max = 2) {
    if (when) beside.emplace(*when);
    auto tx = open().begin().value();
    tx.create_table("bag", {{"n", column_type::integer}, "text"}).value();
    tx.create_table("keys", {{"k", column_type::integer}, "text"}, keyed{{"k"}, 3}).value();
    tx.commit().value();
    bounds.flushes_max = flushes_max;
  }

  [[nodiscard]] client_type open() {
    client_options options = tarn_test::with_stored_objects();
    options.bounds = bounds;
    options.bounds.rows_per_object = 10;
    options.surroundings = hands.get();
    if (beside) options.executor = beside->get();
    return client_type(store, options);
  }

  // All that the store holds.
  [[nodiscard]] std::map<std::string, std::string> contents() {
    std::map<std::string, std::string> found;
    for (const std::string& name : tarn_test::names_in(store)) found[name] = std::string(store.get(name).value());
    return found;
  }
  [[nodiscard]] std::size_t objects() { return tarn_test::names_in(store, "_table_").size(); }
  [[nodiscard]] bool all_finished() const { return beside->started == beside->finished; }

  Store store;
  limits bounds;
  tarn_test::test_environment hands;
  std::optional<counting_executor> beside;
};

std::string text_of(std::int64_t number) { return "some text of row " + std::to_string(number); }

template <class Transaction>
void append(Transaction& tx, std::int64_t first, std::int64_t count) {
  for (std::int64_t at = first; at < first + count; ++at) tx.insert("bag", {at, text_of(at)}).value();
}
template <class Transaction>
void upsert(Transaction& tx, std::int64_t first, std::int64_t count) {
  for (std::int64_t at = first; at < first + count; ++at) tx.upsert("keys", {at, text_of(at)}).value();
}

// Everything that a transaction does. Returns the rows that it has read meanwhile.
template <class Lake>
std::vector<row> do_everything(Lake& lake) {
  auto here = lake.open();
  auto tx = here.begin().value();
  append(tx, 0, 35);
  upsert(tx, 0, 95);
  std::vector<row> read = tarn_test::rows_of(tx, "bag");
  for (const row& each : tarn_test::rows_of(tx, "keys")) read.push_back(each);
  append(tx, 35, 35);
  CHECK(tx.erase_where("bag", {{"n", less_than, std::int64_t{7}}}).value() == 7);
  CHECK(tx.update_where("bag", {{"n", at_least, std::int64_t{40}}}, {{"text", "changed"}}).value() == 30);
  tx.add_column("bag", {"more", column_type::integer}).value();
  for (std::int64_t at = 100; at < 125; ++at) tx.insert("bag", {at, "with more", at}).value();
  upsert(tx, 90, 40);
  tx.update("keys", {std::int64_t{91}}, {{"text", "changed"}}).value();
  for (std::int64_t at = 50; at < 60; ++at) tx.erase("keys", {at}).value();
  read.push_back(tx.get("keys", {std::int64_t{91}}).value());
  (void)tx.commit().value();
  auto after = here.begin().value();
  for (const char* const table : {"bag", "keys"})
    for (const row& each : tarn_test::rows_of(after, table)) read.push_back(each);
  return read;
}

// 30 rows of each, of which at least 40 fill objects that are on their way.
template <class Client>
[[nodiscard]] auto with_work_under_way(Client& lake, std::int64_t first) {
  auto tx = lake.begin().value();
  append(tx, first, 30);
  upsert(tx, first, 60);
  return tx;
}

// That says nothing of threads.
struct single_threaded : memory_store {
  static constexpr store_strengths strengths{};
};

constexpr running each_way[] = {running::at_start, running::at_finish, running::in_thread, running::refused};

}  // namespace

TEST_CASE_TEMPLATE("A lake is the same, byte for byte, whoever puts its objects, and so is what is read [threads]",
                   Codec, json_codec, columnar_codec) {
  small_lake<Codec> plain;
  const std::vector<row> read = do_everything(plain);
  const auto contents = plain.contents();
  REQUIRE(plain.objects() > 20);
  for (const running when : each_way)
    for (const std::uint32_t flushes_max : {1U, 2U, 5U, 100U}) {
      CAPTURE(static_cast<int>(when));
      CAPTURE(flushes_max);
      small_lake<Codec> lake(when, flushes_max);
      CHECK(do_everything(lake) == read);
      CHECK(lake.contents() == contents);
      CHECK(lake.all_finished());
      CHECK(lake.beside->started + lake.beside->refused == plain.objects());
      CHECK(lake.beside->under_way_max <= flushes_max);
      if (when == running::at_finish && flushes_max < 100) CHECK(lake.beside->under_way_max == flushes_max);
    }
}

TEST_CASE("Files get the same objects as memory does, from threads [threads]") {
  if (!tarn_test::in_files::store::strengths.thread_safe) return;
  const tarn_test::in_files files;
  client_options options = tarn_test::with_stored_objects();
  options.bounds.rows_per_object = 10;
  counting_executor beside(running::in_thread);
  options.executor = beside.get();
  client lake{files.open(), options};
  auto tx = lake.begin().value();
  tx.create_table("bag", {{"n", column_type::integer}, "text"}).value();
  append(tx, 0, 95);
  (void)tx.commit().value();
  auto again = client{files.open()}.begin().value();
  std::int64_t expected = 0;
  for (const row& each : tarn_test::rows_of(again, "bag")) CHECK(each[0] == value(expected++));
  CHECK(expected == 95);
  CHECK(beside.started == 10);
  CHECK(beside.finished == 10);
}

TEST_CASE_TEMPLATE("A transaction reads what it has flushed, in every way, once it is in the store", Codec, json_codec,
                   columnar_codec) {
  small_lake<Codec> lake(running::at_finish, 100);
  auto here = lake.open();
  auto tx = with_work_under_way(here, 0);
  const auto is_under_way = [&] { return !lake.all_finished(); };
  REQUIRE(is_under_way());

  SUBCASE("scans") {
    CHECK(tarn_test::rows_of(tx, "bag").size() == 30);
    CHECK(is_under_way());  // the other table's
    CHECK(tarn_test::rows_of(tx, "keys").size() == 60);
    CHECK(lake.all_finished());
  }
  SUBCASE("scans of a range") {
    auto scan = tx.scan("keys", {std::int64_t{5}}, {std::int64_t{7}});
    REQUIRE(scan);
    std::size_t rows = 0;
    while (scan->next()) ++rows;
    CHECK(scan->status());
    CHECK(rows == 2);
  }
  SUBCASE("verifying scans") {
    auto scan = tx.verifying_scan("keys");
    REQUIRE(scan);
    std::size_t rows = 0;
    while (scan->next()) ++rows;
    CHECK(scan->status());
    CHECK(rows == 60);
  }
  SUBCASE("scans of columns") {
    for (const char* const table : {"bag", "keys"}) {
      auto scan = tx.scan_columns(table);
      REQUIRE(scan);
      std::size_t rows = 0;
      while (scan->next()) rows += scan->batch().rows();
      CHECK(scan->status());
      CHECK(rows == (table == std::string_view("bag") ? 30 : 60));
    }
  }
  SUBCASE("gets") { CHECK(tx.get("keys", {std::int64_t{3}}).value()[1] == value(text_of(3))); }
  SUBCASE("updates") { CHECK(tx.update("keys", {std::int64_t{3}}, {{"text", "changed"}})); }
  SUBCASE("inserts, of keys that are there") {
    CHECK(tx.insert("keys", {std::int64_t{3}, "again"}).error().code() == errc::exists);
  }
  SUBCASE("updates of a row that was written since the scan began") {
    auto scan = tx.scan("keys").value();
    REQUIRE(scan.next());
    const std::int64_t key = scan.row()[0].as_integer();
    for (std::int64_t at = 0; at < 60; ++at) tx.upsert("keys", {at, "anew"}).value();
    REQUIRE(is_under_way());
    CHECK(tx.update(scan, {{"text", "changed"}}));
    CHECK(tx.get("keys", {key}).value()[1] == value("changed"));
  }
  SUBCASE("a flush leaves nothing under way") {
    CHECK(tx.flush());
    CHECK(lake.all_finished());
  }
  CHECK(tx.commit());
  CHECK(lake.all_finished());
}

TEST_CASE_TEMPLATE("A put that fails is told, and nothing is committed [threads]", Codec, json_codec, columnar_codec) {
  for (const running when : each_way)
    for (std::uint64_t failing = 1; failing <= 14; ++failing) {
      CAPTURE(static_cast<int>(when));
      CAPTURE(failing);
      small_lake<Codec> lake(when);
      auto here = lake.open();
      {
        auto tx = here.begin().value();
        lake.store.plan().failing = failing;
        status written;
        for (std::int64_t at = 0; written && at < 75; ++at) {
          written = tx.insert("bag", {at, text_of(at)});
          if (written && at < 60) written = tx.upsert("keys", {at, text_of(at)});
        }
        status done = written;
        if (written)
          if (const auto committed = tx.commit(); !committed) done = committed.error();
        REQUIRE(!done);
        CHECK(done.error().code() == errc::no_space);
        CHECK(done.error().message().find("flushing rows of table ") != std::string::npos);
        CHECK(done.error().message().find("the disk is full") != std::string::npos);
        const std::string why = done.error().message();
        for (const status& later : {tx.insert("bag", {std::int64_t{0}, ""}), tx.flush()}) {
          CHECK(later.error().code() == errc::finished);
          CHECK(later.error().message().find(why) != std::string::npos);
        }
        CHECK(tx.commit().error().code() == errc::finished);
      }
      CHECK(lake.all_finished());
      CHECK(here.newest_snapshot().value()->at == version{0});
      lake.store.plan().failing = 0;
      do_everything(lake);
    }
}

TEST_CASE("A read tells of a put that has failed, too") {
  small_lake<json_codec> lake(running::at_finish, 100);
  auto here = lake.open();
  lake.store.plan().failing = 2;
  auto tx = with_work_under_way(here, 0);
  const auto read = tx.scan("bag");
  REQUIRE(!read);
  CHECK(read.error().code() == errc::no_space);
  CHECK(tx.commit().error().code() == errc::finished);
}

TEST_CASE("Work that an executor has lost is an error") {
  small_lake<json_codec> lake(running::at_finish);
  lake.beside->loses_work = true;
  auto here = lake.open();
  auto tx = here.begin().value();
  append(tx, 0, 5);
  const auto committed = tx.commit();
  REQUIRE(!committed);
  CHECK(committed.error().code() == errc::io);
  CHECK(committed.error().message().find("table bag") != std::string::npos);
  CHECK(here.newest_snapshot().value()->at == version{0});
}

TEST_CASE_TEMPLATE("However a transaction ends, what it has started is finished, once [threads]", Codec, json_codec,
                   columnar_codec) {
  for (const running when : {running::at_start, running::at_finish, running::in_thread}) {
    CAPTURE(static_cast<int>(when));
    small_lake<Codec> lake(when, 3);
    std::optional<client<planned_store, Codec>> here(lake.open());
    const auto begin = [&](std::int64_t first) { return with_work_under_way(*here, first); };
    const auto last = [&] { return here->newest_snapshot().value()->at; };

    { auto destroyed = begin(0); }
    CHECK(lake.all_finished());

    {
      auto rolled_back = begin(0);
      rolled_back.rollback();
      CHECK(lake.all_finished());
      CHECK(rolled_back.commit().error().code() == errc::finished);
    }
    CHECK(last() == version{0});
    {
      auto moved = begin(0);
      auto to = std::move(moved);
      append(to, 30, 30);
      CHECK(to.commit());
      CHECK(lake.all_finished());
    }
    CHECK(last() == version{1});
    {
      auto over = begin(200);
      over = begin(300);
      CHECK(over.commit());
    }
    CHECK(last() == version{2});
    CHECK(lake.all_finished());
    {
      auto one = begin(400);
      auto other = begin(500);
      append(one, 430, 30);
      append(other, 530, 30);
      CHECK(other.commit());
      std::swap(one, other);
      CHECK(other.commit());
    }
    CHECK(last() == version{4});
    CHECK(lake.all_finished());
    {
      auto numbered = here->begin().value();
      append(numbered, 600, 30);
      CHECK(numbered.commit({"loader", 1}));
      auto again = begin(700);
      CHECK(again.commit({"loader", 1}).value() == version{5});
      CHECK(lake.all_finished());
    }
    {
      auto outlives = begin(800);
      here.reset();
      append(outlives, 830, 30);
      CHECK(outlives.commit());
    }
    {
      auto assigned = lake.open().begin().value();
      {
        auto other = lake.open();
        assigned = with_work_under_way(other, 900);
      }
      auto another = lake.open();
      assigned = another.begin().value();  // the last that keeps the client of the first
    }
    CHECK(lake.all_finished());
    auto reading = lake.open().begin().value();
    CHECK(tarn_test::rows_of(reading, "bag").size() == 60 + 30 + 60 + 60 + 30 + 60);
    CHECK(tarn_test::rows_of(reading, "keys").size() == 60 * 5);
  }
}

TEST_CASE("As many puts overlap as may, and no more [threads]") {
  for (const std::uint64_t overlapping : {1U, 2U, 4U}) {
    CAPTURE(overlapping);
    small_lake<json_codec> lake(running::in_thread, static_cast<std::uint32_t>(overlapping));
    lake.store.plan().meeting = overlapping;
    auto here = lake.open();
    auto tx = here.begin().value();
    append(tx, 0, 120);  // 12 objects
    CHECK(tx.commit());
    CHECK(lake.store.plan().puts == 12);
    CHECK(lake.store.plan().now_max == overlapping);
    CHECK(!lake.store.plan().alone);
  }
}

TEST_CASE("What is small, or no transaction's own, is not the executor's") {
  small_lake<json_codec> lake(running::at_start);
  auto here = lake.open();
  (void)here.set_inline_bytes_max(100'000).value();
  auto tx = here.begin().value();
  append(tx, 0, 25);
  CHECK(tx.commit());
  CHECK(lake.beside->started == 0);
  (void)here.set_inline_bytes_max(0).value();
  for (std::int64_t at = 0; at < 3; ++at) {
    auto small = here.begin().value();
    append(small, at, 1);
    upsert(small, at, 1);
    CHECK(small.commit());
  }
  CHECK(lake.beside->started == 6);
  (void)here.compact("bag").value();
  (void)here.compact("keys").value();
  CHECK(lake.beside->started == 6);

  small_lake<json_codec> without(running::at_start, 0);
  do_everything(without);
  CHECK(without.beside->started == 0);
}

TEST_CASE("An executor is whole, and its store is for several threads") {
  const auto why = [](auto store, executor beside) {
    client_options options;
    options.executor = beside;
    const auto begun = client{store, options}.begin();
    REQUIRE(!begun);
    CHECK(begun.error().code() == errc::invalid_argument);
    return begun.error().message();
  };
  counting_executor beside(running::at_start);
  executor half = beside.get();
  half.finish = nullptr;
  CHECK(why(memory_store{}, half).find("`start` and `finish`") != std::string::npos);
  CHECK(why(single_threaded{}, beside.get()).find(".thread_safe = true") != std::string::npos);
}
