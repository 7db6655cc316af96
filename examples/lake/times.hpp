// Times in texts. They are UTC, in ISO 8601.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/core/strong_types.hpp>

namespace lake {

// To the millisecond: 2026-11-29T10:00:00.000Z
[[nodiscard]] std::string iso_8601(tarn::timestamp time);

// A day, or a day and a time to the minute, second or millisecond, with Z at its end or without: 2026-11-29,
// 2026-11-29T10:00Z, 2026-11-29T10:00:00.123. Also @ and the milliseconds since 1970: @1795946400000.
[[nodiscard]] std::optional<tarn::timestamp> parse_time(std::string_view text);

// 90s, 30m, 12h or 7d, in milliseconds; 0 needs no unit.
[[nodiscard]] std::optional<std::uint64_t> parse_duration(std::string_view text);

}  // namespace lake
