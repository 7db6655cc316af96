// Writers that append one row at a time to one table, and the account that must balance afterwards, whether the
// writers were threads or processes.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tarn/core/row.hpp>
#include <tarn/core/strong_types.hpp>
#include <utility>
#include <vector>

#include "reading.hpp"

namespace tarn_test {

// What one writer was told by its calls of commit, in order.
struct append_report {
  std::vector<tarn::version> committed;
  std::vector<std::string> failures;
};

inline constexpr const char* append_table = "events";

template <class Client>
void create_append_table(Client& lake) {
  auto transaction = lake.begin().value();
  transaction.create_table(append_table, {"writer", "number"}).value();
  REQUIRE(transaction.commit().value() == tarn::version{0});
}

// Appends the rows (writer, 0) to (writer, count - 1), each in a transaction of its own.
template <class Client>
[[nodiscard]] append_report append_rows(Client& lake, int writer, int count) {
  append_report report;
  for (int number = 0; number < count; ++number) {
    auto transaction = lake.begin();
    if (!transaction) {
      report.failures.push_back(transaction.error().message());
      continue;
    }
    const tarn::status inserted = transaction->insert(append_table, {writer, number});
    if (!inserted) report.failures.push_back(inserted.error().message());
    const auto committed = transaction->commit();
    if (committed)
      report.committed.push_back(*committed);
    else
      report.failures.push_back(committed.error().message());
  }
  return report;
}

// That every append succeeded, that the versions reported are those of the log, each once, and that each holds the row
// of whoever reported it. `lake` should be a client that has seen nothing yet.
template <class Client>
void check_appends(Client& lake, const std::vector<append_report>& reports, int count) {
  std::map<tarn::version, tarn::row> reported;
  for (std::size_t writer = 0; writer < reports.size(); ++writer) {
    const append_report& report = reports[writer];
    INFO("writer ", writer);
    for (const std::string& failure : report.failures) FAIL_CHECK(failure);
    REQUIRE(report.committed.size() == static_cast<std::size_t>(count));
    for (std::size_t number = 0; number < report.committed.size(); ++number) {
      const tarn::row row{static_cast<std::int64_t>(writer), static_cast<std::int64_t>(number)};
      CHECK_MESSAGE(reported.emplace(report.committed[number], row).second, "version ", report.committed[number].number,
                    " was reported twice");
    }
  }

  const std::vector<tarn::commit_summary> log = versions_of(lake);
  REQUIRE(log.size() == reported.size() + 1);  // version 0 created the table
  auto transaction = lake.begin().value();
  const std::vector<tarn::row> rows = rows_of(transaction, append_table);
  REQUIRE(rows.size() == reported.size());
  std::size_t misplaced = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto expected = reported.find(tarn::version{static_cast<std::int64_t>(at) + 1});
    REQUIRE(expected != reported.end());
    if (expected->second != rows[at]) ++misplaced;
    const tarn::sequence<tarn::table_change>& changes = log[at + 1].tables;
    if (changes.size() != 1 || changes[0].rows != 1 || changes[0].objects != 1) ++misplaced;
  }
  CHECK(misplaced == 0);
}

}  // namespace tarn_test
