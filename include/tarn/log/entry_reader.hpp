// Entries from JSON, and the decision whose they are.
//
// An entry is tarn's if its last bytes are the checksum of all before them. Without that it can only be the article's,
// which has no checksum, and it is taken for one only if it has exactly the article's keys at every level: whatever
// happens to the bytes of one of tarn's entries, some key of tarn's remains, and makes the missing checksum an error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/json_parser.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "entry.hpp"
#include "entry_writer.hpp"
#include "json_fields.hpp"
#include "names.hpp"
#include "sealed_json.hpp"
#include "table_reader.hpp"

namespace tarn::inline TARN_ABI {

namespace entry_json {

// Whether `object` is a JSON object with these members and no others.
template <class = void>
[[nodiscard]] bool has_exactly(value_view object, std::initializer_list<std::string_view> keys) {
  if (object.kind() != kind::map || object.as_map().size() != keys.size()) return false;
  for (const member_view each : object.as_map()) {
    bool known = false;
    for (const std::string_view key : keys) known = known || key == each.key;
    if (!known) return false;
  }
  return true;
}

template <class = void>
[[nodiscard]] bool is_of_article(value_view action) {
  if (!has_exactly(action, {"AddDataobject", "ChangeMetadata"})) return false;
  for (const member_view each : action.as_map()) {
    const bool adds = each.key == "AddDataobject";
    if (!each.value.is_null() && !has_exactly(each.value, {"Table", adds ? "Name" : "Columns"})) return false;
  }
  return true;
}

template <class = void>
[[nodiscard]] bool is_entry_of_article(value_view document) {
  if (!has_exactly(document, {"Id", "Actions"})) return false;
  for (const member_view top : document.as_map()) {
    if (top.key != "Actions") continue;
    if (top.value.kind() != kind::map) return false;
    for (const member_view table : top.value.as_map()) {
      if (table.value.kind() != kind::list) return false;
      for (const value_view action : table.value.as_list())
        if (!is_of_article(action)) return false;
    }
  }
  return true;
}

// Reads one entry's document. `place` begins every message.
template <class = void>
class reader {
 public:
  reader(std::string_view place, bool of_article) : place_(place), of_article_(of_article) {}

  [[nodiscard]] result<entry> read(value_view document) {
    json_fields fields(document, place_);
    entry read;
    read.of_article = of_article_;
    if (!of_article_) {
      // The format first: all else may look different in another one.
      if (const std::int64_t format = fields.integer("Format", 1); format > entry_format)
        return error(errc::unsupported, concat({place_, " has format ", format, ", this tarn reads up to ",
                                                entry_format, ": use a newer tarn"}));
      read_fields_of_tarn(fields, read);
      // Before the actions: a feature may change what they look like.
      if (fields.state() && !read.needed_to_read.empty())
        return error(errc::unsupported, concat({place_, " needs the feature '", read.needed_to_read.front(),
                                                "' to be read, which this tarn does not have: use a newer tarn"}));
    }
    read.at = {fields.integer("Id", 0)};
    const value_view tables = fields.get("Actions", kind::map);
    if (!fields.state()) return fields.state().error();
    for (const member_view each : tables.as_map()) {
      const status done = read_actions(each, read);
      if (!done) return done.error();
    }
    return read;
  }

 private:
  static void read_fields_of_tarn(json_fields<>& fields, entry& read) {
    read.transaction = fields.id("Transaction");
    read.read_version = {fields.integer("ReadVersion", -1)};
    read.previous_checksum = fields.checksum("PreviousCrc32c");
    read.time = {fields.integer("TimestampMs", INT64_MIN)};
    read.operation = fields.string("Operation");
    if (fields.has("Application")) {
      read.work = {std::string(fields.string("Application")), fields.integer("Sequence", 0)};
      if (const status good = check_application_sequence(read.work); !good)
        fields.complain(concat({"has numbered work that cannot be: ", good.error().message()}));
    }
    if (fields.has("Tags")) read.tags = table_json::read_tags(fields);
    read.vacuums = fields.has("HorizonMs");
    if (read.vacuums) read.kept = table_json::read_retention(fields);
    if (fields.has("InlineBytesMax")) read.inline_bytes_max = table_json::read_number32(fields, "InlineBytesMax", 0);
    read.needed_to_read = fields.strings("NeededToRead");
    read.needed_to_write = fields.strings("NeededToWrite");
  }

  [[nodiscard]] status read_actions(const member_view& table, entry& into) {
    if (const status named = check_table_name(table.key); !named)
      return error(of_article_ ? errc::unsupported : errc::corrupt, named.error().within(place_).message());
    const std::string place = concat({place_, ", an action on table ", table.key, ","});
    if (table.value.kind() != kind::list)
      return error(errc::corrupt, concat({place_, " has no list of actions on table ", table.key}));
    if (into.actions.find(table.key) != nullptr)
      return error(of_article_ ? errc::unsupported : errc::corrupt,
                   concat({place_, " names table ", table.key, " twice: table names must differ in more than case"}));
    sequence<action>& actions = into.actions.find_or_insert(table.key);
    for (const value_view each : table.value.as_list()) {
      result<action> change = read_action(each, table.key, place);
      if (!change) return change.error();
      actions.push_back(*std::move(change));
    }
    return {};
  }

  // An action is an object whose one member that is not null says what it does.
  [[nodiscard]] result<action> read_action(value_view object, std::string_view table, std::string_view place) const {
    if (object.kind() != kind::map) return error(errc::corrupt, concat({place, " is no object"}));
    member_view change;
    for (const member_view each : object.as_map()) {
      if (each.value.is_null()) continue;
      if (!change.value.is_null())
        return error(errc::corrupt, concat({place, " is two: ", change.key, " and ", each.key}));
      change = each;
    }
    if (change.key == "AddDataobject") return read_add_object(change.value, table, place);
    if (change.key == "ChangeMetadata") return read_create_table(change.value, table, place);
    if (change.key == "DropTable") return read_drop_table(change.value, place);
    if (change.key == "CreateKeyedTable") return read_create_keyed_table(change.value, table, place);
    if (change.key == "AddKeyedObject") return read_add_block(change.value, table, place);
    if (change.key == "AddInlineObject") return read_inline(read_add_object(change.value, table, place), change, place);
    if (change.key == "AddInlineKeyedObject")
      return read_inline(read_add_block(change.value, table, place), change, place);
    if (change.key == "RemoveKeyedObject") return read_remove_object(change.value, place);
    if (change.key == "AlterTable") return read_alter_table(change.value, place);
    if (change.key == "DeleteRows") return read_delete_rows(change.value, place);
    if (change.key == "ReplaceDataobjects") return read_replace_objects(change.value, table, place);
    if (change.key == "RestoreTable") return read_restore_table(change.value, table, place);
    if (change.value.is_null()) return error(errc::corrupt, concat({place, " does nothing"}));
    return error(errc::unsupported,
                 concat({place, " is a ", change.key, ", which this tarn does not know: use a newer tarn"}));
  }

  [[nodiscard]] result<action> read_add_object(value_view object, std::string_view table,
                                               std::string_view place) const {
    json_fields fields(object, place);
    action read{action_kind::add_object, {}, {}, {}};
    read.object.id = table_json::read_object_id(fields);
    check_table(fields, table);
    if (!of_article_) table_json::read_description(fields, read.object);
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] static result<action> read_add_block(value_view object, std::string_view table,
                                                     std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::add_block, {}, {}, {}};
    read.object.id = table_json::read_object_id(fields);
    check_table(fields, table);
    table_json::read_description(fields, read.object);
    read.block = table_json::read_block(fields);
    if (!fields.state()) return fields.state().error();
    return read;
  }

  // The same action with the object's bytes, which `change` holds.
  [[nodiscard]] static result<action> read_inline(result<action> read, const member_view& change,
                                                  std::string_view place) {
    if (!read) return read;
    json_fields fields(change.value, place);
    const value_view all = fields.get("Inline");
    if (all.kind() != kind::string && all.kind() != kind::bytes) {
      fields.complain("has no text or bytes \"Inline\"");
      return fields.state().error();
    }
    const std::string_view bytes = all.kind() == kind::string ? all.as_string() : all.as_bytes();
    read->object.inline_bytes = shared<const std::string>::make(bytes);
    return read;
  }

  [[nodiscard]] static result<action> read_remove_object(value_view object, std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::remove_object, {}, {}, {}};
    read.object.id = table_json::read_object_id(fields);
    read.block.bucket = table_json::read_number32(fields, "Bucket", 0);
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] static result<action> read_alter_table(value_view object, std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::alter_table, fields.id("TableId"), table_json::read_columns(fields), {}};
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] static result<action> read_delete_rows(value_view object, std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::delete_rows, {}, {}, {}};
    read.object.id = table_json::read_object_id(fields);
    read.rows = table_json::read_rows(fields, "Rows");
    if (fields.has("Updates"))
      for (const value_view each : fields.list("Updates")) {
        json_fields update(each, "an update of rows");
        row_replacement replaced;
        replaced.deleted = {static_cast<std::uint64_t>(update.integer("First", 0)),
                            static_cast<std::uint64_t>(update.integer("Last", 0))};
        replaced.object = table_json::read_object_id(update);
        replaced.first = static_cast<std::uint64_t>(update.integer("Row", 0));
        if (replaced.deleted.last < replaced.deleted.first) update.complain("ends before it begins");
        if (!update.state()) fields.complain(update.state().error().message());
        read.replacements.push_back(replaced);
      }
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] static result<action> read_replace_objects(value_view object, std::string_view table,
                                                           std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::replace_objects, {}, {}, {}};
    check_table(fields, table);
    if (fields.has("Name")) {
      read.object.id = table_json::read_object_id(fields);
      table_json::read_description(fields, read.object);
    }
    read.replaced = table_json::read_ids(fields, "Replaced");
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] static result<action> read_restore_table(value_view object, std::string_view table,
                                                         std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::restore_table, {}, {}, {}};
    check_table(fields, table);
    read.restored = shared<const table_state>::make(read_table_state(fields));
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] result<action> read_create_table(value_view object, std::string_view table,
                                                 std::string_view place) const {
    json_fields fields(object, place);
    return read_columns(fields, table);
  }

  [[nodiscard]] result<action> read_create_keyed_table(value_view object, std::string_view table,
                                                       std::string_view place) const {
    json_fields fields(object, place);
    result<action> read = read_columns(fields, table);
    if (!read) return read;
    read->key = table_json::read_key(fields, read->columns);
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] result<action> read_columns(json_fields<>& fields, std::string_view table) const {
    action read{action_kind::create_table, {}, {}, {}};
    check_table(fields, table);
    if (of_article_) {
      const sequence<std::string> names = fields.strings("Columns");
      read.columns = schema(sequence<column>(names.begin(), names.end()));
      read.columns.number_columns();
      if (read.columns.size() == 0) fields.complain("has no columns");
    } else {
      read.table_id = fields.id("TableId");
      read.columns = table_json::read_columns(fields);
    }
    if (!fields.state()) return fields.state().error();
    return read;
  }

  [[nodiscard]] static result<action> read_drop_table(value_view object, std::string_view place) {
    json_fields fields(object, place);
    action read{action_kind::drop_table, fields.id("TableId"), {}, {}};
    if (!fields.state()) return fields.state().error();
    return read;
  }

  static void check_table(json_fields<>& fields, std::string_view table) {
    if (const std::string_view named = fields.string("Table"); named != table)
      fields.complain(concat({"names table '", named, "'"}));
  }

  std::string_view place_;
  bool of_article_;
};

}  // namespace entry_json

// The entry that `bytes`, found in slot `at`, are. errc::corrupt for damaged bytes and for another version's entry,
// errc::unsupported for one that needs a newer tarn.
template <class = void>
[[nodiscard]] result<entry> read_entry(std::string_view bytes, version at, const limits& bounds) {
  const std::string place = concat({"version ", at.number, " (", entry_name(at), ")"});
  if (bytes.size() > bounds.entry_bytes_max)
    return error(errc::limit_exceeded,
                 concat({place, " has ", bytes.size(), " bytes, limits::entry_bytes_max is ", bounds.entry_bytes_max}));
  arena memory;
  result<value_view> document = parse_json(bytes, memory, {.escapes = json_escapes::tarn});
  if (!document) return error(errc::corrupt, concat({place, " is not JSON: ", document.error().message()}));
  const bool of_article = entry_json::is_entry_of_article(*document);
  if (!of_article && !is_sealed(bytes))
    return error(
        errc::corrupt,
        concat({place, " is damaged: it does not end with its checksum, and is no entry of the article's program"}));
  result<entry> read = entry_json::reader(place, of_article).read(*document);
  if (read && read->at != at)
    return error(errc::corrupt, concat({place, " holds the entry of version ", read->at.number}));
  return read;
}

}  // namespace tarn::inline TARN_ABI
