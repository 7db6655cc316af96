// Columns put together from pieces of others.
//
//   pieces   base 0-2   run 7   base 4-5      the rows, in their order: joined where they are next to each other
//   column   a b c      d'      e f           gathered from one piece after the other, before the next column is
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "../codec/column_view.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

// The form of the columns that are declared with this type; `values`: it has no form of its own.
[[nodiscard]] constexpr column_view::form form_of(column_type type) noexcept {
  switch (type) {
    case column_type::boolean: return column_view::form::booleans;
    case column_type::integer: return column_view::form::integers;
    case column_type::real: return column_view::form::doubles;
    case column_type::string: return column_view::form::strings;
    case column_type::bytes: return column_view::form::bytes;
    default: return column_view::form::values;
  }
}

// A column as some object has it; its integers may have to be widened to doubles.
struct read_column {
  column_view values;
  bool widened = false;

  [[nodiscard]] value_view operator[](std::size_t index) const noexcept {
    const value_view value = values[index];
    return widened && value.kind() == kind::integer ? value_view(static_cast<double>(value.as_integer())) : value;
  }
};

// Some rows next to each other. The source has columns: `column(at)` is a read_column.
template <class Source>
struct row_piece {
  const Source* source;
  std::size_t first;
  std::size_t count;
};

// Rows of several sources, in order. Not thread-safe.
template <class Source>
class row_pieces {
 public:
  using piece = row_piece<Source>;

  void clear() noexcept {
    pieces_.clear();
    rows_ = 0;
  }
  // Appends `count` rows, at least one, of a source that stays where it is.
  void add(const Source& source, std::size_t first, std::size_t count) {
    rows_ += count;
    if (!pieces_.empty()) {
      piece& last = pieces_.back();
      if (last.source == &source && last.first + last.count == first) {
        last.count += count;
        return;
      }
    }
    pieces_.push_back({&source, first, count});
  }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }

  // The rows' values of column number `at` of the sources, declared so. Elements are copied to `memory`; texts, lists
  // and maps stay in the sources. Returns null or, if there are values that the column does not take, a piece of them.
  [[nodiscard]] const piece* gather(std::size_t at, const column& declared, arena& memory, column_view& into) const {
    switch (form_of(declared.type)) {
      case form::booleans: return gather_as<form::booleans, bool>(at, declared, memory, into);
      case form::integers: return gather_as<form::integers, std::int64_t>(at, declared, memory, into);
      case form::doubles: return gather_as<form::doubles, double>(at, declared, memory, into);
      case form::strings: return gather_as<form::strings, std::string_view>(at, declared, memory, into);
      case form::bytes: return gather_as<form::bytes, std::string_view>(at, declared, memory, into);
      default: return gather_values(at, declared, memory, into);
    }
  }

 private:
  using form = column_view::form;

  template <form Form, class T>
  [[nodiscard]] const piece* gather_as(std::size_t at, const column& declared, arena& memory, column_view& into) const {
    T* const elements = memory.allocate<T>(rows_);
    T* to = elements;
    bool has_nulls = false;
    for (const piece& each : pieces_) {
      const read_column& from = each.source->column(at);
      const bool has_form = from.values.has() == Form;
      if (has_form)
        copy_elements(to, static_cast<const T*>(from.values.data()) + each.first, each.count);
      else if (!convert<Form>(to, from, each, declared))
        return &each;
      to += each.count;
      if (has_form && from.values.present() == nullptr) continue;
      if (has_nulls || !has_null(from.values, each)) continue;
      if (!declared.nullable) return &each;
      has_nulls = true;
    }
    into = column_view(Form, elements, has_nulls ? gather_presence(at, memory) : nullptr, rows_);
    return nullptr;
  }
  template <class T>
  static void copy_elements(T* to, const T* from, std::size_t count) noexcept {
    if (count == 1)
      new (to) T(*from);  // what changes leave of a base, and they themselves, is mostly short
    else
      std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
  }
  // Of a column of another form, as one of several kinds, or nulls only. False if there is a value of another kind.
  template <form Form, class T>
  [[nodiscard]] static bool convert(T* to, const read_column& from, const piece& rows, const column& declared) {
    for (std::size_t index = rows.first; index < rows.first + rows.count; ++index, ++to) {
      const value_view value = from[index];
      if (value.is_null())
        new (to) T();
      else if (declared.takes(value.kind()))
        new (to) T(element_of<Form>(value));
      else
        return false;
    }
    return true;
  }
  template <form Form>
  [[nodiscard]] static auto element_of(const value_view& value) {
    if constexpr (Form == form::booleans)
      return value.as_boolean();
    else if constexpr (Form == form::integers)
      return value.as_integer();
    else if constexpr (Form == form::doubles)
      return value.as_double();
    else if constexpr (Form == form::strings)
      return value.as_string();
    else
      return std::string_view(value.as_bytes());
  }

  [[nodiscard]] static bool has_null(const column_view& values, const piece& rows) noexcept {
    if (values.present() != nullptr)
      return rows.count == 1 ? values.present()[rows.first] == 0
                             : std::memchr(values.present() + rows.first, 0, rows.count) != nullptr;
    for (std::size_t index = rows.first; index < rows.first + rows.count; ++index)
      if (values.is_null(index)) return true;
    return false;
  }
  // A byte for each row, 0 where it is null.
  [[nodiscard]] const unsigned char* gather_presence(std::size_t at, arena& memory) const {
    auto* const present = memory.allocate<unsigned char>(rows_);
    unsigned char* to = present;
    for (const piece& each : pieces_) {
      const column_view& from = each.source->column(at).values;
      if (from.present() != nullptr)
        copy_elements(to, from.present() + each.first, each.count);
      else
        for (std::size_t index = 0; index < each.count; ++index) to[index] = from.is_null(each.first + index) ? 0 : 1;
      to += each.count;
    }
    return present;
  }

  // Of a column that has no form of its own: each value says itself whether it is null.
  [[nodiscard]] const piece* gather_values(std::size_t at, const column& declared, arena& memory,
                                           column_view& into) const {
    auto* const elements = memory.allocate<value_view>(rows_);
    value_view* to = elements;
    for (const piece& each : pieces_) {
      const read_column& from = each.source->column(at);
      for (std::size_t index = each.first; index < each.first + each.count; ++index, ++to) {
        new (to) value_view(from.values[index]);
        if (!declared.takes(to->kind())) return &each;
      }
    }
    into = column_view(form::values, elements, nullptr, rows_);
    return nullptr;
  }

  sequence<piece> pieces_;
  std::size_t rows_ = 0;
};

}  // namespace tarn::inline TARN_ABI
