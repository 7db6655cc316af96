// Good histories, as long as one likes: of a database that is simulated in the simplest way. Each transaction reads all
// that it reads when it begins, from the newest state, and is validated when it commits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tarn/testing/history.hpp>
#include <tarn/testing/random_source.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

struct generated_shape {
  std::size_t transactions = 100;
  std::size_t clients = 4;
  std::size_t keys = 20;                      // of each of two keyed tables; fewer mean more conflicts
  std::size_t reads = 4;                      // about so many in each transaction
  std::optional<tarn::isolation> level = {};  // none: all
};

// Tables 0 and 1 are keyed, 1 by an ordering; 2 is a bag of some ten rows, which is scanned.
class generated_history {
 public:
  generated_history(std::uint64_t seed, const generated_shape& shape) : random_(seed), shape_(shape) {
    made_.tables = {"latest", "ordered", "bag"};
    made_.predicates.emplace_back([](tarn::testing::row_token row) { return row % 3 == 0; });
    for (std::vector<cell>& each : keyed_) each.resize(shape.keys);
    made_.transactions.reserve(shape.transactions + 1);
    made_.operations.reserve(shape.transactions * (shape.reads + 2));
    create_tables();
    std::vector<open_transaction> open(shape.clients);
    for (std::uint32_t client = 0; client < shape.clients; ++client) begin(open[client], client);
    while (made_.transactions.size() < shape.transactions) {
      const auto client = static_cast<std::uint32_t>(random_.below(shape.clients));
      end(open[client]);
      begin(open[client], client);
    }
  }

  [[nodiscard]] tarn::testing::history& get() { return made_; }

 private:
  using kind = tarn::testing::operation_kind;
  using operation = tarn::testing::recorded_operation;

  struct cell {
    tarn::testing::row_token row = 0;
    std::int64_t ordering = 0;
    bool known = false;  // a row or a tombstone
    std::int64_t written = -1;
  };
  struct bag_row {
    std::uint64_t key;
    tarn::testing::row_token row;
  };
  struct open_transaction {
    tarn::testing::transaction_record record;
    std::vector<operation> done;
  };

  void create_tables() {
    tarn::testing::transaction_record record;
    record.id = {1, ++ids_};
    record.begin = events_++;
    record.end = events_++;
    record.committed = {0};
    std::vector<operation> done;
    for (std::uint32_t table = 0; table < 3; ++table) done.push_back({kind::create_table, table, (table + 1) % 3});
    made_.add(record, done);
    made_.log.push_back(record.id);
  }

  [[nodiscard]] std::int64_t head() const { return made_.head().number; }

  void begin(open_transaction& made, std::uint32_t client) {
    made.record = {};
    made.done.clear();
    made.record.id = {1, ++ids_};
    made.record.begin = events_++;
    made.record.snapshot = {head()};
    made.record.client = made.record.session = client;
    made.record.level = shape_.level ? *shape_.level : static_cast<tarn::isolation>(random_.below(3));
    if (random_.below(200) == 0) {
      made.record.purpose = tarn::testing::purpose::housekeeping;
      return;
    }
    for (std::size_t count = random_.below(2 * shape_.reads); count > 0; --count) read(made);
    if (random_.chance(50))
      for (std::size_t count = 1 + random_.below(2); count > 0; --count) write(made);
  }

  void read(open_transaction& made) {
    if (random_.below(20) == 0) return scan(made);
    const auto table = static_cast<std::uint32_t>(random_.below(2));
    const std::uint64_t key = random_.below(shape_.keys);
    made.done.push_back({kind::look_up, table, key, 0, at(table, key).row});
  }
  void scan(open_transaction& made) {
    const bool filtered = random_.chance(50);
    made.done.push_back({kind::scan, 2, filtered ? 1U : 0U});
    for (const bag_row& each : bag_)
      if (!filtered || each.row % 3 == 0) made.done.push_back({kind::found, 2, each.key, 0, each.row});
  }

  [[nodiscard]] cell& at(std::uint32_t table, std::uint64_t key) {
    return keyed_[table][static_cast<std::size_t>(key)];
  }

  void write(open_transaction& made) {
    const auto table = static_cast<std::uint32_t>(random_.below(8) == 0 ? 2 : random_.below(2));
    if (table == 2) return write_bag(made);
    operation done{kind::upsert, table, random_.below(shape_.keys)};
    for (const operation& each : made.done)
      if (tarn::testing::is_write(each.kind) && each.table == table && each.key == done.key) return;
    const cell& now = at(table, done.key);
    if (table == 1) done.ordering = static_cast<std::int64_t>(random_.below(16));
    switch (random_.below(6)) {
      case 0: done.kind = table == 1 && random_.chance(50) ? kind::ordered_erase : kind::erase; break;
      case 1:
        if (table == 0) done.kind = now.row != 0 ? kind::update : kind::insert;
        break;
      default: break;
    }
    if (done.kind != kind::erase && done.kind != kind::ordered_erase) done.row = ++rows_;
    made.done.push_back(done);
    if (table == 0 && random_.chance(20)) made.done.push_back({kind::look_up, 0, done.key, 0, done.row});
  }
  void write_bag(open_transaction& made) {
    if (bag_.size() < 10) return made.done.push_back({kind::append, 2, bag_keys_++, ++rows_});
    const std::uint64_t key = bag_[random_.below(bag_.size())].key;
    for (const operation& each : made.done)
      if (each.kind == kind::delete_row && each.key == key) return;
    made.done.push_back({kind::delete_row, 2, key});
  }

  void end(open_transaction& ended) {
    tarn::testing::transaction_record& record = ended.record;
    const auto writes = [](const operation& each) { return tarn::testing::is_write(each.kind); };
    const bool has_entry = record.purpose == tarn::testing::purpose::housekeeping ||
                           std::any_of(ended.done.begin(), ended.done.end(), writes);
    const bool loses = has_entry && (random_.below(50) == 0 || conflicts(ended));
    if (!has_entry) record.committed = record.snapshot;
    if (has_entry && !loses) {
      record.committed = {head() + 1};
      for (const operation& each : ended.done) apply(each, record.committed.number);
      made_.log.push_back(record.id);
    }
    if (loses) record.outcome = tarn::testing::commit_outcome::failed;
    if (has_entry && random_.below(100) == 0) record.outcome = tarn::testing::commit_outcome::unknown;
    if (record.outcome != tarn::testing::commit_outcome::acknowledged) record.committed = tarn::testing::no_version;
    record.end = events_++;
    made_.add(record, ended.done);
  }

  [[nodiscard]] bool conflicts(const open_transaction& mine) {
    const std::int64_t snapshot = mine.record.snapshot.number;
    const bool serializable = mine.record.level == tarn::isolation::serializable;
    const bool blocking = mine.record.level != tarn::isolation::non_blocking;
    return std::any_of(mine.done.begin(), mine.done.end(), [&](const operation& each) {
      switch (each.kind) {
        case kind::look_up: return serializable && at(each.table, each.key).written > snapshot;
        case kind::scan: return serializable && bag_written_ > snapshot;
        case kind::update:
        case kind::insert: return at(each.table, each.key).written > snapshot;
        case kind::delete_row: return find_in_bag(each.key) == bag_.end();
        case kind::append:
        case kind::found: return false;
        default: return blocking && at(each.table, each.key).written > snapshot;
      }
    });
  }
  [[nodiscard]] std::vector<bag_row>::iterator find_in_bag(std::uint64_t key) {
    return std::find_if(bag_.begin(), bag_.end(), [&](const bag_row& each) { return each.key == key; });
  }

  void apply(const operation& done, std::int64_t version) {
    if (!tarn::testing::is_write(done.kind)) return;
    if (done.table == 2) {
      bag_written_ = version;
      if (done.kind == kind::append)
        bag_.push_back({done.key, done.row});
      else
        bag_.erase(find_in_bag(done.key));
      return;
    }
    cell& now = at(done.table, done.key);
    now.written = version;
    if (done.kind == kind::erase)
      now = {0, 0, false, version};
    else if (done.table == 0 || !now.known || done.ordering >= now.ordering)
      now = {done.row, done.ordering, true, version};
  }

  tarn::testing::random_source random_;
  generated_shape shape_;
  tarn::testing::history made_;
  std::vector<cell> keyed_[2];
  std::vector<bag_row> bag_;
  std::int64_t bag_written_ = -1;
  std::uint64_t ids_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t bag_keys_ = 0;
};

}  // namespace tarn_test
