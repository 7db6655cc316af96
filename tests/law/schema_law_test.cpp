// LAW: the rows of a version are what a plain model says, which changes every row at once when columns change, whenever
// the objects were written, compacted or restored; and they stay so, whatever comes after.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <utility>
#include <vector>

#include "../support/codecs.hpp"
#include "../support/random_source.hpp"
#include "../support/rows_as_text.hpp"
#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn;
using namespace tarn_test;

enum class table_kind : unsigned char { bag, latest, ordered };

// A row: values by id of column; a missing one is null.
using model_row = std::map<std::uint32_t, value>;

struct model_table {
  table_kind kind = table_kind::bag;
  std::vector<column> columns;  // with their ids
  std::uint32_t last_id = 0;    // that any column has ever had
  std::uint32_t key = 0;        // the column's id; 0: none
  std::uint32_t ordering = 0;
  std::vector<model_row> rows;                      // of a bag
  std::map<std::int64_t, model_row> keyed;          // by key
  std::map<std::int64_t, std::int64_t> tombstones;  // orderings of erased keys

  template <class Change>
  void change_rows(Change change) {
    for (model_row& each : rows) change(each);
    for (auto& [which, each] : keyed) change(each);
  }

  [[nodiscard]] row row_in_order(const model_row& from) const {
    row made;
    for (const column& each : columns) {
      const auto found = from.find(each.id.number);
      made.push_back(found == from.end() ? value() : found->second);
    }
    return made;
  }

  [[nodiscard]] std::string text() const {
    const schema named(columns);
    std::vector<std::string> lines;
    const auto add = [&](const model_row& each) {
      const row values = row_in_order(each);
      lines.push_back(row_as_text(row_view(list_view(values), &named), named));
    };
    for (const model_row& each : rows) add(each);
    for (const auto& [which, each] : keyed) add(each);
    std::sort(lines.begin(), lines.end());
    return joined(lines);
  }

  // Whether a write with this ordering counts.
  [[nodiscard]] bool counts(std::int64_t key_value, std::int64_t order) const {
    if (kind != table_kind::ordered) return true;
    if (const auto erased = tombstones.find(key_value); erased != tombstones.end()) return order >= erased->second;
    const auto found = keyed.find(key_value);
    return found == keyed.end() || order >= value_view(found->second.at(ordering)).as_integer();
  }
};

// What there is at one version: the table "t", or none.
using model = std::optional<model_table>;

// One history, with several clients of one strategy over one store.
template <class Merge>
class schema_history {
 public:
  using lake_type = client<memory_store, tarn_test::codec_with<Merge>, Merge>;
  using transaction = typename lake_type::transaction_type;

  explicit schema_history(std::uint64_t seed) : random_(seed), environment_(seed) {
    constexpr std::uint64_t rows[] = {1, 2, 65'536};
    options_.surroundings = environment_.get();
    options_.bounds.rows_per_object = rows[random_.below(3)];
    options_.commit.inline_bytes_max = tarn_test::some_inline_bytes(random_.below(4));
    for (int clients = 0; clients < 2; ++clients) lakes_.push_back(lake_type(store_, options_));
  }

  void run() {
    for (std::size_t steps = 8 + random_.below(25); steps > 0; --steps) {
      lake_type& lake = lakes_[random_.below(lakes_.size())];
      const std::size_t ticket = random_.below(100);
      if (ticket < 12 && now_)
        compact(lake);
      else if (ticket < 24 && !versions_.empty())
        restore(lake);
      else
        transact(lake);
    }
    // Old versions, after everything.
    lake_type fresh(store_, options_);
    for (std::size_t at = 0; at < versions_.size(); ++at) {
      CAPTURE(at);
      auto tx = fresh.begin_at(version{static_cast<std::int64_t>(at)}).value();
      check(tx, versions_[at]);
    }
    for (lake_type& each : lakes_) {
      auto tx = each.begin().value();
      check(tx, now_);
    }
  }

  static inline std::map<std::string, std::size_t> happened;

 private:
  void check(transaction& tx, const model& expected) {
    REQUIRE(tx.has_table("t").value() == expected.has_value());
    if (!expected) return;
    const schema columns = tx.columns("t").value();
    REQUIRE(columns.size() == expected->columns.size());
    for (std::size_t at = 0; at < columns.size(); ++at) {
      REQUIRE(columns[at].id == expected->columns[at].id);
      REQUIRE(columns[at].name == expected->columns[at].name);
      REQUIRE(columns[at].type == expected->columns[at].type);
    }
    REQUIRE(sorted_rows_as_text(tx, "t") == expected->text());
    if (expected->kind == table_kind::bag) return;
    auto verified = tx.verifying_scan("t").value();
    while (verified.next()) {
    }
    REQUIRE(verified.status().has_value());
    const std::int64_t key = static_cast<std::int64_t>(random_.below(6));
    const result<row> found = tx.get("t", {key});
    const auto known = expected->keyed.find(key);
    REQUIRE(found.has_value() == (known != expected->keyed.end()));
    if (found) REQUIRE(*found == expected->row_in_order(known->second));
  }

  void compact(lake_type& lake) {
    const std::int64_t head = lake.compact("t").value().number;
    remember(head);
    ++happened["compact"];
  }

  void restore(lake_type& lake) {
    const std::size_t to = random_.below(versions_.size());
    const std::int64_t head = lake.restore(version{static_cast<std::int64_t>(to)}).value().number;
    const std::uint32_t last = now_ ? now_->last_id : 0;
    const bool same_table = now_ && versions_[to] && incarnation_ == incarnations_[to];
    now_ = versions_[to];
    incarnation_ = incarnations_[to];
    if (same_table) now_->last_id = std::max(now_->last_id, last);
    remember(head);
    ++happened["restore"];
  }

  // Every version up to `head` is what is there now.
  void remember(std::int64_t head) {
    while (static_cast<std::int64_t>(versions_.size()) <= head) {
      versions_.push_back(now_);
      incarnations_.push_back(incarnation_);
    }
  }

  void transact(lake_type& lake) {
    const model before = now_;
    const std::uint64_t incarnation_before = incarnation_;
    auto tx = lake.begin().value();
    for (std::size_t steps = 1 + random_.below(5); steps > 0; --steps) {
      change(tx);
      if (random_.chance(30)) tx.flush().value();
      if (random_.chance(30)) check(tx, now_);
    }
    if (random_.chance(10)) {
      tx.rollback();
      now_ = before;
      incarnation_ = incarnation_before;
      return;
    }
    remember(tx.commit().value().number);
    if (random_.chance(50)) {
      auto reading = lake.begin().value();
      check(reading, now_);
    }
  }

  void change(transaction& tx) {
    if (!now_) return create(tx);
    switch (random_.below(14)) {
      case 0: return add(tx);
      case 1: return add(tx);
      case 2: return drop(tx);
      case 3: return rename(tx);
      case 4:
      case 5: return widen(tx);
      case 6:
        if (random_.chance(75)) return write(tx);
        tx.drop_table("t").value();
        now_ = {};
        ++happened["drop table"];
        return;
      case 7: return erase(tx);
      case 8: return update(tx);
      case 9: return erase_where(tx);
      default: return write(tx);
    }
  }

  void create(transaction& tx) {
    model_table made;
    made.kind = static_cast<table_kind>(random_.below(3));
    const std::size_t key_place = random_.below(3);
    for (std::size_t at = 0; at < 4; ++at) {
      const bool keyed_column = made.kind != table_kind::bag && at == key_place;
      const bool orders = made.kind == table_kind::ordered && at == key_place + 1;
      const std::string name = keyed_column ? "k" : orders ? "o" : std::string(1, static_cast<char>('a' + at));
      column next(name, keyed_column || orders ? column_type::integer : some_type());
      next.id = {static_cast<std::uint32_t>(at + 1)};
      if (keyed_column) made.key = next.id.number;
      if (orders) made.ordering = next.id.number;
      made.columns.push_back(next);
    }
    made.last_id = 4;
    keyed key{{"k"}, random_.chance(70) ? 1U : 3U};
    if (made.kind == table_kind::ordered) key.fold = by_ordering("o");
    const schema columns(made.columns);
    if (made.kind == table_kind::bag)
      tx.create_table("t", columns).value();
    else
      tx.create_table("t", columns, key).value();
    now_ = made;
    incarnation_ = ++incarnations_made_;
    ++happened["create"];
  }

  void add(transaction& tx) {
    if (now_->columns.size() == columns_max) return;
    column added(new_name(), some_type());
    tx.add_column("t", added).value();
    added.id = {++now_->last_id};
    now_->columns.push_back(added);
    ++happened["add"];
  }
  void drop(transaction& tx) {
    const std::size_t at = random_.below(now_->columns.size());
    const std::uint32_t id = now_->columns[at].id.number;
    const status dropped = tx.drop_column("t", now_->columns[at].name);
    REQUIRE(dropped.has_value() == (now_->columns.size() > 1 && is_free(id)));
    if (!dropped) return;
    now_->columns.erase(now_->columns.begin() + static_cast<std::ptrdiff_t>(at));
    now_->change_rows([&](model_row& each) { each.erase(id); });
    ++happened["drop"];
  }
  void rename(transaction& tx) {
    column& renamed = now_->columns[random_.below(now_->columns.size())];
    const std::string name = new_name();
    tx.rename_column("t", renamed.name, name).value();
    renamed.name = name;
    ++happened["rename"];
  }
  void widen(transaction& tx) {
    column& widened = now_->columns[random_.below(now_->columns.size())];
    const status done = tx.widen_column("t", widened.name);
    const std::uint32_t id = widened.id.number;
    REQUIRE(done.has_value() == (widened.type == column_type::integer && is_free(id)));
    if (!done) return;
    widened.type = column_type::real;
    now_->change_rows([&](model_row& each) {
      const auto found = each.find(id);
      if (found == each.end() || value_view(found->second).is_null()) return;
      found->second = static_cast<double>(value_view(found->second).as_integer());
    });
    ++happened["widen"];
  }

  void write(transaction& tx) {
    for (std::size_t rows = 1 + random_.below(3); rows > 0; --rows) {
      const model_row made = some_row();
      const row values = now_->row_in_order(made);
      if (now_->kind == table_kind::bag) {
        tx.insert("t", values).value();
        now_->rows.push_back(made);
        continue;
      }
      tx.upsert("t", values).value();
      const std::int64_t key = value_view(made.at(now_->key)).as_integer();
      const std::int64_t order = now_->ordering == 0 ? 0 : value_view(made.at(now_->ordering)).as_integer();
      if (!now_->counts(key, order)) continue;
      now_->keyed[key] = made;
      now_->tombstones.erase(key);
    }
    ++happened["write"];
  }

  // By what is in a column, so that objects are skipped by the bounds that they were written with.
  void erase_where(transaction& tx) {
    const column& wanted = now_->columns[random_.below(now_->columns.size())];
    if (wanted.type != column_type::integer && wanted.type != column_type::real) return;
    const std::int64_t least = 80 + static_cast<std::int64_t>(random_.below(30));
    const bool whole = wanted.type == column_type::integer;
    const value from = whole ? value(least) : value(static_cast<double>(least));
    const std::uint32_t id = wanted.id.number;
    const auto matches = [&](const model_row& each) {
      const auto found = each.find(id);
      if (found == each.end() || value_view(found->second).is_null()) return false;
      const value_view held(found->second);
      return whole ? held.as_integer() >= least : held.as_double() >= static_cast<double>(least);
    };
    const std::size_t before = now_->rows.size() + now_->keyed.size();
    std::erase_if(now_->rows, matches);
    std::erase_if(now_->keyed, [&](const auto& each) { return matches(each.second); });
    const std::size_t erased = before - now_->rows.size() - now_->keyed.size();
    REQUIRE(tx.erase_where("t", {{wanted.name, at_least, from}}).value() == erased);
    if (erased > 0) ++happened["erase where"];
  }

  void erase(transaction& tx) {
    if (now_->kind == table_kind::bag) return erase_where(tx);
    const std::int64_t key = static_cast<std::int64_t>(random_.below(6));
    if (now_->kind == table_kind::latest || random_.chance(30)) {
      tx.erase("t", {key}).value();
      now_->keyed.erase(key);
      now_->tombstones.erase(key);
    } else {
      const std::int64_t order = static_cast<std::int64_t>(random_.below(5));
      tx.erase("t", {key}, order).value();
      if (!now_->counts(key, order)) return;
      now_->keyed.erase(key);
      now_->tombstones[key] = order;
    }
    ++happened["erase"];
  }

  void update(transaction& tx) {
    if (now_->kind == table_kind::bag) return;
    const std::int64_t key = static_cast<std::int64_t>(random_.below(6));
    const column& changed = now_->columns[random_.below(now_->columns.size())];
    if (!is_free(changed.id.number)) return;
    const value next = some_value(changed.type);
    const status done = tx.update("t", {key}, {{changed.name, next}});
    const auto found = now_->keyed.find(key);
    REQUIRE(done.has_value() == (found != now_->keyed.end()));
    if (done) found->second[changed.id.number] = next;
    ++happened["update"];
  }

  [[nodiscard]] bool is_free(std::uint32_t id) const { return id != now_->key && id != now_->ordering; }

  static constexpr std::size_t columns_max = 7;

  // Few names, so that they come back, but none that the table has.
  [[nodiscard]] std::string new_name() {
    for (;;) {
      std::string name(1, static_cast<char>('a' + random_.below(10)));
      bool taken = false;
      if (now_)
        for (const column& each : now_->columns) taken = taken || each.name == name;
      if (!taken) return name;
    }
  }
  [[nodiscard]] column_type some_type() {
    constexpr column_type types[] = {column_type::integer, column_type::integer, column_type::real, column_type::string,
                                     column_type::any};
    return types[random_.below(5)];
  }
  [[nodiscard]] value some_value(column_type type) {
    if (random_.chance(20)) return nullptr;
    if (type == column_type::any) type = static_cast<column_type>(1 + random_.below(4));
    if (type == column_type::boolean) return random_.chance(50);
    if (type == column_type::integer)
      return random_.chance(10) ? (std::int64_t{1} << 53) + 1 : static_cast<std::int64_t>(random_.below(100));
    if (type == column_type::real) return static_cast<double>(random_.below(100)) + 0.5;
    return "s" + std::to_string(random_.below(100));
  }
  [[nodiscard]] model_row some_row() {
    model_row made;
    for (const column& each : now_->columns) made[each.id.number] = some_value(each.type);
    if (now_->key != 0) made[now_->key] = static_cast<std::int64_t>(random_.below(6));
    if (now_->ordering != 0) made[now_->ordering] = static_cast<std::int64_t>(random_.below(5));
    return made;
  }

  random_source random_;
  test_environment environment_;
  client_options options_;
  memory_store store_;
  std::vector<lake_type> lakes_;
  model now_;
  std::uint64_t incarnation_ = 0;  // of the table, which drop and create make anew
  std::uint64_t incarnations_made_ = 0;
  std::vector<model> versions_;
  std::vector<std::uint64_t> incarnations_;
};

}  // namespace

TEST_CASE_TEMPLATE("random schema changes, writes, compactions and restores agree with a plain model", Merge,
                   merge::by_key, merge::by_position, merge::derived) {
  const std::uint64_t seed = seed_of_this_run();  // TARN_TEST_SEED runs it again
  const std::uint64_t count = 60 / share_of_cases();
  CAPTURE(seed);
  for (std::uint64_t number = 0; number < count; ++number) {
    CAPTURE(number);
    schema_history<Merge> history(seed + number);
    history.run();
  }
  if (share_of_cases() > 1) return;  // a few histories need not have each of these
  for (const char* const what : {"add", "compact", "create", "drop", "drop table", "erase", "erase where", "rename",
                                 "restore", "update", "widen", "write"})
    CHECK_MESSAGE(schema_history<Merge>::happened[what] > count / 4, what);
}
