// The state of one table: what it looks like and which objects it is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "../core/config.hpp"
#include "../core/schema.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "../core/table_key.hpp"
#include "../core/uuid.hpp"
#include "data_object.hpp"
#include "row_set.hpp"

namespace tarn::inline TARN_ABI {

// An object of a bag, and which of its rows were deleted since it was added.
struct bag_object {
  data_object object;
  copy_on_write<row_set> deleted = {};
};

// The objects of a bag in commit order. Copies share all but the last few: a snapshot that is one commit newer
// costs, besides those, one pointer for every 128 objects.
class object_list {
 public:
  using value_type = bag_object;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // `index` must be less than size().
  template <class = void>
  [[nodiscard]] const bag_object& operator[](std::size_t index) const noexcept {
    return (*chunks_[index / chunk_size])[index % chunk_size];
  }
  // The one to change.
  template <class = void>
  [[nodiscard]] bag_object& writable(std::size_t index) {
    return chunks_[index / chunk_size].writable()[index % chunk_size];
  }
  // The index of an object, or size(). Linear.
  template <class = void>
  [[nodiscard]] std::size_t find(const uuid& id) const noexcept {
    std::size_t at = 0;
    while (at < size_ && (*this)[at].object.id != id) ++at;
    return at;
  }

  template <class = void>
  void push_back(bag_object added) {
    if (size_ % chunk_size == 0) chunks_.emplace_back();
    chunks_.back().writable().push_back(std::move(added));
    ++size_;
  }
  // Puts one object, or with null none, in the place of `count` others, the first of which is at `index`. Linear.
  template <class = void>
  void replace(std::size_t index, std::size_t count, const bag_object* with) {
    object_list changed;
    for (std::size_t at = 0; at < size_; ++at) {
      if (at == index && with != nullptr) changed.push_back(*with);
      if (at < index || at >= index + count) changed.push_back((*this)[at]);
    }
    *this = std::move(changed);
  }

 private:
  static constexpr std::size_t chunk_size = 128;
  sequence<copy_on_write<sequence<bag_object>>> chunks_;
  std::size_t size_ = 0;
};

// An object of a keyed table, in its place.
struct keyed_object {
  data_object object;
  block_header block;
  object_order order;
};

// What one bucket of a keyed table is made of, in order. Its rows are what folding all of it gives.
struct bucket_state {
  sequence<keyed_object> objects;
  version since;  // since which version the first object, if it is in base form, has been the first

  // A base is a role: the first object has it, if its form allows.
  [[nodiscard]] const keyed_object* base() const noexcept {
    return !objects.empty() && objects[0].block.form == object_form::base ? objects.begin() : nullptr;
  }
};

struct table_state {
  std::string name;
  uuid id;  // another one when a table is dropped and created again
  schema columns;
  object_list objects;                                   // of a bag
  table_key key;                                         // no columns: a bag
  sequence<copy_on_write<bucket_state>> buckets;         // of a keyed table
  sequence<copy_on_write<schema>> earlier_schemas = {};  // what `columns` was before each change, oldest first
  column_id last_column = {};                            // the greatest id that any column has ever had

  // Objects say by such a number which columns their rows have. The current one's:
  [[nodiscard]] std::uint32_t schema_number() const noexcept {
    return static_cast<std::uint32_t>(earlier_schemas.size());
  }
  // `number` must not be greater than schema_number().
  [[nodiscard]] const schema& schema_of(std::uint32_t number) const noexcept {
    return number < earlier_schemas.size() ? *earlier_schemas[number] : columns;
  }
};

// Gives a table other columns, from here on. False if they lack one of the key or the ordering, or it is another, which
// keys could not be compared by; the table is then no longer to be used.
template <class = void>
[[nodiscard]] bool change_columns(table_state& table, const schema& columns) {
  const auto move = [&](std::uint32_t& place) {
    const column& before = table.columns[place];
    place = static_cast<std::uint32_t>(columns.find(before.id));
    return place < columns.size() && columns[place].type == before.type && !columns[place].nullable;
  };
  for (std::uint32_t& place : table.key.columns)
    if (!move(place)) return false;
  if (table.key.ordered() && !move(table.key.ordering)) return false;
  table.earlier_schemas.emplace_back(table.columns);
  table.columns = columns;
  if (columns.last_id() > table.last_column) table.last_column = columns.last_id();
  return true;
}

// Whether the table is made of this object, among others. Linear in their number.
template <class = void>
[[nodiscard]] bool has_object(const table_state& table, const uuid& id) noexcept {
  for (const copy_on_write<bucket_state>& bucket : table.buckets)
    for (const keyed_object& each : bucket->objects)
      if (each.object.id == id) return true;
  return table.objects.find(id) < table.objects.size();
}

}  // namespace tarn::inline TARN_ABI
