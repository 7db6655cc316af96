// Text on a terminal: how wide it is, and what of it must not get there as it is.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace lake {

inline constexpr std::size_t any_width = std::numeric_limits<std::size_t>::max();

// Appends the text with control characters as escapes and with '?' for bytes that are not UTF-8. What is wider than
// `width_max` columns, which must be at least 1, is cut and ends in an ellipsis. Returns the width of what was
// appended. Does not look at text beyond the cut.
std::size_t append_visible(std::string& out, std::string_view text, std::size_t width_max = any_width);

// How many columns the text takes.
std::size_t width_of(std::string_view text);

}  // namespace lake
