// Damage to one object of each kind, as a store returns it: every bit flipped, every length, the bytes of every other
// object. Each time the lake is opened and read in all ways; whatever is said must be an error or the truth.
//
//   campaign_damage ci|nightly
//
// Nightly, the objects are larger.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/changes.hpp>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/fault_store.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <tarn/vacuum.hpp>
#include <utility>
#include <vector>

#include "campaign.hpp"

namespace {

using namespace tarn_test;
using namespace tarn::testing;

// Every get of one object is damaged in one way.
class damaged_object {
 public:
  damaged_object() = default;
  damaged_object(std::string name, fault what) : name_(std::move(name)), what_(what) {}

  [[nodiscard]] fault choose(const client_call& call) const {
    return call.operation == store_operation::get && call.name == name_ ? what_ : fault();
  }

 private:
  std::string name_;
  fault what_;
};

using store = fault_store<tarn::memory_store, damaged_object>;
using client = tarn::client<store>;

// A lake with an object of each kind: entries, a checkpoint in parts, the marker of a truncation, objects of a bag and
// its deletions (which are in entries), the base of a keyed table and its deltas.
class sample_lake {
 public:
  explicit sample_lake(std::int64_t rows) {
    client lake = open({});
    auto first = lake.begin().value();
    first.create_table("bag", {{"n", tarn::column_type::integer}, "text"}).value();
    first.create_table("keyed", {{"k", tarn::column_type::integer}, "v"}, tarn::keyed{{"k"}}).value();
    (void)first.commit().value();
    for (std::int64_t round = 0; round < 4; ++round) {
      auto next = lake.begin().value();
      for (std::int64_t row = 0; row < rows; ++row) next.insert("bag", {round * rows + row, "row of a bag"}).value();
      for (std::int64_t row = 0; row < rows; ++row) next.upsert("keyed", {round + 2 * row, "value"}).value();
      (void)next.commit().value();
      environment_.clock.ms += 1'000;
      if (round == 1) (void)lake.compact("keyed").value();
    }
    (void)tarn::vacuum(lake, {.keep_ms = 0, .keep_versions = 3, .grace_ms = 0}).value();
    (void)tarn::truncate(lake).value();
    auto last = lake.begin().value();
    (void)last.erase_where("bag", {{"n", tarn::less_than, rows / 2}}).value();
    last.upsert("keyed", {1, "last"}).value();
    (void)last.commit().value();
    (void)content_.list(
        "", "", [&](std::string_view name) { objects_.emplace(name, std::string_view(content_.get(name).value())); });
  }

  // With an object of which every get is damaged.
  [[nodiscard]] client open(damaged_object damaged) {
    tarn::client_options options;
    options.bounds.checkpoint_part_bytes = 1'000;
    options.commit.backoff.attempts_max = 1;
    options.checkpoint_interval = 0;
    options.surroundings = environment_.get();
    return client(store(content_, store::state_of(std::move(damaged)), 0), options);
  }

  [[nodiscard]] const std::map<std::string, std::string>& objects() const { return objects_; }

 private:
  simulated_environment environment_;
  tarn::memory_store content_;
  std::map<std::string, std::string> objects_;
};

// What a lake says of itself, piece by piece, each either the truth or an error: the same pieces for each lake.
struct testimony {
  std::vector<std::optional<std::string>> pieces;  // nothing: an error
  bool failed = false;                             // some piece is one

  void add(std::string text) { pieces.emplace_back(std::move(text)); }
  void add_error(const tarn::error&) {
    pieces.emplace_back(std::nullopt);
    failed = true;
  }
};

[[nodiscard]] std::string text_of(const tarn::row_view& row) {
  std::string text;
  for (const tarn::value_view each : row.values())
    text += each.kind() == tarn::kind::integer  ? std::to_string(each.as_integer()) + ","
            : each.kind() == tarn::kind::string ? std::string(each.as_string()) + ","
                                                : std::string("?,");
  return text + ";";
}

// Rows until an error, which makes nothing of them wrong.
[[nodiscard]] std::string rows_of(auto& scan) {
  std::string text;
  while (scan.next()) text += text_of(scan.row());
  return text;
}

void read_version(client& lake, tarn::result<client::transaction_type> begun, testimony& said) {
  (void)lake;
  for (const char* const table : {"bag", "keyed"}) {
    if (!begun) {
      said.add_error(begun.error());
      continue;
    }
    auto scan = begun->scan(table);
    if (!scan) {
      said.add_error(scan.error());
      continue;
    }
    std::string rows = rows_of(*scan);
    if (scan->status())
      said.add(std::move(rows));
    else
      said.add_error(scan->status().error());
  }
}

// Reads the newest version, each older one and the changes, and has everything checked, with clients that know nothing.
[[nodiscard]] testimony interrogate(sample_lake& lake, const damaged_object& damaged, tarn::version newest) {
  testimony said;
  {
    client reader = lake.open(damaged);
    read_version(reader, reader.begin(), said);
    for (tarn::version at = newest; at.number >= newest.number - 2; at = {at.number - 1})
      read_version(reader, reader.begin_at(at), said);
  }
  client other = lake.open(damaged);
  for (const char* const table : {"bag", "keyed"}) {
    auto feed = tarn::changes(other, table, {newest.number - 1}, newest);
    if (!feed) {
      said.add_error(feed.error());
      continue;
    }
    std::string changes;
    while (feed->next()) {
      const tarn::row_change& each = feed->change();
      changes += std::to_string(static_cast<int>(each.kind)) + ":";
      if (each.kind != tarn::change_kind::insert) changes += text_of(each.before);
      if (each.kind != tarn::change_kind::erase) changes += text_of(each.after);
    }
    if (feed->status())
      said.add(std::move(changes));
    else
      said.add_error(feed->status().error());
  }
  return said;
}

struct campaign_result {
  std::uint64_t cases = 0;
  std::uint64_t told = 0;       // some answer was an error
  std::uint64_t harmless = 0;   // all answers were the truth
  std::uint64_t silent = 0;     // some answer was neither
  std::uint64_t unchecked = 0;  // `check` has not found it
};

class damage_campaign {
 public:
  explicit damage_campaign(std::int64_t rows) : lake_(rows) {
    client reader = lake_.open({});
    newest_ = reader.newest_snapshot().value()->at;
    truth_ = interrogate(lake_, {}, newest_);
    if (truth_.failed) std::printf("the undamaged lake cannot be read\n");
  }

  [[nodiscard]] campaign_result run() {
    for (const auto& [name, bytes] : lake_.objects()) {
      const std::uint64_t before = result_.cases;
      for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) damage(name, {fault_kind::flipped_bit, bit});
      for (std::size_t size = 0; size < bytes.size(); ++size) damage(name, {fault_kind::truncated, size});
      for (std::size_t other = 0; other + 1 < lake_.objects().size(); ++other)
        damage(name, {fault_kind::misdirected, other});
      std::printf("  %s: %zu bytes, %llu cases\n", name.c_str(), bytes.size(),
                  static_cast<unsigned long long>(result_.cases - before));
      std::fflush(stdout);
    }
    return result_;
  }
  [[nodiscard]] bool is_sound() const { return !truth_.failed; }

 private:
  void damage(const std::string& name, const fault& what) {
    ++result_.cases;
    const damaged_object damaged(name, what);
    const testimony said = interrogate(lake_, damaged, newest_);
    ++(said.failed ? result_.told : result_.harmless);
    bool is_true = said.pieces.size() == truth_.pieces.size();
    for (std::size_t at = 0; is_true && at < said.pieces.size(); ++at)
      is_true = !said.pieces[at] || said.pieces[at] == truth_.pieces[at];
    if (!is_true) {
      ++result_.silent;
      complain(name, what, "other rows");
    }
    if (result_.cases % 8 != 0) return;  // a check reads all that there is
    client checker = lake_.open(damaged);
    const auto report = tarn::check(checker);
    if (report && !report->sound()) return;
    ++result_.unchecked;
    complain(name, what, "not found by check");
  }

  void complain(const std::string& name, const fault& what, const char* why) const {
    if (result_.silent + result_.unchecked > 5) return;
    std::printf("FAILED: %s, F%u, %llu: %s\n", name.c_str(), static_cast<unsigned>(what.kind),
                static_cast<unsigned long long>(what.argument), why);
  }

  sample_lake lake_;
  tarn::version newest_;
  testimony truth_;
  campaign_result result_;
};

}  // namespace

int main(int count, char** arguments) {
  const bool is_ci = campaign_size_of(count, arguments) == campaign_size::ci;
  const stopwatch since;
  damage_campaign campaign(is_ci ? 4 : 40);
  const campaign_result done = campaign.run();
  print_campaign("damage",
                 "every bit, every length and every other object's bytes, of one object of each kind: " +
                     std::to_string(done.cases) + " cases, " + std::to_string(done.told) + " told, " +
                     std::to_string(done.harmless) + " without consequence, " + std::to_string(done.silent) +
                     " silent, " + std::to_string(done.unchecked) + " that check did not find",
                 since);
  return campaign.is_sound() && done.cases >= 50'000 && done.told > 0 && done.silent == 0 && done.unchecked == 0 ? 0
                                                                                                                 : 1;
}
