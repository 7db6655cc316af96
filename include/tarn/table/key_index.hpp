// The keys of a keyed object, in memory: for looking keys up, and for knowing their positions in a base.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/sort.hpp"
#include "../core/table_key.hpp"
#include "../core/uuid.hpp"
#include "../core/value_copy.hpp"
#include "../merge/fold.hpp"
#include "../merge/key.hpp"
#include "../merge/record.hpp"

namespace tarn::inline TARN_ABI {

// What is kept of a record: its key, what it does, and its ordering, if the table has one.
struct indexed_record {
  std::string_view key;
  operation done;
  list_view ordering;  // one value
};

// Immutable once made; an index is its object's, whose id tags it, so it never goes stale.
class key_index {
 public:
  // Appends the next record, in order of key; false if it is not.
  template <class = void>
  [[nodiscard]] bool append(const record& each, const table_key& of, std::string& scratch) {
    const std::string_view key = encode_key(each.values, of.columns, scratch);
    if (!records_.empty() && records_.back().key >= key) return false;
    indexed_record& added = records_.emplace_back();
    added.key = copy_text(key, memory_);
    added.done = each.done;
    if (!of.ordered()) return true;
    const value_view ordering = each.values[of.ordering];
    added.ordering = copy_values(list_view(&ordering, 1), memory_);
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] std::size_t byte_size() const noexcept {
    return memory_.byte_size() + records_.size() * sizeof(indexed_record);
  }
  [[nodiscard]] const indexed_record& operator[](std::size_t at) const noexcept { return records_[at]; }

  // Where the key is, or would be.
  template <class = void>
  [[nodiscard]] base_place find(std::string_view key) const noexcept {
    const std::size_t place =
        lower_bound(records_.begin(), records_.size(), [&](const indexed_record& each) { return each.key < key; });
    return {place, place < records_.size() && records_[place].key == key, true};
  }

 private:
  arena memory_;
  sequence<indexed_record> records_;
};

// The indexes that a client remembers, up to a limit; the one that was used longest ago is forgotten first. Finding one
// is a binary search, remembering and forgetting one O(n).
class key_index_cache {
 public:
  // Null if there is none.
  template <class = void>
  [[nodiscard]] shared<key_index> find(const uuid& object) noexcept {
    const std::size_t at = place_of(object);
    if (at == items_.size() || items_[at].object != object) return {};
    items_[at].last_use = ++uses_;
    return items_[at].index;
  }

  template <class = void>
  void insert(const uuid& object, shared<key_index> index, std::size_t bytes_max) {
    if (index->byte_size() > bytes_max) return;
    bytes_ += index->byte_size();
    items_.insert(place_of(object), {object, std::move(index), ++uses_});
    while (bytes_ > bytes_max) forget_oldest();
  }

 private:
  struct item {
    uuid object;
    shared<key_index> index;
    std::uint64_t last_use;
  };

  // Where the item of this object is, or would be.
  template <class = void>
  [[nodiscard]] std::size_t place_of(const uuid& object) const noexcept {
    return lower_bound(items_.begin(), items_.size(), [&](const item& each) { return each.object < object; });
  }

  template <class = void>
  void forget_oldest() noexcept {
    std::size_t oldest = 0;
    for (std::size_t at = 1; at < items_.size(); ++at)
      if (items_[at].last_use < items_[oldest].last_use) oldest = at;
    bytes_ -= items_[oldest].index->byte_size();
    items_.erase(oldest);
  }

  sequence<item> items_;  // by object
  std::size_t bytes_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace tarn::inline TARN_ABI
