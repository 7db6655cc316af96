// Inserting rows one at a time, all in one transaction, into an empty table.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <thread>
#include <vector>

#include "lake.hpp"
#include "leveldb.hpp"
#include "lmdb.hpp"
#include "places.hpp"
#include "sqlite.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

template <class Place, class Codec>
void insert_with_tarn(benchmark::State& state) {
  const Place place;
  tarn::client lake{place.store(), {}, Codec{}};
  create_table(lake);
  for (auto _ : state) insert(lake, 0, state.range(0));
}

// Each object in a thread of its own, while the next is encoded.
tarn::executor threads() {
  tarn::executor made;
  made.start = [](void*, void (*work)(void*), void* argument) -> void* { return new std::thread(work, argument); };
  made.finish = [](void*, void* started) {
    auto* const thread = static_cast<std::thread*>(started);
    thread->join();
    delete thread;
  };
  return made;
}

template <class Place, class Codec>
void insert_with_an_executor(benchmark::State& state) {
  const Place place;
  tarn::client_options options;
  options.executor = threads();
  tarn::client lake{place.store(), options, Codec{}};
  create_table(lake);
  for (auto _ : state) insert(lake, 0, state.range(0));
}

template <class Place>
void insert_with_sqlite(benchmark::State& state) {
  const Place place;
  database peer(place.database_path());
  peer.create_table(Place::synchronous);
  sample_writer writer(peer);
  for (auto _ : state) writer.write(0, state.range(0));
}

template <class Place, class Peer>
void insert_with(benchmark::State& state) {
  const Place place;
  Peer peer(place.database_path(), Place::survives);
  for (auto _ : state) peer.write(0, state.range(0));
}

// The data objects that tarn writes for these rows.
std::vector<std::string> encoded_samples(std::int64_t rows) {
  const memory place;
  tarn::client lake{place.store()};
  create_table(lake);
  insert(lake, 0, rows);
  return contents(place.store(), "_table_");
}

// The floor in memory: copying the finished bytes once.
void copy_finished_bytes(benchmark::State& state) {
  const std::vector<std::string> objects = encoded_samples(state.range(0));
  for (auto _ : state) {
    const std::vector<std::string> copies(objects.begin(), objects.end());
    benchmark::DoNotOptimize(copies.data());
  }
}

// The floor in files: writing the finished bytes, and one fsync for each file where the place asks for it.
template <tarn::durability Durability>
void write_finished_bytes(benchmark::State& state) {
  const std::vector<std::string> objects = encoded_samples(state.range(0));
  const files<Durability> place;
  std::size_t number = 0;
  for (auto _ : state)
    for (const std::string& bytes : objects)
      write_new_file(place.folder() / std::to_string(number++), bytes, Durability);
}

// The report says which SQLite it was.
[[maybe_unused]] const bool version_stated = (benchmark::AddCustomContext("SQLite", sqlite3_libversion()), true);

void in_sizes(benchmark::internal::Benchmark* registered) {
  registered->ArgName("rows")->Arg(1'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(insert_with_tarn, memory, tarn::json_codec)->Name("insert/tarn/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_tarn, memory, tarn::columnar_codec)->Name("insert/columnar/memory")->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_sqlite, memory)->Name("insert/sqlite/memory")->Apply(in_sizes);
BENCHMARK(copy_finished_bytes)->Name("insert/floor/memory")->Apply(in_sizes);

BENCHMARK_TEMPLATE(insert_with_tarn, durable_files, tarn::json_codec)->Name("insert/tarn/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_tarn, durable_files, tarn::columnar_codec)
    ->Name("insert/columnar/files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_an_executor, durable_files, tarn::json_codec)
    ->Name("insert/tarn with an executor/files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_an_executor, durable_files, tarn::columnar_codec)
    ->Name("insert/columnar with an executor/files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with, durable_files, lmdb_database)->Name("insert/lmdb/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with, durable_files, leveldb_database)->Name("insert/leveldb/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_sqlite, durable_files)->Name("insert/sqlite/files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(write_finished_bytes, tarn::durability::full)->Name("insert/floor/files")->Apply(in_sizes);

BENCHMARK_TEMPLATE(insert_with_tarn, volatile_files, tarn::json_codec)
    ->Name("insert/tarn/volatile files")
    ->Apply(in_sizes);
BENCHMARK_TEMPLATE(insert_with_sqlite, volatile_files)->Name("insert/sqlite/volatile files")->Apply(in_sizes);
BENCHMARK_TEMPLATE(write_finished_bytes, tarn::durability::none)->Name("insert/floor/volatile files")->Apply(in_sizes);

}  // namespace
