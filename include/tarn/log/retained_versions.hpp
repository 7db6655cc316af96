// Which versions of a lake are kept: those from the oldest that the vacuums have left on, and those with tags.
#pragma once

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "apply_entry.hpp"
#include "entry.hpp"
#include "snapshot.hpp"

namespace tarn::inline TARN_ABI {

class retained_versions {
 public:
  retained_versions() = default;
  template <class = void>
  explicit retained_versions(const snapshot& state) : oldest_(state.kept.oldest), tags_(*state.tags) {}

  // The next entry, or one after those that are damaged: what is said to be given up must not be missed.
  template <class = void>
  void note(const entry& next) {
    if (next.vacuums && next.kept.oldest > oldest_) oldest_ = next.kept.oldest;
    for (const version_tag& each : next.tags) apply_detail::set_tag(tags_, each);
  }

  template <class = void>
  [[nodiscard]] bool contains(version at) const noexcept {
    return has_any(at, at.next());
  }
  // Whether any version from `from` on and before `until` is kept.
  template <class = void>
  [[nodiscard]] bool has_any(version from, version until) const noexcept {
    const version newest = last_before(until);
    return newest >= from && newest != version();
  }
  // The newest that is kept and comes before `until`; -1 if there is none.
  template <class = void>
  [[nodiscard]] version last_before(version until) const noexcept {
    if (until > oldest_) return {until.number - 1};
    version last;
    for (const version_tag& each : tags_)
      if (each.at < until && each.at > last) last = each.at;
    return last;
  }

 private:
  version oldest_ = {0};
  sequence<version_tag> tags_;
};

}  // namespace tarn::inline TARN_ABI
