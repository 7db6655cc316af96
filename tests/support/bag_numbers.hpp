// Bags called "x" whose first column is a number that tells their rows apart.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <tarn/tarn.hpp>
#include <vector>

namespace tarn_test {

using numbers = std::vector<std::int64_t>;

[[nodiscard]] inline tarn::client_options objects_of(std::uint64_t rows) {
  tarn::client_options options;
  options.bounds.rows_per_object = rows;
  return options;
}

// Those of the rows that match, in the order of the scan.
template <class Transaction>
[[nodiscard]] numbers numbers_of(Transaction& tx, const tarn::filter& wanted = {}) {
  auto scan = tx.scan("x", wanted).value();
  numbers read;
  while (scan.next()) read.push_back(scan.row()[0].as_integer());
  REQUIRE(scan.status().has_value());
  return read;
}
// Those of the newest version.
template <class Client>
[[nodiscard]] numbers numbers_in(Client& lake) {
  auto tx = lake.begin().value();
  return numbers_of(tx);
}

}  // namespace tarn_test
