// tarn, doing the work: the samples in a table. A call that fails ends the program: `.value()` sees to that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <vector>

#include "workload.hpp"

namespace tarn_benchmark {

template <class Client>
void create_table(Client& lake) {
  auto creating = lake.begin().value();
  creating
      .create_table("samples", {{"station", tarn::column_type::string},
                                {"counter", tarn::column_type::integer},
                                {"reading", tarn::column_type::real}})
      .value();
  (void)creating.commit().value();
}

// The rows from `first` on, in one transaction.
template <class Client>
void insert(Client& lake, std::int64_t first, std::int64_t rows) {
  auto writing = lake.begin().value();
  for (std::int64_t number = first; number < first + rows; ++number) {
    const sample row = make_sample(number);
    writing.insert("samples", {row.station, row.counter, row.reading}).value();
  }
  (void)writing.commit().value();
}

template <class Client>
[[nodiscard]] totals read_every_value(Client& lake) {
  totals read;
  for (const tarn::row_view row : lake.begin().value().scan("samples").value())
    read.add({row[0].as_string(), row[1].as_integer(), row[2].as_double()});
  return read;
}

// What a store holds under names that begin so.
template <class Store>
[[nodiscard]] std::vector<std::string> contents(Store store, std::string_view prefix) {
  std::vector<std::string> found;
  store.list(prefix, "", [&](std::string_view name) { found.emplace_back(store.get(name).value()); }).value();
  return found;
}

}  // namespace tarn_benchmark
