// Clients at work over one simulated disk, and what a loss of power at any moment may take from them: nothing that was
// acknowledged, and of the rest all or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/store/file_store.hpp>
#include <tarn/testing/crash_states.hpp>
#include <tarn/testing/random_source.hpp>
#include <tarn/testing/recording_system.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "numbered_work.hpp"
#include "stored_objects.hpp"

namespace tarn_test {

struct power_cut_options {
  std::size_t clients = 3;
  std::size_t steps = 10;
  // What each step does, in percent; the rest are commits of numbered work.
  std::size_t compactions = 10;
  std::size_t checkpoints = 5;
  std::size_t vacuums = 10;
  std::size_t truncations = 10;
  // How often another client makes a step of its own between two system calls of a step.
  std::size_t interferences = 60;
  std::uint32_t checkpoint_interval = 4;
  bool unnamed_files = false;  // the file system can make files without a name
};

// A run follows from its seed, and from what is forgotten and fails.
class power_cut_run {
 public:
  using store = tarn::file_store<tarn::testing::recording_system>;
  using client = tarn::client<store>;
  using machine_type = tarn::testing::simulated_machine;

  explicit power_cut_run(std::uint64_t seed, power_cut_options options = power_cut_options{})
      : machine(std::make_shared<machine_type>(tarn::testing::simulated_disk(), seed)),
        options_(options),
        random_(seed),
        inline_bytes_max_(some_inline_bytes(seed)) {
    machine->has_unnamed_files = options_.unnamed_files;
    for (std::size_t number = 0; number < options_.clients; ++number) actors_.push_back(make_actor(machine, number));
  }

  // To be set up before `run`.
  std::shared_ptr<machine_type> machine;

  void run() {
    step(0, [&](client& lake) { return create(lake); });
    for (actor& each : actors_) (void)each.lake.begin();
    all_open_ = machine->trace.size();
    for (std::size_t done = 0; done < options_.steps; ++done) {
      const std::size_t acting = random_.below(actors_.size());
      if (actors_.size() > 1 && random_.chance(options_.interferences)) plan_interference(acting);
      random_step(acting);
      machine->before = {};
      note_history();
    }
  }

  // What is wrong with a state, or nothing.
  [[nodiscard]] std::string check(const tarn::testing::crash_state& state) const {
    const auto after = std::make_shared<machine_type>(state.disk, 99);
    after->keeps_trace = false;
    after->has_unnamed_files = options_.unnamed_files;
    after->clock.ms = machine->clock.ms + 2 * tarn::leftovers::age_ms_min;
    actor reader = make_actor(after, 0);
    reader.hands->clock = after->clock;
    const auto checked = tarn::check(reader.lake);
    if (!checked) return checked.error().message();
    if (!checked->sound()) return checked->findings[0].message;
    if (std::string wrong = check_promises(reader.lake, state.marks, checked->newest); !wrong.empty()) return wrong;
    return check_next_writer(reader.lake);
  }

  // Enumerates the states; returns what is wrong with the first bad one. `finds_first`: and looks for no other. Each is
  // given to `note(const crash_state&)`, too.
  template <class Note>
  std::string enumerate(const tarn::testing::crash_options& wanted, bool finds_first, Note note) {
    std::string first;
    bad = 0;
    report = for_each_crash_state(machine->initial, machine->trace, wanted, [&](const auto& state) {
      note(state);
      const std::string wrong = check(state);
      if (wrong.empty()) return true;
      ++bad;
      if (first.empty())
        first = wrong + "; after call " + std::to_string(state.calls) +
                (state.calls == 0 ? std::string() : ": " + to_text(machine->trace[state.calls - 1]));
      return !finds_first;
    });
    return first;
  }
  std::string enumerate(const tarn::testing::crash_options& wanted = tarn::testing::crash_options{},
                        bool finds_first = false) {
    return enumerate(wanted, finds_first, [](const tarn::testing::crash_state&) {});
  }

  // A call that was made after all clients had opened the folder: where it is in the trace, and as what it may fail in
  // another run of the same seed. (Of an fsync that has failed before, a store that is opened later hears nothing.)
  struct possible_fault {
    std::size_t place = 0;
    tarn::testing::planned_fault fault;
  };
  [[nodiscard]] std::vector<possible_fault> possible(tarn::testing::directory_fault what, bool of_syncs_only) const {
    std::vector<possible_fault> all;
    std::map<std::size_t, std::size_t> calls;
    for (std::size_t place = 0; place < machine->trace.size(); ++place) {
      const tarn::testing::traced_call& each = machine->trace[place];
      if (each.call == tarn::testing::system_call::mark) continue;
      const std::size_t call = calls[each.client]++;
      const bool wanted = of_syncs_only ? is_sync(each.call) : can_meet(each.call, what);
      if (wanted && place >= all_open_) all.push_back({place, plan_directory_fault(each.client, call, what)});
    }
    return all;
  }
  [[nodiscard]] std::vector<possible_fault> failing_syncs() const {
    return possible(tarn::testing::directory_fault::io_error, true);
  }

  std::map<std::string, std::uint64_t> happened;  // steps that succeeded, by kind, and what errors there were
  tarn::testing::crash_report report;
  std::uint64_t bad = 0;

 private:
  struct actor {
    std::unique_ptr<tarn::testing::simulated_environment> hands;
    client lake;
  };
  struct promise {
    tarn::version at;
    std::string id;
  };

  [[nodiscard]] actor make_actor(const std::shared_ptr<machine_type>& on, std::size_t number) const {
    auto hands = std::make_unique<tarn::testing::simulated_environment>(on->random.next());
    tarn::client_options wanted;
    wanted.surroundings = hands->get();
    wanted.bounds.rows_per_object = 2;  // so that a transaction is several objects
    wanted.commit.inline_bytes_max = inline_bytes_max_;
    wanted.checkpoint_interval = options_.checkpoint_interval;
    wanted.commit.backoff.attempts_max = 4;
    store folder("lake", tarn::file_store_options{}, tarn::testing::recording_system(on, number));
    return {std::move(hands), client(std::move(folder), wanted)};
  }

  // --- the run ------------------------------------------------------------------------------------------------------

  template <class Work>
  void step(std::size_t number, Work work) {
    actor& here = actors_[number];
    here.hands->clock = machine->clock;
    const tarn::status done = work(here.lake);
    if (!done) ++happened[std::string(name_of(done.error().code()))];
  }

  void random_step(std::size_t number) {
    std::size_t dice = random_.below(100);
    const auto is = [&](std::size_t percent) {
      const bool hit = dice < percent;
      dice -= hit ? 0 : percent;
      return hit;
    };
    if (is(options_.compactions))
      step(number,
           [&](client& lake) { return counted("compaction", lake.compact(random_.chance(50) ? "keyed" : "left")); });
    else if (is(options_.checkpoints))
      step(number, [&](client& lake) { return counted("checkpoint", lake.checkpoint()); });
    else if (is(options_.vacuums))
      step(number, [&](client& lake) { return counted("vacuum", vacuum(lake, random_retention())); });
    else if (is(options_.truncations))
      step(number, [&](client& lake) { return counted("truncation", truncate(lake)); });
    else
      step(number, [&](client& lake) { return commit(lake, number); });
  }

  template <class Result>
  tarn::status counted(const char* what, const Result& done) {
    if (!done) return done.error();
    ++happened[what];
    return {};
  }

  [[nodiscard]] tarn::vacuum_options random_retention() {
    tarn::vacuum_options wanted;
    wanted.keep_ms = 0;
    wanted.keep_versions = 1 + random_.below(3);
    wanted.grace_ms = random_.chance(50) ? 0 : 200;
    return wanted;
  }

  // Between two system calls of this client, at random, another makes a step.
  void plan_interference(std::size_t victim) {
    machine->before = [this, victim, calls = random_.below(50)](const tarn::testing::traced_call&) mutable {
      if (calls-- != 0) return;
      const auto planned = std::move(machine->before);
      machine->before = {};
      ++happened["interference"];
      random_step((victim + 1 + random_.below(actors_.size() - 1)) % actors_.size());
    };
  }

  [[nodiscard]] tarn::status create(client& lake) {
    auto transaction = lake.begin();
    if (!transaction) return transaction.error();
    if (const tarn::status made = create_numbered_tables(*transaction); !made) return made;
    return commit(*transaction, 0, 0);
  }

  [[nodiscard]] tarn::status commit(client& lake, std::size_t client_number) {
    auto transaction = lake.begin();
    if (!transaction) return transaction.error();
    const std::int64_t number = ++last_number_;
    if (const tarn::status done = numbered_work(number).run(*transaction); !done) return done;
    return commit(*transaction, client_number, number);
  }

  template <class Transaction>
  [[nodiscard]] tarn::status commit(Transaction& transaction, std::size_t client_number, std::int64_t number) {
    const std::string id = to_text(transaction.id());
    numbers_[id] = number;
    const tarn::result<tarn::version> committed = transaction.commit();
    if (!committed) {
      if (committed.error().code() != tarn::errc::commit_unknown) refused_.insert(id);
      return committed.error();
    }
    promises_.push_back({*committed, id});
    machine->mark(tarn::concat({"version ", committed->number}), client_number);
    ++happened["commit"];
    return {};
  }

  // The log as it is now: what a truncation takes away later can still be looked up.
  void note_history() {
    const auto copy = std::make_shared<machine_type>(machine->disk);
    copy->keeps_trace = false;
    actor reader = make_actor(copy, 0);
    auto log = reader.lake.log();
    while (log && log->next()) history_[log->summary().at] = to_text(log->summary().transaction);
  }

  // --- the check ----------------------------------------------------------------------------------------------------

  // The log and the rows: what was acknowledged is in them, and what was refused is not.
  [[nodiscard]] std::string check_promises(client& lake, std::size_t promised, tarn::version newest) const {
    auto log = lake.log();
    if (!log) return log.error().message();
    std::map<tarn::version, std::string> found;
    while (log->next()) found[log->summary().at] = to_text(log->summary().transaction);
    if (!log->status()) return log->status().error().message();

    numbered_content expected;
    const tarn::version first = found.empty() ? newest.next() : found.begin()->first;
    for (const auto& [at, id] : history_)
      if (at < first) apply(expected, id);
    for (const auto& [at, id] : found) {
      if (refused_.count(id) != 0) return "a commit that was refused is version " + std::to_string(at.number);
      apply(expected, id);
    }
    for (std::size_t each = 0; each < promised; ++each) {
      const promise& made = promises_[each];
      if (made.at > newest || (made.at >= first && found[made.at] != made.id))
        return "lost: version " + std::to_string(made.at.number);
    }
    return compare(lake, expected);
  }

  void apply(numbered_content& content, const std::string& id) const {
    const auto known = numbers_.find(id);
    if (known != numbers_.end() && known->second != 0) content.apply(numbered_work(known->second));
  }

  [[nodiscard]] static std::string compare(client& lake, const numbered_content& expected) {
    auto transaction = lake.begin();
    if (!transaction) return transaction.error().message();
    const auto content = read_numbered_content(*transaction);
    return content ? difference(expected, *content) : content.error().message();
  }

  // Whoever writes next can, and collects what others have left in the making.
  [[nodiscard]] std::string check_next_writer(client& lake) const {
    if (count_leftovers(lake) > tarn::leftovers::noted_max) return "more leftovers than one put collects";
    auto before = lake.begin();
    if (!before) return before.error().message();
    const auto has_tables = before->has_table("left");
    if (!has_tables) return has_tables.error().message();
    auto expected = read_numbered_content(*before);
    if (!expected) return expected.error().message();
    if (!*has_tables)
      if (const tarn::status made = create_numbered_tables(*before); !made) return made.error().message();
    const numbered_work next(1'000'000);
    if (const tarn::status done = next.run(*before); !done) return done.error().message();
    if (const auto committed = before->commit(); !committed) return "the next writer: " + committed.error().message();
    expected->apply(next);
    if (std::string wrong = compare(lake, *expected); !wrong.empty()) return wrong;
    return count_leftovers(lake) == 0 ? std::string() : "temporary files are left";
  }

  [[nodiscard]] static std::size_t count_leftovers(client& lake) {
    std::size_t count = 0;
    (void)lake.store().list_hidden([&](std::string_view) { ++count; });
    return count;
  }

  power_cut_options options_;
  tarn::testing::random_source random_;
  std::uint32_t inline_bytes_max_;
  std::vector<actor> actors_;
  std::int64_t last_number_ = 0;
  std::map<std::string, std::int64_t> numbers_;  // of transactions, by id
  std::set<std::string> refused_;
  std::vector<promise> promises_;  // in the order of the marks
  std::map<tarn::version, std::string> history_;
  std::size_t all_open_ = 0;  // in the trace
};

}  // namespace tarn_test
