// Bytes as what some clients of a lake do, in which order their calls of the store come, and which faults these meet:
// one simulated run, and all that must hold of it. The bytes, one after the other:
//
//   how many clients | three steps of two bytes for each: what, and with what | then by turns: the next client to have
//   its call, the fault that the next call meets
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/recorded_client.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <vector>

#include "byte_reader.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

using namespace tarn::testing;

constexpr std::size_t clients_max = 3;
constexpr std::size_t steps_of_client = 3;
using faulty_store = fault_store<explored_store, byte_faults>;

struct step {
  unsigned what = 0;
  unsigned with = 0;
};

struct workload {
  std::vector<std::vector<step>> clients;
  std::string order;
  std::string faults;
};

[[nodiscard]] workload read_workload(std::string_view bytes) {
  byte_reader reader(bytes);
  workload read;
  read.clients.resize(1 + reader.pick(clients_max));
  for (std::vector<step>& steps : read.clients)
    for (std::size_t at = 0; at < steps_of_client; ++at) {
      const unsigned what = reader.take();
      steps.push_back({what, reader.take()});
    }
  read.order = reader.every_other(0);
  read.faults = reader.every_other(1);
  return read;
}

[[nodiscard]] tarn::client_options options_of(simulated_environment& surroundings) {
  tarn::client_options options;
  options.surroundings = surroundings.get();
  options.bounds.rows_per_object = 2;
  options.commit.backoff.attempts_max = 4;
  options.checkpoint_interval = 3;
  return options;
}

// A client at work. What fails is left: what it was told is recorded, and the check knows what may be true then.
template <class Store>
class worker {
 public:
  worker(tarn::client<Store> lake, history_recorder& into) : lake_(std::move(lake), into), into_(into) {}

  void create_tables() {
    (void)lake_
        .run([](auto& tx) -> tarn::status {
          const tarn::column key{"k", tarn::column_type::integer}, order{"o", tarn::column_type::integer};
          if (const tarn::status bag = tx.create_table("bag", {"v"}); !bag) return bag;
          if (const tarn::status keyed = tx.create_table("keyed", {key, "v"}, tarn::keyed{{"k"}}); !keyed) return keyed;
          return tx.create_table("late", {key, order}, tarn::keyed{{"k"}, 2, tarn::by_ordering("o")});
        })
        .value();
  }

  void take(const step& each) {
    const unsigned number = each.with % 4;
    switch (each.what % 16) {
      case 0: return write(each, [&](auto& tx) { return tx.insert("bag", {number}); });
      case 1: return write(each, [&](auto& tx) { return tx.upsert("keyed", {number, 1}); });
      case 2: return write(each, [&](auto& tx) { return tx.insert("keyed", {number, 2}); });
      case 3: return write(each, [&](auto& tx) { return tx.update("keyed", {number}, {{"v", 3}}); });
      case 4: return write(each, [&](auto& tx) { return tx.erase("keyed", {number}); });
      case 5: return write(each, [&](auto& tx) { return tx.update_where("bag", with_value(number), {{"v", 9}}); });
      case 6: return write(each, [&](auto& tx) { return tx.erase_where("bag", with_value(number)); });
      case 7: return write(each, [&](auto& tx) { return move_row(tx, number); });
      case 8: return write(each, [&](auto& tx) { return tx.upsert("late", {number, each.with / 4 % 8}); });
      case 9: return write(each, [&](auto& tx) { return tx.erase("late", {number}, each.with / 4 % 8); });
      case 10: return void(lake_.compact(table_of(each)));
      case 11: return void(lake_.checkpoint());
      case 12: return clean_up(each);
      case 13: return void(lake_.restore({each.with % 8}));
      case 14: return audit({each.with % 8});
      default: return write(each, [&](auto& tx) { return read_all(tx); });
    }
  }

  template <class Transaction>
  [[nodiscard]] static tarn::status read_all(Transaction& tx) {
    for (const char* const table : {"bag", "keyed", "late"})
      if (const auto rows = tx.scan(table); !rows) return rows.error();
    return {};
  }

  // Notes whose entry each version is; false if the log cannot be read.
  bool read_log() {
    auto log = lake_.inner().log();
    while (log && log->next()) into_.note_version(log->summary().at, log->summary().transaction);
    return log && log->status();
  }

  // All tables as they are now.
  [[nodiscard]] tarn::status read_newest() {
    auto tx = lake_.begin();
    if (!tx) return tx.error();
    if (const tarn::status read = read_all(*tx); !read) return read;
    const auto committed = tx->commit();
    return committed ? tarn::status() : tarn::status(committed.error());
  }

  [[nodiscard]] auto check() { return tarn::check(lake_.inner()); }

 private:
  using lake_type = recorded_client<Store>;

  [[nodiscard]] static tarn::filter with_value(unsigned number) { return {{"v", tarn::equals, number}}; }
  [[nodiscard]] static const char* table_of(const step& each) {
    constexpr const char* all[] = {"bag", "keyed", "late"};
    return all[each.with % 3];
  }

  // Reads one table, and writes to two what follows from that.
  template <class Transaction>
  [[nodiscard]] static tarn::status move_row(Transaction& tx, unsigned number) {
    const auto found = tx.get("keyed", {number});
    if (!found && found.error().code() != tarn::errc::not_found) return found.error();
    if (!found) return tx.upsert("keyed", {number, 7});
    if (const tarn::status erased = tx.erase("keyed", {number}); !erased) return erased;
    return tx.insert("bag", {number});
  }

  template <class Work>
  void write(const step& each, Work work) {
    constexpr tarn::isolation levels[] = {tarn::isolation::serializable, tarn::isolation::snapshot,
                                          tarn::isolation::non_blocking, tarn::isolation::serializable};
    const auto as_status = [&](auto& tx) -> tarn::status {
      const auto done = work(tx);
      return done ? tarn::status() : tarn::status(done.error());
    };
    (void)lake_.run(as_status, levels[each.with >> 6 & 3U], 3);
  }

  void audit(tarn::version at) {
    auto tx = lake_.begin_at(at);
    if (!tx) return;
    (void)read_all(*tx);
    (void)tx->commit();
  }

  // Gives up old versions, and sometimes the log of them.
  void clean_up(const step& each) {
    const tarn::vacuum_options wanted{.keep_ms = 0, .keep_versions = 1U + each.with % 4, .grace_ms = each.with & 16U};
    if (!lake_.vacuum(wanted)) return;
    if ((each.with & 32U) != 0 && read_log()) (void)lake_.truncate();
  }

  lake_type lake_;
  history_recorder& into_;
};

// All that one run has, and two runs have in common only if they do the same.
class simulated_run {
 public:
  explicit simulated_run(const workload& of) : faults_(faulty_store::state_of(byte_faults(of.faults))) {
    for (std::size_t client = 0; client < of.clients.size() + 2; ++client)
      surroundings_.push_back(std::make_unique<simulated_environment>(client + 1));
    tarn::client maker{initial_, options_of(*surroundings_.back())};
    worker<tarn::memory_store>(std::move(maker), recorder_).create_tables();
  }

  // With three empty tables.
  [[nodiscard]] const tarn::memory_store& initial() const { return initial_; }

  void work(std::size_t client, const std::vector<step>& steps, const explored_store& content) {
    simulated_environment& mine = *surroundings_[client];
    const faulty_store store(content, faults_, client, &mine);
    worker<faulty_store> at_work(tarn::client{store, options_of(mine)}, recorder_);
    for (const step& each : steps) {
      if (!store.has_crashed()) at_work.take(each);
      mine.pass(1'000);
    }
  }

  // What is wrong with how it has ended, and what had happened; empty: nothing.
  [[nodiscard]] std::string judge(const explored_store& content) {
    const std::string wrong = find_wrong(content);
    if (wrong.empty()) return wrong;
    std::string faults;
    for (const planned_fault& each : faults_->fired()) faults += " " + to_text(each);
    return wrong + "; faults:" + faults;
  }

 private:
  [[nodiscard]] std::string find_wrong(const explored_store& content) {
    worker<explored_store> last(tarn::client{content, options_of(*surroundings_[surroundings_.size() - 2])}, recorder_);
    if (!last.read_log()) return "the log cannot be read";
    if (const tarn::status read = last.read_newest(); !read) return read.error().message();
    history_check_options options;
    // A store that does not find what was put breaks its promise, on which these rest.
    if (faults_->counts().of(fault_kind::negative_cache) > 0)
      options.rules =
          options.rules.without(tarn::testing::history_rule::fresh).without(tarn::testing::history_rule::sessions);
    const history_report report = history_check(recorder_.recorded(), options).run();
    if (!report.good()) return report.message();
    const auto found = last.check();
    if (!found) return found.error().message();
    return found->sound() ? std::string() : found->findings[0].message;
  }

  tarn::memory_store initial_;
  history_recorder recorder_;
  std::vector<std::unique_ptr<simulated_environment>> surroundings_;
  faulty_store::state faults_;
};

int fuzz_operations(const unsigned char* data, std::size_t size) {
  const workload asked = read_workload(text_of(data, size));
  auto run = std::make_unique<simulated_run>(asked);
  exploration_options options;
  options.initial = run->initial();
  options.by = explore_by::bytes{asked.order};
  options.begin = [&](const fault_plan&) { run = std::make_unique<simulated_run>(asked); };
  options.check = [&](const explored_moment& end) { return run->judge(end.store()); };
  options.repeat_every = 0;
  options.shrink_runs_max = 0;
  std::vector<explored_program> programs;
  for (std::size_t client = 0; client < asked.clients.size(); ++client)
    programs.push_back(
        {std::string(1, static_cast<char>('a' + client)),
         [&asked, &run, client](explored_store content) { run->work(client, asked.clients[client], content); }});
  const exploration_report report = explore(std::move(programs), options);
  expect(report.passed(), "a run leaves a lake as it was promised", report.text());
  return 0;
}

}  // namespace

const target targets::operations{"operations", fuzz_operations, nullptr};

}  // namespace tarn_test::fuzz
