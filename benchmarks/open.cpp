// Beginning to read after many commits of one row: cold, which finds out all there is, and warm, by a program that has
// seen the latest version and looks whether there is a newer one.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <memory>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/log/names.hpp>

#include "lake.hpp"
#include "places.hpp"
#include "sqlite.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

constexpr const char* read_something = "SELECT max(rowid) FROM samples";

// A lake with so many versions after the one that created its table.
template <class Place, class Codec>
struct lake_with_history {
  explicit lake_with_history(std::int64_t commits) {
    tarn::client lake{place.store(), {}, Codec{}};
    create_table(lake);
    for (std::int64_t number = 0; number < commits; ++number) insert(lake, number, 1);
  }
  Place place;
};

// The same in SQLite. The connection stays open, as in a database that is in use: closing the last one costs much.
template <class Place>
struct database_with_history {
  explicit database_with_history(std::int64_t commits) : connection(place.database_path()) {
    connection.create_table("OFF");
    sample_writer writer(connection);
    for (std::int64_t number = 0; number < commits; ++number) writer.write(number, 1);
  }
  Place place;
  database connection;
};

// Made once for all repetitions.
template <class History>
History& history_of(const benchmark::State& state) {
  static std::map<std::int64_t, std::unique_ptr<History>> made;
  auto& found = made[state.range(0)];
  if (!found) found = std::make_unique<History>(state.range(0));
  return *found;
}

template <class Place, class Codec>
void open_tarn_cold(benchmark::State& state) {
  const auto store = history_of<lake_with_history<Place, Codec>>(state).place.store();
  for (auto _ : state) {
    tarn::client lake{store, {}, Codec{}};
    require(lake.begin().value().read_version().number == state.range(0), "see all versions");
  }
}

template <class Place>
void open_sqlite_cold(benchmark::State& state) {
  const std::string path = history_of<database_with_history<Place>>(state).place.database_path();
  for (auto _ : state) {
    database opened(path);
    opened.run(read_something);
  }
}

// The floor: getting the entries.
template <class Place>
void get_every_entry(benchmark::State& state) {
  auto store = history_of<lake_with_history<Place, tarn::json_codec>>(state).place.store();
  for (auto _ : state)
    for (tarn::version at{0}; at.number <= state.range(0); at = at.next())
      benchmark::DoNotOptimize(store.get(tarn::entry_name(at)).value());
}

template <class Place, class Codec>
void open_tarn_warm(benchmark::State& state) {
  tarn::client lake{history_of<lake_with_history<Place, Codec>>(state).place.store(), {}, Codec{}};
  (void)lake.begin().value();
  for (auto _ : state) require(lake.begin().value().read_version().number == state.range(0), "see all versions");
}

template <class Place>
void open_sqlite_warm(benchmark::State& state) {
  statement read = history_of<database_with_history<Place>>(state).connection.prepare(read_something);
  for (auto _ : state) read.run();
}

// The floor: getting what is not there.
template <class Place>
void get_nothing(benchmark::State& state) {
  auto store = history_of<lake_with_history<Place, tarn::json_codec>>(state).place.store();
  const tarn::version next{state.range(0) + 1};
  for (auto _ : state) require(!store.get(tarn::entry_name(next)), "see the end of the log");
}

void in_sizes(benchmark::internal::Benchmark* registered) {
  registered->ArgName("commits")->RangeMultiplier(10)->Range(10, 10'000)->MinTime(0.02)->Unit(benchmark::kMicrosecond);
}

BENCHMARK_TEMPLATE(open_tarn_cold, memory, tarn::json_codec)->Name("open cold/tarn/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_tarn_cold, memory, tarn::columnar_codec)->Name("open cold/columnar/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(get_every_entry, memory)->Name("open cold/floor/memory")->Apply(in_sizes);

BENCHMARK_TEMPLATE(open_tarn_cold, volatile_files, tarn::json_codec)->Name("open cold/tarn/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_tarn_cold, volatile_files, tarn::columnar_codec)
    ->Name("open cold/columnar/files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_sqlite_cold, volatile_files)->Name("open cold/sqlite/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(get_every_entry, volatile_files)->Name("open cold/floor/files")->Apply(in_sizes);

BENCHMARK_TEMPLATE(open_tarn_warm, memory, tarn::json_codec)->Name("open warm/tarn/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_tarn_warm, memory, tarn::columnar_codec)->Name("open warm/columnar/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_sqlite_warm, memory)->Name("open warm/sqlite/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(get_nothing, memory)->Name("open warm/floor/memory")->Apply(in_sizes);

BENCHMARK_TEMPLATE(open_tarn_warm, volatile_files, tarn::json_codec)->Name("open warm/tarn/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_tarn_warm, volatile_files, tarn::columnar_codec)
    ->Name("open warm/columnar/files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(open_sqlite_warm, volatile_files)->Name("open warm/sqlite/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(get_nothing, volatile_files)->Name("open warm/floor/files")->Apply(in_sizes);

}  // namespace
