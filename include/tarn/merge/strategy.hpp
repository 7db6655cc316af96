// Merge strategies: for which blocks positions in the base may be used, and whether writers record any. They differ in
// speed only: what a record's value is, is the fold's business.
//
// Positions that were counted in a base that has been replaced meanwhile point at wrong rows. That a block's positions
// are those of this slice's base is known either because the block says so (by_position), or because no other base has
// become current since the writer's snapshot (derived).
#pragma once

#include <concepts>

#include "../core/config.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"

namespace tarn::inline TARN_ABI {

// `positions_hold(block, base, since)`: whether the positions of `block` are rows of the object `base`, which has been
// the bucket's base since version `since`. A block without positions is never asked about.
template <class M>
concept merge_strategy = requires(const block_header& block, const uuid& base, version since) {
  { M::records_positions } -> std::convertible_to<bool>;
  { M::positions_hold(block, base, since) } -> std::same_as<bool>;
};

namespace merge {

struct by_key {
  static constexpr bool records_positions = false;
  [[nodiscard]] static bool positions_hold(const block_header&, const uuid&, version) noexcept { return false; }
};

struct by_position {
  static constexpr bool records_positions = true;
  [[nodiscard]] static bool positions_hold(const block_header& block, const uuid& base, version) noexcept {
    return block.base == base;
  }
};

struct derived {
  static constexpr bool records_positions = true;
  [[nodiscard]] static bool positions_hold(const block_header& block, const uuid&, version since) noexcept {
    return block.read_version >= since;
  }
};

}  // namespace merge

}  // namespace tarn::inline TARN_ABI
