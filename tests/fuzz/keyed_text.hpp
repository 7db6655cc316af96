// A bucket of a keyed table as text, and what an independent reader of it makes of that:
//
//   0                                  which of the tables below
//   B [0,1,"a"],[0,2,"b"]              an object in base form, with these records
//   D [0,1,2,"c"],[1,-1,0,null]        in delta form; places count in the first object, if that is in base form
//   d ...                              ... they are to be null, or not looked at: the block states no base
//   S ...                              ... they count in a base that is there no more
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/codec/json_parser.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/table_key.hpp>
#include <tarn/log/data_object.hpp>
#include <vector>

namespace tarn_test::fuzz {

struct keyed_block {
  char kind = 'B';
  std::string_view text;        // of its records
  std::vector<tarn::row> rows;  // what they are
  bool is_json = false;         // else `rows` means nothing

  [[nodiscard]] bool is_base() const { return kind == 'B'; }
  [[nodiscard]] std::size_t columns_before() const { return is_base() ? 1 : 2; }
};

struct keyed_text {
  tarn::schema columns;
  tarn::table_key key;
  std::vector<keyed_block> blocks;
};

[[nodiscard]] inline keyed_text table_of_shape(char shape) {
  using enum tarn::column_type;
  keyed_text made;
  switch (shape) {
    case '1': made = {{{"k", string}, "v"}, {{0}}, {}}; break;
    case '2': made = {{{"a", tarn::column_type::bytes}, {"b", boolean}, {"c", integer}, "v"}, {{2, 0, 1}}, {}}; break;
    case '3': made = {{{"k", integer}, {"o", integer}, "v"}, {{0}, 1, 1}, {}}; break;
    case '4': made = {{{"k", string}, {"o", string}, "v"}, {{0}, 1, 1}, {}}; break;
    default: made = {{{"k", integer}, "v"}, {{0}}, {}}; break;
  }
  for (const std::uint32_t place : made.key.columns) made.columns.forbid_null(place);
  if (made.key.ordered()) made.columns.forbid_null(made.key.ordering);
  made.columns.number_columns();
  return made;
}

inline void parse_rows(keyed_block& block) {
  tarn::arena memory;
  const std::string list = "[" + std::string(block.text) + "]";
  const auto parsed = tarn::parse_json(list, memory, {.nesting_depth_max = 66, .escapes = tarn::json_escapes::tarn});
  block.is_json = parsed && parsed->kind() == tarn::kind::list;
  if (!block.is_json) return;
  for (const tarn::value_view each : parsed->as_list()) {
    block.is_json = block.is_json && each.kind() == tarn::kind::list;
    if (block.is_json) block.rows.emplace_back(each.as_list().begin(), each.as_list().end());
  }
}

// Of at most `blocks_max` objects; lines that are none are passed over.
[[nodiscard]] inline keyed_text read_keyed_text(std::string_view text, std::size_t blocks_max) {
  keyed_text read = table_of_shape(text.empty() ? '0' : text.front());
  while (read.blocks.size() < blocks_max && text.find('\n') != std::string_view::npos) {
    text.remove_prefix(text.find('\n') + 1);
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.size() < 2 || std::string_view("BDdS").find(line[0]) == std::string_view::npos || line[1] != ' ') continue;
    keyed_block& block = read.blocks.emplace_back();
    block.kind = line[0];
    block.text = line.substr(2);
    parse_rows(block);
  }
  return read;
}

// What one who knows nothing but the format's description makes of such a text.
class keyed_text_reader {
 public:
  explicit keyed_text_reader(const keyed_text& of) : of_(of) {
    for (const keyed_block& each : of.blocks) valid_ = valid_ && is_valid(each);
  }

  // Whether all objects hold records, sorted by key.
  [[nodiscard]] bool valid() const { return valid_; }
  // Whether all places that are to be looked at are right; only if valid.
  [[nodiscard]] bool places_are_right() const {
    if (of_.blocks.empty() || !of_.blocks[0].is_base()) return true;
    for (const keyed_block& block : of_.blocks)
      for (const tarn::row& each : block.rows)
        if (block.kind == 'D' && !is_right(each)) return false;
    return true;
  }

  // The rows that there are, by key; only if valid.
  [[nodiscard]] std::vector<tarn::row> fold() const {
    std::map<key, state, key_less> states;
    for (const keyed_block& block : of_.blocks)
      for (const tarn::row& each : block.rows) apply(states[key_of(each, block)], each, block);
    std::vector<tarn::row> live;
    for (const auto& [of, now] : states)
      if (now.is_live) live.push_back(*now.row);
    return live;
  }

 private:
  using key = std::vector<tarn::value>;
  struct state {
    std::optional<tarn::row> row;  // of a tombstone, too
    bool is_live = false;
  };

  [[nodiscard]] static bool is_less(const tarn::value_view& a, const tarn::value_view& b) {
    switch (a.kind()) {
      case tarn::kind::integer: return a.as_integer() < b.as_integer();
      case tarn::kind::boolean: return !a.as_boolean() && b.as_boolean();
      case tarn::kind::string: return a.as_string() < b.as_string();
      default: return a.as_bytes() < b.as_bytes();
    }
  }
  struct key_less {
    [[nodiscard]] bool operator()(const key& a, const key& b) const {
      for (std::size_t at = 0; at < a.size(); ++at)
        if (!(a[at] == b[at])) return is_less(a[at], b[at]);
      return false;
    }
  };

  [[nodiscard]] key key_of(const tarn::row& record, const keyed_block& block) const {
    key made;
    for (const std::uint32_t place : of_.key.columns) made.push_back(record[block.columns_before() + place]);
    return made;
  }

  [[nodiscard]] bool is_valid(const keyed_block& block) const {
    if (!block.is_json) return false;
    for (std::size_t at = 0; at < block.rows.size(); ++at) {
      if (!is_record(block.rows[at], block)) return false;
      if (at > 0 && !key_less()(key_of(block.rows[at - 1], block), key_of(block.rows[at], block))) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_record(const tarn::row& values, const keyed_block& block) const {
    if (values.size() != block.columns_before() + of_.columns.size() ||
        tarn::value_view(values[0]).kind() != tarn::kind::integer)
      return false;
    const std::int64_t what = tarn::value_view(values[0]).as_integer();
    if (block.is_base() ? what != 0 && what != 2 : what < 0 || what > 4) return false;
    if (!block.is_base() && values[1].kind() != tarn::kind::null && values[1].kind() != tarn::kind::integer)
      return false;
    const auto has_kind = [&](std::uint32_t column) {
      return values[block.columns_before() + column].kind() == static_cast<tarn::kind>(of_.columns[column].type);
    };
    for (const std::uint32_t column : of_.key.columns)
      if (!has_kind(column)) return false;
    return !of_.key.ordered() || what == 1 || has_kind(of_.key.ordering);
  }

  [[nodiscard]] bool is_right(const tarn::row& record) const {
    const keyed_block& base = of_.blocks[0];
    if (record[1].kind() == tarn::kind::null) return true;
    const std::int64_t place = tarn::value_view(record[1]).as_integer();
    const auto rows = static_cast<std::int64_t>(base.rows.size());
    const key mine = key_of(record, keyed_block{'D', {}, {}, true});
    const auto base_key = [&](std::int64_t row) { return key_of(base.rows[static_cast<std::size_t>(row)], base); };
    if (place >= 0) return place < rows && base_key(place) == mine;
    const std::int64_t before = -(place + 1);
    if (before > rows) return false;
    return (before == 0 || key_less()(base_key(before - 1), mine)) &&
           (before == rows || key_less()(mine, base_key(before)));
  }

  void apply(state& now, const tarn::row& record, const keyed_block& block) const {
    const std::int64_t what = tarn::value_view(record[0]).as_integer();
    if (what == 1 || what >= 3) now = {};
    if (what == 1) return;
    const tarn::row values(record.begin() + block.columns_before(), record.end());
    const std::uint32_t ordering = of_.key.ordering;
    if (now.row && of_.key.ordered() && is_less(values[ordering], (*now.row)[ordering])) return;
    now = {values, what == 0 || what == 3};
  }

  const keyed_text& of_;
  bool valid_ = true;
};

}  // namespace tarn_test::fuzz
