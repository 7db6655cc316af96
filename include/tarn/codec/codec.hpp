// The codec: how the rows of one data object become bytes, and how they are read back.
//
//   writing    codec.build(identity) -> builder      append(row)*  finish()      rows are encoded as they are appended
//   reading    codec.open(bytes, expectation) -> cursor      next()*  status()   rows are decoded one at a time
//
// LAW: decode(encode(x)) is x, bit for bit, for every row that a table accepts; bytes that are damaged in any way are
// an error that names the object, never a crash, a hang, a deep stack or wrong rows.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"

namespace tarn::inline TARN_ABI {

// Which object is written. An object states it, so that bytes that are found under another name are noticed.
struct object_identity {
  std::string_view table;
  uuid id;
};

// The object's name in the store, as messages about it say it.
template <class = void>
[[nodiscard]] std::string name_of(const object_identity& identity) {
  return concat({"_table_", identity.table, "_", to_text(identity.id)});
}

// What is known of an object before it is read.
struct object_expectation {
  object_identity identity;
  std::size_t columns = 0;         // of its rows
  bool counted = false;            // the log states the number of rows (the article's program does not)
  std::uint64_t rows = 0;          // only if `counted`
  bool checksum_verified = false;  // the bytes are the ones that the log's checksum was made of: no need to do it again
  std::string_view codec = {};     // its name; empty: not known. For codecs that read objects of several
};

// Rows, one at a time:
//   while (cursor.next()) use(cursor.row());      next() is true for a row, false at the end and on failure;
//   if (!cursor.status()) ...                     status() tells which. A row is valid until the next call of next().
template <class C>
concept row_cursor = std::movable<C> && requires(C& cursor) {
  { cursor.next() } -> std::same_as<bool>;
  { cursor.row() } -> std::same_as<list_view>;
  { cursor.status() } -> std::same_as<status>;
};

// A cursor that puts rows together, some at a time, as `value_view`s: where one row ends the next one begins.
// `rows_ahead` is how many come so after the one that next() moved to. Whoever reads them without calling next() calls
// `pass(count)`, of as many at most, before anything else: then all is as if next() had been called so often.
template <class C>
concept block_cursor = row_cursor<C> && requires(C& cursor, std::size_t count) {
  { cursor.rows_ahead() } -> std::same_as<std::size_t>;
  cursor.pass(count);
};

// The same of any cursor.
template <row_cursor Cursor>
[[nodiscard]] std::size_t rows_ahead([[maybe_unused]] const Cursor& cursor) noexcept {
  if constexpr (block_cursor<Cursor>)
    return cursor.rows_ahead();
  else
    return 0;
}
template <row_cursor Cursor>
void pass_rows([[maybe_unused]] Cursor& cursor, [[maybe_unused]] std::size_t count) noexcept {
  if constexpr (block_cursor<Cursor>) cursor.pass(count);
}

// Rows in the making. `append` takes a row that table/row_check.hpp has accepted and copies it; after an error (the
// encoded row is longer than limits allow) the builder is as it was before. `read_back` gives the rows appended so far;
// its cursor stays valid, and goes on reading just those, whatever happens to the builder afterwards. `restart` begins
// another object as `build` does, in the memory of the one before: memory that is touched for the first time costs more
// than what is written to it.
template <class B>
concept row_builder = std::movable<B> && requires(B& builder, row_view row, object_identity identity) {
  { builder.append(row) } -> std::same_as<status>;
  { builder.rows() } -> std::convertible_to<std::uint64_t>;
  { builder.byte_size() } -> std::convertible_to<std::size_t>;  // of the object, if it were finished now; about
  { builder.read_back() } -> row_cursor;
  { builder.finish() } -> std::same_as<std::string_view>;  // the whole object; valid until it is restarted or destroyed
  builder.restart(identity);
};

template <class C>
concept row_codec = requires(const C& codec, std::string_view bytes, object_identity identity,
                             object_expectation expected, limits bounds) {
  { C::name } -> std::convertible_to<std::string_view>;  // what add-actions call it; lower-case letters, digits, '-'
  { codec.build(identity, bounds) } -> row_builder;
  { *codec.open(bytes, expected, bounds) } -> row_cursor;
};

// What the codec reads an object with.
template <row_codec Codec>
using cursor_of = std::remove_cvref_t<decltype(*std::declval<const Codec&>().open({}, object_expectation{}, limits{}))>;

// The codec of the article's objects, of which the log says nothing.
inline constexpr std::string_view article_codec_name = "json";

// Whether a codec reads objects of the one with this name: of its own; or, if it has a static `reads(name)`, of which
// that says so.
template <row_codec Codec>
[[nodiscard]] bool reads_codec(std::string_view name) {
  if constexpr (requires { Codec::reads(name); })
    return Codec::reads(name);
  else
    return name == Codec::name;
}

// Their names, in quotes, for messages.
template <row_codec Codec>
[[nodiscard]] std::string names_of_codecs() {
  if constexpr (requires { Codec::names(); })
    return Codec::names();
  else
    return concat({"'", Codec::name, "'"});
}

}  // namespace tarn::inline TARN_ABI
