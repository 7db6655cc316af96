// The transactions of a history by version: who has made it, and who has read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_set>
#include <vector>

#include "../core/config.hpp"
#include "history.hpp"

namespace tarn::inline TARN_ABI::testing {

struct version_index {
  static constexpr std::uint32_t nobody = UINT32_MAX;

  std::vector<std::uint32_t> owners;       // of each version; `nobody`: it is not known
  std::vector<std::uint32_t> first_of;     // of each version from -1 on: its first place in
  std::vector<std::uint32_t> by_snapshot;  // the transactions, by snapshot
  std::unordered_set<std::uint64_t> idle;  // places of operations that have written a key and changed nothing
  std::multimap<std::int64_t, std::uint32_t> restored;  // the tables that a version has restored

  [[nodiscard]] std::uint32_t owner_of(std::int64_t at) const {
    return at >= 0 && static_cast<std::size_t>(at) < owners.size() ? owners[static_cast<std::size_t>(at)] : nobody;
  }
  // Whose snapshot is this version, which is there, or -1, the empty lake.
  [[nodiscard]] std::span<const std::uint32_t> readers_of(std::int64_t at) const {
    const auto place = static_cast<std::size_t>(at + 1);
    return std::span(by_snapshot).subspan(first_of[place], first_of[place + 1] - first_of[place]);
  }

  // Those that `is_there(place in the history)`.
  template <class IsThere>
  void order_by_snapshot(const history& all, IsThere is_there) {
    const auto place_of = [&](std::uint32_t number) {
      return static_cast<std::size_t>(all.transactions[number].snapshot.number + 1);
    };
    first_of.assign(all.log.size() + 2, 0);
    for (std::uint32_t each = 0; each < all.transactions.size(); ++each)
      if (is_there(each)) ++first_of[place_of(each) + 1];
    for (std::size_t at = 1; at < first_of.size(); ++at) first_of[at] += first_of[at - 1];
    by_snapshot.resize(first_of.back());
    std::vector<std::uint32_t> next(first_of.begin(), first_of.end() - 1);
    for (std::uint32_t each = 0; each < all.transactions.size(); ++each)
      if (is_there(each)) by_snapshot[next[place_of(each)]++] = each;
  }
};

}  // namespace tarn::inline TARN_ABI::testing
