// Opening a data object: its bytes, that they are the ones the log describes, and a cursor over its rows, which have
// the columns of whoever reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/batch_cursor.hpp"
#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/filter.hpp"
#include "../core/result.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../log/entry.hpp"
#include "../log/names.hpp"
#include "../log/open.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_state.hpp"
#include "client_core.hpp"
#include "may_match.hpp"
#include "projection.hpp"

namespace tarn::inline TARN_ABI {

// Why an object of the table `of`, that some version or transaction has, is not in the store. errc::snapshot_expired if
// a vacuum has removed it, else errc::corrupt. Reads the log from where the client has got to; if that fails, so does
// this, and nobody is told of damage that may be none.
template <class Store, class Codec>
[[nodiscard]] error missing_object(client_core<Store, Codec>& lake, const table_state& of, const data_object& object) {
  const std::string name = object_name(of.name, object.id);
  shared_snapshot newest = lake.latest;
  const status read = read_on(lake.store, newest, lake.extent, {INT64_MAX}, lake.options.bounds);
  if (!read) return read.error().within(concat({"object ", name, " is missing, and the log cannot tell why"}));
  bool is_needed = !has_birth(object.id) || newest->kept.horizon < birth_of(object.id);
  for (const auto& [table, state] : newest->tables) is_needed = is_needed || has_object(*state, object.id);
  if (is_needed) return {errc::corrupt, concat({"object ", name, ", which the log names, is missing"})};
  return {
      errc::snapshot_expired,
      concat({"object ", name, " has been removed by a vacuum, which has given up the versions that it was part of, ",
              "or was not told of it in time: begin again"})};
}

// Whether the bytes are those that the log describes. errc::corrupt, naming the object, if they are not. Of the
// article's objects nothing is known.
template <class = void>
[[nodiscard]] status check_object_bytes(const data_object& object, std::string_view name, std::string_view bytes) {
  if (!object.described) return {};
  if (bytes.size() != object.bytes)
    return error(errc::corrupt,
                 concat({"object ", name, " has ", bytes.size(), " bytes, the log says ", object.bytes}));
  if (crc32c(bytes) != object.checksum)
    return error(errc::corrupt, concat({"object ", name, " is damaged: its checksum is not the one in the log"}));
  return {};
}

// An object's bytes, wherever they are. Copies share them.
template <class Store>
class object_bytes {
 public:
  using handle = typename Store::handle;

  // One `get`; none if the object travels in the log. errc::not_found if it is nowhere.
  [[nodiscard]] static result<object_bytes> get(Store& store, std::string_view name, const data_object& object) {
    object_bytes found;
    found.inline_ = object.inline_bytes;
    if (found.inline_) return found;
    result<handle> bytes = store.get(name);
    if (!bytes) return bytes.error();
    found.stored_ = shared<handle>::make(*std::move(bytes));
    return found;
  }

  operator std::string_view() const { return inline_ ? std::string_view(*inline_) : std::string_view(*stored_); }

 private:
  shared<handle> stored_;
  shared<const std::string> inline_;
};

// The rows of one object. Models row_cursor; what it hands out is valid until the next call of next(), also if the
// reader is moved. Memory: that of the handle and of one row.
template <class Store, row_codec Codec>
class object_reader {
 public:
  using core = client_core<Store, Codec>;

  // The object of the table `of`, whose columns its rows have after `before` values more, whichever it was written
  // with. errc::corrupt, naming the object, if it is missing or its bytes are others, errc::snapshot_expired if a
  // vacuum has removed it; one `get`, or none. Rows that have other columns than the table has now cost a copy each, of
  // references to their values.
  [[nodiscard]] static result<object_reader> open(core& lake, const table_state& of, const data_object& object,
                                                  const limits& bounds, std::size_t before = 0) {
    const std::string name = object_name(of.name, object.id);
    result<object_bytes<Store>> bytes = object_bytes<Store>::get(lake.store, name, object);
    if (!bytes && bytes.error().code() == errc::not_found) return missing_object(lake, of, object);
    if (!bytes) return bytes.error();
    object_reader opened;
    opened.bytes_ = *std::move(bytes);
    const std::string_view text = opened.bytes_;
    const std::string_view codec = codec_of(object);
    if (!reads_codec<Codec>(codec))
      return error(errc::unsupported, concat({"object ", name, " is in codec '", codec, "', this client reads ",
                                              names_of_codecs<Codec>(), ": give the client that codec"}));
    if (const tarn::status good = check_object_bytes(object, name, text); !good) return good.error();
    const schema& written = of.schema_of(object.schema_number);
    result<cursor> rows = lake.codec.open(text, expectation(of.name, object, before + written.size()), bounds);
    if (!rows) return rows.error();
    opened.cursor_ = shared<cursor>::make(*std::move(rows));
    opened.before_ = before;
    if (object.schema_number != of.schema_number())
      opened.projection_ = shared<projection>::make(written, of.columns, before);
    return opened;
  }

  [[nodiscard]] bool next() {
    if (!cursor_->next()) return false;
    if (projection_) projected_ = projection_->apply(cursor_->row());
    return true;
  }
  [[nodiscard]] list_view row() const { return projection_ ? projected_ : cursor_->row(); }
  [[nodiscard]] tarn::status status() const { return cursor_->status(); }

  // See `block_cursor`.
  [[nodiscard]] std::size_t rows_ahead() const noexcept { return projection_ ? 0 : tarn::rows_ahead(*cursor_); }
  void pass(std::size_t count) noexcept { pass_rows(*cursor_, count); }

  // Leaves out rows that come next and do not match, as far as the codec can tell without reading them, and returns how
  // many. The filter is one of the table's columns. See `group_cursor`.
  std::uint64_t skip_unmatched(const row_filter& wanted) {
    return tarn::skip_unmatched(*cursor_, wanted, [&](std::size_t place) { return written_index(before_ + place); });
  }

  [[nodiscard]] std::size_t byte_size() const { return std::string_view(bytes_).size(); }

  // The rows as they were written, for whoever takes them instead of next(); valid as long as this.
  using cursor = cursor_of<Codec>;
  [[nodiscard]] const shared<cursor>& as_written() const noexcept { return cursor_; }

 private:
  // Where the cursor has what the rows have there; schema::none: nowhere.
  [[nodiscard]] std::size_t written_index(std::size_t place) const noexcept {
    return projection_ ? projection_->places()[place].index : place;
  }
  [[nodiscard]] static std::string_view codec_of(const data_object& object) noexcept {
    return object.described ? std::string_view(object.codec) : article_codec_name;
  }
  [[nodiscard]] static object_expectation expectation(std::string_view table, const data_object& object,
                                                      std::size_t columns) {
    object_expectation expected;
    expected.identity = {table, object.id};
    expected.columns = columns;
    expected.counted = object.described;
    expected.rows = object.rows;
    expected.checksum_verified = object.described;
    expected.codec = codec_of(object);
    return expected;
  }

  object_bytes<Store> bytes_;  // where the cursor looks into
  shared<cursor> cursor_;
  std::size_t before_ = 0;         // of the table's columns
  shared<projection> projection_;  // null: its rows have the table's columns
  list_view projected_;
};

}  // namespace tarn::inline TARN_ABI
