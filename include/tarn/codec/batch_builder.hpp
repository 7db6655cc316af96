// Rows put together to columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "../core/arena.hpp"
#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"
#include "../core/value_copy.hpp"
#include "column_view.hpp"

namespace tarn::inline TARN_ABI {

// How long batches are that are put together: 8,192 rows; fewer if there are many columns, or once there are texts of
// more than 1 MiB.
struct batch_limits {
  static constexpr std::size_t bytes_max = std::size_t{1} << 20;

  // Of so many columns.
  [[nodiscard]] static constexpr std::size_t rows_of(std::size_t columns) noexcept {
    const std::size_t fitting = columns == 0 ? rows_max : values_max / columns;
    return fitting == 0 ? 1 : fitting < rows_max ? fitting : rows_max;
  }

 private:
  static constexpr std::size_t rows_max = 8'192;
  static constexpr std::size_t values_max = 131'072;
};

// Gathers rows in batches. Movable; not thread-safe. Memory: see batch_limits; kept for the next batch.
template <class = void>
class batch_builder {
 public:
  batch_builder() = default;
  // Of rows with `column_count` values, of which only the wanted ones are kept.
  batch_builder(array_view<std::size_t> wanted, std::size_t column_count) {
    for (const std::size_t place : wanted) columns_.emplace_back(gathered_column{place});
    for (std::size_t at = 0; at < column_count; ++at) views_.emplace_back();
    rows_full_ = batch_limits::rows_of(wanted.size());
  }

  // Begins the next batch: the one before is gone.
  void clear() noexcept {
    for (gathered_column& each : columns_) each.clear();
    memory_.clear();
    rows_ = 0;
  }

  // A copy of the row. Amortised cost: 24 bytes a value, and the bytes of texts.
  void append(const list_view& values) {
    for (gathered_column& each : columns_) each.append(copy_value(values[each.place], memory_));
    ++rows_;
  }
  [[nodiscard]] bool is_full() const noexcept {
    return rows_ >= rows_full_ || memory_.byte_size() >= batch_limits::bytes_max;
  }

  // Makes a batch of the rows that were appended since the last `clear`, which is valid until the next one.
  const row_batch& finish() {
    for (column_view& each : views_) each = column_view(column_view::form::nulls, nullptr, nullptr, rows_);
    for (const gathered_column& each : columns_) views_[each.place] = view_of(each);
    batch_ = row_batch(views_.data(), views_.size(), rows_);
    return batch_;
  }
  [[nodiscard]] const row_batch& batch() const noexcept { return batch_; }

 private:
  using form = column_view::form;

  struct gathered_column {
    std::size_t place;
    unsigned kinds = 0;  // bit k: there is a value of kind k
    sequence<value_view> values = {};

    void append(const value_view& value) {
      kinds |= bit_of(value.kind());
      values.push_back(value);
    }
    void clear() noexcept {
      kinds = 0;
      values.clear();
    }
  };

  [[nodiscard]] static constexpr unsigned bit_of(kind of) noexcept { return 1U << static_cast<unsigned>(of); }

  [[nodiscard]] column_view view_of(const gathered_column& from) {
    switch (from.kinds & ~bit_of(kind::null)) {
      case 0: return {form::nulls, nullptr, nullptr, rows_};
      case bit_of(kind::boolean):
        return typed<bool>(form::booleans, from, [](const value_view& each) { return each.as_boolean(); });
      case bit_of(kind::integer):
        return typed<std::int64_t>(form::integers, from, [](const value_view& each) { return each.as_integer(); });
      case bit_of(kind::real):
        return typed<double>(form::doubles, from, [](const value_view& each) { return each.as_double(); });
      case bit_of(kind::string):
        return typed<std::string_view>(form::strings, from, [](const value_view& each) { return each.as_string(); });
      case bit_of(kind::bytes):
        return typed<std::string_view>(form::bytes, from, [](const value_view& each) { return each.as_bytes(); });
      default: return {form::values, from.values.data(), nullptr, rows_};
    }
  }

  template <class T, class Read>
  [[nodiscard]] column_view typed(form of, const gathered_column& from, Read read) {
    const bool has_nulls = (from.kinds & bit_of(kind::null)) != 0;
    T* const elements = memory_.allocate<T>(rows_);
    auto* const present = has_nulls ? memory_.allocate<unsigned char>(rows_) : nullptr;
    for (std::size_t at = 0; at < rows_; ++at) {
      const value_view& each = from.values[at];
      new (elements + at) T(each.is_null() ? T() : read(each));
      if (has_nulls) present[at] = each.is_null() ? 0 : 1;
    }
    return {of, elements, present, rows_};
  }

  sequence<gathered_column> columns_;  // that are wanted, in any order
  sequence<column_view> views_;        // of all columns
  std::size_t rows_full_ = 1;
  std::size_t rows_ = 0;
  arena memory_;  // of texts, lists and maps, and of finished arrays
  row_batch batch_;
};

}  // namespace tarn::inline TARN_ABI
