// What a log entry says. How it is written and read as JSON is in entry_writer.hpp and entry_reader.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/table_key.hpp"
#include "../core/uuid.hpp"
#include "application.hpp"
#include "table_map.hpp"

namespace tarn::inline TARN_ABI {

// The version of the entry format that this tarn writes, and the newest that it reads.
inline constexpr std::int64_t entry_format = 1;

// An object of rows, as an add-action names it. The article's program states the name only; then `described` is false
// and the other members mean nothing.
struct data_object {
  uuid id;
  bool described = false;
  std::string codec;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  // CRC-32C of all its bytes
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

// One change of one table. `add_block` adds a keyed object; `remove_object` takes one out that a compaction replaces.
enum class action_kind : unsigned char { create_table, add_object, drop_table, add_block, remove_object };

// What the log calls a transaction that makes such changes.
template <class = void>
[[nodiscard]] std::string_view operation_name(action_kind change) noexcept {
  constexpr const char* names[] = {"create table", "insert", "drop table", "write", "compact"};
  return names[static_cast<unsigned char>(change)];
}

struct action {
  action_kind kind;
  uuid table_id;            // create_table, drop_table
  schema columns;           // create_table
  data_object object;       // add_object, add_block; its id: remove_object
  table_key key = {};       // create_table
  block_header block = {};  // add_block; its bucket: remove_object
};

// One committed transaction.
struct entry {
  version at;
  bool of_article = false;  // written by the article's program: no member below but `actions` means anything
  uuid transaction;
  version read_version;
  std::uint32_t previous_checksum = 0;  // CRC-32C of the bytes of the entry before; 0 for the first
  timestamp time;
  std::string operation;
  application_sequence work;              // no application: not numbered
  sequence<std::string> needed_to_read;   // features, from here on
  sequence<std::string> needed_to_write;  // features, from here on
  table_map<sequence<action>> actions;    // of each table, in the order in which they apply
};

}  // namespace tarn::inline TARN_ABI
