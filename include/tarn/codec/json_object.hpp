// What is around the rows in a data object's JSON text, written and checked:
//
//   {"Codec":"json","Table":"cities","Name":"<id>","Data":[["Ada",3],["Joey",1]],"Len":2,"Checksum":"8f3a01c2"}
//                                               rows_begin ^             rows_end ^
//
// This is the shape of the article's objects, so that its program can read it, with two fields more (whose names differ
// from its own by more than case, since its reader ignores case). There is no white space around the rows. The checksum
// is the CRC-32C of all bytes before its digits, which are compared as they are, byte for byte.
//
// The article's own objects, {"Table":..,"Name":..,"Data":[..],"Len":2}, have neither field and 65,536 elements in
// Data, of which the first Len are rows; the others are null, or rows of an object written before. An object is the
// article's only if its bytes begin so: with a damaged Codec field it is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "codec.hpp"

namespace tarn::inline TARN_ABI {

// Where the rows are. Offsets are of bytes in the object.
struct json_object_frame {
  bool is_articles = false;
  std::size_t table_begin = 0;  // of the table's name
  std::size_t table_size = 0;
  std::size_t rows_begin = 0;
  std::size_t rows_end = 0;
  std::uint64_t row_count = 0;
};

namespace json_object_detail {

inline constexpr std::string_view start = R"({"Codec":"json",)";
inline constexpr std::string_view article_start = R"({)";
inline constexpr std::string_view table_label = R"("Table":")";
inline constexpr std::string_view name_label = R"(","Name":")";
inline constexpr std::string_view rows_label = R"(","Data":[)";
inline constexpr std::string_view count_label = R"(],"Len":)";
inline constexpr std::string_view checksum_label = R"(,"Checksum":")";
inline constexpr std::string_view finish = R"("})";
inline constexpr std::size_t checksum_digits = 8;

// Takes the row count and its label from the end of `text`; false if they are not there.
template <class = void>
[[nodiscard]] bool take_row_count(std::string_view& text, std::uint64_t& row_count) noexcept {
  const std::size_t label = text.rfind(count_label);
  if (label == std::string_view::npos) return false;
  const std::string_view digits = text.substr(label + count_label.size());
  if (digits.empty() || digits.size() > 19 || (digits.size() > 1 && digits.front() == '0')) return false;
  row_count = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return false;
    row_count = 10 * row_count + static_cast<std::uint64_t>(digit - '0');
  }
  text = text.substr(0, label);
  return true;
}

// Takes the checksum from the end of `text` and, if wanted, verifies it. What is wrong; empty if nothing is.
template <class = void>
[[nodiscard]] std::string take_checksum(std::string_view& text, bool verify) {
  constexpr std::size_t size = checksum_digits + finish.size();
  if (text.size() < size || !text.ends_with(finish)) return "does not end with its checksum";
  const std::string_view stated = text.substr(text.size() - size, checksum_digits);
  text.remove_suffix(size);
  if (!text.ends_with(checksum_label)) return "does not end with its checksum";
  if (verify)
    if (const std::string actual = hex(crc32c(text)); actual != stated)
      return concat({"states the checksum ", stated, ", its bytes have ", actual});
  text.remove_suffix(checksum_label.size());
  return {};
}

}  // namespace json_object_detail

// Writes everything before the first row to `out`, which must be empty; returns the frame of an object without rows.
template <class = void>
[[nodiscard]] json_object_frame append_json_object_head(std::string& out, const object_identity& identity) {
  using namespace json_object_detail;
  json_object_frame frame;
  out.append(start).append(table_label);
  frame.table_begin = out.size();
  frame.table_size = identity.table.size();
  out.append(identity.table).append(name_label).append(to_text(identity.id)).append(rows_label);
  frame.rows_begin = out.size();
  frame.rows_end = out.size();
  return frame;
}

// Writes everything after the last row; `out` must hold what is before and nothing else.
template <class = void>
void append_json_object_tail(std::string& out, std::uint64_t row_count) {
  using namespace json_object_detail;
  out.append(count_label).append(concat({row_count})).append(checksum_label);
  out.append(hex(crc32c(out))).append(finish);
}

inline constexpr std::size_t json_object_tail_bytes_max = 64;

// errc::corrupt, naming the object, if these are not the bytes of the expected one. Reads the rows only for the
// checksum's sake.
template <class = void>
[[nodiscard]] result<json_object_frame> read_json_object_frame(std::string_view bytes,
                                                               const object_expectation& expected) {
  using namespace json_object_detail;
  const object_identity& identity = expected.identity;
  const auto corrupt = [&](std::string_view what) {
    return error(errc::corrupt, concat({name_of(identity), ": the object ", what}));
  };
  json_object_frame frame;
  frame.is_articles = bytes.starts_with(concat({article_start, table_label}));
  if (!frame.is_articles && !bytes.starts_with(start))
    return corrupt("is damaged: its first bytes are those of no JSON object with rows");

  std::string_view text = bytes;
  if (frame.is_articles) {
    if (!text.ends_with('}')) return corrupt("is damaged: it does not end with '}'");
    text.remove_suffix(1);
  } else if (const std::string damage = take_checksum(text, !expected.checksum_verified); !damage.empty()) {
    return corrupt(concat({"is damaged: it ", damage}));
  }
  if (!take_row_count(text, frame.row_count)) return corrupt("is damaged: it does not end with the number of its rows");

  const std::string before_table = concat({frame.is_articles ? article_start : start, table_label});
  const std::string head = concat({before_table, identity.table, name_label, to_text(identity.id), rows_label});
  if (!text.starts_with(head))
    return corrupt("does not begin with its table and id: it is damaged, or has been put under another's name");
  frame.table_begin = before_table.size();
  frame.table_size = identity.table.size();
  frame.rows_begin = head.size();
  frame.rows_end = text.size();
  if (expected.counted && frame.row_count != expected.rows)
    return corrupt(concat({"states ", frame.row_count, " rows, the log says that it has ", expected.rows}));
  return frame;
}

}  // namespace tarn::inline TARN_ABI
