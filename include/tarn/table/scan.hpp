// Reading the rows of a table, one at a time.
//
//   order    the transaction's own unflushed rows | the snapshot's objects, in commit order | its own flushed objects
//
// That is the article's order. It is the same each time, as long as the transaction inserts and flushes nothing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/text.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "client_core.hpp"
#include "write_buffer.hpp"

namespace tarn::inline TARN_ABI {

// What a scan has read so far.
struct scan_statistics {
  std::uint64_t rows = 0;
  std::uint64_t objects = 0;  // data objects read from the store
  std::uint64_t bytes = 0;    // of those objects
};

// The rows that a table had, for the transaction, when the scan began; what is inserted later is not among them. Stays
// usable after the transaction has ended. Memory: one data object. Not thread-safe.
//
//   for (tarn::row_view row : scan) ...      ends at the last row; a failure fails loudly, as `.value()` does
//
//   while (scan.next()) use(scan.row());     next() is false at the end and on failure;
//   if (!scan.status()) ...                  status() tells which
//
// A row is valid until the scan moves on.
template <class Store, row_codec Codec>
class [[nodiscard]] table_scan {
 public:
  using core = client_core<Store, Codec>;
  using buffer = write_buffer<Store, Codec>;

  table_scan(shared<core> lake, copy_on_write<table_state> table, const buffer& own)
      : lake_(std::move(lake)), table_(std::move(table)), own_objects_(own.flushed()) {
    if (own.unflushed() != nullptr) cursor_ = shared<cursor>::make(own.unflushed()->read_back());
  }

  // Moves to the next row. False at the end and on failure, from then on always.
  [[nodiscard]] bool next() {
    while (!done_) {
      if (cursor_ && cursor_->next()) {
        ++statistics_.rows;
        return true;
      }
      if (cursor_ && !cursor_->status()) return finish(cursor_->status());
      cursor_ = {};
      if (next_object_ == table_->objects.size() + own_objects_.size()) return finish({});
      const tarn::status opened = open(object_at(next_object_++));
      if (!opened) return finish(opened);
    }
    return false;
  }

  // Only after next() has returned true.
  [[nodiscard]] row_view row() const { return {cursor_->row(), &table_->columns}; }

  // An error once the scan has failed: the rows before were right, the ones after are missing.
  [[nodiscard]] const tarn::status& status() const noexcept { return status_; }

  [[nodiscard]] const schema& columns() const noexcept { return table_->columns; }
  [[nodiscard]] const scan_statistics& statistics() const noexcept { return statistics_; }

  // For `for`: see above. May be called once.
  struct sentinel {};
  class iterator {
   public:
    explicit iterator(table_scan& of) : scan_(&of) { ++*this; }
    [[nodiscard]] row_view operator*() const { return scan_->row(); }
    iterator& operator++() {
      if (!scan_->next() && !scan_->status()) fail(scan_->status().error());
      return *this;
    }
    [[nodiscard]] bool operator==(sentinel) const noexcept { return scan_->done_; }

   private:
    table_scan* scan_;
  };
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] sentinel end() const noexcept { return {}; }

 private:
  using handle = typename Store::handle;
  using cursor = std::remove_cvref_t<decltype(*std::declval<const Codec&>().open({}, object_expectation{}, limits{}))>;

  [[nodiscard]] const data_object& object_at(std::size_t index) const {
    const std::size_t committed = table_->objects.size();
    return index < committed ? table_->objects[index] : own_objects_[index - committed];
  }

  [[nodiscard]] tarn::status open(const data_object& object) {
    const std::string name = object_name(table_->name, object.id);
    bytes_ = {};  // the last object goes before the next comes
    result<handle> bytes = lake_->store.get(name);
    if (!bytes && bytes.error().code() == errc::not_found)
      return error(errc::corrupt, concat({"object ", name, ", which the log names, is missing"}));
    if (!bytes) return bytes.error();
    bytes_ = shared<handle>::make(*std::move(bytes));
    const std::string_view text = *bytes_;
    if (const tarn::status good = verify(object, name, text); !good) return good.error();
    result<cursor> rows = lake_->codec.open(text, expectation_of(object), lake_->options.bounds);
    if (!rows) return rows.error();
    cursor_ = shared<cursor>::make(*std::move(rows));
    ++statistics_.objects;
    statistics_.bytes += text.size();
    return {};
  }

  // That the bytes are those which the log describes.
  [[nodiscard]] static tarn::status verify(const data_object& object, std::string_view name, std::string_view bytes) {
    if (!object.described) return {};
    if (object.codec != Codec::name)
      return error(errc::unsupported, concat({"object ", name, " is in codec '", object.codec, "', this client reads '",
                                              Codec::name, "': give the client that codec"}));
    if (bytes.size() != object.bytes)
      return error(errc::corrupt,
                   concat({"object ", name, " has ", bytes.size(), " bytes, the log says ", object.bytes}));
    if (crc32c(bytes) != object.checksum)
      return error(errc::corrupt, concat({"object ", name, " is damaged: its checksum is not the one in the log"}));
    return {};
  }

  [[nodiscard]] object_expectation expectation_of(const data_object& object) const {
    object_expectation expected;
    expected.identity = {table_->name, object.id};
    expected.columns = table_->columns.size();
    expected.counted = object.described;
    expected.rows = object.rows;
    expected.checksum_verified = object.described;
    return expected;
  }

  [[nodiscard]] bool finish(tarn::status outcome) {
    done_ = true;
    status_ = std::move(outcome);
    cursor_ = {};
    return false;
  }

  shared<core> lake_;
  copy_on_write<table_state> table_;
  sequence<data_object> own_objects_;  // flushed by the transaction, not committed
  std::size_t next_object_ = 0;        // of the table's, then of the own
  shared<handle> bytes_;               // of the object that is being read; the cursor looks into them
  shared<cursor> cursor_;              // null between objects
  bool done_ = false;
  tarn::status status_;
  scan_statistics statistics_;
};

}  // namespace tarn::inline TARN_ABI
