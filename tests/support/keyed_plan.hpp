// Histories of a keyed table as data: steps with their own choices, none of which depends on whether compactions ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "keyed_reference.hpp"
#include "random_source.hpp"

namespace tarn_test {

enum class keyed_step_kind : unsigned char {
  upsert,
  erase,
  ordered_erase,
  update,
  get,
  scan,
  write_by_scan,  // erase or update rows that a scan stands on
  keep_scan,      // let a scan stand on a row
  use_kept_scan,  // ... and erase or update that row later, perhaps in another transaction
  flush,
  commit,
  rollback,
  reopen,
  plan_compaction,
  run_compaction,
  commit_compaction,
  compact,  // all three
};

struct keyed_step {
  keyed_step_kind kind;
  std::uint64_t seed;  // for what it decides by itself
  std::size_t writer;
};

enum class strategy : unsigned char { by_key, by_position, derived };
enum class key_kind : unsigned char { integer, string, composite };

// Made of a seed alone.
struct keyed_plan {
  std::uint64_t seed = 0;
  std::vector<strategy> writers;
  std::size_t rows_per_object = 1;
  keyed_layout table;
  key_kind key = key_kind::integer;
  std::size_t keys = 2;
  bool compacts = true;
  std::vector<keyed_step> operations;
};

inline constexpr std::size_t compaction_slots = 3;

// The table's columns: any, integer, string, integer. The last is the ordering, if the table has one.
namespace keyed_columns {
inline constexpr std::size_t value = 0, number = 1, text = 2, ordering = 3, count = 4;
}

[[nodiscard]] inline keyed_step_kind choose_keyed_step(random_source& random) {
  struct weighted {
    keyed_step_kind kind;
    std::size_t weight;
  };
  using enum keyed_step_kind;
  constexpr weighted kinds[] = {{upsert, 22},        {erase, 6},
                                {ordered_erase, 6},  {update, 3},
                                {get, 12},           {scan, 5},
                                {write_by_scan, 8},  {keep_scan, 5},
                                {use_kept_scan, 6},  {flush, 8},
                                {commit, 20},        {rollback, 1},
                                {reopen, 1},         {plan_compaction, 9},
                                {run_compaction, 6}, {commit_compaction, 8},
                                {compact, 6}};
  std::size_t sum = 0;
  for (const weighted& each : kinds) sum += each.weight;
  std::size_t ticket = random.below(sum);
  for (const weighted& each : kinds) {
    if (ticket < each.weight) return each.kind;
    ticket -= each.weight;
  }
  return commit;
}

[[nodiscard]] inline keyed_plan make_keyed_plan(std::uint64_t seed) {
  random_source random(seed);
  constexpr std::size_t rows_per_object[] = {1, 2, 65'536};
  keyed_plan plan;
  plan.seed = seed;
  for (std::size_t writers = 1 + random.below(4); writers > 0; --writers)
    plan.writers.push_back(random.chance(15) ? strategy::by_key : static_cast<strategy>(1 + random.below(2)));
  plan.rows_per_object = rows_per_object[random.below(3)];
  plan.key = static_cast<key_kind>(random.below(3));
  if (plan.key == key_kind::integer) plan.table.key = {keyed_columns::number};
  if (plan.key == key_kind::string) plan.table.key = {keyed_columns::text};
  if (plan.key == key_kind::composite) plan.table.key = {keyed_columns::text, keyed_columns::number};
  plan.table.buckets = random.chance(75) ? 1 : 7;
  if (random.chance(60)) plan.table.ordering = keyed_columns::ordering;
  plan.keys = 2 + random.below(8);
  for (std::size_t length = 10 + random.below(80); length > 0; --length) {
    const keyed_step_kind kind = choose_keyed_step(random);
    const std::uint64_t own = random.next();
    plan.operations.push_back({kind, own, random.below(plan.writers.size())});
  }
  return plan;
}

// A row with key number `which`, where what is no part of the key is whatever `random` says.
[[nodiscard]] inline plain_row make_keyed_row(const keyed_plan& plan, std::size_t which, random_source& random) {
  using namespace std::string_literals;
  static const std::string texts[] = {"", "a", "a\n", "ab", "a\0b"s, "a\0"s, "\"\\b", "caf\xc3\xa9", "b"};
  static const std::pair<std::string, std::int64_t> pairs[] = {
      {"", -1}, {"a", 0}, {"a", 1}, {"ab", -3}, {"a\0b"s, 2}, {"b", -2}, {"b", 0}, {"a\0"s, 7}, {"\xc3\xa9", 0}};
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t numbers[] = {-2, -1, 0, 1, 2, 300, lowest, std::numeric_limits<std::int64_t>::max(), -300};
  plain_row row(keyed_columns::count);
  row[keyed_columns::value] = static_cast<std::int64_t>(random.next() >> 16);
  row[keyed_columns::ordering] = random.chance(4) ? lowest : static_cast<std::int64_t>(random.below(5)) - 2;
  if (plan.key != key_kind::string && random.chance(60)) row[keyed_columns::text] = texts[random.below(9)];
  if (plan.key == key_kind::string) row[keyed_columns::text] = texts[which];
  if (plan.key == key_kind::integer) row[keyed_columns::number] = numbers[which];
  if (plan.key == key_kind::composite) {
    row[keyed_columns::text] = pairs[which].first;
    row[keyed_columns::number] = pairs[which].second;
  }
  return row;
}

[[nodiscard]] inline std::vector<plain_row> keys_of(const keyed_plan& plan) {
  std::vector<plain_row> keys;
  random_source ignored(0);
  for (std::size_t which = 0; which < plan.keys; ++which)
    keys.push_back(plan.table.key_of(make_keyed_row(plan, which, ignored)));
  return keys;
}

}  // namespace tarn_test
