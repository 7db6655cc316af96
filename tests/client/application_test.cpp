// Idempotent writes: an application numbers its transactions, and a lake takes each number once.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/reading.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stores.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

template <class Client>
auto begin_insert(Client& lake, std::int64_t value) {
  auto tx = lake.begin().value();
  if (!tx.has_table("t").value()) tx.create_table("t", {"x"}).value();
  tx.insert("t", {value}).value();
  return tx;
}

template <class Client>
result<version> load(Client& lake, std::int64_t value, const application_sequence& work) {
  auto tx = begin_insert(lake, value);
  return tx.commit(work);
}

template <class Client>
std::vector<row> all_rows(Client& lake) {
  auto tx = lake.begin().value();
  return rows_of(tx, "t");
}

template <class Result>
errc code_of(const Result& failed) {
  REQUIRE_FALSE(failed.has_value());
  return failed.error().code();
}

}  // namespace

TEST_CASE_TEMPLATE("work that was committed is not committed again, also by another process", Place, TARN_EACH_STORE) {
  const Place place;
  client lake{place.open()};
  CHECK(load(lake, 1, {"loader", 7}).value() == version{0});
  CHECK(load(lake, 2, {"loader", 9}).value() == version{1});
  const std::size_t names = names_in(place.open()).size();
  CHECK(load(lake, 3, {"loader", 9}).value() == version{1});
  client restarted{place.open()};
  CHECK(load(restarted, 4, {"loader", 9}).value() == version{1});
  CHECK(names_in(place.open()).size() == names);  // not even a data object
  CHECK(all_rows(restarted) == std::vector<row>{{1}, {2}});
}

TEST_CASE_TEMPLATE("numbers must grow, those of each application by themselves", Place, TARN_EACH_STORE) {
  const Place place;
  client lake{place.open()};
  CHECK(load(lake, 1, {"b", 5}).value() == version{0});
  CHECK(load(lake, 2, {"a", 1}).value() == version{1});
  CHECK(load(lake, 3, {"c", 0}).value() == version{2});
  auto stale = begin_insert(lake, 4);
  const auto refused = stale.commit({"b", 4});
  REQUIRE(code_of(refused) == errc::stale_sequence);
  CHECK(refused.error().message().find("application 'b' has committed sequence 5 as version 0") != std::string::npos);
  CHECK(code_of(stale.commit({"b", 6})) == errc::finished);
  CHECK(load(lake, 4, {"b", 6}).value() == version{3});
  auto reading = lake.begin().value();
  CHECK(reading.last_sequence("b").value().work.sequence == 6);
  CHECK(reading.last_sequence("b").value().at == version{3});
  CHECK(reading.last_sequence("c").value().at == version{2});
  CHECK(code_of(reading.last_sequence("B")) == errc::not_found);
}

TEST_CASE_TEMPLATE("of two that do the same work at once, one does it and both know", Place, TARN_EACH_STORE) {
  const Place place;
  client one{place.open()};
  client other{place.open()};
  auto first = begin_insert(one, 1);
  auto second = begin_insert(other, 1);
  auto late = begin_insert(other, 2);
  CHECK(first.commit({"loader", 1}).value() == version{0});
  CHECK(second.commit({"loader", 1}).value() == version{0});
  CHECK(code_of(late.commit({"loader", 0})) == errc::stale_sequence);
  CHECK(all_rows(one) == std::vector<row>{{1}});
}

TEST_CASE("work whose answer was lost is done again after a restart, and is there once") {
  scripted_store store;
  {
    client_options impatient;
    impatient.commit.backoff.attempts_max = 1;
    client lake{store, impatient};
    store.plan().put = [](std::string_view name, std::string_view bytes, memory_store& inner) {
      const put_result put = inner.put_if_absent(name, bytes);
      return is_entry(name) ? put_result::unknown(error(errc::io, "the answer was lost")) : put;
    };
    CHECK(code_of(load(lake, 1, {"loader", 1})) == errc::commit_unknown);
  }
  store.plan().put = {};
  client restarted{store};
  CHECK(load(restarted, 1, {"loader", 1}).value() == version{0});
  CHECK(all_rows(restarted) == std::vector<row>{{1}});
}

TEST_CASE("that work is done is said only once it is durable") {
  scripted_store store;
  client_options impatient;
  impatient.commit.backoff.attempts_max = 1;
  client lake{store, impatient};
  CHECK(load(lake, 1, {"loader", 1}).has_value());
  auto again = begin_insert(lake, 1);
  bool put_again = false;
  store.plan().put = [&](std::string_view name, std::string_view, memory_store&) {
    put_again = put_again || name == entry_name({0});
    return put_result::unknown(error(errc::io, "the disk is gone"));
  };
  const auto done = again.commit({"loader", 1});
  CHECK(code_of(done) == errc::io);
  CHECK(put_again);
}

TEST_CASE("what is no application's number is refused, and the transaction goes on") {
  client lake{memory_store{}};
  auto tx = begin_insert(lake, 1);
  CHECK(code_of(tx.commit({"", 1})) == errc::invalid_argument);
  CHECK(code_of(tx.commit({std::string(129, 'a'), 1})) == errc::invalid_argument);
  CHECK(code_of(tx.commit({"\xff", 1})) == errc::invalid_argument);
  CHECK(code_of(tx.commit({"a", -1})) == errc::invalid_argument);
  CHECK(tx.commit({"caf\xc3\xa9 \"quoted\"", INT64_MAX}).value() == version{0});
  const std::vector<commit_summary> versions = versions_of(lake);
  CHECK(versions[0].work.application == "caf\xc3\xa9 \"quoted\"");
  CHECK(versions[0].work.sequence == INT64_MAX);
}

TEST_CASE("an unnumbered commit changes no application's number, an old version has its own") {
  client lake{memory_store{}};
  CHECK(load(lake, 1, {"loader", 1}).has_value());
  CHECK(begin_insert(lake, 2).commit().has_value());
  CHECK(load(lake, 3, {"loader", 2}).has_value());
  auto before = lake.begin_at(version{1}).value();
  CHECK(before.last_sequence("loader").value().work.sequence == 1);
  CHECK(versions_of(lake)[1].work.application.empty());
}

TEST_CASE("who goes on after the last number conflicts with who does the same") {
  for (const isolation level : {isolation::serializable, isolation::snapshot, isolation::non_blocking}) {
    memory_store store;
    client one{store};
    client other{store};
    CHECK(load(one, 1, {"loader", 1}).has_value());
    auto first = one.begin(level).value();
    auto second = other.begin(level).value();
    CHECK(first.last_sequence("loader").value().work.sequence == 1);
    CHECK(second.last_sequence("loader").value().work.sequence == 1);
    first.insert("t", {2}).value();
    second.insert("t", {2}).value();
    second.insert("t", {3}).value();
    CHECK(first.commit({"loader", 2}).has_value());
    const auto refused = second.commit({"loader", 3});
    REQUIRE(code_of(refused) == errc::conflict);
    CHECK(refused.error().message().find("is work 2 of application 'loader'") != std::string::npos);
    CHECK(all_rows(one) == std::vector<row>{{1}, {2}});
  }
}

TEST_CASE("work without changes takes its number too") {
  client lake{memory_store{}};
  auto empty = lake.begin().value();
  CHECK(empty.commit({"loader", 5}).value() == version{0});
  auto again = lake.begin().value();
  CHECK(again.commit({"loader", 5}).value() == version{0});
  auto stale = lake.begin().value();
  CHECK(code_of(stale.commit({"loader", 4})) == errc::stale_sequence);
  CHECK(versions_of(lake).size() == 1);
}

TEST_CASE("an entry that repeats an application's number is corrupt, and one off the chain is nobody's work") {
  memory_store store;
  client lake{store};
  CHECK(load(lake, 1, {"loader", 7}).has_value());
  auto waiting = begin_insert(lake, 2);
  entry forged;
  forged.at = {1};
  forged.transaction = {1, 2};
  forged.read_version = {0};
  forged.time = {INT64_MAX};
  forged.operation = "number";
  forged.work = {"loader", 8};  // without the checksum of the entry before
  REQUIRE(store.put_if_absent(entry_name({1}), write_entry(forged)).outcome() == put_outcome::created);
  CHECK(code_of(waiting.commit({"loader", 8})) == errc::corrupt);

  memory_store other;
  client another{other};
  CHECK(load(another, 1, {"loader", 7}).has_value());
  forged.previous_checksum = crc32c(other.get(entry_name({0})).value());
  forged.work = {"loader", 7};
  REQUIRE(other.put_if_absent(entry_name({1}), write_entry(forged)).outcome() == put_outcome::created);
  const auto begun = another.begin();
  REQUIRE_FALSE(begun.has_value());
  CHECK(begun.error().message().find("version 1 repeats work 7 of application 'loader'") != std::string::npos);
}

TEST_CASE_TEMPLATE("run does numbered work once, and does not even begin it again", Place, TARN_EACH_STORE) {
  const Place place;
  client lake{place.open()};
  lake.run([](auto& tx) { return tx.create_table("t", {"x"}); }).value();
  int calls = 0;
  const auto work = [&](auto& tx) {
    ++calls;
    return tx.insert("t", {calls});
  };
  CHECK(lake.run({"loader", 7}, work).value() == version{1});
  CHECK(lake.run({"loader", 7}, work).value() == version{1});
  client restarted{place.open()};
  CHECK(restarted.run({"loader", 7}, work, isolation::snapshot).value() == version{1});
  CHECK(code_of(restarted.run({"loader", 6}, work)) == errc::stale_sequence);
  CHECK(code_of(restarted.run({"", 8}, work)) == errc::invalid_argument);
  CHECK(calls == 1);
  CHECK(all_rows(lake) == std::vector<row>{{1}});
}

TEST_CASE("numbered work that conflicts with itself is told that it is done, run again or not") {
  memory_store store;
  client one{store};
  client two{store};
  one.run([](auto& tx) { return tx.create_table("t", {{"k", column_type::integer}, "v"}, keyed{{"k"}}); }).value();
  auto late = one.begin().value();
  late.insert("t", {1, 0}).value();
  two.run([](auto& tx) { return tx.upsert("t", {1, -1}); }).value();  // a conflict with somebody else comes first
  two.run([](auto& tx) { return tx.erase("t", {1}); }).value();
  CHECK(two.run({"loader", 1}, [](auto& tx) { return tx.insert("t", {1, 0}); }).value() == version{3});
  CHECK(late.commit({"loader", 1}).value() == version{3});
  CHECK(one.newest_snapshot().value()->at == version{3});  // what the client knows is still true
  CHECK(all_rows(one) == std::vector<row>{{1, 0}});
}

TEST_CASE("who loses the race for a slot to another that does the same work takes the other's for what is there") {
  scripted_store store;
  client one{store};
  CHECK(load(one, 1, {"loader", 1}).value() == version{0});
  auto late = begin_insert(one, 20);
  bool raced = false;
  store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (name == entry_name({1}) && !std::exchange(raced, true)) {
      client other{inner};
      CHECK(load(other, 2, {"loader", 2}).value() == version{1});
    }
    return inner.put_if_absent(name, bytes);
  };
  CHECK(late.commit({"loader", 2}).value() == version{1});
  CHECK(raced);
  CHECK(all_rows(one) == std::vector<row>{{1}, {2}});
  CHECK(load(one, 3, {"loader", 3}).value() == version{2});
  client cold{store};
  CHECK(all_rows(cold) == std::vector<row>{{1}, {2}, {3}});
}

TEST_CASE("to be told that work was done takes nothing away that the client has read since") {
  memory_store store;
  client one{store};
  client two{store};
  auto late = begin_insert(one, 1);
  CHECK(load(two, 1, {"loader", 1}).value() == version{0});
  CHECK(load(two, 2, {"loader", 2}).value() == version{1});
  CHECK(one.newest_snapshot().value()->at == version{1});
  CHECK(late.commit({"loader", 1}).value() == version{0});
  CHECK(one.core()->latest->at == version{1});
  CHECK(all_rows(one) == std::vector<row>{{1}, {2}});
}
