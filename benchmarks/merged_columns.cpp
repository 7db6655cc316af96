// Reading all columns of a keyed table with the columnar codec, of whose rows 10 % were updated and 1 % erased: by
// position, by key, and when nothing was changed. All in memory. The floor copies the arrays that the batches are of.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "keyed_lake.hpp"
#include "require.hpp"

namespace {

using namespace tarn_benchmark;

template <class Merge>
using client_with = tarn::client<tarn::memory_store, tarn::columnar_codec, Merge>;

// Made once for all repetitions, and for all strategies.
const changed_lake<tarn::columnar_codec>& lake_of(const changes& made, std::int64_t rows) {
  static std::map<std::tuple<key_kind, std::int64_t, std::int64_t>, changed_lake<tarn::columnar_codec>> lakes;
  const auto key = std::make_tuple(made.keys, made.deltas, rows);
  return lakes.try_emplace(key, made, positions::fresh, rows).first->second;
}

template <class Merge>
void scan_columns(benchmark::State& state, const changes& made) {
  const auto& lake = lake_of(made, state.range(0));
  client_with<Merge> reader{lake.store};
  auto reading = reader.begin().value();
  for (auto _ : state) {
    auto scan = reading.scan_columns("samples").value();
    require(read_columns(scan) == lake.expected, "read the rows that were written");
    const tarn::merge_statistics merged = scan.statistics().merged;
    const auto [meant, other] = Merge::records_positions ? std::pair(merged.keys_by_position, merged.keys_by_key)
                                                         : std::pair(merged.keys_by_key, merged.keys_by_position);
    require(meant == lake.changed_rows && other == 0, "merge as it was meant");
  }
}

void copy_columns(benchmark::State& state, const changes& made) {
  client_with<tarn::merge::by_position> reader{lake_of(made, state.range(0)).store};
  auto scan = reader.begin().value().scan_columns("samples").value();
  std::vector<char> arrays;
  while (scan.next())
    for (std::size_t at = 0; at < scan.batch().column_count(); ++at) {
      const tarn::column_view& column = scan.batch().column(at);
      const auto* const first = static_cast<const char*>(column.data());
      arrays.insert(arrays.end(), first, first + column.size() * column.element_size());
    }
  std::vector<char> copy(arrays.size());
  for (auto _ : state) {
    std::memcpy(copy.data(), arrays.data(), arrays.size());
    benchmark::ClobberMemory();
  }
}

template <class Function>
void add(const std::string& name, Function function, const changes& made) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { function(state, made); })
      ->ArgName("rows")
      ->Arg(1'000)
      ->Arg(1'000'000)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool all_added = [] {
  using tarn::merge::by_key, tarn::merge::by_position;
  for (const key_kind keys : {key_kind::integer, key_kind::text})
    for (const std::int64_t deltas : {0, 1, 16}) {
      const changes made = deltas == 0 ? changes{keys} : changes{keys, deltas, 100, 10};
      const std::string name = std::string("columns of ") + key_names[static_cast<int>(keys)] + " keys, " +
                               std::to_string(deltas) + (deltas == 1 ? " delta" : " deltas");
      add(name + "/by position/memory", scan_columns<by_position>, made);
      add(name + "/by key/memory", scan_columns<by_key>, made);
      add(name + "/floor/memory", copy_columns, made);
    }
  return true;
}();

}  // namespace
