// Histories as data: a list of operations, each with its own choices, so that a list that fails can be cut down to the
// few operations that matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "random_source.hpp"

namespace tarn_test {

enum class operation_kind : unsigned char {
  begin,
  begin_at,
  create_table,
  drop_table,
  insert_row,
  insert_rows,
  insert_wrong_row,
  flush,
  scan,
  start_scan,
  continue_scan,
  list_tables,
  has_table,
  columns,
  commit,
  rollback,
  copy_client,
  reopen_client,
  read_version,
  find_commit,
};

struct operation {
  operation_kind kind;
  std::uint64_t seed;       // for what it decides by itself
  std::size_t client;       // who does it
  std::size_t transaction;  // in which of the client's open transactions
  std::size_t table;        // on which of the names
  std::size_t fault_percent;
};

// A history is made of a seed alone.
struct history_plan {
  std::uint64_t seed = 0;
  std::size_t clients = 1;
  std::size_t rows_per_object = 1;
  std::uint32_t attempts_max = 1;
  std::uint64_t rebase_limit = 0;
  std::vector<operation> operations;
};

inline constexpr std::size_t transactions_per_client = 2;

[[nodiscard]] inline operation_kind choose_kind(random_source& random) {
  struct weighted {
    operation_kind kind;
    std::size_t weight;
  };
  constexpr weighted kinds[] = {
      {operation_kind::begin, 3},        {operation_kind::begin_at, 2},         {operation_kind::create_table, 5},
      {operation_kind::drop_table, 4},   {operation_kind::insert_row, 14},      {operation_kind::insert_rows, 14},
      {operation_kind::flush, 3},        {operation_kind::insert_wrong_row, 1}, {operation_kind::scan, 8},
      {operation_kind::start_scan, 3},   {operation_kind::continue_scan, 5},    {operation_kind::list_tables, 2},
      {operation_kind::has_table, 2},    {operation_kind::columns, 2},          {operation_kind::commit, 28},
      {operation_kind::rollback, 1},     {operation_kind::copy_client, 2},      {operation_kind::reopen_client, 2},
      {operation_kind::read_version, 3}, {operation_kind::find_commit, 4}};
  std::size_t sum = 0;
  for (const weighted& each : kinds) sum += each.weight;
  std::size_t ticket = random.below(sum);
  for (const weighted& each : kinds) {
    if (ticket < each.weight) return each.kind;
    ticket -= each.weight;
  }
  return operation_kind::begin;
}

[[nodiscard]] inline history_plan make_history(std::uint64_t seed, std::size_t tables, bool with_faults) {
  random_source random(seed);
  constexpr std::size_t rows_per_object[] = {1, 2, 3, 65'536};
  history_plan plan;
  plan.seed = seed;
  plan.clients = 1 + random.below(4);
  plan.rows_per_object = rows_per_object[random.below(4)];
  plan.rebase_limit = random.chance(85) ? 100'000 : random.below(3);
  plan.attempts_max = static_cast<std::uint32_t>(1 + random.below(5));
  const std::size_t length = 20 + random.below(150);
  for (std::size_t at = 0; at < length; ++at) {
    operation next{};
    next.kind = choose_kind(random);
    next.seed = random.next();
    next.client = random.below(plan.clients);
    next.transaction = random.below(transactions_per_client);
    next.table = random.below(tables);
    constexpr std::size_t percents[] = {0, 0, 0, 10, 30, 60, 100};
    if (with_faults) next.fault_percent = percents[random.below(7)];
    plan.operations.push_back(next);
  }
  return plan;
}

// Cuts down a history for which `fails(history)` holds, until no operation can be left out.
template <class Plan, class Fails>
[[nodiscard]] Plan shrink(Plan plan, Fails fails) {
  for (std::size_t piece = plan.operations.size() / 2; piece > 0;) {
    bool shorter = false;
    for (std::size_t at = 0; at + piece <= plan.operations.size();) {
      Plan without = plan;
      const auto first = without.operations.begin() + static_cast<std::ptrdiff_t>(at);
      without.operations.erase(first, first + static_cast<std::ptrdiff_t>(piece));
      if (fails(without)) {
        plan = std::move(without);
        shorter = true;
      } else {
        at += piece;
      }
    }
    if (!shorter || piece > plan.operations.size()) piece /= 2;
  }
  return plan;
}

}  // namespace tarn_test
