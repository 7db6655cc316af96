// LAW: the changes between two versions, applied in order to the rows of the first, give those of each version on the
// way and of the last; each old row is the row that was there, and nothing is told that has not changed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tarn/changes.hpp>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/change_text.hpp"
#include "../support/codecs.hpp"
#include "../support/entries_by_hand.hpp"
#include "../support/findings.hpp"
#include "../support/random_source.hpp"
#include "../support/reading.hpp"
#include "../support/run_histories.hpp"
#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
namespace merge = tarn::merge;

using row_texts = std::multiset<std::string>;

constexpr std::string_view table_names[] = {"latest", "ordered", "bag"};
constexpr std::size_t table_count = 3, bag = 2;

// Rows are a key or a number, a value, and an ordering.
const tarn::schema columns{{"id", tarn::column_type::integer}, "value", {"at", tarn::column_type::integer}};

// What one version did to one table, as far as who did it knows.
struct expected_changes {
  bool exactly = false;  // else it is to be seen from the rows
  std::size_t inserts = 0, updates = 0, erases = 0;
};

struct known_version {
  row_texts rows[table_count];
  tarn::uuid ids[table_count];
  expected_changes expected[table_count];
};

// One history of three tables, as a seed decides.
template <class Merge>
class changes_history {
 public:
  changes_history(std::uint64_t seed, tally& happened)
      : random_(seed), environment_(seed), found_(happened), lake_(store_, options()) {}

  void run() {
    create_tables();
    for (std::size_t steps = 5 + random_.below(20); steps > 0 && found_.good(); --steps) step();
    if (found_.good()) check_ranges();
  }
  [[nodiscard]] const findings& found() const { return found_; }

 private:
  [[nodiscard]] tarn::client_options options() {
    constexpr std::uint64_t rows_per_object[] = {1, 2, 65'536};
    tarn::client_options made;
    made.bounds.rows_per_object = rows_per_object[random_.below(3)];
    made.commit.inline_bytes_max = some_inline_bytes(random_.below(4));
    made.surroundings = environment_.get();
    return made;
  }

  // --- writing ---------------------------------------------------------------------------------------------------

  template <class Transaction>
  void create(Transaction& tx, std::size_t table) {
    const std::uint32_t buckets = random_.chance(70) ? 1 : 7;
    if (table == bag)
      tx.create_table("bag", columns).value();
    else if (table == 0)
      tx.create_table("latest", columns, tarn::keyed{{"id"}, buckets}).value();
    else
      tx.create_table("ordered", columns, tarn::keyed{{"id"}, buckets, tarn::by_ordering("at")}).value();
  }

  void create_tables() {
    auto tx = lake_.begin().value();
    for (std::size_t table = 0; table < table_count; ++table) create(tx, table);
    tx.commit().value();
    know("creates all");
  }

  [[nodiscard]] tarn::row make_row() {
    return {static_cast<std::int64_t>(random_.below(6)), static_cast<std::int64_t>(random_.below(3)),
            static_cast<std::int64_t>(random_.below(4))};
  }

  void step() {
    const std::size_t kind = random_.below(100);
    environment_.clock.ms += static_cast<std::int64_t>(random_.below(3));
    if (kind < 45) return write();
    if (kind < 54) return change_bag();
    if (kind < 62) return call_changes();
    if (kind < 70) return compact_bag();
    if (kind < 80) return compact(random_.below(table_count));
    if (kind < 90) return restore(random_.below(table_count));
    recreate(random_.below(table_count));
  }

  void write() {
    auto tx = lake_.begin().value();
    known_version next;
    next.expected[bag].exactly = true;
    for (std::size_t count = 1 + random_.below(8); count > 0; --count) {
      const std::size_t table = random_.below(table_count);
      const tarn::row row = make_row();
      const std::string_view name = table_names[table];
      if (table == bag) ++next.expected[bag].inserts;
      if (table == bag)
        tx.insert(name, row).value();
      else if (random_.chance(70))
        tx.upsert(name, row).value();
      else if (table == 1 && random_.chance(60))
        tx.erase(name, {row[0]}, row[2]).value();
      else
        tx.erase(name, {row[0]}).value();
      if (random_.chance(15)) tx.flush().value();
    }
    tx.commit().value();
    know("writes", std::move(next));
  }

  // Rows of the bag, by object.
  struct live_row {
    std::size_t object;
    std::uint64_t number;
    tarn::row values;
  };
  [[nodiscard]] std::vector<live_row> live_rows(const tarn::table_state& table) {
    std::vector<live_row> rows;
    for (std::size_t at = 0; at < table.objects.size(); ++at) {
      auto reader = tarn::object_reader<tarn::memory_store, codec_with<Merge>>::open(
                        *lake_.core(), table, table.objects[at].object, lake_.core()->options.bounds)
                        .value();
      for (std::uint64_t number = 0; reader.next(); ++number)
        if (!table.objects[at].deleted->contains(number))
          rows.push_back({at, number, tarn::row(reader.row().begin(), reader.row().end())});
    }
    return rows;
  }

  // Deletes rows and updates others, some of which it updates again or deletes after all.
  void change_bag() {
    const tarn::shared_snapshot state = lake_.newest_snapshot().value();
    const tarn::table_state& table = *state->find_table("bag");
    known_version next;
    expected_changes& expected = next.expected[bag];
    expected.exactly = true;
    std::vector<tarn::row> added;
    const auto add = [&] {
      added.push_back(make_row());
      return added.size() - 1;
    };
    for (std::size_t more = random_.below(3); more > 0; --more, ++expected.inserts) (void)add();
    std::map<std::size_t, std::pair<tarn::sequence<tarn::row_range>, tarn::sequence<tarn::row_replacement>>> deletions;
    tarn::sequence<tarn::row_range> gone;  // of the added ones
    tarn::sequence<tarn::row_replacement> moved;
    const tarn::uuid id = tarn::new_id(environment_.get(), state->time).value();
    std::vector<live_row> rows = live_rows(table);
    if (random_.chance(30))
      std::reverse(rows.begin(), rows.end());  // new rows need not be in the order of the old ones
    for (const live_row& each : rows) {
      if (!random_.chance(40)) continue;
      auto& [deleted, replaced] = deletions[each.object];
      deleted.push_back({each.number, each.number});
      if (!random_.chance(60)) {
        ++expected.erases;
        continue;
      }
      std::uint64_t now = add();
      replaced.push_back({{each.number, each.number}, id, now});
      bool stays = true;
      while (stays && random_.chance(25)) {
        gone.push_back({now, now});
        stays = random_.chance(70);
        if (!stays) continue;
        found_.count("a row updated twice by one version");
        const std::uint64_t later = add();
        moved.push_back({{now, now}, id, later});
        now = later;
      }
      ++(stays ? expected.updates : expected.erases);
    }
    if (added.empty() && deletions.empty()) return;
    tarn::sequence<tarn::action> actions;
    if (!added.empty()) actions.push_back(adding(put_object(lake_, added, "bag", id)));
    for (const auto& [object, what] : deletions)
      actions.push_back(deleting(table.objects[object].object.id, what.first, what.second));
    if (!gone.empty()) actions.push_back(deleting(id, gone, moved));
    commit_actions(lake_, actions, "bag");
    know("changes the bag", std::move(next));
  }

  // The same by calls: what a scan stands on and then, sometimes, what a filter finds.
  void call_changes() {
    auto tx = lake_.begin().value();
    known_version next;
    expected_changes& expected = next.expected[bag];
    expected.exactly = true;
    auto scan = tx.scan("bag").value();
    while (scan.next()) {
      const std::size_t what = random_.below(4);
      if (what == 0) ++expected.erases;
      if (what == 0) tx.erase(scan).value();
      if (what == 1) ++expected.updates;
      if (what == 1) tx.update(scan, {{"value", static_cast<std::int64_t>(random_.below(3))}}).value();
    }
    for (std::size_t more = random_.below(3); more > 0; --more, ++expected.inserts)
      tx.insert("bag", make_row()).value();
    for (std::size_t more = random_.below(3); more > 0; --more) {
      expected.exactly = false;  // they find rows of before and new ones
      const tarn::row sample = make_row();
      if (random_.chance(50))
        tx.erase_where("bag", {{"id", tarn::equals, sample[0]}}).value();
      else
        tx.update_where("bag", {{"value", tarn::equals, sample[1]}}, {{"at", sample[2]}}).value();
    }
    const tarn::version before = tx.read_version();
    if (tx.commit().value() > before) know("changes the bag by calls", std::move(next));
  }

  void compact_bag() {
    const tarn::shared_snapshot state = lake_.newest_snapshot().value();
    const tarn::table_state& table = *state->find_table("bag");
    if (table.objects.size() == 0) return;
    const std::size_t first = random_.below(table.objects.size());
    const std::size_t last = first + random_.below(table.objects.size() - first);
    tarn::sequence<tarn::uuid> replaced;
    for (std::size_t at = first; at <= last; ++at) replaced.push_back(table.objects[at].object.id);
    std::vector<tarn::row> rows;
    for (const live_row& each : live_rows(table))
      if (each.object >= first && each.object <= last) rows.push_back(each.values);
    commit_actions(lake_, {replacing(replaced, put_object(lake_, rows, "bag"))}, "bag");
    known_version next;
    next.expected[bag].exactly = true;
    know("compacts the bag", std::move(next));
  }

  void compact(std::size_t table) {
    const tarn::version before = lake_.newest_snapshot().value()->at;
    const tarn::version after = lake_.compact(table_names[table]).value();
    for (tarn::version at = before; at < after; at = at.next()) {
      known_version next;
      for (expected_changes& each : next.expected) each.exactly = true;
      know(table == bag ? "compacts the bag by call" : "compacts", std::move(next));
    }
  }

  void restore(std::size_t table) {
    const tarn::version to{static_cast<std::int64_t>(random_.below(known_.size()))};
    if (random_.chance(40)) {
      const tarn::version before = lake_.newest_snapshot().value()->at;
      if (lake_.restore(to).value() > before) know("restores all");
      return;
    }
    restore_table(lake_, to, table_names[table]);
    known_version next;
    next.expected[bag].exactly = table != bag;
    know(table == bag ? "restores the bag" : "restores keys", std::move(next));
  }

  void recreate(std::size_t table) {
    auto tx = lake_.begin().value();
    tx.drop_table(table_names[table]).value();
    create(tx, table);
    known_version next;
    for (expected_changes& each : next.expected) each.exactly = true;
    next.expected[table].erases = known_.back().rows[table].size();
    if (random_.chance(50)) {
      tx.insert(table_names[table], make_row()).value();
      next.expected[table].inserts = 1;
    }
    tx.commit().value();
    know("creates another", std::move(next));
  }

  // The rows of the newest version, as scans read them.
  void know(std::string_view what, known_version next = {}) {
    found_.count(what);
    found_.tell({std::to_string(known_.size()), " ", what});
    auto reading = lake_.begin_at(tarn::version{static_cast<std::int64_t>(known_.size())}).value();
    for (std::size_t table = 0; table < table_count; ++table)
      for (const tarn::row& each : rows_of(reading, table_names[table]))
        next.rows[table].insert(text_of(tarn::row_view(each)));
    const tarn::shared_snapshot state = lake_.snapshot_at(reading.read_version()).value();
    for (std::size_t table = 0; table < table_count; ++table)
      next.ids[table] = state->find_table(table_names[table])->id;
    known_.push_back(std::move(next));
  }

  // --- what the feed tells ---------------------------------------------------------------------------------------

  void check_ranges() {
    const auto last = static_cast<std::int64_t>(known_.size()) - 1;
    for (std::size_t table = 0; table < table_count && found_.good(); ++table) {
      check_feed(lake_, table, -1, last);
      for (int more = 0; more < 3 && found_.good(); ++more) {
        const auto from = static_cast<std::int64_t>(random_.below(known_.size())) - 1;
        const auto length = random_.below(static_cast<std::size_t>(last - from) + 1);
        tarn::client<tarn::memory_store, json_first, merge::by_key> by_key(store_, options());
        tarn::client<tarn::memory_store, json_first, merge::derived> derived(store_, options());
        if (more == 0) check_feed(by_key, table, from, from + static_cast<std::int64_t>(length));
        if (more == 1) check_feed(derived, table, from, from + static_cast<std::int64_t>(length));
        if (more == 2) check_feed(lake_, table, from, from + static_cast<std::int64_t>(length));
      }
    }
  }

  // Applies the changes to the rows of `from`.
  template <class Client>
  void check_feed(Client& lake, std::size_t table, std::int64_t from, std::int64_t to) {
    const std::string name(table_names[table]);
    const std::string range = name + ", " + std::to_string(from) + " to " + std::to_string(to) + ": ";
    rows_ = from < 0 ? row_texts() : known_[static_cast<std::size_t>(from)].rows[table];
    auto feed = tarn::changes(lake, name, {from}, {to});
    if (!feed) return found_.fail(range + feed.error().message());
    std::int64_t at = from;
    seen_ = {};
    while (feed->next() && found_.good()) {
      const tarn::row_change& change = feed->change();
      found_.enter({range, text_of(change), ": "});
      if (change.at.number < at || change.at.number > to || change.at.number <= from)
        return found_.fail("is out of order");
      for (; at < change.at.number; ++at) end_version(table, at, from);
      apply(change, table);
    }
    found_.enter(range);
    if (!feed->status() && (from != -1 || to != -1)) return found_.fail(feed->status().error().message());
    for (; at <= to; ++at) end_version(table, at, from);
  }

  void apply(const tarn::row_change& change, std::size_t table) {
    found_.count(std::string(table_names[table]) + ": " + std::string(tarn::name_of(change.kind)));
    if (change.kind != tarn::change_kind::insert) {
      const auto old = rows_.find(text_of(change.before));
      if (old == rows_.end()) return found_.fail("the old row was not there");
      rows_.erase(old);
    }
    if (change.kind != tarn::change_kind::erase) rows_.insert(text_of(change.after));
    if (change.kind == tarn::change_kind::update && table != bag && change.before == change.after)
      found_.fail("nothing has changed");
    if (change.kind == tarn::change_kind::update && table != bag && !(change.before[0] == change.after[0]))
      found_.fail("is of two keys");
    ++(change.kind == tarn::change_kind::insert   ? seen_.inserts
       : change.kind == tarn::change_kind::update ? seen_.updates
                                                  : seen_.erases);
  }

  // After all changes of version `at`.
  void end_version(std::size_t table, std::int64_t at, std::int64_t from) {
    if (at == -1 || !found_.good()) return;
    const known_version& known = known_[static_cast<std::size_t>(at)];
    const std::string which = "version " + std::to_string(at);
    if (rows_ != known.rows[table]) return found_.fail("the changes do not give the rows of " + which);
    const expected_changes told = std::exchange(seen_, {});
    if (at == from) return;
    const expected_changes& expected = known.expected[table];
    if (expected.exactly &&
        (told.inserts != expected.inserts || told.updates != expected.updates || told.erases != expected.erases))
      found_.fail("other changes than were made by " + which);
    if (expected.exactly || table == bag || at == 0) return;
    // Of a keyed table, each key that differs is one change; if a restore brought another one back, all its rows are.
    const known_version& last = known_[static_cast<std::size_t>(at) - 1];
    const row_texts& before = last.rows[table];
    if (last.ids[table] != known.ids[table]) return;
    std::vector<std::string> gone, come;
    std::set_difference(before.begin(), before.end(), rows_.begin(), rows_.end(), std::back_inserter(gone));
    std::set_difference(rows_.begin(), rows_.end(), before.begin(), before.end(), std::back_inserter(come));
    if (told.erases + told.updates != gone.size() || told.inserts + told.updates != come.size())
      found_.fail("more changes than rows that differ in " + which);
  }

  random_source random_;
  test_environment environment_;
  findings found_;
  tarn::memory_store store_;
  tarn::client<tarn::memory_store, codec_with<Merge>, Merge> lake_;
  std::vector<known_version> known_;
  row_texts rows_;         // of the version that a feed has come to
  expected_changes seen_;  // in it
};

constexpr const char* must_happen[] = {
    "writes",           "changes the bag", "compacts the bag", "compacts",
    "restores the bag", "restores keys",   "creates another",  "a row updated twice by one version",
    "latest: insert",   "latest: update",  "latest: erase",    "ordered: insert",
    "ordered: update",  "ordered: erase",  "bag: insert",      "bag: update",
    "bag: erase"};

// Whether it was good.
template <class Merge>
bool check_history(std::uint64_t seed, tally& happened) {
  changes_history<Merge> history(seed, happened);
  history.run();
  if (!history.found().good())
    FAIL_CHECK("run it alone with TARN_CHANGES_HISTORY=", seed, "\n", history.found().story(),
               history.found().failure());
  return history.found().good();
}

}  // namespace

TEST_CASE("LAW: the changes from one version to another make the rows of the one those of the other") {
  run_histories({"TARN_CHANGES_HISTORY", 100, 100}, must_happen, [](std::uint64_t seed, tally& happened) {
    return seed % 2 == 0 ? check_history<merge::by_position>(seed, happened)
                         : check_history<merge::derived>(seed, happened);
  });
}
