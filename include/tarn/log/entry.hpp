// What a log entry says. How it is written and read as JSON is in entry_writer.hpp and entry_reader.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/table_key.hpp"
#include "../core/uuid.hpp"
#include "application.hpp"
#include "data_object.hpp"
#include "retention.hpp"
#include "row_set.hpp"
#include "table_map.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

// The version of the entry format that this tarn writes, and the newest that it reads.
inline constexpr std::int64_t entry_format = 1;

// One change of one table.
enum class action_kind : unsigned char {
  create_table,
  add_object,  // to a bag
  drop_table,
  add_block,        // a keyed object
  remove_object,    // a keyed one, which a compaction replaces
  alter_table,      // other columns from here on
  delete_rows,      // of one object of a bag
  replace_objects,  // of a bag, neighbours, by one with the rows that are left of them, or by none: a compaction
  restore_table,    // to the state that it had in an older version
};

// What the log calls a transaction that makes such changes.
template <class = void>
[[nodiscard]] std::string_view operation_name(action_kind change) noexcept {
  constexpr const char* names[] = {"create table", "insert", "drop table", "write",  "compact",
                                   "alter table",  "delete", "compact",    "restore"};
  return names[static_cast<unsigned char>(change)];
}

// Deleted rows that others took the place of, one for one: an update.
struct row_replacement {
  row_range deleted;
  uuid object;              // of the new rows
  std::uint64_t first = 0;  // the first of them in it
};

struct action {
  action_kind kind;
  uuid table_id;            // create_table, drop_table, alter_table
  schema columns;           // create_table, alter_table
  data_object object;       // add_object, add_block, replace_objects (nil: none); only its id: remove_object,
                            // delete_rows
  table_key key = {};       // create_table
  block_header block = {};  // add_block; its bucket: remove_object
  row_set rows = {};        // delete_rows
  sequence<row_replacement> replacements = {};  // delete_rows: which of them were updated
  sequence<uuid> replaced = {};                 // replace_objects: in order
  shared<const table_state> restored = {};      // restore_table
};

// Whether the change names an object that was not in the lake before.
template <class = void>
[[nodiscard]] bool adds_object(const action& change) noexcept {
  return change.kind == action_kind::add_object || change.kind == action_kind::add_block ||
         (change.kind == action_kind::replace_objects && !change.object.id.is_nil());
}

// One committed transaction.
struct entry {
  static constexpr std::int64_t unstated = -1;

  version at;
  bool of_article = false;  // written by the article's program: no member below but `actions` means anything
  uuid transaction;
  version read_version;
  std::uint32_t previous_checksum = 0;  // CRC-32C of the bytes of the entry before; 0 for the first
  timestamp time;
  std::string operation;
  application_sequence work;                 // no application: not numbered
  std::int64_t inline_bytes_max = unstated;  // from here on; see snapshot::inline_bytes_max
  sequence<std::string> needed_to_read;      // features, from here on
  sequence<std::string> needed_to_write;     // features, from here on
  sequence<version_tag> tags;
  bool vacuums = false;  // else `kept` means nothing
  retention kept;
  table_map<sequence<action>> actions;  // of each table, in the order in which they apply
};

}  // namespace tarn::inline TARN_ABI
