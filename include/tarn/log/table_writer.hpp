// What a log says of tables, their objects and versions, as JSON: the parts that entries and checkpoints share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../codec/json_writer.hpp"
#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/table_key.hpp"
#include "../core/text.hpp"
#include "bounds.hpp"
#include "data_object.hpp"
#include "retention.hpp"
#include "row_set.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

namespace table_json {

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

// The article's member.
template <class = void>
void append_column_names(std::string& out, const schema& columns) {
  append_for_each_column(out, R"("Columns":)", columns, [&](const column& c) { append_json_string(out, c.name); });
}

// And those that tarn adds.
template <class = void>
void append_column_properties(std::string& out, const schema& columns) {
  append_for_each_column(out, R"(,"ColumnIds":)", columns, [&](const column& c) { append_text(out, c.id.number); });
  append_for_each_column(out, R"(,"Types":)", columns,
                         [&](const column& c) { append_json_string(out, name_of(c.type)); });
  append_for_each_column(out, R"(,"Nullable":)", columns,
                         [&](const column& c) { append_text(out, c.nullable ? "true" : "false"); });
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
void append_bounds(std::string& out, const array_view<column_bounds>& bounds) {
  append_text(out, R"(,"Bounds":[)");
  for (const column_bounds& each : bounds) {
    if (&each != bounds.begin()) out += ',';
    out += concat({R"({"Column":)", each.column.number, R"(,"Nulls":)", each.nulls});
    if (each.bounded) {
      append_text(out, R"(,"Min":)");
      append_json(out, each.min, json_escapes::tarn);
      append_text(out, R"(,"Max":)");
      append_json(out, each.max, json_escapes::tarn);
    }
    out += '}';
  }
  out += ']';
}

// What is said of an object after its name.
template <class = void>
void append_description(std::string& out, const data_object& object) {
  if (!object.described) return;
  out += concat({R"(,"Codec":")", object.codec, R"(","Rows":)", object.rows, R"(,"Bytes":)", object.bytes,
                 R"(,"Crc32c":")", hex(object.checksum), "\""});
  if (object.schema_number > 0) out += concat({R"(,"Schema":)", object.schema_number});
  if (object.bounds) append_bounds(out, *object.bounds);
}

template <class = void>
void append_block(std::string& out, const block_header& block) {
  out += concat({R"(,"Bucket":)", block.bucket, R"(,"Form":")", name_of(block.form), R"(","ReadVersion":)",
                 block.read_version.number});
  if (!block.base.is_nil()) out += concat({R"(,"Base":")", to_text(block.base), "\""});
  if (block.compacted) append_text(out, R"(,"Compacted":true)");
}

template <class = void>
void append_bag_objects(std::string& out, const object_list& objects) {
  append_text(out, R"(,"Objects":[)");
  for (std::size_t at = 0; at < objects.size(); ++at) {
    const bag_object& each = objects[at];
    out += concat({at > 0 ? "," : "", R"({"Name":")", to_text(each.object.id), "\""});
    append_description(out, each.object);
    if (!each.deleted->empty()) out += concat({R"(,"DeletedRows":")", to_text(*each.deleted), "\""});
    out += '}';
  }
  out += ']';
}

template <class = void>
void append_buckets(std::string& out, const sequence<copy_on_write<bucket_state>>& buckets) {
  append_text(out, R"(,"Since":[)");
  for (const copy_on_write<bucket_state>& each : buckets)
    out += concat({&each == buckets.begin() ? "" : ",", each->since.number});
  append_text(out, R"(],"KeyedObjects":[)");
  const char* separator = "";
  for (const copy_on_write<bucket_state>& bucket : buckets)
    for (const keyed_object& each : bucket->objects) {
      out += concat({separator, R"({"Name":")", to_text(each.object.id), "\""});
      append_description(out, each.object);
      append_block(out, each.block);
      out += concat({R"(,"OrderVersion":)", each.order.at.number, R"(,"OrderIndex":)", each.order.index, "}"});
      separator = ",";
    }
  out += ']';
}

template <class = void>
void append_tags(std::string& out, const sequence<version_tag>& tags) {
  append_text(out, R"(,"Tags":[)");
  for (const version_tag& each : tags) {
    append_text(out, &each == tags.begin() ? R"({"Tag":)" : R"(,{"Tag":)");
    append_json_string(out, each.name);
    out += concat({R"(,"Version":)", each.at.number, "}"});
  }
  out += ']';
}

template <class = void>
void append_retention(std::string& out, const retention& kept) {
  out += concat({R"(,"HorizonMs":)", kept.horizon.ms, R"(,"OldestVersion":)", kept.oldest.number});
}

}  // namespace table_json

// All of a table, as an object of JSON.
template <class = void>
void append_table_state(std::string& out, const table_state& table) {
  out += concat({R"({"Table":")", table.name, R"(","TableId":")", to_text(table.id), R"(","LastColumnId":)",
                 table.last_column.number, R"(,"Schemas":[)"});
  for (std::uint32_t number = 0; number <= table.schema_number(); ++number) {
    append_text(out, number == 0 ? "{" : ",{");
    table_json::append_column_names(out, table.schema_of(number));
    table_json::append_column_properties(out, table.schema_of(number));
    out += '}';
  }
  out += ']';
  if (table.key.empty()) {
    table_json::append_bag_objects(out, table.objects);
  } else {
    table_json::append_key(out, table.columns, table.key);
    table_json::append_buckets(out, table.buckets);
  }
  out += '}';
}

}  // namespace tarn::inline TARN_ABI
