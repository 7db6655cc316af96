// A whole store as text: a line for each object, its name, a space, and its bytes. tarn writes no line feed into any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tarn/core/crc32c.hpp>
#include <tarn/core/text.hpp>
#include <tarn/log/names.hpp>

#include "sealing.hpp"

namespace tarn_test::fuzz {

using store_content = std::map<std::string, std::string, std::less<>>;

// Lines that are none are passed over; of two with one name the first counts.
[[nodiscard]] inline store_content read_store_text(std::string_view text) {
  store_content read;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    if (const std::size_t space = line.find(' '); space != std::string_view::npos)
      read.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return read;
}

[[nodiscard]] inline std::string write_store_text(const store_content& content) {
  std::string text;
  for (const auto& [name, bytes] : content) text += tarn::concat({name, " ", bytes, "\n"});
  return text;
}

// Puts `with` in the place of the eight digits after `label`, if both are there.
inline void mend_checksum(std::string& bytes, std::string_view label, std::uint32_t with) {
  const std::size_t found = bytes.find(label);
  constexpr std::size_t digits = 8;
  if (found == std::string::npos || bytes.size() - found - label.size() < digits) return;
  bytes.replace(found + label.size(), digits, tarn::hex(with));
}

// Makes what is said of each data object, in an entry or a checkpoint, fit the object of that id.
inline void mend_descriptions(std::string& bytes, const store_content& content) {
  constexpr std::string_view name_label = R"("Name":")", rows_label = R"("Rows":)", checksum_label = R"("Crc32c":")";
  for (std::size_t at = bytes.find(name_label); at != std::string::npos; at = bytes.find(name_label, at + 1)) {
    const std::size_t rows = bytes.find(rows_label, at);
    const std::size_t checksum = bytes.find(checksum_label, at);
    if (rows == std::string::npos || checksum == std::string::npos || checksum < rows || checksum > bytes.find('}', at))
      continue;
    const std::string_view id = text_after(std::string_view(bytes).substr(at), name_label);
    for (const auto& [name, object] : content) {
      if (!name.starts_with(tarn::object_prefix) || !name.ends_with(id) || id.empty()) continue;
      const std::int64_t count = number_after(object, tarn::json_object_detail::count_label);
      const std::string right = tarn::concat(
          {rows_label, count, R"(,"Bytes":)", object.size(), ",", checksum_label, tarn::hex(tarn::crc32c(object))});
      bytes.replace(rows, checksum + checksum_label.size() + 8 - rows, right);
      break;
    }
  }
}

// All checksums and lengths of a lake, from the data objects up to the checkpoints.
inline void mend_store(store_content& content) {
  std::map<std::int64_t, std::uint32_t> entries;
  for (auto& [name, bytes] : content)
    if (name.starts_with(tarn::object_prefix)) mend_object(bytes);
  for (auto& [name, bytes] : content) {
    tarn::version at;
    if (!tarn::parse_entry_name(name, at)) continue;
    mend_descriptions(bytes, content);
    const auto before = entries.find(at.number - 1);
    if (before != entries.end()) mend_checksum(bytes, R"("PreviousCrc32c":")", before->second);
    mend_seal(bytes);
    entries[at.number] = tarn::crc32c(bytes);
  }
  for (auto& [name, bytes] : content) {
    if (!name.starts_with(tarn::checkpoint_prefix) && !name.starts_with(tarn::marker_prefix)) continue;
    mend_descriptions(bytes, content);
    const auto entry = entries.find(number_after(bytes, R"("Version":)"));
    if (entry != entries.end()) mend_checksum(bytes, R"("EntryCrc32c":")", entry->second);
    mend_seal(bytes);
  }
}

}  // namespace tarn_test::fuzz
