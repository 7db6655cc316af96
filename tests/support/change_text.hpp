// Rows and changes as short texts.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <tarn/changes.hpp>

namespace tarn_test {

[[nodiscard]] inline std::string text_of(const tarn::row_view& row) {
  std::string text;
  for (const tarn::value_view each : row) {
    text += text.empty() ? "" : " ";
    if (each.is_null()) text += "-";
    if (each.kind() == tarn::kind::integer) text += std::to_string(each.as_integer());
    if (each.kind() == tarn::kind::real) text += std::to_string(each.as_double()).substr(0, 3);
    if (each.kind() == tarn::kind::string) text += each.as_string();
  }
  return text;
}

// "3 update 1 Ada -> 1 Ada L." and the like.
[[nodiscard]] inline std::string text_of(const tarn::row_change& change) {
  std::string text = std::to_string(change.at.number) + " " + std::string(tarn::name_of(change.kind)) + " ";
  if (change.kind != tarn::change_kind::insert) text += text_of(change.before);
  if (change.kind == tarn::change_kind::update) text += " -> ";
  if (change.kind != tarn::change_kind::erase) text += text_of(change.after);
  CHECK((change.before.size() == 0) == (change.kind == tarn::change_kind::insert));
  CHECK((change.after.size() == 0) == (change.kind == tarn::change_kind::erase));
  return text;
}

}  // namespace tarn_test
