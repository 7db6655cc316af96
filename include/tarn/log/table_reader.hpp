// What a log says of tables, their objects and versions, from JSON: see table_writer.hpp. Each function complains to
// the `json_fields` that it reads from, and returns something harmless then.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/table_key.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "bounds.hpp"
#include "data_object.hpp"
#include "json_fields.hpp"
#include "names.hpp"
#include "retention.hpp"
#include "row_set.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

namespace table_json {

template <class = void>
[[nodiscard]] std::uint32_t read_number32(json_fields<>& fields, std::string_view key, std::int64_t at_least) {
  const std::int64_t number = fields.integer(key, at_least);
  if (number <= UINT32_MAX) return static_cast<std::uint32_t>(number);
  fields.complain(concat({"has ", number, " as \"", key, "\", which is too large"}));
  return 0;
}

template <class = void>
[[nodiscard]] std::uint32_t place_of_column(const schema& columns, value_view id) noexcept {
  if (id.kind() == kind::integer)
    for (std::size_t at = 0; at < columns.size(); ++at)
      if (columns[at].id.number == id.as_integer()) return static_cast<std::uint32_t>(at);
  return table_key::none;
}

template <class = void>
void check_key_column(json_fields<>& fields, const column& part, bool may_be_boolean) {
  if (!is_key_type(part.type, may_be_boolean) || part.nullable)
    fields.complain(concat({"has a key or ordering column '", part.name, "' of a type that cannot be one"}));
}

template <class = void>
[[nodiscard]] table_key read_key(json_fields<>& fields, const schema& columns) {
  table_key key;
  for (const value_view id : fields.list("Key")) {
    const std::uint32_t place = place_of_column(columns, id);
    if (place == table_key::none) fields.complain("has a key column that it does not have");
    key.columns.push_back(place);
  }
  if (key.columns.empty()) fields.complain("has no key columns");
  key.buckets = read_number32(fields, "Buckets", 1);
  if (key.buckets > bucket_count_max) fields.complain(concat({"has ", key.buckets, " buckets"}));
  for (std::size_t at = 0; fields.state() && at < key.columns.size(); ++at) {
    check_key_column(fields, columns[key.columns[at]], true);
    for (std::size_t before = 0; before < at; ++before)
      if (key.columns[before] == key.columns[at]) fields.complain("has a key column twice");
  }
  const std::string_view fold = fields.string("Fold");
  if (fold == "by_ordering") {
    key.ordering = place_of_column(columns, fields.get("Ordering", kind::integer));
    if (!key.ordered())
      fields.complain("has an ordering column that it does not have");
    else
      check_key_column(fields, columns[key.ordering], false);
  } else if (fold != "latest") {
    fields.complain(concat({"has the fold '", fold, "', which this tarn does not know: use a newer tarn"}),
                    errc::unsupported);
  }
  return key;
}

template <class = void>
void read_column_properties(json_fields<>& fields, sequence<column>& columns) {
  const list_view ids = fields.list("ColumnIds");
  const sequence<std::string> types = fields.strings("Types");
  const list_view nullable = fields.list("Nullable");
  if (ids.size() != columns.size() || types.size() != columns.size() || nullable.size() != columns.size())
    return fields.complain("does not state id, type and nullability of each column");
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const bool numbered =
        ids[at].kind() == kind::integer && ids[at].as_integer() > 0 && ids[at].as_integer() <= UINT32_MAX;
    if (!numbered || nullable[at].kind() != kind::boolean)
      return fields.complain("has a column id or nullability of the wrong kind");
    columns[at].id = {static_cast<std::uint32_t>(ids[at].as_integer())};
    columns[at].nullable = nullable[at].as_boolean();
    if (!parse_column_type(types[at], columns[at].type))
      return fields.complain(
          concat({"has a column of type '", types[at], "', which this tarn does not know: use a newer tarn"}),
          errc::unsupported);
  }
}

template <class = void>
[[nodiscard]] schema read_columns(json_fields<>& fields) {
  sequence<column> columns;
  for (const std::string& name : fields.strings("Columns")) columns.emplace_back(name);
  read_column_properties(fields, columns);
  if (columns.empty()) fields.complain("has no columns");
  return schema(std::move(columns));
}

template <class = void>
[[nodiscard]] column_bounds read_column_bounds(value_view object, json_fields<>& outer) {
  json_fields<> fields(object, "the bounds of a column");
  column_bounds read;
  read.column = {read_number32(fields, "Column", 1)};
  read.nulls = static_cast<std::uint64_t>(fields.integer("Nulls", 0));
  read.bounded = fields.has("Min");
  if (read.bounded) {
    read.min = fields.get("Min");
    read.max = fields.get("Max");
  }
  if (!fields.state()) outer.complain(concat({"has wrong bounds: ", fields.state().error().message()}));
  return read;
}

template <class = void>
void read_description(json_fields<>& fields, data_object& object) {
  object.described = true;
  object.codec = fields.string("Codec");
  object.rows = static_cast<std::uint64_t>(fields.integer("Rows", 0));
  object.bytes = static_cast<std::uint64_t>(fields.integer("Bytes", 0));
  object.checksum = fields.checksum("Crc32c");
  if (fields.has("Schema")) object.schema_number = read_number32(fields, "Schema", 0);
  if (!fields.has("Bounds")) return;
  sequence<column_bounds> bounds;
  for (const value_view each : fields.list("Bounds")) bounds.push_back(read_column_bounds(each, fields));
  object.bounds = object_bounds(array_view<column_bounds>(bounds.data(), bounds.size()));
}

// The name of an object that is there: a nil one would be written as none.
template <class = void>
[[nodiscard]] uuid read_object_id(json_fields<>& fields) {
  const uuid id = fields.id("Name");
  if (fields.state() && id.is_nil()) fields.complain("has an object whose \"Name\" is nil");
  return id;
}

template <class = void>
[[nodiscard]] block_header read_block(json_fields<>& fields) {
  block_header block;
  block.bucket = read_number32(fields, "Bucket", 0);
  const std::string_view form = fields.string("Form");
  block.form = form == name_of(object_form::base) ? object_form::base : object_form::delta;
  if (form != name_of(block.form)) fields.complain(concat({"has the form '", form, "'"}));
  block.read_version = {fields.integer("ReadVersion", -1)};
  if (fields.has("Base")) block.base = fields.id("Base");
  if (fields.has("Compacted")) {
    const value_view compacted = fields.get("Compacted", kind::boolean);
    block.compacted = !compacted.is_null() && compacted.as_boolean();
  }
  if (block.compacted && block.form != object_form::base) fields.complain("is compacted, but no base");
  return block;
}

template <class = void>
[[nodiscard]] row_set read_rows(json_fields<>& fields, std::string_view key) {
  row_set rows;
  const std::string_view text = fields.string(key);
  if (!parse_row_set(text, rows) || rows.empty())
    fields.complain(concat({"has '", text.substr(0, 64), "' as \"", key, "\", which must be rows, as in 0,3-7"}));
  return rows;
}

// The ids in a list of them.
template <class = void>
[[nodiscard]] sequence<uuid> read_ids(json_fields<>& fields, std::string_view key) {
  sequence<uuid> ids;
  for (const std::string& each : fields.strings(key)) {
    uuid id;
    if (!parse_uuid(each, id)) fields.complain(concat({"has '", each, "' in \"", key, "\", which lists UUIDs"}));
    ids.push_back(id);
  }
  return ids;
}

// What the state says of an object beside its description.
template <class = void>
void read_rest(json_fields<>& fields, bag_object& read) {
  if (fields.has("DeletedRows")) read.deleted = copy_on_write<row_set>(read_rows(fields, "DeletedRows"));
}
template <class = void>
void read_rest(json_fields<>& fields, keyed_object& read) {
  read.block = read_block(fields);
  read.order = {{fields.integer("OrderVersion", 0)}, read_number32(fields, "OrderIndex", 0)};
}

// A bag's or a keyed one. The article's, of which the name is all that is known, are in bags.
template <class Object>
[[nodiscard]] Object read_object(value_view object, json_fields<>& outer) {
  constexpr bool may_be_articles = std::is_same_v<Object, bag_object>;
  json_fields<> fields(object, "an object");
  Object read;
  read.object.id = read_object_id(fields);
  if (!may_be_articles || fields.has("Codec")) read_description(fields, read.object);
  read_rest(fields, read);
  if (!fields.state()) outer.complain(concat({"has a wrong object: ", fields.state().error().message()}));
  return read;
}

// `objects` are those that have been read already.
template <class = void>
void read_buckets(json_fields<>& fields, table_state& table, sequence<keyed_object> objects) {
  const list_view since = fields.list("Since");
  if (since.size() != table.key.buckets) return fields.complain("does not state \"Since\" of each bucket");
  sequence<bucket_state> buckets;
  for (const value_view each : since) {
    bucket_state& bucket = buckets.emplace_back();
    if (each.kind() == kind::integer) bucket.since = {each.as_integer()};
    if (each.kind() != kind::integer) fields.complain("has a \"Since\" that is no version");
  }
  for (const value_view each : fields.list("KeyedObjects")) objects.push_back(read_object<keyed_object>(each, fields));
  for (keyed_object& read : objects) {
    if (read.block.bucket >= buckets.size() || read.object.schema_number > table.schema_number())
      return fields.complain("has an object of a bucket or with columns that it does not have");
    sequence<keyed_object>& others = buckets[read.block.bucket].objects;
    if (!others.empty() && others.back().order >= read.order) fields.complain("has objects out of order");
    others.push_back(std::move(read));
  }
  for (bucket_state& each : buckets) table.buckets.emplace_back(std::move(each));
}

template <class = void>
void read_schemas(json_fields<>& fields, table_state& table) {
  sequence<schema> all;
  for (const value_view each : fields.list("Schemas")) {
    json_fields<> columns(each, "a schema");
    all.push_back(read_columns(columns));
    if (!columns.state()) return fields.complain(columns.state().error().message(), columns.state().error().code());
  }
  if (all.empty()) return fields.complain("has no schemas");
  table.columns = std::move(all.back());
  all.pop_back();
  for (schema& each : all) table.earlier_schemas.emplace_back(std::move(each));
}

template <class = void>
[[nodiscard]] sequence<version_tag> read_tags(json_fields<>& fields) {
  sequence<version_tag> tags;
  for (const value_view each : fields.list("Tags")) {
    json_fields tag(each, "a tag");
    tags.push_back({std::string(tag.string("Tag")), {tag.integer("Version", -1)}});
    if (const status good = check_tag_name(tags.back().name); !good) tag.complain(good.error().message());
    if (!tag.state()) fields.complain(tag.state().error().message());
  }
  return tags;
}

template <class = void>
[[nodiscard]] retention read_retention(json_fields<>& fields) {
  return {{fields.integer("HorizonMs", INT64_MIN)}, {fields.integer("OldestVersion", 0)}};
}

}  // namespace table_json

// The objects of a table that were read one by one, from lists that are empty for who reads the rest
// (listed_objects.hpp).
struct listed_objects {
  object_list of_bag;
  sequence<keyed_object> of_buckets;
  status of_bag_read;
  status of_buckets_read;
};

// What `append_table_state` has written. `fields` are those of the table's object.
template <class = void>
[[nodiscard]] table_state read_table_state(json_fields<>& fields, listed_objects listed = listed_objects{}) {
  table_state table;
  table.name = fields.string("Table");
  table.id = fields.id("TableId");
  table.last_column = {table_json::read_number32(fields, "LastColumnId", 1)};
  table_json::read_schemas(fields, table);
  if (const status named = check_table_name(table.name); !named) fields.complain(named.error().message());
  const bool keyed = fields.has("Key");
  if (keyed) table.key = table_json::read_key(fields, table.columns);
  fields.complain_as(keyed ? listed.of_buckets_read : listed.of_bag_read);
  if (keyed) {
    if (fields.state()) table_json::read_buckets(fields, table, std::move(listed.of_buckets));
    return table;
  }
  table.objects = std::move(listed.of_bag);
  for (const value_view each : fields.list("Objects"))
    table.objects.push_back(table_json::read_object<bag_object>(each, fields));
  for (std::size_t at = 0; at < table.objects.size(); ++at)
    if (table.objects[at].object.schema_number > table.schema_number())
      fields.complain("has an object with columns that it does not have");
  return table;
}

}  // namespace tarn::inline TARN_ABI
