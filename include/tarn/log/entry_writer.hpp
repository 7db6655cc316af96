// Entries as JSON: the article's shape with tarn's fields added. FORMAT in the README shows one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../codec/json_writer.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "entry.hpp"

namespace tarn::inline TARN_ABI {

namespace entry_json {

// How an entry ends: eight hex digits between these, the checksum of all bytes before them.
inline constexpr std::string_view checksum_key = ",\"Checksum\":\"";
inline constexpr std::string_view checksum_end = "\"}";
inline constexpr std::size_t checksum_digits = 8;

template <class = void>
void append_strings(std::string& out, const sequence<std::string>& strings) {
  out += '[';
  for (const std::string& each : strings) {
    if (&each != &strings.front()) out += ',';
    append_json_string(out, each);
  }
  out += ']';
}

// One value for each column, as a JSON list; `append_one` appends the value of a column.
template <class AppendOne>
void append_for_each_column(std::string& out, std::string_view key, const schema& columns, AppendOne append_one) {
  out += key;
  out += '[';
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (at > 0) out += ',';
    append_one(columns[at]);
  }
  out += ']';
}

// Columns are named by their ids.
template <class = void>
void append_key(std::string& out, const schema& columns, const table_key& key) {
  append_text(out, R"(,"Key":[)");
  for (const std::uint32_t& place : key.columns) {
    if (&place != &key.columns.front()) out += ',';
    append_text(out, columns[place].id.number);
  }
  out += concat({R"(],"Buckets":)", key.buckets, R"(,"Fold":")", key.ordered() ? "by_ordering" : "latest", "\""});
  if (key.ordered()) out += concat({R"(,"Ordering":)", columns[key.ordering].id.number});
}

template <class = void>
void append_create_table(std::string& out, std::string_view table, const action& made) {
  out += concat(
      {made.key.empty() ? R"({"AddDataobject":null,"ChangeMetadata":{"Table":")" : R"({"CreateKeyedTable":{"Table":")",
       table, "\""});
  append_for_each_column(out, R"(,"Columns":)", made.columns,
                         [&](const column& c) { append_json_string(out, c.name); });
  out += concat({R"(,"TableId":")", to_text(made.table_id), "\""});
  append_for_each_column(out, R"(,"ColumnIds":)", made.columns,
                         [&](const column& c) { append_text(out, c.id.number); });
  append_for_each_column(out, R"(,"Types":)", made.columns,
                         [&](const column& c) { append_json_string(out, name_of(c.type)); });
  append_for_each_column(out, R"(,"Nullable":)", made.columns,
                         [&](const column& c) { append_text(out, c.nullable ? "true" : "false"); });
  if (!made.key.empty()) append_key(out, made.columns, made.key);
  append_text(out, "}}");
}

// `kind` and the members that add-actions of both kinds have; the braces stay open.
template <class = void>
void append_object(std::string& out, std::string_view kind, std::string_view table, const data_object& object) {
  out += concat({R"({")", kind, R"(":{"Name":")", to_text(object.id), R"(","Table":")", table, R"(","Codec":")",
                 object.codec, R"(","Rows":)", object.rows, R"(,"Bytes":)", object.bytes, R"(,"Crc32c":")",
                 hex(object.checksum), "\""});
}

template <class = void>
void append_add_object(std::string& out, std::string_view table, const data_object& object) {
  append_object(out, "AddDataobject", table, object);
  append_text(out, R"(},"ChangeMetadata":null})");
}

// The article's program must not take operations on keys for rows: an action of this name stops it.
template <class = void>
void append_add_block(std::string& out, std::string_view table, const action& added) {
  const block_header& block = added.block;
  append_object(out, "AddKeyedObject", table, added.object);
  out += concat({R"(,"Bucket":)", block.bucket, R"(,"Form":")", name_of(block.form), R"(","ReadVersion":)",
                 block.read_version.number});
  if (!block.base.is_nil()) out += concat({R"(,"Base":")", to_text(block.base), "\""});
  if (block.compacted) append_text(out, R"(,"Compacted":true)");
  append_text(out, "}}");
}

template <class = void>
void append_remove_object(std::string& out, const action& removed) {
  out += concat(
      {R"({"RemoveKeyedObject":{"Name":")", to_text(removed.object.id), R"(","Bucket":)", removed.block.bucket, "}}"});
}

// The article's program must not take a table that was dropped for one that exists: an action of this name stops it.
template <class = void>
void append_drop_table(std::string& out, const action& dropped) {
  out += concat(
      {R"({"AddDataobject":null,"ChangeMetadata":null,"DropTable":{"TableId":")", to_text(dropped.table_id), R"("}})"});
}

template <class = void>
void append_action(std::string& out, std::string_view table, const action& change) {
  switch (change.kind) {
    case action_kind::create_table: return append_create_table(out, table, change);
    case action_kind::add_object: return append_add_object(out, table, change.object);
    case action_kind::drop_table: return append_drop_table(out, change);
    case action_kind::add_block: return append_add_block(out, table, change);
    case action_kind::remove_object: return append_remove_object(out, change);
  }
}

template <class = void>
void append_actions(std::string& out, const entry& content) {
  out += '{';
  const std::size_t start = out.size();
  for (const auto& [table, actions] : content.actions) {
    if (out.size() > start) out += ',';
    append_json_string(out, table);
    append_text(out, ":[");
    for (const action& each : actions) {
      if (&each != &actions.front()) out += ',';
      append_action(out, table, each);
    }
    out += ']';
  }
  out += '}';
}

}  // namespace entry_json

// The bytes of an entry; equal entries have equal bytes.
template <class = void>
[[nodiscard]] std::string write_entry(const entry& content) {
  std::string out = concat({R"({"Id":)", content.at.number, R"(,"Actions":)"});
  entry_json::append_actions(out, content);
  out += concat({R"(,"Format":)", entry_format, R"(,"Transaction":")", to_text(content.transaction),
                 R"(","ReadVersion":)", content.read_version.number, R"(,"PreviousCrc32c":")",
                 hex(content.previous_checksum), R"(","TimestampMs":)", content.time.ms, R"(,"Operation":)"});
  append_json_string(out, content.operation);
  if (!content.work.application.empty()) {
    append_text(out, R"(,"Application":)");
    append_json_string(out, content.work.application);
    out += concat({R"(,"Sequence":)", content.work.sequence});
  }
  append_text(out, R"(,"NeededToRead":)");
  entry_json::append_strings(out, content.needed_to_read);
  append_text(out, R"(,"NeededToWrite":)");
  entry_json::append_strings(out, content.needed_to_write);
  out += entry_json::checksum_key;
  const std::string checksum = hex(crc32c(out));
  out += checksum;
  out += entry_json::checksum_end;
  return out;
}

}  // namespace tarn::inline TARN_ABI
