// The rows that a transaction has inserted into one bag: the latest in a builder, in encoded form, the earlier ones in
// objects that are in the store already, or on their way, though no log entry names them yet.
#pragma once

#include <type_traits>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/new_id.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/table_state.hpp"
#include "bag_row.hpp"
#include "bag_writer.hpp"
#include "client_core.hpp"
#include "object_flushes.hpp"

namespace tarn::inline TARN_ABI {

template <class Store, row_codec Codec>
class write_buffer {
 public:
  using core = client_core<Store, Codec>;
  using builder = typename bag_writer<Store, Codec>::builder;
  using cursor = std::remove_cvref_t<decltype(std::declval<const builder&>().read_back())>;

  // Makes room for one row of `table`: a full buffer is flushed, an empty one gets an object to fill, which is not born
  // before `earliest_birth`, whatever the clock says. After an error the buffer must not be used any more.
  [[nodiscard]] status make_room(core& lake, const table_state& table, timestamp earliest_birth,
                                 object_flushes<Store, Codec>& flushes) {
    if (has_unflushed_ && unflushed_->is_full(lake.options.bounds)) {
      const status flushed = flush(lake, table, flushes);
      if (!flushed) return flushed.error();
    }
    return has_unflushed_ ? status() : start(lake, table, earliest_birth);
  }

  // Appends a copy of a row that `check_row` has accepted and that there is room for. After an error (the codec refuses
  // its length) the buffer is as it was. Memory: one object.
  [[nodiscard]] status append(const row_view& values) { return unflushed_->append(values); }

  // Puts the rows that are not yet in the store into an object of their own. `table` must have the columns that it had
  // when they were appended.
  [[nodiscard]] status flush(core& lake, const table_state& table, object_flushes<Store, Codec>& flushes) {
    if (!has_unflushed_ || unflushed_->rows().rows() == 0) return {};
    const result<data_object> object = unflushed_->put(lake, table, flushes);
    if (!object) return object.error();
    flushed_.push_back(*object);
    has_unflushed_ = false;
    return {};
  }

  [[nodiscard]] const sequence<data_object>& flushed() const noexcept { return flushed_; }

  // The rows that are not in the store yet; null if there are none. Their object has its id already.
  [[nodiscard]] const builder* unflushed() const noexcept { return has_unflushed_ ? &unflushed_->rows() : nullptr; }
  [[nodiscard]] const uuid& unflushed_id() const noexcept { return unflushed_->id(); }
  // Where the row is that was appended last, and not flushed since.
  [[nodiscard]] bag_row last_row() const noexcept { return {unflushed_->id(), unflushed_->rows().rows() - 1}; }

 private:
  using writer = bag_writer<Store, Codec>;

  [[nodiscard]] status start(core& lake, const table_state& table, timestamp earliest_birth) {
    const result<uuid> id = new_id(lake.options.surroundings, earliest_birth);
    if (!id) return id.error();
    if (unflushed_)
      unflushed_->restart(lake, table, *id);
    else
      unflushed_ = shared<writer>::make(lake, table, *id);
    has_unflushed_ = true;
    return {};
  }

  shared<writer> unflushed_;  // owned by this buffer alone; null before the first row
  bool has_unflushed_ = false;
  sequence<data_object> flushed_;
};

}  // namespace tarn::inline TARN_ABI
