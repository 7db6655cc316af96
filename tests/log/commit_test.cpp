// The commit protocol against a store that answers as stores do on a bad day.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/log/commit.hpp>
#include <utility>
#include <vector>

#include "../support/sample_entry.hpp"
#include "../support/scripted_store.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;
using tarn_test::is_entry;
using tarn_test::sample_id;
using tarn_test::scripted_store;
using tarn_test::test_environment;

namespace {

const auto always = [](const entry&) { return status(); };

error failing(const char* why) { return {errc::io, why}; }

template <class Store = scripted_store>
struct setup_of {
  Store store;
  test_environment hands;
  environment surroundings = hands.get();
  commit_options options;
  limits bounds;
  log_extent extent;

  entry make(std::uint64_t id) {
    entry mine;
    mine.transaction = sample_id(id);
    mine.operation = "test";
    return mine;
  }

  template <class Check>
  result<version> commit(std::uint64_t id, const shared_snapshot& state, Check check) {
    entry mine = make(id);
    mine.read_version = state->at;
    commit_attempt attempt(store, state, extent, std::move(mine), check, options, surroundings, bounds);
    const result<version> done = attempt.run();
    if (done) {
      CHECK(attempt.after()->at == *done);
    }
    return done;
  }
  result<version> commit(std::uint64_t id, const shared_snapshot& state = {}) { return commit(id, state, always); }

  // The id in each slot, in order.
  std::vector<uuid> log() {
    std::vector<uuid> ids;
    for (version at{0};; at = at.next()) {
      const auto found = get_entry(store.inner(), at, bounds);
      if (!found) return ids;
      ids.push_back(found->content.transaction);
    }
  }
  shared_snapshot head() {
    shared_snapshot state;
    REQUIRE(read_forward(store.inner(), state, {}, bounds, accept_all).has_value());
    return state;
  }
};
using setup = setup_of<>;

// A truncation by somebody else, of the entries `first` to `last`, which were those of these transactions.
void put_marker(memory_store& inner, std::int64_t number, version first, version last, sequence<uuid> transactions) {
  const truncation_marker marker{first, last, {last}, std::move(transactions)};
  REQUIRE(inner.put_if_absent(marker_name(number), write_marker(marker)).outcome() == put_outcome::created);
}

}  // namespace

TEST_CASE("A1: commits fill slots 0, 1, 2, ...") {
  setup s;
  for (std::int64_t number = 0; number < 12; ++number)
    CHECK(*s.commit(static_cast<std::uint64_t>(number), s.head()) == version{number});
  CHECK(s.log().size() == 12);
}

TEST_CASE("an undisturbed commit costs one get and one put") {
  setup s;
  REQUIRE(s.commit(1).has_value());
  CHECK(s.store.plan().gets == 1);
  CHECK(s.store.plan().puts == 1);
  CHECK(s.hands.waits == 0);
}

TEST_CASE("a commit from an old snapshot passes what came since, keeping its read version") {
  setup s;
  const shared_snapshot old = s.head();
  for (std::uint64_t id = 1; id <= 5; ++id) REQUIRE(s.commit(id, s.head()).has_value());
  int checked = 0;
  CHECK(*s.commit(6, old, [&](const entry&) { return ++checked, status(); }) == version{5});
  CHECK(checked == 5);
  CHECK(get_entry(s.store, {5}, s.bounds)->content.read_version == version{-1});
}

TEST_CASE("a conflict ends the commit and leaves nothing") {
  setup s;
  REQUIRE(s.commit(1).has_value());
  const auto never = [](const entry&) { return status(error(errc::conflict, "no")); };
  const auto done = s.commit(2, {}, never);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::conflict);
  CHECK(done.error().retry_helps());
  CHECK(s.log().size() == 1);
}

TEST_CASE("rebase_limit = 0 is the article's rule: whatever was committed in between is a conflict") {
  setup s;
  s.options.rebase_limit = 0;
  REQUIRE(s.commit(1).has_value());
  const auto done = s.commit(2);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::conflict);
  CHECK(done.error().message().find("rebase_limit") != std::string::npos);
  CHECK(*s.commit(3, s.head()) == version{1});
}

TEST_CASE("a race for the slot is lost once, checked, and won at the next") {
  setup s;
  bool raced = false;
  s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (!std::exchange(raced, true)) {
      entry faster = s.make(7);
      faster.at = {0};
      REQUIRE(inner.put_if_absent(name, write_entry(faster)).outcome() == put_outcome::created);
    }
    return inner.put_if_absent(name, bytes);
  };
  std::vector<uuid> checked;
  const auto note = [&](const entry& theirs) { return checked.push_back(theirs.transaction), status(); };
  CHECK(*s.commit(1, {}, note) == version{1});
  CHECK(checked == std::vector<uuid>{sample_id(7)});
  CHECK(s.log() == std::vector<uuid>{sample_id(7), sample_id(1)});
}

TEST_CASE("who wins the race for the slot may be a conflict, also if others before were none") {
  setup s;
  REQUIRE(s.commit(5).has_value());
  REQUIRE(s.commit(6, s.head()).has_value());
  const shared_snapshot head = s.head();
  s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    entry faster = s.make(7);
    faster.at = {2};
    faster.previous_checksum = head->entry_checksum;
    faster.time = {head->time.ms + 1};
    (void)inner.put_if_absent(name, write_entry(faster));
    return inner.put_if_absent(name, bytes);
  };
  const auto unless_seven = [](const entry& theirs) {
    return theirs.transaction == sample_id(7) ? status(error(errc::conflict, "seven")) : status();
  };
  const auto done = s.commit(1, {}, unless_seven);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().message() == "seven");
  CHECK(s.log() == std::vector<uuid>{sample_id(5), sample_id(6), sample_id(7)});
}

TEST_CASE("a commit that others are always faster than gives up when its waits come to their total") {
  setup s;
  s.options.backoff = {100, 100, 30, 1'000};
  s.options.rebase_limit = 500;
  std::uint64_t faster = 100;
  s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    entry theirs = s.make(faster++);
    const shared_snapshot head = s.head();
    theirs.at = head->at.next();
    theirs.previous_checksum = head->entry_checksum;
    theirs.time = {head->time.ms + 1};
    if (entry_name(theirs.at) == name)
      REQUIRE(inner.put_if_absent(name, write_entry(theirs)).outcome() == put_outcome::created);
    return inner.put_if_absent(name, bytes);
  };
  const auto done = s.commit(1);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::conflict);
  CHECK(done.error().message().find("wait_total_us_max") != std::string::npos);
  CHECK(s.hands.waited_us >= 1'000);
  CHECK(s.hands.waited_us < 1'100);
  CHECK(s.store.plan().puts == s.hands.waits);
  for (const uuid& id : s.log()) CHECK(id != sample_id(1));
}

TEST_CASE("numbered work that is in the log is an answer before any conflict, also one that comes first") {
  for (const std::uint64_t rebase_limit : {0U, 100U}) {
    setup s;
    s.options.rebase_limit = rebase_limit;
    REQUIRE(s.commit(1).has_value());
    const auto number = [&](std::int64_t sequence) {
      entry mine = s.make(static_cast<std::uint64_t>(50 + sequence));
      mine.read_version = {0};
      mine.work = {"loader", sequence};
      return mine;
    };
    const auto commit = [&](entry mine, const shared_snapshot& state, const status& verdict) {
      log_extent extent;
      commit_attempt attempt(
          s.store, state, extent, std::move(mine), [&](const entry&) { return verdict; }, s.options, s.surroundings,
          s.bounds);
      return attempt.run();
    };
    const shared_snapshot old = s.head();
    REQUIRE(s.commit(2, s.head()).has_value());  // what the work will be told to conflict with
    REQUIRE(*commit(number(7), s.head(), {}) == version{2});
    REQUIRE(s.commit(3, s.head()).has_value());
    const status never = error(errc::conflict, "no");
    CHECK(*commit(number(7), old, never) == version{2});
    CHECK(commit(number(6), old, never).error().code() == errc::stale_sequence);
    CHECK(commit(number(8), old, never).error().code() == errc::conflict);
    CHECK(s.log().size() == 4);
  }
}

TEST_CASE("A15: a put that took effect but reported an error, or that the store tried twice, is a success, once") {
  for (const bool says_exists : {false, true}) {
    CAPTURE(says_exists);
    setup s;
    int puts = 0;
    s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      ++puts;
      const put_result done = inner.put_if_absent(name, bytes);
      if (puts > 1) return done;
      return says_exists ? put_result::already_exists() : put_result::unknown(failing("the answer was lost"));
    };
    CHECK(*s.commit(1) == version{0});
    CHECK(puts == (says_exists ? 1 : 2));  // seeing it settles whose it is, only a put that it is durable
    CHECK(s.log() == std::vector<uuid>{sample_id(1)});
  }
}

TEST_CASE("C2: after an unknown put the same bytes are offered again, and a late landing commits once") {
  setup s;
  std::vector<std::string> offered;
  s.store.plan().put = [&](std::string_view, std::string_view bytes, memory_store& inner) {
    offered.emplace_back(bytes);
    s.hands.clock.ms += 1000;  // would make other bytes, if they were made anew
    if (offered.size() < 4) return put_result::unknown(failing("timed out"));
    return inner.put_if_absent(entry_name({0}), offered.front());  // the first one lands, late
  };
  CHECK(*s.commit(1) == version{0});
  REQUIRE(offered.size() == 4);
  for (const std::string& each : offered) CHECK(each == offered.front());
  CHECK(s.log() == std::vector<uuid>{sample_id(1)});
}

TEST_CASE("C2: a slot that may still be filled with our bytes is not left for the next one") {
  setup s;
  std::vector<std::string> names;
  s.store.plan().put = [&](std::string_view name, std::string_view, memory_store&) {
    names.emplace_back(name);
    return put_result::unknown(failing("timed out"));
  };
  const auto done = s.commit(1);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::commit_unknown);
  CHECK(done.error().in_doubt().transaction == sample_id(1));
  CHECK(done.error().in_doubt().slot == version{0});
  CHECK_FALSE(done.error().retry_helps());
  CHECK(names.size() == s.options.backoff.attempts_max);
  for (const std::string& name : names) CHECK(name == entry_name({0}));
}

TEST_CASE("an unknown put that another transaction beat is lost for certain, and goes on at the next slot") {
  setup s;
  int puts = 0;
  s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    if (++puts > 1) return inner.put_if_absent(name, bytes);
    entry faster = s.make(7);
    faster.at = {0};
    REQUIRE(inner.put_if_absent(name, write_entry(faster)).outcome() == put_outcome::created);
    return put_result::unknown(failing("timed out"));
  };
  CHECK(*s.commit(1) == version{1});
  CHECK(s.log() == std::vector<uuid>{sample_id(7), sample_id(1)});
}

TEST_CASE("a put that was not applied is tried again, and reported as it is when it never is") {
  setup s;
  int puts = 0;
  s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    return ++puts < 3 ? put_result::not_applied(failing("busy")) : inner.put_if_absent(name, bytes);
  };
  CHECK(*s.commit(1) == version{0});
  CHECK(puts == 3);
  CHECK(s.hands.waits == 2);
  s.store.plan().put = [&](std::string_view, std::string_view, memory_store&) {
    return put_result::not_applied(failing("busy"));
  };
  const auto done = s.commit(2, s.head());
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::io);
  CHECK(done.error().message() == "busy");
}

TEST_CASE("a full disk or a missing right is not waited for") {
  for (const errc code : {errc::no_space, errc::permission, errc::unsupported}) {
    setup s;
    s.store.plan().put = [&](std::string_view, std::string_view, memory_store&) {
      return put_result::not_applied(error(code, "no"));
    };
    const auto done = s.commit(1);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code() == code);
    CHECK(s.store.plan().puts == 1);
    CHECK(s.hands.waits == 0);
  }
}

TEST_CASE("a refused put after an unknown one does not make the commit certain") {
  setup s;
  int puts = 0;
  s.store.plan().put = [&](std::string_view, std::string_view, memory_store&) {
    return ++puts == 1 ? put_result::unknown(failing("timed out"))
                       : put_result::not_applied(error(errc::permission, "no"));
  };
  const auto done = s.commit(1);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::commit_unknown);
}

TEST_CASE("a slot that cannot be read after the put leaves the commit in doubt, not failed") {
  for (const bool damaged : {false, true}) {
    CAPTURE(damaged);
    setup s;
    s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      REQUIRE(inner.put_if_absent(name, damaged ? bytes.substr(1) : bytes).outcome() == put_outcome::created);
      s.store.plan().before_get = [&](std::string_view) {
        return damaged ? status() : status(failing("cable unplugged"));
      };
      return put_result::unknown(failing("timed out"));
    };
    const auto done = s.commit(1);
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code() == errc::commit_unknown);
  }
}

TEST_CASE("a store that says a slot is taken but never shows it leaves the commit in doubt") {
  setup s;
  s.store.plan().put = [&](std::string_view, std::string_view, memory_store&) { return put_result::already_exists(); };
  const auto done = s.commit(1);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::commit_unknown);
}

TEST_CASE("what is found committed is reported as committed, even if reading on fails") {
  setup s;
  s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
    const put_result done = inner.put_if_absent(name, bytes);
    if (done.outcome() != put_outcome::created) return done;
    REQUIRE(inner.put_if_absent(entry_name({1}), "damaged").outcome() == put_outcome::created);
    return put_result::unknown(failing("the answer was lost"));
  };
  CHECK(*s.commit(1) == version{0});
}

TEST_CASE("C15: times in the log grow, whatever the clock does") {
  setup s;
  std::int64_t last = 0;
  for (std::uint64_t id = 0; id < 5; ++id) {
    REQUIRE(s.commit(id, s.head()).has_value());
    const std::int64_t time = s.head()->time.ms;
    CHECK(time > last);
    last = time;
    s.hands.clock.ms -= 3'600'000;
  }
  CHECK(last == 1'700'000'000'004);
}

TEST_CASE("a lake that needs an unknown feature to be written can be read, not written") {
  setup s;
  entry first = s.make(1);
  first.at = {0};
  first.needed_to_write = {"time-machine"};
  REQUIRE(s.store.inner().put_if_absent(entry_name({0}), write_entry(first)).outcome() == put_outcome::created);
  const auto done = s.commit(2, s.head());
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::unsupported);
  CHECK(done.error().message().find("time-machine") != std::string::npos);
  CHECK(s.store.plan().puts == 0);
}

TEST_CASE("an entry that could not be read back is never offered") {
  setup s;
  entry broken = s.make(1);
  broken.actions.find_or_insert("x") = {
      {action_kind::add_object, {}, {}, {sample_id(2), true, "json", 1, 1, 1}}};  // no table x
  commit_attempt attempt(s.store, shared_snapshot(), s.extent, broken, always, s.options, s.surroundings, s.bounds);
  CHECK_FALSE(attempt.run().has_value());
  entry large = s.make(2);
  large.operation = std::string(1000, 'x');
  s.bounds.entry_bytes_max = 1000;
  commit_attempt second(s.store, shared_snapshot(), s.extent, large, always, s.options, s.surroundings, s.bounds);
  const auto done = second.run();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::limit_exceeded);
  CHECK(s.store.plan().puts == 0);
}

TEST_CASE("a hole in the log is not filled: what is listed behind it would be off the chain") {
  setup s;
  REQUIRE(s.store.inner().put_if_absent(entry_name({3}), "?").outcome() == put_outcome::created);
  s.extent.listed = {3};
  commit_attempt attempt(s.store, shared_snapshot(), s.extent, s.make(1), always, s.options, s.surroundings, s.bounds);
  const auto done = attempt.run();
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::corrupt);
  CHECK(done.error().message().find("version 0 ") != std::string::npos);
  CHECK(s.store.plan().puts == 0);
}

TEST_CASE("an entry that is to be seen but may not be durable is not acknowledged") {
  setup s;
  s.store.plan().put = [](std::string_view name, std::string_view bytes, memory_store& inner) {
    (void)inner.put_if_absent(name, bytes);
    return put_result::unknown(failing("the folder could not be synced"));
  };
  const auto done = s.commit(1);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code() == errc::commit_unknown);
  CHECK(s.log() == std::vector<uuid>{sample_id(1)});
}

TEST_CASE("to confirm an entry it is put again, until the store promises that it is durable or cannot") {
  const auto commit_if_second_put_is = [](const put_result& second) {
    setup s;
    s.options.backoff.attempts_max = 3;
    s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      if (s.store.plan().puts > 1) return second;
      (void)inner.put_if_absent(name, bytes);
      return put_result::unknown(failing("lost"));
    };
    const auto done = s.commit(1);
    CHECK(s.log() == std::vector<uuid>{sample_id(1)});
    if (done) return std::string("committed");
    CHECK(done.error().code() == errc::commit_unknown);
    return concat({"in doubt after ", s.store.plan().puts, " puts"});
  };
  CHECK(commit_if_second_put_is(put_result::already_exists()) == "committed");
  CHECK(commit_if_second_put_is(put_result::created()) == "committed");
  CHECK(commit_if_second_put_is(put_result::unknown(failing("lost"))) == "in doubt after 3 puts");
  CHECK(commit_if_second_put_is(put_result::not_applied({errc::no_space, "full"})) == "in doubt after 2 puts");
}

TEST_CASE("C15: there is a time after the last of all") {
  setup s;
  s.hands.clock = {1'000};
  snapshot state;
  CHECK(time_after(state, s.surroundings) == timestamp{1'000});
  state.at = {0};
  state.time = {999};
  CHECK(time_after(state, s.surroundings) == timestamp{1'000});
  state.time = {1'000};
  CHECK(time_after(state, s.surroundings) == timestamp{1'001});
  state.time = {INT64_MAX};
  CHECK(time_after(state, s.surroundings) == timestamp{INT64_MAX});
}

TEST_CASE("an entry of the article's that came since is nobody's commit, and is followed") {
  setup s;
  REQUIRE(s.store.inner().put_if_absent(entry_name({0}), R"({"Id":0,"Actions":{}})").outcome() == put_outcome::created);
  CHECK(*s.commit(1) == version{1});
  CHECK(s.log() == std::vector<uuid>{uuid(), sample_id(1)});
}

TEST_CASE("a vacuum's horizon is before its own entry's time, whatever it was to be") {
  for (const bool vacuums : {true, false})
    for (const std::int64_t ahead : {-1, 0, 1}) {
      setup s;
      entry mine = s.make(1);
      mine.vacuums = vacuums;
      mine.kept = {{s.hands.clock.ms + ahead}, {0}};
      commit_attempt attempt(s.store, shared_snapshot(), s.extent, mine, always, s.options, s.surroundings, s.bounds);
      REQUIRE(attempt.run().has_value());
      const shared_snapshot state = s.head();
      if (vacuums) CHECK(state->kept.horizon.ms == state->time.ms - 1);
      if (!vacuums) CHECK(state->kept.horizon == snapshot().kept.horizon);
    }
}

TEST_CASE("a commit from a version that was truncated has expired before anything is read") {
  setup s;
  REQUIRE(s.commit(1).has_value());
  REQUIRE(s.commit(2, s.head()).has_value());
  s.extent.truncated = {1};
  const std::uint64_t gets = s.store.plan().gets;
  CHECK(s.commit(3).error().code() == errc::expired);
  CHECK(s.store.plan().gets == gets);
  s.extent.truncated = {0};
  CHECK(*s.commit(3, s.head()) == version{2});
}

TEST_CASE("an entry in a slot that a truncation has emptied was committed if the marker names it") {
  // What became of the commit, in slot 0, if others go on to slot 2 and truncate up to slot 1.
  const auto outcome = [](std::uint64_t named, bool marker_can_be_read) {
    setup_of<tarn_test::removing_scripted_store> s;
    s.options.backoff.attempts_max = 2;
    bool landed = false;
    s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      const put_result put = inner.put_if_absent(name, bytes);
      put_marker(inner, 0, {0}, {1}, {sample_id(named), sample_id(8)});
      landed = true;
      return put;
    };
    std::uint64_t looks = 0;
    s.store.plan().before_get = [&](std::string_view name) {
      const bool again = landed && name == marker_name(0) && ++looks > 1;
      return again && !marker_can_be_read ? status(failing("down")) : status();
    };
    const auto done = s.commit(1);
    return done ? concat({"version ", done->number}) : std::string(name_of(done.error().code()));
  };
  CHECK(outcome(1, true) == "version 0");
  CHECK(outcome(7, true) == "expired");
  CHECK(outcome(1, false) == "commit_unknown");
  CHECK(outcome(7, false) == "commit_unknown");
}

TEST_CASE("an entry that was committed, and emptied, is not lost for garbage in its slot since") {
  // Our entry lands in slot 0, or not, and the answer is that somebody's is there. Before we look, others go on to slot
  // 2 and truncate up to slot 1, and somebody who slept through that fills slot 0.
  struct events {
    bool refused = false;      // the garbage is a conflict
    bool not_applied = false;  // the next put is not
    bool blind = false;        // the truncation cannot be read
  };
  const auto outcome = [](std::uint64_t named, const events& then) {
    setup_of<tarn_test::removing_scripted_store> s;
    s.options.backoff.attempts_max = 1;
    std::uint64_t puts = 0;
    s.store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      if (puts++ > 0)
        return then.not_applied ? put_result::not_applied(failing("busy")) : inner.put_if_absent(name, bytes);
      put_marker(inner, 0, {0}, {1}, {sample_id(named), sample_id(8)});
      entry garbage = s.make(77);
      garbage.at = {0};
      REQUIRE(inner.put_if_absent(name, write_entry(garbage)).outcome() == put_outcome::created);
      return put_result::already_exists();
    };
    s.store.plan().before_get = [&](std::string_view name) {
      return then.blind && name == marker_name(0) ? status(failing("down")) : status();
    };
    const auto check = [&](const entry&) { return then.refused ? status(error(errc::conflict, "no")) : status(); };
    commit_attempt attempt(s.store, shared_snapshot(), s.extent, s.make(1), check, s.options, s.surroundings, s.bounds);
    const auto done = attempt.run();
    if (done) {
      CHECK(attempt.after()->at ==
            (then.refused ? version{0} : version()));  // not once bytes were made for another slot
    }
    return done ? concat({"version ", done->number}) : std::string(name_of(done.error().code()));
  };
  for (const events& then : {events{},
                             {.refused = true, .not_applied = false, .blind = false},
                             {.refused = false, .not_applied = true, .blind = false}}) {
    CHECK(outcome(1, then) == "version 0");
    CHECK(outcome(7, then) == "expired");
    CHECK(outcome(1, {then.refused, then.not_applied, true}) == "commit_unknown");
    CHECK(outcome(7, {then.refused, then.not_applied, true}) == "commit_unknown");
  }
}

TEST_CASE("a conflict with what may be garbage of a truncation is not told: the transaction has expired") {
  // The snapshot is version 1; version 2 goes with the transaction, version 3 does not. While version 3 is read, others
  // truncate up to version `last`; at -1 nobody does.
  const auto outcome = [](std::int64_t last, std::uint64_t refused) {
    setup_of<tarn_test::removing_scripted_store> s;
    for (std::uint64_t id = 0; id < 6; ++id) REQUIRE(s.commit(id, s.head()).has_value());
    shared_snapshot old;
    REQUIRE(read_forward(s.store.inner(), old, {{1}, {}}, s.bounds, accept_all).has_value());
    bool truncated = last < 0;
    s.store.plan().before_get = [&](std::string_view name) {
      if (name == entry_name({3}) || refused == 2) {
        sequence<uuid> gone;
        for (std::int64_t at = 0; at <= last; ++at) gone.push_back(sample_id(static_cast<std::uint64_t>(at)));
        if (!std::exchange(truncated, true)) put_marker(s.store.inner(), 0, {0}, {last}, gone);
      }
      return status();
    };
    const auto done = s.commit(9, old, [&](const entry& theirs) {
      return theirs.transaction == sample_id(refused) ? status(error(errc::conflict, "no")) : status();
    });
    REQUIRE_FALSE(done.has_value());
    return std::string(name_of(done.error().code()));
  };
  CHECK(outcome(-1, 3) == "conflict");
  CHECK(outcome(4, 3) == "expired");
  CHECK(outcome(2, 3) == "expired");   // version 2, which was read, may have been garbage
  CHECK(outcome(1, 3) == "conflict");  // only the snapshot and what came before was given up
  CHECK(outcome(1, 2) == "conflict");  // nothing was read since
  CHECK(outcome(2, 2) == "expired");
}
