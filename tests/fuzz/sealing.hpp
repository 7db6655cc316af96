// Changed bytes made whole again: what a mutator does after it has mutated.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/codec/json_object.hpp>
#include <tarn/log/sealed_json.hpp>

namespace tarn_test::fuzz {

// The number after the first `label` in `text`; `otherwise` if there is none, or it is negative.
[[nodiscard]] inline std::int64_t number_after(std::string_view text, std::string_view label,
                                               std::int64_t otherwise = 0) {
  const std::size_t found = text.find(label);
  if (found == std::string_view::npos) return otherwise;
  const char* const begin = text.data() + found + label.size();
  std::int64_t number = 0;
  const auto read = std::from_chars(begin, text.data() + text.size(), number);
  return read.ec == std::errc() && number >= 0 ? number : otherwise;
}

// What is between the first `label` in `text` and the quote after it; empty if that is not there.
[[nodiscard]] inline std::string_view text_after(std::string_view text, std::string_view label) {
  const std::size_t found = text.find(label);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = text.substr(found + label.size());
  const std::size_t end = rest.find('"');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

// Gives an entry, a checkpoint or a marker the checksum that its bytes have. Other bytes stay as they are.
inline void mend_seal(std::string& bytes) {
  const std::size_t end = bytes.rfind(tarn::sealed_json_detail::key);
  if (end == std::string::npos) return;
  bytes.resize(end);
  tarn::append_seal(bytes);
}

// Gives a data object that has a checksum the one of its bytes.
inline void mend_object(std::string& bytes) {
  using namespace tarn::json_object_detail;
  const std::size_t end = bytes.rfind(checksum_label);
  if (end == std::string::npos) return;
  bytes.resize(end + checksum_label.size());
  bytes += tarn::hex(tarn::crc32c(bytes));
  bytes += finish;
}

}  // namespace tarn_test::fuzz
