// What a table's rows look like.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "config.hpp"
#include "sequence.hpp"
#include "strong_types.hpp"
#include "value.hpp"

namespace tarn::inline TARN_ABI {

enum class nullability : bool { nullable, not_null };

// `any` (the article's only kind) takes values of every kind; a declared type takes that kind and, unless the column is
// not_null, null. Nothing is converted: an integer is not taken for a double.
enum class column_type : unsigned char { any, boolean, integer, real, string, bytes, list, map };

[[nodiscard]] constexpr std::string_view name_of(column_type type) noexcept {
  return type == column_type::any ? "any" : name_of(static_cast<kind>(type));
}

// False, and `type` as it was, if `name` is no type's name.
template <class = void>
[[nodiscard]] bool parse_column_type(std::string_view name, column_type& type) noexcept {
  for (unsigned char at = 0; at <= static_cast<unsigned char>(column_type::map); ++at)
    if (name_of(static_cast<column_type>(at)) == name) {
      type = static_cast<column_type>(at);
      return true;
    }
  return false;
}

// Whether a key, or the ordering, may have such a column: what compares in one way only.
[[nodiscard]] constexpr bool is_key_type(column_type type, bool may_be_boolean) noexcept {
  return type == column_type::integer || type == column_type::string || type == column_type::bytes ||
         (type == column_type::boolean && may_be_boolean);
}

struct column {
  // Implicit from a name, so that a schema can be written as {"id", "name", {"born", column_type::integer}}.
  template <class = void>
  column(std::string_view column_name, column_type declared = column_type::any,
         nullability nulls = nullability::nullable)
      : name(column_name), type(declared), nullable(nulls == nullability::nullable) {}
  template <class = void>
  column(const char* column_name, column_type declared = column_type::any, nullability nulls = nullability::nullable)
      : column(std::string_view(column_name), declared, nulls) {}

  // Whether the column takes a value of this kind.
  [[nodiscard]] bool takes(kind k) const noexcept {
    if (k == kind::null) return nullable;
    return type == column_type::any || static_cast<kind>(type) == k;
  }

  std::string name;
  column_type type;
  bool nullable;
  column_id id;  // given when the table is created; stays when the column is renamed
};

// The columns of a table, in order. Their names differ from one another and are not empty; `check_schema` in
// table/row_check.hpp says what is wrong with one.
class schema {
 public:
  schema() = default;
  template <class = void>
  schema(std::initializer_list<column> columns) : columns_(columns) {}
  template <class = void>
  explicit schema(sequence<column> columns) : columns_(std::move(columns)) {}
  // Of any other container of columns.
  template <class Columns>
    requires requires(const Columns& columns) { requires std::same_as<decltype(*columns.begin()), const column&>; }
  explicit schema(const Columns& columns) : columns_(columns.begin(), columns.end()) {}

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
  [[nodiscard]] const column& operator[](std::size_t index) const noexcept { return columns_[index]; }
  [[nodiscard]] const column* begin() const noexcept { return columns_.begin(); }
  [[nodiscard]] const column* end() const noexcept { return columns_.end(); }

  // The place of the column called `name`, or `none`. Linear in the number of columns.
  template <class = void>
  [[nodiscard]] std::size_t find(std::string_view name) const noexcept {
    for (std::size_t at = 0; at < columns_.size(); ++at)
      if (columns_[at].name == name) return at;
    return none;
  }

  // The same by id. Looks from place `first` on, then at those before: whoever looks up many in their order, each from
  // where the last was found, passes all of them once.
  template <class = void>
  [[nodiscard]] std::size_t find(column_id id, std::size_t first = 0) const noexcept {
    for (std::size_t passed = 0; passed < columns_.size(); ++passed)
      if (const std::size_t at = (first + passed) % columns_.size(); columns_[at].id == id) return at;
    return none;
  }
  // The greatest id of all.
  template <class = void>
  [[nodiscard]] column_id last_id() const noexcept {
    column_id last;
    for (const column& each : columns_)
      if (each.id > last) last = each.id;
    return last;
  }

  void forbid_null(std::size_t index) noexcept { columns_[index].nullable = false; }

  // Gives every column the id of its place, counted from 1.
  template <class = void>
  void number_columns() noexcept {
    for (std::size_t at = 0; at < columns_.size(); ++at) columns_[at].id = {static_cast<std::uint32_t>(at + 1)};
  }

 private:
  sequence<column> columns_;
};

}  // namespace tarn::inline TARN_ABI
