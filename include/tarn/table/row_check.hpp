// Whether a schema may be a table's, and a row a table's row. What passes here every codec must keep bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/duplicate_finder.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/schema.hpp"
#include "../core/table_key.hpp"
#include "../core/text.hpp"
#include "../core/utf8.hpp"
#include "../core/value.hpp"
#include "../log/snapshot.hpp"

namespace tarn::inline TARN_ABI {

// errc::invalid_argument or errc::limit_exceeded, saying which column is wrong and how.
template <class = void>
[[nodiscard]] status check_schema(const schema& columns, const limits& bounds) {
  if (columns.size() == 0) return error(errc::invalid_argument, "a table needs at least one column");
  if (columns.size() > bounds.columns_max)
    return error(errc::limit_exceeded,
                 concat({"the table has ", columns.size(), " columns, limits::columns_max is ", bounds.columns_max}));
  duplicate_finder names;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const std::string& name = columns[at].name;
    names.add(name);
    const std::string place = concat({"column ", at});
    if (name.empty()) return error(errc::invalid_argument, concat({place, " has an empty name"}));
    if (name.size() > bounds.column_name_bytes_max)
      return error(errc::limit_exceeded,
                   concat({place, " has a name of ", name.size(), " bytes, limits::column_name_bytes_max is ",
                           bounds.column_name_bytes_max}));
    if (find_invalid_utf8(name) != name.size())
      return error(errc::invalid_argument, concat({place, " has a name that is not UTF-8"}));
  }
  if (const std::string_view* const twice = names.find(); twice != nullptr)
    return error(errc::invalid_argument, concat({"two columns have the name '", *twice, "'"}));
  return {};
}

// Resolves what `create_table` was told of a key, and makes the columns of the key and the ordering not null.
// errc::invalid_argument, saying which column is wrong and how.
template <class = void>
[[nodiscard]] result<table_key> check_key(const keyed& wanted, schema& columns, const limits& bounds) {
  const auto find = [&](std::string_view name, std::string_view role) -> result<std::uint32_t> {
    const std::size_t at = columns.find(name);
    if (at == schema::none)
      return error(errc::invalid_argument, concat({"there is no column '", name, "' to be ", role}));
    const column_type type = columns[at].type;
    if (is_key_type(type, role == "a key")) return static_cast<std::uint32_t>(at);
    return error(errc::invalid_argument,
                 concat({"column '", name, "' cannot be ", role, ": declare it integer, string",
                         role == "a key" ? ", bytes or boolean" : " or bytes", ", it is ", name_of(type)}));
  };
  table_key key;
  if (wanted.columns.empty()) return error(errc::invalid_argument, "the key has no columns: name some, or make a bag");
  duplicate_finder names;
  for (const std::string& name : wanted.columns) {
    const result<std::uint32_t> place = find(name, "a key");
    if (!place) return place.error();
    key.columns.push_back(*place);
    names.add(name);
  }
  if (names.find() != nullptr) return error(errc::invalid_argument, "the key names a column twice");
  if (wanted.buckets == 0 || wanted.buckets > bounds.buckets_max)
    return error(errc::invalid_argument,
                 concat({"keyed::buckets is ", wanted.buckets, ": 1 to limits::buckets_max, which is ",
                         bounds.buckets_max, ", are allowed"}));
  key.buckets = wanted.buckets;
  if (wanted.fold.ordered && wanted.fold.ordering.empty())
    return error(errc::invalid_argument, "by_ordering names no column");
  if (wanted.fold.ordered) {
    const result<std::uint32_t> place = find(wanted.fold.ordering, "an ordering");
    if (!place) return place.error();
    key.ordering = *place;
  }
  for (const std::uint32_t place : key.columns) columns.forbid_null(place);
  if (key.ordered()) columns.forbid_null(key.ordering);
  return key;
}

namespace row_check_detail {

// Checks one value and what is in it; adds up its size.
template <class = void>
class value_checker {
 public:
  explicit value_checker(const limits& bounds) : bounds_(bounds) {}

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  // Whether nothing can be wrong with it but its size, which is then added. Most values are so, and cost no call.
  [[nodiscard]] bool is_plain(const value_view& value) {
    switch (value.kind()) {
      case kind::null:
      case kind::boolean:
      case kind::integer:
      case kind::real: break;
      case kind::string:
        if (!is_ascii(value.as_string())) return false;
        bytes_ += value.as_string().size();
        break;
      default: return false;
    }
    bytes_ += sizeof(std::int64_t);
    return true;
  }

  // `depth` is that of the value's container. Recursion ends at limits::nesting_depth_max.
  [[nodiscard]] status check(const value_view& value, std::uint32_t depth) {
    bytes_ += sizeof(std::int64_t);
    switch (value.kind()) {
      case kind::null:
      case kind::boolean:
      case kind::integer:
      case kind::real: return {};
      case kind::string: return check_text(value.as_string(), "a string");
      case kind::bytes: bytes_ += value.as_bytes().size(); return {};
      case kind::list: return check_list(value.as_list(), depth + 1);
      case kind::map: return check_map(value.as_map(), depth + 1);
    }
    return {};
  }

 private:
  [[nodiscard]] status check_text(std::string_view text, std::string_view what) {
    bytes_ += text.size();
    const std::size_t invalid = find_invalid_utf8(text);
    if (invalid == text.size()) return {};
    return error(errc::invalid_argument,
                 concat({"has ", what, " that is not UTF-8 at byte ", invalid, ": store it as bytes"}));
  }

  [[nodiscard]] status check_depth(std::uint32_t depth) const {
    if (depth <= bounds_.nesting_depth_max) return {};
    return error(errc::limit_exceeded,
                 concat({"is nested deeper than limits::nesting_depth_max, ", bounds_.nesting_depth_max}));
  }

  [[nodiscard]] status check_list(list_view list, std::uint32_t depth) {
    if (const status shallow = check_depth(depth); !shallow) return shallow.error();
    for (const value_view element : list)
      if (const status good = check(element, depth); !good) return good.error();
    return {};
  }

  // A key that stands twice; no data if there is none. Allocates for maps of many members only.
  [[nodiscard]] static std::string_view find_repeated_key(map_view map) {
    constexpr std::size_t few = 16;
    if (map.size() > few) {
      duplicate_finder keys;
      for (const member_view member : map) keys.add(member.key);
      const std::string_view* const twice = keys.find();
      return twice != nullptr ? *twice : std::string_view();
    }
    for (std::size_t at = 1; at < map.size(); ++at)
      for (std::size_t before = 0; before < at; ++before)
        if (map[before].key == map[at].key) return map[at].key.empty() ? std::string_view("") : map[at].key;
    return {};
  }

  [[nodiscard]] status check_map(map_view map, std::uint32_t depth) {
    if (const status shallow = check_depth(depth); !shallow) return shallow.error();
    for (const member_view member : map)
      if (const status good = check_text(member.key, "a key"); !good) return good.error();
    if (const std::string_view twice = find_repeated_key(map); twice.data() != nullptr)
      return error(errc::invalid_argument, concat({"has a map with two members '", twice, "'"}));
    for (const member_view member : map)
      if (const status good = check(member.value, depth); !good) return good.error();
    return {};
  }

  const limits& bounds_;
  std::size_t bytes_ = 0;
};

// Of a value that is to be a column's, everything but its size.
template <class = void>
[[nodiscard]] status check_for(const column& expected, const value_view& value, value_checker<>& checker) {
  const auto place = [&] { return concat({"column '", expected.name, "'"}); };
  if (!expected.takes(value.kind()))
    return error(errc::invalid_argument,
                 concat({place(), " takes ", name_of(expected.type), expected.nullable ? " or null" : ", not null",
                         ", the value is ", name_of(value.kind())}));
  const status good = checker.check(value, 0);
  return good ? good : good.error().within(place());
}

}  // namespace row_check_detail

// The same for one value that is to be a column's, by itself.
template <class = void>
[[nodiscard]] status check_value(const value_view& value, const column& expected, const limits& bounds) {
  row_check_detail::value_checker checker(bounds);
  if (const status good = row_check_detail::check_for(expected, value, checker); !good) return good;
  if (checker.bytes() <= bounds.row_bytes_max) return {};
  return error(errc::limit_exceeded, concat({"column '", expected.name, "' has about ", checker.bytes(),
                                             " bytes, limits::row_bytes_max is ", bounds.row_bytes_max}));
}

namespace row_check_detail {

// Whether it is a row as most are: of plain values of the right kinds.
template <class = void>
[[nodiscard]] bool is_plain_row(const list_view& values, const schema& columns, const limits& bounds) {
  const value_view* each = values.views();
  if (each == nullptr || values.size() != columns.size()) return false;
  value_checker checker(bounds);
  for (const column& expected : columns) {
    if (!expected.takes(each->kind()) || !checker.is_plain(*each)) return false;
    ++each;
  }
  return checker.bytes() <= bounds.row_bytes_max;
}

// Any row.
template <class = void>
[[nodiscard]] [[gnu::noinline]] status check_values(const row_view& values, const schema& columns,
                                                    const limits& bounds) {
  if (values.size() != columns.size())
    return error(errc::invalid_argument,
                 concat({"the row has ", values.size(), values.size() == 1 ? " value" : " values", ", the table has ",
                         columns.size(), " columns"}));
  value_checker checker(bounds);
  for (std::size_t at = 0; at < columns.size(); ++at)
    if (const status good = check_for(columns[at], values[at], checker); !good) return good;
  if (checker.bytes() <= bounds.row_bytes_max) return {};
  return error(errc::limit_exceeded, concat({"the row has about ", checker.bytes(), " bytes, limits::row_bytes_max is ",
                                             bounds.row_bytes_max}));
}

}  // namespace row_check_detail

// errc::invalid_argument or errc::limit_exceeded, saying which column is wrong and how. One pass over the values, or a
// second one where the first has found something out of the ordinary.
template <class = void>
[[nodiscard]] status check_row(const row_view& values, const schema& columns, const limits& bounds) {
  if (row_check_detail::is_plain_row(values.values(), columns, bounds)) return {};
  return row_check_detail::check_values(values, columns, bounds);
}

// How errors call one of the rows that are written together.
template <class = void>
[[nodiscard]] std::string describe_row(std::size_t number, std::size_t count, std::string_view table) {
  return count == 1 ? concat({"table ", table}) : concat({"row ", number, " for table ", table});
}

// The same for all rows of a table; the error says which row it is.
template <class Rows>
[[nodiscard]] status check_rows(const Rows& rows, const table_state& table, const limits& bounds) {
  std::size_t number = 0;
  for (const auto& each : rows) {
    const status good = check_row(each, table.columns, bounds);
    if (!good) return good.error().within(describe_row(number, rows.size(), table.name));
    ++number;
  }
  return {};
}

}  // namespace tarn::inline TARN_ABI
