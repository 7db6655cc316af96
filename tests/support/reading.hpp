// What a lake holds, read whole into the test's hands.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tarn/core/row.hpp>
#include <tarn/core/strong_types.hpp>
#include <tarn/history.hpp>
#include <vector>

namespace tarn_test {

// All rows of a table, in the order of the scan.
template <class Transaction>
[[nodiscard]] std::vector<tarn::row> rows_of(Transaction& transaction, std::string_view table) {
  auto scan = transaction.scan(table);
  REQUIRE_MESSAGE(scan.has_value(), (scan ? std::string() : scan.error().message()));
  std::vector<tarn::row> rows;
  while (scan->next()) {
    const tarn::row_view row = scan->row();
    rows.emplace_back(row.begin(), row.end());
  }
  REQUIRE_MESSAGE(scan->status().has_value(), (scan->status() ? std::string() : scan->status().error().message()));
  return rows;
}

// The whole log, after a check that its versions are 0, 1, 2, ... without a gap and that times never step back.
template <class Client>
[[nodiscard]] std::vector<tarn::commit_summary> versions_of(Client& lake) {
  auto log = lake.log();
  REQUIRE_MESSAGE(log.has_value(), (log ? std::string() : log.error().message()));
  std::vector<tarn::commit_summary> versions;
  while (log->next()) versions.push_back(log->summary());
  REQUIRE_MESSAGE(log->status().has_value(), (log->status() ? std::string() : log->status().error().message()));
  for (std::size_t at = 0; at < versions.size(); ++at) {
    REQUIRE(versions[at].at == tarn::version{static_cast<std::int64_t>(at)});
    REQUIRE(versions[at].read_version < versions[at].at);
    if (at > 0) REQUIRE(versions[at - 1].time < versions[at].time);
  }
  return versions;
}

}  // namespace tarn_test
