// Something for each of a set of tables, by name. Names that differ in case only are one name here, since a lake cannot
// hold two such tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "names.hpp"

namespace tarn::inline TARN_ABI {

// Sorted: lookups take log n comparisons, insertions move what comes after. Iterates in order of name.
template <class T>
class table_map {
 public:
  struct item {
    std::string name;
    T content;
  };

  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] const item* begin() const noexcept { return items_.begin(); }
  [[nodiscard]] const item* end() const noexcept { return items_.end(); }
  [[nodiscard]] item* begin() noexcept { return items_.begin(); }
  [[nodiscard]] item* end() noexcept { return items_.end(); }

  // The place of this name among all; size() if there is none.
  [[nodiscard]] std::size_t index_of(std::string_view name) const noexcept {
    const std::size_t at = lower_bound(name);
    return matches(at, name) ? at : size();
  }
  // Null if there is none of this name. Valid until the next insertion or erasure.
  [[nodiscard]] T* find(std::string_view name) noexcept {
    const std::size_t at = lower_bound(name);
    return matches(at, name) ? &items_[at].content : nullptr;
  }
  [[nodiscard]] const T* find(std::string_view name) const noexcept {
    const std::size_t at = lower_bound(name);
    return matches(at, name) ? &items_[at].content : nullptr;
  }

  // The content under this name; a new one made of `arguments` if there is none.
  template <class... Arguments>
  T& find_or_insert(std::string_view name, Arguments&&... arguments) {
    const std::size_t at = lower_bound(name);
    if (!matches(at, name)) items_.insert(at, item{std::string(name), T(std::forward<Arguments>(arguments)...)});
    return items_[at].content;
  }

  void erase(std::string_view name) {
    const std::size_t at = lower_bound(name);
    if (matches(at, name)) items_.erase(at);
  }

 private:
  [[nodiscard]] bool matches(std::size_t at, std::string_view name) const noexcept {
    return at < items_.size() && compare_ignoring_case(items_[at].name, name) == 0;
  }

  [[nodiscard]] std::size_t lower_bound(std::string_view name) const noexcept {
    return tarn::lower_bound(items_.begin(), items_.size(),
                             [&](const item& each) { return compare_ignoring_case(each.name, name) < 0; });
  }

  sequence<item> items_;
};

}  // namespace tarn::inline TARN_ABI
