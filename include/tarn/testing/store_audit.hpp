// Puts what the second reader finds in a store into a history: who has made each version, and the rows of all tables at
// every version, as transactions that read them would have found them. So the check of the history also says whether
// the store holds what the clients were told.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "../core/config.hpp"
#include "../core/row.hpp"
#include "../core/strong_types.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "history.hpp"
#include "history_recorder.hpp"
#include "plain_fold.hpp"
#include "store_reader.hpp"

namespace tarn::inline TARN_ABI::testing {

[[nodiscard]] inline row row_of(const plain_row& values) {
  row made;
  for (const plain_value& each : values) {
    if (const auto* const flag = std::get_if<bool>(&each); flag != nullptr)
      made.emplace_back(*flag);
    else if (const auto* const number = std::get_if<std::int64_t>(&each); number != nullptr)
      made.emplace_back(*number);
    else if (const auto* const text = std::get_if<std::string>(&each); text != nullptr)
      made.emplace_back(*text);
    else
      made.emplace_back();
  }
  return made;
}

// Only whose entry each version is, as far as it can be told: do it before a truncation too.
template <class Store>
void read_log(const store_reader<Store>& read, history_recorder& into) {
  for (const auto& [at, transaction] : read.transactions()) {
    uuid id;
    if (parse_uuid(transaction, id)) into.note_version({at}, id);
  }
}

// Returns how many rows it has found. Versions before `first` need not be whole any more.
template <class Store>
std::uint64_t audit_store(store_reader<Store>& read, history_recorder& into, version first = {0}) {
  read_log(read, into);
  std::uint64_t count = 0;
  for (const auto& [at, state] : read.states()) {
    if (at < first.number) continue;
    transaction_record record;
    record.begin = into.next_event();
    record.snapshot = record.committed = {at};
    record.client = record.session = UINT32_MAX;
    record.purpose = purpose::audit;
    std::vector<recorded_operation> done{{operation_kind::list_tables}};
    for (const auto& [name, table] : state.tables) done.push_back({operation_kind::found, into.table_number(name)});
    for (const auto& [name, table] : state.tables) {
      const std::uint32_t number = into.table_number(name);
      done.push_back({operation_kind::scan, number});
      for (const plain_row& each : read.rows(table)) done.push_back(into.found(number, row_of(each)));
    }
    count += done.size();
    into.add(record, done);
  }
  return count;
}

}  // namespace tarn::inline TARN_ABI::testing
