// The state of a lake after one entry: a pure function of the entries up to it (log/apply_entry.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/strong_types.hpp"
#include "application.hpp"
#include "entry.hpp"
#include "table_map.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

// Values: copies share what they have in common and never see each other's changes. Safe to read from several threads.
struct snapshot {
  version at;                        // -1: the empty lake
  std::uint32_t entry_checksum = 0;  // of the bytes of entry `at`: the next entry must carry it
  timestamp time;                    // of the latest entry of tarn's
  table_map<copy_on_write<table_state>> tables;
  sequence<std::string> needed_to_write;  // features; sticky
  copy_on_write<committed_sequences> applications;
  copy_on_write<sequence<version_tag>> tags;  // by name
  retention kept;

  template <class = void>
  [[nodiscard]] bool needs_to_write(std::string_view feature) const noexcept {
    for (const std::string& each : needed_to_write)
      if (each == feature) return true;
    return false;
  }

  // The table of exactly this name, or null.
  template <class = void>
  [[nodiscard]] const table_state* find_table(std::string_view name) const noexcept {
    const auto* found = tables.find(name);
    return found != nullptr && (*found)->name == name ? &**found : nullptr;
  }
};

// How snapshots are passed around: copies cost nothing.
using shared_snapshot = copy_on_write<snapshot>;

}  // namespace tarn::inline TARN_ABI
