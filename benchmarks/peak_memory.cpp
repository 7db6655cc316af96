// usage: benchmark_peak_memory tarn|keyed|sqlite insert|scan|compact ROWS FOLDER
//
// Does one thing with a table in FOLDER, which `insert` makes, `scan` reads and, for tarn's keyed table, `compact`
// rewrites, and prints the most memory that the process has had, in KiB. One process for each, since what a process has
// once had cannot be told apart later.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "lake.hpp"
#include "require.hpp"
#include "sqlite.hpp"

namespace {

using namespace tarn_benchmark;

void work_with_tarn(bool inserts, std::int64_t rows, const std::string& folder) {
  tarn::client lake{tarn::file_store{folder + "/lake", {.durability = tarn::durability::none}}};
  if (inserts) {
    create_table(lake);
    insert(lake, 0, rows);
  } else {
    require(read_every_value(lake).rows == rows, "read the rows that were written");
  }
}

// The counters are the keys: they come in no order. All rows are written in one transaction, so a scan reads a base and
// a delta for every 65,536 rows, all at once.
void work_with_keys(std::string_view work, std::int64_t rows, const std::string& folder) {
  tarn::client lake{tarn::file_store{folder + "/keyed", {.durability = tarn::durability::none}}};
  if (work == "insert") {
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
  } else if (work == "compact") {
    (void)lake.compact("samples").value();
  } else {
    require(read_every_value(lake).rows == rows, "read the rows that were written");
  }
}

void work_with_sqlite(bool inserts, std::int64_t rows, const std::string& folder) {
  database peer(folder + "/database");
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
  require(arguments.size() == 4, "understand the arguments: tarn|keyed|sqlite insert|scan|compact ROWS FOLDER");
  const bool inserts = arguments[1] == "insert";
  const std::int64_t rows = std::strtoll(argument_values[3], nullptr, 10);
  const std::string folder(arguments[3]);
  if (arguments[0] == "tarn")
    work_with_tarn(inserts, rows, folder);
  else if (arguments[0] == "keyed")
    work_with_keys(arguments[1], rows, folder);
  else
    work_with_sqlite(inserts, rows, folder);
  std::printf("%lld\n", static_cast<long long>(peak_kib()));
}
