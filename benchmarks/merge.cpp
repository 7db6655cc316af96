// Reading a keyed table whose base some deltas have changed: by position, by key, when no position holds, when there
// are no deltas, and the same rows in a bag; and compacting it. All in memory, with either codec.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <tuple>

#include "keyed_lake.hpp"
#include "require.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

template <class Codec, class Merge>
using client_with = tarn::client<tarn::memory_store, Codec, Merge>;

// Made once for all repetitions, and for all strategies.
template <class Codec>
const changed_lake<Codec>& lake_of(const changes& made, positions which, std::int64_t rows) {
  static std::map<std::tuple<key_kind, std::int64_t, std::int64_t, positions, std::int64_t>, changed_lake<Codec>> lakes;
  const auto key = std::make_tuple(made.keys, made.permille_updated, made.deltas, which, rows);
  return lakes.try_emplace(key, made, which, rows).first->second;
}

template <class Codec, class Merge>
void scan_merged(benchmark::State& state, const changes& made, positions which) {
  const auto& lake = lake_of<Codec>(made, which, state.range(0));
  client_with<Codec, Merge> reader{lake.store};
  auto reading = reader.begin().value();
  const bool hold = Merge::records_positions && which == positions::fresh;
  for (auto _ : state) {
    auto scan = reading.scan("samples").value();
    require(read_rows(scan) == lake.expected, "read the rows that were written");
    const tarn::merge_statistics merged = scan.statistics().merged;
    require((hold ? merged.blocks_by_key : merged.blocks_by_position) == 0, "merge as it was meant");
    require(merged.keys_by_position + merged.keys_by_key == lake.changed_rows, "merge what was changed");
  }
}

// The same rows without keys.
template <class Codec>
void scan_bag(benchmark::State& state, key_kind keys) {
  static std::map<std::tuple<key_kind, std::int64_t>, tarn::memory_store> bags;
  const std::int64_t rows = state.range(0);
  const auto [found, made] = bags.try_emplace({keys, rows});
  tarn::client lake{found->second, large_objects(), Codec{}};
  if (made) {
    keyed_samples samples(keys);
    auto writing = lake.begin().value();
    writing.create_table("samples", samples.columns()).value();
    for (std::int64_t number = 0; number < rows; ++number)
      writing.insert("samples", samples.row(number, number)).value();
    (void)writing.commit().value();
  }
  const totals expected = lake_of<Codec>({keys}, positions::fresh, rows).expected;
  auto reading = lake.begin().value();
  for (auto _ : state) {
    auto scan = reading.scan("samples").value();
    require(read_rows(scan) == expected, "read the rows that were written");
  }
}

// Folding all objects into one, again and again.
template <class Codec, class Merge>
void compact(benchmark::State& state, const changes& made) {
  const auto& lake = lake_of<Codec>(made, positions::fresh, state.range(0));
  client_with<Codec, Merge> compacting{lake.store};
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
  state.counters["rows_read"] = static_cast<double>(state.range(0)) + static_cast<double>(lake.changed_rows);
  state.counters["bytes_read"] = bytes;
}

// "10 % of integer keys in 16 deltas"; the report reads these names.
[[nodiscard]] std::string describe(const changes& made) {
  const std::int64_t permille = made.permille_updated;
  const std::string percent = permille % 10 == 0 ? std::to_string(permille / 10) : "0." + std::to_string(permille);
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

template <class Codec>
void add_changes(const std::string& codec, const changes& made) {
  using tarn::merge::by_key, tarn::merge::by_position;
  const std::string name = "merge " + codec + ", " + describe(made);
  add(name + "/by position/memory", scan_merged<Codec, by_position>, made, positions::fresh);
  add(name + "/by key/memory", scan_merged<Codec, by_key>, made, positions::fresh);
  add(name + "/by stale position/memory", scan_merged<Codec, by_position>, made, positions::stale);
  add(name + "/by key, stale/memory", scan_merged<Codec, by_key>, made, positions::stale);
  const std::string compaction = "compact " + codec + ", " + describe(made);
  add(compaction + "/by position/memory", compact<Codec, by_position>, made);
  add(compaction + "/by key/memory", compact<Codec, by_key>, made);
}

template <class Codec>
void add_all(const std::string& codec) {
  for (const key_kind keys : {key_kind::integer, key_kind::text, key_kind::composite}) {
    const std::string name = "merge " + codec + ", no change of " + key_names[static_cast<int>(keys)] + " keys";
    add(name + "/no deltas/memory", scan_merged<Codec, tarn::merge::by_position>, changes{keys}, positions::fresh);
    add(name + "/bag/memory", scan_bag<Codec>, keys);
  }
  for (const key_kind keys : {key_kind::integer, key_kind::text})
    for (const std::int64_t permille : {1, 10, 100, 500})
      for (const std::int64_t deltas : {1, 16}) add_changes<Codec>(codec, {keys, deltas, permille});
  add_changes<Codec>(codec, {key_kind::composite, 16, 100});
}

[[maybe_unused]] const bool all_added = (add_all<tarn::json_codec>("JSON"),  //
                                         add_all<tarn::columnar_codec>("columnar"), true);

}  // namespace
