// Columns of some rows: for programs that take a column at a time.
//
//   while (scan.next()) {
//     const column_view& readings = scan.batch().column(2);
//     for (const double each : readings.doubles()) sum += each;
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

// The values of one column in some rows, by reference: valid until whoever handed them out moves on.
//
// A column whose values that are not null are all integers, doubles, booleans, strings or bytes is an array of those,
// in which a null is 0, false or empty. Any other (several kinds, lists, maps) is an array of value_view. Each array
// has an element for each row; those that the column does not have are empty.
class column_view {
 public:
  enum class form : unsigned char { nulls, booleans, integers, doubles, strings, bytes, values };

  constexpr column_view() noexcept = default;
  constexpr column_view(form of, const void* elements, const unsigned char* present, std::size_t size) noexcept
      : form_(of), elements_(elements), present_(present), size_(size) {}

  [[nodiscard]] constexpr form has() const noexcept { return form_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

  // Of the forms `nulls` and `values` each value says itself whether it is null.
  [[nodiscard]] constexpr bool has_nulls() const noexcept { return present_ != nullptr || form_ == form::nulls; }
  [[nodiscard]] bool is_null(std::size_t index) const noexcept {
    if (form_ == form::values) return static_cast<const value_view*>(elements_)[index].is_null();
    return form_ == form::nulls || (present_ != nullptr && present_[index] == 0);
  }
  // A byte for each row, 0 where it is null; null if `is_null` is the same for all rows, or the form is `values`.
  [[nodiscard]] constexpr const unsigned char* present() const noexcept { return present_; }

  [[nodiscard]] array_view<bool> booleans() const noexcept { return elements<bool>(form::booleans); }
  [[nodiscard]] array_view<std::int64_t> integers() const noexcept { return elements<std::int64_t>(form::integers); }
  [[nodiscard]] array_view<double> doubles() const noexcept { return elements<double>(form::doubles); }
  [[nodiscard]] array_view<std::string_view> strings() const noexcept {
    return elements<std::string_view>(form::strings);
  }
  [[nodiscard]] array_view<std::string_view> bytes() const noexcept { return elements<std::string_view>(form::bytes); }
  [[nodiscard]] array_view<value_view> values() const noexcept { return elements<value_view>(form::values); }

  // Of whatever form. `index` must be less than size().
  [[nodiscard]] value_view operator[](std::size_t index) const noexcept {
    if (is_null(index)) return {};
    switch (form_) {
      case form::nulls: return {};
      case form::booleans: return static_cast<const bool*>(elements_)[index];
      case form::integers: return static_cast<const std::int64_t*>(elements_)[index];
      case form::doubles: return static_cast<const double*>(elements_)[index];
      case form::strings: return static_cast<const std::string_view*>(elements_)[index];
      case form::bytes: return tarn::bytes{static_cast<const std::string_view*>(elements_)[index]};
      case form::values: return static_cast<const value_view*>(elements_)[index];
    }
    return {};
  }

  // All but the first `count` rows, of which there must be as many.
  [[nodiscard]] column_view from(std::size_t count) const noexcept {
    const void* const rest =
        elements_ == nullptr ? nullptr : static_cast<const char*>(elements_) + count * element_size();
    return {form_, rest, present_ == nullptr ? nullptr : present_ + count, size_ - count};
  }

  // What all forms have: the array, null for the form `nulls`, and the bytes of each element, which has no destructor.
  [[nodiscard]] constexpr const void* data() const noexcept { return elements_; }
  [[nodiscard]] constexpr std::size_t element_size() const noexcept {
    switch (form_) {
      case form::nulls: return 0;
      case form::booleans: return sizeof(bool);
      case form::integers: return sizeof(std::int64_t);
      case form::doubles: return sizeof(double);
      case form::strings:
      case form::bytes: return sizeof(std::string_view);
      case form::values: return sizeof(value_view);
    }
    return 0;
  }

 private:
  template <class T>
  [[nodiscard]] array_view<T> elements(form wanted) const noexcept {
    return form_ == wanted ? array_view<T>(static_cast<const T*>(elements_), size_) : array_view<T>();
  }

  form form_ = form::nulls;
  const void* elements_ = nullptr;
  const unsigned char* present_ = nullptr;
  std::size_t size_ = 0;
};

// Some rows, column by column; valid until whoever handed them out moves on. A column that was not asked for is of
// nulls only.
class row_batch {
 public:
  constexpr row_batch() noexcept = default;
  constexpr row_batch(const column_view* columns, std::size_t column_count, std::size_t rows) noexcept
      : columns_(columns, column_count), rows_(rows) {}

  [[nodiscard]] constexpr std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] constexpr std::size_t column_count() const noexcept { return columns_.size(); }
  // `index` must be less than column_count().
  [[nodiscard]] constexpr const column_view& column(std::size_t index) const noexcept { return columns_[index]; }

 private:
  array_view<column_view> columns_;
  std::size_t rows_ = 0;
};

}  // namespace tarn::inline TARN_ABI
