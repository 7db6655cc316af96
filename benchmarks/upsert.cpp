// Giving every hundredth row of a table new values, in one transaction that survives the loss of power: by key, which
// reads nothing, and with the rows' positions, by a client that remembers the table's keys and by one that reads them.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>

#include "keyed_lake.hpp"
#include "lake.hpp"
#include "lmdb.hpp"
#include "places.hpp"
#include "sqlite.hpp"

namespace {

using namespace tarn_benchmark;

enum class table_keys { unknown, remembered, read };

template <class Codec>
using lake_in_files = tarn::client<tarn::file_store<>, Codec>;

template <class Codec, table_keys Keys>
void upsert_with_tarn(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  const durable_files place;
  lake_in_files<Codec> filling{place.store(), large_objects()};
  create_keyed_table(filling, key_kind::integer, rows);

  lake_in_files<Codec> lake{place.store()};
  auto looking = lake.begin().value();
  if (Keys == table_keys::remembered) resolve_positions(looking, key_kind::integer);
  for (auto _ : state) {
    auto writing = lake.begin().value();
    if (Keys == table_keys::read) resolve_positions(writing, key_kind::integer);
    upsert_one_percent(writing, key_kind::integer, rows);
    (void)writing.commit().value();
  }

  auto scan = lake.begin().value().scan("samples").value();
  require(read_rows(scan).rows == rows, "read the rows that were written");
  const tarn::merge_statistics merged = scan.statistics().merged;
  const std::uint64_t meant = Keys == table_keys::unknown ? merged.keys_by_key : merged.keys_by_position;
  require(meant == static_cast<std::uint64_t>(rows / 100), "write as it was meant");
}

void upsert_with_sqlite(benchmark::State& state) {
  const durable_files place;
  database peer(place.database_path());
  peer.create_keyed_table(durable_files::synchronous);
  keyed_sample_writer writer(peer);
  writer.fill(state.range(0));
  peer.run("PRAGMA wal_checkpoint(TRUNCATE)");
  for (auto _ : state) writer.upsert_one_percent(state.range(0));
}

void upsert_with_lmdb(benchmark::State& state) {
  const durable_files place;
  lmdb_database peer(place.database_path(), durable_files::survives);
  peer.write(0, state.range(0));
  for (auto _ : state) peer.upsert_one_percent(state.range(0));
}

// The floor: writing the bytes that tarn puts, the object and the entry, to new files, with an fsync of each.
void write_bytes(benchmark::State& state) {
  const memory lake_place;
  tarn::client lake{lake_place.store(), large_objects()};
  create_keyed_table(lake, key_kind::integer, state.range(0));
  auto writing = lake.begin().value();
  upsert_one_percent(writing, key_kind::integer, state.range(0));
  (void)writing.commit().value();
  const std::string object = contents(lake_place.store(), "_table_").back();
  const std::string entry = contents(lake_place.store(), "_log_").back();
  const durable_files place;
  for (auto _ : state) {
    write_new_file(place.folder() / "object", object, tarn::durability::full);
    write_new_file(place.folder() / "entry", entry, tarn::durability::full);
  }
}

void in_sizes(benchmark::internal::Benchmark* registered) {
  registered->ArgName("rows")->Arg(1'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);
}

template <class Codec>
void add_all(const std::string& codec) {
  const auto add = [&](const std::string& work, auto* function) {
    benchmark::RegisterBenchmark((work + "/" + codec + "/files").c_str(), function)->Apply(in_sizes);
  };
  add("upsert", upsert_with_tarn<Codec, table_keys::unknown>);
  add("upsert, keys remembered", upsert_with_tarn<Codec, table_keys::remembered>);
  add("upsert, keys read", upsert_with_tarn<Codec, table_keys::read>);
}

[[maybe_unused]] const bool all_added = (add_all<tarn::json_codec>("tarn"),  //
                                         add_all<tarn::columnar_codec>("columnar"), true);
BENCHMARK(upsert_with_sqlite)->Name("upsert/sqlite/files")->Apply(in_sizes);
BENCHMARK(upsert_with_lmdb)->Name("upsert/lmdb/files")->Apply(in_sizes);
BENCHMARK(write_bytes)->Name("upsert/floor/files")->Apply(in_sizes);

}  // namespace
