// Every call of the store fails once, in every kind of work: SQLite's loop for errors of the disk. An error is passed
// on, nothing is taken for absent or for done, and the same work succeeds afterwards.
#include <doctest/doctest.h>
#include <errno.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tarn/check.hpp>
#include <tarn/history.hpp>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"
#include "../support/watched_store.hpp"

using namespace tarn;

namespace {

struct failure_plan {
  std::uint64_t calls = 0;
  std::uint64_t failing = UINT64_MAX;  // the number of the first call that fails
  bool for_good = false;               // and all after it
  bool has_failed = false;
  std::string name;  // that could not be got; empty: another call has failed last
};

// A store in memory. Copies share plan and content.
class failing_store {
 public:
  using handle = memory_store::handle;

  [[nodiscard]] put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (fails()) return put_result::not_applied(error(errc::no_space, "injected"));
    return content_.put_if_absent(name, bytes);
  }
  [[nodiscard]] result<handle> get(std::string_view name) {
    if (fails(name)) return error(errc::io, "injected");
    return content_.get(name);
  }
  template <class Visit>
  [[nodiscard]] status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    if (fails()) return error(errc::io, "injected");
    return content_.list(prefix, start_after, visit);
  }
  [[nodiscard]] status remove(std::string_view name) {
    if (fails()) return error(errc::io, "injected");
    return content_.remove(name);
  }

  [[nodiscard]] failure_plan& plan() { return *plan_; }
  [[nodiscard]] const memory_store& content() const { return content_; }

  [[nodiscard]] failing_store copy() const {
    failing_store copied;
    for (const std::string& name : tarn_test::names_in(content_))
      (void)copied.content_.put_if_absent(name, *content_.get(name));
    return copied;
  }

 private:
  bool fails(std::string_view got = "") {
    const std::uint64_t number = plan_->calls++;
    if (number < plan_->failing || (number > plan_->failing && !plan_->for_good)) return false;
    plan_->has_failed = true;
    plan_->name = got;
    return true;
  }

  memory_store content_;
  std::shared_ptr<failure_plan> plan_ = std::make_shared<failure_plan>();
};

using lake_client = client<failing_store>;

// A lake with a bag, a keyed table, a tag, checkpoints in parts and a truncated log, and what it is made with.
struct setup {
  failing_store store;
  tarn_test::test_environment hands;
  client_options options;

  setup() {
    options.surroundings = hands.get();
    options.checkpoint_interval = 0;
    options.bounds.checkpoint_part_bytes = 200;
    options.bounds.rows_per_object = 3;
    options.bounds.key_index_bytes_max = 0;  // keys are read again
    options.compaction.small_percent = 100;
    auto lake = open();
    auto created = lake.begin().value();
    created.create_table("bag", {"n"}).value();
    created.create_table("keyed", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
    created.commit({"founder", 1}).value();
    for (std::int64_t round = 1; round <= 6; ++round) {
      grow(lake, round);
      if (round == 2) lake.tag("held", {1}).value();
      if (round == 3) lake.checkpoint().value();
      if (round == 4) {
        vacuum(lake, keeping(2)).value();
        truncate(lake).value();
      }
    }
  }

  [[nodiscard]] lake_client open() const { return lake_client(store, options); }

  void grow(lake_client& lake, std::int64_t round) {
    hands.clock.ms += 1'000;
    auto tx = lake.begin().value();
    tx.insert("bag", {round}).value();
    tx.upsert("keyed", {round % 3, round}).value();
    tx.commit({"loader", round}).value();
  }

  [[nodiscard]] static vacuum_options keeping(std::uint64_t versions) {
    vacuum_options wanted;
    wanted.keep_ms = wanted.grace_ms = 0;
    wanted.keep_versions = versions;
    return wanted;
  }
};

// The work: what it is called, and what it does with a client that has read nothing yet.
using work = std::function<status(lake_client&)>;

template <class Result>
status outcome_of(const Result& done) {
  return done ? status() : status(done.error());
}

template <class Scan>
status read_all(Scan scan) {
  if (!scan) return scan.error();
  while (scan->next()) {
  }
  return scan->status();
}

status write(lake_client& lake, const application_sequence& number = {}) {
  auto tx = lake.begin();
  if (!tx) return tx.error();
  if (const auto done = tx->insert("bag", {10}); !done) return done.error();
  if (const auto done = tx->insert("keyed", {10, "ten"}); !done) return done.error();
  if (const auto done = tx->upsert("keyed", {1, "one"}); !done) return done.error();
  return outcome_of(number.application.empty() ? tx->commit() : tx->commit(number));
}

// Others write keys around what this transaction reads and writes, so that keys must be compared.
status write_after_others(lake_client& lake) {
  auto tx = lake.begin();
  if (!tx) return tx.error();
  if (const auto found = tx->get("keyed", {std::int64_t{5}}); !found && found.error().code() != errc::not_found)
    return found.error();
  if (const auto done = tx->upsert("keyed", {6, "six"}); !done) return done.error();
  client others(lake.store().content(), lake.core()->options);
  auto theirs = others.begin().value();
  for (const std::int64_t key : {0, 9}) theirs.upsert("keyed", {key, "theirs"}).value();
  theirs.commit().value();
  return outcome_of(tx->commit());
}

const std::map<std::string, work>& all_work() {
  static const std::map<std::string, work> all = {
      {"begin", [](lake_client& lake) { return outcome_of(lake.begin()); }},
      {"begin at a version", [](lake_client& lake) { return outcome_of(lake.begin_at(version{6})); }},
      {"begin at a tag's version", [](lake_client& lake) { return outcome_of(lake.begin_at(version{1})); }},
      {"begin at a time", [](lake_client& lake) { return outcome_of(lake.begin_at(timestamp{1'700'000'005'500})); }},
      {"history",
       [](lake_client& lake) {
         auto log = lake.log();
         if (!log) return status(log.error());
         while (log->next()) {
         }
         return log->status();
       }},
      {"scan",
       [](lake_client& lake) {
         auto tx = lake.begin();
         if (!tx) return status(tx.error());
         if (const status read = read_all(tx->scan("bag")); !read) return read;
         return read_all(tx->scan("keyed"));
       }},
      {"write", [](lake_client& lake) { return write(lake); }},
      {"numbered write",
       [](lake_client& lake) {
         return write(lake, {"loader", 99});
       }},
      {"numbered write that was done",
       [](lake_client& lake) {
         return write(lake, {"loader", 6});
       }},
      {"numbered write that was truncated",
       [](lake_client& lake) {
         return write(lake, {"founder", 1});
       }},
      {"write after others", [](lake_client& lake) { return write_after_others(lake); }},
      {"tag", [](lake_client& lake) { return outcome_of(lake.tag("new", {7})); }},
      {"untag", [](lake_client& lake) { return outcome_of(lake.untag("held")); }},
      {"restore", [](lake_client& lake) { return outcome_of(lake.restore({6})); }},
      {"checkpoint", [](lake_client& lake) { return outcome_of(lake.checkpoint()); }},
      {"compact a bag", [](lake_client& lake) { return outcome_of(lake.compact("bag")); }},
      {"compact a keyed table", [](lake_client& lake) { return outcome_of(lake.compact("keyed")); }},
      {"vacuum", [](lake_client& lake) { return outcome_of(vacuum(lake, setup::keeping(1))); }},
      {"vacuum by age",
       [](lake_client& lake) {
         vacuum_options wanted;
         wanted.keep_ms = 1'500;
         wanted.grace_ms = 0;
         return outcome_of(vacuum(lake, wanted));
       }},
      {"vacuum, dry",
       [](lake_client& lake) {
         vacuum_options wanted = setup::keeping(1);
         wanted.dry_run = true;
         return outcome_of(vacuum(lake, wanted));
       }},
      {"truncate",
       [](lake_client& lake) {
         if (const auto done = vacuum(lake, setup::keeping(1)); !done) return status(done.error());
         return outcome_of(truncate(lake));
       }},
      {"find a commit",
       [](lake_client& lake) {
         return outcome_of(lake.find_commit(uuid{1, 2}, {7}));
       }},
      {"find a commit that was truncated",
       [](lake_client& lake) {
         return outcome_of(lake.find_commit(uuid{1, 2}, {2}));
       }},
      {"settle a commit",
       [](lake_client& lake) {
         const auto newest = lake.newest_snapshot();
         if (!newest) return status(newest.error());
         return outcome_of(lake.find_commit(uuid{1, 2}, (*newest)->at.next(), settle::yes));
       }},
  };
  return all;
}

bool is_whole(const setup& made) {
  auto lake = made.open();
  const auto checked = check(lake);
  return checked.has_value() && checked->sound();
}

// Work that succeeds and leaves the store as it was: there is nothing to be done, or only to be read.
bool only_reads(const std::string& work_name) {
  return work_name.starts_with("begin") || work_name.starts_with("find") || work_name == "history" ||
         work_name == "scan" || work_name == "vacuum, dry" || work_name.starts_with("numbered write that was");
}

// Whether an error of getting this name may be passed over: it would not have been there (a client that has a version
// in hand goes on with that), or something else says the same.
bool may_be_missed(const std::string& work_name, const setup& made, const std::string& name) {
  if (name.empty()) return false;
  if (!made.store.content().get(name)) return true;
  const bool is_by_time = work_name == "begin at a time" || work_name.starts_with("vacuum") || work_name == "truncate";
  return is_by_time && name == entry_name({6});  // of a version that has a checkpoint as well
}

}  // namespace

TEST_CASE("an error of the store is passed on, whichever call of whatever work it is, and running again succeeds") {
  setup whole;
  REQUIRE(is_whole(whole));
  const std::vector<std::string> names = tarn_test::names_in(whole.store.content());
  for (const auto& [name, run] : all_work()) {
    const auto& work = name;  // a binding cannot be captured
    CAPTURE(work);
    std::uint64_t number = 0;
    for (const bool for_good : {false, true})
      for (number = 0;; ++number) {
        CAPTURE(number);
        setup made = whole;
        made.store = whole.store.copy();
        made.options.surroundings = made.hands.get();
        made.hands.clock.ms += 1'000;
        auto lake = made.open();
        made.store.plan().failing = number;
        made.store.plan().for_good = for_good;
        const status done = run(lake);
        const failure_plan plan = std::exchange(made.store.plan(), {});
        if (!plan.has_failed) {  // there are not so many calls
          REQUIRE(done.has_value());
          CHECK((tarn_test::names_in(made.store.content()) == names) == only_reads(name));
          break;
        }
        if (done) {
          CHECK_FALSE(for_good);
          CHECK(may_be_missed(name, whole, plan.name));
        } else {
          CHECK(done.error().message().find("injected") != std::string::npos);
          if (done.error().code() != errc::commit_unknown) CHECK(run(lake).has_value());
        }
        if (!for_good && tarn_test::names_in(made.store.content()) != names) CHECK(is_whole(made));
      }
    CHECK(number > 2);
  }
}

TEST_CASE("a commit whose folder cannot be fsynced is in doubt only if its entry is there") {
  std::size_t in_doubt = 0;
  std::size_t number = 0;
  for (;; ++number) {
    CAPTURE(number);
    const tarn_test::watched_folder folder;
    client lake{folder.open(), tarn_test::with_stored_objects()};
    auto founding = lake.begin().value();
    founding.create_table("bag", {"number"}).value();
    founding.commit().value();
    auto tx = lake.begin().value();
    client other{folder.open()};
    auto faster = other.begin().value();
    faster.insert("bag", {1}).value();
    faster.commit().value();

    // What the other has put is found on the way to the entry, and must be durable first.
    folder.plan().faults = {
        {folder.plan().count("sync_folder") + number, EIO, tarn_test::fault::moment::before, false, "sync_folder"}};
    tx.insert("bag", {2}).value();
    const auto done = tx.commit();
    if (done) break;
    const bool is_there = folder.open().get(entry_name({2})).has_value();
    CHECK(done.error().code() == (is_there ? errc::commit_unknown : errc::io));
    in_doubt += is_there;
  }
  CHECK(number == 3);  // after the rows, before our entry, as the other one was found, and after it
  CHECK(in_doubt == 1);
}
