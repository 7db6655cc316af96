// Each fault does exactly what its kind says, to each operation to which it can happen, is counted, and leaves all else
// alone; without faults the store is the one inside.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/testing/store_conformance.hpp>
#include <vector>

#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn::testing;
using tarn::errc;
using tarn::put_outcome;

using store = fault_store<tarn::memory_store>;
using names = std::vector<std::string>;

// A store of one client, with one fault at its first call; the objects a1, a2, a3 and b are there.
struct one_fault {
  explicit one_fault(fault what) : one_fault(planned_fault{0, 0, what}) {}
  explicit one_fault(const planned_fault& planned)
      : faults(store::state_of({planned})), faulty(content, faults, 0, &environment) {
    for (const std::string name : {"a1", "a2", "a3", "b"}) put_directly(name);
  }

  void put_directly(const std::string& name) {
    REQUIRE(content.put_if_absent(name, "bytes of " + name).outcome() == put_outcome::created);
  }
  [[nodiscard]] bool has(const std::string& name) const { return content.get(name).has_value(); }
  [[nodiscard]] bool has_fired() const { return faults->never_fired(faults->chooser().planned()).empty(); }
  // Of the faulty store.
  [[nodiscard]] names listed(const std::string& prefix = "", const std::string& start_after = "") {
    names all;
    REQUIRE(faulty.list(prefix, start_after, [&](std::string_view name) { all.emplace_back(name); }).has_value());
    return all;
  }
  void pass_calls(std::size_t count) {
    for (std::size_t done = 0; done < count; ++done) (void)faulty.get("nothing");
  }

  tarn_test::test_environment environment;
  tarn::memory_store content;
  store::state faults;
  store faulty;
};

[[nodiscard]] put_outcome put(store& into, std::string_view name = "new", std::string_view bytes = "mine") {
  return into.put_if_absent(name, bytes).outcome();
}
[[nodiscard]] std::string text_of(store& from, std::string_view name) {
  const auto found = from.get(name);
  return found ? std::string(std::string_view(*found)) : "error: " + std::string(name_of(found.error().code()));
}

// A store that cannot remove.
struct lasting_store {
  using handle = tarn::memory_store::handle;
  tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    return content.put_if_absent(name, bytes);
  }
  tarn::result<handle> get(std::string_view name) { return content.get(name); }
  template <class Visit>
  tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return content.list(prefix, start_after, visit);
  }
  tarn::memory_store content;
};

// Makes the operation; true if it succeeded.
[[nodiscard]] bool make_call(store& faulty, store_operation operation) {
  switch (operation) {
    case store_operation::put: return put(faulty) == put_outcome::created;
    case store_operation::get: return faulty.get("a1").has_value();
    case store_operation::list: return faulty.list("a", "", tarn::ignore_names{}).has_value();
    case store_operation::remove: return faulty.remove("a1").has_value();
  }
  return false;
}
// Whether the content has changed as the operation would change it.
[[nodiscard]] bool has_changed(const one_fault& run, store_operation operation) {
  if (operation == store_operation::put) return run.has("new");
  return operation == store_operation::remove && !run.has("a1");
}
[[nodiscard]] bool changes(store_operation operation) {
  return operation == store_operation::put || operation == store_operation::remove;
}

}  // namespace

TEST_CASE("without faults a fault_store keeps all promises of a store, and counts none") {
  const auto report = test_store([] { return store(tarn::memory_store(), store::state_of(), 0); });
  CHECK_MESSAGE(report.conforms(), report.text());
  CHECK(report.checks() > 1'000);
  static_assert(store::strengths.complete_list);
}

TEST_CASE("a fault_store around a store that cannot remove cannot either, and around files it works too") {
  static_assert(tarn::object_store<fault_store<lasting_store>>);
  static_assert(!tarn::removing_store<fault_store<lasting_store>>);
  static_assert(tarn::removing_store<store>);

  const tarn_test::in_files files;
  using file_faults = fault_store<tarn_test::in_files::store>;
  file_faults faulty(files.open(), file_faults::state_of({{0, 1, {fault_kind::truncated, 2}}}), 0);
  CHECK(faulty.put_if_absent("x", "bytes").outcome() == put_outcome::created);
  CHECK(std::string_view(*faulty.get("x")) == "by");
  CHECK(std::string_view(*faulty.get("x")) == "bytes");
}

TEST_CASE("F1: a call that fails before its work has done nothing, and the next one succeeds") {
  for (const store_operation operation : all_operations) {
    CAPTURE(name_of(operation));
    one_fault run(fault{fault_kind::error_before});
    CHECK_FALSE(make_call(run.faulty, operation));
    CHECK_FALSE(has_changed(run, operation));
    CHECK(run.faults->counts().of(operation, fault_kind::error_before) == 1);
    CHECK(run.has_fired());
    CHECK(make_call(run.faulty, operation));
    CHECK(has_changed(run, operation) == changes(operation));
    CHECK(run.faults->counts().total() == 1);
  }
}

TEST_CASE("F1: a put that fails is in doubt; a fault that lasts for good lasts") {
  one_fault run(planned_fault{0, 1, {fault_kind::error_before, 0, true}});
  CHECK(text_of(run.faulty, "a1") == "bytes of a1");
  for (int again = 0; again < 5; ++again) {
    CHECK(put(run.faulty) == put_outcome::unknown);
    CHECK(text_of(run.faulty, "a1") == "error: io");
  }
  CHECK_FALSE(run.has("new"));
  CHECK(run.faults->counts().of(fault_kind::error_before) == 10);
  CHECK(run.has_fired());
}

TEST_CASE("F2: a call that fails after its work has done it") {
  for (const store_operation operation : {store_operation::put, store_operation::remove, store_operation::list}) {
    CAPTURE(name_of(operation));
    one_fault run(fault{fault_kind::error_after});
    CHECK_FALSE(make_call(run.faulty, operation));
    CHECK(has_changed(run, operation) == changes(operation));
    CHECK(run.has_fired());
  }
  one_fault run(fault{fault_kind::error_after});
  CHECK(put(run.faulty) == put_outcome::unknown);
  CHECK(put(run.faulty, "new", "others") == put_outcome::already_exists);
  CHECK(text_of(run.faulty, "new") == "mine");
}

TEST_CASE("F2: a list that fails after its work has named everything; a get cannot meet it") {
  one_fault run(fault{fault_kind::error_after});
  names seen;
  CHECK_FALSE(run.faulty.list("a", "", [&](std::string_view name) { seen.emplace_back(name); }).has_value());
  CHECK(seen == names{"a1", "a2", "a3"});
  one_fault other(fault{fault_kind::error_after});
  CHECK(text_of(other.faulty, "a1") == "bytes of a1");
  CHECK_FALSE(other.has_fired());
}

TEST_CASE("F3: a late put or remove lands after as many calls as it says, not before") {
  for (const store_operation operation : {store_operation::put, store_operation::remove}) {
    CAPTURE(name_of(operation));
    one_fault run(fault{fault_kind::late, 3});
    CHECK_FALSE(make_call(run.faulty, operation));
    CHECK(run.faults->under_way() == 1);
    run.pass_calls(3);
    CHECK_FALSE(has_changed(run, operation));
    run.pass_calls(1);
    CHECK(has_changed(run, operation));
    CHECK(run.faults->under_way() == 0);
    CHECK(run.faults->landed() == 1);
    CHECK(run.has_fired());
  }
}

TEST_CASE("F3: calls of other clients let it land too; at the end everything can be made to land") {
  one_fault run(fault{fault_kind::late, 1});
  CHECK(put(run.faulty) == put_outcome::unknown);
  store other(run.content, run.faults, 1);
  (void)other.get("nothing");
  CHECK_FALSE(run.has("new"));
  CHECK(text_of(other, "new") == "mine");  // it lands before this call looks

  one_fault ended(fault{fault_kind::late, 100});
  CHECK(put(ended.faulty) == put_outcome::unknown);
  ended.faults->deliver_all(ended.content);
  CHECK(ended.has("new"));
}

TEST_CASE("F3: what lands too late for its name changes nothing, and is not counted as landed") {
  one_fault run(fault{fault_kind::late, 2});
  CHECK(put(run.faulty) == put_outcome::unknown);
  CHECK(put(run.faulty, "new", "others") == put_outcome::created);
  run.pass_calls(5);
  CHECK(text_of(run.faulty, "new") == "others");
  CHECK(run.faults->landed() == 0);
  CHECK(run.faults->under_way() == 0);
}

TEST_CASE("F3, F6: a store that delivers later is given what is late") {
  struct ghost_store : tarn::memory_store {
    void put_later(std::string_view name, std::string_view bytes) {
      given->push_back(std::string(name) + "=" + std::string(bytes));
    }
    void remove_later(std::string_view name) { given->push_back("no " + std::string(name)); }
    names* given = nullptr;
  };
  static_assert(delivers_later<ghost_store> && !delivers_later<tarn::memory_store>);
  names given;
  ghost_store ghost;
  ghost.given = &given;
  using faulty_ghost = fault_store<ghost_store>;
  faulty_ghost faulty(ghost, faulty_ghost::state_of(*planned_faults_from("a0.F3,a1.F6,a2.F3")), 0);
  CHECK(faulty.put_if_absent("x", "1").outcome() == put_outcome::unknown);
  CHECK(faulty.put_if_absent("y", "2").outcome() == put_outcome::created);
  CHECK_FALSE(faulty.remove("z").has_value());
  CHECK(given == names{"x=1", "y=2", "no z"});
  CHECK(faulty.faults()->under_way() == 0);
  CHECK(faulty.faults()->counts().total() == 3);
}

TEST_CASE("F4: a put has created the object and says that it existed; not if it did exist") {
  one_fault run(fault{fault_kind::exists_after});
  CHECK(put(run.faulty) == put_outcome::already_exists);
  CHECK(text_of(run.faulty, "new") == "mine");
  CHECK(run.has_fired());
  one_fault other(fault{fault_kind::exists_after});
  CHECK(put(other.faulty, "a1") == put_outcome::already_exists);
  CHECK_FALSE(other.has_fired());
}

TEST_CASE("F5: a put that was not applied says so, and whether it may be tried again") {
  one_fault run(fault{fault_kind::not_applied});
  const tarn::put_result again = run.faulty.put_if_absent("new", "mine");
  CHECK(again.outcome() == put_outcome::not_applied);
  CHECK(tarn::may_retry(again));
  CHECK_FALSE(run.has("new"));
  one_fault full(fault{fault_kind::not_applied, 1});
  const tarn::put_result never = full.faulty.put_if_absent("new", "mine");
  CHECK(never.outcome() == put_outcome::not_applied);
  CHECK(never.why().code() == errc::no_space);
  CHECK_FALSE(tarn::may_retry(never));
  CHECK_FALSE(full.has("new"));
}

TEST_CASE("F6: a put arrives once more, also after the object was removed") {
  one_fault run(fault{fault_kind::duplicate, 2});
  CHECK(put(run.faulty) == put_outcome::created);
  CHECK(run.faulty.remove("new").has_value());
  CHECK_FALSE(run.has("new"));
  run.pass_calls(1);
  CHECK_FALSE(run.has("new"));
  run.pass_calls(1);
  CHECK(text_of(run.faulty, "new") == "mine");
  CHECK(run.faults->landed() == 1);
  run.pass_calls(5);
  CHECK(run.faults->landed() == 1);
}

TEST_CASE("F7: after a crash, before or after the call's work, no call of the client reaches the store any more") {
  for (const store_operation operation : all_operations)
    for (const std::uint64_t after : {0U, 1U}) {
      CAPTURE(name_of(operation));
      CAPTURE(after);
      one_fault run(fault{fault_kind::crash, after});
      CHECK_FALSE(make_call(run.faulty, operation));
      CHECK(run.faulty.has_crashed());
      CHECK(has_changed(run, operation) == (after == 1 && changes(operation)));
      CHECK(put(run.faulty, "other") == put_outcome::unknown);
      CHECK_FALSE(run.has("other"));
      CHECK_FALSE(run.faulty.remove("b").has_value());
      CHECK(run.has("b"));
      CHECK(text_of(run.faulty, "b") == "error: io");
      names seen;
      CHECK_FALSE(run.faulty.list("", "", [&](std::string_view name) { seen.emplace_back(name); }).has_value());
      CHECK(seen.empty());
      CHECK(run.faults->calls() == 1);
      CHECK(run.faults->counts().of(operation, fault_kind::crash) == 1);
      CHECK(run.has_fired());

      store other(run.content, run.faults, 1);
      CHECK(text_of(other, "b") == "bytes of b");
      store copy = run.faulty;
      CHECK(text_of(copy, "b") == "error: io");
      run.faults->restart(0);
      CHECK(text_of(copy, "b") == "bytes of b");
      CHECK(run.faults->calls_of(0) == 2);
    }
}

TEST_CASE("F7: what a client has under way when it crashes lands all the same") {
  one_fault run(fault{fault_kind::late, 1});
  CHECK(put(run.faulty) == put_outcome::unknown);
  run.faults->crash(0);
  run.faults->deliver_all(run.content);
  CHECK(run.has("new"));
}

TEST_CASE("F8, F21: in a pause and in a slow call the client's clock goes on, before the call") {
  for (const fault_kind kind : {fault_kind::pause, fault_kind::slow})
    for (const store_operation operation : all_operations) {
      one_fault run(fault{kind, 90'000});
      const tarn::timestamp before = run.environment.clock;
      CHECK(make_call(run.faulty, operation));
      CHECK(run.environment.clock.ms == before.ms + 90'000);
      CHECK(run.has_fired());
      CHECK(make_call(run.faulty, store_operation::get) == (operation != store_operation::remove));
      CHECK(run.environment.clock.ms == before.ms + 90'000);
    }
}

TEST_CASE("F9: a clock steps forward, back, or stands still from then on") {
  const auto step = [](std::int64_t ms) { return fault{fault_kind::clock_step, static_cast<std::uint64_t>(ms)}; };
  for (const std::int64_t ms : {5'000, -5'000}) {
    one_fault run(step(ms));
    const tarn::timestamp before = run.environment.clock;
    run.environment.call_takes_ms = 3;
    run.pass_calls(2);
    CHECK(run.environment.get().now(&run.environment).ms == before.ms + ms + 6);
    CHECK(run.has_fired());
  }
  one_fault run(step(0));
  const tarn::timestamp before = run.environment.clock;
  run.environment.call_takes_ms = 3;
  run.pass_calls(4);
  CHECK(run.environment.clock.ms == before.ms + 3);
}

TEST_CASE("F8, F9: without a clock of the client's own they cannot happen, and do not") {
  one_fault run(fault{fault_kind::pause, 5});
  store without_clock(run.content, run.faults, 0);
  CHECK(text_of(without_clock, "a1") == "bytes of a1");
  CHECK_FALSE(run.has_fired());
}

TEST_CASE("F10: a stale list lacks what was put and has what was removed in the calls before it, no further back") {
  one_fault run(planned_fault{0, 4, {fault_kind::stale_list, 2}});
  CHECK(put(run.faulty, "a0") == put_outcome::created);
  CHECK(run.faulty.remove("a1").has_value());
  CHECK(run.faulty.remove("a2").has_value());
  CHECK(put(run.faulty, "a4") == put_outcome::created);
  CHECK(run.listed("a") == names{"a0", "a2", "a3"});
  CHECK(run.has_fired());
  CHECK(run.listed("a") == names{"a0", "a3", "a4"});
}

TEST_CASE("F10: a list that nothing was changed under is not stale") {
  one_fault run(fault{fault_kind::stale_list, 40});
  CHECK(run.listed("a") == names{"a1", "a2", "a3"});
  CHECK_FALSE(run.has_fired());
}

TEST_CASE("F10, F12: what was not there when it was removed is no name that lists had once") {
  for (const bool late : {false, true}) {
    CAPTURE(late);
    one_fault test(planned_fault{0, 2, {fault_kind::stale_list, 5}});
    if (late) test.faults = store::state_of({{0, 0, {fault_kind::late}}, {0, 2, {fault_kind::stale_list, 5}}});
    if (late) test.faulty = store(test.content, test.faults, 0, &test.environment);
    CHECK(test.faulty.remove("a0").has_value() != late);
    (void)test.faulty.get("nothing");
    CHECK(test.listed("a") == names{"a1", "a2", "a3"});
    CHECK(test.faults->changes().removed("", "").empty());
    CHECK(test.faulty.remove("a1").has_value());
    CHECK(test.faults->changes().removed("", "") == names{"a1"});
  }
}

TEST_CASE("F11: a list omits one name or two, any of them") {
  std::set<std::string> omitted;
  std::set<std::size_t> sizes;
  for (std::uint64_t which = 0; which < 40; ++which) {
    one_fault run(fault{fault_kind::list_omits, which});
    const names seen = run.listed("a");
    sizes.insert(seen.size());
    for (const std::string name : {"a1", "a2", "a3"})
      if (std::find(seen.begin(), seen.end(), name) == seen.end()) omitted.insert(name);
    CHECK(run.has_fired());
  }
  CHECK(sizes == std::set<std::size_t>{1, 2});
  CHECK(omitted.size() == 3);
  one_fault empty(fault{fault_kind::list_omits, 7});
  CHECK(empty.listed("z").empty());
  CHECK_FALSE(empty.has_fired());
}

TEST_CASE("F12: a list has one name more, which cannot be got: the next one, one that is gone, one that never was") {
  std::set<std::string> ghosts;
  for (std::uint64_t which = 0; which < 20; ++which) {
    one_fault run(planned_fault{0, 1, {fault_kind::ghost_name, which}});
    CHECK(run.faulty.remove("a2").has_value());
    names seen = run.listed("a", "a0");
    CHECK(seen.size() == 3);
    for (const std::string& name : seen)
      if (!run.has(name)) ghosts.insert(name);
    CHECK(run.has_fired());
  }
  CHECK(ghosts.contains("a2"));
  CHECK(ghosts.contains("a4"));
  CHECK(ghosts.size() >= 3);
  CHECK(name_after("_log_09") == "_log_10");
  CHECK(name_after("x") == "x0");
  CHECK(name_after("99") == "000");
}

TEST_CASE("F13: a list in disorder has every name, in other orders, and some twice") {
  std::set<names> orders;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    one_fault run(fault{fault_kind::list_disorder, seed});
    const names seen = run.listed();
    CHECK(std::set<std::string>(seen.begin(), seen.end()) == std::set<std::string>{"a1", "a2", "a3", "b"});
    orders.insert(seen);
  }
  CHECK(orders.size() > 20);
}

TEST_CASE("F13: a list is read page by page, each a call, between which others change the store") {
  one_fault run(planned_fault{0, 1, {fault_kind::list_disorder, 0}});  // pages of one name
  run.put_directly("a4");
  // A remove that lands after the first two pages, and takes away what the third would have named.
  run.pass_calls(1);
  run.faults->deliver_later({store_operation::remove, "a3", {}}, 2);
  const names seen = run.listed("a");
  CHECK(std::set<std::string>(seen.begin(), seen.end()) == std::set<std::string>{"a1", "a2", "a4"});
  CHECK(run.faults->landed() == 1);
}

TEST_CASE("F14: a list has names of others, none of which the store would take or has, and all of its own") {
  one_fault run(fault{fault_kind::foreign_names});
  const names seen = run.listed("a");
  for (const std::string name : {"a1", "a2", "a3", "a1/a1", "a2.tmp", "_tmp_00000000-0000-7000-8000-000000000001"})
    CHECK(std::count(seen.begin(), seen.end(), name) == 1);
  CHECK(std::count_if(seen.begin(), seen.end(), [&](const std::string& name) { return run.has(name); }) == 3);
  CHECK(run.has_fired());
}

TEST_CASE("F15: a get does not find what was put in the calls before it, and finds it later") {
  one_fault run(planned_fault{0, 2, {fault_kind::negative_cache, 2}});
  CHECK(put(run.faulty) == put_outcome::created);
  run.pass_calls(1);
  CHECK(text_of(run.faulty, "new") == "error: not_found");
  CHECK(run.has_fired());
  CHECK(text_of(run.faulty, "new") == "mine");

  one_fault older(planned_fault{0, 2, {fault_kind::negative_cache, 1}});
  CHECK(put(older.faulty) == put_outcome::created);
  older.pass_calls(1);
  CHECK(text_of(older.faulty, "new") == "mine");
  CHECK_FALSE(older.has_fired());
}

TEST_CASE("F16: a get returns the first bytes only: each length but the whole") {
  const std::string whole = "bytes of a1";
  for (std::size_t size = 0; size < 2 * whole.size(); ++size) {
    one_fault run(fault{fault_kind::truncated, size});
    CHECK(text_of(run.faulty, "a1") == whole.substr(0, size % whole.size()));
    CHECK(text_of(run.faulty, "a1") == whole);
    CHECK(run.has_fired());
  }
}

TEST_CASE("F17: a get returns the bytes with one bit flipped: each bit once") {
  const std::string whole = "bytes of a1";
  std::set<std::string> seen;
  for (std::uint64_t bit = 0; bit < 8 * whole.size(); ++bit) {
    one_fault run(fault{fault_kind::flipped_bit, bit});
    const std::string flipped = text_of(run.faulty, "a1");
    REQUIRE(flipped.size() == whole.size());
    int differing = 0;
    for (std::size_t at = 0; at < whole.size(); ++at)
      for (unsigned value = static_cast<unsigned char>(whole[at] ^ flipped[at]); value != 0; value >>= 1)
        differing += static_cast<int>(value & 1U);
    CHECK(differing == 1);
    seen.insert(flipped);
  }
  CHECK(seen.size() == 8 * whole.size());
}

TEST_CASE("F18: a get returns the bytes of another object: of each other one") {
  std::set<std::string> seen;
  for (std::uint64_t which = 0; which < 3; ++which) {
    one_fault run(fault{fault_kind::misdirected, which});
    seen.insert(text_of(run.faulty, "a1"));
    CHECK(run.has_fired());
  }
  CHECK(seen == std::set<std::string>{"bytes of a2", "bytes of a3", "bytes of b"});
}

TEST_CASE("F16 to F18: what is not there, or empty, cannot be damaged, and is not") {
  for (const fault_kind kind : {fault_kind::truncated, fault_kind::flipped_bit, fault_kind::misdirected}) {
    one_fault run(fault{kind, 3});
    CHECK(text_of(run.faulty, "nothing") == "error: not_found");
    CHECK_FALSE(run.has_fired());
  }
  for (const fault_kind kind : {fault_kind::truncated, fault_kind::flipped_bit}) {
    one_fault run(planned_fault{0, 1, {kind, 3}});
    CHECK(put(run.faulty, "empty", "") == put_outcome::created);
    CHECK(text_of(run.faulty, "empty").empty());
    CHECK_FALSE(run.has_fired());
  }
}

TEST_CASE("a fault happens only to the operations that it can happen to") {
  for (std::size_t index = 0; index < fault_kinds; ++index)
    for (const store_operation operation : all_operations) {
      const auto kind = static_cast<fault_kind>(index);
      CAPTURE(name_of(kind));
      CAPTURE(name_of(operation));
      if (can_happen(kind, operation)) continue;
      one_fault run(fault{kind, 1});
      CHECK(make_call(run.faulty, operation));
      CHECK(has_changed(run, operation) == changes(operation));
      CHECK(run.faults->fired().empty());
      CHECK(run.faults->counts().total() == 0);
      if (kind != fault_kind::none) CHECK_FALSE(run.has_fired());
    }
}

TEST_CASE(
    "a planned fault that never fires is named: its call is not made, is another client's, or another kind of call") {
  const auto planned = *planned_faults_from("a0.F17,a1.F2,a7.F1,b0.F5");
  const auto faults = store::state_of(planned);
  store faulty(tarn::memory_store(), faults, 0);
  CHECK(put(faulty, "x") == put_outcome::created);  // a put cannot be damaged
  CHECK(put(faulty, "y") == put_outcome::unknown);
  CHECK(to_text(faults->never_fired(planned)) == "a0.F17,a7.F1,b0.F5");
  CHECK(to_text(faults->fired()) == "a1.F2");
}

TEST_CASE("what fired, planned, makes the same run again, whatever decided the first time") {
  using random_store = fault_store<tarn::memory_store, random_faults>;
  const auto run = [](auto faults, auto make) {
    std::string told;
    tarn::memory_store content;
    tarn_test::test_environment clocks[2];
    for (int step = 0; step < 300; ++step) {
      const std::size_t client = static_cast<std::size_t>(step) % 2;
      auto each = make(content, faults, client, &clocks[client]);
      const std::string name = "n" + std::to_string(step % 7);
      if (each.has_crashed()) faults->restart(client);
      switch (step % 4) {
        case 0: told += std::to_string(static_cast<int>(each.put_if_absent(name, name).outcome())); break;
        case 1: told += each.get(name).has_value() ? "y" : "n"; break;
        case 2: told += each.remove(name).has_value() ? "y" : "n"; break;
        default: (void)each.list("n", "", [&](std::string_view listed) { told += listed; });
      }
    }
    return told + std::to_string(clocks[0].clock.ms) + std::to_string(clocks[1].clock.ms);
  };
  std::vector<fault_chance> chances = tolerated_faults(20'000);
  for (const fault_chance& each : detected_faults(20'000)) chances.push_back(each);
  const auto first = random_store::state_of(random_faults(7, chances));
  const std::string told = run(first, [](auto... parts) { return random_store(parts...); });
  CHECK(first->fired().size() > 20);
  const auto text = to_text(first->fired());
  const auto second = store::state_of(planned_faults_from(text).value());
  CHECK(run(second, [](auto... parts) { return store(parts...); }) == told);
  CHECK(to_text(second->fired()) == text);
}

TEST_CASE("random faults: every cell that can happen does, about as often as its chance says") {
  using random_store = fault_store<tarn::memory_store, random_faults>;
  std::vector<fault_chance> chances = tolerated_faults(50'000);
  for (const fault_chance& each : detected_faults(50'000)) chances.push_back(each);
  const auto faults = random_store::state_of(random_faults(1, chances));
  tarn::memory_store content;
  tarn_test::test_environment clock;
  random_store faulty(content, faults, 0, &clock);
  for (const char* const name : {"first", "second", "third"}) (void)content.put_if_absent(name, name);
  for (int step = 0; step < 4'000; ++step) {
    const std::string name = "n" + std::to_string(step);
    if (faulty.has_crashed()) faults->restart(0);
    (void)faulty.put_if_absent(name, "bytes of " + name);
    (void)faulty.get(name);
    (void)faulty.list("", "", tarn::ignore_names{});
    (void)faulty.remove(name);
    (void)content.remove(name);  // also if that failed: lists of many names take their time
  }
  CHECK(faults->counts().missing(100, 100) == "");
  CHECK(faults->counts().of(store_operation::put, fault_kind::not_applied) < 300);
  CHECK(faults->counts().missing(1'000'000, 0).starts_with("error before: "));
}

TEST_CASE("random faults: clocks are stepped forward and back, and about every fourth one stands still") {
  random_faults steps(1, {{fault_kind::clock_step, 1'000'000, 1000}});
  std::size_t forward = 0, back = 0, stands = 0;
  for (std::size_t call = 0; call < 1000; ++call) {
    const auto by =
        static_cast<std::int64_t>(steps.choose({tarn::testing::store_operation::get, 0, call, {}}).argument);
    CHECK(by >= -1000);
    CHECK(by <= 1000);
    ++(by == 0 ? stands : by > 0 ? forward : back);
  }
  CHECK(forward > 300);
  CHECK(back > 300);
  CHECK(stands > 200);
  CHECK(stands < 300);
}

TEST_CASE("the bytes of a fuzzer are faults: without bytes there are none") {
  using byte_store = fault_store<tarn::memory_store, byte_faults>;
  tarn::memory_store content;
  byte_store none(content, byte_store::state_of(byte_faults("")), 0);
  CHECK(none.put_if_absent("x", "bytes").outcome() == put_outcome::created);
  CHECK(std::string_view(*none.get("x")) == "bytes");
  // A put that is not applied for want of space; a kind that cannot happen to a get; a get cut to three bytes; no kind.
  byte_store some(content, byte_store::state_of(byte_faults("\x05\x01\x05\x10\x03\xff")), 0);
  CHECK(some.put_if_absent("y", "bytes").why().code() == errc::no_space);
  CHECK(std::string_view(*some.get("x")) == "bytes");
  CHECK(std::string_view(*some.get("x")) == "byt");
  CHECK(std::string_view(*some.get("x")) == "bytes");
  CHECK(some.faults()->fired().size() == 2);
}

TEST_CASE("faults are written down and read again") {
  const std::vector<planned_fault> planned = {{0, 0, {fault_kind::crash, 1}},
                                              {1, 3, {fault_kind::error_after}},
                                              {25, 12, {fault_kind::error_before, 0, true}},
                                              {2, 7, {fault_kind::clock_step, static_cast<std::uint64_t>(-5)}}};
  const std::string text = "a0.F7:1,b3.F2,z12.F1!,c7.F9:18446744073709551611";
  CHECK(to_text(planned) == text);
  CHECK(planned_faults_from(text) == planned);
  CHECK(planned_faults_from("") == std::vector<planned_fault>{});
  for (const char* const wrong : {"a", "a0", "a0.", "a0.F", "a0.F99", "A0.F1", "a0.F1 ", "a0.F1,", ",a0.F1",
                                  "a0.F1:", "a0.F1!!", "a-1.F1", "a0.F7:18446744073709551616"})
    CHECK_FALSE(planned_faults_from(wrong).has_value());
}

TEST_CASE("what cannot happen to any call of a store is not asked for; all else has a contract") {
  const fault_counts nothing;
  const std::string missing = nothing.missing(1, 1);
  for (const fault_kind kind : {fault_kind::none, fault_kind::old_bytes, fault_kind::directory, fault_kind::allocation})
    CHECK(missing.find(std::string(name_of(kind)) + ": ") == std::string::npos);
  CHECK(missing.find("late remove: 0 times") != std::string::npos);
  CHECK(missing.find("late get") == std::string::npos);
  CHECK(contract_of(fault_kind::misdirected) == fault_contract::detected);
  CHECK(contract_of(fault_kind::late) == fault_contract::tolerated);
  CHECK(nothing.text().find("F16 truncated") != std::string::npos);
  fault_counts sum;
  sum.add(store_operation::put, fault_kind::late);
  fault_counts twice = sum;
  twice += sum;
  CHECK(twice.of(store_operation::put, fault_kind::late) == 2);
  CHECK(twice.total() == 2);
}
