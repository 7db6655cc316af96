// Temporary files that nobody will come back for: found by listings, removed by a later put. Thread-safe.
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/lock.hpp"
#include "../core/uuid.hpp"
#include "file_system.hpp"
#include "system_error.hpp"

namespace tarn::inline TARN_ABI {

inline constexpr std::string_view temporary_prefix = "_tmp_";

template <class = void>
[[nodiscard]] std::string temporary_name(const uuid& id) {
  return concat({temporary_prefix, to_text(id)});
}

// A writer that crashes leaves its temporary file. Whoever lists the folder afterwards notes it here, since listing
// must not write; whoever puts next removes what is old enough.
//
// Age is a courtesy, not what safety rests on. If the file does belong to a living writer (one that stalled, or whose
// clock is wrong), then its link or rename finds nothing to name, nothing was created, and it tries again.
class leftovers {
 public:
  static constexpr std::int64_t age_ms_min = 3'600'000;
  static constexpr std::size_t noted_max = 64;  // the others are noted by a later listing

  // Notes a name found in a listing, if it is one that a writer makes. Other "_tmp_" names are never touched.
  template <class = void>
  void note_found(std::string_view name) {
    uuid id;
    if (parse_uuid(name.substr(temporary_prefix.size()), id)) note({id, false});
  }

  // Removes a temporary file of this process. If that fails, it is tried again by a later put, whatever its age.
  template <file_system System>
  void remove_own(System& system, int folder, const uuid& id) {
    if (!remove(system, folder, temporary_name(id))) note({id, true});
  }

  // Removes what was noted and is ours or old. One or two calls for each.
  template <file_system System>
  void collect(System& system, int folder) {
    const batch taken = take();
    for (std::size_t at = 0; at < taken.count; ++at) {
      const leftover& found = taken.noted[at];
      const std::string name = temporary_name(found.id);
      if (found.own || is_old(system, folder, name))
        if (!remove(system, folder, name) && found.own) note(found);
    }
  }

 private:
  struct leftover {
    uuid id;
    bool own = false;
  };
  struct batch {
    leftover noted[noted_max];
    std::size_t count = 0;
  };

  template <class = void>
  void note(const leftover& found) {
    const scoped_lock hold(guard_);
    if (batch_.count < noted_max) batch_.noted[batch_.count++] = found;
  }

  template <class = void>
  [[nodiscard]] batch take() {
    const scoped_lock hold(guard_);
    const batch taken = batch_;
    batch_.count = 0;
    return taken;
  }

  template <file_system System>
  [[nodiscard]] static bool is_old(System& system, int folder, const std::string& name) {
    const outcome<file_status> found = system.status_at(folder, name.c_str());
    return found && found.value.regular && system.now().ms - found.value.modified.ms > age_ms_min;
  }

  // True if the name is gone, whoever removed it.
  template <file_system System>
  [[nodiscard]] static bool remove(System& system, int folder, const std::string& name) {
    const auto removed = retry_interrupted([&] { return system.unlink(folder, name.c_str()); });
    return removed || removed.error_number == ENOENT;
  }

  mutex guard_;
  batch batch_;
};

}  // namespace tarn::inline TARN_ABI

#endif  // TARN_HAS_POSIX
