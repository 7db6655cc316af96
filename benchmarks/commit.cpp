// Committing one row at a time, each in a transaction of its own, to a table that grows; and the put that a commit
// makes, of an entry in which the row travels.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "lake.hpp"
#include "leveldb.hpp"
#include "lmdb.hpp"
#include "places.hpp"
#include "sqlite.hpp"
#include "workload.hpp"

namespace {

using namespace tarn_benchmark;

template <class Place>
void commit_with_tarn(benchmark::State& state) {
  const Place place;
  tarn::client lake{place.store()};
  create_table(lake);
  for (auto _ : state)
    for (std::int64_t number = 0; number < state.range(0); ++number) insert(lake, number, 1);
}

template <class Place>
void commit_with_sqlite(benchmark::State& state) {
  const Place place;
  database peer(place.database_path());
  peer.create_table(Place::synchronous);
  sample_writer writer(peer);
  for (auto _ : state)
    for (std::int64_t number = 0; number < state.range(0); ++number) writer.write(number, 1);
}

template <class Place, class Peer>
void commit_with(benchmark::State& state) {
  const Place place;
  Peer peer(place.database_path(), Place::survives);
  for (auto _ : state)
    for (std::int64_t number = 0; number < state.range(0); ++number) peer.write(number, 1);
}

// All that one commit of one row puts into the store.
std::string bytes_of_a_commit() {
  const memory place;
  tarn::client lake{place.store()};
  create_table(lake);
  insert(lake, 0, 1);
  return contents(place.store(), "_log_").back();
}

// A bare put of the bytes: in memory, the floor of a commit.
template <class Place>
void put_bytes(benchmark::State& state) {
  const std::string bytes = bytes_of_a_commit();
  const Place place;
  auto store = place.store();
  for (auto _ : state)
    for (std::int64_t number = 0; number < state.range(0); ++number)
      require(store.put_if_absent(std::to_string(number), bytes).outcome() == tarn::put_outcome::created, "put");
}

// The floor in files: writing the bytes to a new file, and one fsync where the place asks for it.
template <tarn::durability Durability>
void write_bytes(benchmark::State& state) {
  const std::string bytes = bytes_of_a_commit();
  const files<Durability> place;
  for (auto _ : state)
    for (std::int64_t number = 0; number < state.range(0); ++number)
      write_new_file(place.folder() / std::to_string(number), bytes, Durability);
}

template <std::int64_t Commits>
void in_sizes(benchmark::internal::Benchmark* registered) {
  registered->ArgName("commits")->Arg(10)->Arg(Commits)->Iterations(1)->Unit(benchmark::kMillisecond);
}

BENCHMARK_TEMPLATE(commit_with_tarn, memory)->Name("commit/tarn/memory")->Apply(in_sizes<1'000>);
BENCHMARK_TEMPLATE(commit_with_sqlite, memory)->Name("commit/sqlite/memory")->Apply(in_sizes<1'000>);
BENCHMARK_TEMPLATE(put_bytes, memory)->Name("commit/floor/memory")->Apply(in_sizes<1'000>);

BENCHMARK_TEMPLATE(commit_with_tarn, durable_files)->Name("commit/tarn/files")->Apply(in_sizes<50>);
BENCHMARK_TEMPLATE(commit_with_sqlite, durable_files)->Name("commit/sqlite/files")->Apply(in_sizes<50>);
BENCHMARK_TEMPLATE(commit_with, durable_files, lmdb_database)->Name("commit/lmdb/files")->Apply(in_sizes<50>);
BENCHMARK_TEMPLATE(commit_with, durable_files, leveldb_database)->Name("commit/leveldb/files")->Apply(in_sizes<50>);
BENCHMARK_TEMPLATE(write_bytes, tarn::durability::full)->Name("commit/floor/files")->Apply(in_sizes<50>);

BENCHMARK_TEMPLATE(put_bytes, durable_files)->Name("put/tarn/files")->Apply(in_sizes<50>);
BENCHMARK_TEMPLATE(write_bytes, tarn::durability::full)->Name("put/floor/files")->Apply(in_sizes<50>);

BENCHMARK_TEMPLATE(commit_with_tarn, volatile_files)->Name("commit/tarn/volatile files")->Apply(in_sizes<1'000>);
BENCHMARK_TEMPLATE(commit_with_sqlite, volatile_files)->Name("commit/sqlite/volatile files")->Apply(in_sizes<1'000>);
BENCHMARK_TEMPLATE(write_bytes, tarn::durability::none)->Name("commit/floor/volatile files")->Apply(in_sizes<1'000>);

}  // namespace
