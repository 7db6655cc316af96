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
#include "plain_state.hpp"

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
    auto bytes = get_plain(store_, name);
    if (object.inline_bytes && bytes && *bytes != *object.inline_bytes)
      complain(name + " is not what travels in the log under its name");
    if (object.inline_bytes) bytes = object.inline_bytes;
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
    for (const plain_json& each : tables) state.tables[each.text("Table")] = plain_replay::table_of(each);
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
    plain_replay replay(complaints_);
    std::int64_t place = 0;
    for (const auto& [table, list] : actions->members)
      for (const plain_json& action : list.items) replay.apply(state, table, action, {at, place++});
    return true;
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
      const auto* const what = each.empty() ? nullptr : std::get_if<std::int64_t>(&each.front());
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
