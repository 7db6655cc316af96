// Damage that must be noticed: a flipped bit, missing bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tarn/core/crc32c.hpp>

#include "target.hpp"

namespace tarn_test::fuzz {

// `accepts(bytes)` must be true of `bytes`, and false of each of two damaged copies. Where the damage is follows from
// the bytes: to try all places each time would cost more than it finds.
template <class Accepts>
void expect_damage_noticed(std::string_view bytes, Accepts accepts) {
  const std::size_t place = tarn::crc32c(bytes);
  std::string damaged(bytes);
  char& changed = damaged[place / 8 % bytes.size()];
  changed = static_cast<char>(changed ^ (1 << place % 8));
  expect(!accepts(std::string_view(damaged)), "a flipped bit is an error", damaged);
  damaged.assign(bytes.substr(0, place % bytes.size()));
  expect(!accepts(std::string_view(damaged)), "a truncation is an error", damaged);
}

}  // namespace tarn_test::fuzz
