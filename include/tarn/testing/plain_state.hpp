// The state of a lake as the second reader remembers it, and what each action of an entry does to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "../core/config.hpp"
#include "plain_json.hpp"

namespace tarn::inline TARN_ABI::testing {

// What base64 with padding stands for; nothing for what is none.
[[nodiscard]] inline std::optional<std::string> plain_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char each : text) {
    const std::size_t digit = digits.find(each);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xffU);
  }
  return bytes;
}

// The bytes of an object that travels in the entry that describes it so; nothing if it does not.
[[nodiscard]] inline std::optional<std::string> plain_inline_bytes(const plain_json& described) {
  const plain_json* const all = described.find("Inline");
  if (all == nullptr) return {};
  return all->find("$bytes") == nullptr ? described.text("Inline") : plain_base64(all->text("$bytes"));
}

struct plain_object {
  std::string id;
  std::int64_t rows = -1;  // -1: not told
  std::int64_t bytes = -1;
  std::string checksum;
  std::size_t schema = 0;          // the number of its columns' in plain_table::schemas
  std::set<std::int64_t> deleted;  // of a bag
  std::size_t bucket = 0;          // of a keyed table, as all below
  bool is_base = false;            // in form
  std::string base;                // that its places were counted in
  std::int64_t read_version = -1;
  std::pair<std::int64_t, std::int64_t> order;  // of the version, and within its entry
  // Its bytes, if an entry has them. A checkpoint does not repeat them: that is all it may leave out.
  std::optional<std::string> inline_bytes;

  friend bool operator==(const plain_object& a, const plain_object& b) {
    const auto told = [](const plain_object& of) {
      return std::tie(of.id, of.rows, of.bytes, of.checksum, of.schema, of.deleted, of.bucket, of.is_base, of.base,
                      of.read_version, of.order);
    };
    return told(a) == told(b);
  }
};

struct plain_column {
  std::int64_t id = 0;
  std::string name;

  friend bool operator==(const plain_column&, const plain_column&) = default;
};

struct plain_table {
  std::string name;
  std::string id;
  std::vector<std::vector<plain_column>> schemas;  // the last is the current one
  std::vector<std::int64_t> key;                   // ids of columns; none: a bag
  std::optional<std::int64_t> ordering;            // the id of a column
  std::size_t buckets = 1;
  std::vector<plain_object> objects;  // in order, of each bucket

  [[nodiscard]] std::string name_of(const plain_object& object) const { return "_table_" + name + "_" + object.id; }

  friend bool operator==(const plain_table&, const plain_table&) = default;
};

// What an entry says, besides its actions.
struct plain_entry {
  std::string transaction;
  std::string operation;
  std::int64_t read_version = -1;
  std::optional<std::int64_t> oldest_kept;  // of a vacuum
  std::int64_t horizon_ms = 0;
};

struct plain_state {
  plain_entry entry;
  std::map<std::string, plain_table> tables;
  std::map<std::string, std::int64_t> tags;
};

class plain_replay {
 public:
  // Complains into `complaints`, which must stay where it is.
  explicit plain_replay(std::vector<std::string>& complaints) : complaints_(&complaints) {}

  // Of a creation, or of a state in a checkpoint or a restore.
  [[nodiscard]] static plain_table table_of(const plain_json& described) {
    plain_table table{described.text("Table"), described.text("TableId"), {}, {}, {}, 1, {}};
    for (const plain_json& each : described.list("Schemas")) table.schemas.push_back(columns_of(each));
    if (table.schemas.empty()) table.schemas.push_back(columns_of(described));
    for (const plain_json& each : described.list("Key")) table.key.push_back(each.as_integer());
    if (!table.key.empty()) table.buckets = static_cast<std::size_t>(described.integer("Buckets"));
    if (described.text("Fold") == "by_ordering") table.ordering = described.integer("Ordering");
    for (const plain_json& each : described.list("Objects")) table.objects.push_back(object_of(each, {}));
    for (const plain_json& each : described.list("KeyedObjects"))
      table.objects.push_back(object_of(each, {each.integer("OrderVersion"), each.integer("OrderIndex")}));
    return table;
  }

  // One action of an entry on a table. `order`: the entry's version, and the action's place in it.
  void apply(plain_state& state, const std::string& table, const plain_json& action,
             const std::pair<std::int64_t, std::int64_t>& order) {
    for (const auto& [kind, content] : action.members) {
      if (content.members.empty()) continue;  // the article's null
      if (kind == "ChangeMetadata" || kind == "CreateKeyedTable" || kind == "RestoreTable")
        state.tables[table] = table_of(content);
      else if (kind == "DropTable")
        state.tables.erase(table);
      else if (!state.tables.contains(table))
        complain("version " + std::to_string(order.first) + " changes a table that is not there");
      else
        apply(state.tables[table], kind, content, order);
    }
  }

 private:
  void complain(const std::string& what) { complaints_->push_back(what); }

  void apply(plain_table& table, const std::string& kind, const plain_json& content,
             const std::pair<std::int64_t, std::int64_t>& order) {
    const auto find = [&](const std::string& id) {
      return std::find_if(table.objects.begin(), table.objects.end(),
                          [&](const plain_object& each) { return each.id == id; });
    };
    const auto named = find(content.text("Name"));
    const bool is_there = named != table.objects.end();
    if (kind == "AddDataobject" || kind == "AddInlineObject") {
      table.objects.push_back(object_of(content, order));
    } else if (kind == "AddKeyedObject" || kind == "AddInlineKeyedObject") {
      add(table, object_of(content, order));
    } else if (kind == "AlterTable") {
      table.schemas.push_back(columns_of(content));
    } else if (kind == "RemoveKeyedObject" && is_there) {
      table.objects.erase(named);
    } else if (kind == "DeleteRows" && is_there) {
      add_rows(content.text("Rows"), named->deleted);
    } else if (kind == "ReplaceDataobjects") {
      auto place = find(one_of(content.list("Replaced")));
      for (const plain_json& each : content.list("Replaced")) {
        if (place == table.objects.end() || plain_value(place->id) != each.value)
          return complain("version " + std::to_string(order.first) + " replaces what is not there");
        place = table.objects.erase(place);
      }
      if (!content.text("Name").empty()) table.objects.insert(place, object_of(content, order));
    } else {
      complain("version " + std::to_string(order.first) + " has an action " + kind + " that does not fit");
    }
  }
  [[nodiscard]] static std::string one_of(const std::vector<plain_json>& names) {
    const auto* const text = names.empty() ? nullptr : std::get_if<std::string>(&names[0].value);
    return text == nullptr ? std::string() : *text;
  }
  // A compaction's base comes after all that its plan had, and before all else.
  static void add(plain_table& table, plain_object added) {
    const auto after = std::find_if(table.objects.begin(), table.objects.end(), [&](const plain_object& each) {
      return each.bucket > added.bucket || (each.bucket == added.bucket && each.order > added.order);
    });
    table.objects.insert(after, std::move(added));
  }

  // "0-3,7"
  static void add_rows(const std::string& text, std::set<std::int64_t>& to) {
    const char* at = text.c_str();
    for (int used = 0; *at != '\0'; at += used + (at[used] == ',' ? 1 : 0)) {
      long long first = 0, last = 0;
      if (std::sscanf(at, "%lld%n-%lld%n", &first, &used, &last, &used) < 2) last = first;
      for (long long row = first; row <= last; ++row) to.insert(row);
    }
  }

  [[nodiscard]] static std::vector<plain_column> columns_of(const plain_json& described) {
    std::vector<plain_column> columns;
    for (const plain_json& id : described.list("ColumnIds")) {
      const plain_json& name = described.list("Columns")[columns.size()];
      columns.push_back({id.as_integer(), std::get<std::string>(name.value)});
    }
    return columns;
  }

  [[nodiscard]] static plain_object object_of(const plain_json& described,
                                              std::pair<std::int64_t, std::int64_t> order) {
    plain_object made;
    made.id = described.text("Name");
    if (described.find("Rows") != nullptr) made.rows = described.integer("Rows");
    if (described.find("Bytes") != nullptr) made.bytes = described.integer("Bytes");
    made.checksum = described.text("Crc32c");
    made.schema = static_cast<std::size_t>(described.integer("Schema"));
    add_rows(described.text("DeletedRows"), made.deleted);
    made.inline_bytes = plain_inline_bytes(described);
    if (described.find("Bucket") == nullptr) return made;
    made.bucket = static_cast<std::size_t>(described.integer("Bucket"));
    made.is_base = described.text("Form") == "base";
    made.base = described.text("Base");
    made.read_version = described.integer("ReadVersion");
    made.order = order;
    if (described.find("Compacted") != nullptr) made.order = {made.read_version, UINT32_MAX};
    return made;
  }

  std::vector<std::string>* complaints_;
};

}  // namespace tarn::inline TARN_ABI::testing
