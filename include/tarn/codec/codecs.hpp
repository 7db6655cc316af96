// Several codecs as one: writes the first one's objects and reads those of all. How a lake changes its codec, or has
// two:
//
//   tarn::client lake{store, {}, tarn::codecs<tarn::columnar_codec, tarn::json_codec>{}};
//
// Which codec an object is read with its add-action says; its bytes must agree.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "batch_cursor.hpp"
#include "codec.hpp"
#include "column_view.hpp"
#include "group_cursor.hpp"

namespace tarn::inline TARN_ABI {

// The rows of an object of one codec or another. Models row_cursor, and batch_cursor and group_cursor if one of the two
// does; a row costs a comparison more.
template <row_cursor First, row_cursor Second>
class either_cursor {
  static constexpr bool some_batches = batch_cursor<First> || batch_cursor<Second>;
  static constexpr bool some_groups = group_cursor<First> || group_cursor<Second>;
  static constexpr row_batch no_rows = {};

 public:
  explicit either_cursor(First rows) : either_cursor(shared<First>::make(std::move(rows))) {}
  explicit either_cursor(shared<First> rows) : first_(std::move(rows)) {}
  explicit either_cursor(Second rows) requires(!std::same_as<First, Second>)
      : second_(shared<Second>::make(std::move(rows))) {}

  [[nodiscard]] bool next() { return first_ ? first_->next() : second_->next(); }
  [[nodiscard]] list_view row() const { return first_ ? first_->row() : second_->row(); }
  [[nodiscard]] tarn::status status() const { return first_ ? first_->status() : second_->status(); }

  [[nodiscard]] std::size_t rows_ahead() const noexcept {
    return first_ ? tarn::rows_ahead(*first_) : tarn::rows_ahead(*second_);
  }
  void pass(std::size_t count) noexcept {
    if (first_)
      pass_rows(*first_, count);
    else
      pass_rows(*second_, count);
  }

  // Whether the object's codec hands out batches; else there are none.
  [[nodiscard]] bool has_batches() const requires some_batches {
    return first_ ? tarn::has_batches(*first_) : tarn::has_batches(*second_);
  }
  void select(array_view<std::size_t> columns) requires some_batches {
    if (first_)
      select_columns(*first_, columns);
    else
      select_columns(*second_, columns);
  }
  [[nodiscard]] bool next_batch() requires some_batches {
    return first_ ? next_batch_of(*first_) : next_batch_of(*second_);
  }
  [[nodiscard]] const row_batch& batch() const requires some_batches {
    return first_ ? batch_of(*first_) : batch_of(*second_);
  }
  [[nodiscard]] bool fetch_column(std::size_t column, column_view& values) requires some_batches {
    return first_ ? fetch_column_of(*first_, column, values) : fetch_column_of(*second_, column, values);
  }

  // There are none ahead in an object of a codec without groups.
  [[nodiscard]] std::uint64_t group_ahead() const noexcept requires some_groups {
    return first_ ? group_ahead_of(*first_) : group_ahead_of(*second_);
  }
  [[nodiscard]] group_bounds bounds_ahead(std::size_t column) const requires some_groups {
    return first_ ? bounds_ahead_of(*first_, column) : bounds_ahead_of(*second_, column);
  }
  void skip_group() noexcept requires some_groups {
    if (first_)
      skip_group_of(*first_);
    else
      skip_group_of(*second_);
  }

 private:
  template <class Cursor>
  [[nodiscard]] static bool next_batch_of(Cursor& rows) {
    if constexpr (batch_cursor<Cursor>)
      return rows.next_batch();
    else
      return false;
  }
  template <class Cursor>
  [[nodiscard]] static const row_batch& batch_of(const Cursor& rows) {
    if constexpr (batch_cursor<Cursor>)
      return rows.batch();
    else
      return no_rows;
  }
  template <class Cursor>
  [[nodiscard]] static bool fetch_column_of(Cursor& rows, std::size_t column, column_view& values) {
    if constexpr (batch_cursor<Cursor>)
      return rows.fetch_column(column, values);
    else
      return false;
  }
  template <class Cursor>
  [[nodiscard]] static std::uint64_t group_ahead_of([[maybe_unused]] const Cursor& rows) noexcept {
    if constexpr (group_cursor<Cursor>)
      return rows.group_ahead();
    else
      return 0;
  }
  template <class Cursor>
  [[nodiscard]] static group_bounds bounds_ahead_of([[maybe_unused]] const Cursor& rows,
                                                    [[maybe_unused]] std::size_t column) {
    if constexpr (group_cursor<Cursor>)
      return rows.bounds_ahead(column);
    else
      return {};
  }
  template <class Cursor>
  static void skip_group_of([[maybe_unused]] Cursor& rows) noexcept {
    if constexpr (group_cursor<Cursor>) rows.skip_group();
  }

  shared<First> first_;
  shared<Second> second_;  // if there is no first
};

template <row_codec First, row_codec... Others>
class codecs;

// Models row_codec.
template <row_codec First>
class codecs<First> {
 public:
  static constexpr std::string_view name = First::name;

  codecs() = default;
  explicit codecs(First first) : first_(std::move(first)) {}

  [[nodiscard]] static bool reads(std::string_view codec) { return reads_codec<First>(codec); }
  [[nodiscard]] static std::string names() { return names_of_codecs<First>(); }

  [[nodiscard]] auto build(const object_identity& identity, const limits& bounds = limits{}) const {
    return first_.build(identity, bounds);
  }
  [[nodiscard]] auto open(std::string_view bytes, const object_expectation& expected,
                          const limits& bounds = limits{}) const {
    return first_.open(bytes, expected, bounds);
  }

 private:
  [[no_unique_address]] First first_;
};

// Models row_codec.
template <row_codec First, row_codec Second, row_codec... Others>
class codecs<First, Second, Others...> {
  using either = either_cursor<cursor_of<First>, cursor_of<codecs<Second, Others...>>>;

 public:
  static constexpr std::string_view name = First::name;

  codecs() = default;
  explicit codecs(First first, Second second, Others... others)
      : first_(std::move(first)), others_(std::move(second), std::move(others)...) {}

  [[nodiscard]] static bool reads(std::string_view codec) {
    return reads_codec<First>(codec) || codecs<Second, Others...>::reads(codec);
  }
  [[nodiscard]] static std::string names() {
    return concat({names_of_codecs<First>(), ", ", codecs<Second, Others...>::names()});
  }

  [[nodiscard]] auto build(const object_identity& identity, const limits& bounds = limits{}) const {
    return first_.build(identity, bounds);
  }

  // With the codec that is expected, or, if none is, the first. errc::unsupported if it is none of these.
  [[nodiscard]] result<either> open(std::string_view bytes, const object_expectation& expected,
                                    const limits& bounds = limits{}) const {
    if (expected.codec.empty() || reads_codec<First>(expected.codec)) {
      auto rows = first_.open(bytes, expected, bounds);
      if (!rows) return rows.error();
      return either(*std::move(rows));
    }
    if (!codecs<Second, Others...>::reads(expected.codec))
      return error(errc::unsupported, concat({name_of(expected.identity), ": the object is in codec '", expected.codec,
                                              "', these are ", names()}));
    auto rows = others_.open(bytes, expected, bounds);
    if (!rows) return rows.error();
    return either(*std::move(rows));
  }

 private:
  [[no_unique_address]] First first_;
  [[no_unique_address]] codecs<Second, Others...> others_;
};

}  // namespace tarn::inline TARN_ABI
