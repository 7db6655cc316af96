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
  // The next entry, or one after those that are damaged: what is said to be given up must not be missed.
  template <class = void>
  void note(const entry& next) {
    if (next.vacuums) give_up_before(next.kept.oldest);
    for (const version_tag& each : next.tags) apply_detail::set_tag(tags_, each);
  }
  // The state of a checkpoint.
  template <class = void>
  void note(const snapshot& state) {
    give_up_before(state.kept.oldest);
    tags_ = *state.tags;
  }
  void give_up_before(version oldest) noexcept {
    if (oldest > oldest_) oldest_ = oldest;
  }

  [[nodiscard]] const sequence<version_tag>& tags() const noexcept { return tags_; }
  template <class = void>
  [[nodiscard]] bool has_tag(version at) const noexcept {
    return tarn::has_tag(tags_, at);
  }

  template <class = void>
  [[nodiscard]] bool contains(version at) const noexcept {
    return at != version() && (at >= oldest_ || has_tag(at));
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
