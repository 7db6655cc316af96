// What an add-action says of the values in an object, so that readers can leave it alone: least and greatest value and
// number of nulls, of each of its first columns.
//
// A lake may be made of many thousand objects, and each has bounds: they are kept close together, in one piece of
// memory for an object or for a hundred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <utility>

#include "../core/arena.hpp"
#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/value.hpp"
#include "../core/value_copy.hpp"

namespace tarn::inline TARN_ABI {

// Of one column of one object. The bounds are values of the column, never cut or rounded; a column whose values have no
// such order (several kinds, NaN, -0.0, long text, lists and maps) has none.
struct column_bounds {
  column_id column;
  std::uint64_t nulls = 0;
  bool bounded = false;  // else `min` and `max` mean nothing: nothing but null is in the column, or anything may be
  value_view min;        // of all values but null; of the same kind as
  value_view max;
};

// Of a bag's object: its rows, whether or not they were deleted since. Of a keyed one: the key's columns, of all its
// records, erases included. Copies share one memory; safe to read from several threads.
class object_bounds {
 public:
  object_bounds() noexcept = default;  // not known
  // Copies of these.
  template <class = void>
  explicit object_bounds(array_view<column_bounds> columns) : memory_(shared<arena>::make()) {
    memory_->reserve(size_in_memory(columns));
    columns_ = copy(columns, *memory_);
  }
  object_bounds(std::initializer_list<column_bounds> columns)
      : object_bounds(array_view<column_bounds>(columns.begin(), columns.size())) {}
  // Copies in a memory that other bounds are in, too, and that lives as long as any of them.
  template <class = void>
  object_bounds(array_view<column_bounds> columns, shared<arena> memory)
      : memory_(std::move(memory)), columns_(copy(columns, *memory_)) {}

  // Whether they are known; only then:
  [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(memory_); }
  [[nodiscard]] const array_view<column_bounds>& operator*() const noexcept { return columns_; }
  [[nodiscard]] const array_view<column_bounds>* operator->() const noexcept { return &columns_; }

 private:
  // As an arena counts, of bounds that have no parts.
  template <class = void>
  [[nodiscard]] static std::size_t size_in_memory(const array_view<column_bounds>& columns) {
    std::size_t size = columns.size() * sizeof(column_bounds);
    for (const column_bounds& each : columns)
      for (const value_view& bound : {each.min, each.max}) {
        if (bound.kind() == kind::string) size += (bound.as_string().size() + 7) / 8 * 8;
        if (bound.kind() == kind::bytes) size += (bound.as_bytes().size() + 7) / 8 * 8;
      }
    return size;
  }

  template <class = void>
  [[nodiscard]] static array_view<column_bounds> copy(const array_view<column_bounds>& columns, arena& memory) {
    auto* const copied = memory.allocate<column_bounds>(columns.size());
    for (std::size_t at = 0; at < columns.size(); ++at) {
      const column_bounds& from = columns[at];
      new (copied + at) column_bounds{from.column, from.nulls, from.bounded, copy_value(from.min, memory),
                                      copy_value(from.max, memory)};
    }
    return {copied, columns.size()};
  }

  shared<arena> memory_;
  array_view<column_bounds> columns_;
};

// The memory of the bounds of many objects that are made one after the other. About a hundred share a piece, which one
// that is left of them keeps.
class bounds_memory {
 public:
  template <class = void>
  [[nodiscard]] object_bounds copy(array_view<column_bounds> columns) {
    constexpr std::size_t full = std::size_t{24} << 10;  // of the 28 KiB that an arena's first blocks have
    if (!current_ || current_->byte_size() > full) current_ = shared<arena>::make();
    return {columns, current_};
  }

 private:
  shared<arena> current_;
};

}  // namespace tarn::inline TARN_ABI
