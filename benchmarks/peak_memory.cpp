// usage: benchmark_peak_memory tarn|sqlite insert|scan ROWS FOLDER
//
// Does one thing with a table in FOLDER, which `insert` makes and `scan` reads, and prints the most memory that the
// process has had, in KiB. One process for each, since what a process has once had cannot be told apart later.
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
  require(arguments.size() == 4, "understand the arguments: tarn|sqlite insert|scan ROWS FOLDER");
  const bool inserts = arguments[1] == "insert";
  const std::int64_t rows = std::strtoll(argument_values[3], nullptr, 10);
  const std::string folder(arguments[3]);
  if (arguments[0] == "tarn")
    work_with_tarn(inserts, rows, folder);
  else
    work_with_sqlite(inserts, rows, folder);
  std::printf("%lld\n", static_cast<long long>(peak_kib()));
}
