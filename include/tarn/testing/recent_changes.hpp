// What a store's objects were some calls ago: what is needed to answer as a store does whose caches and lists lag.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/config.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI::testing {

// Times are numbers of calls. Keeps a name for each change, for the whole of a run.
class recent_changes {
 public:
  void note_put(std::string_view name, std::uint64_t when) { changes_.push_back({std::string(name), when, true}); }
  void note_remove(std::string_view name, std::uint64_t when) { changes_.push_back({std::string(name), when, false}); }

  // Whether the name was put after `since`, and is there.
  [[nodiscard]] bool has_put(std::string_view name, std::uint64_t since) const noexcept {
    for (std::size_t at = changes_.size(); at-- > 0 && changes_[at].when > since;)
      if (changes_[at].name == name) return changes_[at].is_put;
    return false;
  }

  // Makes of what a list has named what it would have named at `since`; true if that is something else.
  [[nodiscard]] bool undo(std::vector<std::string>& names, std::string_view prefix, std::string_view start_after,
                          std::uint64_t since) const {
    const std::vector<std::string> before = names;
    for (std::size_t at = changes_.size(); at-- > 0 && changes_[at].when > since;) {
      const change& each = changes_[at];
      if (!each.name.starts_with(prefix) || each.name <= start_after) continue;
      std::erase(names, each.name);
      if (!each.is_put) names.push_back(each.name);
    }
    std::sort(names.begin(), names.end());
    return names != before;
  }

  // Of the names that were removed, oldest first: what a list may have named once.
  [[nodiscard]] std::vector<std::string> removed(std::string_view prefix, std::string_view start_after) const {
    std::vector<std::string> names;
    for (const change& each : changes_)
      if (!each.is_put && each.name.starts_with(prefix) && each.name > start_after) names.push_back(each.name);
    return names;
  }

 private:
  struct change {
    std::string name;
    std::uint64_t when;
    bool is_put;
  };
  std::vector<change> changes_;  // in the order of time
};

}  // namespace tarn::inline TARN_ABI::testing
