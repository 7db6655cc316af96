// Rows: `row` owns its values, `row_view` refers to them.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "config.hpp"
#include "schema.hpp"
#include "sequence.hpp"
#include "value.hpp"

namespace tarn::inline TARN_ABI {

using row = sequence<value>;

// A row by reference: valid as long as what it was made of. A row that a scan hands out knows its columns and is valid
// until the scan moves on; `row(view.begin(), view.end())` keeps it.
class row_view {
 public:
  constexpr row_view() noexcept = default;
  row_view(std::initializer_list<value_view> values) noexcept : values_(values.begin(), values.size()) {}
  row_view(const array_of_values auto& values) noexcept : values_(values) {}
  row_view(list_view values, const schema* columns = nullptr) noexcept : values_(values), columns_(columns) {}

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  // `index` must be less than size(). A template: a literal 0 would else be as good a `const char*`.
  [[nodiscard]] [[gnu::always_inline]] value_view operator[](std::integral auto index) const noexcept {
    return values_[static_cast<std::size_t>(index)];
  }
  // The value in the column of this name; fails loudly (see `fail`) if there is none. Linear in the number of columns:
  // for many rows, look the place up once with `schema::find`.
  template <class = void>
  [[nodiscard]] value_view operator[](std::string_view column_name) const {
    return at(column_name);
  }
  template <class = void>
  [[nodiscard]] value_view operator[](const char* column_name) const {
    return at(column_name);
  }

  [[nodiscard]] list_view values() const noexcept { return values_; }
  // Null if its columns have no names.
  [[nodiscard]] const schema* columns() const noexcept { return columns_; }
  [[nodiscard]] index_iterator<list_view> begin() const noexcept { return values_.begin(); }
  [[nodiscard]] index_iterator<list_view> end() const noexcept { return values_.end(); }

  template <class = void>
  [[nodiscard]] friend bool operator==(const row_view& a, const row_view& b) noexcept {
    return are_same(a.values_, b.values_);
  }

 private:
  template <class = void>
  [[nodiscard]] value_view at(std::string_view column_name) const {
    const std::size_t at = columns_ == nullptr ? schema::none : columns_->find(column_name);
    if (at == schema::none)
      fail(error(errc::invalid_argument, concat({"the row has no column named '", column_name, "'"})));
    return values_[at];
  }

  list_view values_;
  const schema* columns_ = nullptr;
};

}  // namespace tarn::inline TARN_ABI
