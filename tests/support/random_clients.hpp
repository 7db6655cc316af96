// Clients of one lake that do anything, in any order, while their stores fail in all ways: programs, faults and the
// order of calls follow from a seed. Everything is recorded, and each run is checked as a history.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/log/log.hpp>
#include <tarn/log/names.hpp>
#include <tarn/log/truncation.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/random_source.hpp>
#include <tarn/testing/recorded_client.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <utility>
#include <vector>

#include "stored_objects.hpp"

namespace tarn_test {

// What happened in all runs: a test that never saw a commit in doubt has not tested what becomes of one.
struct random_clients_counts {
  tarn::testing::fault_counts faults;
  std::uint64_t runs = 0;
  std::uint64_t repeated = 0;  // runs that were made again, of which nothing else is counted
  std::uint64_t calls = 0;
  std::uint64_t commits = 0;
  std::uint64_t refused = 0;  // for a conflict, or since a vacuum has overtaken them
  std::uint64_t failed = 0;   // since the store did
  std::uint64_t in_doubt = 0;
  std::uint64_t crashes = 0;
  std::uint64_t detected = 0;  // damage that a client was told of
  std::uint64_t truncations = 0;
  std::uint64_t excused = 0;  // damaged checkpoints whose remover had twice read them wrongly
  std::uint64_t hidden = 0;   // wrong histories after a truncation that the store did not show

  random_clients_counts& operator+=(const random_clients_counts& other) {
    faults += other.faults;
    for (const auto& [name, count] : members()) this->*count += other.*count;
    return *this;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [name, count] : members()) all += std::to_string(this->*count) + name;
    return all + std::to_string(faults.total()) + " faults";
  }

 private:
  using counter = std::uint64_t random_clients_counts::*;
  [[nodiscard]] static std::vector<std::pair<const char*, counter>> members() {
    return {{" runs, ", &random_clients_counts::runs},
            {" made twice, ", &random_clients_counts::repeated},
            {" calls, ", &random_clients_counts::calls},
            {" commits, ", &random_clients_counts::commits},
            {" refused, ", &random_clients_counts::refused},
            {" failed, ", &random_clients_counts::failed},
            {" in doubt, ", &random_clients_counts::in_doubt},
            {" crashes, ", &random_clients_counts::crashes},
            {" times damage detected, ", &random_clients_counts::detected},
            {" truncations, ", &random_clients_counts::truncations},
            {" checkpoints gone after two wrong looks, ", &random_clients_counts::excused},
            {" truncations that the store has hidden, ", &random_clients_counts::hidden}};
  }
};

// One set of programs with one plan of faults. Runs of it differ in the order of the calls.
class random_clients {
 public:
  // With `damage`, what a store returns may also be wrong: that must be detected. Without, nobody may be told of
  // damage.
  random_clients(std::uint64_t seed, bool damage, random_clients_counts& counts)
      : seed_(seed), damage_(damage), counts_(counts) {
    tarn::testing::random_source random(seed);
    const std::size_t count = 4 + random.below(5);
    for (std::size_t number = 0; number < count; ++number) {
      traits_.push_back({random.chance(25), random.chance(50), clock_skew(random)});
      programs_.push_back({std::string(1, static_cast<char>('A' + number)),
                           [this, number](tarn::testing::explored_store content) { live(number, content); }});
    }
    draw_faults(random);
    begin(planned_);
    options_.initial = prepared_;
    options_.begin = [this](const tarn::testing::fault_plan& plan) { begin(plan); };
    options_.check_step = [this](const tarn::testing::explored_moment& now) { return follow_log(now); };
    options_.check = [this](const tarn::testing::explored_moment& end) { return check(end); };
    options_.faults.plans = {planned_};
    options_.repeat_every = 97;
  }
  random_clients(const random_clients&) = delete;
  random_clients& operator=(const random_clients&) = delete;

  [[nodiscard]] tarn::testing::exploration_report explore(tarn::testing::exploration_strategy by) {
    options_.by = std::move(by);
    return tarn::testing::explore(programs_, options_);
  }

 private:
  using store = tarn::testing::fault_store<tarn::testing::explored_store>;
  using client = tarn::client<store>;
  using recorded = tarn::testing::recorded_client<store>;

  static constexpr std::size_t activities = 3;
  static constexpr std::size_t calls_with_faults = 80;
  static constexpr std::int64_t hour_ms = 3'600'000;
  static constexpr std::int64_t keys = 6;

  struct client_traits {
    bool begins_cold;
    bool restarts;  // after a crash, with a new process
    std::int64_t clock_skew_ms;
  };

  [[nodiscard]] static std::int64_t clock_skew(tarn::testing::random_source& random) {
    if (random.chance(60)) return 0;
    return (static_cast<std::int64_t>(random.below(97)) - 48) * hour_ms;
  }

  // At some calls, for whichever operation it turns out to be, one fault.
  void draw_faults(tarn::testing::random_source& random) {
    std::vector<tarn::testing::fault_chance> chances = tarn::testing::tolerated_faults(90'000);
    for (tarn::testing::fault_chance& each : chances)
      if (each.kind == tarn::testing::fault_kind::crash) each.per_million = 40'000;
    if (damage_)
      for (const tarn::testing::fault_chance& each : tarn::testing::detected_faults(150'000)) chances.push_back(each);
    std::vector<tarn::testing::random_faults> drawn;  // for each operation by itself
    for (std::size_t made = 0; made < tarn::testing::store_operations; ++made)
      drawn.emplace_back(random.next(), chances);
    const std::size_t percent = 1 + random.below(10);
    for (std::size_t number = 0; number < programs_.size(); ++number)
      for (std::size_t call = 0; call < calls_with_faults; ++call)
        if (random.chance(percent)) draw_faults(drawn, number, call);
  }
  // What can happen to few operations comes first, so that it does.
  void draw_faults(const std::vector<tarn::testing::random_faults>& drawn, std::size_t number, std::size_t call) {
    const auto operations = [](const tarn::testing::planned_fault& one) {
      return std::count_if(std::begin(tarn::testing::all_operations), std::end(tarn::testing::all_operations),
                           [&](auto each) { return can_happen(one.what.kind, each); });
    };
    const auto rarer = [&](const auto& a, const auto& b) { return operations(a) < operations(b); };
    std::vector<tarn::testing::planned_fault> met;
    for (const tarn::testing::store_operation each : tarn::testing::all_operations) {
      const auto what = drawn[static_cast<std::size_t>(each)].choose({each, number, call, {}});
      const tarn::testing::planned_fault fault{number, call, what};
      if (what != tarn::testing::fault()) met.insert(std::upper_bound(met.begin(), met.end(), fault, rarer), fault);
    }
    for (const tarn::testing::planned_fault& each : met)
      if (std::find(planned_.begin(), planned_.end(), each) == planned_.end()) planned_.push_back(each);
  }

  // --- one run -----------------------------------------------------------------------------------------------------

  void begin(const tarn::testing::fault_plan& plan) {
    clients_.clear();
    recorder_.emplace();
    faults_ = store::state_of(plan);
    wrong_.clear();
    this_run_ = {};
    truncated_ = {};
    environments_.clear();
    for (std::size_t number = 0; number < traits_.size(); ++number) {
      environments_.emplace_back(seed_ + 1 + number).call_takes_ms = 1;
      environments_.back().clock.ms += 10'000 + traits_[number].clock_skew_ms;
    }
    prepare();
  }

  // The lake as it is when a run begins, made anew by a recorded client: the same bytes each time.
  void prepare() {
    prepared_ = tarn::memory_store();
    environments_.emplace_back(seed_);
    recorded lake(
        client(store(tarn::testing::explored_store(prepared_), store::state_of(), 0), options_of(traits_.size())),
        *recorder_);
    (void)lake.run([](auto& tx) {
      const tarn::status bag = tx.create_table("bag", {{"n", tarn::column_type::integer}});
      if (!bag) return bag;
      const tarn::status keyed = tx.create_table("keyed", {{"k", tarn::column_type::integer}, "v"},
                                                 tarn::keyed{.columns = {"k"}, .buckets = 2});
      for (std::int64_t row = 0; keyed && row < 3; ++row)
        if (const tarn::status put = tx.insert("bag", {row}); !put) return put;
      return keyed;
    });
    (void)lake.run([](auto& tx) {
      tarn::status done;
      for (std::int64_t key = 0; done && key < keys; ++key) done = tx.upsert("keyed", {key, key});
      return done;
    });
    for (std::size_t made = 0; made < 2 * traits_.size(); ++made) {
      client copy = lake.inner();
      copy.core()->options = options_of(made % traits_.size());
      clients_.emplace_back(std::move(copy), *recorder_);
    }
    for (tarn::version at{0}; at <= lake.inner().core()->latest->at; at = at.next())
      note_version(lake.inner().store(), at);
  }

  [[nodiscard]] tarn::client_options options_of(std::size_t number) {
    tarn::client_options options;
    options.bounds.rows_per_object = 3;
    options.commit.inline_bytes_max = some_inline_bytes(seed_ >> 4);
    options.commit.backoff.attempts_max = 5;
    options.checkpoint_interval = 4;
    options.surroundings = environments_[number].get();
    return options;
  }

  // What a client does from its beginning to its end, through crashes if it is one that is started again.
  void live(std::size_t number, const tarn::testing::explored_store& content) {
    const store own(content, faults_, number, &environments_[number]);
    recorded* lake = &clients_[number];
    if (traits_[number].begins_cold)
      lake->inner() = client(own, options_of(number));
    else
      lake->inner().store() = own;
    tarn::testing::random_source random(seed_ * 31 + number);
    bool restarted = false;
    for (std::size_t done = 0; done < activities; ++done) {
      tarn::testing::random_source choices(random.next());
      note(act(*lake, choices));
      if (!own.has_crashed()) continue;
      ++this_run_.crashes;
      if (!traits_[number].restarts || restarted) return;
      restarted = true;
      faults_->restart(number);
      lake = &clients_[traits_.size() + number];
      lake->inner() = client(own, options_of(number));
    }
  }

  // The reason why something was not done: what may be, and what may not.
  void note(const tarn::status& done) {
    if (done) return;
    using tarn::errc;
    switch (done.error().code()) {
      case errc::conflict:
      case errc::expired:
      case errc::snapshot_expired: ++this_run_.refused; return;
      case errc::commit_unknown: ++this_run_.in_doubt; return;
      case errc::io:
      case errc::no_space: ++this_run_.failed; return;
      case errc::exists:
      case errc::no_such_table:
      case errc::table_exists: return;
      default: break;
    }
    if (damage_) {
      ++this_run_.detected;
      return;
    }
    if (wrong_.empty()) wrong_ = "without damage: " + done.error().message();
  }

  [[nodiscard]] static tarn::status status_of(const auto& done) { return done ? tarn::status() : done.error(); }

  // --- what clients do ---------------------------------------------------------------------------------------------

  [[nodiscard]] tarn::status act(recorded& lake, tarn::testing::random_source& random) {
    constexpr tarn::vacuum_options keep_little{.keep_ms = 0, .keep_versions = 1, .grace_ms = 3'600'000};
    switch (random.below(20)) {
      case 0: return lake.compact("bag");
      case 1: return lake.compact("keyed");
      case 2: return status_of(lake.vacuum(keep_little));
      case 3: {
        const tarn::status done = status_of(lake.vacuum(keep_little));
        return done ? status_of(lake.truncate()) : done;
      }
      case 4: return status_of(lake.checkpoint());
      case 5: return audit(lake, random);
      case 6: return restore(lake, random);
      default: return transact(lake, random);
    }
  }

  // Reads an old version.
  [[nodiscard]] tarn::status audit(recorded& lake, tarn::testing::random_source& random) {
    const auto newest = lake.inner().newest_snapshot();
    if (!newest) return newest.error();
    auto tx =
        lake.begin_at({static_cast<std::int64_t>(random.below(static_cast<std::size_t>((*newest)->at.number + 1)))});
    if (!tx) return tx.error();
    if (const auto rows = tx->scan("bag"); !rows) return rows.error();
    return status_of(tx->scan("keyed"));
  }

  [[nodiscard]] tarn::status restore(recorded& lake, tarn::testing::random_source& random) {
    const auto newest = lake.inner().newest_snapshot();
    if (!newest) return newest.error();
    const auto back = static_cast<std::int64_t>(random.below(3));
    return status_of(lake.restore({(*newest)->at.number > back ? (*newest)->at.number - back : 1}));
  }

  [[nodiscard]] tarn::status transact(recorded& lake, tarn::testing::random_source& random) {
    constexpr tarn::isolation levels[] = {tarn::isolation::serializable, tarn::isolation::snapshot,
                                          tarn::isolation::non_blocking};
    auto tx = lake.begin(levels[random.below(3)]);
    if (!tx) return tx.error();
    for (std::size_t left = 1 + random.below(4); left > 0; --left)
      if (const tarn::status done = do_one(*tx, random); !done) return done;
    const auto committed = tx->commit();
    if (committed) ++this_run_.commits;
    return status_of(committed);
  }

  [[nodiscard]] static tarn::status do_one(recorded::transaction_type& tx, tarn::testing::random_source& random) {
    const auto key = static_cast<std::int64_t>(random.below(keys + 1));
    const auto number = static_cast<std::int64_t>(random.below(100));
    switch (random.below(12)) {
      case 0: return tx.insert("bag", {number});
      case 1: {
        for (std::int64_t row = 0; row < 4; ++row)
          if (const tarn::status done = tx.insert("bag", {number + row}); !done) return done;
        return tx.inner().flush();
      }
      case 2: return tx.upsert("keyed", {key, number});
      case 3: return tx.erase("keyed", {key});
      case 4: return is_expected(tx.update("keyed", {key}, {{"v", number}}));
      case 5: return tx.insert("keyed", {key, number});
      case 6: return is_expected(status_of(tx.get("keyed", {key})));
      case 7: return status_of(tx.scan("keyed"));
      case 8: return status_of(tx.scan("bag", {{"n", tarn::less_than, number}}));
      case 9: return status_of(tx.erase_where("bag", {{"n", tarn::less_than, number / 4}}));
      case 10: return status_of(tx.update_where("bag", {{"n", tarn::greater_than, number}}, {{"n", number}}));
      default: return status_of(tx.update_where("keyed", {{"k", tarn::less_than, key}}, {{"v", number}}));
    }
  }
  // That there is no such key is an answer.
  [[nodiscard]] static tarn::status is_expected(const tarn::status& done) {
    return !done && done.error().code() == tarn::errc::not_found ? tarn::status() : done;
  }

  // --- what is looked at -------------------------------------------------------------------------------------------

  template <class Store>
  void note_version(Store& content, tarn::version at) {
    const auto read = tarn::get_entry(content, at, tarn::limits{});
    if (read) recorder_->note_version(at, read->content.transaction);
  }

  // Whose each version is, as soon as it lands: later it may be truncated away. What lands where a truncation was is
  // nobody's.
  [[nodiscard]] std::string follow_log(const tarn::testing::explored_moment& now) {
    ++this_run_.calls;
    const tarn::testing::explored_step& last = now.steps().back();
    if (last.call.operation != tarn::testing::store_operation::put || !last.call.effective) return {};
    auto content = now.store();
    tarn::version at;
    std::int64_t number = 0;
    if (tarn::parse_entry_name(last.call.name, at) && at > truncated_) note_version(content, at);
    if (!tarn::parse_marker_name(last.call.name, number)) return {};
    ++this_run_.truncations;
    const auto marker = tarn::get_marker(content, number);
    if (!marker) return "a marker cannot be read: " + marker.error().message();
    truncated_ = marker->last;
    return {};
  }

  [[nodiscard]] std::string check(const tarn::testing::explored_moment& end) {
    if (end.repeats()) {
      ++counts_.repeated;
    } else {
      ++this_run_.runs;
      this_run_.faults += faults_->counts();
      counts_ += this_run_;
    }
    if (!wrong_.empty()) return wrong_;
    // Somebody who meets no faults reads what is there.
    recorded last(client(store(end.store(), store::state_of(), 0), options_of(traits_.size())), *recorder_);
    if (const auto done = last.run([](auto& tx) {
          const auto rows = tx.scan("bag");
          return rows ? status_of(tx.scan("keyed")) : rows.error();
        });
        !done)
      return "cannot be read at the end: " + done.error().message();
    tarn::testing::history_check_options what;
    // A store that does not find what was put makes clients begin with older snapshots than they should.
    if (damage_)
      what.rules =
          what.rules.without(tarn::testing::history_rule::fresh).without(tarn::testing::history_rule::sessions);
    const auto found = tarn::testing::check_history(recorder_->recorded(), what);
    if (!found.good()) {
      if (!has_hidden_a_truncation()) return found.message();
      ++counts_.hidden;
      return {};
    }
    return damage_ || seed_ % 16 == 0 ? check_whole(last.inner()) : std::string();
  }

  // Takes its time. Whether it is done follows from the seed alone, so that a run that is made again is checked again.
  [[nodiscard]] std::string check_whole(client& lake) {
    const auto whole = tarn::check(lake);
    if (!whole) return "cannot be checked: " + whole.error().message();
    for (const tarn::check_finding& each : whole->findings) {
      if (tarn::is_harmless(each.kind)) continue;
      if (each.kind != tarn::finding_kind::damaged_checkpoint || !has_misread_twice())
        return "is damaged: " + each.message;
      ++counts_.excused;
    }
    return {};
  }
  // A store that does not find what was put breaks what tarn needs of it in one place that nobody can notice: who
  // sleeps through a truncation, puts an entry into a slot that it has emptied and then does not find its marker takes
  // that for a commit.
  [[nodiscard]] bool has_hidden_a_truncation() const {
    if (this_run_.truncations == 0) return false;
    const std::vector<tarn::testing::planned_fault> fired = faults_->fired();
    return std::any_of(fired.begin(), fired.end(), [](const tarn::testing::planned_fault& each) {
      return each.what.kind == tarn::testing::fault_kind::negative_cache;
    });
  }
  // Who reads a good checkpoint wrongly, and at a second look again, removes it to put it anew; if that remove arrives
  // late, or its client ends with it, one is missing that others rely on. Readers pass over it: that is what a
  // truncation has two for. A checkpoint is one object here, so the second look is the client's very next call.
  [[nodiscard]] bool has_misread_twice() const {
    using tarn::testing::fault_kind;
    std::vector<tarn::testing::planned_fault> misread = faults_->fired();
    std::erase_if(misread, [](const tarn::testing::planned_fault& each) {
      return each.what.kind != fault_kind::truncated && each.what.kind != fault_kind::flipped_bit &&
             each.what.kind != fault_kind::misdirected;
    });
    return std::any_of(misread.begin(), misread.end(), [&](const tarn::testing::planned_fault& first) {
      return std::any_of(misread.begin(), misread.end(), [&](const tarn::testing::planned_fault& second) {
        return second.client == first.client && second.call == first.call + 1;
      });
    });
  }

  std::uint64_t seed_;
  bool damage_;
  random_clients_counts& counts_;
  random_clients_counts this_run_;
  std::vector<client_traits> traits_;
  std::vector<tarn::testing::explored_program> programs_;
  tarn::testing::fault_plan planned_;
  tarn::testing::exploration_options options_;

  std::optional<tarn::testing::history_recorder> recorder_;
  store::state faults_;
  std::deque<tarn::testing::simulated_environment> environments_;  // of each client, and of whoever meets no faults
  tarn::memory_store prepared_;
  std::deque<recorded> clients_;  // of each client, and of those that are started again
  tarn::version truncated_;
  std::string wrong_;
};

}  // namespace tarn_test
