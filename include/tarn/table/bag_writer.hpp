// Writing objects of bags.
#pragma once

#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/row.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/table_state.hpp"
#include "bounds_builder.hpp"
#include "client_core.hpp"
#include "object_flushes.hpp"
#include "object_writer.hpp"

namespace tarn::inline TARN_ABI {

// One object in the making, with rows of the table's current schema. Memory: the object.
template <class Store, row_codec Codec>
class bag_writer {
 public:
  using core = client_core<Store, Codec>;
  using builder = decltype(std::declval<const Codec&>().build(object_identity{}, limits{}));

  // `id` is the object's; see `new_id`.
  bag_writer(core& lake, const table_state& table, const uuid& id)
      : id_(id),
        rows_(lake.codec.build(object_identity{table.name, id}, lake.options.bounds)),
        bounds_(table.columns, lake.options.bounds) {}

  // Begins another object, which has the columns that the table has now.
  void restart(core& lake, const table_state& table, const uuid& id) {
    id_ = id;
    rows_.restart({table.name, id});
    bounds_ = bounds_builder<>(table.columns, lake.options.bounds);
  }

  // Appends a copy of a row that `check_row` has accepted. After an error (the codec refuses its length) all is as it
  // was.
  [[nodiscard]] status append(const row_view& values) {
    const status appended = rows_.append(values);
    if (appended) bounds_.add(values.values());
    return appended;
  }

  [[nodiscard]] const uuid& id() const noexcept { return id_; }
  [[nodiscard]] const builder& rows() const noexcept { return rows_; }
  // Whether it has as many rows, or bytes, as an object is to have.
  [[nodiscard]] bool is_full(const limits& bounds) const {
    return rows_.rows() >= bounds.rows_per_object || rows_.byte_size() >= bounds.bytes_per_object;
  }

  // `table` must have the columns that it had at first.
  [[nodiscard]] result<data_object> put(core& lake, const table_state& table, object_flushes<Store, Codec>& flushes) {
    result<data_object> object = put_rows(lake, table, id_, rows_, flushes);
    if (object) object->bounds = bounds_.finish();
    return object;
  }

 private:
  uuid id_;
  builder rows_;
  bounds_builder<> bounds_;
};

}  // namespace tarn::inline TARN_ABI
