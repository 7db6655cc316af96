// usage: benchmark_instructions [PATH|--list]
//
// The paths through tarn that are taken most, for counting their instructions: those of counted_work(), by Callgrind's
// --toggle-collect. All is in memory, and ids and clock come from a seed, so a count is the same each time. Runs one
// path, or all of them; --list prints each path's name, what its count is divided by, and what that is.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/tarn.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <vector>

#include "keyed_lake.hpp"
#include "lake.hpp"
#include "require.hpp"
#include "workload.hpp"

using work = std::function<void()>;

extern "C" [[gnu::noinline]] void counted_work(const work& counted) {
  counted();
  asm volatile("");  // so that the call above is none that never comes back here
}

namespace {

using namespace tarn_benchmark;
using json = tarn::json_codec;
using columnar = tarn::columnar_codec;
using tarn::merge::by_key, tarn::merge::by_position;

constexpr std::int64_t rows = 100'000;
constexpr std::int64_t commits = 50;     // fewer than from one checkpoint to the next
constexpr std::int64_t entries = 1'000;  // of a log
constexpr changes tenth{key_kind::integer, 1, 100, 10};

tarn::client_options from_a_seed(tarn::client_options options) {
  static tarn::testing::simulated_environment environment;
  options.surroundings = environment.get();
  return options;
}

template <class Codec, class Merge = by_position>
using lake_with = tarn::client<tarn::memory_store, Codec, Merge>;

template <class Codec>
std::shared_ptr<lake_with<Codec>> new_lake(std::int64_t filled_rows = 0) {
  auto lake = std::make_shared<lake_with<Codec>>(tarn::memory_store(), from_a_seed({}));
  create_table(*lake);
  if (filled_rows > 0) insert(*lake, 0, filled_rows);
  return lake;
}

template <class Codec>
work insert_rows() {
  return [lake = new_lake<Codec>()] { insert(*lake, 0, rows); };
}

template <class Codec>
work scan_rows() {
  return [lake = new_lake<Codec>(rows), expected = totals_of_samples(rows)] {
    require(read_every_value(*lake) == expected, "read the rows that were written");
  };
}

template <class Codec>
work sum_a_column() {
  return [lake = new_lake<Codec>(rows), expected = totals_of_samples(rows)] {
    std::int64_t sum = 0;
    auto columns = lake->begin().value().scan_columns("samples", {"counter"}).value();
    while (columns.next())
      for (const std::int64_t each : columns.batch().column(0).integers()) sum += each;
    require(columns.status().has_value() && sum == expected.counters, "read the rows that were written");
  };
}

constexpr std::int64_t sorted_rows = 1'000'000;

// One row of a hundred, by a column that is sorted: of 16 objects one is read, of its 8 groups two or three.
template <class Codec>
work find_one_percent() {
  auto lake = new_lake<Codec>();
  auto writing = lake->begin().value();
  for (std::int64_t number = 0; number < sorted_rows; ++number) {
    const sample row = make_sample(number);
    writing.insert("samples", {row.station, number, row.reading}).value();
  }
  (void)writing.commit().value();
  return [lake] {
    constexpr std::int64_t first = sorted_rows / 2;
    std::int64_t found = 0;
    auto scan = lake->begin()
                    .value()
                    .scan("samples",
                          {{"counter", tarn::at_least, first}, {"counter", tarn::less_than, first + sorted_rows / 100}})
                    .value();
    while (scan.next()) ++found;
    require(scan.status().has_value() && found == sorted_rows / 100, "find the rows that were written");
  };
}

constexpr tarn::object_identity identity{"samples", {}};

template <class Codec>
using builder_of = decltype(Codec().build(identity));

template <class Codec>
void write_all(builder_of<Codec>& object) {
  for (std::int64_t number = 0; number < rows; ++number) {
    const sample row = make_sample(number);
    object.append({row.station, row.counter, row.reading}).value();
  }
  (void)object.finish();
}

template <class Codec>
work write_object() {
  return [object = std::make_shared<builder_of<Codec>>(Codec().build(identity))] { write_all<Codec>(*object); };
}

template <class Codec>
work parse_object() {
  auto object = std::make_shared<builder_of<Codec>>(Codec().build(identity));
  write_all<Codec>(*object);
  return [object, written = totals_of_samples(rows)] {
    tarn::object_expectation expected;
    expected.identity = identity;
    expected.columns = 3;
    expected.checksum_verified = true;
    auto cursor = Codec().open(object->finish(), expected).value();
    totals read;
    while (cursor.next()) {
      const tarn::row_view row = cursor.row();
      read.add({row[0].as_string(), row[1].as_integer(), row[2].as_double()});
    }
    require(read == written, "read the rows that were written");
  };
}

template <class Codec>
work commit_rows_one_by_one() {
  auto lake = new_lake<Codec>();
  insert(*lake, 0, 1);
  return [lake] {
    for (std::int64_t number = 0; number < commits; ++number) insert(*lake, number, 1);
  };
}

template <class Codec>
work open_cold(std::int64_t versions, std::uint32_t checkpoint_interval) {
  tarn::client_options options = from_a_seed({});
  options.checkpoint_interval = checkpoint_interval;
  lake_with<Codec> lake{tarn::memory_store(), options};
  create_table(lake);
  for (std::int64_t number = 1; number < versions; ++number) insert(lake, number, 1);
  return [store = lake.store(), versions] {
    lake_with<Codec> opened{store, from_a_seed({})};
    require(opened.begin().value().read_version().number == versions - 1, "see all versions");
  };
}
template <class Codec>
work read_entries() {
  return open_cold<Codec>(entries, 0);
}
// The last version has one.
template <class Codec>
work read_checkpoint() {
  return open_cold<Codec>(entries + 1, entries);
}

template <class Codec, class Merge>
work scan_merged() {
  auto lake = std::make_shared<changed_lake<Codec>>(tenth, positions::fresh, rows, from_a_seed(large_objects()));
  return [lake] {
    lake_with<Codec, Merge> reader{lake->store, from_a_seed({})};
    auto scan = reader.begin().value().scan("samples").value();
    require(read_rows(scan) == lake->expected, "read the rows that were written");
  };
}

template <class Codec, class Merge>
work scan_merged_columns() {
  auto lake = std::make_shared<changed_lake<Codec>>(tenth, positions::fresh, rows, from_a_seed(large_objects()));
  return [lake] {
    lake_with<Codec, Merge> reader{lake->store, from_a_seed({})};
    auto scan = reader.begin().value().scan_columns("samples").value();
    require(read_columns(scan) == lake->expected, "read the rows that were written");
  };
}

template <class Codec>
work compact() {
  const tarn::client_options options = from_a_seed(large_objects());
  auto lake = std::make_shared<changed_lake<Codec>>(tenth, positions::fresh, rows, options);
  return [lake, options] {
    lake_with<Codec> compacting{lake->store, options};
    (void)compacting.compact("samples").value();
  };
}

enum class table_keys { unknown, remembered };

template <class Codec, table_keys Keys>
work upsert() {
  auto lake = std::make_shared<lake_with<Codec>>(tarn::memory_store(), from_a_seed(large_objects()));
  create_keyed_table(*lake, key_kind::integer, rows);
  if (Keys == table_keys::remembered) {
    auto looking = lake->begin().value();
    resolve_positions(looking, key_kind::integer);
  }
  return [lake] {
    auto writing = lake->begin().value();
    upsert_one_percent(writing, key_kind::integer, rows);
    (void)writing.commit().value();
  };
}

// What a client does once, before the first look-up of a key.
template <class Codec>
work remember_keys() {
  auto lake = std::make_shared<lake_with<Codec>>(tarn::memory_store(), from_a_seed(large_objects()));
  create_keyed_table(*lake, key_kind::integer, rows);
  return [lake] {
    auto looking = lake->begin().value();
    resolve_positions(looking, key_kind::integer);
  };
}

struct counted_path {
  const char* name;
  std::int64_t count;  // of what its instructions are told for each
  const char* each;
  work (*prepare)();
};

constexpr counted_path paths[] = {
    {"write an object, JSON", rows, "row", write_object<json>},
    {"write an object, columnar", rows, "row", write_object<columnar>},
    {"parse an object, JSON", rows, "row", parse_object<json>},
    {"parse an object, columnar", rows, "row", parse_object<columnar>},
    {"insert, JSON", rows, "row", insert_rows<json>},
    {"insert, columnar", rows, "row", insert_rows<columnar>},
    {"scan, JSON", rows, "row", scan_rows<json>},
    {"scan, columnar", rows, "row", scan_rows<columnar>},
    {"scan_columns of one column, columnar", rows, "row", sum_a_column<columnar>},
    {"scan for 1 % of a sorted column, columnar", sorted_rows / 100, "row", find_one_percent<columnar>},
    {"commit one row, warm", commits, "commit", commit_rows_one_by_one<json>},
    {"open after 1,000 commits, no checkpoint", entries, "commit", read_entries<json>},
    {"open after 1,000 commits, with a checkpoint", entries, "commit", read_checkpoint<json>},
    {"upsert 1 % by key, JSON", rows / 100, "upsert", upsert<json, table_keys::unknown>},
    {"upsert 1 % by key, columnar", rows / 100, "upsert", upsert<columnar, table_keys::unknown>},
    {"upsert 1 % with positions, columnar", rows / 100, "upsert", upsert<columnar, table_keys::remembered>},
    {"remember the keys of a base, columnar", rows, "row", remember_keys<columnar>},
    {"scan 11 % changed by position, JSON", rows, "row", scan_merged<json, by_position>},
    {"scan 11 % changed by position, columnar", rows, "row", scan_merged<columnar, by_position>},
    {"scan 11 % changed by key, JSON", rows, "row", scan_merged<json, by_key>},
    {"scan 11 % changed by key, columnar", rows, "row", scan_merged<columnar, by_key>},
    {"scan_columns 11 % changed by position, columnar", rows, "row", scan_merged_columns<columnar, by_position>},
    {"scan_columns 11 % changed by key, columnar", rows, "row", scan_merged_columns<columnar, by_key>},
    {"compact 11 % changed, JSON", rows, "row", compact<json>},
    {"compact 11 % changed, columnar", rows, "row", compact<columnar>},
};

}  // namespace

int main(int argument_count, char** argument_values) {
  const std::string_view wanted = argument_count > 1 ? argument_values[1] : "";
  bool found = false;
  for (const counted_path& each : paths) {
    found = found || wanted.empty() || wanted == "--list" || wanted == each.name;
    if (wanted == "--list")
      std::printf("%s\t%lld\t%s\n", each.name, static_cast<long long>(each.count), each.each);
    else if (wanted.empty() || wanted == each.name)
      counted_work(each.prepare());
  }
  require(found, "find the path: see --list");
}
