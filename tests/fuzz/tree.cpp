// Bytes as all that is in a store (store_text.hpp): opened, checked, read at each version and, if it is sound, put to
// use.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tarn/changes.hpp>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <vector>

#include "counted_store.hpp"
#include "store_text.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

constexpr std::size_t objects_max = 64;
constexpr std::int64_t versions_max = 6;

using rows = std::vector<tarn::row>;
using lake_content = std::map<std::string, rows>;  // by table

// What a transaction reads, or that something of it cannot be read.
struct reading {
  lake_content content;
  bool whole = true;
};

class lake_in_text {
 public:
  explicit lake_in_text(const store_content& content) : objects_(content.size()) {
    store_.allow(objects_);
    for (const auto& [name, bytes] : content) (void)store_.put_if_absent(name, bytes);
    options_.surroundings = environment_.get();
    // Hostile bytes need not be long to say that much: nothing may depend on that it was asked for.
    options_.commit.backoff.attempts_max = 3;
  }

  template <class Merge = tarn::merge::by_position>
  [[nodiscard]] tarn::client<counted_store, tarn::json_codec, Merge> open() {
    return tarn::client<counted_store, tarn::json_codec, Merge>{store_, options_};
  }

  // What is done next may call the store so often for each object.
  void allow(std::uint64_t calls_for_object) { store_.allow(calls_for_object * (objects_ + 16)); }

 private:
  std::size_t objects_;
  tarn::testing::simulated_environment environment_{
      0xf022};  // makes other ids than those that lakes in the corpus have
  counted_store store_;
  tarn::client_options options_;
};

template <class Scan>
[[nodiscard]] bool read_scan(tarn::result<Scan> scan, rows& into) {
  if (!scan) return false;
  while (scan->next()) {
    const tarn::row_view row = scan->row();
    into.emplace_back(row.begin(), row.end());
  }
  expect(!scan->next(), "a scan that has ended stays at its end");
  return scan->status().has_value();
}

template <class Transaction>
[[nodiscard]] reading read_all(Transaction& transaction) {
  reading read;
  const auto tables = transaction.tables();
  expect(tables.has_value(), "a transaction knows its tables");
  for (const std::string& table : *tables) {
    const bool whole = read_scan(transaction.scan(table), read.content[table]);
    read.whole = read.whole && whole;
  }
  return read;
}

// The newest version, as far as it can be read.
template <class Merge>
[[nodiscard]] reading read_newest(lake_in_text& lake) {
  lake.allow(16);
  auto client = lake.open<Merge>();
  auto transaction = client.begin();
  if (!transaction) return {{}, false};
  return read_all(*transaction);
}

void read_versions(lake_in_text& lake, tarn::version newest) {
  auto client = lake.open();
  for (std::int64_t number = newest.number > versions_max ? newest.number - versions_max : 0; number <= newest.number;
       ++number) {
    lake.allow(16);
    auto transaction = client.begin_at(tarn::version{number});
    if (transaction) (void)read_all(*transaction);
  }
  lake.allow(16);
  auto log = client.log();
  std::int64_t entries = 0;
  while (log && log->next()) ++entries;
  expect(entries <= newest.number + 1, "a log has no more versions than the newest says");
}

template <class Client, class Transaction>
void read_keyed_and_changes(lake_in_text& lake, Client& client, Transaction& transaction, bool sound) {
  const tarn::version newest = transaction.read_version();
  for (const std::string& table : *transaction.tables()) {
    const auto key = transaction.key(table);
    expect(key.has_value(), "a table that is there has a key or none");
    rows all;
    lake.allow(16);
    if (!key->empty()) {
      const bool verified = read_scan(transaction.verifying_scan(table), all);
      expect(verified || !sound, "a lake that is sound has no wrong positions");
      (void)transaction.explain(table);
    }
    lake.allow(32);
    auto feed = tarn::changes(client, table, tarn::version{}, newest);
    while (feed && feed->next()) {
    }
  }
}

[[nodiscard]] bool check(lake_in_text& lake, tarn::checked_versions which, tarn::version& last_good) {
  lake.allow(32);
  auto client = lake.open();
  const auto report = tarn::check(client, which);
  expect(report.has_value(), "a lake whose store works can be checked");
  for (const tarn::check_finding& each : report->findings)
    expect(!each.message.empty(), "a finding says what is wrong");
  last_good = report->last_good;
  return report->sound();
}

// Compaction and checkpoints of a sound lake change no row of it, whatever its history.
void put_to_use(lake_in_text& lake, const lake_content& before) {
  lake.allow(64);
  auto client = lake.open();
  for (const auto& [table, content] : before) (void)client.compact(table);
  (void)client.checkpoint();
  const reading after = read_newest<tarn::merge::by_position>(lake);
  expect(after.whole, "a lake that was compacted can be read");
  expect(after.content == before, "a compaction changes no row");
  tarn::version last_good;
  expect(check(lake, tarn::checked_versions::newest, last_good), "a lake that was compacted is sound");
}

int fuzz_tree(const unsigned char* data, std::size_t size) {
  const store_content content = read_store_text(text_of(data, size));
  if (content.size() > objects_max) return 0;
  lake_in_text lake(content);
  tarn::version last_good;
  tarn::version ignored;
  const bool sound = check(lake, tarn::checked_versions::retained, last_good);
  const bool newest_sound = check(lake, tarn::checked_versions::newest, ignored);
  expect(newest_sound || !sound, "if all versions are sound, so is the newest");

  lake.allow(16);
  auto client = lake.open();
  auto transaction = client.begin();
  expect(transaction.has_value() || !newest_sound, "a sound lake can be opened");
  if (!transaction) return 0;
  if (sound) expect(last_good == transaction->read_version(), "of a sound lake the newest version is good");
  read_versions(lake, transaction->read_version());
  read_keyed_and_changes(lake, client, *transaction, newest_sound);

  const reading newest = read_newest<tarn::merge::by_position>(lake);
  expect(newest.whole || !newest_sound, "a sound lake can be read");
  if (!newest_sound) return 0;
  expect(newest.content == read_newest<tarn::merge::by_key>(lake).content, "strategies differ in speed only");
  expect(newest.content == read_newest<tarn::merge::derived>(lake).content, "strategies differ in speed only");
  put_to_use(lake, newest.content);
  return 0;
}

void mend_tree(std::string& text) {
  store_content content = read_store_text(text);
  if (content.size() > objects_max) return;
  mend_store(content);
  text = write_store_text(content);
}

}  // namespace

const target targets::tree{"tree", fuzz_tree, mend_tree};

}  // namespace tarn_test::fuzz
