// How a keyed table would be read: which objects, and which of them by position. The answer comes from the snapshot's
// block headers; what a scan has really done is in its statistics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"

namespace tarn::inline TARN_ABI {

// How the records of an object find their places in the base of its bucket.
enum class placement : unsigned char {
  is_base,            // it is the base
  by_position,        // those that have positions: they were counted in this base
  without_base,       // by key: the bucket has no base
  without_positions,  // by key: its records carry none
  positions_unused,   // by key: its positions belong to another base, or the strategy uses none
};

[[nodiscard]] constexpr std::string_view name_of(placement placed) noexcept {
  constexpr const char* names[] = {"base", "by position", "by key, there is no base", "by key, it has no positions",
                                   "by key, its positions are not used"};
  return names[static_cast<unsigned char>(placed)];
}

// One object of a bucket, or what a transaction has written to it and not flushed (a nil `object`).
struct explained_run {
  std::uint32_t bucket = 0;
  uuid object;
  version at;  // of its place in the order: what it was committed in or, of a compaction, planned at; -1: not yet
  std::uint64_t records = 0;  // rows, if it is in base form
  placement placed = placement::is_base;
};

// Bucket after bucket, the runs of each in order.
using explanation = sequence<explained_run>;

// A line for each run.
template <class = void>
[[nodiscard]] std::string to_text(const explanation& runs) {
  std::string out;
  for (const explained_run& each : runs) {
    out += concat({"bucket ", each.bucket, ": ",
                   each.object.is_nil() ? std::string("unflushed writes") : to_text(each.object), ", ", each.records,
                   " records, "});
    if (each.at != version()) out += concat({"version ", each.at.number, ", "});
    out += concat({name_of(each.placed), "\n"});
  }
  return out;
}

}  // namespace tarn::inline TARN_ABI
