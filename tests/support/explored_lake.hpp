// A small lake on which clients are explored: what it holds, what each of them does, and what must hold after any run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/log/log.hpp>
#include <tarn/log/truncation.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/invariants.hpp>
#include <tarn/testing/recorded_client.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "explored_times.hpp"

namespace tarn_test {

// What a client does, once. Those that write read first what they change, and begin again after a conflict.
enum class program_kind : unsigned char {
  append,        // a row to the bag
  update,        // of a key, to what it was and one more
  erase,         // of a row of the bag, by its place
  transfer,      // from a key to the bag: a transaction on two tables
  compact_keys,  // the keyed table
  compact_bag,
  checkpoint,
  vacuum,    // all that the newest version does not need, without grace, by a clock that is an hour fast
  truncate,  // after a row more and a vacuum, the log too: slots are emptied that others have not seen yet
  read,      // both tables, twice
  give,      // key 2 what key 1 is
  take,      // the other way round: both at once is write skew
};
inline constexpr std::size_t program_kinds = 10;  // that are explored all against all: those up to `read`

[[nodiscard]] inline const char* name_of(program_kind kind) {
  constexpr const char* names[] = {"append",     "update", "erase",    "transfer", "compactkeys", "compactbag",
                                   "checkpoint", "vacuum", "truncate", "read",     "give",        "take"};
  return names[static_cast<std::size_t>(kind)];
}

// What came of all programs of all runs: that conflicts and lost answers did happen.
struct explored_outcomes {
  std::uint64_t runs = 0;      // with those of plans that never happened
  std::uint64_t repeated = 0;  // runs that were made again, of which nothing is counted
  std::uint64_t done = 0;
  std::uint64_t conflicts = 0;  // that a program ended with
  std::uint64_t expired = 0;
  std::uint64_t unknown = 0;
  std::uint64_t failed = 0;  // otherwise
};

class explored_lake {
 public:
  using explored_store = tarn::testing::explored_store;
  using store = tarn::testing::fault_store<explored_store>;
  using client = tarn::testing::recorded_client<store>;
  static constexpr std::size_t clients_max = 5;

  // `inline_bytes_max`: of rows in log entries; without any, what is put and not yet committed is there to be lost.
  explicit explored_lake(tarn::isolation level = tarn::isolation::serializable, std::uint32_t inline_bytes_max = 0)
      : level_(level), inline_bytes_max_(inline_bytes_max) {
    faults_ = store::state_of();
    client first = open(0, content_);
    fill(first);
    for (std::size_t number = 0; number < clients_max; ++number) {
      prepared_.push_back(open(number, content_).inner());
      wanted(prepared_.back().begin());
    }
    head_ = prepared_.front().newest_snapshot().value()->at;
    beginning_.emplace(*recorder_);
    wanted(content_.list("", "", [&](std::string_view name) {
      events_.push_back({event::kind::put, clients_max, std::string(name), std::string(*content_.get(name))});
    }));
    events_before_ = events_.size();
  }
  explored_lake(const explored_lake&) = delete;  // hooks refer to it
  explored_lake& operator=(const explored_lake&) = delete;
  ~explored_lake() = default;

  // One client for each of `kinds`.
  [[nodiscard]] tarn::testing::exploration_report explore(const std::vector<program_kind>& kinds,
                                                          tarn::testing::exploration_options options) {
    std::vector<tarn::testing::explored_program> programs;
    for (std::size_t number = 0; number < kinds.size(); ++number)
      programs.push_back({name_of(kinds[number]), [this, number, kind = kinds[number]](explored_store mine) {
                            live(number, kind, std::move(mine));
                          }});
    kinds_ = kinds;
    options.initial = content_;
    options.begin = [this](const std::vector<tarn::testing::planned_fault>& plan) { begin(plan); };
    options.check_step = [this](const tarn::testing::explored_moment& now) { return follow(now); };
    options.check = [this](const tarn::testing::explored_moment& end) { return check(end); };
    options.faults.fired = [this] { return faults_->never_fired(faults_->chooser().planned()).empty(); };
    return tarn::testing::explore(std::move(programs), std::move(options));
  }

  [[nodiscard]] const explored_outcomes& outcomes() const { return outcomes_; }
  // Stores that runs have led to, each of which was read and checked.
  [[nodiscard]] std::size_t stores() const { return logs_.size(); }
  // Cycles that snapshot isolation permits, over all runs.
  [[nodiscard]] std::uint64_t permitted_cycles() const { return permitted_cycles_; }
  [[nodiscard]] std::uint64_t transactions() const { return transactions_; }
  // Removals of objects, and looks in vain, that were judged.
  [[nodiscard]] std::uint64_t judged() const { return judged_; }
  [[nodiscard]] const tarn::testing::fault_counts& faults() const { return fault_counts_; }

 private:
  using event = tarn::testing::store_event;
  using inner_client = tarn::client<store>;
  using transaction = client::transaction_type;

  // What cannot fail where nothing is explored.
  template <class Result>
  static void wanted(const Result& done) {
    if (done) return;
    std::fprintf(stderr, "the lake to explore cannot be made: %s\n", done.error().message().c_str());
    std::abort();
  }

  [[nodiscard]] client open(std::size_t number, const tarn::memory_store& content) {
    tarn::client_options options;
    options.checkpoint_interval = 0;  // only when a program says so
    options.commit.inline_bytes_max = inline_bytes_max_;
    options.surroundings = environments_[number].get();
    return client(inner_client(store(explored_store(content), faults_, number, &environments_[number]), options),
                  *recorder_);
  }

  // A bag of two objects, and a keyed table of a base and a delta, both worth compacting; one object of garbage.
  static void fill(client& lake) {
    const auto commit = [&](auto work) { wanted(lake.run(work)); };
    commit([](transaction& tx) {
      if (auto made = tx.create_table("bag", {"n"}); !made) return made;
      if (auto made = tx.create_table("keys", {{"k", tarn::column_type::integer}, "n"}, tarn::keyed{{"k"}}); !made)
        return made;
      if (auto done = tx.insert("bag", {1}); !done) return done;
      if (auto done = tx.upsert("keys", {1, 10}); !done) return done;
      return tx.upsert("keys", {2, 20});
    });
    commit([](transaction& tx) { return tx.upsert("keys", {1, 10}); });
    wanted(lake.compact("keys"));
    wanted(lake.checkpoint());
    commit([](transaction& tx) {
      if (auto done = tx.upsert("keys", {2, 20}); !done) return done;
      return tx.insert("bag", {2});
    });
  }

  void begin(const std::vector<tarn::testing::planned_fault>& plan) {
    faults_ = store::state_of(plan);
    recorder_.emplace(*beginning_);
    times_.begin(*recorder_);
    events_.resize(events_before_);
    for (std::size_t number = 0; number < clients_max; ++number) {
      environments_[number] = tarn::testing::simulated_environment(100 + number);
      environments_[number].call_takes_ms = 1;
      // So that what others have put and not yet committed is garbage by age.
      if (number < kinds_.size() &&
          (kinds_[number] == program_kind::vacuum || kinds_[number] == program_kind::truncate))
        environments_[number].step(3'600'000);
      ended_[number].reset();
    }
  }

  void live(std::size_t number, program_kind kind, explored_store mine) {
    inner_client copied(prepared_[number]);
    copied.store() = store(std::move(mine), faults_, number, &environments_[number]);
    client lake(std::move(copied), *recorder_);
    recorded_as_[number] = lake.number();
    ended_[number] = run(lake, kind);
  }

  [[nodiscard]] tarn::status run(client& lake, program_kind kind) const {
    const auto commit = [&](auto work) -> tarn::status {
      const tarn::result<tarn::version> committed = lake.run(work, level_);
      return committed ? tarn::status() : tarn::status(committed.error());
    };
    switch (kind) {
      case program_kind::append: return commit([](transaction& tx) { return tx.insert("bag", {3}); });
      case program_kind::update: return commit([](transaction& tx) { return add(tx, 1, 1); });
      case program_kind::erase:
        return commit([](transaction& tx) -> tarn::status {
          const auto erased = tx.erase_where("bag", {{"n", tarn::equals, 1}});
          return erased ? tarn::status() : tarn::status(erased.error());
        });
      case program_kind::transfer:
        return commit([](transaction& tx) -> tarn::status {
          if (tarn::status taken = add(tx, 1, -1); !taken) return taken;
          return tx.insert("bag", {4});
        });
      case program_kind::compact_keys: return lake.compact("keys");
      case program_kind::compact_bag: return lake.compact("bag");
      case program_kind::checkpoint: return without_value(lake.checkpoint());
      case program_kind::vacuum: return without_value(lake.vacuum(everything()));
      case program_kind::truncate:
        if (tarn::status done = commit([](transaction& tx) { return tx.insert("bag", {5}); }); !done) return done;
        if (const auto done = lake.vacuum(everything()); !done) return done.error();
        return without_value(lake.truncate());
      case program_kind::give: return commit([](transaction& tx) { return copy(tx, 1, 2); });
      case program_kind::take: return commit([](transaction& tx) { return copy(tx, 2, 1); });
      case program_kind::read: break;
    }
    for (int time = 0; time < 2; ++time) {
      auto tx = lake.begin(level_);
      if (!tx) return tx.error();
      if (tarn::status read = read_all(*tx); !read) return read;
    }
    return {};
  }

  [[nodiscard]] static tarn::vacuum_options everything() {
    tarn::vacuum_options all;
    all.keep_ms = all.grace_ms = 0;
    return all;
  }
  template <class Result>
  [[nodiscard]] static tarn::status without_value(const Result& done) {
    return done ? tarn::status() : tarn::status(done.error());
  }

  [[nodiscard]] static tarn::status add(transaction& tx, std::int64_t key, std::int64_t more) {
    const tarn::result<tarn::row> found = tx.get("keys", {key});
    if (!found) return found.error();
    return tx.upsert("keys", {key, tarn::value_view((*found)[1]).as_integer() + more});
  }
  [[nodiscard]] static tarn::status copy(transaction& tx, std::int64_t from, std::int64_t to) {
    const tarn::result<tarn::row> found = tx.get("keys", {from});
    if (!found) return found.error();
    return tx.upsert("keys", {to, (*found)[1]});
  }
  template <class Transaction>
  [[nodiscard]] static tarn::status read_all(Transaction& tx) {
    for (const char* const table : {"bag", "keys"})
      if (const auto rows = tx.scan(table); !rows) return rows.error();
    return without_value(tx.commit());
  }

  // --- after each step ---

  [[nodiscard]] std::string follow(const tarn::testing::explored_moment& now) {
    using tarn::testing::store_operation;
    times_.note_step(*recorder_);
    const tarn::testing::explored_step& last = now.steps().back();
    const auto note = [&](event::kind what, std::string bytes = {}) {
      events_.push_back(
          {what, static_cast<std::uint32_t>(last.process), std::string(last.call.name), std::move(bytes)});
    };
    if (last.call.operation == store_operation::put && last.call.effective) {
      const auto bytes = now.store().get(last.call.name);
      if (bytes) note(event::kind::put, std::string(std::string_view(*bytes)));
    }
    if (last.call.operation == store_operation::remove && last.call.effective) note(event::kind::removed);
    if (last.call.operation == store_operation::get && last.answer == 0) note(event::kind::missing);
    const bool vacuums = last.process < kinds_.size() && (kinds_[last.process] == program_kind::vacuum ||
                                                          kinds_[last.process] == program_kind::truncate);
    if (vacuums && ended_[last.process] && *ended_[last.process]) note(event::kind::vacuumed);
    return {};
  }

  // --- after a run ---

  [[nodiscard]] std::string check(const tarn::testing::explored_moment& end) {
    if (end.repeats()) {
      ++outcomes_.repeated;
    } else {
      ++outcomes_.runs;
      fault_counts_ += faults_->counts();
      for (const std::optional<tarn::status>& each : ended_)
        if (each) note(*each);
    }
    if (std::string wrong = check_answers(end); !wrong.empty()) return wrong;
    if (std::string wrong = read_log(end); !wrong.empty()) return wrong;
    // What began after what ended is not the same in all runs that this one stands for: `fresh` is asked of all of them
    // at once. `kept` can be asked of this one: only whoever comes after all steps reads old versions, and sessions are
    // each of one client, whose steps have one order.
    tarn::testing::history_check_options what;
    what.rules = what.rules.without(tarn::testing::history_rule::fresh);
    if (std::string stale = times_.stale_snapshot(recorder_->recorded(), end.steps()); !stale.empty()) return stale;
    const tarn::testing::history_report report = tarn::testing::check_history(recorder_->recorded(), what);
    if (!end.repeats()) transactions_ += report.transactions;
    if (!end.repeats()) permitted_cycles_ += report.permitted_cycles;
    if (!report.good()) logs_.erase(end.store_hash());  // what was read of it may be what is wrong: to be read again
    return report.message();
  }

  // Whoever meets no fault gets done what it wants, whatever happens to others; nobody finds damage.
  [[nodiscard]] std::string check_answers(const tarn::testing::explored_moment& end) {
    for (std::size_t number = 0; number < kinds_.size(); ++number) {
      if (!ended_[number]) continue;
      const tarn::status& ended = *ended_[number];
      if (ended) continue;
      bool disturbed = false;
      for (const tarn::testing::planned_fault& each : end.faults()) disturbed |= each.client == number;
      const tarn::errc code = ended.error().code();
      if (!may_end_with(kinds_[number], code) && !(disturbed && may_be_disturbed_with(code)))
        return tarn::concat({"client ", number, " ended with ", tarn::name_of(code), ": ", ended.error().message()});
    }
    return {};
  }
  // Housekeeping gives way to others; the transactions of all others are begun again as often as there are others.
  [[nodiscard]] bool may_end_with(program_kind kind, tarn::errc code) const {
    switch (kind) {
      case program_kind::compact_keys:
      case program_kind::compact_bag:
        return code == tarn::errc::conflict || code == tarn::errc::expired || code == tarn::errc::snapshot_expired;
      case program_kind::vacuum: return code == tarn::errc::expired;
      case program_kind::update:
      case program_kind::erase:
      case program_kind::transfer:
      case program_kind::read:
      case program_kind::give:
      case program_kind::take: return code == tarn::errc::snapshot_expired && has_vacuum();
      case program_kind::truncate: return code == tarn::errc::conflict || code == tarn::errc::expired;
      default: return false;
    }
  }
  // Vacuums here give no grace: they may take what others are about to read.
  [[nodiscard]] bool has_vacuum() const {
    for (const program_kind each : kinds_)
      if (each == program_kind::vacuum || each == program_kind::truncate) return true;
    return false;
  }
  [[nodiscard]] static bool may_be_disturbed_with(tarn::errc code) {
    return code == tarn::errc::io || code == tarn::errc::commit_unknown || code == tarn::errc::conflict ||
           code == tarn::errc::expired;
  }

  void note(const tarn::status& ended) {
    if (ended)
      ++outcomes_.done;
    else if (ended.error().code() == tarn::errc::conflict)
      ++outcomes_.conflicts;
    else if (ended.error().code() == tarn::errc::expired)
      ++outcomes_.expired;
    else if (ended.error().code() == tarn::errc::commit_unknown)
      ++outcomes_.unknown;
    else
      ++outcomes_.failed;
  }

  // Whose each version is, as the log says. Of each store that runs can lead to it is read once, by somebody who comes
  // later and reads every version that is there: what is found, and what each version holds, depends on nothing else.
  [[nodiscard]] std::string read_log(const tarn::testing::explored_moment& end) {
    const auto [known, is_new] = logs_.try_emplace(end.store_hash());
    if (is_new)
      if (std::string wrong = audit(end.store(), known->second); !wrong.empty()) {
        logs_.erase(known);
        return wrong;
      }
    for (std::size_t at = 0; at < known->second.size(); ++at)
      recorder_->note_version({static_cast<std::int64_t>(at)}, known->second[at]);
    return {};
  }

  [[nodiscard]] std::string audit(explored_store after, std::vector<tarn::uuid>& log) {
    tarn::client_options options;
    options.surroundings = environments_[0].get();
    tarn::testing::recorded_client<explored_store> auditor(tarn::client(after, options), *recorder_);
    auto newest = auditor.begin();
    if (!newest) return "nobody can open the lake any more: " + newest.error().message();
    if (const tarn::status read = read_all(*newest); !read)
      return "the newest version cannot be read: " + read.error().message();
    const tarn::log_extent& extent = auditor.inner().core()->extent;
    for (std::int64_t number = 0; number < extent.markers; ++number) {
      const auto marker = tarn::get_marker(after, number);
      if (!marker) return "a marker cannot be read: " + marker.error().message();
      log.insert(log.end(), marker->transactions.begin(), marker->transactions.end());
    }
    const tarn::version last = auditor.inner().core()->latest->at;
    for (tarn::version at = extent.truncated.next(); at <= last; at = at.next()) {
      const auto entry = tarn::get_entry(after, at, options.bounds);
      if (!entry) return "an entry cannot be read: " + entry.error().message();
      log.push_back(entry->content.transaction);
      if (at < head_ || at == last) continue;
      auto older = auditor.begin_at(at);
      if (!older && older.error().code() == tarn::errc::snapshot_expired) continue;
      if (!older) return "an older version cannot be opened: " + older.error().message();
      if (const tarn::status read = read_all(*older); !read)
        return "an older version cannot be read: " + read.error().message();
    }
    const auto sound = tarn::check(auditor.inner());
    if (!sound) return "the lake cannot be checked: " + sound.error().message();
    if (!sound->sound()) return "the lake is damaged: " + sound->findings.front().message;
    if (logs_.size() % 4 != 0) return {};
    // A second reader, which shares nothing with the first, and takes its time.
    const tarn::testing::store_invariants invariants(after);
    if (!invariants.violations().empty()) return "the second reader: " + invariants.violations().front().message;
    return check_events();
  }

  // Of the first run that has led to a store. Whatever is found is so in that run. In another order of independent
  // calls no more can be found of L4, L8 and what a vacuum removes: what is removed, put again or missed comes after
  // what was removed or put under this name, in all of them, and removals after the vacuum's entry. Whether an object
  // was there when a vacuum began may differ: of L9 some runs can be missed.
  [[nodiscard]] std::string check_events() {
    const tarn::testing::event_invariants ever(events_, tidy_clients());
    judged_ += ever.judged();
    return ever.violations().empty() ? std::string() : "what has happened: " + ever.violations().front().message;
  }
  // All that they began is committed.
  [[nodiscard]] std::set<std::uint32_t> tidy_clients() const {
    std::set<std::uint32_t> tidy;
    for (std::uint32_t number = 0; number < kinds_.size(); ++number) {
      const auto is_left = [&](const tarn::testing::transaction_record& each) {
        return each.client == recorded_as_[number] && each.outcome != tarn::testing::commit_outcome::acknowledged;
      };
      const auto& all = recorder_->recorded().transactions;
      if (ended_[number] && *ended_[number] && std::none_of(all.begin(), all.end(), is_left)) tidy.insert(number);
    }
    return tidy;
  }

  tarn::isolation level_;
  std::uint32_t inline_bytes_max_;
  tarn::memory_store content_;
  std::array<tarn::testing::simulated_environment, clients_max> environments_;
  store::state faults_;
  std::optional<tarn::testing::history_recorder> recorder_{std::in_place};
  explored_times times_;
  std::vector<event> events_;  // those before the run, and then its own
  std::size_t events_before_ = 0;
  std::uint64_t judged_ = 0;
  std::optional<tarn::testing::history_recorder> beginning_;  // what was recorded before any run
  std::vector<inner_client> prepared_;                        // warm: they know the lake as it is before a run
  tarn::version head_;
  std::vector<program_kind> kinds_;  // of the clients that are explored
  std::array<std::optional<tarn::status>, clients_max> ended_;
  std::array<std::uint32_t, clients_max> recorded_as_{};   // their numbers in the history
  std::map<std::uint64_t, std::vector<tarn::uuid>> logs_;  // by the hash of the store
  explored_outcomes outcomes_;
  std::uint64_t permitted_cycles_ = 0;
  std::uint64_t transactions_ = 0;
  tarn::testing::fault_counts fault_counts_;
};

}  // namespace tarn_test
