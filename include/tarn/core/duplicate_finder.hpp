// Whether names differ from one another, as the keys of a map and the columns of a table must. Not thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "config.hpp"
#include "sequence.hpp"
#include "sort.hpp"

namespace tarn::inline TARN_ABI {

// Finds equal names among many. It sorts instead of hashing: whoever chooses the names cannot make it slow (for any
// fixed hash function there are names that all collide), and no seed is needed. Keeps its memory for the next names.
template <class = void>
class duplicate_finder {
 public:
  void clear() noexcept { names_.clear(); }
  void add(std::string_view name) { names_.emplace_back(name); }

  // One of those that were added more than once; nullptr if there is none. Comparisons: n^2 / 2 for a few, else
  // those of sort(). Changes their order.
  [[nodiscard]] const std::string_view* find() noexcept {
    if (names_.size() <= few) return find_among_few();
    sort(names_.data(), names_.size(), before);
    for (std::size_t at = 1; at < names_.size(); ++at)
      if (names_[at - 1] == names_[at]) return &names_[at];
    return nullptr;
  }

 private:
  static constexpr std::size_t few = 16;

  // By size first, which mostly decides without looking at the bytes.
  [[nodiscard]] static bool before(std::string_view a, std::string_view b) noexcept {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }

  [[nodiscard]] const std::string_view* find_among_few() const noexcept {
    for (std::size_t at = 1; at < names_.size(); ++at)
      for (std::size_t earlier = 0; earlier < at; ++earlier)
        if (names_[earlier] == names_[at]) return &names_[at];
    return nullptr;
  }

  sequence<std::string_view> names_;
};

}  // namespace tarn::inline TARN_ABI
