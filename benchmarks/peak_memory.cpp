// usage: benchmark_peak_memory json|columnar|keyed-json|keyed-columnar|sqlite insert|scan|columns|compact ROWS FOLDER
//
// Does one thing with a table in FOLDER, which `insert` makes, `scan` and, for tarn's tables, `columns` read and, for
// its keyed ones, `compact` rewrites, and prints the most memory that the process has had, in KiB. One process for
// each, since what a process has once had cannot be told apart later.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <vector>

#include "lake.hpp"
#include "require.hpp"
#include "sqlite.hpp"

namespace {

using namespace tarn_benchmark;

// The counters are the keys: they come in no order. All rows are written in one transaction, so a scan reads a base and
// a delta for every 65,536 rows, all at once.
template <class Client>
void insert_keyed(Client& lake, std::int64_t rows) {
  auto writing = lake.begin().value();
  writing
      .create_table("samples",
                    {{"station", tarn::column_type::string},
                     {"counter", tarn::column_type::integer},
                     {"reading", tarn::column_type::real}},
                    tarn::keyed{{"counter"}})
      .value();
  for (std::int64_t number = 0; number < rows; ++number) {
    const sample row = make_sample(number);
    writing.upsert("samples", {row.station, row.counter, row.reading}).value();
  }
  (void)writing.commit().value();
}

template <class Client>
[[nodiscard]] std::int64_t count_by_columns(Client& lake) {
  std::int64_t rows = 0;
  auto columns = lake.begin().value().scan_columns("samples").value();
  while (columns.next()) rows += static_cast<std::int64_t>(columns.batch().rows());
  columns.status().value();
  return rows;
}

template <class Codec>
void work_with_tarn(std::string_view work, bool keyed, std::int64_t rows, const std::string& folder) {
  tarn::client lake{tarn::file_store{folder, {.durability = tarn::durability::none}}, {}, Codec{}};
  if (work == "insert" && keyed) {
    insert_keyed(lake, rows);
  } else if (work == "insert") {
    create_table(lake);
    insert(lake, 0, rows);
  } else if (work == "compact") {
    (void)lake.compact("samples").value();
  } else {
    const std::int64_t read = work == "columns" ? count_by_columns(lake) : read_every_value(lake).rows;
    require(read == rows, "read the rows that were written");
  }
}

void work_with_sqlite(bool inserts, std::int64_t rows, const std::string& path) {
  database peer(path);
  if (inserts) {
    peer.create_table("OFF");
    sample_writer(peer).write(0, rows);
  } else {
    totals read;
    statement selection = peer.prepare("SELECT station, counter, reading FROM samples");
    while (selection.next()) read.add(selection.row());
    require(read.rows == rows, "read the rows that were written");
  }
}

// Linux's own figure for this program alone. What getrusage says begins with the size of the process that started it.
std::int64_t peak_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.starts_with("VmHWM:")) return std::strtoll(line.c_str() + 6, nullptr, 10);
  return 0;
}

}  // namespace

int main(int argument_count, char** argument_values) {
  const std::vector<std::string_view> arguments(argument_values + 1, argument_values + argument_count);
  require(arguments.size() == 4, "understand the arguments: see the top of benchmarks/peak_memory.cpp");
  const std::string_view table = arguments[0];
  const std::int64_t rows = std::strtoll(argument_values[3], nullptr, 10);
  const std::string place = std::string(arguments[3]) + "/" + std::string(table);
  const bool keyed = table.starts_with("keyed-");
  if (table == "sqlite")
    work_with_sqlite(arguments[1] == "insert", rows, place);
  else if (table.ends_with("json"))
    work_with_tarn<tarn::json_codec>(arguments[1], keyed, rows, place);
  else
    work_with_tarn<tarn::columnar_codec>(arguments[1], keyed, rows, place);
  std::printf("%lld\n", static_cast<long long>(peak_kib()));
}
