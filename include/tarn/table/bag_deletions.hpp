// Which rows of a bag a transaction has deleted, of whatever object: one of the snapshot's, one that it has flushed, or
// the one that its buffer will be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/sort.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/row_set.hpp"
#include "bag_row.hpp"

namespace tarn::inline TARN_ABI {

// Of one object.
struct object_deletions {
  uuid object;
  row_set rows;
  sequence<row_replacement> replacements = {};
};

class bag_deletions {
 public:
  // By id of the object.
  [[nodiscard]] const sequence<object_deletions>& all() const noexcept { return all_; }

  // Null: none of this object.
  template <class = void>
  [[nodiscard]] const row_set* find(const uuid& object) const noexcept {
    const std::size_t at = place_of(object);
    return at < all_.size() && all_[at].object == object ? &all_[at].rows : nullptr;
  }
  template <class = void>
  [[nodiscard]] bool contains(const bag_row& deleted) const noexcept {
    const row_set* const rows = find(deleted.object);
    return rows != nullptr && rows->contains(deleted.number);
  }

  // In order of row within an object O(log objects), else see `row_set::add`.
  template <class = void>
  void add(const bag_row& deleted) {
    (void)add_to(deleted);
  }
  // The same for a row whose place `with` takes. It must not have been deleted before.
  template <class = void>
  void add(const bag_row& deleted, const bag_row& with) {
    sequence<row_replacement>& replacements = add_to(deleted).replacements;
    // Neighbours whose replacements are neighbours, too, are told together.
    if (!replacements.empty()) {
      row_replacement& last = replacements.back();
      const std::uint64_t count = last.deleted.last - last.deleted.first + 1;
      if (last.deleted.last + 1 == deleted.number && last.object == with.object && last.first + count == with.number) {
        last.deleted.last = deleted.number;
        return;
      }
    }
    replacements.push_back({{deleted.number, deleted.number}, with.object, with.number});
  }

 private:
  template <class = void>
  [[nodiscard]] std::size_t place_of(const uuid& object) const noexcept {
    return lower_bound(all_.begin(), all_.size(), [&](const object_deletions& each) { return each.object < object; });
  }

  template <class = void>
  object_deletions& add_to(const bag_row& deleted) {
    const std::size_t at = place_of(deleted.object);
    if (at == all_.size() || all_[at].object != deleted.object) all_.insert(at, {deleted.object, {}});
    all_[at].rows.add(deleted.number);
    return all_[at];
  }

  sequence<object_deletions> all_;
};

// The rows of a committed object that are deleted for a transaction: by others and by itself.
template <class = void>
[[nodiscard]] copy_on_write<row_set> deleted_from(const bag_object& committed, const bag_deletions& own) {
  copy_on_write<row_set> all = committed.deleted;
  if (const row_set* const more = own.find(committed.object.id); more != nullptr) all.writable().add(*more);
  return all;
}

}  // namespace tarn::inline TARN_ABI
