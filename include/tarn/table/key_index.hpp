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
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "../core/value_copy.hpp"
#include "../merge/fold.hpp"
#include "../merge/record.hpp"

namespace tarn::inline TARN_ABI {

// What is kept of a record: its key, what it does, and its ordering, if the table has one. Valid as long as the index.
struct indexed_record {
  std::string_view key;
  operation done;
  list_view ordering;  // one value
};

// Immutable once made; an index is its object's, whose id tags it, so it never goes stale. The keys lie next to each
// other: 10 bytes for each beside its own.
class key_index {
 public:
  // Appends the next record, of the table with the key `of`, in order of key; false if it is not. Of its values, only
  // the ordering counts.
  template <class = void>
  [[nodiscard]] bool append(std::string_view key, const operation& done, const list_view& values, const table_key& of) {
    if (size() > 0 && this->key(size() - 1) >= key) return false;
    append_text(keys_, key);
    ends_.push_back(keys_.size());
    done_.push_back(done);
    if (of.ordered()) orderings_.push_back(copy_value(values[of.ordering], memory_));
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::size_t byte_size() const noexcept {
    return keys_.size() + size() * (sizeof(std::size_t) + sizeof(operation)) + orderings_.size() * sizeof(value_view) +
           memory_.byte_size();
  }
  [[nodiscard]] std::string_view key(std::size_t at) const noexcept {
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return {keys_.data() + begin, ends_[at] - begin};
  }
  [[nodiscard]] indexed_record operator[](std::size_t at) const noexcept {
    return {key(at), done_[at], orderings_.empty() ? list_view() : list_view(&orderings_[at], 1)};
  }

  // Where the key is, or would be.
  template <class = void>
  [[nodiscard]] base_place find(std::string_view key) const noexcept {
    return place_at(find_first_not(0, size(), [&](std::size_t at) { return this->key(at) < key; }), key);
  }
  // The same for keys that come in order: soon, if it is near the place of the one before.
  template <class = void>
  [[nodiscard]] base_place find_after(const base_place& before, std::string_view key) const noexcept {
    const auto from = static_cast<std::size_t>(before.index);
    return place_at(find_near_first_not(from, size(), [&](std::size_t at) { return this->key(at) < key; }), key);
  }

 private:
  [[nodiscard]] base_place place_at(std::size_t at, std::string_view key) const noexcept {
    return {at, at < size() && this->key(at) == key, true};
  }

  std::string keys_;
  sequence<std::size_t> ends_;  // of each in `keys_`
  sequence<operation> done_;
  sequence<value_view> orderings_;
  arena memory_;  // of texts among them
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
