// A second reader of lakes, which shares nothing with the first: what it finds in a store, by the format alone, must be
// what tarn says is there. Slow and straightforward; it reads all of the log, and remembers the state at every version.
//
// It reads tables of integers, strings, booleans and nulls in objects of JSON.
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
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "plain_fold.hpp"
#include "plain_json.hpp"

namespace tarn::inline TARN_ABI::testing {

// CRC-32C of the definition, bit for bit.
[[nodiscard]] inline std::string plain_checksum(std::string_view bytes) {
  std::uint32_t rest = 0xffff'ffffU;
  for (const char each : bytes) {
    rest ^= static_cast<unsigned char>(each);
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1U) != 0 ? 0x82f6'3b78U : 0U);
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08lx", static_cast<unsigned long>(rest ^ 0xffff'ffffU));
  return text;
}

// "_log_00000000000000000007"
[[nodiscard]] inline std::string numbered_name(const char* prefix, std::int64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%020lld", static_cast<long long>(number));
  return prefix + std::string(digits);
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

  friend bool operator==(const plain_object&, const plain_object&) = default;
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

// The bytes of an object that is there; nothing: it is not, or cannot be read.
template <class Store>
[[nodiscard]] std::optional<std::string> get_plain(Store& store, std::string_view name) {
  const auto bytes = store.get(name);
  if (!bytes) return {};
  return std::string(std::string_view(*bytes));
}

template <class Store>
class store_reader {
 public:
  // Reads the whole log: from version 0, or from the first checkpoint that the last truncation relies on.
  explicit store_reader(Store store) : store_(std::move(store)) {
    std::int64_t markers = 0;
    while (const auto marker = get_plain(store_, numbered_name("_trunc_", markers))) {
      const plain_json read = parse(numbered_name("_trunc_", markers++), *marker, true);
      truncated_ = read.integer("LastVersion");
      checkpoints_.clear();
      for (const plain_json& each : read.list("Checkpoints")) checkpoints_.push_back(each.as_integer());
      note_gone(read);
    }
    plain_state state;
    std::int64_t at = 0;
    if (truncated_ >= 0) {
      const auto first = std::find_if(checkpoints_.begin(), checkpoints_.end(),
                                      [&](std::int64_t each) { return read_checkpoint(each, state); });
      if (first == checkpoints_.end()) complain("no checkpoint of the last truncation can be read");
      at = first == checkpoints_.end() ? truncated_ + 1 : *first + 1;
      if (first != checkpoints_.end()) states_[*first] = state;
    }
    for (; read_entry(at, state); ++at) states_[at] = state;
  }

  // By version.
  [[nodiscard]] const std::map<std::int64_t, plain_state>& states() const { return states_; }
  // Of all versions that are known, also of those that were truncated.
  [[nodiscard]] const std::map<std::int64_t, std::string>& transactions() const { return transactions_; }
  // Slots up to this one are garbage; -1: none.
  [[nodiscard]] std::int64_t truncated() const { return truncated_; }
  [[nodiscard]] const std::vector<std::int64_t>& checkpoints_relied_on() const { return checkpoints_; }
  // What was not as the format says, and where; none: all was.
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

  // The rows of a table, with its current columns: of a bag in the order of its objects, of a keyed table by bucket and
  // key. Complains about objects that are not there, or not what the log says.
  [[nodiscard]] std::vector<plain_row> rows(const plain_table& table) {
    std::vector<plain_row> all;
    if (table.key.empty()) {
      for (const plain_object& each : table.objects) append_bag_rows(table, each, all);
      return all;
    }
    const keyed_layout layout = layout_of(table);
    for (std::size_t bucket = 0; bucket < table.buckets; ++bucket) {
      keyed_contents contents;
      for (const plain_object& each : table.objects)
        if (each.bucket == bucket) fold(table, layout, each, contents);
      for (const auto& [key, value] : contents)
        if (value.live) all.push_back(value.row);
    }
    return all;
  }

  // The rows as they are in the object; none if it is not there, or not what the log says.
  [[nodiscard]] std::vector<plain_row> encoded_rows(const plain_table& table, const plain_object& object) {
    const std::string name = table.name_of(object);
    const auto bytes = get_plain(store_, name);
    std::vector<plain_row> rows;
    if (!bytes) return complain(name + " is not there"), rows;
    if (object.bytes >= 0 && static_cast<std::size_t>(object.bytes) != bytes->size())
      complain(name + " is of another size");
    if (!object.checksum.empty() && plain_checksum(*bytes) != object.checksum) complain(name + " has another checksum");
    const plain_json content = parse(name, *bytes, false);
    for (const plain_json& encoded : content.list("Data")) {
      rows.emplace_back();
      for (const plain_json& each : encoded.items) rows.back().push_back(each.value);
    }
    if (object.rows >= 0 && static_cast<std::size_t>(object.rows) != rows.size()) complain(name + " has other rows");
    return rows;
  }

  // The key of a record of a keyed object.
  [[nodiscard]] plain_row key_of(const plain_table& table, const plain_object& object, const plain_row& encoded) {
    return layout_of(table).key_of(with_columns(table, object, encoded, object.is_base ? 1 : 2));
  }

  // The state that a checkpoint says; false: it is not there, or damaged.
  bool read_checkpoint(std::int64_t at, plain_state& state) {
    const std::string name = numbered_name("_checkpoint_", at);
    const auto bytes = get_plain(store_, name);
    if (!bytes) return false;
    const std::size_t complaints = complaints_.size();
    const plain_json read = parse(name, *bytes, true);
    state = {};
    std::vector<plain_json> tables = read.list("Tables");
    if (read.find("Parts") != nullptr) tables = parse(name, join_parts(name, read.list("Parts").size()), false).items;
    for (const plain_json& each : tables) state.tables[each.text("Table")] = table_of(each);
    for (const plain_json& each : read.list("Tags")) state.tags[each.text("Tag")] = each.integer("Version");
    if (read.integer("Version") != at) complain(name + " is of another version");
    if (plain_checksum(get_plain(store_, numbered_name("_log_", at)).value_or("")) == read.text("EntryCrc32c") ||
        at <= truncated_ || !get_plain(store_, numbered_name("_log_", at)))
      previous_checksum_ = read.text("EntryCrc32c");
    else
      complain(name + " is of another entry");
    return complaints_.size() == complaints;
  }

 private:
  void complain(const std::string& what) { complaints_.push_back(what); }

  // JSON that, if it is `sealed`, ends with the checksum of what comes before.
  [[nodiscard]] plain_json parse(const std::string& name, const std::string& text, bool sealed) {
    plain_json_reader reader(text);
    plain_json read = reader.read();
    if (!reader.good()) complain(name + " is not the JSON that tarn writes");
    const std::string_view seal = ",\"Checksum\":\"";
    const std::size_t at = text.rfind(seal);
    const bool good = at != std::string::npos &&
                      text.substr(at + seal.size()) == plain_checksum(text.substr(0, at + seal.size())) + "\"}";
    if (sealed && !good) complain(name + " does not end with its checksum");
    return read;
  }
  [[nodiscard]] std::string join_parts(const std::string& name, std::size_t count) {
    std::string text;
    for (std::size_t part = 1; part <= count; ++part) {
      char digits[8];
      std::snprintf(digits, sizeof digits, "_%04u", static_cast<unsigned>(part));
      text += get_plain(store_, name + digits).value_or("");
    }
    return text;
  }

  void note_gone(const plain_json& marker) {
    std::int64_t at = marker.integer("FirstVersion");
    for (const plain_json& each : marker.list("Transactions"))
      if (const auto* const id = std::get_if<std::string>(&each.value); id != nullptr) transactions_[at++] = *id;
  }

  // False at the end of the log.
  bool read_entry(std::int64_t at, plain_state& state) {
    const std::string name = numbered_name("_log_", at);
    const auto bytes = get_plain(store_, name);
    if (!bytes) return false;
    const plain_json entry = parse(name, *bytes, true);
    if (entry.integer("Id") != at) complain(name + " has another number");
    if (at > 0 && entry.text("PreviousCrc32c") != previous_checksum_) complain(name + " is off the chain");
    if (entry.integer("ReadVersion") >= at) complain(name + " has read what comes after it");
    previous_checksum_ = plain_checksum(*bytes);
    state.entry = {entry.text("Transaction"), entry.text("Operation"), entry.integer("ReadVersion"), {}, 0};
    for (const auto& [version, other] : transactions_)
      if (other == state.entry.transaction && version != at) complain(name + " is of the transaction of another");
    transactions_[at] = state.entry.transaction;
    if (entry.find("OldestVersion") != nullptr) {
      state.entry.oldest_kept = entry.integer("OldestVersion");
      state.entry.horizon_ms = entry.integer("HorizonMs");
    }
    for (const plain_json& each : entry.list("Tags")) {
      state.tags[each.text("Tag")] = each.integer("Version");
      if (each.integer("Version") < 0) state.tags.erase(each.text("Tag"));
    }
    const plain_json* const actions = entry.find("Actions");
    if (actions == nullptr) return complain(name + " has no actions"), true;
    std::int64_t place = 0;
    for (const auto& [table, list] : actions->members)
      for (const plain_json& action : list.items) apply(state, table, action, {at, place++});
    return true;
  }

  void apply(plain_state& state, const std::string& table, const plain_json& action,
             const std::pair<std::int64_t, std::int64_t>& order) {
    for (const auto& [kind, content] : action.members) {
      if (content.members.empty()) continue;  // the article's null
      if (kind == "ChangeMetadata" || kind == "CreateKeyedTable")
        state.tables[table] = table_of(content);
      else if (kind == "DropTable")
        state.tables.erase(table);
      else if (kind == "RestoreTable")
        state.tables[table] = table_of(content);
      else if (!state.tables.contains(table))
        complain(numbered_name("_log_", order.first) + " changes a table that is not there");
      else
        apply(state.tables[table], kind, content, order);
    }
  }
  void apply(plain_table& table, const std::string& kind, const plain_json& content,
             const std::pair<std::int64_t, std::int64_t>& order) {
    const auto find = [&](const std::string& id) {
      return std::find_if(table.objects.begin(), table.objects.end(),
                          [&](const plain_object& each) { return each.id == id; });
    };
    const auto named = find(content.text("Name"));
    const bool is_there = named != table.objects.end();
    if (kind == "AddDataobject") {
      table.objects.push_back(object_of(content, order));
    } else if (kind == "AddKeyedObject") {
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
        if (place == table.objects.end() || plain_value(place->id) != each.value) return complain("replaces a gap");
        place = table.objects.erase(place);
      }
      if (!content.text("Name").empty()) table.objects.insert(place, object_of(content, order));
    } else {
      complain(numbered_name("_log_", order.first) + " has an action " + kind + " that does not fit");
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

  // Of a creation, or of a state in a checkpoint or a restore.
  [[nodiscard]] plain_table table_of(const plain_json& described) {
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

  [[nodiscard]] static plain_object object_of(const plain_json& described,
                                              std::pair<std::int64_t, std::int64_t> order) {
    plain_object made;
    made.id = described.text("Name");
    if (described.find("Rows") != nullptr) made.rows = described.integer("Rows");
    if (described.find("Bytes") != nullptr) made.bytes = described.integer("Bytes");
    made.checksum = described.text("Crc32c");
    made.schema = static_cast<std::size_t>(described.integer("Schema"));
    add_rows(described.text("DeletedRows"), made.deleted);
    if (described.find("Bucket") == nullptr) return made;
    made.bucket = static_cast<std::size_t>(described.integer("Bucket"));
    made.is_base = described.text("Form") == "base";
    made.base = described.text("Base");
    made.read_version = described.integer("ReadVersion");
    made.order = order;
    if (described.find("Compacted") != nullptr) made.order = {made.read_version, UINT32_MAX};
    return made;
  }

  // With the table's current columns. `before`: values that are no columns.
  [[nodiscard]] plain_row with_columns(const plain_table& table, const plain_object& object, const plain_row& encoded,
                                       std::size_t before) {
    const std::vector<plain_column>& had = table.schemas[std::min(object.schema, table.schemas.size() - 1)];
    if (encoded.size() != before + had.size()) complain(table.name_of(object) + " has a row of another length");
    plain_row row;
    for (const plain_column& wanted : table.schemas.back()) {
      row.emplace_back();
      for (std::size_t at = 0; at < had.size() && before + at < encoded.size(); ++at)
        if (had[at].id == wanted.id) row.back() = encoded[before + at];
    }
    return row;
  }

  void append_bag_rows(const plain_table& table, const plain_object& object, std::vector<plain_row>& to) {
    std::int64_t number = 0;
    for (const plain_row& each : encoded_rows(table, object))
      if (!object.deleted.contains(number++)) to.push_back(with_columns(table, object, each, 0));
    if (!object.deleted.empty() && *object.deleted.rbegin() >= number)
      complain(table.name_of(object) + " has fewer rows than were deleted of it");
  }

  [[nodiscard]] static keyed_layout layout_of(const plain_table& table) {
    const auto place_of = [&](std::int64_t id) {
      std::size_t place = 0;
      while (place < table.schemas.back().size() && table.schemas.back()[place].id != id) ++place;
      return place;
    };
    keyed_layout layout;
    for (const std::int64_t each : table.key) layout.key.push_back(place_of(each));
    if (table.ordering) layout.ordering = place_of(*table.ordering);
    layout.buckets = static_cast<std::uint32_t>(table.buckets);
    return layout;
  }

  // Codes as in tarn/merge/record.hpp.
  void fold(const plain_table& table, const keyed_layout& layout, const plain_object& object, keyed_contents& into) {
    std::optional<plain_row> previous;
    for (const plain_row& each : encoded_rows(table, object)) {
      const auto* const what = each.empty() ? nullptr : std::get_if<std::int64_t>(&each[0]);
      if (what == nullptr) return complain(table.name_of(object) + " has a record without a code");
      const plain_row row = with_columns(table, object, each, object.is_base ? 1 : 2);
      const plain_row key = layout.key_of(row);
      if (expected_bucket(key, layout.buckets) != object.bucket) complain(table.name_of(object) + " has a stray key");
      if (previous && !(*previous < key)) complain(table.name_of(object) + " is not in the order of its keys");
      previous = key;
      if (*what == 1 || *what > 2) testing::apply(into, layout, {keyed_change::erase, row});
      if (*what == 0 || *what == 3) testing::apply(into, layout, {keyed_change::upsert, row});
      if (*what == 2 || *what == 4) testing::apply(into, layout, {keyed_change::ordered_erase, row});
    }
  }

  Store store_;
  std::int64_t truncated_ = -1;
  std::vector<std::int64_t> checkpoints_;  // that the last truncation relies on
  std::string previous_checksum_;
  std::map<std::int64_t, plain_state> states_;
  std::map<std::int64_t, std::string> transactions_;
  std::vector<std::string> complaints_;
};

}  // namespace tarn::inline TARN_ABI::testing
