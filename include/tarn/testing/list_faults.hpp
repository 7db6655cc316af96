// What can be wrong with the names that a store lists. Each function changes names as a faulty store would, and is true
// if they are not the same names, in the same order, any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/text.hpp"
#include "random_source.hpp"

namespace tarn::inline TARN_ABI::testing {

// One name less, or two: `which` says which.
[[nodiscard]] inline bool omit_names(std::vector<std::string>& names, std::uint64_t which) {
  random_source random(which);
  const std::size_t less = std::min(names.size(), 1 + random.below(2));
  for (std::size_t done = 0; done < less; ++done)
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(random.below(names.size())));
  return less > 0;
}

// The name with the number at its end one greater: "x_09" is followed by "x_10", "x" by "x0".
[[nodiscard]] inline std::string name_after(std::string name) {
  std::size_t at = name.size();
  while (at > 0 && name[at - 1] == '9') name[--at] = '0';
  if (at > 0 && name[at - 1] >= '0' && name[at - 1] < '9')
    ++name[at - 1];
  else
    name.push_back('0');
  return name;
}

// A name that cannot be got: `which` says which one of those that were `removed`, of those that may come next, and of
// those that nobody has ever put.
[[nodiscard]] inline bool add_ghost(std::vector<std::string>& names, std::string_view prefix,
                                    std::string_view start_after, std::vector<std::string> removed,
                                    std::uint64_t which) {
  std::vector<std::string> ghosts = std::move(removed);
  if (!names.empty()) ghosts.push_back(name_after(names.back()));
  ghosts.push_back(concat({prefix, std::string(20, '0')}));
  ghosts.push_back(concat({prefix, "00000000000000000987"}));
  ghosts.push_back(concat({prefix, "ghost_00000000-0000-7000-8000-00000000dead"}));
  std::erase_if(ghosts, [&](const std::string& each) {
    return each <= start_after || std::find(names.begin(), names.end(), each) != names.end();
  });
  if (ghosts.empty()) return false;
  names.push_back(ghosts[static_cast<std::size_t>(which % ghosts.size())]);
  return true;
}

// Names of others: in folders, of files in the making, hidden ones, and some that only begin or end like tarn's own.
[[nodiscard]] inline bool add_foreign_names(std::vector<std::string>& names, std::string_view prefix) {
  const std::vector<std::string> own = names;
  for (const std::string& each : own) {
    names.push_back(concat({each, "/", each}));
    names.push_back(concat({each, ".tmp"}));
    names.push_back(concat({each, "0"}));
  }
  for (const std::string_view rest : {"", "/", "../00000000000000000000", "-1", "99999999999999999999", "0x1", "\xff"})
    names.push_back(concat({prefix, rest}));
  for (const std::string_view other : {"_tmp_00000000-0000-7000-8000-000000000001", ".", ".hidden", "_", "readme.txt"})
    names.emplace_back(other);
  return true;
}

// In no order, and every fourth name or so twice.
[[nodiscard]] inline bool disorder(std::vector<std::string>& names, std::uint64_t seed) {
  random_source random(seed);
  const std::vector<std::string> before = names;
  for (const std::string& each : before)
    if (random.chance(25)) names.push_back(each);
  for (std::size_t left = names.size(); left > 1; --left) std::swap(names[left - 1], names[random.below(left)]);
  return names != before;
}

}  // namespace tarn::inline TARN_ABI::testing
