// Reading a keyed table whose base some deltas have changed: by position, by key, when no position holds, when there
// are no deltas, and the same rows in a bag; and compacting it. All in memory.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <tuple>
#include <vector>

#include "lake.hpp"
#include "require.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

enum class key_kind { integer, text, composite };
constexpr const char* key_names[] = {"integer", "string", "composite"};

// Whether the deltas' positions are of the base that is read, or of one that a compaction has replaced since.
enum class positions { fresh, stale };

struct changes {
  key_kind keys = key_kind::integer;
  std::int64_t permille = 0;  // of the rows
  std::int64_t deltas = 0;    // that share them
};

// The samples once more, each with a key that says its number. All keys sort as their numbers do.
class keyed_samples {
 public:
  explicit keyed_samples(key_kind kind) : kind_(kind) {}

  [[nodiscard]] tarn::schema columns() const {
    using enum tarn::column_type;
    const auto id = kind_ == key_kind::text ? string : integer;
    return {{"id", id}, {"station", string}, {"counter", integer}, {"reading", real}};
  }
  [[nodiscard]] tarn::keyed key() const {
    if (kind_ == key_kind::composite) return {{"station", "id"}};
    return {{"id"}};
  }

  // The row with key `number` and the values of sample `from`; valid until the next call.
  [[nodiscard]] tarn::row_view row(std::int64_t number, std::int64_t from) {
    const sample values = make_sample(from);
    (void)std::snprintf(text_, sizeof text_, "%010lld",
                        static_cast<long long>(kind_ == key_kind::text ? number : number / 100));
    const tarn::value_view text = std::string_view(text_);
    const bool composite = kind_ == key_kind::composite;
    row_[0] = kind_ == key_kind::text ? text : tarn::value_view(number);
    row_[1] = composite ? text : tarn::value_view(values.station);
    row_[2] = values.counter;
    row_[3] = values.reading;
    return tarn::list_view(row_, 4);
  }

 private:
  key_kind kind_;
  char text_[24] = {};
  tarn::value_view row_[4];
};

template <class Merge>
using client_with = tarn::client<tarn::memory_store, tarn::json_codec, Merge>;
using writing_client = client_with<tarn::merge::by_position>;

// One object for all rows, so that it is the base; all of them in the store, where their bytes are counted.
[[nodiscard]] tarn::client_options large_objects() {
  tarn::client_options options;
  options.bounds.rows_per_object = UINT64_MAX;
  options.commit.inline_bytes_max = 0;
  return options;
}

void put_all(writing_client& lake, key_kind keys, std::int64_t rows) {
  keyed_samples samples(keys);
  auto writing = lake.begin().value();
  writing.create_table("samples", samples.columns(), samples.key()).value();
  for (std::int64_t number = 0; number < rows; ++number) writing.upsert("samples", samples.row(number, number)).value();
  (void)writing.commit().value();
}

// In which delta a row is changed; `deltas` if in none. Each delta has a row, however few there are.
[[nodiscard]] std::int64_t delta_of(std::int64_t number, const changes& made) {
  if (number < made.deltas) return number;
  const auto drawn = static_cast<std::int64_t>(scatter(static_cast<std::uint64_t>(number)) % 1'000'000);
  return drawn / 1'000 < made.permille ? drawn % made.deltas : made.deltas;
}

// A table of so many rows after these changes.
class changed_lake {
 public:
  changed_lake(const changes& made, positions which, std::int64_t rows) {
    writing_client writer{store, large_objects()};
    put_all(writer, made.keys, rows);
    keyed_samples samples(made.keys);
    // Looking a key up makes the client remember the base's keys, and so know positions.
    const tarn::row_view first = samples.row(0, 0);
    if (made.keys == key_kind::composite)
      (void)writer.begin().value().get("samples", {first[1], first[0]}).value();
    else
      (void)writer.begin().value().get("samples", {first[0]}).value();

    if (which == positions::stale) {  // something to fold
      auto writing = writer.begin().value();
      writing.upsert("samples", samples.row(0, 0)).value();
      (void)writing.commit().value();
    }
    std::vector<writing_client::transaction_type> transactions;
    for (std::int64_t delta = 0; delta < made.deltas; ++delta)
      transactions.push_back(writer.begin(tarn::isolation::non_blocking).value());
    for (std::int64_t number = 0; number < rows; ++number) {
      const std::int64_t delta = delta_of(number, made);
      const bool changed = delta < made.deltas;
      const tarn::row_view row = samples.row(number, changed ? number + rows : number);
      if (changed) transactions[static_cast<std::size_t>(delta)].upsert("samples", row).value();
      changed_rows += changed ? 1 : 0;
      expected.add({row[1].as_string(), row[2].as_integer(), row[3].as_double()});
    }
    if (which == positions::stale) {
      writing_client elsewhere{store, large_objects()};
      (void)elsewhere.compact("samples").value();
    }
    for (auto& each : transactions) (void)each.commit().value();
  }

  tarn::memory_store store;
  totals expected;
  std::int64_t changed_rows = 0;
};

// Made once for all repetitions, and for all strategies.
const changed_lake& lake_of(const changes& made, positions which, std::int64_t rows) {
  static std::map<std::tuple<key_kind, std::int64_t, std::int64_t, positions, std::int64_t>, changed_lake> lakes;
  const auto key = std::make_tuple(made.keys, made.permille, made.deltas, which, rows);
  return lakes.try_emplace(key, made, which, rows).first->second;
}

[[nodiscard]] totals read_all(auto& scan) {
  totals read;
  while (scan.next()) {
    const tarn::row_view row = scan.row();
    read.add({row[1].as_string(), row[2].as_integer(), row[3].as_double()});
  }
  scan.status().value();
  return read;
}

template <class Merge>
void scan_merged(benchmark::State& state, const changes& made, positions which) {
  const changed_lake& lake = lake_of(made, which, state.range(0));
  client_with<Merge> reader{lake.store};
  auto reading = reader.begin().value();
  const bool hold = Merge::records_positions && which == positions::fresh;
  for (auto _ : state) {
    auto scan = reading.scan("samples").value();
    require(read_all(scan) == lake.expected, "read the rows that were written");
    const tarn::merge_statistics merged = scan.statistics().merged;
    require((hold ? merged.blocks_by_key : merged.blocks_by_position) == 0, "merge as it was meant");
    require(merged.keys_by_position + merged.keys_by_key == static_cast<std::uint64_t>(lake.changed_rows),
            "merge what was changed");
  }
}

// The same rows without keys.
void scan_bag(benchmark::State& state, key_kind keys) {
  static std::map<std::tuple<key_kind, std::int64_t>, tarn::memory_store> bags;
  const std::int64_t rows = state.range(0);
  const auto [found, made] = bags.try_emplace({keys, rows});
  tarn::client lake{found->second, large_objects()};
  if (made) {
    keyed_samples samples(keys);
    auto writing = lake.begin().value();
    writing.create_table("samples", samples.columns()).value();
    for (std::int64_t number = 0; number < rows; ++number)
      writing.insert("samples", samples.row(number, number)).value();
    (void)writing.commit().value();
  }
  const totals expected = lake_of({keys}, positions::fresh, rows).expected;
  auto reading = lake.begin().value();
  for (auto _ : state) {
    auto scan = reading.scan("samples").value();
    require(read_all(scan) == expected, "read the rows that were written");
  }
}

// Folding all objects into one, again and again.
template <class Merge>
void compact(benchmark::State& state, const changes& made) {
  const changed_lake& lake = lake_of(made, positions::fresh, state.range(0));
  client_with<Merge> compacting{lake.store};
  const tarn::compaction_plan plan = compacting.plan_compaction("samples").value()[0];
  const auto size_of = [&](const tarn::uuid& object) {
    return static_cast<double>(std::string_view(*compacting.store().get(tarn::object_name("samples", object))).size());
  };
  double bytes = 0;
  for (const tarn::uuid& each : plan.objects) bytes += size_of(each);
  for (auto _ : state) {
    const tarn::compacted_objects done = compacting.run_compaction(plan).value();
    state.PauseTiming();
    require(done.object.rows == static_cast<std::uint64_t>(state.range(0)), "keep the rows");
    compacting.store().remove(tarn::object_name("samples", done.object.id)).value();
    state.ResumeTiming();
  }
  state.counters["rows_read"] = static_cast<double>(state.range(0) + lake.changed_rows);
  state.counters["bytes_read"] = bytes;
}

// "10 % of integer keys in 16 deltas"; the report reads these names.
[[nodiscard]] std::string describe(const changes& made) {
  const std::string percent =
      made.permille % 10 == 0 ? std::to_string(made.permille / 10) : "0." + std::to_string(made.permille);
  return percent + " % of " + key_names[static_cast<int>(made.keys)] + " keys in " + std::to_string(made.deltas) +
         (made.deltas == 1 ? " delta" : " deltas");
}

template <class Function, class... Arguments>
void add(const std::string& name, Function function, Arguments... arguments) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { function(state, arguments...); })
      ->ArgName("rows")
      ->Arg(1'000)
      ->Arg(100'000)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

void add_changes(const changes& made) {
  using tarn::merge::by_key, tarn::merge::by_position;
  const std::string name = "merge " + describe(made);
  add(name + "/by position/memory", scan_merged<by_position>, made, positions::fresh);
  add(name + "/by key/memory", scan_merged<by_key>, made, positions::fresh);
  add(name + "/by stale position/memory", scan_merged<by_position>, made, positions::stale);
  add(name + "/by key, stale/memory", scan_merged<by_key>, made, positions::stale);
  const std::string compaction = "compact " + describe(made);
  add(compaction + "/by position/memory", compact<by_position>, made);
  add(compaction + "/by key/memory", compact<by_key>, made);
}

[[maybe_unused]] const bool all_added = [] {
  for (const key_kind keys : {key_kind::integer, key_kind::text, key_kind::composite}) {
    const std::string name = std::string("merge no change of ") + key_names[static_cast<int>(keys)] + " keys";
    add(name + "/no deltas/memory", scan_merged<tarn::merge::by_position>, changes{keys}, positions::fresh);
    add(name + "/bag/memory", scan_bag, keys);
  }
  for (const key_kind keys : {key_kind::integer, key_kind::text})
    for (const std::int64_t permille : {1, 10, 100, 500})
      for (const std::int64_t deltas : {1, 16}) add_changes({keys, permille, deltas});
  add_changes({key_kind::composite, 100, 16});
  return true;
}();

}  // namespace
