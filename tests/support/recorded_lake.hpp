// Clients of one lake in memory, whose transactions are interleaved operation by operation as a seed says, with all
// that they do recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/history_recorder.hpp>
#include <tarn/testing/invariants.hpp>
#include <tarn/testing/random_source.hpp>
#include <tarn/testing/recorded_client.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/testing/store_audit.hpp>
#include <tarn/testing/store_reader.hpp>
#include <utility>
#include <vector>

#include "event_store.hpp"
#include "findings.hpp"
#include "stored_objects.hpp"

namespace tarn_test {

// Tables: "kept" is keyed, "hashed" too with two columns and three buckets, "ordered" by an ordering, "bag" and "other"
// are bags.
template <class Merge>
class recorded_lake {
 public:
  using lake = tarn::testing::recorded_client<event_store, tarn::json_codec, Merge>;
  using transaction = typename lake::transaction_type;

  recorded_lake(std::uint64_t seed, tally& happened)
      : random_(seed),
        environment_(std::make_unique<tarn::testing::simulated_environment>(seed)),
        happened_(&happened) {
    tarn::client_options options;
    options.bounds.rows_per_object = 1 + random_.below(4);
    options.commit.inline_bytes_max = some_inline_bytes(random_.below(4));
    options.checkpoint_interval = static_cast<std::uint32_t>(random_.below(4));
    options.surroundings = environment_->get();
    const tarn::client<event_store, tarn::json_codec, Merge> first(store_, options);
    for (std::size_t number = 0; number < 2 + random_.below(3); ++number)
      clients_.push_back({std::make_unique<lake>(first, into_), {}});
    for (std::uint32_t number = 0; number < clients_.size(); ++number)
      clients_[number].client->inner().store() = store_.of_client(number);
    for (const char* const each : {"kept", "hashed", "ordered", "bag", "other"}) create(each);
  }

  // Levels that transactions are begun with.
  void use_level(tarn::isolation level) { only_ = level; }

  void step() {
    environment_->clock.ms += static_cast<std::int64_t>(random_.below(3));
    actor& chosen = clients_[random_.below(clients_.size())];
    if (random_.chance(4)) return keep_house(chosen);
    if (!chosen.open) return begin(chosen);
    const std::size_t what = random_.below(10);
    if (what == 0) return finish(chosen, !random_.chance(10));
    if (what < 4) return read(*chosen.open);
    if (what < 9) return write(*chosen.open);
    redefine(*chosen.open);
  }

  void finish_all() {
    for (actor& each : clients_)
      if (each.open) finish(each, true);
  }

  // What the check of the history and the second reader say; empty: all is well.
  [[nodiscard]] std::string complaint() {
    tarn::testing::store_reader reader(store_);
    count("rows audited", tarn::testing::audit_store(reader, into_, oldest_));
    const tarn::testing::history_report report = tarn::testing::check_history(into_.recorded());
    count("reads checked", report.reads);
    count("rows found", report.rows);
    count("contested ranges", report.contested);
    count("permitted cycles", report.permitted_cycles);
    std::string all;
    const tarn::testing::store_invariants now(store_);
    const tarn::testing::event_invariants ever(store_.events());
    count("removals and looks in vain judged", ever.judged());
    for (const auto* const broken : {&now.violations(), &ever.violations()})
      for (const auto& each : *broken)
        all += "L" + std::to_string(static_cast<int>(each.which)) + ": " + each.message + "\n";
    for (const std::string& each : reader.complaints()) all += each + "\n";
    for (const auto& each : report.violations) all += std::string(name_of(each.found_by)) + ": " + each.message + "\n";
    return all;
  }

 private:
  struct actor {
    std::unique_ptr<lake> client;
    std::optional<transaction> open;
  };

  void count(const std::string& what, std::uint64_t times = 1) { (*happened_)[what] += times; }
  template <class Result>
  void note(const std::string& what, const Result& done) {
    count(what + (done ? std::string(": done") : ": " + std::string(name_of(done.error().code()))));
  }

  void create(std::string_view table) {
    auto tx = clients_[0].client->begin();
    if (!tx) return;
    (void)create(*tx, table);
    note("first", tx->commit());
  }
  static tarn::status create(transaction& tx, std::string_view table) {
    using tarn::column_type;
    const tarn::schema plain{{"k", column_type::integer}, {"v", column_type::integer}};
    if (table == "kept") return tx.create_table(table, plain, tarn::keyed{{"k"}});
    if (table == "ordered")
      return tx.create_table(table,
                             {{"k", column_type::integer}, {"v", column_type::integer}, {"o", column_type::integer}},
                             tarn::keyed{{"k"}, 1, tarn::by_ordering("o")});
    if (table == "hashed")
      return tx.create_table(table,
                             {{"k", column_type::integer}, {"name", column_type::string}, {"v", column_type::integer}},
                             tarn::keyed{{"name", "k"}, 3});
    return tx.create_table(table, plain);
  }

  void begin(actor& by) {
    if (random_.chance(8)) {
      auto tx = by.client->begin_at({static_cast<std::int64_t>(random_.below(30))});
      note("begin at", tx);
      if (tx) by.open.emplace(*std::move(tx));
      return;
    }
    auto tx = by.client->begin(only_ ? *only_ : static_cast<tarn::isolation>(random_.below(3)));
    note("begin", tx);
    if (tx) by.open.emplace(*std::move(tx));
  }
  void finish(actor& by, bool commits) {
    if (commits)
      note("commit", by.open->commit());
    else
      by.open->rollback();
    by.open.reset();
  }

  [[nodiscard]] std::string_view any_table() {
    constexpr std::string_view names[] = {"kept", "hashed", "ordered", "bag", "other"};
    return names[random_.below(5)];
  }
  [[nodiscard]] std::int64_t small(std::size_t bound = 4) { return static_cast<std::int64_t>(random_.below(bound)); }
  [[nodiscard]] tarn::row key_in(std::string_view table) {
    if (table == "hashed") return {tarn::value(random_.chance(50) ? "a" : "b"), tarn::value(small(3))};
    return {tarn::value(small())};
  }
  [[nodiscard]] tarn::row row_in(std::string_view table) {
    if (table == "hashed")
      return {tarn::value(small(3)), tarn::value(random_.chance(50) ? "a" : "b"), tarn::value(small(100))};
    if (table == "ordered") return {tarn::value(small()), tarn::value(small(100)), tarn::value(small(9))};
    return {tarn::value(small()), tarn::value(small(100))};
  }
  [[nodiscard]] tarn::filter some_rows() {
    if (random_.chance(40)) return {};
    if (random_.chance(50)) return {{"v", tarn::at_least, small(100)}};
    return {{"k", tarn::equals, small()}};
  }

  void read(transaction& tx) {
    const std::string_view table = any_table();
    switch (random_.below(6)) {
      case 0: return note("list tables", tx.tables());
      case 1: return note("look for table", tx.has_table(table));
      case 2:
      case 3: return note("scan", tx.scan(table, some_rows()));
      default: return note("get", tx.get(table, key_in(table)));
    }
  }

  void write(transaction& tx) {
    const std::string_view table = any_table();
    const std::int64_t value = small(100);
    switch (random_.below(9)) {
      case 0:
      case 1:
      case 2: return note("insert", tx.insert(table, row_in(table)));
      case 3:
      case 4: return note("upsert", tx.upsert(table, row_in(table)));
      case 5: return note("update", tx.update(table, key_in(table), {{"v", value}}));
      case 6: return note("erase where", tx.erase_where(table, some_rows()));
      case 7: return note("update where", tx.update_where(table, some_rows(), {{"v", value}}));
      default: return erase(tx, table);
    }
  }
  void erase(transaction& tx, std::string_view table) {
    if (table == "ordered" && random_.chance(70))
      return note("ordered erase", tx.erase(table, key_in(table), small(9)));
    note("erase", tx.erase(table, key_in(table)));
  }

  void redefine(transaction& tx) {
    if (!random_.chance(15)) return note("flush", tx.inner().flush());
    const std::string_view table = any_table();
    note("drop", tx.drop_table(table));
    if (random_.chance(90)) note("create", create(tx, table));
  }

  void keep_house(actor& by) {
    lake& client = *by.client;
    switch (random_.below(9)) {
      case 0: return note("compact", client.compact(any_table()));
      case 1: return prepare_compaction(client);
      case 2:
      case 3: return finish_compaction(client);
      case 4: return note("checkpoint", client.checkpoint());
      case 5: return note("restore", client.restore({static_cast<std::int64_t>(random_.below(20))}));
      case 6: return vacuum(client);
      case 7: return tag(client);
      default:
        tarn::testing::read_log(tarn::testing::store_reader(store_), into_);
        return note("truncate", client.truncate());
    }
  }
  void prepare_compaction(lake& client) {
    const auto plans = client.inner().plan_compaction(any_table());
    if (!plans || plans->empty()) return;
    auto run = client.inner().run_compaction((*plans)[random_.below(plans->size())]);
    note("run compaction", run);
    if (run) compactions_.push_back(*std::move(run));
  }
  void finish_compaction(lake& client) {
    if (compactions_.empty()) return prepare_compaction(client);
    const std::size_t which = random_.below(compactions_.size());
    note("commit compaction", client.commit_compaction(compactions_[which]));
    compactions_.erase(compactions_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void tag(lake& client) {
    const std::string name = random_.chance(50) ? "one" : "other";
    if (random_.chance(30)) return note("untag", client.untag(name));
    note("tag", client.tag(name, {static_cast<std::int64_t>(random_.below(30))}));
  }

  void vacuum(lake& client) {
    tarn::vacuum_options options;
    options.keep_ms = random_.below(40);
    options.keep_versions = 1 + random_.below(10);
    options.grace_ms = random_.below(30);
    const auto done = client.vacuum(options);
    note("vacuum", done);
    if (done) client.inner().store().note_vacuum();
    if (done && done->kept.oldest > oldest_) oldest_ = done->kept.oldest;
  }

  tarn::testing::random_source random_;
  std::unique_ptr<tarn::testing::simulated_environment> environment_;  // stays where it is
  tally* happened_;
  event_store store_;
  tarn::testing::history_recorder into_;
  std::vector<actor> clients_;
  std::vector<tarn::compacted_objects> compactions_;  // that are to be committed
  std::optional<tarn::isolation> only_;
  tarn::version oldest_{0};  // that must be whole
};

}  // namespace tarn_test
