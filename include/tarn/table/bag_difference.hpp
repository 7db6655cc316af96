// Which rows of which objects make the difference between two states of a bag. Follows from the log alone.
//
//   one entry     what it deleted of what was there before | what it added and did not delete itself
//   two states    what is there before and not after       | what is there after and not before
//
// The first knows that a compaction moves rows and changes none, and which deleted row became which new one; the second
// is for tables that are restored, created or dropped.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../log/data_object.hpp"
#include "../log/entry.hpp"
#include "../log/row_set.hpp"
#include "../log/table_state.hpp"

namespace tarn::inline TARN_ABI {

// Some rows of an object.
struct object_rows {
  data_object object;
  row_set rows;
  bool all_but = false;  // all rows but those

  // Whether there may be any.
  template <class = void>
  [[nodiscard]] bool has_any() const noexcept {
    return all_but ? !object.described || rows.size() < object.rows : !rows.empty();
  }
  // Whether there may be one at `number` or after.
  template <class = void>
  [[nodiscard]] bool reaches(std::uint64_t number) const noexcept {
    return all_but || (!rows.empty() && rows.ranges().back().last >= number);
  }
  template <class = void>
  [[nodiscard]] bool contains(std::uint64_t number) const noexcept {
    return rows.contains(number) != all_but;
  }
};

// What one entry deleted of one object.
struct object_deletion {
  uuid object;
  row_set rows;
  sequence<row_replacement> replacements;  // sorted by what was deleted
};

// Both parts in the order of a scan.
struct bag_difference {
  sequence<object_rows> erased;
  sequence<object_rows> inserted;
  sequence<object_deletion> deletions;  // of one entry, sorted by object
};

namespace bag_detail {

template <class = void>
[[nodiscard]] std::size_t place_of(const sequence<object_deletion>& deletions, const uuid& object) noexcept {
  return lower_bound(deletions.begin(), deletions.size(),
                     [&](const object_deletion& each) { return each.object < object; });
}

template <class = void>
[[nodiscard]] const object_deletion* find_deletion(const sequence<object_deletion>& deletions,
                                                   const uuid& object) noexcept {
  const std::size_t at = place_of(deletions, object);
  return at < deletions.size() && deletions[at].object == object ? &deletions[at] : nullptr;
}

template <class = void>
[[nodiscard]] sequence<object_deletion> collect_deletions(const sequence<action>& actions) {
  sequence<object_deletion> all;
  for (const action& each : actions) {
    if (each.kind != action_kind::delete_rows) continue;
    const std::size_t at = place_of(all, each.object.id);
    if (at == all.size() || all[at].object != each.object.id) all.insert(at, {each.object.id, {}, {}});
    all[at].rows.add(each.rows);
    for (const row_replacement& replaced : each.replacements) all[at].replacements.push_back(replaced);
  }
  for (object_deletion& each : all)
    sort(each.replacements.begin(), each.replacements.size(),
         [](const row_replacement& a, const row_replacement& b) { return a.deleted.first < b.deleted.first; });
  return all;
}

// Finds objects of a bag by id, all of them at once.
class object_finder {
 public:
  template <class = void>
  explicit object_finder(const object_list& objects) : objects_(&objects) {
    for (std::size_t at = 0; at < objects.size(); ++at) places_.push_back(at);
    sort(places_.begin(), places_.size(), [&](std::size_t a, std::size_t b) { return id_at(a) < id_at(b); });
  }

  // Null if there is none.
  template <class = void>
  [[nodiscard]] const bag_object* find(const uuid& id) const noexcept {
    const std::size_t at =
        lower_bound(places_.begin(), places_.size(), [&](std::size_t place) { return id_at(place) < id; });
    return at < places_.size() && id_at(places_[at]) == id ? &(*objects_)[places_[at]] : nullptr;
  }

 private:
  [[nodiscard]] const uuid& id_at(std::size_t place) const noexcept { return (*objects_)[place].object.id; }

  const object_list* objects_;
  sequence<std::size_t> places_;  // sorted by id
};

// What `of` has that `other` lacks.
template <class = void>
[[nodiscard]] sequence<object_rows> subtract(const object_list& of, const object_list& other) {
  const object_finder others(other);
  sequence<object_rows> left;
  for (std::size_t at = 0; at < of.size(); ++at) {
    const bag_object& mine = of[at];
    const bag_object* const theirs = others.find(mine.object.id);
    object_rows rows{mine.object, theirs != nullptr ? *theirs->deleted : *mine.deleted, theirs == nullptr};
    if (theirs != nullptr) rows.rows.remove(*mine.deleted);
    if (rows.has_any()) left.push_back(std::move(rows));
  }
  return left;
}

}  // namespace bag_detail

// Between any two states. O(n log n) for n objects.
template <class = void>
[[nodiscard]] bag_difference difference_of(const object_list& before, const object_list& after) {
  return {bag_detail::subtract(before, after), bag_detail::subtract(after, before), {}};
}

// Made by the actions of one entry in the table whose objects were `before`. Costs a search for each of them, if the
// entry deletes rows, else only what the entry says.
template <class = void>
[[nodiscard]] bag_difference difference_of(const object_list& before, const sequence<action>& actions) {
  bag_difference made;
  made.deletions = bag_detail::collect_deletions(actions);
  const auto erase_from = [&](const data_object& object, const row_set& gone_before) {
    const object_deletion* const deletion = bag_detail::find_deletion(made.deletions, object.id);
    if (deletion == nullptr) return;
    object_rows rows{object, deletion->rows};
    rows.rows.remove(gone_before);
    if (rows.has_any()) made.erased.push_back(std::move(rows));
  };
  for (std::size_t at = 0; at < before.size() && !made.deletions.empty(); ++at)
    erase_from(before[at].object, *before[at].deleted);
  for (const action& each : actions) {
    if (each.kind == action_kind::replace_objects) erase_from(each.object, {});
    if (each.kind != action_kind::add_object) continue;
    const object_deletion* const deletion = bag_detail::find_deletion(made.deletions, each.object.id);
    made.inserted.push_back({each.object, deletion != nullptr ? deletion->rows : row_set(), true});
  }
  return made;
}

// A row of `bag_difference::inserted`, in the order in which they were added.
struct inserted_row {
  std::size_t object = 0;  // which of them
  std::uint64_t number = 0;

  friend constexpr auto operator<=>(const inserted_row&, const inserted_row&) = default;
};

namespace bag_detail {

// Null if nothing took the place of the deleted row.
template <class = void>
[[nodiscard]] const row_replacement* find_replacement(const object_deletion& of, std::uint64_t number) noexcept {
  const sequence<row_replacement>& all = of.replacements;
  const std::size_t at =
      lower_bound(all.begin(), all.size(), [&](const row_replacement& each) { return each.deleted.last < number; });
  return at < all.size() && all[at].deleted.first <= number ? &all[at] : nullptr;
}

// Where the row is that took the place of row `number`; past all objects if it was not added.
template <class = void>
[[nodiscard]] inserted_row place_of_new_row(const bag_difference& of, const row_replacement& replaced,
                                            std::uint64_t number) noexcept {
  inserted_row found{0, replaced.first + (number - replaced.deleted.first)};
  while (found.object < of.inserted.size() && of.inserted[found.object].object.id != replaced.object) ++found.object;
  const bool has_it = found.object < of.inserted.size() && found.number < of.inserted[found.object].object.rows;
  return has_it ? found : inserted_row{of.inserted.size(), 0};
}

}  // namespace bag_detail

// What became of row `number` of `object`, which an entry deleted: true if another took its place, perhaps after more
// updates by the same entry, and is still there. That row is then no longer among the inserted ones. errc::corrupt if
// an update leads to a row that the entry did not add after the old one, or that is another's.
template <class = void>
[[nodiscard]] result<bool> take_successor(bag_difference& of, const uuid& object, std::uint64_t number,
                                          inserted_row& found) {
  bool is_updated = false;
  const object_deletion* deletion = bag_detail::find_deletion(of.deletions, object);
  while (deletion != nullptr && deletion->rows.contains(number)) {
    const row_replacement* const replaced = bag_detail::find_replacement(*deletion, number);
    if (replaced == nullptr) return false;
    const inserted_row next = bag_detail::place_of_new_row(of, *replaced, number);
    if (next.object == of.inserted.size() || (is_updated && next <= found))
      return error(errc::corrupt, concat({"an update of row ", number, " of object ", to_text(deletion->object),
                                          " leads to a row that its version did not add after it"}));
    is_updated = true;
    found = next;
    number = next.number;
    deletion = bag_detail::find_deletion(of.deletions, of.inserted[next.object].object.id);
  }
  if (!is_updated) return false;
  object_rows& added = of.inserted[found.object];
  if (!added.contains(found.number))
    return error(errc::corrupt, concat({"two updates lead to row ", number, " of object ", to_text(added.object.id)}));
  added.rows.add(found.number);
  return true;
}

}  // namespace tarn::inline TARN_ABI
