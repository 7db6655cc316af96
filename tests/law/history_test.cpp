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

#include "../support/faulty_store.hpp"
#include "../support/model.hpp"
#include "../support/operations.hpp"
#include "../support/random_source.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
using tarn::errc;

// Two of them are one name, since case makes no difference.
const std::vector<std::string> table_names = {"a", "b", "B", "c_1.x-y"};

// How often each interesting thing has happened, in all histories of a test.
using tally = std::map<std::string, std::size_t>;

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

// --- rows --------------------------------------------------------------------------------------------------------

[[nodiscard]] tarn::value random_value(random_source& random, int depth) {
  switch (random.below(depth > 0 ? 9 : 7)) {
    case 0: return nullptr;
    case 1: return random.chance(50);
    case 2: return static_cast<std::int64_t>(random.next());
    case 3: {
      constexpr double special[] = {0.0, -0.0, 1e300, 5e-324, std::numeric_limits<double>::infinity()};
      return random.chance(50) ? special[random.below(5)] : static_cast<double>(random.next()) / 3;
    }
    case 4: return std::string(random.below(20), static_cast<char>('a' + random.below(26)));
    case 5: return "\"quoted\" \\ caf\xc3\xa9 \xf0\x9f\xa6\x86\n";
    case 6: return tarn::bytes{std::string_view("\0\xff raw", random.below(7))};
    case 7: return tarn::value::list({random_value(random, depth - 1), random_value(random, depth - 1)});
    default: return tarn::value::map({{"key", random_value(random, depth - 1)}, {"", random_value(random, depth - 1)}});
  }
}

[[nodiscard]] tarn::row random_row(random_source& random, const tarn::schema& columns) {
  tarn::row row;
  for (const tarn::column& column : columns)
    row.push_back(column.type == tarn::column_type::any ? random_value(random, 2)
                                                        : tarn::value(static_cast<std::int64_t>(random.below(1000))));
  return row;
}

[[nodiscard]] tarn::schema random_schema(random_source& random) {
  std::vector<tarn::column> columns;
  if (random.chance(50)) columns.emplace_back("id", tarn::column_type::integer, tarn::nullability::not_null);
  for (std::size_t more = 1 + random.below(3); more > 0; --more) columns.emplace_back("any " + std::to_string(more));
  return tarn::schema(std::move(columns));
}

// --- one history -------------------------------------------------------------------------------------------------

// Runs a plan against a lake and the model side by side, until they differ.
template <class Stores>
class history {
 public:
  history(const history_plan& plan, tally& happened) : plan_(plan), happened_(happened), environment_(plan.seed) {
    options_.bounds.rows_per_object = plan.rows_per_object;
    options_.commit.rebase_limit = plan.rebase_limit;
    options_.commit.backoff.attempts_max = plan.attempts_max;
    options_.surroundings = environment_.get();
    for (std::size_t made = 0; made < plan.clients; ++made) clients_.push_back({open_client(), {}, {}});
  }

  // What went wrong, or nothing.
  [[nodiscard]] std::string run() {
    for (at_ = 0; at_ < plan_.operations.size() && failure_.empty(); ++at_) do_operation(plan_.operations[at_]);
    if (failure_.empty()) finish();
    return failure_;
  }

  // How many operations it took.
  [[nodiscard]] std::size_t position() const { return at_; }
  // What they were, in words.
  [[nodiscard]] const std::string& story() const { return story_; }

 private:
  using client = tarn::client<typename Stores::store>;
  using transaction = typename client::transaction_type;

  struct open_transaction {
    transaction real;
    model_transaction model;
    bool ended = false;   // by commit or rollback
    bool failed = false;  // by a flush
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

  // What is known of a transaction that has tried to commit.
  struct commit_record {
    model_transaction transaction;
    model_changes changes;
    tarn::version found;    // where in the log; -1: nowhere, so far
    bool refused = false;   // its commit said that it is not in the log and never will be
    bool in_doubt = false;  // its commit said that it does not know
    tarn::version slot_in_doubt;
  };

  // --- what every operation needs ---

  [[nodiscard]] client open_client() { return client(stores_.open(), options_); }

  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }
  void expect(bool holds, const std::string& what) {
    if (!holds) fail(what);
  }
  void tell(const std::string& what) { story_ += "  " + what + "\n"; }
  void count(const std::string& what) { ++happened_[what]; }

  // Whether the store has done something to the current operation that excuses an error.
  [[nodiscard]] bool disturbed() const {
    if constexpr (is_faulty<Stores>)
      return stores_.faults().injected() > 0;
    else
      return false;
  }
  [[nodiscard]] static bool may_be_injected(errc code) { return code == errc::io || code == errc::no_space; }

  // True if a call succeeded as the model says that it would.
  template <class Result>
  [[nodiscard]] bool agree(const Result& real, const model_transaction::answer& model, const std::string& what) {
    if (real.has_value() && !model) return true;
    if (real.has_value()) {
      fail(what + " succeeded, expected " + std::string(name_of(*model)));
    } else if (!model) {
      if (!disturbed() || !may_be_injected(real.error().code())) fail(what + " failed: " + real.error().message());
    } else if (real.error().code() != *model) {
      fail(what + " failed with " + real.error().message() + ", expected " + std::string(name_of(*model)));
    }
    return false;
  }

  [[nodiscard]] auto raw_store() const {
    if constexpr (is_faulty<Stores>)
      return stores_.raw();
    else
      return stores_.open();
  }

  // Takes the entries that are new in the log into the model, each under the name of the transaction that it is.
  void follow_log() {
    auto store = raw_store();
    while (failure_.empty()) {
      const auto entry = get_entry(store, model_.head().next(), options_.bounds);
      if (!entry && entry.error().code() == errc::not_found) return;
      if (!entry) return fail("the log is damaged: " + entry.error().message());
      follow(entry->content);
    }
  }

  void follow(const tarn::entry& entry) {
    const std::string version = "version " + std::to_string(entry.at.number);
    const auto found = commits_.find(entry.transaction);
    if (found == commits_.end()) {
      expect(settled_ && entry.operation == "settle" && entry.actions.empty(),
             version + " is of an unknown transaction");
      count("slot settled");
      return model_.commit({});
    }
    commit_record& record = found->second;
    expect(record.found == tarn::version(), version + " is of a transaction that is in the log already");
    expect(!record.refused, version + " is of a transaction whose commit had failed");
    expect(record.transaction.read_version() == entry.read_version, version + " has another read_version");
    const auto conflicts = model_.conflicts(record.transaction, model_.head(), plan_.rebase_limit);
    for (const std::string& reason : conflicts) fail(version + " follows a conflict: " + reason);
    expect(same_changes(changes_in(entry), record.changes), version + " has other changes than the transaction");
    count("commit");
    if (entry.read_version.next() != entry.at) count("rebase");
    note_changes(record.changes);
    record.found = entry.at;
    model_.commit(record.changes);
  }

  // An entry as history would tell it.
  [[nodiscard]] static std::vector<tarn::table_change> changes_in(const tarn::entry& entry) {
    std::vector<tarn::table_change> changes;
    for (const auto& [table, actions] : entry.actions) {
      tarn::table_change& change = changes.emplace_back();
      change.table = table;
      for (const tarn::action& action : actions) {
        if (action.kind == tarn::action_kind::create_table) change.created = true;
        if (action.kind == tarn::action_kind::drop_table) change.dropped = true;
        if (action.kind != tarn::action_kind::add_object) continue;
        ++change.objects;
        change.rows += action.object.rows;
      }
    }
    return changes;
  }

  [[nodiscard]] static bool same_changes(const std::vector<tarn::table_change>& changes, const model_changes& model) {
    if (changes.size() != model.size()) return false;
    auto expected = model.begin();
    for (const tarn::table_change& change : changes) {
      const model_change& mine = (expected++)->second;
      if (change.table != mine.name || change.created != mine.created || change.dropped != mine.dropped) return false;
      if (change.rows != mine.appended.size() || change.objects != mine.objects || !change.counted) return false;
    }
    return true;
  }

  void note_changes(const model_changes& changes) {
    if (changes.size() > 1) count("commit to several tables");
    for (const auto& [key, change] : changes) {
      if (change.objects > 1) count("commit of several objects of a table");
      if (change.created && change.dropped) count("drop and create in one transaction");
      if (change.dropped && !change.created) count("drop");
    }
  }

  // --- the operations ---

  void do_operation(const operation& next) {
    if constexpr (is_faulty<Stores>) stores_.faults().inject(next.seed, next.fault_percent);
    random_source random(next.seed);
    environment_.clock.ms += static_cast<std::int64_t>(random.below(7)) - 3;  // it also steps back
    client_state& mine = clients_[next.client];
    const std::string& table = table_names[next.table];
    who_ = "client " + std::to_string(next.client) + ", transaction " + std::to_string(next.transaction) + ": ";
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
    if (!failure_.empty()) failure_ = who_ + failure_;
  }

  void in_transaction(client_state& mine, const operation& next, const std::string& table, random_source& random) {
    std::optional<open_transaction>& open = mine.transactions[next.transaction];
    if (!open) return begin(mine, next.transaction);
    if (!open->ended && !open->failed) return use(mine, *open, next.kind, table, random);
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
    expect(read >= lowest && read <= model_.head(),
           "reads version " + std::to_string(read.number) + ", the head is " + std::to_string(model_.head().number));
    if (!failure_.empty()) return;
    mine.transactions[slot].emplace(
        open_transaction{*std::move(real), model_transaction(read, model_.state_at(read), plan_.rows_per_object)});
    tell(who_ + "begin at version " + std::to_string(read.number));
  }

  void begin(client_state& mine, std::size_t slot) {
    mine.transactions[slot].reset();  // rolled back, if it is open
    const tarn::version head = model_.head();
    keep(mine, slot, mine.lake.begin(), head);
  }

  void begin_at(client_state& mine, std::size_t slot, random_source& random) {
    const tarn::version head = model_.head();
    const tarn::version at{static_cast<std::int64_t>(random.below(static_cast<std::size_t>(head.number + 3))) - 1};
    auto real = mine.lake.begin_at(at);
    follow_log();
    if (at > head && !disturbed())
      return (void)agree(real, errc::not_found, "begin at version " + std::to_string(at.number));
    if (at > head) return;  // it may have appeared
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
    tell(who_ + "create " + table + " with " + std::to_string(columns.size()) + " columns");
    (void)agree(open.real.create_table(table, columns), open.model.create_table(table, columns), "create " + table);
  }

  void drop_table(open_transaction& open, const std::string& table) {
    tell(who_ + "drop " + table);
    (void)agree(open.real.drop_table(table), open.model.drop_table(table), "drop " + table);
  }

  void insert(open_transaction& open, const std::string& table, std::size_t size, random_source& random) {
    if (!open.model.has_table(table) && random.chance(70)) return create_table(open, table, random);
    rows more;
    for (std::size_t made = 0; made < size; ++made) more.push_back(random_row(random, open.model.columns(table)));
    tell(who_ + "insert " + std::to_string(size) + " into " + table);
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
    tell(who_ + "insert a wrong row into " + table);
    (void)agree(open.real.insert(table, more), exists ? errc::invalid_argument : errc::no_such_table, "insert");
  }

  void flush(open_transaction& open) {
    tell(who_ + "flush");
    open.model.flush();
    if (!agree(open.real.flush(), {}, "flush")) fail_transaction(open);
  }

  void fail_transaction(open_transaction& open) {
    open.failed = true;
    count("failed flush");
    tell(who_ + "has failed");
  }

  void scan(open_transaction& open, const std::string& table) {
    tell(who_ + "scan " + table);
    auto real = open.real.scan(table);
    const auto expected = open.model.scan(table);
    if (!agree(real, expected ? model_transaction::answer() : errc::no_such_table, "scan")) return;
    open_scan whole{*std::move(real), *expected};
    if (read_rows(whole, std::numeric_limits<std::size_t>::max())) count("scan");
  }

  void start_scan(client_state& mine, open_transaction& open, const std::string& table) {
    tell(who_ + "start to scan " + table);
    auto real = open.real.scan(table);
    const auto expected = open.model.scan(table);
    if (!agree(real, expected ? model_transaction::answer() : errc::no_such_table, "scan")) return;
    mine.scan.emplace(open_scan{*std::move(real), *expected});
  }

  // A scan that was started in some transaction, which may have gone on or ended since.
  void continue_scan(client_state& mine, random_source& random) {
    if (!mine.scan) return;
    tell(who_ + "continue the scan");
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
    tell(who_ + "list the tables");
    const auto real = open.real.tables();
    const auto model = open.model.tables();
    if (agree(real, {}, "tables")) expect(*real == model, "other tables");
  }

  void has_table(open_transaction& open, const std::string& table) {
    tell(who_ + "look whether there is " + table);
    const auto real = open.real.has_table(table);
    const bool model = open.model.has_table(table);
    if (agree(real, {}, "has_table")) expect(*real == model, "has_table differs");
  }

  void columns(open_transaction& open, const std::string& table) {
    tell(who_ + "look at the columns of " + table);
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
    tell(who_ + "roll back");
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
      if (&other != &mine && theirs && !theirs->ended && !theirs->failed && random.chance(60)) {
        const std::string who = who_;
        stores_.faults().interrupt(random.below(4), [&] {
          who_ = "meanwhile, in " + who;
          commit_one(*theirs);
          who_ = who;
        });
        const bool committed = commit_one(open);
        if (!stores_.faults().take_interruption()) return;
        return count(committed ? "interrupted and committed" : "interrupted and not committed");
      }
    }
    (void)commit_one(open);
  }

  // What must hold for every outcome. That a version is the next one and follows no conflict is seen in the log, that a
  // refusal has its reason here; so that, where the store does no harm, there is one possible outcome only.
  bool commit_one(open_transaction& open) {
    follow_log();
    open.model.flush();
    open.ended = true;
    const tarn::uuid id = open.real.id();
    commit_record& record =
        commits_.emplace(id, commit_record{open.model, open.model.changes(), {}, false, false, {}}).first->second;
    const std::size_t calls = store_calls();
    const tarn::result<tarn::version> real = open.real.commit();
    const bool untouched = store_calls() == calls;
    follow_log();
    if (!failure_.empty()) return false;
    tell(who_ + "commit: " + (real ? "version " + std::to_string(real->number) : real.error().message()));
    if (real)
      committed(open, record, *real, untouched);
    else if (real.error().code() == errc::conflict)
      refused_for_conflict(record, real.error());
    else
      failed(open, record, id, real.error());
    return real.has_value();
  }

  [[nodiscard]] std::size_t store_calls() const {
    if constexpr (is_faulty<Stores>)
      return stores_.faults().calls();
    else
      return 0;
  }

  void committed(const open_transaction& open, const commit_record& record, tarn::version at, bool untouched) {
    if (record.changes.empty()) {
      expect(untouched, "touched the store, though there was nothing to commit");
      return expect(at == open.model.read_version(), "nothing to commit, but another version");
    }
    expect(record.found == at, "says version " + std::to_string(at.number) + ", is at " +
                                   std::to_string(record.found.number) + " in the log");
    if (disturbed()) count("committed in spite of faults");
  }

  void refused_for_conflict(commit_record& record, const tarn::error& why) {
    record.refused = true;
    expect(record.found == tarn::version(), "says conflict, but is in the log");
    expect(why.retry_helps(), "a conflict that does not advise to try again");
    const auto reasons = model_.conflicts(record.transaction, model_.head(), plan_.rebase_limit);
    expect(!reasons.empty(), "says conflict, but there is none: " + why.message());
    for (const std::string& reason : reasons) count("conflict: " + reason);
    if (disturbed()) count("conflict in spite of faults");
  }

  void failed(open_transaction& open, commit_record& record, const tarn::uuid& id, const tarn::error& why) {
    if (!disturbed()) return fail("failed: " + why.message());
    if (why.code() == errc::commit_unknown) {
      record.in_doubt = true;
      record.slot_in_doubt = why.in_doubt().slot;
      if constexpr (is_faulty<Stores>)
        expect(stores_.faults().unclear() > 0, "is in doubt, though every answer was clear");
      expect(why.in_doubt().transaction == id, "is in doubt about another transaction");
      expect(record.slot_in_doubt > open.model.read_version(), "is in doubt about an impossible slot");
      expect(record.found == tarn::version() || record.found == record.slot_in_doubt,
             "is in another slot than it says");
      return count("commit in doubt");
    }
    expect(may_be_injected(why.code()), "failed: " + why.message());
    expect(record.found == tarn::version(), "says that it failed, but is in the log: " + why.message());
    record.refused = true;
    count("commit failed for certain");
    // Whether the flush has failed or what came after it: no more than a rollback is possible.
    (void)agree(open.real.commit(), errc::finished, "commit after a failed one");
  }

  void copy_client(client_state& mine, random_source& random) {
    tell(who_ + "becomes a copy");
    mine.lake = clients_[random.below(clients_.size())].lake;  // perhaps of itself
  }

  void reopen_client(client_state& mine) {
    tell(who_ + "is opened again");
    mine.lake = open_client();
    count("cold client");
  }

  // Any version that there is reads as it always did.
  void read_version(client_state& mine, random_source& random) {
    if (model_.head().number < 0) return;
    const tarn::version at{static_cast<std::int64_t>(random.below(static_cast<std::size_t>(model_.head().number + 1)))};
    tell(who_ + "read version " + std::to_string(at.number));
    check_version(mine.lake, at);
    count("version read again");
  }

  void check_version(client& lake, tarn::version at) {
    auto begun = lake.begin_at(at);
    if (!agree(begun, {}, "begin_at")) return;
    const model_state& expected = model_.state_at(at);
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
    using named_record = std::pair<const tarn::uuid, commit_record>;
    std::vector<const named_record*> known;
    std::vector<const named_record*> undecided;
    for (const named_record& each : commits_) {
      const commit_record& record = each.second;
      if (record.in_doubt || record.found != tarn::version()) known.push_back(&each);
      if (record.in_doubt && record.slot_in_doubt > model_.head()) undecided.push_back(&each);
    }
    if (known.empty()) return;
    const auto& among = undecided.empty() ? known : undecided;
    const named_record* const chosen = among[random.below(among.size())];
    const tarn::settle settle = random.chance(40) ? tarn::settle::yes : tarn::settle::no;
    resolve(mine.lake, chosen->first, chosen->second, settle);
  }

  void resolve(client& lake, const tarn::uuid& id, const commit_record& record, tarn::settle settle) {
    const tarn::version slot = record.in_doubt ? record.slot_in_doubt : record.found;
    const bool was_empty = model_.head() < slot;
    settled_ = settle == tarn::settle::yes;
    const auto real = lake.find_commit(id, slot, settle);
    follow_log();
    tell(who_ + "find the commit in slot " + std::to_string(slot.number) + ": " +
         (real ? std::to_string(static_cast<int>(*real)) : real.error().message()));
    if (!real) {
      const bool excused = may_be_injected(real.error().code()) || real.error().code() == errc::commit_unknown;
      return expect(disturbed() && excused, "find_commit failed: " + real.error().message());
    }
    const bool is_empty = model_.head() < slot;
    if (*real == tarn::commit_state::committed) {
      expect(record.found == slot, "is found, but not in the log");
    } else if (*real == tarn::commit_state::not_committed) {
      expect(!is_empty && record.found != slot, "is said not to be committed, but is or may be");
    } else {
      expect(was_empty, "is said to be undecided, but is not");
      expect(settle == tarn::settle::no, "was to be settled, but is undecided");
    }
    if (record.in_doubt) {
      constexpr const char* states[] = {"committed", "not committed", "undecided"};
      count(std::string("doubt resolved: ") + states[static_cast<std::size_t>(*real)]);
    }
  }

  // When everything has arrived, all doubts can be resolved, and every version reads as it always did.
  void finish() {
    who_ = "at the end: ";
    if constexpr (is_faulty<Stores>) {
      stores_.faults().inject(0, 0);
      tarn::memory_store content = stores_.raw();
      stores_.faults().arrive_all(content);
      note_faults(stores_.faults());
      follow_log();
      stores_.faults().inject(0, 0);
    }
    client lake = open_client();
    for (auto& [id, record] : commits_)
      if (record.in_doubt) resolve(lake, id, record, tarn::settle::yes);
    client cold = open_client();
    for (tarn::version at; at < model_.head();) check_version(cold, at = at.next());
    check_history(cold);
    for (client_state& each : clients_) {
      const auto warm = each.lake.begin();
      if (agree(warm, {}, "begin")) expect(warm->read_version() == model_.head(), "a client does not reach the head");
    }
    if (!failure_.empty() && failure_.find(who_) != 0) failure_ = who_ + failure_;
  }

  void note_faults(const fault_plan& faults) {
    constexpr const char* names[put_faults] = {"not applied",         "no space",           "unknown, landed",
                                               "unknown, not landed", "unknown, under way", "exists, by itself"};
    for (std::size_t kind = 0; kind < put_faults; ++kind)
      happened_[std::string("put: ") + names[kind]] += faults.count(static_cast<put_fault>(kind));
    happened_["put: arrived late"] += faults.late_arrivals();
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
      expect(same_changes(entry.tables, model_.changes_at(entry.at)), "the log says something else");
      at = entry.at;
      time = entry.time;
    }
    if (agree(log->status(), {}, "log")) expect(at == model_.head(), "the log ends early");
  }

  const history_plan& plan_;
  tally& happened_;
  test_environment environment_;
  tarn::client_options options_;
  Stores stores_;
  model_lake model_;
  std::vector<client_state> clients_;
  std::map<tarn::uuid, commit_record> commits_;
  bool settled_ = false;  // the current operation may fill a slot
  std::size_t at_ = 0;
  std::string who_;
  std::string failure_;
  std::string story_;
};

// --- many of them ------------------------------------------------------------------------------------------------

template <class Stores>
[[nodiscard]] std::string failure_of(const history_plan& plan, tally& happened) {
  return history<Stores>(plan, happened).run();
}

template <class Stores>
void report(history_plan plan, std::uint64_t number) {
  tally ignored;
  history<Stores> first(plan, ignored);
  const std::string failure = first.run();
  plan.operations.resize(std::min(first.position(), plan.operations.size()));
  plan = shrink(std::move(plan),
                [&](const history_plan& shorter) { return !failure_of<Stores>(shorter, ignored).empty(); });
  history<Stores> shortest(plan, ignored);
  const std::string failure_there = shortest.run();
  FAIL_CHECK("TARN_TEST_SEED=", seed_of_this_run(), ", history ", number, " of ", plan.clients, " clients, ",
             plan.rows_per_object, " rows per object, rebase limit ", plan.rebase_limit, ": ", failure, "\nshortest:\n",
             shortest.story(), "  ", failure_there);
}

// The number of histories in a normal run; more on demand.
[[nodiscard]] std::uint64_t histories(std::uint64_t usual) {
  return number_from_environment("TARN_LAW_HISTORIES", usual);
}

template <class Stores>
void run_histories(std::uint64_t count, const std::vector<std::string>& must_happen) {
  tally happened;
  random_source seeds(seed_of_this_run());
  for (std::uint64_t number = 0; number < count; ++number) {
    const history_plan plan = make_history(seeds.next(), table_names.size(), is_faulty<Stores>);
    if (failure_of<Stores>(plan, happened).empty()) continue;
    report<Stores>(plan, number);
    return;  // one is enough to work on
  }
  std::string summary;
  for (const auto& [what, times] : happened) summary += "\n  " + what + ": " + std::to_string(times);
  MESSAGE("TARN_TEST_SEED=", seed_of_this_run(), ", ", count, " histories", summary);
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
  run_histories<in_memory>(histories(2'000), must_happen_always);
}

TEST_CASE("LAW: every history of clients over files is the model's") {
  run_histories<in_files>(histories(2'000) / 10, must_happen_always);
}

TEST_CASE(
    "LAW: C1, C2, A15: whatever the store does, commits are reported as they are and no row is lost or invented") {
  std::vector<std::string> must_happen = must_happen_always;
  for (const char* const what :
       {"commit in doubt", "commit failed for certain", "committed in spite of faults", "conflict in spite of faults",
        "failed flush", "doubt resolved: committed", "doubt resolved: not committed", "doubt resolved: undecided",
        "slot settled", "interrupted and committed", "interrupted and not committed"})
    must_happen.emplace_back(what);
  run_histories<in_faulty_memory>(histories(2'000), must_happen);
}
