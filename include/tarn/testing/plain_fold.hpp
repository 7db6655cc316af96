// What a keyed table is, by the definition alone: the fold, from nothing, of all operations on a key, in their order.
// Slow, and nothing of it is tarn's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "../core/config.hpp"
#include "plain_json.hpp"

namespace tarn::inline TARN_ABI::testing {

using plain_row = std::vector<plain_value>;

// --- the fold ----------------------------------------------------------------------------------------------------

struct keyed_layout {
  std::vector<std::size_t> key;         // places of its columns in the row
  std::optional<std::size_t> ordering;  // none: the latest write counts
  std::uint32_t buckets = 1;

  [[nodiscard]] plain_row key_of(const plain_row& row) const {
    plain_row parts;
    for (const std::size_t place : key) parts.push_back(row[place]);
    return parts;
  }
};

enum class keyed_change : unsigned char { upsert, erase, ordered_erase };

struct keyed_operation {
  keyed_change change;
  plain_row row;  // of an erase only key and, if it has one, ordering count
};

// What is known of a key of which something is: a row, or a tombstone, which has its key and ordering only.
struct keyed_value {
  bool live = false;
  plain_row row;

  friend bool operator==(const keyed_value&, const keyed_value&) = default;
};
using keyed_contents = std::map<plain_row, keyed_value>;

// True if two orderings were the same, so that it mattered which came later.
inline bool apply(keyed_contents& to, const keyed_layout& table, const keyed_operation& done) {
  const plain_row key = table.key_of(done.row);
  if (done.change == keyed_change::erase) return to.erase(key), false;
  keyed_value after{done.change == keyed_change::upsert, done.row};
  for (std::size_t place = 0; !after.live && place < after.row.size(); ++place)
    if (place != table.ordering && std::count(table.key.begin(), table.key.end(), place) == 0) after.row[place] = {};
  const auto before = to.find(key);
  const bool compared = before != to.end() && table.ordering;
  if (compared && done.row[*table.ordering] < before->second.row[*table.ordering]) return false;
  const bool tie = compared && done.row[*table.ordering] == before->second.row[*table.ordering];
  to[key] = std::move(after);
  return tie;
}

// --- buckets -----------------------------------------------------------------------------------------------------

// MurmurHash3_x86_32 of the bytes that Iceberg's bucket transform takes.
[[nodiscard]] inline std::uint32_t expected_bucket(const plain_row& key, std::uint32_t buckets) {
  const auto append_number = [](std::string& to, std::uint64_t number, int size) {
    for (int byte = 0; byte < size; ++byte) to.push_back(static_cast<char>(number >> 8 * byte));
  };
  std::string bytes;
  for (const plain_value& part : key) {
    std::string form;
    if (const auto* const number = std::get_if<std::int64_t>(&part); number != nullptr)
      append_number(form, static_cast<std::uint64_t>(*number), 8);
    else
      form = std::get<std::string>(part);
    if (key.size() > 1) append_number(bytes, form.size(), 4);
    bytes += form;
  }
  const auto word_at = [&](std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t byte = at; byte < bytes.size() && byte < at + 4; ++byte)
      word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[byte])) << 8 * (byte - at);
    word *= 0xcc9e2d51U;
    return (word << 15 | word >> 17) * 0x1b873593U;
  };
  std::uint32_t hash = 0;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    hash ^= word_at(at);
    hash = (hash << 13 | hash >> 19) * 5 + 0xe6546b64U;
  }
  if (at < bytes.size()) hash ^= word_at(at);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  hash ^= hash >> 16;
  return (hash & 0x7fffffffU) % buckets;
}

}  // namespace tarn::inline TARN_ABI::testing
