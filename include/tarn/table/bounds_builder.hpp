// Collecting the bounds of an object's columns while its rows are written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/text_prefix.hpp"
#include "../core/value.hpp"
#include "../log/bounds.hpp"

namespace tarn::inline TARN_ABI {

// Adding a row costs two comparisons for each column; memory is allocated only when text becomes a bound that is
// longer than the one before. A column has no bounds once it has held values of two kinds, a list or map, NaN, -0.0
// (which compares like 0.0, but is another value), or a bound longer than limits::bounds_bytes_max; its nulls are
// counted all the same.
template <class = void>
class bounds_builder {
 public:
  // Of the first limits::bounds_columns_max columns.
  bounds_builder(const schema& columns, const limits& bounds) : text_bytes_max_(bounds.bounds_bytes_max) {
    for (std::uint32_t place = 0; place < columns.size() && place < bounds.bounds_columns_max; ++place)
      columns_.push_back({columns[place].id, place});
  }
  // Of the first so many of those at `places`: a key's.
  bounds_builder(const schema& columns, const sequence<std::uint32_t>& places, const limits& bounds)
      : text_bytes_max_(bounds.bounds_bytes_max) {
    for (const std::uint32_t place : places)
      if (columns_.size() < bounds.bounds_columns_max) columns_.push_back({columns[place].id, place});
  }

  // The values are those of all the schema's columns.
  void add(const list_view& values) {
    if (const value_view* const views = values.views(); views != nullptr)
      for (column_state& each : columns_) add(each, views[each.place]);
    else
      for (column_state& each : columns_) add(each, values[each.place]);
  }

  // Of the rows so far; not known if there are no columns.
  [[nodiscard]] object_bounds finish() const {
    sequence<column_bounds> made;
    for (const column_state& each : columns_) {
      column_bounds& bounds = made.emplace_back();
      bounds.column = each.column;
      bounds.nulls = each.nulls;
      bounds.bounded = each.state == progress::bounded;
      if (!bounds.bounded) continue;
      bounds.min = each.bound(each.least, each.least_text);
      bounds.max = each.bound(each.greatest, each.greatest_text);
    }
    return made.empty() ? object_bounds() : object_bounds(array_view<column_bounds>(made.data(), made.size()));
  }

 private:
  enum class progress : unsigned char { nothing_yet, bounded, given_up };

  union number {
    std::int64_t integer;
    double real;
    std::uint64_t prefix;
  };

  struct column_state {
    column_id column;
    std::uint32_t place;
    std::uint64_t nulls = 0;
    progress state = progress::nothing_yet;
    tarn::kind kind = tarn::kind::null;  // of all values but null; null: there are no bounds
    number least = {0}, greatest = {0};  // of texts, their prefixes: mostly these tell that a text is in between
    std::string least_text = {}, greatest_text = {};

    [[nodiscard]] value_view bound(const number& of, const std::string& text) const {
      switch (kind) {
        case tarn::kind::boolean: return of.integer != 0;
        case tarn::kind::integer: return of.integer;
        case tarn::kind::real: return of.real;
        case tarn::kind::string: return text;
        default: return bytes{text};
      }
    }
  };

  void add(column_state& column, const value_view& added) {
    if (!is_between(column, added)) widen(column, added);
  }

  // Whether it changes nothing, which it does for most values. Of texts, whether their prefixes tell.
  [[nodiscard]] static bool is_between(const column_state& column, const value_view& added) {
    if (added.kind() != column.kind) return false;
    const auto is_inside = [&](std::uint64_t prefix) {
      return column.least.prefix < prefix && prefix < column.greatest.prefix;
    };
    switch (added.kind()) {
      case kind::integer:
        return column.least.integer <= added.as_integer() && added.as_integer() <= column.greatest.integer;
      case kind::real:
        return column.least.real <= added.as_double() && added.as_double() <= column.greatest.real &&
               is_ordered(added.as_double());
      case kind::string: return is_inside(prefix_of(added.as_string()));
      case kind::bytes: return is_inside(prefix_of(added.as_bytes()));
      default: return false;
    }
  }

  [[gnu::noinline]] void widen(column_state& column, const value_view& added) {
    const kind kind = added.kind();
    if (kind == kind::null) {
      ++column.nulls;
      return;
    }
    if (column.state == progress::given_up) return;
    const bool first = column.state == progress::nothing_yet;
    if (first) {
      column.state = progress::bounded;
      column.kind = kind;
    }
    bool fits = column.kind == kind;
    if (fits) switch (kind) {
        case kind::boolean: widen_number<&number::integer>(column, added.as_boolean() ? 1 : 0, first); break;
        case kind::integer: widen_number<&number::integer>(column, added.as_integer(), first); break;
        case kind::real:
          fits = is_ordered(added.as_double());
          widen_number<&number::real>(column, added.as_double(), first);
          break;
        case kind::string: fits = widen_text(column, added.as_string(), first); break;
        case kind::bytes: fits = widen_text(column, added.as_bytes(), first); break;
        default: fits = false;
      }
    if (fits) return;
    column.state = progress::given_up;
    column.kind = kind::null;
  }

  [[nodiscard]] static bool is_ordered(double number) noexcept {
    return number == number && std::bit_cast<std::uint64_t>(number) != std::bit_cast<std::uint64_t>(-0.0);
  }

  template <auto Member, class Number>
  static void widen_number(column_state& column, Number added, bool first) noexcept {
    if (first || added < column.least.*Member) column.least.*Member = added;
    if (first || added > column.greatest.*Member) column.greatest.*Member = added;
  }

  // False if the text is a bound and too long to be one.
  [[nodiscard]] bool widen_text(column_state& column, std::string_view added, bool first) const {
    const std::uint64_t prefix = prefix_of(added);
    const bool is_least = first || added.compare(column.least_text) < 0;
    const bool is_greatest = first || added.compare(column.greatest_text) > 0;
    if (!is_least && !is_greatest) return true;
    if (added.size() > text_bytes_max_) return false;
    if (is_least) {
      column.least_text = added;
      column.least.prefix = prefix;
    }
    if (is_greatest) {
      column.greatest_text = added;
      column.greatest.prefix = prefix;
    }
    return true;
  }

  std::size_t text_bytes_max_;
  sequence<column_state> columns_;
};

}  // namespace tarn::inline TARN_ABI
