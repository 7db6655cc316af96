// What a check of a lake has found; see check.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI {

enum class finding_kind : unsigned char {
  damaged_entry,       // not what its writer wrote, or it does not fit the versions before it
  missing_entry,       // a later one is there
  broken_chain,        // an entry that was made to follow another one than that before it
  damaged_object,      // not what the log describes, or the store cannot give it
  missing_object,      // a retained version needs it
  wrong_rows,          // the bytes are those that the log describes, but not rows of the table
  wrong_bounds,        // the log states a least or greatest value, or a number of nulls, that the rows do not have
  wrong_positions,     // records are not where they say among the rows of their base
  damaged_checkpoint,  // not the state of its version
  damaged_marker,      // of a truncation
  unsupported,         // not verified: it needs a newer tarn, or a codec that the client does not have
  orphan,              // a data object or a checkpoint that no retained version needs
  stranger,            // not the lake's: ignored, and never removed
  leftover,            // what a writer has in the making, or left when it crashed: the store collects it
};

[[nodiscard]] constexpr std::string_view name_of(finding_kind found) noexcept {
  constexpr const char* names[] = {"damaged entry",      "missing entry",  "broken chain", "damaged object",
                                   "missing object",     "wrong rows",     "wrong bounds", "wrong positions",
                                   "damaged checkpoint", "damaged marker", "unsupported",  "orphan",
                                   "stranger",           "leftover"};
  return names[static_cast<unsigned char>(found)];
}

// Whether such a finding takes nothing from anybody.
[[nodiscard]] constexpr bool is_harmless(finding_kind found) noexcept { return found >= finding_kind::orphan; }

struct check_finding {
  finding_kind kind;
  std::string name;     // in the store
  version at;           // the first version that it matters to; -1: none, or not known
  std::string table;    // empty: none, or not known
  std::string message;  // what is wrong, what it means, and what to do
};

struct check_report {
  version newest;     // -1: the lake is empty
  version last_good;  // the newest version that can be read in full, with all it needs; -1: none can
  std::uint64_t entries = 0;
  std::uint64_t objects = 0;  // that are good; and what is in them:
  std::uint64_t rows = 0;     // of keyed tables, records
  std::uint64_t bytes = 0;
  sequence<check_finding> findings;  // what does harm in order of version, then the rest by kind

  // `why` need not name it: the message will.
  template <class = void>
  void add(finding_kind kind, std::string_view name, version at, std::string_view table, std::string_view why) {
    const bool named = why.find(name) != std::string_view::npos;
    findings.push_back(
        {kind, std::string(name), at, std::string(table), named ? std::string(why) : concat({name, ": ", why})});
  }

  // Whether every retained version can be read, and says what its writers wrote.
  [[nodiscard]] bool sound() const noexcept {
    for (const check_finding& each : findings)
      if (!is_harmless(each.kind)) return false;
    return true;
  }
};

}  // namespace tarn::inline TARN_ABI
