// Sorting in place, and searching what is sorted. <algorithm> would cost every file that includes tarn 30 ms.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include "config.hpp"

namespace tarn::inline TARN_ABI {

namespace sort_detail {

// Insertion sort that gives up once it has moved elements `moves_left` times. Returns whether it came to the end;
// either way the elements are a permutation of what they were.
template <class T, class Before>
[[nodiscard]] bool sort_by_insertion(T* first, std::size_t count, std::size_t moves_left, Before& before) {
  for (std::size_t at = 1; at < count; ++at) {
    if (!before(first[at], first[at - 1])) continue;
    T inserted = std::move(first[at]);
    std::size_t hole = at;
    for (; hole > 0 && moves_left > 0 && before(inserted, first[hole - 1]); --hole, --moves_left)
      first[hole] = std::move(first[hole - 1]);
    first[hole] = std::move(inserted);
    if (moves_left == 0) return false;
  }
  return true;
}

// Puts `sunk` into the heap below `root`, whose own element is gone. The hole first goes all the way down along the
// larger children, and then `sunk` up from there: it mostly belongs near the bottom, and one comparison a level is half
// of what looking for its place on the way down takes ("bottom-up", Wegener 1993).
template <class T, class Before>
void sink(T* first, std::size_t count, std::size_t root, T sunk, Before& before) {
  std::size_t hole = root;
  for (std::size_t child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
    if (child + 1 < count && before(first[child], first[child + 1])) ++child;
    first[hole] = std::move(first[child]);
    hole = child;
  }
  while (hole > root) {
    const std::size_t parent = (hole - 1) / 2;
    if (!before(first[parent], sunk)) break;
    first[hole] = std::move(first[parent]);
    hole = parent;
  }
  first[hole] = std::move(sunk);
}

template <class T, class Before>
void sort_by_heap(T* first, std::size_t count, Before& before) {
  for (std::size_t root = count / 2; root-- > 0;) sink(first, count, root, T(std::move(first[root])), before);
  for (std::size_t last = count - 1; last > 0; --last) {
    T sunk = std::move(first[last]);
    first[last] = std::move(first[0]);
    sink(first, last, 0, std::move(sunk), before);
  }
}

// Puts the median of three elements where it belongs, what is not after it in front of it, and what is not before it
// behind. Returns its place. The three are not at the ends and the middle, where they would be the extremes of elements
// that rise and then fall, as two sorted runs do. Needs 4 elements.
template <class T, class Before>
[[nodiscard]] std::size_t partition(T* first, std::size_t count, Before& before) {
  T* low = first + count / 4;
  T* median = first + count / 2;
  T* high = first + (count - count / 4);
  if (before(*median, *low)) std::swap(median, low);
  if (before(*high, *median)) median = before(*high, *low) ? low : high;
  std::swap(*first, *median);
  std::size_t left = 0;
  std::size_t right = count;
  for (;;) {  // stops at equal elements, so that many of them are split in halves
    do ++left;
    while (left < count && before(first[left], *first));
    do --right;
    while (before(*first, first[right]));
    if (left >= right) break;
    std::swap(first[left], first[right]);
  }
  if (right > 0) std::swap(*first, first[right]);
  return right;
}

// Quicksort, which is four times as fast as the heap for elements that are not in the cache, until it has split a range
// `splits_left` times and not come to an end: then somebody chose the elements against it, and the heap takes over
// ("introsort", Musser 1997). Recurses for the smaller part only, so at most log2(count) deep.
template <class T, class Before>
void sort_by_parts(T* first, std::size_t count, int splits_left, Before& before) {
  constexpr std::size_t few = 16;
  while (count > few) {
    if (splits_left-- == 0) return sort_by_heap(first, count, before);
    const std::size_t pivot = partition(first, count, before);
    T* const behind = first + pivot + 1;
    const std::size_t count_behind = count - pivot - 1;
    if (pivot < count_behind) {
      sort_by_parts(first, pivot, splits_left, before);
      first = behind;
      count = count_behind;
    } else {
      sort_by_parts(behind, count_behind, splits_left, before);
      count = pivot;
    }
  }
  (void)sort_by_insertion(first, count, few * few, before);
}

}  // namespace sort_detail

// Sorts [first, first + count) so that no element is `before` the one in front of it. `before` is a strict weak order
// that does not throw; equal elements end up in any order. T is movable.
//
// Allocates nothing and recurses at most log2(count) deep. Comparisons: count - 1 if the elements are sorted already,
// at most 3 count if few of them are out of place by little, about 1.2 n log2 n for most others and 4 n log2 n for any:
// whoever chooses the elements cannot make it slow.
template <class T, class Before>
void sort(T* first, std::size_t count, Before before) {
  if (sort_detail::sort_by_insertion(first, count, count, before)) return;
  sort_detail::sort_by_parts(first, count, 2 * static_cast<int>(std::bit_width(count)), before);
}

// The elements with the indexes [from, end) are sorted, and those before are all `below(index)` what is looked for: the
// index of the first that is not, or `end`. At most log2(end - from) + 1 comparisons.
template <class Below>
[[nodiscard]] std::size_t find_first_not(std::size_t from, std::size_t end, Below below) {
  while (from < end) {
    const std::size_t middle = from + (end - from) / 2;
    if (below(middle))
      from = middle + 1;
    else
      end = middle;
  }
  return from;
}

// The same where it is near `from`: at most 2 log2(way + 1) + 1 comparisons ("unbounded search", Bentley and Yao 1976).
template <class Below>
[[nodiscard]] std::size_t find_near_first_not(std::size_t from, std::size_t end, Below below) {
  for (std::size_t step = 1; step <= end - from; step *= 2) {
    if (!below(from + step - 1)) return find_first_not(from, from + step - 1, below);
    from += step;
  }
  return find_first_not(from, end, below);
}

// How many of the sorted elements [first, first + count) are `below` what is looked for: where it is, or would be.
// At most log2(count) + 1 comparisons.
template <class T, class Below>
[[nodiscard]] std::size_t lower_bound(const T* first, std::size_t count, Below below) {
  return find_first_not(0, count, [&](std::size_t index) { return below(first[index]); });
}

}  // namespace tarn::inline TARN_ABI
