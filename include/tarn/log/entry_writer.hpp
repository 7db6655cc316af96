// Entries as JSON: the article's shape with tarn's fields added. FORMAT in the README shows one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../codec/json_writer.hpp"
#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "entry.hpp"
#include "sealed_json.hpp"
#include "table_writer.hpp"

namespace tarn::inline TARN_ABI {

namespace entry_json {

template <class = void>
void append_create_table(std::string& out, std::string_view table, const action& made) {
  out += concat(
      {made.key.empty() ? R"({"AddDataobject":null,"ChangeMetadata":{"Table":")" : R"({"CreateKeyedTable":{"Table":")",
       table, "\","});
  table_json::append_column_names(out, made.columns);
  out += concat({R"(,"TableId":")", to_text(made.table_id), "\""});
  table_json::append_column_properties(out, made.columns);
  if (!made.key.empty()) table_json::append_key(out, made.columns, made.key);
  append_text(out, "}}");
}

// The article's program would go on with the old columns: an action of this name stops it.
template <class = void>
void append_alter_table(std::string& out, const action& made) {
  out += concat({R"({"AlterTable":{"TableId":")", to_text(made.table_id), "\","});
  table_json::append_column_names(out, made.columns);
  table_json::append_column_properties(out, made.columns);
  append_text(out, "}}");
}

// `kind` and the members that add-actions of all kinds have, the object's only if there is one; the braces stay open.
template <class = void>
void append_object(std::string& out, std::string_view kind, std::string_view table, const data_object& object) {
  out += concat({R"({")", kind, R"(":{)"});
  if (!object.id.is_nil()) out += concat({R"("Name":")", to_text(object.id), R"(",)"});
  out += concat({R"("Table":")", table, "\""});
  table_json::append_description(out, object);
}

// A string where the codec's bytes are text, as those of JSON.
template <class = void>
void append_inline_bytes(std::string& out, const data_object& object) {
  if (!object.inline_bytes) return;
  const std::string_view all = *object.inline_bytes;
  append_text(out, R"(,"Inline":)");
  append_json(out, find_invalid_utf8(all) == all.size() ? value_view(all) : value_view(bytes{all}), json_escapes::tarn);
}

// The article's program would look for an object that travels in the entry: an action of this name stops it.
template <class = void>
void append_add_object(std::string& out, std::string_view table, const data_object& object) {
  append_object(out, object.inline_bytes ? "AddInlineObject" : "AddDataobject", table, object);
  append_inline_bytes(out, object);
  append_text(out, object.inline_bytes ? "}}" : R"(},"ChangeMetadata":null})");
}

// The article's program must not take operations on keys for rows: an action of this name stops it.
template <class = void>
void append_add_block(std::string& out, std::string_view table, const action& added) {
  append_object(out, added.object.inline_bytes ? "AddInlineKeyedObject" : "AddKeyedObject", table, added.object);
  table_json::append_block(out, added.block);
  append_inline_bytes(out, added.object);
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

// Rows that are there for the article's program no more, and rows twice: actions of these names stop it.
template <class = void>
void append_delete_rows(std::string& out, const action& deletion) {
  out += concat(
      {R"({"DeleteRows":{"Name":")", to_text(deletion.object.id), R"(","Rows":")", to_text(deletion.rows), "\""});
  if (!deletion.replacements.empty()) append_text(out, R"(,"Updates":[)");
  for (const row_replacement& each : deletion.replacements)
    out += concat({&each == deletion.replacements.begin() ? "" : ",", R"({"First":)", each.deleted.first, R"(,"Last":)",
                   each.deleted.last, R"(,"Name":")", to_text(each.object), R"(","Row":)", each.first, "}"});
  append_text(out, deletion.replacements.empty() ? "}}" : "]}}");
}

template <class = void>
void append_replace_objects(std::string& out, std::string_view table, const action& replacement) {
  append_object(out, "ReplaceDataobjects", table, replacement.object);
  append_text(out, R"(,"Replaced":[)");
  for (const uuid& each : replacement.replaced)
    out += concat({&each == replacement.replaced.begin() ? "\"" : ",\"", to_text(each), "\""});
  append_text(out, "]}}");
}

template <class = void>
void append_restore_table(std::string& out, const table_state& state) {
  append_text(out, R"({"RestoreTable":)");
  append_table_state(out, state);
  out += '}';
}

template <class = void>
void append_action(std::string& out, std::string_view table, const action& change) {
  switch (change.kind) {
    case action_kind::create_table: return append_create_table(out, table, change);
    case action_kind::add_object: return append_add_object(out, table, change.object);
    case action_kind::drop_table: return append_drop_table(out, change);
    case action_kind::add_block: return append_add_block(out, table, change);
    case action_kind::remove_object: return append_remove_object(out, change);
    case action_kind::alter_table: return append_alter_table(out, change);
    case action_kind::delete_rows: return append_delete_rows(out, change);
    case action_kind::replace_objects: return append_replace_objects(out, table, change);
    case action_kind::restore_table: return append_restore_table(out, *change.restored);
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
  if (!content.tags.empty()) table_json::append_tags(out, content.tags);
  if (content.vacuums) table_json::append_retention(out, content.kept);
  if (content.inline_bytes_max != entry::unstated) out += concat({R"(,"InlineBytesMax":)", content.inline_bytes_max});
  append_text(out, R"(,"NeededToRead":)");
  table_json::append_strings(out, content.needed_to_read);
  append_text(out, R"(,"NeededToWrite":)");
  table_json::append_strings(out, content.needed_to_write);
  append_seal(out);
  return out;
}

}  // namespace tarn::inline TARN_ABI
