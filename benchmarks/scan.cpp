// Reading a whole table that was written in one transaction: every value of every row, and the sum of one column. The
// operating system has the files in its cache.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <vector>

#include "lake.hpp"
#include "leveldb.hpp"
#include "lmdb.hpp"
#include "places.hpp"
#include "sqlite.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

template <class Place, class Codec = tarn::json_codec>
struct filled_lake {
  explicit filled_lake(std::int64_t rows) : lake(place.store(), {}, Codec{}), expected(totals_of_samples(rows)) {
    create_table(lake);
    insert(lake, 0, rows);
  }
  Place place;
  tarn::client<decltype(place.store()), Codec> lake;
  totals expected;
};

template <class Place>
struct filled_sqlite {
  explicit filled_sqlite(std::int64_t rows) : peer(place.database_path()), expected(totals_of_samples(rows)) {
    peer.create_table("OFF");
    sample_writer(peer).write(0, rows);
  }
  Place place;
  database peer;
  totals expected;
};

template <class Peer>
struct filled_peer {
  explicit filled_peer(std::int64_t rows) : peer(place.database_path(), false), expected(totals_of_samples(rows)) {
    peer.write(0, rows);
  }
  volatile_files place;
  Peer peer;
  totals expected;
};

// Made once for all repetitions.
template <class Filled>
Filled& filled(const benchmark::State& state) {
  static std::map<std::int64_t, std::unique_ptr<Filled>> made;
  auto& found = made[state.range(0)];
  if (!found) found = std::make_unique<Filled>(state.range(0));
  return *found;
}

template <class Place, class Codec>
void scan_with_tarn(benchmark::State& state) {
  auto& [place, lake, expected] = filled<filled_lake<Place, Codec>>(state);
  for (auto _ : state) require(read_every_value(lake) == expected, "read the rows that were written");
}

template <class Place>
void scan_with_sqlite(benchmark::State& state) {
  auto& [place, peer, expected] = filled<filled_sqlite<Place>>(state);
  statement selection = peer.prepare("SELECT station, counter, reading FROM samples");
  for (auto _ : state) {
    totals read;
    while (selection.next()) read.add(selection.row());
    require(read == expected, "read the rows that were written");
  }
}

template <class Peer>
void scan_with(benchmark::State& state) {
  auto& [place, peer, expected] = filled<filled_peer<Peer>>(state);
  for (auto _ : state) require(peer.read() == expected, "read the rows that were written");
}

template <class Place, class Codec>
void sum_with_tarn(benchmark::State& state) {
  auto& [place, lake, expected] = filled<filled_lake<Place, Codec>>(state);
  for (auto _ : state) {
    std::int64_t sum = 0;
    for (const tarn::row_view row : lake.begin().value().scan("samples").value()) sum += row[1].as_integer();
    require(sum == expected.counters, "read the rows that were written");
  }
}

template <class Place, class Codec>
void sum_columns_with_tarn(benchmark::State& state) {
  auto& [place, lake, expected] = filled<filled_lake<Place, Codec>>(state);
  for (auto _ : state) {
    std::int64_t sum = 0;
    auto transaction = lake.begin().value();
    auto columns = transaction.scan_columns("samples", {"counter"}).value();
    while (columns.next())
      for (const std::int64_t each : columns.batch().column(0).integers()) sum += each;
    require(columns.status().has_value() && sum == expected.counters, "read the rows that were written");
  }
}

template <class Place>
void sum_with_sqlite(benchmark::State& state) {
  auto& [place, peer, expected] = filled<filled_sqlite<Place>>(state);
  statement selection = peer.prepare("SELECT sum(counter) FROM samples");
  for (auto _ : state) {
    require(selection.next() && selection.integer(0) == expected.counters, "read the rows that were written");
    selection.run();
  }
}

// The floor in memory: copying the bytes once.
void copy_bytes(benchmark::State& state) {
  const std::vector<std::string> objects = contents(filled<filled_lake<memory>>(state).place.store(), "_table_");
  std::string buffer;
  for (auto _ : state)
    for (const std::string& bytes : objects) {
      buffer.assign(bytes);
      benchmark::DoNotOptimize(buffer.data());
    }
}

// The floor in files: reading them.
void read_files(benchmark::State& state) {
  const auto& place = filled<filled_lake<volatile_files>>(state).place;
  std::string buffer(std::size_t{128} << 20, '\0');
  for (auto _ : state)
    for (const auto& file : std::filesystem::directory_iterator(place.folder() / "lake"))
      benchmark::DoNotOptimize(read_whole_file(file.path(), buffer));
}

void in_sizes(benchmark::internal::Benchmark* registered) {
  registered->ArgName("rows")->Arg(1'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(scan_with_tarn, memory, tarn::json_codec)->Name("scan/tarn/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(scan_with_tarn, memory, tarn::columnar_codec)->Name("scan/columnar/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(scan_with_sqlite, memory)->Name("scan/sqlite/memory")->Apply(in_sizes);
BENCHMARK(copy_bytes)->Name("scan/floor/memory")->Apply(in_sizes);

BENCHMARK_TEMPLATE(scan_with_tarn, volatile_files, tarn::json_codec)->Name("scan/tarn/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(scan_with_tarn, volatile_files, tarn::columnar_codec)->Name("scan/columnar/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(scan_with_sqlite, volatile_files)->Name("scan/sqlite/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(scan_with, lmdb_database)->Name("scan/lmdb/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(scan_with, leveldb_database)->Name("scan/leveldb/files")->Apply(in_sizes);
BENCHMARK(read_files)->Name("scan/floor/files")->Apply(in_sizes);

BENCHMARK_TEMPLATE(sum_with_tarn, memory, tarn::json_codec)->Name("sum/tarn/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(sum_columns_with_tarn, memory, tarn::columnar_codec)->Name("sum/columnar/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(sum_with_sqlite, memory)->Name("sum/sqlite/memory")->Apply(in_sizes);

BENCHMARK_TEMPLATE(sum_with_tarn, volatile_files, tarn::json_codec)->Name("sum/tarn/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(sum_columns_with_tarn, volatile_files, tarn::columnar_codec)
    ->Name("sum/columnar/files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(sum_with_sqlite, volatile_files)->Name("sum/sqlite/files")->Apply(in_sizes);

}  // namespace
