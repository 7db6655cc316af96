// One client of a keyed table in a history: what it does, and what must come of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <utility>
#include <vector>

#include "codecs.hpp"
#include "findings.hpp"
#include "keyed_plan.hpp"
#include "keyed_reference.hpp"
#include "random_source.hpp"

namespace tarn_test {

inline constexpr const char* keyed_table = "t";

[[nodiscard]] inline tarn::value to_value(const plain_value& from) {
  if (const auto* const number = std::get_if<std::int64_t>(&from); number != nullptr) return *number;
  if (const auto* const text = std::get_if<std::string>(&from); text != nullptr) return *text;
  return nullptr;
}
[[nodiscard]] inline tarn::row to_row(const plain_row& from) {
  tarn::row made;
  for (const plain_value& each : from) made.push_back(to_value(each));
  return made;
}
[[nodiscard]] inline plain_row to_plain(const tarn::row_view& from) {
  plain_row made;
  for (const tarn::value_view each : from) {
    plain_value& added = made.emplace_back();
    if (each.kind() == tarn::kind::integer) added = each.as_integer();
    if (each.kind() == tarn::kind::string) added = std::string(each.as_string());
  }
  return made;
}

[[nodiscard]] inline bool is_same(const tarn::value_view& real, const plain_value& expected) {
  if (const auto* const number = std::get_if<std::int64_t>(&expected); number != nullptr)
    return real.kind() == tarn::kind::integer && real.as_integer() == *number;
  if (const auto* const text = std::get_if<std::string>(&expected); text != nullptr)
    return real.kind() == tarn::kind::string && real.as_string() == *text;
  return real.is_null() && std::holds_alternative<std::monostate>(expected);
}
[[nodiscard]] inline bool is_same(const tarn::row_view& real, const plain_row& expected) {
  std::size_t at = 0;
  for (const tarn::value_view each : real)
    if (at == expected.size() || !is_same(each, expected[at++])) return false;
  return at == expected.size();
}

// A bucket that somebody is about to compact.
struct keyed_compaction {
  tarn::compaction_plan plan;
  std::optional<tarn::compacted_objects> done;
};

// What all clients share, and what is true of it: the oracle, which is told of every commit.
struct keyed_world {
  const keyed_plan& plan;
  tarn::client_options options;
  findings& found;
  std::vector<plain_row> keys;  // all that there are
  tarn::memory_store store = {};
  keyed_contents contents = {};                   // of the newest version
  std::vector<std::set<plain_row>> written = {};  // the keys that a writer has written, by version
  std::vector<std::int64_t> compacted_at = {};    // the last version that compacted it, by bucket
  std::optional<keyed_compaction> compactions[compaction_slots] = {};

  [[nodiscard]] tarn::version head() const { return {static_cast<std::int64_t>(written.size()) - 1}; }
  // Whether a writer has committed after version `at`.
  [[nodiscard]] bool written_since(tarn::version at) const {
    for (auto each = static_cast<std::size_t>(at.number + 1); each < written.size(); ++each)
      if (!written[each].empty()) return true;
    return false;
  }
  // Whether one has written any of these keys.
  [[nodiscard]] bool written_since(tarn::version at, const std::set<plain_row>& these) const {
    for (auto each = static_cast<std::size_t>(at.number + 1); each < written.size(); ++each)
      for (const plain_row& key : these)
        if (written[each].count(key) != 0) return true;
    return false;
  }
};

// Whether a scan gives exactly these rows, in this order, and then ends well.
template <class Transaction>
bool check_scan(Transaction& real, const plain_rows& expected, bool verifies, findings& found,
                tarn::merge_statistics* statistics = nullptr) {
  const auto fails = [&](const std::string& how) {
    found.fail((verifies ? "the verifying scan " : "the scan ") + how);
    return false;
  };
  const auto of_all = [&](std::size_t row) { return std::to_string(row) + " of " + std::to_string(expected.size()); };
  auto scan = verifies ? real.verifying_scan(keyed_table) : real.scan(keyed_table);
  if (!scan) return fails("cannot begin: " + scan.error().message());
  std::size_t seen = 0;
  for (; scan->next(); ++seen)
    if (seen == expected.size() || !is_same(scan->row(), *expected[seen]))
      return fails("differs in row " + of_all(seen));
  if (!scan->status()) return fails("fails: " + scan->status().error().message());
  if (seen != expected.size()) return fails("ends after row " + of_all(seen));
  if (statistics != nullptr) *statistics = scan->statistics().merged;
  return true;
}

// The same of a scan of all columns, which takes the same way.
template <class Transaction>
bool check_columns(Transaction& real, const plain_rows& expected, const tarn::merge_statistics& of_rows,
                   findings& found) {
  const auto fails = [&](const std::string& how) {
    found.fail("the scan of columns " + how);
    return false;
  };
  auto scan = real.scan_columns(keyed_table);
  if (!scan) return fails("cannot begin: " + scan.error().message());
  std::size_t seen = 0;
  while (scan->next()) {
    const tarn::row_batch& batch = scan->batch();
    for (std::size_t row = 0; row < batch.rows(); ++row, ++seen)
      for (std::size_t at = 0; at < batch.column_count(); ++at)
        if (seen >= expected.size() || !is_same(batch.column(at)[row], (*expected[seen])[at]))
          return fails("differs in row " + std::to_string(seen) + " of " + std::to_string(expected.size()));
  }
  if (!scan->status()) return fails("fails: " + scan->status().error().message());
  if (seen != expected.size()) return fails("ends after row " + std::to_string(seen));
  const tarn::merge_statistics& merged = scan->statistics().merged;
  if (merged.keys_by_position != of_rows.keys_by_position || merged.keys_by_key != of_rows.keys_by_key ||
      merged.blocks_by_position != of_rows.blocks_by_position || merged.blocks_by_key != of_rows.blocks_by_key)
    return fails("takes another way");
  if (merged.base_keys_compared > 2 * of_rows.base_keys_compared) return fails("compares too many keys");
  found.count("columns: base keys compared", merged.base_keys_compared);
  return true;
}

template <class Transaction>
bool check_get(Transaction& real, const keyed_contents& contents, const plain_row& key, findings& found) {
  const auto got = real.get(keyed_table, to_row(key));
  const auto expected = contents.find(key);
  const bool exists = expected != contents.end() && expected->second.live;
  const bool agrees = exists ? got.has_value() && is_same(*got, expected->second.row)
                             : !got.has_value() && got.error().code() == tarn::errc::not_found;
  if (!agrees) found.fail(std::string("get differs: ") + (got ? "a row" : got.error().message()));
  return agrees;
}

template <class Merge>
class keyed_actor {
 public:
  using client = tarn::client<tarn::memory_store, codec_with<Merge>, Merge>;
  using transaction = typename client::transaction_type;

  explicit keyed_actor(keyed_world& world) : world_(&world), lake_(world.store, world.options) {}

  void create_table() {
    using tarn::column_type;
    const keyed_layout& table = world_->plan.table;
    const char* const names[] = {"value", "number", "text", "ordering"};
    tarn::keyed key;
    for (const std::size_t place : table.key) key.columns.push_back(names[place]);
    key.buckets = table.buckets;
    if (table.ordering) key.fold = tarn::by_ordering(names[*table.ordering]);
    const tarn::schema columns = {
        "value", {"number", column_type::integer}, {"text", column_type::string}, {"ordering", column_type::integer}};
    auto begun = lake_.begin();
    if (!succeeds(begun, "begin") || !succeeds(begun->create_table(keyed_table, columns, key), "create")) return;
    if (succeeds(begun->commit(), "commit")) world_->written.emplace_back();
  }

  void do_step(const keyed_step& step) {
    random_source random(step.seed);
    switch (step.kind) {
      case keyed_step_kind::plan_compaction: return plan_compaction(random);
      case keyed_step_kind::run_compaction: return run_compaction(random);
      case keyed_step_kind::commit_compaction: return commit_compaction(random);
      case keyed_step_kind::compact: return compact();
      case keyed_step_kind::reopen: return void(lake_ = client(world_->store, world_->options));
      default: break;
    }
    if (!open_ && !begin()) return;
    switch (step.kind) {
      case keyed_step_kind::upsert: return upsert(random);
      case keyed_step_kind::erase: return erase(random, false);
      case keyed_step_kind::ordered_erase: return erase(random, world_->plan.table.ordering.has_value());
      case keyed_step_kind::update: return update(random);
      case keyed_step_kind::get: return get(random);
      case keyed_step_kind::scan: return scan();
      case keyed_step_kind::write_by_scan: return write_by_scan(random);
      case keyed_step_kind::keep_scan: return keep_scan(random);
      case keyed_step_kind::use_kept_scan: return use_kept_scan(random);
      case keyed_step_kind::flush: return flush();
      case keyed_step_kind::commit: return commit();
      default: return rollback();
    }
  }

  void commit_if_open() {
    if (open_) commit();
  }
  // A plan that is still there, run and committed by this client.
  void finish_compaction(std::size_t slot) {
    if (!world_->compactions[slot]) return;
    run(*world_->compactions[slot]);
    commit_compacted(slot);
  }

 private:
  using row_scan = typename transaction::row_scan;

  struct open_transaction {
    transaction real;
    keyed_contents contents;  // what it must see
    std::vector<keyed_operation> done = {};
    std::set<plain_row> relied = {};  // keys: it conflicts with who else has written one of them
  };
  struct kept_scan {
    row_scan real;
    plain_row row;  // that it stands on
    tarn::uuid of;  // the transaction that it is of
  };

  template <class Result>
  bool succeeds(const Result& real, const char* what) {
    if (real.has_value()) return true;
    world_->found.fail(std::string(what) + " failed: " + real.error().message());
    return false;
  }
  void tell(const char* what) { world_->found.tell(what); }
  void tell(const char* what, std::int64_t number) { world_->found.tell({what, std::to_string(number)}); }
  template <class Result>
  void tell_outcome(const char* what, const Result& said) {
    if (said) return tell(what, said->number);
    world_->found.tell({what, "none: ", said.error().message()});
  }
  [[nodiscard]] plain_row make_row(random_source& random) {
    const std::size_t which = random.below(world_->plan.keys);
    return make_keyed_row(world_->plan, which, random);
  }
  [[nodiscard]] const keyed_layout& table() const { return world_->plan.table; }

  void note(keyed_change change, plain_row row) {
    open_->done.push_back({change, std::move(row)});
    apply(open_->contents, table(), open_->done.back());
  }

  bool begin() {
    auto real = lake_.begin(tarn::isolation::non_blocking);
    if (!succeeds(real, "begin")) return false;
    if (real->read_version() != world_->head()) return world_->found.fail("begin does not read the head"), false;
    open_.emplace(open_transaction{*std::move(real), world_->contents});
    tell("begins at version ", world_->head().number);
    return true;
  }

  void upsert(random_source& random) {
    tarn::sequence<tarn::row> rows;
    std::vector<plain_row> plain;
    for (std::size_t more = 1 + random.below(3); more > 0; --more) {
      plain.push_back(make_row(random));
      rows.push_back(to_row(plain.back()));
    }
    tell("upserts ", static_cast<std::int64_t>(rows.size()));
    if (!succeeds(open_->real.upsert(keyed_table, rows), "upsert")) return;
    for (plain_row& each : plain) note(keyed_change::upsert, std::move(each));
  }

  void erase(random_source& random, bool ordered) {
    const plain_row row = make_row(random);
    const tarn::row key = to_row(table().key_of(row));
    tell(ordered ? "erases a key, ordered" : "erases a key");
    const tarn::status real = ordered ? open_->real.erase(keyed_table, key, to_value(row[*table().ordering]))
                                      : open_->real.erase(keyed_table, key);
    if (succeeds(real, "erase")) note(ordered ? keyed_change::ordered_erase : keyed_change::erase, row);
  }

  // Another value, and perhaps another ordering.
  template <class... Which>
  void change(random_source& random, plain_row row, const Which&... which) {
    const plain_row other = make_row(random);
    const tarn::value before = to_value(row[keyed_columns::ordering]);
    row[keyed_columns::value] = other[keyed_columns::value];
    const bool reorders = random.chance(50);
    if (reorders) row[keyed_columns::ordering] = other[keyed_columns::ordering];
    const tarn::value value = to_value(other[keyed_columns::value]),
                      ordering = to_value(other[keyed_columns::ordering]);
    open_->relied.insert(table().key_of(row));  // also if it is late: that is an answer too
    const tarn::status real = reorders ? open_->real.update(which..., {{"value", value}, {"ordering", ordering}})
                                       : open_->real.update(which..., {{"value", value}});
    const bool is_late =
        reorders && table().ordering && tarn::value_view(ordering).as_integer() < tarn::value_view(before).as_integer();
    if (is_late && !real && real.error().code() == tarn::errc::late) return;
    if (is_late) world_->found.fail("an update that the row's own ordering hides is not late");
    if (!succeeds(real, "update")) return;
    note(keyed_change::upsert, std::move(row));
  }

  void update(random_source& random) {
    const plain_row key = table().key_of(make_row(random));
    const auto before = open_->contents.find(key);
    tell("updates a key");
    if (before != open_->contents.end() && before->second.live)
      return change(random, before->second.row, std::string_view(keyed_table), to_row(key));
    open_->relied.insert(key);
    const tarn::status real = open_->real.update(keyed_table, to_row(key), {{"value", 1}});
    if (real || real.error().code() != tarn::errc::not_found) world_->found.fail("updates a row that is not there");
  }

  void get(random_source& random) {
    tell("gets a key");
    check_get(open_->real, open_->contents, table().key_of(make_row(random)), world_->found);
  }

  void scan() {
    tell("scans");
    const plain_rows expected = rows_in_order(open_->contents, table());
    tarn::merge_statistics statistics;
    check_scan(open_->real, expected, false, world_->found, &statistics);
    check_scan(open_->real, expected, true, world_->found);
    check_columns(open_->real, expected, statistics, world_->found);
    world_->found.count("own scan: keys by position", statistics.keys_by_position);
  }

  // A scan that stands on its row number `at`.
  [[nodiscard]] std::optional<row_scan> stand_on(std::size_t at) {
    auto scan = open_->real.scan(keyed_table);
    if (!succeeds(scan, "scan")) return {};
    for (std::size_t row = 0; row <= at; ++row)
      if (!scan->next()) return world_->found.fail("the scan ends early"), std::optional<row_scan>();
    return std::optional<row_scan>(*std::move(scan));
  }

  void write_by_scan(random_source& random) {
    const plain_rows rows = rows_in_order(open_->contents, table());
    if (rows.empty()) return;
    auto scan = stand_on(random.below(rows.size()));
    if (scan) write_at(*scan, to_plain(scan->row()), random);
  }

  void keep_scan(random_source& random) {
    const plain_rows rows = rows_in_order(open_->contents, table());
    if (rows.empty()) return;
    const std::size_t at = random.below(rows.size());
    auto scan = stand_on(at);
    if (!scan) return;
    tell("keeps a scan at row ", static_cast<std::int64_t>(at));
    kept_.emplace(kept_scan{*std::move(scan), *rows[at], open_->real.id()});
  }

  // It is good for the transaction that it was begun in, whatever that has written since.
  void use_kept_scan(random_source& random) {
    if (!kept_) return;
    if (kept_->of == open_->real.id()) return write_at(kept_->real, kept_->row, random);
    tell("uses a scan of another transaction");
    world_->found.count("scan of another transaction");
    const tarn::status real =
        random.chance(50) ? open_->real.erase(kept_->real) : open_->real.update(kept_->real, {{"value", 1}});
    if (real || real.error().code() != tarn::errc::invalid_argument)
      world_->found.fail("writes by a scan of another transaction");
  }

  void write_at(const row_scan& scan, const plain_row& row, random_source& random) {
    const auto now = open_->contents.find(table().key_of(row));
    const bool exists = now != open_->contents.end() && now->second.live;
    if (!exists || now->second.row != row) world_->found.count("row written since the scan began");
    if (random.chance(60)) {
      tell("erases the row that a scan stands on");
      if (succeeds(open_->real.erase(scan), "erase")) note(keyed_change::erase, row);
    } else {
      tell("updates the row that a scan stands on");
      if (exists) return change(random, now->second.row, scan);
      open_->relied.insert(table().key_of(row));
      const tarn::status real = open_->real.update(scan, {{"value", 1}});
      if (real || real.error().code() != tarn::errc::not_found) world_->found.fail("updates an erased row by a scan");
    }
  }

  void flush() {
    tell("flushes");
    (void)succeeds(open_->real.flush(), "flush");
  }

  void rollback() {
    tell("rolls back");
    open_.reset();
  }

  void commit() {
    open_transaction mine = *std::exchange(open_, std::nullopt);
    const tarn::version read = mine.real.read_version();
    const bool conflicts = !mine.done.empty() && world_->written_since(read, mine.relied);
    const auto said = mine.real.commit();
    tell_outcome("commits version ", said);
    if (conflicts) {
      world_->found.count("commit: conflict");
      if (said || said.error().code() != tarn::errc::conflict) world_->found.fail("a commit is no conflict");
      return;
    }
    if (!succeeds(said, "commit") || mine.done.empty()) return;
    if (world_->written_since(read)) world_->found.count("commit: rebased");
    std::set<plain_row>& keys = world_->written.emplace_back();
    for (const keyed_operation& each : mine.done) {
      if (apply(world_->contents, table(), each)) world_->found.count("tie");
      keys.insert(table().key_of(each.row));
    }
    if (*said != world_->head()) world_->found.fail("a commit has another version");
  }

  // --- compaction ---

  void plan_compaction(random_source& random) {
    std::optional<keyed_compaction>& slot = world_->compactions[random.below(compaction_slots)];
    if (const auto& other = world_->compactions[random.below(compaction_slots)]; other && random.chance(10))
      return void(slot = keyed_compaction{other->plan, {}});  // two run one plan
    const auto plans = lake_.plan_compaction(keyed_table);
    if (!succeeds(plans, "plan") || plans->empty()) return;
    auto read_back = tarn::read_plan(to_text((*plans)[random.below(plans->size())]));
    if (!succeeds(read_back, "reading a plan")) return;
    slot = keyed_compaction{*std::move(read_back), {}};
    tell("plans to compact bucket ", slot->plan.bucket);
  }

  void run_compaction(random_source& random) {
    if (auto& slot = world_->compactions[random.below(compaction_slots)]; slot) run(*slot);
  }
  void run(keyed_compaction& planned) {
    if (planned.done) return;
    tell("runs the compaction planned at version ", planned.plan.at.number);
    if (world_->written_since(planned.plan.at)) world_->found.count("compaction: run late");
    auto done = lake_.run_compaction(planned.plan);
    if (succeeds(done, "compaction")) planned.done = *std::move(done);
  }

  void commit_compaction(random_source& random) {
    const std::size_t slot = random.below(compaction_slots);
    if (!world_->compactions[slot]) return;
    if (random.chance(40)) run(*world_->compactions[slot]);
    if (world_->compactions[slot]->done) commit_compacted(slot);
  }
  void commit_compacted(std::size_t slot) {
    if (!world_->compactions[slot]->done) return;
    const tarn::compacted_objects done = *std::move(world_->compactions[slot]->done);
    world_->compactions[slot].reset();
    const bool conflicts = world_->compacted_at[done.plan.bucket] > done.plan.at.number;
    const auto said = lake_.commit_compaction(done);
    tell_outcome("commits the compaction, version ", said);
    if (conflicts) {
      world_->found.count("compaction: abandoned");
      if (said || said.error().code() != tarn::errc::conflict) world_->found.fail("a compaction is no conflict");
      return;
    }
    if (!succeeds(said, "commit of a compaction")) return;
    world_->found.count("compaction: committed");
    if (world_->written_since(done.plan.at)) world_->found.count("compaction: committed late");
    add_compaction(done.plan.bucket);
    if (*said != world_->head()) world_->found.fail("a compaction has another version");
  }

  void compact() {
    tell("compacts");
    const auto plans = lake_.plan_compaction(keyed_table);
    if (!succeeds(plans, "plan")) return;
    const auto said = lake_.compact(keyed_table);
    if (!succeeds(said, "compact")) return;
    for (const tarn::compaction_plan& each : *plans) add_compaction(each.bucket);
    world_->found.count("compaction: all buckets at once", plans->empty() ? 0 : 1);
    if (*said != world_->head()) world_->found.fail("compact returns another version");
  }

  void add_compaction(std::uint32_t bucket) {
    world_->written.emplace_back();
    world_->compacted_at[bucket] = world_->head().number;
  }

  keyed_world* world_;
  client lake_;
  std::optional<open_transaction> open_;
  std::optional<kept_scan> kept_;
};

}  // namespace tarn_test
