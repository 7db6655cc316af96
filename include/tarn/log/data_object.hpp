// What the log says of objects of rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/uuid.hpp"
#include "bounds.hpp"

namespace tarn::inline TARN_ABI {

// An object of rows, as an add-action names it. The article's program states the name only; then `described` is false
// and the other members mean nothing.
struct data_object {
  uuid id;
  bool described = false;
  std::string codec;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;       // CRC-32C of all its bytes
  std::uint32_t schema_number = 0;  // which of the table's schemas its rows have; see table_state::schema_of
  object_bounds bounds = {};
  // All its bytes, where they travel in the log and may not be in the store; null: they are in the store, under its
  // name. Either way they are the same, so positions in the object, and what was deleted of it, stay what they are when
  // a checkpoint puts them there (log/inline_objects.hpp).
  shared<const std::string> inline_bytes = {};
};

// Keyed objects hold either rows, sorted by key, or operations on keys, sorted by key (merge/record.hpp).
enum class object_form : unsigned char { base, delta };

[[nodiscard]] constexpr std::string_view name_of(object_form form) noexcept {
  return form == object_form::base ? "base" : "delta";
}

// What an add-action says of the block of records in a keyed object.
struct block_header {
  std::uint32_t bucket = 0;
  object_form form = object_form::delta;
  uuid base;               // the instant: id of the object in which its records' positions count; nil: they have none
  version read_version;    // of the transaction that wrote it, or of the compaction's plan
  bool compacted = false;  // it holds the fold of all its bucket's objects up to `read_version`
};

// The place of an object among those of its bucket: by version, then by place in the entry. What a compaction makes
// comes right after all that it has folded.
struct object_order {
  version at;
  std::uint32_t index = 0;

  static constexpr std::uint32_t end = static_cast<std::uint32_t>(-1);
  friend constexpr auto operator<=>(const object_order&, const object_order&) = default;
};

}  // namespace tarn::inline TARN_ABI
