// Which versions of a lake stay readable: all from some version on, and those with tags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/utf8.hpp"

namespace tarn::inline TARN_ABI {

// A name for a version, which is kept as long as it has one.
struct version_tag {
  std::string name;  // 1 to 128 bytes of UTF-8
  version at;        // -1: the name is taken away
};

template <class = void>
[[nodiscard]] status check_tag_name(std::string_view name) {
  constexpr std::size_t tag_size_max = 128;
  if (find_invalid_utf8(name) != name.size()) return error(errc::invalid_name, "a tag's name must be UTF-8");
  if (!name.empty() && name.size() <= tag_size_max) return {};
  return error(errc::invalid_name,
               concat({"a tag's name has 1 to ", tag_size_max, " bytes of UTF-8, this one has ", name.size()}));
}

// What a vacuum leaves: see vacuum.hpp.
struct retention {
  timestamp horizon = {INT64_MIN};  // objects that were born at this time or before, and that no retained version has,
                                    // may be gone
  version oldest = {0};             // versions before this one, but for those with tags, may be unreadable
};

}  // namespace tarn::inline TARN_ABI
