// The text of one run, short enough for a bug report: who took how many steps, in which order, under which faults.
//
//   v1|W,C,V|a5b2ca|f:b3.F2,a1.F7
//      |     |      +-- faults, as in fault.hpp; left out if there are none
//      |     +-- client a takes 5 steps, b takes 2, c goes to its end, and then a does
//      +-- the programs of a, b, c, ...; "-" for one that is left out
//
// A capital letter is a call that its client has sent ahead and that arrives now: the client's first; "A+" its second,
// and so on. After the end of the schedule the last client goes on to its end, then the first that can, and so on.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../../core/text.hpp"
#include "../fault.hpp"
#include "explored_run.hpp"

namespace tarn::inline TARN_ABI::testing {

struct schedule {
  struct block {
    std::size_t process = 0;
    std::size_t steps = 0;  // 0: to its end
    friend bool operator==(const block&, const block&) = default;
  };

  std::vector<std::string> programs;
  std::vector<block> blocks;
  std::vector<planned_fault> faults;

  friend bool operator==(const schedule&, const schedule&) = default;

  // Which clients are there, as bits.
  [[nodiscard]] std::uint64_t present() const noexcept {
    std::uint64_t all = 0;
    for (std::size_t number = 0; number < programs.size(); ++number)
      if (programs[number] != "-") all |= std::uint64_t{1} << number;
    return all;
  }
};

inline constexpr std::size_t explored_clients_max = 26;  // letters

[[nodiscard]] inline std::string to_text(const schedule& shown) {
  std::string text = "v1|";
  for (std::size_t number = 0; number < shown.programs.size(); ++number) {
    if (number != 0) text.push_back(',');
    text += shown.programs[number];
  }
  text.push_back('|');
  for (const schedule::block& each : shown.blocks) {
    const std::size_t ghosts = each.process / shown.programs.size();
    const char first = ghosts == 0 ? 'a' : 'A';
    text.push_back(static_cast<char>(first + static_cast<char>(each.process % shown.programs.size())));
    if (ghosts > 1) text.append(ghosts - 1, '+');
    if (each.steps != 0) append_text(text, each.steps);
  }
  if (!shown.faults.empty()) append_text(text, concat({"|f:", to_text(shown.faults)}));
  return text;
}

// Takes from `text` what comes before the first `end`, and that too; all of it if there is none.
[[nodiscard]] inline std::string_view take_until(std::string_view& text, char end) noexcept {
  const std::size_t size = text.find(end);
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size == std::string_view::npos ? text.size() : size + 1);
  return taken;
}

// Nothing if `text` is not of the form above.
[[nodiscard]] inline std::optional<schedule> schedule_from(std::string_view text) {
  schedule made;
  if (take_until(text, '|') != "v1") return {};
  for (std::string_view names = take_until(text, '|'); !names.empty();)
    made.programs.emplace_back(take_until(names, ','));
  const std::size_t clients = made.programs.size();
  if (clients == 0 || clients > explored_clients_max) return {};

  for (std::string_view blocks = take_until(text, '|'); !blocks.empty();) {
    const char letter = blocks.front();
    blocks.remove_prefix(1);
    const bool ghost = letter >= 'A' && letter <= 'Z';
    if (!ghost && (letter < 'a' || letter > 'z')) return {};
    schedule::block block{static_cast<std::size_t>(letter - (ghost ? 'A' : 'a')), 0};
    if (block.process >= clients) return {};
    if (ghost) block.process += clients;
    for (; ghost && blocks.starts_with('+'); blocks.remove_prefix(1)) block.process += clients;
    if (block.process >= processes_max) return {};
    const auto [end, failed] = std::from_chars(blocks.data(), blocks.data() + blocks.size(), block.steps);
    if (failed == std::errc::result_out_of_range) return {};
    blocks.remove_prefix(static_cast<std::size_t>(end - blocks.data()));
    made.blocks.push_back(block);
  }

  if (text.empty()) return made;
  if (!text.starts_with("f:")) return {};
  std::optional<std::vector<planned_fault>> faults = planned_faults_from(text.substr(2));
  if (!faults) return {};
  for (const planned_fault& each : *faults)
    if (each.client >= clients) return {};
  made.faults = std::move(*faults);
  return made;
}

// The schedule of the run that `steps` are of.
[[nodiscard]] inline std::vector<schedule::block> blocks_of(const std::vector<explored_step>& steps) {
  std::vector<schedule::block> blocks;
  std::vector<std::size_t> last_block(processes_max, SIZE_MAX);
  for (const explored_step& each : steps) {
    if (blocks.empty() || blocks.back().process != each.process) blocks.push_back({each.process, 0});
    ++blocks.back().steps;
    last_block[each.process] = blocks.size() - 1;
  }
  for (const std::size_t last : last_block)
    if (last != SIZE_MAX) blocks[last].steps = 0;
  return blocks;
}

}  // namespace tarn::inline TARN_ABI::testing
