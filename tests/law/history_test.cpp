// LAW: whatever clients do, in whatever order, and whatever the store does to them, a lake is what the model says.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tarn/client.hpp>
#include <tarn/log/log.hpp>
#include <tarn/store/file_store.hpp>
#include <tarn/store/memory_store.hpp>
#include <utility>
#include <vector>

#include "../support/commit_account.hpp"
#include "../support/faulty_store.hpp"
#include "../support/findings.hpp"
#include "../support/model.hpp"
#include "../support/operations.hpp"
#include "../support/random_rows.hpp"
#include "../support/random_source.hpp"
#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
using tarn::errc;

// Two of them are one name, since case makes no difference.
const std::vector<std::string> table_names = {"a", "b", "B", "c_1.x-y"};

class in_faulty_memory {
 public:
  using store = faulty_store;
  [[nodiscard]] store open() const { return {content_, plan_}; }
  [[nodiscard]] tarn::memory_store raw() const { return content_; }
  [[nodiscard]] fault_plan& faults() const { return *plan_; }

 private:
  tarn::memory_store content_;
  std::shared_ptr<fault_plan> plan_ = std::make_shared<fault_plan>();
};

template <class Stores>
inline constexpr bool is_faulty = std::is_same_v<Stores, in_faulty_memory>;

// --- one history -------------------------------------------------------------------------------------------------

// Runs a plan against a lake and the model side by side, until they differ.
template <class Stores>
class history {
 public:
  history(const history_plan& plan, tally& happened)
      : plan_(plan), environment_(plan.seed), found_(happened), account_(plan.rebase_limit, found_) {
    options_.bounds.rows_per_object = plan.rows_per_object;
    options_.commit.inline_bytes_max = tarn_test::some_inline_bytes(plan.seed >> 7);
    options_.commit.rebase_limit = plan.rebase_limit;
    options_.commit.backoff.attempts_max = plan.attempts_max;
    options_.surroundings = environment_.get();
    for (std::size_t made = 0; made < plan.clients; ++made) clients_.push_back({open_client(), {}, {}});
  }

  void run() {
    for (at_ = 0; at_ < plan_.operations.size() && found_.good(); ++at_) do_operation(plan_.operations[at_]);
    if (found_.good()) finish();
  }

  [[nodiscard]] const findings& found() const { return found_; }
  // How many operations it took.
  [[nodiscard]] std::size_t position() const { return at_; }

 private:
  using client = tarn::client<typename Stores::store>;
  using transaction = typename client::transaction_type;

  struct open_transaction {
    transaction real;
    model_transaction model;
    bool ended = false;  // by commit, by rollback or by a failed flush
  };
  struct open_scan {
    typename transaction::row_scan real;
    rows expected;
    std::size_t seen = 0;
  };
  struct client_state {
    client lake;
    std::optional<open_transaction> transactions[transactions_per_client];
    std::optional<open_scan> scan;
  };

  // --- what every operation needs ---

  [[nodiscard]] client open_client() { return client(stores_.open(), options_); }
  [[nodiscard]] const model_lake& model() const { return account_.lake(); }
  [[nodiscard]] tarn::version head() const { return model().head(); }

  void fail(const std::string& what) { found_.fail(what); }
  void expect(bool holds, const std::string& what) { found_.expect(holds, what); }
  void tell(const std::string& what) { found_.tell(what); }
  void count(const std::string& what) { found_.count(what); }

  // What the store has done to the current operation.
  [[nodiscard]] disturbance disturbed() const {
    if constexpr (is_faulty<Stores>)
      return {stores_.faults().injected() > 0, stores_.faults().unclear() > 0};
    else
      return {};
  }

  // True if a call succeeded as the model says that it would.
  template <class Result>
  [[nodiscard]] bool agree(const Result& real, const model_transaction::answer& expected, const std::string& what) {
    if (real.has_value() && !expected) return true;
    if (real.has_value()) {
      fail(what + " succeeded, expected " + std::string(name_of(*expected)));
    } else if (!expected) {
      if (!disturbed().any || !may_be_injected(real.error().code())) fail(what + " failed: " + real.error().message());
    } else if (real.error().code() != *expected) {
      fail(what + " failed with " + real.error().message() + ", expected " + std::string(name_of(*expected)));
    }
    return false;
  }

  void follow_log() {
    if constexpr (is_faulty<Stores>)
      account_.follow_log(stores_.raw());
    else
      account_.follow_log(stores_.open());
  }

  // --- the operations ---

  void do_operation(const operation& next) {
    if constexpr (is_faulty<Stores>) stores_.faults().inject(next.seed, next.fault_percent);
    random_source random(next.seed);
    environment_.clock.ms += static_cast<std::int64_t>(random.below(7)) - 3;  // it also steps back
    client_state& mine = clients_[next.client];
    const std::string& table = table_names[next.table];
    found_.enter("client " + std::to_string(next.client) + ", transaction " + std::to_string(next.transaction) + ": ");
    switch (next.kind) {
      case operation_kind::begin: begin(mine, next.transaction); break;
      case operation_kind::begin_at: begin_at(mine, next.transaction, random); break;
      case operation_kind::copy_client: copy_client(mine, random); break;
      case operation_kind::reopen_client: reopen_client(mine); break;
      case operation_kind::read_version: read_version(mine, random); break;
      case operation_kind::find_commit: find_commit(mine, random); break;
      case operation_kind::continue_scan: continue_scan(mine, random); break;
      default: in_transaction(mine, next, table, random);
    }
    follow_log();
  }

  void in_transaction(client_state& mine, const operation& next, const std::string& table, random_source& random) {
    std::optional<open_transaction>& open = mine.transactions[next.transaction];
    if (!open) return begin(mine, next.transaction);
    if (!open->ended) return use(mine, *open, next.kind, table, random);
    use_finished(*open, next.kind, table);
    if (random.chance(70)) begin(mine, next.transaction);
  }

  void use(client_state& mine, open_transaction& open, operation_kind kind, const std::string& table,
           random_source& random) {
    switch (kind) {
      case operation_kind::create_table: return create_table(open, table, random);
      case operation_kind::drop_table: return drop_table(open, table);
      case operation_kind::insert_row: return insert(open, table, 1, random);
      case operation_kind::insert_rows: return insert(open, table, 2 + random.below(5), random);
      case operation_kind::insert_wrong_row: return insert_wrong_row(open, table, random);
      case operation_kind::flush: return flush(open);
      case operation_kind::scan: return scan(open, table);
      case operation_kind::start_scan: return start_scan(mine, open, table);
      case operation_kind::list_tables: return list_tables(open);
      case operation_kind::has_table: return has_table(open, table);
      case operation_kind::columns: return columns(open, table);
      case operation_kind::commit: return commit(mine, open, random);
      default: return rollback(open);
    }
  }

  // `lowest` to the head as it is now: what a client may take for the newest version.
  void keep(client_state& mine, std::size_t slot, tarn::result<transaction> real, tarn::version lowest) {
    follow_log();
    if (!agree(real, {}, "begin")) return;
    const tarn::version read = real->read_version();
    expect(read >= lowest && read <= head(),
           "reads version " + std::to_string(read.number) + ", the head is " + std::to_string(head().number));
    if (!found_.good()) return;
    mine.transactions[slot].emplace(
        open_transaction{*std::move(real), model_transaction(read, model().state_at(read), plan_.rows_per_object)});
    tell("begin at version " + std::to_string(read.number));
  }

  void begin(client_state& mine, std::size_t slot) {
    mine.transactions[slot].reset();  // rolled back, if it is open
    const tarn::version before = head();
    keep(mine, slot, mine.lake.begin(), before);
  }

  void begin_at(client_state& mine, std::size_t slot, random_source& random) {
    const tarn::version before = head();
    const tarn::version at{static_cast<std::int64_t>(random.below(static_cast<std::size_t>(before.number + 3))) - 1};
    auto real = mine.lake.begin_at(at);
    follow_log();
    if (at > before && !disturbed().any)
      return (void)agree(real, errc::not_found, "begin at version " + std::to_string(at.number));
    if (at > before) return;  // it may have appeared
    if (real.has_value()) expect(real->read_version() == at, "begin_at reads another version");
    mine.transactions[slot].reset();
    keep(mine, slot, std::move(real), at);
    count("begin at an old version");
  }

  void create_table(open_transaction& open, const std::string& table, random_source& random) {
    const tarn::schema columns = random_schema(random);
    if (random.chance(5)) {  // nothing is read or changed
      (void)agree(open.real.create_table("../" + table, columns), errc::invalid_name, "create with a wrong name");
      (void)agree(open.real.create_table(table, {}), errc::invalid_argument, "create without columns");
    }
    tell("create " + table + " with " + std::to_string(columns.size()) + " columns");
    (void)agree(open.real.create_table(table, columns), open.model.create_table(table, columns), "create " + table);
  }

  void drop_table(open_transaction& open, const std::string& table) {
    tell("drop " + table);
    (void)agree(open.real.drop_table(table), open.model.drop_table(table), "drop " + table);
  }

  void insert(open_transaction& open, const std::string& table, std::size_t size, random_source& random) {
    if (!open.model.has_table(table) && random.chance(70)) return create_table(open, table, random);
    rows more;
    for (std::size_t made = 0; made < size; ++made) more.push_back(random_row(random, open.model.columns(table)));
    tell("insert " + std::to_string(size) + " into " + table);
    const tarn::status real = size == 1   ? open.real.insert(table, more[0])
                              : size == 2 ? open.real.insert(table, {more[0], more[1]})
                                          : open.real.insert(table, more);
    const auto model = open.model.insert(table, more);
    if (!agree(real, model, "insert into " + table) && !model) fail_transaction(open);
  }

  // All of it or nothing: the good row before the wrong one is not inserted either.
  void insert_wrong_row(open_transaction& open, const std::string& table, random_source& random) {
    const bool exists = open.model.has_table(table);
    rows more{random_row(random, open.model.columns(table)), random_row(random, open.model.columns(table))};
    more[1].emplace_back(1);
    tell("insert a wrong row into " + table);
    (void)agree(open.real.insert(table, more), exists ? errc::invalid_argument : errc::no_such_table, "insert");
  }

  void flush(open_transaction& open) {
    tell("flush");
    open.model.flush();
    if (!agree(open.real.flush(), {}, "flush")) fail_transaction(open);
  }

  void fail_transaction(open_transaction& open) {
    open.ended = true;
    count("failed flush");
    tell("has failed");
  }

  void scan(open_transaction& open, const std::string& table) {
    tell("scan " + table);
    auto real = open.real.scan(table);
    const auto expected = open.model.scan(table);
    if (!agree(real, expected ? model_transaction::answer() : errc::no_such_table, "scan")) return;
    open_scan whole{*std::move(real), *expected};
    if (read_rows(whole, std::numeric_limits<std::size_t>::max())) count("scan");
  }

  void start_scan(client_state& mine, open_transaction& open, const std::string& table) {
    tell("start to scan " + table);
    auto real = open.real.scan(table);
    const auto expected = open.model.scan(table);
    if (!agree(real, expected ? model_transaction::answer() : errc::no_such_table, "scan")) return;
    mine.scan.emplace(open_scan{*std::move(real), *expected});
  }

  // A scan that was started in some transaction, which may have gone on or ended since.
  void continue_scan(client_state& mine, random_source& random) {
    if (!mine.scan) return;
    tell("continue the scan");
    if (read_rows(*mine.scan, 1 + random.below(4))) mine.scan.reset();
    count("scan continued later");
  }

  // True at the end of the scan, expected or not.
  [[nodiscard]] bool read_rows(open_scan& scan, std::size_t rows_max) {
    for (std::size_t read = 0; read < rows_max; ++read) {
      if (!scan.real.next()) {
        if (agree(scan.real.status(), {}, "scan"))
          expect(scan.seen == scan.expected.size(), "the scan ended after " + std::to_string(scan.seen) + " of " +
                                                        std::to_string(scan.expected.size()) + " rows");
        return true;
      }
      if (scan.seen >= scan.expected.size() || !(scan.real.row() == tarn::row_view(scan.expected[scan.seen]))) {
        fail("the scan differs in row " + std::to_string(scan.seen));
        return true;
      }
      ++scan.seen;
    }
    return false;
  }

  void list_tables(open_transaction& open) {
    tell("list the tables");
    const auto real = open.real.tables();
    const auto model = open.model.tables();
    if (agree(real, {}, "tables")) expect(*real == model, "other tables");
  }

  void has_table(open_transaction& open, const std::string& table) {
    tell("look whether there is " + table);
    const auto real = open.real.has_table(table);
    const bool model = open.model.has_table(table);
    if (agree(real, {}, "has_table")) expect(*real == model, "has_table differs");
  }

  void columns(open_transaction& open, const std::string& table) {
    tell("look at the columns of " + table);
    const auto real = open.real.columns(table);
    const bool exists = open.model.has_table(table);
    if (!agree(real, exists ? model_transaction::answer() : errc::no_such_table, "columns")) return;
    const tarn::schema& expected = open.model.columns(table);
    bool same = real->size() == expected.size();
    for (std::size_t at = 0; same && at < expected.size(); ++at)
      same = (*real)[at].name == expected[at].name && (*real)[at].type == expected[at].type &&
             (*real)[at].nullable == expected[at].nullable && (*real)[at].id.number == at + 1;
    expect(same, "other columns");
  }

  void rollback(open_transaction& open) {
    tell("roll back");
    open.real.rollback();
    open.ended = true;
  }

  // Whatever is asked of it, it says that it has ended.
  void use_finished(open_transaction& open, operation_kind kind, const std::string& table) {
    if (kind == operation_kind::scan) return (void)agree(open.real.scan(table), errc::finished, "scan");
    if (kind == operation_kind::commit) return (void)agree(open.real.commit(), errc::finished, "commit");
    if (kind == operation_kind::flush) return (void)agree(open.real.flush(), errc::finished, "flush");
    if (kind == operation_kind::list_tables) return (void)agree(open.real.tables(), errc::finished, "tables");
    if (kind == operation_kind::has_table) return (void)agree(open.real.has_table(table), errc::finished, "has_table");
    if (kind == operation_kind::insert_row) return (void)agree(open.real.insert(table, {1}), errc::finished, "insert");
    if (kind == operation_kind::create_table)
      return (void)agree(open.real.create_table(table, {"x"}), errc::finished, "create");
    if (kind == operation_kind::drop_table) return (void)agree(open.real.drop_table(table), errc::finished, "drop");
    if (kind == operation_kind::rollback) open.real.rollback();
  }

  // Perhaps another client commits while this one does: between its reads, or between its last one and its put.
  void commit(const client_state& mine, open_transaction& open, random_source& random) {
    if constexpr (is_faulty<Stores>) {
      client_state& other = clients_[random.below(clients_.size())];
      std::optional<open_transaction>& theirs = other.transactions[random.below(transactions_per_client)];
      if (&other != &mine && theirs && !theirs->ended && random.chance(60)) {
        const std::string where = found_.where();
        stores_.faults().interrupt(random.below(4), [&] {
          found_.enter("meanwhile, another client: ");
          commit_one(*theirs);
          found_.enter(where);
        });
        const bool committed = commit_one(open);
        if (!stores_.faults().take_interruption()) return;
        return count(committed ? "interrupted and committed" : "interrupted and not committed");
      }
    }
    (void)commit_one(open);
  }

  bool commit_one(open_transaction& open) {
    follow_log();
    open.model.flush();
    open.ended = true;
    commit_record& record = account_.open(open.real.id(), open.model);
    const std::size_t calls = store_calls();
    const tarn::result<tarn::version> said = open.real.commit();
    if (record.changes.empty()) expect(store_calls() == calls, "touched the store, though there is nothing to commit");
    follow_log();
    if (!found_.good()) return false;
    tell("commit: " + (said ? "version " + std::to_string(said->number) : said.error().message()));
    account_.judge_commit(record, said, disturbed());
    return said.has_value();
  }

  [[nodiscard]] std::size_t store_calls() const {
    if constexpr (is_faulty<Stores>)
      return stores_.faults().calls();
    else
      return 0;
  }

  void copy_client(client_state& mine, random_source& random) {
    tell("becomes a copy");
    mine.lake = clients_[random.below(clients_.size())].lake;  // perhaps of itself
  }

  void reopen_client(client_state& mine) {
    tell("is opened again");
    mine.lake = open_client();
    count("cold client");
  }

  // Any version that there is reads as it always did.
  void read_version(client_state& mine, random_source& random) {
    if (head().number < 0) return;
    const tarn::version at{static_cast<std::int64_t>(random.below(static_cast<std::size_t>(head().number + 1)))};
    tell("read version " + std::to_string(at.number));
    check_version(mine.lake, at);
    count("version read again");
  }

  void check_version(client& lake, tarn::version at) {
    auto begun = lake.begin_at(at);
    if (!agree(begun, {}, "begin_at")) return;
    const model_state& expected = model().state_at(at);
    const auto tables = begun->tables();
    expect(tables && tables->size() == expected.size(), "other tables");
    for (const auto& [key, table] : expected) {
      auto scan = begun->scan(table.name);
      if (!agree(scan, {}, "scan of version " + std::to_string(at.number))) return;
      open_scan whole{*std::move(scan), table.content};
      (void)read_rows(whole, std::numeric_limits<std::size_t>::max());
    }
  }

  // What became of a commit that did not know.
  void find_commit(client_state& mine, random_source& random) {
    std::vector<const commit_record*> known;
    std::vector<const commit_record*> undecided;
    for (const auto& [id, record] : account_.records()) {
      if (record.in_doubt || record.found != tarn::version()) known.push_back(&record);
      if (record.in_doubt && record.slot_in_doubt > head()) undecided.push_back(&record);
    }
    if (known.empty()) return;
    const auto& among = undecided.empty() ? known : undecided;
    resolve(mine.lake, *among[random.below(among.size())], random.chance(40) ? tarn::settle::yes : tarn::settle::no);
  }

  void resolve(client& lake, const commit_record& record, tarn::settle settle) {
    const tarn::version slot = commit_account::slot_of(record);
    const tarn::version before = head();
    if (settle == tarn::settle::yes) account_.allow_settling();
    const auto said = lake.find_commit(record.id, slot, settle);
    follow_log();
    tell("find the commit in slot " + std::to_string(slot.number) + ": " +
         (said ? std::to_string(static_cast<int>(*said)) : said.error().message()));
    account_.judge_find(record, before, settle, said, disturbed());
  }

  // When everything has arrived, all doubts can be resolved, and every version reads as it always did.
  void finish() {
    found_.enter("at the end: ");
    if constexpr (is_faulty<Stores>) {
      stores_.faults().inject(0, 0);
      tarn::memory_store content = stores_.raw();
      stores_.faults().arrive_all(content);
      note_faults(stores_.faults());
      follow_log();
      stores_.faults().inject(0, 0);
    }
    client lake = open_client();
    for (const auto& [id, record] : account_.records())
      if (record.in_doubt) resolve(lake, record, tarn::settle::yes);
    client cold = open_client();
    for (tarn::version at; at < head();) check_version(cold, at = at.next());
    check_history(cold);
    for (client_state& each : clients_) {
      const auto warm = each.lake.begin();
      if (agree(warm, {}, "begin")) expect(warm->read_version() == head(), "a client does not reach the head");
    }
  }

  void note_faults(const fault_plan& faults) {
    constexpr const char* names[put_faults] = {"not applied",         "no space",           "unknown, landed",
                                               "unknown, not landed", "unknown, under way", "exists, by itself"};
    for (std::size_t kind = 0; kind < put_faults; ++kind)
      found_.count(std::string("put: ") + names[kind], faults.count(static_cast<put_fault>(kind)));
    found_.count("put: arrived late", faults.late_arrivals());
  }

  void check_history(client& lake) {
    auto log = lake.log();
    if (!agree(log, {}, "log")) return;
    tarn::version at;
    tarn::timestamp time;
    while (log->next()) {
      const tarn::commit_summary& entry = log->summary();
      expect(entry.at == at.next(), "the log has a gap");
      expect(at == tarn::version() || entry.time > time, "time steps back");
      expect(same_changes(entry.tables, model().changes_at(entry.at)), "the log says something else");
      at = entry.at;
      time = entry.time;
    }
    if (agree(log->status(), {}, "log")) expect(at == head(), "the log ends early");
  }

  const history_plan& plan_;
  test_environment environment_;
  tarn::client_options options_;
  Stores stores_;
  findings found_;
  commit_account account_;
  std::vector<client_state> clients_;
  std::size_t at_ = 0;
};

// --- many of them ------------------------------------------------------------------------------------------------

template <class Stores>
[[nodiscard]] bool is_good(const history_plan& plan, tally& happened) {
  history<Stores> each(plan, happened);
  each.run();
  return each.found().good();
}

// What went wrong, and the shortest history in which something does.
template <class Stores>
void report(history_plan plan, std::uint64_t number) {
  tally ignored;
  history<Stores> whole(plan, ignored);
  whole.run();
  history_plan shorter = plan;
  shorter.operations.resize(std::min(whole.position(), plan.operations.size()));
  shorter = shrink(std::move(shorter), [&](const history_plan& each) { return !is_good<Stores>(each, ignored); });
  history<Stores> shortest(shorter, ignored);
  shortest.run();
  FAIL_CHECK("TARN_TEST_SEED=", seed_of_this_run(), ", history ", number, " of ", plan.clients, " clients, ",
             plan.rows_per_object, " rows per object, rebase limit ", plan.rebase_limit, ", ", plan.attempts_max,
             " attempts\n", whole.found().failure(), "\nshortest:\n", shortest.found().story(), "  ",
             shortest.found().failure());
}

constexpr std::uint64_t usual_histories = 2'000;

// One of `share` of the usual histories, or of as many as are asked for. All that `must_happen` does in as many.
template <class Stores>
void run_histories(std::uint64_t share, const std::vector<std::string>& must_happen) {
  const std::uint64_t count = number_from_environment("TARN_LAW_HISTORIES", usual_histories / share_of_cases()) / share;
  tally happened;
  random_source seeds(seed_of_this_run());
  for (std::uint64_t number = 0; number < count; ++number) {
    const history_plan plan = make_history(seeds.next(), table_names.size(), is_faulty<Stores>);
    if (is_good<Stores>(plan, happened)) continue;
    report<Stores>(plan, number);
    return;  // one is enough to work on
  }
  std::string summary;
  for (const auto& [what, times] : happened) summary += "\n  " + what + ": " + std::to_string(times);
  MESSAGE("TARN_TEST_SEED=", seed_of_this_run(), ", ", count, " histories", summary);
  if (count < usual_histories / share) return;
  for (const std::string& what : must_happen) CHECK_MESSAGE(happened[what] > 0, "never happened: ", what);
}

const std::vector<std::string> must_happen_always = {
    "conflict: used the name",
    "conflict: listed the tables",
    "conflict: scanned it",
    "conflict: dropped it",
    "conflict: rebase limit",
    "rebase",
    "commit to several tables",
    "commit of several objects of a table",
    "drop",
    "drop and create in one transaction",
    "cold client",
    "begin at an old version",
    "scan",
    "scan continued later",
    "version read again",
};

}  // namespace

TEST_CASE("LAW: every history of clients over memory is the model's") {
  run_histories<in_memory>(1, must_happen_always);
}

TEST_CASE("LAW: every history of clients over files is the model's") {
  run_histories<in_files>(10, {"rebase", "conflict: used the name", "scan", "cold client"});
}

TEST_CASE(
    "LAW: C1, C2, A15: whatever the store does, commits are reported as they are and no row is lost or invented") {
  std::vector<std::string> must_happen = must_happen_always;
  for (const char* const what :
       {"commit in doubt", "commit failed for certain", "committed in spite of faults", "conflict in spite of faults",
        "failed flush", "doubt resolved: committed", "doubt resolved: not committed", "doubt resolved: undecided",
        "slot settled", "interrupted and committed", "interrupted and not committed"})
    must_happen.emplace_back(what);
  run_histories<in_faulty_memory>(1, must_happen);
}
