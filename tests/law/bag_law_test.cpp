// LAW: a table without a key is the list of rows that its commits say, in their order: whatever the size of objects,
// the flushes, the filters, and the compactions, planned, run and committed at whatever time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/findings.hpp"
#include "../support/random_source.hpp"
#include "../support/run_histories.hpp"
#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
using tarn::condition;
using tarn::filter;
using tarn::row;

// A row and what no other row has.
struct model_row {
  std::uint64_t serial;
  row values;
};
using model_rows = std::vector<model_row>;
using serials = std::set<std::uint64_t>;

// What one version did.
struct model_commit {
  bool appended = false;
  serials deleted;                    // rows
  serials moved;                      // rows that a compaction has put into another object
  std::vector<tarn::uuid> compacted;  // objects
};

struct model_version {
  model_rows rows;
  model_commit done;
};

[[nodiscard]] bool have_common(const serials& some, const serials& others) {
  return std::any_of(some.begin(), some.end(), [&](std::uint64_t each) { return others.contains(each); });
}

[[nodiscard]] model_rows matching(const model_rows& all, const filter& wanted) {
  model_rows found;
  for (const model_row& each : all) {
    bool matches = true;
    for (const condition& one : wanted.conditions())
      matches = matches && one.holds_for(each.values[one.column == "n" ? 0 : 1]);
    if (matches) found.push_back(each);
  }
  return found;
}

[[nodiscard]] tarn::value random_cell(random_source& random) {
  switch (random.below(12)) {
    case 0: return nullptr;
    case 1: return static_cast<double>(random.below(20)) - 0.5;
    case 2: return -0.0;
    case 3: return std::string(random.below(80), 'x');
    case 4: return std::string(1 + random.below(2), static_cast<char>('a' + random.below(5)));
    default: return static_cast<std::int64_t>(random.below(20));
  }
}

[[nodiscard]] filter random_filter(random_source& random) {
  tarn::sequence<condition> all;
  for (std::size_t count = random.below(3); count > 0; --count) {
    const auto how = static_cast<tarn::comparison>(random.below(8));
    tarn::value operand = random_cell(random);
    if (tarn::value_view(operand).is_null()) operand = 7;
    all.push_back({random.chance(70) ? "n" : "s", how, operand});
  }
  return filter(std::move(all));
}

template <class Codec>
class bag_history {
 public:
  bag_history(std::uint64_t seed, tally& happened) : random_(seed), environment_(seed), found_(happened) {
    options_.surroundings = environment_.get();
    options_.bounds.rows_per_object = 1 + random_.below(8);
    options_.commit.inline_bytes_max = some_inline_bytes(random_.below(4));
    for (int count = 0; count < 3; ++count) clients_.emplace_back(store_, options_);
    versions_.push_back({});
    auto tx = clients_[0].begin().value();
    tx.create_table("x", {"n", "s"}).value();
    tx.commit().value();
  }

  void run() {
    const std::size_t steps = 20 + random_.below(60);
    for (std::size_t step = 0; step < steps && found_.good(); ++step) {
      found_.enter({"step ", std::to_string(step), ": "});
      environment_.clock.ms += static_cast<std::int64_t>(random_.below(3));
      do_step();
    }
    found_.enter("at the end: ");
    read_all();
  }

  [[nodiscard]] const findings& found() const { return found_; }

 private:
  using client = tarn::client<tarn::memory_store, Codec>;
  using transaction = typename client::transaction_type;

  // A scan that is read bit by bit, while its transaction goes on.
  struct open_scan {
    typename transaction::row_scan real;
    model_rows rows;
    std::size_t next = 0;
  };
  struct open_transaction {
    transaction real;
    std::size_t at;  // the version that it reads
    tarn::isolation level;
    model_rows own;           // all that it has appended, also what it has deleted again
    std::size_t flushed = 0;  // of these
    serials deleted;
    bool scanned = false;
    std::optional<open_scan> scan = {};
  };
  struct open_compaction {
    tarn::compaction_plan plan;
    serials rows;  // that are in its objects
    std::optional<tarn::compacted_objects> done = {};
  };

  void do_step() {
    const std::size_t choice = random_.below(100);
    if (choice < 12 || transactions_.empty()) return begin();
    if (choice < 20) return compact();
    if (choice < 24) return compact_all();
    const std::size_t which = random_.below(transactions_.size());
    open_transaction& tx = transactions_[which];
    if (choice < 42) return insert(tx);
    if (choice < 50) return erase_where(tx);
    if (choice < 58) return update_where(tx);
    if (choice < 76) return move_scan(tx);
    if (choice < 82) return flush(tx);
    if (choice < 88) return read(tx);
    commit(which);
  }

  void begin() {
    const tarn::isolation level = random_.chance(30) ? tarn::isolation::serializable : tarn::isolation::snapshot;
    auto begun = clients_[random_.below(clients_.size())].begin(level);
    if (!begun) return found_.fail(begun.error().message());
    found_.tell("begin");
    transactions_.push_back({*std::move(begun), versions_.size() - 1, level, {}, 0, {}});
  }

  // What the transaction sees, in the order of scans.
  [[nodiscard]] model_rows rows_of(const open_transaction& tx) const {
    model_rows all;
    const auto add = [&](auto first, auto last) {
      for (; first != last; ++first)
        if (!tx.deleted.contains(first->serial)) all.push_back(*first);
    };
    const auto unflushed = tx.own.begin() + static_cast<std::ptrdiff_t>(tx.flushed);
    add(unflushed, tx.own.end());
    add(versions_[tx.at].rows.begin(), versions_[tx.at].rows.end());
    add(tx.own.begin(), unflushed);
    return all;
  }

  void append(open_transaction& tx, row values) {
    if (tx.own.size() - tx.flushed == options_.bounds.rows_per_object) tx.flushed = tx.own.size();
    tx.own.push_back({next_serial_++, std::move(values)});
  }

  void insert(open_transaction& tx) {
    for (std::size_t count = 1 + random_.below(6); count > 0; --count) {
      const row values{random_cell(random_), random_cell(random_)};
      expect_success(tx.real.insert("x", values));
      append(tx, values);
    }
    found_.tell("insert");
  }

  void erase_where(open_transaction& tx) {
    const filter wanted = random_filter(random_);
    const model_rows erased = matching(rows_of(tx), wanted);
    tx.scanned = true;
    const auto said = tx.real.erase_where("x", wanted);
    found_.expect(said.has_value() && *said == erased.size(), "erase_where has erased other rows");
    for (const model_row& each : erased) note_deleted(tx, each.serial);
    found_.tell({"erase_where: ", std::to_string(erased.size())});
  }

  void update_where(open_transaction& tx) {
    const filter wanted = random_filter(random_);
    const model_rows updated = matching(rows_of(tx), wanted);
    const tarn::value with = random_cell(random_);
    tx.scanned = true;
    const auto said = tx.real.update_where("x", wanted, {{"n", with}});
    found_.expect(said.has_value() && *said == updated.size(), "update_where has updated other rows");
    for (const model_row& each : updated) {
      append(tx, {with, each.values[1]});
      note_deleted(tx, each.serial);
    }
    found_.tell({"update_where: ", std::to_string(updated.size())});
  }

  void note_deleted(open_transaction& tx, std::uint64_t serial) {
    const auto is_it = [&](const model_row& each) { return each.serial == serial; };
    const auto own = std::find_if(tx.own.begin(), tx.own.end(), is_it);
    if (own != tx.own.end())
      found_.count(own - tx.own.begin() < static_cast<std::ptrdiff_t>(tx.flushed) ? "deleted in an own object"
                                                                                  : "deleted in the buffer");
    tx.deleted.insert(serial);
  }

  // Opens a scan, or goes on with it and changes some of the rows.
  void move_scan(open_transaction& tx) {
    if (!tx.scan) {
      const filter wanted = random_filter(random_);
      auto opened = tx.real.scan("x", wanted);
      if (!opened) return found_.fail(opened.error().message());
      tx.scan.emplace(open_scan{*std::move(opened), matching(rows_of(tx), wanted)});
      tx.scanned = true;
    }
    for (std::size_t count = random_.below(8); count > 0 && found_.good(); --count) {
      open_scan& scan = *tx.scan;
      const bool is_row = scan.real.next();
      found_.expect(scan.real.status().has_value(), "the scan fails");
      found_.expect(is_row == (scan.next < scan.rows.size()), "a scan has another number of rows");
      if (!is_row || !found_.good()) {
        found_.count("scan: objects skipped", scan.real.statistics().objects_skipped);
        return tx.scan.reset();
      }
      const model_row& expected = scan.rows[scan.next++];
      found_.expect(scan.real.row() == tarn::row_view(expected.values), "a scan stands on another row");
      if (random_.chance(30)) change(tx, expected);
    }
  }

  void change(open_transaction& tx, const model_row& at) {
    const bool gone = tx.deleted.contains(at.serial);
    if (gone) found_.count("scan: on a row that is gone");
    if (random_.chance(50)) {
      expect_success(tx.real.erase(tx.scan->real));
      if (!gone) note_deleted(tx, at.serial);
      return found_.tell("erase by scan");
    }
    const tarn::value with = random_cell(random_);
    const tarn::status said = tx.real.update(tx.scan->real, {{"n", with}});
    found_.expect(said.has_value() != gone, "an update by scan of a row that is gone, or not");
    if (gone) return found_.expect(!said && said.error().code() == tarn::errc::not_found, "not not_found");
    append(tx, {with, at.values[1]});
    note_deleted(tx, at.serial);
    found_.tell("update by scan");
  }

  void flush(open_transaction& tx) {
    expect_success(tx.real.flush());
    tx.flushed = tx.own.size();
    found_.tell("flush");
  }

  void read(open_transaction& tx) {
    tx.scanned = true;
    const filter wanted = random_filter(random_);
    check_rows(tx.real, wanted, matching(rows_of(tx), wanted));
  }

  void commit(std::size_t which) {
    open_transaction tx = std::move(transactions_[which]);
    transactions_.erase(transactions_.begin() + static_cast<std::ptrdiff_t>(which));
    if (random_.chance(10)) return found_.tell("rollback");
    const bool changes = !tx.own.empty() || !tx.deleted.empty();
    const auto said = tx.real.commit();
    if (changes && must_conflict(tx)) {
      found_.count("commit: conflict");
      found_.tell("commit: conflict");
      return found_.expect(!said && said.error().code() == tarn::errc::conflict, "a commit must conflict");
    }
    if (!said) return found_.fail("a commit must succeed: " + said.error().message());
    if (!changes) return found_.expect(said->number == static_cast<std::int64_t>(tx.at), "nothing made a version");
    if (tx.at + 1 < versions_.size() && !tx.deleted.empty()) found_.count("commit: deletes rebased");
    model_version next = versions_.back();
    next.done = {!tx.own.empty(), tx.deleted, {}, {}};
    next.rows.insert(next.rows.end(), tx.own.begin(), tx.own.end());
    std::erase_if(next.rows, [&](const model_row& each) { return tx.deleted.contains(each.serial); });
    add_version(*said, std::move(next));
    found_.tell("commit");
  }

  [[nodiscard]] bool must_conflict(const open_transaction& tx) const {
    const bool reads = tx.scanned && tx.level == tarn::isolation::serializable;
    for (std::size_t at = tx.at + 1; at < versions_.size(); ++at) {
      const model_commit& won = versions_[at].done;
      if (reads && (won.appended || !won.deleted.empty())) return true;
      if (have_common(tx.deleted, won.deleted) || have_common(tx.deleted, won.moved)) return true;
    }
    return false;
  }

  // Plans a compaction, runs one that was planned, or commits one that was run.
  void compact() {
    client& lake = clients_[random_.below(clients_.size())];
    if (!compaction_) {
      const auto plans = lake.plan_compaction("x");
      if (!plans) return found_.fail(plans.error().message());
      if (plans->empty()) return;
      const tarn::compaction_plan& plan = (*plans)[random_.below(plans->size())];
      compaction_ = open_compaction{plan, rows_in(lake, plan.objects)};
      return found_.tell("plan");
    }
    if (!compaction_->done) {
      const auto done = lake.run_compaction(compaction_->plan);
      if (!done) return found_.fail(done.error().message());
      found_.expect(done->plan.objects == compaction_->plan.objects, "a compaction leaves objects out");
      found_.expect(done->object.rows == compaction_->rows.size(), "a compaction has another number of rows");
      if (done->object.id.is_nil()) found_.count("compaction: of nothing");
      compaction_->done = *done;
      return found_.tell("run");
    }
    const open_compaction ours = *std::exchange(compaction_, std::nullopt);
    const auto said = lake.commit_compaction(*ours.done);
    if (is_abandoned(ours)) {
      found_.count("compaction: abandoned");
      return found_.expect(!said && said.error().code() == tarn::errc::conflict, "a compaction must conflict");
    }
    if (!said) return found_.fail("a compaction must succeed: " + said.error().message());
    const auto objects = ours.plan.objects;
    if (ours.plan.at.number + 1 < said->number) found_.count("compaction: committed late");
    model_version next = versions_.back();
    next.done = {false, {}, ours.rows, {objects.begin(), objects.end()}};
    add_version(*said, std::move(next));
    found_.tell("compaction committed");
  }

  [[nodiscard]] bool is_abandoned(const open_compaction& ours) const {
    for (std::size_t at = static_cast<std::size_t>(ours.plan.at.number) + 1; at < versions_.size(); ++at) {
      const model_commit& won = versions_[at].done;
      if (have_common(ours.rows, won.deleted)) return true;
      for (const tarn::uuid& each : ours.plan.objects)
        if (std::find(won.compacted.begin(), won.compacted.end(), each) != won.compacted.end()) return true;
    }
    return false;
  }

  // Each of the versions that this makes is planned at the one before it.
  void compact_all() {
    client& lake = clients_[random_.below(clients_.size())];
    const auto plans = lake.plan_compaction("x");
    if (!plans) return found_.fail(plans.error().message());
    std::vector<serials> rows;
    for (const tarn::compaction_plan& each : *plans) rows.push_back(rows_in(lake, each.objects));
    const auto said = lake.compact("x");
    if (!said) return found_.fail(said.error().message());
    for (std::size_t at = 0; at < rows.size(); ++at) {
      model_version next = versions_.back();
      const auto& objects = (*plans)[at].objects;
      next.done = {false, {}, rows[at], {objects.begin(), objects.end()}};
      add_version({static_cast<std::int64_t>(versions_.size())}, std::move(next));
    }
    found_.expect(said->number == static_cast<std::int64_t>(versions_.size()) - 1, "compact makes other versions");
    found_.expect(lake.plan_compaction("x")->empty(), "something is left to compact");
    found_.tell({"compact: ", std::to_string(rows.size())});
  }

  // The rows that objects have in the newest version: they are in the order of the model's.
  [[nodiscard]] serials rows_in(client& lake, const tarn::sequence<tarn::uuid>& objects) const {
    serials found;
    const tarn::shared_snapshot state = lake.newest_snapshot().value();
    const tarn::object_list& all = state->find_table("x")->objects;
    std::size_t next = 0;
    for (std::size_t at = 0; at < all.size(); ++at) {
      const std::size_t rows = static_cast<std::size_t>(all[at].object.rows - all[at].deleted->size());
      const bool is_asked = std::find(objects.begin(), objects.end(), all[at].object.id) != objects.end();
      for (std::size_t left = rows; left > 0; --left, ++next)
        if (is_asked) found.insert(versions_.back().rows.at(next).serial);
    }
    return found;
  }

  void add_version(tarn::version at, model_version next) {
    found_.expect(at.number == static_cast<std::int64_t>(versions_.size()), "the commit has another version");
    versions_.push_back(std::move(next));
  }

  void read_all() {
    client cold(store_, options_);
    for (std::size_t at = 0; at < versions_.size() && found_.good(); ++at) {
      auto old = cold.begin_at(tarn::version{static_cast<std::int64_t>(at)});
      if (!old) return found_.fail(old.error().message());
      check_rows(*old, {}, versions_[at].rows);
      const filter wanted = random_filter(random_);
      check_rows(*old, wanted, matching(versions_[at].rows, wanted));
    }
  }

  void check_rows(transaction& reading, const filter& wanted, const model_rows& expected) {
    auto scan = reading.scan("x", wanted);
    if (!scan) return found_.fail(scan.error().message());
    std::size_t rows = 0;
    for (; scan->next(); ++rows)
      if (rows >= expected.size() || scan->row() != tarn::row_view(expected[rows].values))
        return found_.fail("version " + std::to_string(reading.read_version().number) + ", row " +
                           std::to_string(rows) + " is another one");
    found_.expect(scan->status().has_value() && rows == expected.size(), "rows are missing");
    found_.count("scan: objects skipped", scan->statistics().objects_skipped);
    found_.count("scan: objects read", scan->statistics().objects);
  }

  void expect_success(const tarn::status& said) {
    if (!said) found_.fail(said.error().message());
  }

  random_source random_;
  test_environment environment_;
  findings found_;
  tarn::client_options options_;
  tarn::memory_store store_;
  std::vector<client> clients_;
  std::vector<model_version> versions_;
  std::vector<open_transaction> transactions_;
  std::optional<open_compaction> compaction_;
  std::uint64_t next_serial_ = 0;
};

constexpr const char* must_happen[] = {
    "commit: conflict",       "commit: deletes rebased",    "compaction: abandoned", "compaction: committed late",
    "compaction: of nothing", "deleted in an own object",   "deleted in the buffer", "scan: objects read",
    "scan: objects skipped",  "scan: on a row that is gone"};

// Whether it was good.
template <class Codec>
bool check_history(std::uint64_t seed, tally& happened) {
  bag_history<Codec> history(seed, happened);
  history.run();
  if (!history.found().good())
    FAIL_CHECK("run it alone with TARN_BAG_HISTORY=", seed, "\n", history.found().story(), "  ",
               history.found().failure());
  return history.found().good();
}

}  // namespace

TEST_CASE("LAW: every history of a table without a key is the list of its rows") {
  run_histories({"TARN_BAG_HISTORY", 300, 300}, must_happen, [](std::uint64_t seed, tally& happened) {
    return seed % 2 == 0 ? check_history<tarn::json_codec>(seed, happened)
                         : check_history<tarn::columnar_codec>(seed, happened);
  });
}
