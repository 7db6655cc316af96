// Columns put together from pieces: runs of other columns, and single rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

#include "../codec/batch_builder.hpp"
#include "../codec/column_view.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"
#include "../core/value_copy.hpp"

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
};

// Some rows of one column, declared as it is. Memory: an element for each row that there is room for, in an arena.
class gathered_column {
 public:
  // The column must outlive this.
  explicit gathered_column(const column& declared) : declared_(&declared), form_(form_of(declared.type)) {}

  // Begins anew, with room for so many rows.
  void clear(arena& memory, std::size_t room) {
    size_ = 0;
    has_nulls_ = false;
    elements_ = memory.allocate<char>(room * element_size());
    present_ = form_ != form::values && declared_->nullable ? memory.allocate<unsigned char>(room) : nullptr;
  }

  // Rows [first, first + count) of a column. Texts are not copied. False if they are not what this column takes.
  [[nodiscard]] bool append(const read_column& from, std::size_t first, std::size_t count) {
    if (!append_presence(from.values, first, count)) return false;
    char* const to = elements_ + size_ * element_size();
    size_ += count;
    if (from.values.has() == form_) {
      std::memcpy(to, static_cast<const char*>(from.values.data()) + first * element_size(), count * element_size());
      return true;
    }
    if (form_ == form::values) return put_values(to, from.values, first, count);
    if (from.values.has() == form::nulls) return put_zeros(to, count);
    return from.widened && from.values.has() == form::integers && put_widened(to, from.values, first, count);
  }

  // One value more; texts, lists and maps are copied. False if this column does not take it.
  [[nodiscard]] bool append(const value_view& value, arena& memory) {
    if (!declared_->takes(value.kind())) return false;
    if (present_ != nullptr) present_[size_] = value.is_null() ? 0 : 1;
    has_nulls_ = has_nulls_ || value.is_null();
    char* const to = elements_ + size_++ * element_size();
    if (form_ == form::values) return put(to, copy_value(value, memory));
    if (value.is_null()) return put_zeros(to, 1);
    switch (form_) {
      case form::booleans: return put(to, value.as_boolean());
      case form::integers: return put(to, value.as_integer());
      case form::doubles: return put(to, value.as_double());
      case form::strings: return put(to, copy_value(value, memory).as_string());
      default: return put(to, copy_value(value, memory).as_bytes());
    }
  }

  // Valid until the memory is cleared.
  [[nodiscard]] column_view view() const noexcept { return {form_, elements_, has_nulls_ ? present_ : nullptr, size_}; }
  [[nodiscard]] const column& declared() const noexcept { return *declared_; }

 private:
  using form = column_view::form;

  [[nodiscard]] std::size_t element_size() const noexcept {
    return column_view(form_, nullptr, nullptr, 0).element_size();
  }

  // Which of the rows are not null. Of the form `values` each says so itself.
  [[nodiscard]] bool append_presence(const column_view& from, std::size_t first, std::size_t count) {
    if (!declared_->nullable && (from.has_nulls() || from.has() == form::values))
      for (std::size_t index = first; index < first + count; ++index)
        if (from.is_null(index)) return false;
    if (present_ == nullptr) return true;
    has_nulls_ = has_nulls_ || from.has_nulls();
    if (from.present() != nullptr)
      std::memcpy(present_ + size_, from.present() + first, count);
    else
      std::memset(present_ + size_, from.has() == form::nulls ? 0 : 1, count);
    return true;
  }

  template <class T>
  static bool put(void* to, T value) {
    new (to) T(value);
    return true;
  }
  static bool put_values(char* to, const column_view& from, std::size_t first, std::size_t count) {
    for (std::size_t index = first; index < first + count; ++index, to += sizeof(value_view))
      (void)put(to, from[index]);
    return true;
  }
  static bool put_widened(char* to, const column_view& from, std::size_t first, std::size_t count) {
    const std::int64_t* const integers = from.integers().data() + first;
    for (std::size_t index = 0; index < count; ++index, to += sizeof(double))
      (void)put(to, static_cast<double>(integers[index]));
    return true;
  }
  // What stands for null.
  [[nodiscard]] bool put_zeros(char* to, std::size_t count) const {
    for (std::size_t index = 0; index < count; ++index, to += element_size()) switch (form_) {
        case form::booleans: (void)put(to, false); break;
        case form::integers: (void)put(to, std::int64_t{0}); break;
        case form::doubles: (void)put(to, 0.0); break;
        default: (void)put(to, std::string_view()); break;
      }
    return true;
  }

  const column* declared_;
  form form_;
  char* elements_ = nullptr;
  unsigned char* present_ = nullptr;  // null: no value is null, or it says so itself
  bool has_nulls_ = false;
  std::size_t size_ = 0;
};

}  // namespace tarn::inline TARN_ABI
