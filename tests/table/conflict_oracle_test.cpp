// The rules of conflicts against brute force: every small program is run at an old snapshot, committed after every
// small program of another, and compared with running both one after the other.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/random_source.hpp"
#include "../support/reading.hpp"

using namespace tarn;

namespace {

// On a keyed table K, whose keys are x and y, a bag G, and tables A and B that nobody has created yet.
enum class step {
  get_x,
  scan_k,
  range_to_x,  // up to x without y
  upsert_x,
  upsert_y,
  erase_x,
  insert_x,
  update_x,
  append_g,
  scan_g,
  erase_old_g,  // one row, of two that are there in the beginning
  erase_all_g,
  drop_k,
  alter_k,  // one column more
  create_a,
  list_tables,
  create_b_without_a,  // decides by what tables there are
  compact_k,           // a program of its own
  compact_g            // the same
};
constexpr int step_count = static_cast<int>(step::compact_g) + 1;

// Whose name it uses.
std::string table_of(step taken) {
  switch (taken) {
    case step::append_g:
    case step::scan_g:
    case step::erase_old_g:
    case step::erase_all_g:
    case step::compact_g: return "G";
    case step::create_a:
    case step::create_b_without_a: return "A";
    case step::list_tables: return "all";
    default: return "K";
  }
}

using program = std::vector<step>;

// What a lake holds, as users see it.
struct contents {
  std::set<std::string> tables;
  std::map<std::string, std::pair<std::string, std::string>> keys;  // of K: to the columns v and n
  std::set<std::string> bag;                                        // G: no row is there twice
  bool wide = false;                                                // K has the column more

  friend bool operator==(const contents&, const contents&) = default;
};

// What a program has done: with whatever is committed before it, the same.
struct effects {
  std::map<std::string, std::optional<std::pair<std::string, std::string>>> written;
  std::set<std::string> validated;  // keys
  std::set<std::string> appended, removed;
  std::set<std::string> created, dropped, looked_up;
  bool alters = false;
  bool compacts = false;

  [[nodiscard]] bool nothing() const {
    return written.empty() && appended.empty() && removed.empty() && created.empty() && dropped.empty() && !alters;
  }
};

contents after(contents state, const effects& done) {
  for (const std::string& name : done.dropped) {
    state.tables.erase(name);
    state.keys.clear();  // it is K
    state.wide = false;
  }
  if (done.alters) state.wide = true;
  for (const std::string& each : done.removed) state.bag.erase(each);
  for (const auto& [key, now] : done.written)
    if (now)
      state.keys[key] = *now;
    else
      state.keys.erase(key);
  for (const std::string& each : done.appended) state.bag.insert(each);
  for (const std::string& name : done.created) state.tables.insert(name);
  return state;
}

using lake = client<memory_store>;
using transaction_type = lake::transaction_type;

std::string text_of(const value_view& v) {
  return v.kind() == kind::string ? std::string(v.as_string()) : std::string("?");
}

// A program in the making: a transaction, what it has seen and what it has done.
struct run {
  lake* in;
  transaction_type tx;
  std::string name;  // each value that is written says by whom
  contents view;     // what the transaction must see
  std::string seen = {};
  effects done = {};
  std::optional<compacted_objects> compaction = {};
  int steps = 0;

  template <class Result>
  bool note(const Result& answer) {
    seen += answer ? "ok;" : concat({name_of(answer.error().code()), ";"});
    return static_cast<bool>(answer);
  }
  [[nodiscard]] bool has(const std::string& table) const { return view.tables.count(table) != 0; }

  void scan(std::string_view table) {
    auto rows = tx.scan(table);
    if (note(rows)) note_rows(*rows);
  }
  template <class Scan>
  void note_rows(Scan& rows) {
    std::multiset<std::string> sorted;
    while (rows.next()) {
      std::string text;
      for (const value_view v : rows.row()) text += text_of(v) + ",";
      sorted.insert(text);
    }
    for (const std::string& each : sorted) seen += each + ";";
  }

  void write(const std::string& key, std::optional<std::pair<std::string, std::string>> now) {
    done.written[key] = now;
    if (now)
      view.keys[key] = *now;
    else
      view.keys.erase(key);
  }
  void upsert(const std::string& key, const std::string& tag) {
    if (has("K") && note(tx.upsert("K", {key, tag, tag}))) write(key, {{tag, tag}});
  }
  void create(const std::string& table) {
    done.looked_up.insert(table);
    if (note(tx.create_table(table, {"v"})) && !has(table)) {
      done.created.insert(table);
      view.tables.insert(table);
    }
  }
  void drop(const std::string& table) {
    if (!note(tx.drop_table(table))) return;
    done.dropped.insert(table);
    done.written.clear();
    done.alters = false;
    view = after(std::move(view), done);
  }
  // Rows of the snapshot, or one's own.
  void erase_from_g(const filter& wanted, std::set<std::string> rows) {
    const auto erased = tx.erase_where("G", wanted);
    REQUIRE(erased.has_value());
    seen += std::to_string(*erased) + ";";
    CHECK(*erased == rows.size());
    for (const std::string& each : rows) {
      view.bag.erase(each);
      if (done.appended.erase(each) == 0) done.removed.insert(each);
    }
  }

  void take(step next) {
    const std::string tag = name + std::to_string(++steps);
    done.looked_up.insert(table_of(next));
    switch (next) {
      case step::get_x: {
        const result<row> found = tx.get("K", {"x"});
        if (note(found)) seen += text_of((*found)[1]) + text_of((*found)[2]) + ";";
        break;
      }
      case step::scan_k: scan("K"); break;
      case step::range_to_x: {
        auto rows = tx.scan("K", {"a"}, {"y"});
        if (note(rows)) note_rows(*rows);
        break;
      }
      case step::upsert_x: upsert("x", tag); break;
      case step::upsert_y: upsert("y", tag); break;
      case step::erase_x:
        if (has("K") && note(tx.erase("K", {"x"}))) write("x", {});
        break;
      case step::insert_x:
        if (note(tx.insert("K", {"x", tag, tag}))) write("x", {{tag, tag}});
        if (has("K")) done.validated.insert("x");
        break;
      case step::update_x:  // n stays as it was read
        if (note(tx.update("K", {"x"}, {{"v", tag}}))) write("x", {{tag, view.keys["x"].second}});
        if (has("K")) done.validated.insert("x");
        break;
      case step::append_g:
        if (!note(tx.insert("G", {tag}))) break;
        done.appended.insert(tag);
        view.bag.insert(tag);
        break;
      case step::scan_g: scan("G"); break;
      case step::drop_k: drop("K"); break;
      case step::erase_old_g:
        erase_from_g({{"v", equals, "old"}},
                     view.bag.count("old") != 0 ? std::set<std::string>{"old"} : std::set<std::string>{});
        break;
      case step::erase_all_g: erase_from_g({}, view.bag); break;
      case step::alter_k:
        if (!note(tx.add_column("K", {"more"}))) break;
        done.alters = true;
        view.wide = true;
        break;
      case step::create_a: create("A"); break;
      case step::list_tables:
        for (const std::string& each : tx.tables().value()) seen += each + ";";
        break;
      case step::create_b_without_a:
        if (!tx.has_table("A").value()) create("B");
        break;
      case step::compact_k:
      case step::compact_g: {
        const auto plans = in->plan_compaction(table_of(next));
        if (!plans || plans->empty()) break;
        compaction = in->run_compaction((*plans)[0]).value();
        done.compacts = true;
        break;
      }
    }
  }

  result<version> commit() { return compaction ? in->commit_compaction(*compaction) : tx.commit(); }
};

contents read_all(lake& reader) {
  auto tx = reader.begin().value();
  contents all;
  for (const std::string& each : tx.tables().value()) all.tables.insert(each);
  if (all.tables.count("K") != 0)
    for (const row& each : tarn_test::rows_of(tx, "K"))
      all.keys[text_of(each[0])] = {text_of(each[1]), text_of(each[2])};
  all.wide = all.tables.count("K") != 0 && tx.columns("K").value().size() == 4;
  if (all.tables.count("G") != 0)
    for (const row& each : tarn_test::rows_of(tx, "G")) all.bag.insert(text_of(each[0]));
  return all;
}

// A lake of its own with the same content, already opened.
lake fork(lake& from) {
  lake made(from);
  made.store() = memory_store();
  REQUIRE(
      from.store()
          .list("", "",
                [&](std::string_view name) { (void)made.store().put_if_absent(name, from.store().get(name).value()); })
          .has_value());
  return made;
}

run start(lake& in, isolation level, const char* name, const contents& view, const program& steps) {
  run made{&in, in.begin(level).value(), name, view};
  for (const step each : steps) made.take(each);
  return made;
}

struct point {
  lake at;
  contents holds;
};

// Two states: of K with x and y, and something to compact, and of K without rows. G has two objects.
std::vector<point> initial_states() {
  std::vector<point> made;
  for (const bool keys : {true, false}) {
    lake in{memory_store{}};
    in.run([](auto& tx) -> status {
        tx.create_table("K", {{"k", column_type::string}, "v", "n"}, keyed{{"k"}}).value();
        tx.create_table("G", {"v"}).value();
        return tx.insert("G", {"old"});
      }).value();
    in.run([](auto& tx) { return tx.insert("G", {"older"}); }).value();
    if (keys) in.run([](auto& tx) { return tx.upsert("K", {{"x", "was", "was"}, {"y", "oldy", "oldy"}}); }).value();
    if (keys) in.run([](auto& tx) { return tx.upsert("K", {"x", "oldx", "oldx"}); }).value();
    made.push_back({in, read_all(in)});
  }
  return made;
}

std::vector<program> programs(bool pairs) {
  std::vector<program> made;
  for (int a = 0; a < step_count; ++a) made.push_back({static_cast<step>(a)});
  for (int a = 0; pairs && a < step_count; ++a)
    for (int b = 0; b < step_count; ++b) {
      const program both{static_cast<step>(a), static_cast<step>(b)};
      if (a < static_cast<int>(step::compact_k) && b < static_cast<int>(step::compact_k)) made.push_back(both);
    }
  return made;
}

std::string describe(const program& steps) {
  std::string text;
  for (const step each : steps) text += std::to_string(static_cast<int>(each)) + " ";
  return text;
}

struct tally {
  int pairs = 0;
  int conflicts = 0;
  int needless = 0;
};

// Whether both, as they ran at one snapshot, may be committed one after the other.
bool may_follow(isolation level, const run& mine, const effects& won, const contents& after_winner, const run& serial) {
  const contents made = after(after_winner, mine.done);
  if (level == isolation::serializable) return mine.seen == serial.seen && made == after(after_winner, serial.done);
  for (const auto& [key, now] : won.written) {
    if (mine.done.validated.count(key) != 0) return false;
    if (level == isolation::snapshot && mine.done.written.count(key) != 0) return false;
  }
  for (const auto* const changed : {&won.created, &won.dropped})
    for (const std::string& table : *changed)
      if (mine.done.looked_up.count(table) != 0 || mine.done.looked_up.count("all") != 0) return false;
  if (won.alters && mine.done.looked_up.count("K") != 0) return false;
  for (const std::string& each : won.removed)
    if (mine.done.removed.count(each) != 0) return false;
  // Nothing is discarded unseen.
  return won.written.empty() || (!mine.done.alters && mine.done.dropped.empty());
}

// The rules have three conflicts that comparing outcomes does not ask for: of two writes of one key the first would be
// lost unseen, so would what is in a dropped or altered table, and the work of the second of two who reorganize the
// same objects.
bool is_meant(const effects& mine, const effects& won) {
  for (const auto& [key, now] : won.written)
    if (mine.written.count(key) != 0 || mine.validated.count(key) != 0) return true;
  if (mine.compacts && won.compacts) return true;
  // A bag is read as a whole, whatever the filter.
  if (!mine.removed.empty() && !won.appended.empty()) return true;
  // Rows that are deleted from an object that is compacted are in another one then.
  if ((mine.compacts && !won.removed.empty()) || (won.compacts && !mine.removed.empty())) return true;
  return !mine.dropped.empty() || !won.dropped.empty() || mine.alters || won.alters;
}

void compare(isolation level, point& from, const program& winner, const program& other, const effects& won, point& to,
             tally& all) {
  CAPTURE(describe(winner));
  CAPTURE(describe(other));
  CAPTURE(static_cast<int>(level));
  lake my_lake = fork(from.at);
  lake their_lake(my_lake);  // of the same store
  run mine = start(my_lake, level, "m", from.holds, other);
  {
    run theirs = start(their_lake, level, "w", from.holds, winner);
    REQUIRE(theirs.commit().has_value());
  }
  const bool committed = mine.commit().has_value();
  ++all.pairs;
  all.conflicts += committed ? 0 : 1;
  if (mine.done.nothing() && !mine.done.compacts) {
    CHECK(committed);  // before the winner
    return;
  }
  const run serial = start(to.at, level, "m", to.holds, other);
  const bool fine = may_follow(level, mine, won, to.holds, serial);
  if (committed) {
    CHECK(fine);
    CHECK(read_all(my_lake) == after(to.holds, mine.done));
  } else {
    all.needless += fine ? 1 : 0;
    if (fine && winner.size() == 1 && other.size() == 1) CHECK(is_meant(mine.done, won));
    CHECK(my_lake.newest_snapshot().value()->at == their_lake.newest_snapshot().value()->at);
  }
}

// Of all programs of one step for one of the two, and of one or two for the other.
void compare_all(isolation level, point& from, bool two_of_winner, bool two_of_mine, tally& all) {
  const std::vector<program> others = programs(two_of_mine);
  const std::size_t share = tarn_test::share_of_cases();
  std::size_t winner_number = 0;
  for (const program& winner : programs(two_of_winner)) {
    point to{fork(from.at), {}};
    run won = start(to.at, level, "w", from.holds, winner);
    if (won.done.nothing() && !won.done.compacts) continue;
    REQUIRE(won.commit().has_value());
    to.holds = after(from.holds, won.done);
    REQUIRE(read_all(to.at) == to.holds);
    for (std::size_t at = winner_number++ % share; at < others.size(); at += share)
      compare(level, from, winner, others[at], won.done, to, all);
  }
}

}  // namespace

TEST_CASE("whatever commits is as if it had run after the winner: each step, and each two, against each step") {
  std::vector<point> states = initial_states();
  for (const isolation level : {isolation::serializable, isolation::snapshot, isolation::non_blocking}) {
    CAPTURE(static_cast<int>(level));
    tally all;
    compare_all(level, states[0], false, true, all);
    if (level == isolation::serializable) {
      compare_all(level, states[1], false, true, all);
      compare_all(level, states[0], true, false, all);  // and two steps of the winner against one
    }
    MESSAGE(all.pairs, " pairs, ", all.conflicts, " conflicts, ", all.needless, " of them needless");
    CHECK(all.conflicts > all.pairs / 10);
    CHECK(all.needless < (level == isolation::serializable ? all.conflicts / 2 : all.conflicts / 8));
  }
}
