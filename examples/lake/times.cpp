#include "times.hpp"

#include <algorithm>
#include <chrono>
#include <tarn/core/text.hpp>

#include "numbers.hpp"

namespace lake {
namespace {

// Takes exactly so many digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  const std::string_view taken = text.substr(0, digits);
  const std::optional<std::int64_t> number = parse_count(taken);
  if (!number) return std::nullopt;
  text.remove_prefix(digits);
  return static_cast<int>(*number);
}

bool take(std::string_view& text, char wanted) {
  const bool there = text.starts_with(wanted);
  if (there) text.remove_prefix(1);
  return there;
}

// What follows a day. Nothing is midnight.
std::optional<std::chrono::milliseconds> parse_clock(std::string_view text) {
  using namespace std::chrono;
  if (text.empty()) return milliseconds(0);
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (!take(text, 'T')) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  milliseconds clock = hours(*hour) + minutes(*minute);
  if (text.empty()) return clock;
  if (!take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  clock += seconds(*second);
  if (text.empty()) return clock;
  if (!take(text, '.')) return std::nullopt;
  const auto millisecond = take_number(text, 3);
  if (!millisecond || !text.empty()) return std::nullopt;
  return clock + milliseconds(*millisecond);
}

}  // namespace

std::string iso_8601(tarn::timestamp time) {
  using namespace std::chrono;
  const sys_time<milliseconds> instant{milliseconds(time.ms)};
  const sys_days day = floor<days>(instant);
  const year_month_day date(day);
  const hh_mm_ss<milliseconds> clock(instant - day);
  const auto padded = [](auto number, std::size_t digits) {
    const std::string text = tarn::concat({number});
    return std::string(digits - std::min(digits, text.size()), '0') + text;
  };
  return tarn::concat({padded(static_cast<int>(date.year()), 4), "-", padded(static_cast<unsigned>(date.month()), 2),
                       "-", padded(static_cast<unsigned>(date.day()), 2), "T", padded(clock.hours().count(), 2), ":",
                       padded(clock.minutes().count(), 2), ":", padded(clock.seconds().count(), 2), ".",
                       padded(clock.subseconds().count(), 3), "Z"});
}

std::optional<tarn::timestamp> parse_time(std::string_view text) {
  using namespace std::chrono;
  if (take(text, '@')) {
    const std::optional<std::int64_t> milliseconds_since_1970 = parse_count(text);
    if (!milliseconds_since_1970) return std::nullopt;
    return tarn::timestamp{*milliseconds_since_1970};
  }
  const auto year_number = take_number(text, 4);
  if (!year_number || !take(text, '-')) return std::nullopt;
  const auto month_number = take_number(text, 2);
  if (!month_number || !take(text, '-')) return std::nullopt;
  const auto day_number = take_number(text, 2);
  if (!day_number) return std::nullopt;
  const year_month_day date(year(*year_number), month(static_cast<unsigned>(*month_number)),
                            day(static_cast<unsigned>(*day_number)));
  const std::optional<milliseconds> clock = parse_clock(text);
  if (!date.ok() || !clock) return std::nullopt;
  return tarn::timestamp{duration_cast<milliseconds>(sys_days(date).time_since_epoch()).count() + clock->count()};
}

std::optional<std::uint64_t> parse_duration(std::string_view text) {
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t unit = 0;
  if (text.back() == 's') unit = 1'000;
  if (text.back() == 'm') unit = 60'000;
  if (text.back() == 'h') unit = 3'600'000;
  if (text.back() == 'd') unit = 86'400'000;
  const std::optional<std::int64_t> count = parse_count(text.substr(0, text.size() - 1));
  constexpr std::int64_t most = INT64_MAX / 86'400'000;
  if (unit == 0 || !count || *count > most) return std::nullopt;
  return static_cast<std::uint64_t>(*count) * unit;
}

}  // namespace lake
