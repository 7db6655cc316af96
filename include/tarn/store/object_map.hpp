// Objects in memory, sorted by name: a skip list (Pugh, "Skip lists: a probabilistic alternative to balanced trees",
// 1990). Not thread-safe.
//
//   first_   [2] ───────────────────────> c ─────────────> null      a link on level n skips about 4^n objects;
//            [1] ──────────> b ─────────> c ──────> e ───> null      a search goes right as long as the next name is
//            [0] ──> a ────> b ─────────> c ──> d ─> e ──> null      smaller, else down
//
// Why not std::map: it adds 70 ms to the compile time of every file that includes tarn (g++ 12), this adds 10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/config.hpp"
#include "shared_bytes.hpp"

namespace tarn::inline TARN_ABI {

// Every operation is O(log n), on average over names.
template <class = void>
class object_map {
 public:
  static constexpr std::size_t levels = 12;  // enough for 16 million objects

  struct object {
    std::string name;
    shared_bytes bytes;
    object* next[levels];  // null also above the object's own height
  };

  object_map() = default;
  object_map(const object_map&) = delete;
  object_map& operator=(const object_map&) = delete;
  ~object_map() {
    for (object* at = first_[0]; at != nullptr;) {
      object* const last = at;
      at = last->next[0];
      delete last;
    }
  }

  // The first object whose name is not less than `name`; null if there is none.
  [[nodiscard]] const object* at_or_after(std::string_view name) const noexcept {
    const object* const* links = first_;
    for (std::size_t level = levels; level-- > 0;)
      while (links[level] != nullptr && links[level]->name < name) links = links[level]->next;
    return links[0];
  }

  // The first object whose name is greater than `name`; null if there is none.
  [[nodiscard]] const object* after(std::string_view name) const noexcept {
    const object* const found = at_or_after(name);
    return found != nullptr && found->name == name ? found->next[0] : found;
  }

  // Null if there is none.
  [[nodiscard]] const object* find(std::string_view name) const noexcept {
    const object* const found = at_or_after(name);
    return found != nullptr && found->name == name ? found : nullptr;
  }

  // False, and nothing was changed, if the name is taken.
  [[nodiscard]] bool insert(std::string_view name, shared_bytes bytes) {
    path before(first_, name);
    object* const next = *before.links[0];
    if (next != nullptr && next->name == name) return false;
    auto* const made = new object{std::string(name), std::move(bytes), {}};
    for (std::size_t level = 0; level < height_of(name); ++level) {
      made->next[level] = *before.links[level];
      *before.links[level] = made;
    }
    return true;
  }

  // Nothing if there is none.
  void erase(std::string_view name) noexcept {
    path before(first_, name);
    object* const found = *before.links[0];
    if (found == nullptr || found->name != name) return;
    for (std::size_t level = 0; level < levels; ++level)
      if (*before.links[level] == found) *before.links[level] = found->next[level];
    delete found;
  }

 private:
  // On each level, the last link that starts before a name.
  struct path {
    path(object** first, std::string_view name) noexcept {
      for (std::size_t level = levels; level-- > 0;) {
        while (first[level] != nullptr && first[level]->name < name) first = first[level]->next;
        links[level] = &first[level];
      }
    }
    object** links[levels];
  };

  // By the name, so that a run can be repeated: 1 for three quarters of all names, 2 for three quarters of the rest,
  // ...
  [[nodiscard]] static std::size_t height_of(std::string_view name) noexcept {
    std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x0000'0100'0000'01b3U;
    std::size_t height = 1;
    for (hash ^= hash >> 32; height < levels && (hash & 3U) == 0; hash >>= 2) ++height;
    return height;
  }

  object* first_[levels] = {};
};

}  // namespace tarn::inline TARN_ABI
