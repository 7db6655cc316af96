#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "../support/sample_entry.hpp"
#include "../support/scripted_store.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

// What happens in the calls of a store: what other clients do at that moment, and how it answers.
template <class Inner>
struct busy_plan {
  std::function<put_result(std::string_view name, std::string_view bytes, Inner& inner)> put;
  std::function<status(std::string_view name)> before_get;
  std::uint64_t gets = 0;
  std::uint64_t lists = 0;
  std::uint64_t removals_left = UINT64_MAX;
};

// A store that can remove, around another one. Copies share plan and content.
template <class Inner = memory_store>
class busy_store {
 public:
  using handle = typename Inner::handle;

  explicit busy_store(Inner inner = {}) : inner_(std::move(inner)), plan_(std::make_shared<busy_plan<Inner>>()) {}

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    return plan_->put ? plan_->put(name, bytes, inner_) : inner_.put_if_absent(name, bytes);
  }
  [[nodiscard]] result<handle> get(std::string_view name) {
    ++plan_->gets;
    if (plan_->before_get)
      if (const status allowed = plan_->before_get(name); !allowed) return allowed.error();
    return inner_.get(name);
  }
  template <class Visit>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    ++plan_->lists;
    return inner_.list(prefix, start_after, visit);
  }
  [[nodiscard]] status remove(std::string_view name) {
    if (plan_->removals_left == 0) return error(errc::io, "cannot remove any more");
    --plan_->removals_left;
    return inner_.remove(name);
  }

  [[nodiscard]] busy_plan<Inner>& plan() { return *plan_; }
  [[nodiscard]] Inner& inner() { return inner_; }
  // How many removals succeed from now on.
  void allow_removals(std::uint64_t count) { plan_->removals_left = count; }

 private:
  Inner inner_;
  std::shared_ptr<busy_plan<Inner>> plan_;
};

// Time passes a second at each commit, so that ages are known.
template <class Store>
class lake_in_time {
 public:
  explicit lake_in_time(Store store, std::uint32_t checkpoint_interval = 0) : store_(store) {
    options.surroundings = hands_.get();
    options.checkpoint_interval = checkpoint_interval;
  }

  client_options options = tarn_test::with_stored_objects();

  [[nodiscard]] client<Store> open() { return client<Store>(store_, options); }
  [[nodiscard]] test_environment& hands() noexcept { return hands_; }

  // Version 0 creates the table, each further one has one row more: version n has n rows.
  void grow_to(std::int64_t last) {
    auto lake = open();
    for (std::int64_t number = lake.newest_snapshot().value()->at.number + 1; number <= last; ++number) {
      hands_.clock.ms += 1'000;
      auto tx = lake.begin().value();
      if (number == 0) tx.create_table("x", {"n"}).value();
      if (number > 0) tx.insert("x", {number}).value();
      CHECK(tx.commit().value() == version{number});
    }
  }

  // Keeps so many versions, and nothing for the sake of its age.
  [[nodiscard]] static vacuum_options keeping(std::uint64_t versions) {
    vacuum_options wanted;
    wanted.keep_ms = wanted.grace_ms = 0;
    wanted.keep_versions = versions;
    return wanted;
  }

  // Gives up all before version `oldest`, and the log of it.
  void give_up(version oldest) {
    auto lake = open();
    hands_.clock.ms += 1'000;
    const auto count = static_cast<std::uint64_t>(lake.newest_snapshot().value()->at.number - oldest.number) + 1;
    CHECK(vacuum(lake, keeping(count))->kept.oldest == oldest);
    CHECK(truncate(lake).value() == oldest);
  }

 private:
  Store store_;
  test_environment hands_;
};

template <class Store>
lake_in_time(Store) -> lake_in_time<Store>;

template <class Transaction>
std::int64_t rows_of(Transaction& tx) {
  auto scan = tx.scan("x").value();
  std::int64_t rows = 0;
  while (scan.next()) ++rows;
  CHECK(scan.status().has_value());
  return rows;
}

template <class Client>
std::int64_t rows_at(Client& lake, version at) {
  auto tx = lake.begin_at(at).value();
  return rows_of(tx);
}

template <class Result>
void check_fails(const Result& outcome, errc code, std::string_view with = "") {
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().code() == code);
  CAPTURE(outcome.error().message());
  CHECK(outcome.error().message().find(with) != std::string::npos);
}

// What others do comes right before the first put of a name that begins so: whoever makes it has stalled there.
template <class Inner, class Others>
void before_first_put(busy_store<Inner>& store, std::string_view prefix, Others others) {
  store.plan().put = [wanted = std::string(prefix), others, stalled = false](
                         std::string_view name, std::string_view bytes, Inner& inner) mutable {
    if (!stalled && name.starts_with(wanted)) {
      stalled = true;
      others();
    }
    return inner.put_if_absent(name, bytes);
  };
}

// From now on, what others do comes before get number `moment` of whoever uses the store; `calls` counts these.
template <class Inner, class Others>
void interrupt(busy_store<Inner>& store, std::uint64_t moment, std::uint64_t& calls, Others others) {
  store.plan().before_get = [&calls, moment, others, interrupted = false](std::string_view) mutable {
    if (interrupted || calls++ != moment) return status();
    interrupted = true;
    others();
    interrupted = false;
    return status();
  };
}

}  // namespace

TEST_CASE_TEMPLATE("a vacuum keeps what retained versions need, and nothing else", Place, TARN_EACH_STORE) {
  Place place;
  lake_in_time made(place.open());
  made.grow_to(5);
  auto lake = made.open();
  {
    auto tx = lake.begin().value();
    tx.drop_table("x").value();
    tx.create_table("x", {"n"}).value();
    tx.commit().value();
  }
  {
    auto abandoned = lake.begin().value();
    abandoned.insert("x", {"never committed"}).value();
    abandoned.flush().value();
  }
  made.hands().clock.ms += 1'000;
  CHECK(names_in(place.open(), object_prefix).size() == 6);
  // Version 4 has the objects of the dropped table but for the last, which neither it nor the newest version has.
  const vacuum_report first = vacuum(lake, made.keeping(3)).value();
  CHECK(first.kept.oldest == version{4});
  CHECK(first.objects.size() == 1);
  CHECK(first.remaining == 5);
  CHECK(rows_at(lake, {5}) == 5);
  check_fails(lake.begin_at(version{3}), errc::snapshot_expired, "the oldest that is kept is 4");
  check_fails(made.open().begin_at(version{3}), errc::snapshot_expired, "the oldest that is kept is 4");

  made.hands().clock.ms += 1'000;
  const vacuum_report second = vacuum(lake, made.keeping(1)).value();
  CHECK(second.objects.size() == 5);
  CHECK(second.remaining == 0);
  CHECK(names_in(place.open(), object_prefix).empty());
  CHECK(rows_at(lake, lake.newest_snapshot().value()->at) == 0);
}

TEST_CASE("a dry run changes nothing and tells of each object why it would go or stay") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(3);
  auto lake = made.open();
  auto running = lake.begin().value();
  running.insert("x", {4}).value();
  running.flush().value();
  REQUIRE(store.put_if_absent("_table_x_00000000-0000-4000-8000-000000000000", "?").outcome() == put_outcome::created);
  REQUIRE(store.put_if_absent("stranger", "?").outcome() == put_outcome::created);
  const auto before = names_in(store);
  vacuum_options wanted = made.keeping(1);
  wanted.dry_run = true;
  wanted.grace_ms = 500;
  const vacuum_report young = vacuum(lake, wanted).value();
  made.hands().clock.ms += 1'000;
  const vacuum_report old = vacuum(lake, wanted).value();
  CHECK(names_in(store) == before);
  const auto count = [](const vacuum_report& report, vacuum_verdict verdict) {
    std::size_t found = 0;
    for (const vacuum_finding& each : report.objects) found += each.verdict == verdict ? 1U : 0U;
    return found;
  };
  CHECK(count(young, vacuum_verdict::referenced) == 3);
  CHECK(count(young, vacuum_verdict::young) == 1);
  CHECK(count(young, vacuum_verdict::ageless) == 1);
  CHECK(count(young, vacuum_verdict::garbage) == 0);
  CHECK(count(old, vacuum_verdict::garbage) == 1);
  CHECK(running.commit().has_value());
}

TEST_CASE_TEMPLATE("C10: a vacuum removes neither what is young nor what an old reader's retained version needs", Place,
                   TARN_EACH_STORE) {
  Place place;
  lake_in_time made(place.open());
  made.grow_to(4);
  auto lake = made.open();
  auto other = made.open();
  auto reader = other.begin_at(version{2}).value();
  auto writer = other.begin().value();
  writer.insert("x", {5}).value();
  writer.flush().value();
  vacuum_options wanted = made.keeping(3);
  wanted.grace_ms = 60'000;
  CHECK(vacuum(lake, wanted)->objects.size() == 0);
  CHECK(rows_of(reader) == 2);
  CHECK(writer.commit().has_value());
  CHECK(rows_at(lake, lake.newest_snapshot().value()->at) == 5);
}

TEST_CASE_TEMPLATE("C10: a retained version that cannot be read aborts the vacuum", Place, TARN_EACH_STORE) {
  Place place;
  busy_store store(place.open());
  lake_in_time made(store);
  made.grow_to(4);
  auto lake = made.open();
  REQUIRE(lake.tag("kept", {1}).has_value());
  made.grow_to(8);
  made.give_up({7});
  const auto before = names_in(store.inner(), object_prefix);
  for (const char* const lost : {"_checkpoint_00000000000000000001", "_log_00000000000000000008"}) {
    made.hands().clock.ms += 1'000;
    store.plan().before_get = [&](std::string_view name) {
      return name == lost ? status(error(errc::io, "unreadable")) : status();
    };
    auto cold = made.open();
    CHECK_FALSE(vacuum(cold, made.keeping(4)).has_value());
    CHECK(names_in(store.inner(), object_prefix) == before);
  }
}

TEST_CASE_TEMPLATE("D11: a writer that flushed before a vacuum and commits after it fails, or its objects stay", Place,
                   TARN_EACH_STORE) {
  for (const bool old : {false, true}) {
    Place place;
    lake_in_time made(place.open());
    made.grow_to(2);
    auto lake = made.open();
    auto stalled_client = made.open();
    auto stalled = stalled_client.begin().value();
    stalled.insert("x", {3}).value();
    stalled.flush().value();
    if (old) made.hands().clock.ms += 1'000;
    vacuum_options wanted = made.keeping(1);
    wanted.grace_ms = 500;
    const vacuum_report report = vacuum(lake, wanted).value();
    CHECK(report.objects.size() == (old ? 1 : 0));
    const auto committed = stalled.commit();
    if (old) {
      check_fails(committed, errc::expired, "is a vacuum");
      CHECK(committed.error().retry_helps());
    }
    CHECK(committed.has_value() == !old);
    CHECK(rows_at(lake, lake.newest_snapshot().value()->at) == (old ? 2 : 3));
  }
}

TEST_CASE("D11: whoever reads the vacuum's version makes younger objects than its horizon, even if clocks step back") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(2);
  auto lake = made.open();
  made.hands().clock.ms += 3'600'000;
  (void)vacuum(lake, made.keeping(1)).value();
  made.hands().clock.ms -= 3'600'000;
  auto other = made.open();
  auto writer = other.begin().value();
  writer.insert("x", {3}).value();
  writer.flush().value();
  (void)vacuum(lake, made.keeping(1)).value();
  CHECK(writer.commit().has_value());
  CHECK(rows_at(other, other.newest_snapshot().value()->at) == 3);
}

TEST_CASE("vacuums at the same time each see what the other has given up") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(6);
  auto lake = made.open();
  before_first_put(store, log_prefix, [&] {
    auto other = made.open();
    CHECK(vacuum(other, made.keeping(2))->kept.oldest == version{5});
  });
  made.hands().clock.ms += 1'000;
  CHECK(vacuum(lake, made.keeping(5))->kept.oldest == version{5});
  CHECK(rows_at(lake, {5}) == 5);
}

TEST_CASE_TEMPLATE("a truncated lake answers as before, for the versions that it has kept", Place, TARN_EACH_STORE) {
  Place place;
  lake_in_time made(place.open());
  made.grow_to(20);
  auto warm = made.open();
  auto old = warm.begin().value();
  made.give_up({15});
  CHECK(names_in(place.open(), log_prefix).front() == entry_name({16}));
  CHECK(names_in(place.open(), log_prefix).size() == 6);  // 16 to 20, and the vacuum's
  CHECK(names_in(place.open(), checkpoint_prefix) ==
        std::vector<std::string>{checkpoint_name({15}), checkpoint_name({21})});
  auto cold = made.open();
  for (auto* const lake : {&cold, &warm}) {
    for (std::int64_t at = 15; at <= 20; ++at) CHECK(rows_at(*lake, {at}) == at);
    check_fails(lake->begin_at(version{14}), errc::snapshot_expired);
    check_fails(lake->begin_at(version{22}), errc::not_found);
    auto tx = lake->begin().value();
    CHECK(tx.read_version() == version{21});
    CHECK(rows_of(tx) == 20);
  }
  CHECK(rows_of(old) == 20);
  old.insert("x", {21}).value();
  CHECK(old.commit().value() == version{22});
  made.give_up({22});
  CHECK(rows_at(cold, {23}) == 21);
  CHECK(truncate(cold).value() == version{22});
  CHECK(names_in(place.open(), marker_prefix) == std::vector<std::string>{marker_name(0), marker_name(1)});
}

TEST_CASE("history and times begin where the log does") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(9);
  const timestamp of_version_7{made.hands().clock.ms - 2'000};
  made.give_up({6});
  for (const bool cold : {false, true}) {
    auto lake = made.open();
    if (!cold) (void)lake.begin().value();
    auto log = lake.log().value();
    std::vector<std::int64_t> versions;
    while (log.next()) versions.push_back(log.summary().at.number);
    CHECK(log.status().has_value());
    CHECK(versions == std::vector<std::int64_t>{7, 8, 9, 10});
    CHECK(lake.begin_at(of_version_7)->read_version() == version{7});
    CHECK(lake.begin_at(timestamp{of_version_7.ms - 1})->read_version() == version{6});
    check_fails(lake.begin_at(timestamp{of_version_7.ms - 5'000}), errc::snapshot_expired);
  }
}

TEST_CASE("times before the log's beginning are gone, whatever tags and garbage are there") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(5);
  const timestamp of_version_5 = made.hands().clock;
  auto stalled_client = made.open();
  auto stalled = stalled_client.begin().value();
  stalled.insert("x", {"stalled"}).value();
  before_first_put(store, entry_name({6}), [&] {
    made.hands().clock.ms += 100'000;
    made.grow_to(9);
    auto other = made.open();
    CHECK(other.tag("held", {3}).has_value());
    made.give_up({6});
  });
  check_fails(stalled.commit(), errc::expired);  // and its garbage, in slot 6, states an earlier time than version 6
  auto lake = made.open();
  for (const std::int64_t ago : {-2'000, 0, 1'000, 2'000, 3'000})
    check_fails(lake.begin_at(timestamp{of_version_5.ms - ago}), errc::snapshot_expired, "truncated to version 6");
  CHECK(rows_at(lake, {3}) == 3);
  // A vacuum that is to keep what is gone already keeps what is there.
  vacuum_options longer = made.keeping(1);
  longer.keep_ms = static_cast<std::uint64_t>(made.hands().clock.ms - of_version_5.ms);
  CHECK(vacuum(lake, longer)->kept.oldest == version{6});
}

TEST_CASE("a reader of history that a truncation overtakes says so, and tells no garbage") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(3);
  auto lake = made.open();
  auto log = lake.log().value();
  for (std::int64_t at = 0; at <= 3; ++at) REQUIRE(log.next());
  auto stalled_client = made.open();
  auto stalled = stalled_client.begin().value();
  stalled.insert("x", {"stalled"}).value();
  before_first_put(store, entry_name({4}), [&] {
    made.grow_to(9);
    made.give_up({6});
  });
  check_fails(stalled.commit(), errc::expired);
  CHECK_FALSE(log.next());
  check_fails(log.status(), errc::snapshot_expired, "truncated to version 6");
}

TEST_CASE("a reader of history that a truncation overtakes says so") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  auto log = lake.log().value();
  REQUIRE(log.next());
  made.give_up({6});
  while (log.next()) {
  }
  check_fails(log.status(), errc::snapshot_expired, "truncated to version 6");
}

TEST_CASE("warm, beginning costs one get that finds nothing, two where the store can remove, truncated or not") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  for (int times = 0; times < 2; ++times) {
    (void)lake.begin().value();
    store.plan().gets = store.plan().lists = 0;
    (void)lake.begin().value();
    CHECK(store.plan().gets == 2);
    CHECK(store.plan().lists == 0);
    made.give_up({5});
  }
}

TEST_CASE_TEMPLATE("D9: a warm reader whose next entries a truncation has removed opens anew", Place, TARN_EACH_STORE) {
  Place place;
  lake_in_time made(place.open());
  made.grow_to(0);
  auto reader = made.open();
  CHECK(reader.begin()->read_version() == version{0});
  made.grow_to(2);
  made.give_up({1});
  auto tx = reader.begin().value();
  CHECK(tx.read_version() == version{3});
  CHECK(rows_of(tx) == 2);
}

TEST_CASE_TEMPLATE(
    "D9: a truncation at any moment of a begin, warm or cold, hides no version that was committed before", Place,
    TARN_EACH_STORE) {
  for (const bool cold : {false, true}) {
    std::uint64_t moments = 0;
    for (std::uint64_t moment = 0; moment <= moments; ++moment) {
      Place place;
      busy_store store(place.open());
      lake_in_time made(store);
      made.grow_to(0);
      auto reader = made.open();
      if (!cold) CHECK(reader.begin()->read_version() == version{0});
      made.grow_to(3);
      std::uint64_t calls = 0;
      interrupt(store, moment, calls, [&] { made.give_up({2}); });
      auto tx = reader.begin().value();
      CHECK(tx.read_version() >= version{3});
      CHECK(rows_of(tx) == 3);
      moments = calls;
    }
    CHECK(moments >= 5);
  }
}

TEST_CASE("a second truncation at any moment of a cold reader's first call removes no checkpoint that it needs") {
  enum class call { begin, begin_at_version, begin_at_time, log };
  for (const call wanted : {call::begin, call::begin_at_version, call::begin_at_time, call::log}) {
    std::uint64_t moments = 0;
    for (std::uint64_t moment = 0; moment <= moments; ++moment) {
      busy_store store;
      lake_in_time made(store);
      made.grow_to(5);
      made.give_up({3});
      made.grow_to(12);
      const timestamp newest = made.hands().clock;
      auto reader = made.open();
      std::uint64_t calls = 0;
      interrupt(store, moment, calls, [&] { made.give_up({11}); });
      CAPTURE(moment);
      if (wanted == call::begin) CHECK(reader.begin()->read_version() >= version{12});
      if (wanted == call::begin_at_version) CHECK(reader.begin_at(version{12})->read_version() == version{12});
      if (wanted == call::begin_at_time) CHECK(reader.begin_at(newest)->read_version() == version{12});
      if (wanted == call::log) CHECK(reader.log().has_value());
      moments = calls;
    }
    CHECK(moments >= 3);
  }
}

TEST_CASE_TEMPLATE(
    "D10: what a stalled writer puts into an emptied slot is garbage, alone or before an entry it does not fit", Place,
    TARN_EACH_STORE) {
  for (const bool alone : {true, false}) {
    Place place;
    busy_store store(place.open());
    lake_in_time made(store);
    made.grow_to(0);
    auto stalled_client = made.open();
    auto stalled = stalled_client.begin().value();
    stalled.insert("x", {"stalled"}).value();
    auto next_client = made.open();
    auto next = next_client.begin().value();
    next.insert("x", {"next"}).value();
    auto reader = made.open();
    CHECK(reader.begin()->read_version() == version{0});
    // The writer stalls right before its put of slot 1, and goes on after a truncation.
    before_first_put(store, entry_name({1}), [&] {
      made.grow_to(3);
      made.give_up({alone ? 2 : 1});
    });
    check_fails(stalled.commit(), errc::expired, "truncated to version");
    CHECK(get_entry(store, {1}, limits())->content.operation == "insert");  // the garbage is there
    check_fails(next.commit(), errc::expired, "truncated to version");      // which it reads, as it fits version 0
    auto tx = reader.begin().value();
    CHECK(tx.read_version() == version{4});
    CHECK(rows_of(tx) == 3);
    auto cold = made.open();
    CHECK(rows_at(cold, {4}) == 3);
    // And goes with the next truncation.
    CHECK(truncate(cold).has_value());
    CHECK(get_entry(store, {1}, limits()).error().code() == errc::not_found);
  }
}

TEST_CASE_TEMPLATE(
    "C11: a writer that stalls before a slot that is gone does not report success, however its put is answered", Place,
    TARN_EACH_STORE) {
  for (const put_outcome answer : {put_outcome::created, put_outcome::already_exists, put_outcome::unknown}) {
    Place place;
    busy_store store(place.open());
    lake_in_time made(store);
    made.grow_to(1);
    auto stalled_client = made.open();
    auto stalled = stalled_client.begin().value();
    stalled.insert("x", {"stalled"}).value();
    bool met = false;
    store.plan().put = [&](std::string_view name, std::string_view bytes, auto& inner) {
      if (name != entry_name({2}) || met) return inner.put_if_absent(name, bytes);
      met = true;
      made.grow_to(5);
      made.give_up({3});
      const put_result put = inner.put_if_absent(name, bytes);
      CHECK(put.outcome() == put_outcome::created);
      if (answer == put_outcome::unknown) return put_result::unknown({errc::io, "the answer was lost"});
      return answer == put_outcome::created ? put_result::created() : put_result::already_exists();
    };
    check_fails(stalled.commit(), errc::expired);
    CHECK(stalled_client.begin()->read_version() == version{6});
    auto lake = made.open();
    CHECK(rows_at(lake, {6}) == 5);
  }
}

TEST_CASE_TEMPLATE(
    "C2: what a commit in doubt has flushed stays, also where it could be removed: its entry may land yet", Place,
    TARN_EACH_STORE) {
  Place place;
  busy_store store(place.open());
  lake_in_time made(store);
  made.grow_to(1);
  auto lake = made.open();
  auto tx = lake.begin().value();
  tx.insert("x", {"late"}).value();
  std::string late_bytes;
  store.plan().put = [&](std::string_view name, std::string_view bytes, auto& inner) {
    if (!is_entry(name)) return inner.put_if_absent(name, bytes);
    late_bytes = bytes;
    return put_result::unknown({errc::io, "the answer was lost"});
  };
  check_fails(tx.commit(), errc::commit_unknown);
  CHECK(store.inner().put_if_absent(entry_name({2}), late_bytes).outcome() == put_outcome::created);
  CHECK(rows_at(lake, {2}) == 2);
}

TEST_CASE("a writer whose entry was committed, and then truncated before it heard of it, reports success") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(1);
  auto slow_client = made.open();
  auto slow = slow_client.begin().value();
  slow.insert("x", {2}).value();
  const uuid id = slow.id();
  bool met = false;
  store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    const put_result put = inner.put_if_absent(name, bytes);
    if (name == entry_name({2}) && !met) {
      met = true;
      made.grow_to(5);
      made.give_up({3});
      return put_result::unknown({errc::io, "the answer was lost"});
    }
    return put;
  };
  CHECK(slow.commit().value() == version{2});
  auto lake = made.open();
  CHECK(lake.find_commit(id, {2}).value() == commit_state::committed);
  // Who took garbage in its slot for another's entry, and then lost sight of the log, knows of a later slot only.
  CHECK(lake.find_commit(id, {3}).value() == commit_state::committed);
  CHECK(lake.find_commit(id, {5}).value() == commit_state::committed);
  CHECK(lake.find_commit(sample_id(77), {2}).value() == commit_state::not_committed);
  CHECK(rows_at(lake, {6}) == 5);
  // What is to be seen needs no marker.
  const auto newest = get_entry(store, {6}, limits()).value().content.transaction;
  store.inner().remove(marker_name(0)).value();
  CHECK(store.inner().put_if_absent(marker_name(0), "damaged").outcome() == put_outcome::created);
  CHECK(lake.find_commit(newest, {6}).value() == commit_state::committed);
  CHECK(lake.find_commit(sample_id(77), {6}).error().code() == errc::corrupt);
}

TEST_CASE("what became of a commit is known at any moment of a truncation, whatever is in its slot then") {
  for (const bool garbage : {false, true}) {
    std::uint64_t moments = 0;
    for (std::uint64_t moment = 0; moment <= moments; ++moment) {
      busy_store store;
      lake_in_time made(store);
      made.grow_to(9);
      const uuid id = get_entry(store, {4}, limits())->content.transaction;
      entry other;
      other.at = {4};
      other.transaction = sample_id(99);
      auto lake = made.open();
      std::uint64_t calls = 0;
      interrupt(store, moment, calls, [&] {
        made.give_up({8});
        if (garbage)
          CHECK(store.inner().put_if_absent(entry_name({4}), write_entry(other)).outcome() == put_outcome::created);
      });
      CAPTURE(moment);
      CHECK(lake.find_commit(id, {4}).value() == commit_state::committed);
      moments = calls;
    }
    CHECK(moments >= 3);
  }
}

TEST_CASE("a truncation stopped at any point is finished by the next one, and never seen") {
  for (std::uint64_t removals = 0; removals < 12; ++removals) {
    busy_store store;
    lake_in_time made(store, 4);
    made.grow_to(9);
    auto lake = made.open();
    made.hands().clock.ms += 1'000;
    REQUIRE(vacuum(lake, made.keeping(3)).has_value());
    store.allow_removals(removals);
    const auto stopped = truncate(lake);
    if (!stopped.has_value()) CHECK(stopped.error().code() == errc::io);
    auto cold = made.open();
    for (std::int64_t at = 7; at <= 9; ++at) CHECK(rows_at(cold, {at}) == at);
    check_fails(cold.begin_at(version{6}), errc::snapshot_expired);
    store.allow_removals(UINT64_MAX);
    CHECK(truncate(cold).value() == version{7});
    CHECK(names_in(store.inner(), log_prefix).front() == entry_name({8}));
    CHECK(names_in(store.inner(), checkpoint_prefix).front() == checkpoint_name({7}));
    CHECK(names_in(store.inner(), marker_prefix).size() == 1);
  }
}

TEST_CASE("of two truncations at the same time one is first, and the other says so") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  made.hands().clock.ms += 1'000;
  REQUIRE(vacuum(lake, made.keeping(3)).has_value());
  before_first_put(store, marker_prefix, [&] {
    made.grow_to(12);
    made.give_up({11});
  });
  check_fails(truncate(lake), errc::conflict, "another truncation");
  CHECK(truncate(lake).value() == version{11});
  CHECK(rows_at(lake, {12}) == 11);
}

TEST_CASE("of two truncations at the same time, at any moment, each succeeds or says that another was faster") {
  for (const std::int64_t oldest : {7, 8, 10}) {
    std::uint64_t moments = 0, conflicts = 0;
    for (std::uint64_t moment = 0; moment <= moments; ++moment) {
      busy_store store;
      lake_in_time made(store);
      made.grow_to(9);
      auto lake = made.open();
      made.hands().clock.ms += 1'000;
      REQUIRE(vacuum(lake, made.keeping(3))->kept.oldest == version{7});
      std::uint64_t calls = 0;
      interrupt(store, moment, calls, [&] {
        auto other = made.open();
        if (oldest == 7) CHECK(truncate(other).value() == version{7});
        if (oldest > 7) made.give_up({oldest});
      });
      CAPTURE(moment);
      const auto done = truncate(lake);
      if (!done.has_value()) {
        check_fails(done, errc::conflict, "run this one again");
        ++conflicts;
      }
      moments = calls;
      store.plan().before_get = {};
      CHECK(truncate(lake).value() >= version{7});
      auto cold = made.open();
      CHECK(rows_at(cold, {10}) == 9);
    }
    CHECK(moments >= 10);
    CHECK(conflicts >= 5);
  }
}

TEST_CASE("a version that is tagged while a truncation runs stays") {
  std::uint64_t moments = 0;
  for (std::uint64_t moment = 0; moment <= moments; ++moment) {
    busy_store store;
    lake_in_time made(store);
    made.grow_to(9);
    auto lake = made.open();
    (void)lake.begin().value();
    std::uint64_t calls = 0;
    interrupt(store, moment, calls, [&] {
      auto other = made.open();
      CHECK(other.tag("held", {5}).has_value());
      made.give_up({8});
    });
    CAPTURE(moment);
    if (const auto done = truncate(lake); !done.has_value()) check_fails(done, errc::conflict);
    moments = calls;
    store.plan().before_get = {};
    auto cold = made.open();
    if (calls > moment) CHECK(rows_at(cold, {5}) == 5);
  }
  CHECK(moments >= 10);
}

TEST_CASE("a vacuum that others overtake at any moment says so, and takes nothing for damage") {
  for (const bool dry_run : {true, false}) {
    std::uint64_t moments = 0, overtaken = 0;
    for (std::uint64_t moment = 0; moment <= moments; ++moment) {
      busy_store store;
      lake_in_time made(store);
      made.grow_to(9);
      auto lake = made.open();
      lake.tag("first", {2}).value();
      std::uint64_t calls = 0;
      interrupt(store, moment, calls, [&] {
        auto other = made.open();
        CHECK(other.untag("first").has_value());
        made.give_up({8});
      });
      vacuum_options wanted = made.keeping(6);
      wanted.dry_run = dry_run;
      made.hands().clock.ms += 1'000;
      CAPTURE(moment);
      const auto done = vacuum(lake, wanted);
      if (!done.has_value()) {
        check_fails(done, errc::expired);
        ++overtaken;
      }
      moments = calls;
      store.plan().before_get = {};
      auto cold = made.open();
      CHECK(rows_at(cold, {9}) == 9);
    }
    CHECK(moments >= 10);
    CHECK(overtaken >= 5);
  }
}

TEST_CASE_TEMPLATE("a tag holds its version: its checkpoint, and its objects", Place, TARN_EACH_STORE) {
  Place place;
  lake_in_time made(place.open());
  made.grow_to(5);
  auto lake = made.open();
  REQUIRE(lake.tag("monday", {3}).has_value());
  {
    auto tx = lake.begin().value();
    tx.drop_table("x").value();
    tx.create_table("x", {"n"}).value();
    tx.commit().value();
  }
  made.give_up({7});
  CHECK(names_in(place.open(), object_prefix).size() == 3);
  auto cold = made.open();
  CHECK(rows_at(cold, {3}) == 3);
  check_fails(cold.begin_at(version{2}), errc::snapshot_expired);
  check_fails(cold.begin_at(version{4}), errc::snapshot_expired);
  REQUIRE(cold.core()->latest->tags->size() == 1);
  REQUIRE(cold.untag("monday").has_value());
  made.give_up({9});
  CHECK(names_in(place.open(), object_prefix).empty());
  CHECK(names_in(place.open(), checkpoint_prefix).front() == checkpoint_name({9}));
}

TEST_CASE("tagging a version that a vacuum gives up meanwhile fails") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(5);
  auto lake = made.open();
  before_first_put(store, log_prefix, [&] {
    made.hands().clock.ms += 1'000;
    auto other = made.open();
    CHECK(vacuum(other, made.keeping(1)).has_value());
  });
  check_fails(lake.tag("late", {3}), errc::conflict, "may have given up version 3");
  check_fails(lake.tag("late", {3}), errc::snapshot_expired);
}

TEST_CASE("a version that only one tag holds gets no other while that one is taken away") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  lake.tag("first", {3}).value();
  made.give_up({8});
  before_first_put(store, log_prefix, [&] {
    auto other = made.open();
    CHECK(other.untag("first").has_value());
    CHECK(truncate(other).has_value());
  });
  check_fails(lake.tag("second", {3}), errc::conflict, "changed the tag 'first'");
  check_fails(lake.tag("second", {3}), errc::snapshot_expired);
  CHECK(vacuum(lake, made.keeping(1)).has_value());
}

TEST_CASE("a tagged version whose checkpoint is damaged is said to be damaged, not given up") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  lake.tag("held", {3}).value();
  made.give_up({8});
  store.remove(checkpoint_name({3})).value();
  (void)store.put_if_absent(checkpoint_name({3}), "damage");
  check_fails(lake.begin_at(version{3}), errc::corrupt, checkpoint_name({3}));
}

TEST_CASE("what a vacuum has given up stays given up for a client that cannot read on") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  REQUIRE(vacuum(lake, made.keeping(3)).has_value());
  REQUIRE(lake.begin()->read_version() == version{10});
  store.plan().before_get = [](std::string_view name) {
    return name == entry_name({11}) ? error(errc::io, "out of order") : status();
  };
  check_fails(lake.begin_at(version{2}), errc::io, "out of order");
  store.plan().before_get = nullptr;

  REQUIRE(store.put_if_absent(entry_name({11}), "damaged").outcome() == put_outcome::created);
  check_fails(lake.begin(), errc::corrupt);
  check_fails(lake.begin_at(version{2}), errc::snapshot_expired);
  CHECK(rows_at(lake, {9}) == 9);
}

TEST_CASE("a vacuum cannot add up what a tag holds if that is gone, and says so; nobody has overtaken it") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  lake.tag("held", {3}).value();
  made.give_up({8});
  const auto objects = names_in(store.inner(), object_prefix);
  store.inner().remove(checkpoint_name({3})).value();
  made.hands().clock.ms += 1'000;
  check_fails(vacuum(lake, made.keeping(1)), errc::snapshot_expired, "tag 'held'");
  CHECK(names_in(store.inner(), object_prefix) == objects);
}

TEST_CASE("a vacuum by age keeps what there is if all is younger, or all that is older is gone; errors are no ages") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(9);
  auto lake = made.open();
  vacuum_options by_age = made.keeping(1);
  by_age.keep_ms = 1'000'000;
  CHECK(vacuum(lake, by_age)->kept.oldest == version{0});  // all is younger
  by_age.keep_ms = 5'500;
  CHECK(vacuum(lake, by_age)->kept.oldest == version{3});
  made.give_up({8});
  by_age.keep_ms = 5'500;
  CHECK(vacuum(lake, by_age)->kept.oldest == version{8});  // what was the newest then is gone
  store.plan().before_get = [](std::string_view name) {
    return name.starts_with(checkpoint_prefix) ? status(error(errc::io, "down")) : status();
  };
  check_fails(vacuum(lake, by_age), errc::io, "down");
}

TEST_CASE("a vacuum that another vacuum overtakes at any moment succeeds, or says so") {
  std::uint64_t moments = 0, overtaken = 0;
  for (std::uint64_t moment = 0; moment <= moments; ++moment) {
    busy_store store;
    lake_in_time made(store);
    made.grow_to(9);
    auto lake = made.open();
    made.hands().clock.ms += 1'000;
    std::uint64_t calls = 0;
    interrupt(store, moment, calls, [&] {
      auto other = made.open();
      CHECK(vacuum(other, made.keeping(1)).has_value());
    });
    CAPTURE(moment);
    const auto done = vacuum(lake, made.keeping(4));
    if (!done.has_value()) check_fails(done, errc::expired, "another vacuum or truncation has given up");
    if (!done.has_value()) ++overtaken;
    moments = calls;
    store.plan().before_get = {};
    CHECK(vacuum(lake, made.keeping(1)).has_value());
  }
  CHECK(moments >= 5);
  CHECK(overtaken >= 1);
}

TEST_CASE("what a restore has brought back is kept with the versions that have it, also once it is dropped again") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(3);
  auto lake = made.open();
  const auto drop = [&] { lake.run([](auto& tx) { return tx.drop_table("x"); }).value(); };
  drop();
  lake.restore({3}).value();
  drop();
  made.hands().clock.ms += 1'000;
  CHECK(vacuum(lake, made.keeping(3))->kept.oldest == version{4});  // neither that nor the newest has the table
  CHECK(rows_at(lake, {5}) == 3);
  made.hands().clock.ms += 1'000;
  CHECK(vacuum(lake, made.keeping(1))->objects.size() == 3);
}

TEST_CASE("garbage that cannot be removed is told, and goes the next time") {
  busy_store store;
  lake_in_time made(store);
  made.grow_to(5);
  auto lake = made.open();
  lake.compact("x").value();
  made.hands().clock.ms += 1'000;
  for (const std::uint64_t removals : {0U, 2U}) {
    store.allow_removals(removals);
    check_fails(vacuum(lake, made.keeping(1)), errc::io, "cannot remove");
  }
  CHECK(names_in(store.inner(), object_prefix).size() == 4);
  store.allow_removals(UINT64_MAX);
  CHECK(vacuum(lake, made.keeping(1))->objects.size() == 3);
  CHECK(rows_at(lake, lake.newest_snapshot().value()->at) == 5);
}

TEST_CASE("a truncation that finds damage says so, whether or not another was faster; errors of the store come first") {
  // What truncating to version 7 comes to if entry 3 is damaged, or cannot be got, and another truncation comes right
  // before, which gets it.
  const auto outcome = [](std::string_view what, bool overtaken) {
    busy_store store;
    lake_in_time made(store);
    made.grow_to(9);
    auto lake = made.open();
    made.hands().clock.ms += 1'000;
    REQUIRE(vacuum(lake, made.keeping(3))->kept.oldest == version{7});
    REQUIRE(lake.checkpoint().has_value());  // so that nobody else needs that entry
    bool others_are_at_it = false;
    int looks = 0;  // the first is for the state at version 7, the second for the marker
    store.plan().before_get = [&](std::string_view name) {
      if (name != entry_name({3}) || others_are_at_it || ++looks == 1) return status();
      others_are_at_it = true;
      if (overtaken) made.give_up({8});
      others_are_at_it = false;
      if (what == "damaged") return status(error(errc::corrupt, "damaged"));
      return what == "down" ? status(error(errc::io, "down")) : status();
    };
    const auto done = truncate(lake);
    return done ? std::string("truncated") : std::string(name_of(done.error().code()));
  };
  CHECK(outcome("good", false) == "truncated");
  CHECK(outcome("good", true) == "conflict");
  CHECK(outcome("damaged", false) == "corrupt");
  CHECK(outcome("damaged", true) == "conflict");
  CHECK(outcome("down", false) == "io");
  CHECK(outcome("down", true) == "io");
}

TEST_CASE_TEMPLATE("D16: an application that repeats a number after its entry was truncated is told that it is done",
                   Place, TARN_EACH_STORE) {
  Place place;
  auto store = place.open();
  lake_in_time made(store);
  made.grow_to(1);
  {
    auto lake = made.open();
    auto tx = lake.begin().value();
    tx.insert("x", {2}).value();
    CHECK(tx.commit({"loader", 7}).value() == version{2});
  }
  made.grow_to(9);
  made.give_up({8});
  auto lake = made.open();
  auto again = lake.begin().value();
  again.insert("x", {2}).value();
  CHECK(again.commit({"loader", 7}).value() == version{2});
  CHECK(lake.begin()->read_version() == version{10});
  CHECK(rows_at(lake, {10}) == 9);
}

TEST_CASE("a lake whose checkpoints after a truncation are all damaged says which it needs") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(9);
  made.give_up({7});
  for (const std::string& name : names_in(store, checkpoint_prefix)) {
    CHECK(made.open().begin().has_value());  // one is enough
    REQUIRE(store.remove(name).has_value());
    REQUIRE(store.put_if_absent(name, "damaged").outcome() == put_outcome::created);
  }
  check_fails(made.open().begin(), errc::corrupt, "truncated to version 7, and no checkpoint");
}

TEST_CASE("a damaged marker is an error, never taken for the end of the markers") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(9);
  made.give_up({7});
  const std::string whole(std::string_view(*store.get(marker_name(0))));
  const truncation_marker marker = read_marker(whole, "the marker").value();
  CHECK(marker.first == version{0});
  CHECK(marker.last == version{7});
  CHECK(write_marker(marker) == whole);
  for (std::size_t at = 0; at < 8 * whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ 1 << at % 8);
    REQUIRE(read_marker(damaged, "the marker").error().code() == errc::corrupt);
  }
  REQUIRE(store.remove(marker_name(0)).has_value());
  REQUIRE(store.put_if_absent(marker_name(0), whole.substr(1)).outcome() == put_outcome::created);
  check_fails(made.open().begin(), errc::corrupt, "_trunc_00000000000000000000");
}

TEST_CASE("an empty lake, and one of a single version, can be vacuumed and truncated") {
  memory_store store;
  lake_in_time made(store);
  auto lake = made.open();
  CHECK(vacuum(lake, made.keeping(1)).has_value());
  CHECK(truncate(lake).value() == version());
  CHECK(names_in(store).empty());
  made.grow_to(0);
  CHECK(truncate(lake).value() == version());
  made.hands().clock.ms += 1'000;
  CHECK(vacuum(lake, made.keeping(1)).has_value());
  CHECK(truncate(lake).value() == version{0});
  CHECK(rows_at(lake, lake.newest_snapshot().value()->at) == 0);
}

TEST_CASE("a time before all others is before every other, and no time is before that") {
  using vacuum_detail::before;
  CHECK(before({5}, 7) == timestamp{-2});
  CHECK(before({-1}, INT64_MAX - 1) == timestamp{INT64_MIN + 1});
  CHECK(before({-1}, INT64_MAX) == timestamp{INT64_MIN});
  CHECK(before({5}, UINT64_MAX) == timestamp{INT64_MIN});
  CHECK(before({INT64_MIN + 3}, 3) == timestamp{INT64_MIN});
  CHECK(before({INT64_MIN + 3}, 2) == timestamp{INT64_MIN + 1});
}

TEST_CASE("why an object goes or stays has a name") {
  std::vector<std::string_view> names;
  for (const auto each :
       {vacuum_verdict::garbage, vacuum_verdict::referenced, vacuum_verdict::young, vacuum_verdict::ageless})
    names.push_back(name_of(each).substr(0, name_of(each).find(' ')));
  CHECK(names == std::vector<std::string_view>{"garbage:", "referenced", "young:", "of"});
}

TEST_CASE("the newest version is always kept, and as many others as are asked for, if there are so many") {
  for (const auto& [versions, oldest] :
       {std::pair<std::uint64_t, std::int64_t>{0, 4}, {1, 4}, {2, 3}, {5, 0}, {6, 0}}) {
    memory_store store;
    lake_in_time made(store);
    made.grow_to(4);
    auto lake = made.open();
    made.hands().clock.ms += 1'000;
    const std::uint64_t kept = versions;  // a binding cannot be captured
    CAPTURE(kept);
    CHECK(vacuum(lake, made.keeping(versions))->kept.oldest == version{oldest});
  }
}

TEST_CASE("names that are like those of objects, entries and checkpoints, and are none, stay") {
  memory_store store;
  lake_in_time made(store);
  made.grow_to(9);
  const std::vector<std::string> strangers = {
      "_checkpoint_1", "_checkpoint_00000000000000000001_x", "_log_1", "_table_x", "_table_x_1", "_trunc_x"};
  for (const std::string& name : strangers) REQUIRE(store.put_if_absent(name, "?").outcome() == put_outcome::created);
  made.give_up({7});
  for (const std::string& name : strangers) CHECK(store.get(name).has_value());
}

TEST_CASE("a vacuum that cannot read on to its own version, or reads another there, removes nothing") {
  for (const bool replaced : {false, true}) {
    busy_store store;
    lake_in_time made(store);
    made.grow_to(5);
    auto lake = made.open();
    {
      auto tx = lake.begin().value();
      tx.drop_table("x").value();
      tx.commit().value();
    }
    const auto objects = names_in(store.inner(), object_prefix);
    const std::string own = entry_name({7});
    bool committed = false;
    store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      if (name != own) return inner.put_if_absent(name, bytes);
      committed = true;
      entry other = read_entry(bytes, {7}, limits()).value();
      other.transaction = sample_id(99);
      return inner.put_if_absent(name, replaced ? write_entry(other) : bytes);
    };
    store.plan().before_get = [&](std::string_view name) {
      return committed && !replaced && name == own ? status(error(errc::not_found, "not yet")) : status();
    };
    made.hands().clock.ms += 1'000;
    CAPTURE(replaced);
    check_fails(vacuum(lake, made.keeping(1)), errc::corrupt, replaced ? "" : "are not on one chain");
    CHECK(committed);
    CHECK(names_in(store.inner(), object_prefix) == objects);
  }
}

TEST_CASE("a truncation that a vacuum overtakes at any moment succeeds, or says so") {
  std::uint64_t moments = 0, conflicts = 0;
  for (std::uint64_t moment = 0; moment <= moments; ++moment) {
    busy_store store;
    lake_in_time made(store);
    made.grow_to(9);
    auto lake = made.open();
    made.hands().clock.ms += 1'000;
    REQUIRE(vacuum(lake, made.keeping(3))->kept.oldest == version{7});
    std::uint64_t calls = 0;
    interrupt(store, moment, calls, [&] {
      auto other = made.open();
      CHECK(vacuum(other, made.keeping(1)).has_value());
    });
    CAPTURE(moment);
    const auto done = truncate(lake);
    if (!done.has_value()) {
      check_fails(done, errc::conflict, "another truncation or vacuum has gone further");
      ++conflicts;
    }
    moments = calls;
    store.plan().before_get = {};
    CHECK(truncate(lake).value() >= version{7});
  }
  CHECK(moments >= 10);
  CHECK(conflicts >= 1);
}
