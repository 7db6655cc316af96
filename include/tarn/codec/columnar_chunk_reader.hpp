// The values of one chunk as arrays, checked.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/value.hpp"
#include "column_view.hpp"
#include "columnar_bytes.hpp"
#include "columnar_integers.hpp"
#include "columnar_texts.hpp"
#include "columnar_values.hpp"

namespace tarn::inline TARN_ABI::columnar {

// A chunk that was read. What it refers to is in the arena and in the chunk.
struct column_read {
  column_view view;
  std::uint64_t bytes_max = 1;  // no value measures more
};

// Reads chunks of at least one row. Whatever the bytes are, no value is handed out that a table would not take. Keeps
// its own memory for the next chunk.
template <class = void>
class chunk_reader {
 public:
  explicit chunk_reader(std::uint32_t nesting_depth_max) noexcept : values_(nesting_depth_max) {}

  // If not good, nothing can be said of `read`.
  [[nodiscard]] outcome read(std::string_view chunk, std::size_t rows, arena& memory, column_read& read) {
    memory_ = &memory;
    input<> in(chunk);
    rows_ = rows;
    outcome_ = outcome::damaged;
    return read_mask(in) && read_values(in, read) && in.left() == 0 ? outcome::good : outcome_;
  }

 private:
  using form = column_view::form;

  [[nodiscard]] bool has(kind of) const noexcept { return (mask_ >> static_cast<unsigned>(of) & 1U) != 0; }

  // Which kinds there are, of which kind each row's value is, and how many are of each.
  [[nodiscard]] bool read_mask(input<>& in) {
    ranks_ = nullptr;
    unsigned char mask;
    if (!in.take_byte(mask) || mask == 0) return false;
    mask_ = mask;
    const auto present = static_cast<unsigned>(std::popcount(mask));
    for (std::size_t& count : counts_) count = 0;
    counts_[0] = rows_;
    if (present == 1) return true;
    auto* const ranks = memory_->allocate<unsigned char>(rows_);
    integer_reader<unsigned char> reader(ranks, rows_);
    if (!reader.read(in, *memory_) || reader.greatest() >= present) return false;
    counts_[0] = 0;
    for (std::size_t row = 0; row < rows_; ++row) ++counts_[ranks[row]];
    for (unsigned rank = 0; rank < present; ++rank)
      if (counts_[rank] == 0) return false;
    ranks_ = ranks;
    return true;
  }

  [[nodiscard]] bool read_values(input<>& in, column_read& read) {
    switch (mask_ & ~1U) {
      case 0: read = {column_view(form::nulls, nullptr, nullptr, rows_), 1}; return true;
      case 1U << static_cast<unsigned>(kind::boolean): return read_typed<bool>(in, form::booleans, read);
      case 1U << static_cast<unsigned>(kind::integer): return read_typed<std::int64_t>(in, form::integers, read);
      case 1U << static_cast<unsigned>(kind::real): return read_typed<double>(in, form::doubles, read);
      case 1U << static_cast<unsigned>(kind::string): return read_typed<std::string_view>(in, form::strings, read);
      case 1U << static_cast<unsigned>(kind::bytes): return read_typed<std::string_view>(in, form::bytes, read);
      default: return read_any(in, read);
    }
  }

  // One array, with an element for each row.
  template <class T>
  [[nodiscard]] bool read_typed(input<>& in, form of, column_read& read) {
    const std::size_t count = ranks_ == nullptr ? rows_ : counts_[1];
    T* elements;
    if constexpr (std::is_same_v<T, std::string_view>) {
      texts_read texts;
      if (!text_reader<>(of == form::strings, *memory_).read(in, count, rows_, texts)) return false;
      elements = texts.texts;
      read.bytes_max = 1 + texts.longest;
    } else {
      elements = read_numbers<T>(in, count);
      if (elements == nullptr) return false;
      read.bytes_max = sizeof(T) < 8 ? 1 : 9;
    }
    if (ranks_ != nullptr) spread(elements, count);
    read.view = column_view(of, elements, ranks_, rows_);
    return true;
  }

  // In an array that has room for as many as there are rows; null if they are damaged.
  template <class T>
  [[nodiscard]] T* read_numbers(input<>& in, std::size_t count) {
    T* const numbers = memory_->allocate<T>(rows_);
    integer_reader<T> reader(numbers, count);
    if (!reader.read(in, *memory_)) return nullptr;
    return sizeof(T) < 8 && reader.greatest() > 1 ? nullptr : numbers;
  }

  // Moves the values that are not null to where their rows are.
  template <class T>
  void spread(T* elements, std::size_t count) const noexcept {
    for (std::size_t row = rows_; row-- > 0;) elements[row] = ranks_[row] == 0 ? T() : elements[--count];
  }

  // Values of several kinds, or lists, or maps.
  [[nodiscard]] bool read_any(input<>& in, column_read& read) {
    auto* const values = memory_->allocate<value_view>(rows_);
    read = {column_view(form::values, values, nullptr, rows_), 1};
    unsigned rank = 0;
    for (unsigned of = 0; of < kinds; ++of)
      if (has(static_cast<kind>(of)) && !read_lane(in, static_cast<kind>(of), rank++, values, read.bytes_max))
        return false;
    return true;
  }

  // The values of one kind.
  [[nodiscard]] bool read_lane(input<>& in, kind of, unsigned rank, value_view* values, std::uint64_t& bytes_max) {
    const std::size_t count = counts_[rank];
    switch (of) {
      case kind::null: return place(rank, values, [](std::size_t) { return value_view(); });
      case kind::boolean: {
        const bool* const read = read_numbers<bool>(in, count);
        return read != nullptr && place(rank, values, [read](std::size_t index) { return value_view(read[index]); });
      }
      case kind::integer: {
        const auto* const read = read_numbers<std::int64_t>(in, count);
        raise(bytes_max, 9);
        return read != nullptr && place(rank, values, [read](std::size_t index) { return value_view(read[index]); });
      }
      case kind::real: {
        const auto* const read = read_numbers<double>(in, count);
        raise(bytes_max, 9);
        return read != nullptr && place(rank, values, [read](std::size_t index) { return value_view(read[index]); });
      }
      case kind::string:
      case kind::bytes: {
        texts_read read;
        if (!text_reader<>(of == kind::string, *memory_).read(in, count, count, read)) return false;
        raise(bytes_max, 1 + read.longest);
        return place(rank, values, [&](std::size_t index) {
          return of == kind::string ? value_view(read.texts[index]) : value_view(bytes{read.texts[index]});
        });
      }
      case kind::list:
      case kind::map: return read_nested(in, of, rank, values, bytes_max);
    }
    return false;
  }

  // Equal ones in a dictionary are read once.
  [[nodiscard]] bool read_nested(input<>& in, kind of, unsigned rank, value_view* values, std::uint64_t& bytes_max) {
    texts_read read;
    if (!text_reader<>(false, *memory_).read(in, counts_[rank], counts_[rank], read)) return false;
    // Each byte of theirs, a kind or a size, stands for nine at most.
    raise(bytes_max, 9 * (1 + read.longest));
    const bool has_dictionary = read.places != nullptr;
    const std::string_view* const texts = has_dictionary ? read.entries : read.texts;
    const std::size_t count = has_dictionary ? read.entry_count : counts_[rank];
    auto* const nested = memory_->allocate<value_view>(count);
    for (std::size_t index = 0; index < count; ++index) {
      auto& value = *new (nested + index) value_view();
      outcome_ = values_.read(of, texts[index], *memory_, value);
      if (outcome_ != outcome::good) return false;
    }
    outcome_ = outcome::damaged;
    return place(rank, values, [&](std::size_t index) { return nested[has_dictionary ? read.places[index] : index]; });
  }

  // Puts the values of one kind to where their rows are; true.
  template <class ValueAt>
  bool place(unsigned rank, value_view* values, ValueAt value_at) const {
    std::size_t index = 0;
    for (std::size_t row = 0; row < rows_; ++row)
      if (ranks_ == nullptr || ranks_[row] == rank) new (values + row) value_view(value_at(index++));
    return true;
  }

  static void raise(std::uint64_t& bytes_max, std::uint64_t to) noexcept {
    bytes_max = to > bytes_max ? to : bytes_max;
  }

  arena* memory_ = nullptr;  // while it reads
  value_reader<> values_;
  std::size_t rows_ = 0;
  unsigned mask_ = 0;
  const unsigned char* ranks_ = nullptr;  // of each row's kind among those that there are; null: there is one
  std::size_t counts_[kinds] = {};        // by rank
  outcome outcome_ = outcome::damaged;
};

}  // namespace tarn::inline TARN_ABI::columnar
