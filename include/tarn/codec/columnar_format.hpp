// The bytes of a columnar object, written and checked.
//
//   head      chunk chunk chunk   chunk chunk chunk   ...   footer   tail
//             '---- group ----'   '---- group ----'
//
//   head      "columnar"; a byte, the format's version, 1; a byte, the size of the table's name; the name; the object's
//             id, 16 bytes in the order of its text
//   group     some consecutive rows: at most 8,192, and at most 131,072 values unless it is one row
//   chunk     the values of one column in one group; the chunks of a group are in the order of the columns
//   footer    varints: columns, rows, groups; then for each group a varint, its rows, and for each of its chunks
//               a varint, its size in bytes; four bytes, its CRC-32C
//               bounds: a byte, 0 for none, else the kind of all values that are not null, then least and greatest:
//                 2 integer            a varint each, sign folded in
//                 3 double             8 bytes each; in numeric order, and none of the values is a NaN
//                 4 string, 5 bytes    8 bytes each: the first eight bytes of the least and of the greatest, in
//                                      unsigned order; zeros for what is missing
//   tail      four bytes, the footer's size; four bytes, the CRC-32C of footer and size; "columnar"
//
// Nothing is between these parts, so each byte is compared or under a checksum. Numbers of four and eight bytes have
// the least significant byte first. A varint has seven bits in each byte, least significant first, and the highest bit
// set in all but the last; a folded sign makes 0, -1, 1, -2 of 0, 1, 2, 3 (columnar_bytes.hpp).
//
//   chunk     a byte: bit k is set if a value of kind k is there: 0 null, 1 boolean, 2 integer, 3 double, 4 string,
//               5 bytes, 6 list, 7 map
//             if that are several kinds: which of them each row's value is of, 0 the first, as numbers
//             for each kind but null, in this order, all values of it:
//               boolean, integer, double      as numbers: 0 and 1; itself; its bits
//               string, bytes, list, map      as texts; lists and maps as in columnar_values.hpp
//   numbers   a byte: 0 packed; 1 delta: a varint, the first, sign folded in, and the differences, packed; 2 runs: a
//               varint, how many, their numbers, packed, and their lengths, packed
//   packed    a varint, the base, sign folded in; a byte, the width in bits: 0 to 56, or 64; a byte, the shift; then
//               numbers of that width end to end, the first in the lowest bits of the first byte. Each stands for
//               base + (number << shift), modulo 2^64
//   texts     a byte: 0 plain: their lengths, as numbers; their bytes. 1 dictionary: a varint, how many differ; those,
//               as lengths and bytes; for each text which of them it is, as numbers
//
// An example: the rows ["Ada", 36, 1.5], ["Ada", null, 2.0], ["Eve", 41, 2.5] of the object
// 00000000-0000-0001-0000-000000000002 of table `x`.
//
//   63 6f 6c 75 6d 6e 61 72  01  01 78                     "columnar", version 1, "x"
//   00 00 00 00 00 00 00 01  00 00 00 00 00 00 00 02       the id
//   10                                                     chunk of column 0: strings
//      00  00 06 00 00  41 64 61 41 64 61 45 76 65           plain; lengths: packed, base 3, width 0; "AdaAdaEve"
//   05                                                     chunk of column 1: nulls and integers
//      00 00 01 00  05                                       kinds: packed, base 0, width 1: 1, 0, 1
//      00 48 03 00  28                                       integers: packed, base 36, width 3: 0, 5
//   08                                                     chunk of column 2: doubles
//      00 80 80 80 80 80 80 80 f8 7f 02 32  38               packed, base 1.5, width 2, shift 50: 0, 2, 3
//   03 03 01  03                                           3 columns, 3 rows, 1 group; 3 rows
//      0f  93 a5 b7 5e                                       15 bytes, their checksum
//          04  41 64 61 00 00 00 00 00                       strings from "Ada"
//              45 76 65 00 00 00 00 00                       to "Eve"
//      0b  f5 78 ee 62  02  48  52                           11 bytes, their checksum; integers from 36 to 41
//      0e  1c d7 69 12                                       14 bytes, their checksum
//          03  00 00 00 00 00 00 f8 3f                       doubles from 1.5
//              00 00 00 00 00 00 04 40                       to 2.5
//   38 00 00 00  20 dc c9 b5                               the footer's size, its checksum
//   63 6f 6c 75 6d 6e 61 72                                "columnar"
//
// A reader must take nothing on trust that the checksums do not cover: a damaged object may have right checksums. So
// no count is believed beyond what the bytes can hold, and a group's limits bound what its values take in memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/crc32c.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../core/text_prefix.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"
#include "codec.hpp"
#include "columnar_bytes.hpp"
#include "group_cursor.hpp"

namespace tarn::inline TARN_ABI::columnar {

inline constexpr std::string_view magic = "columnar";
inline constexpr char format_version = 1;
inline constexpr std::size_t tail_bytes = 16;

inline constexpr std::size_t group_rows_max = 8'192;
inline constexpr std::size_t group_values_max = 131'072;

// How many rows of so many columns a group may have.
[[nodiscard]] constexpr std::size_t rows_in_group(std::size_t columns) noexcept {
  const std::size_t rows = columns == 0 ? group_rows_max : group_values_max / columns;
  return rows == 0 ? 1 : rows < group_rows_max ? rows : group_rows_max;
}

// What is known of all values in a chunk that are not null, without reading it.
struct chunk_bounds {
  tarn::kind of = kind::null;  // of all of them; null: nothing is known
  std::uint64_t least = 0;     // an integer, the bits of a double, or the first bytes of a text
  std::uint64_t greatest = 0;
};

namespace detail {

// The least text of all that have this prefix: see `prefix_of`.
template <class = void>
[[nodiscard]] std::string least_text(std::uint64_t prefix) {
  char eight[sizeof prefix];
  store_prefix(eight, prefix);
  std::string text(eight, sizeof eight);
  while (!text.empty() && text.back() == 0) text.pop_back();
  return text;
}

}  // namespace detail

// The same as values. A prefix stands for many texts, which may go on in any way: those with the greatest one are less
// than the least text with the next.
template <class = void>
[[nodiscard]] group_bounds group_bounds_of(const chunk_bounds& bounds) {
  switch (bounds.of) {
    case kind::integer:
      return {true, static_cast<std::int64_t>(bounds.least), static_cast<std::int64_t>(bounds.greatest)};
    case kind::real: return {true, std::bit_cast<double>(bounds.least), std::bit_cast<double>(bounds.greatest)};
    case kind::string:
    case kind::bytes: break;
    default: return {};
  }
  if (bounds.greatest == UINT64_MAX) return {};
  const std::string least = detail::least_text(bounds.least);
  const std::string above = detail::least_text(bounds.greatest + 1);
  if (bounds.of == kind::string) return {true, least, above};
  return {true, bytes{least}, bytes{above}};
}

// What the footer says of a chunk.
struct chunk_entry {
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  chunk_bounds bounds;
};

namespace detail {

template <class = void>
void append_bound(std::string& out, kind of, std::uint64_t bound) {
  if (of == kind::integer) return append_varint(out, fold_sign(bound));
  append_64(out, of == kind::real ? bound : __builtin_bswap64(bound));
}

template <class = void>
[[nodiscard]] bool take_bound(input<>& in, kind of, std::uint64_t& bound) noexcept {
  if (of == kind::integer ? !in.take_varint(bound) : !in.take_64(bound)) return false;
  if (of != kind::real) bound = of == kind::integer ? unfold_sign(bound) : __builtin_bswap64(bound);
  return true;
}

}  // namespace detail

template <class = void>
void append_chunk_entry(std::string& out, const chunk_entry& entry) {
  append_varint(out, entry.size);
  append_32(out, entry.checksum);
  out.push_back(static_cast<char>(entry.bounds.of));
  if (entry.bounds.of == kind::null) return;
  detail::append_bound(out, entry.bounds.of, entry.bounds.least);
  detail::append_bound(out, entry.bounds.of, entry.bounds.greatest);
}

template <class = void>
[[nodiscard]] bool take_chunk_entry(input<>& in, chunk_entry& entry) noexcept {
  unsigned char of;
  if (!in.take_varint(entry.size) || !in.take_32(entry.checksum) || !in.take_byte(of)) return false;
  entry.bounds = {};
  if (of == static_cast<unsigned char>(kind::null)) return true;
  if (of < static_cast<unsigned char>(kind::integer) || of > static_cast<unsigned char>(kind::bytes)) return false;
  entry.bounds.of = static_cast<kind>(of);
  return detail::take_bound(in, entry.bounds.of, entry.bounds.least) &&
         detail::take_bound(in, entry.bounds.of, entry.bounds.greatest);
}

// Where the parts are that rows are read from.
struct object_frame {
  std::string_view table;     // its name, in the bytes
  std::uint64_t columns = 0;  // 0 if there are no rows
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
  std::string_view entries;      // of the groups, in the footer
  std::string_view chunks;       // of the groups, end to end
  std::string_view more_chunks;  // after those: of a group that a builder has not added to the others yet
};

// Writes everything before the first chunk to `out`, which must be empty.
template <class = void>
void append_head(std::string& out, const object_identity& identity) {
  out.append(magic);
  out.push_back(format_version);
  out.push_back(static_cast<char>(identity.table.size()));
  out.append(identity.table);
  for (const std::uint64_t half : {identity.id.high, identity.id.low}) append_64(out, __builtin_bswap64(half));
}

// Writes everything after the last chunk.
template <class = void>
void append_footer_and_tail(std::string& out, const object_frame& frame) {
  const std::size_t begin = out.size();
  append_varint(out, frame.columns);
  append_varint(out, frame.rows);
  append_varint(out, frame.groups);
  out.append(frame.entries);
  append_32(out, static_cast<std::uint32_t>(out.size() - begin));
  append_32(out, crc32c(std::string_view(out).substr(begin)));
  out.append(magic);
}

// At most so many bytes come after the last chunk of an object with these entries.
[[nodiscard]] constexpr std::size_t footer_and_tail_bytes_max(std::size_t entries) noexcept {
  constexpr std::size_t counts = 30;  // three varints
  return entries + tail_bytes + counts;
}

namespace detail {

// Whether the entries are those of groups within the limits, of as many rows as stated, whose chunks fill `chunks`.
template <class = void>
[[nodiscard]] bool are_consistent(const object_frame& frame) noexcept {
  input<> in(frame.entries);
  std::uint64_t rows_left = frame.rows;
  std::uint64_t bytes_left = frame.chunks.size();
  for (std::uint64_t group = 0; group < frame.groups; ++group) {
    std::uint64_t rows;
    if (!in.take_varint(rows) || rows == 0 || rows > rows_left) return false;
    if (frame.columns > in.left() || rows > rows_in_group(static_cast<std::size_t>(frame.columns))) return false;
    rows_left -= rows;
    for (std::uint64_t column = 0; column < frame.columns; ++column) {
      chunk_entry entry;
      if (!take_chunk_entry(in, entry) || entry.size == 0 || entry.size > bytes_left) return false;
      bytes_left -= entry.size;
    }
  }
  return rows_left == 0 && bytes_left == 0 && in.left() == 0;
}

// Finds the footer, and takes it and the tail off `bytes`. What is wrong; empty if nothing is.
template <class = void>
[[nodiscard]] std::string_view take_footer(std::string_view& bytes, bool verify, std::string_view& footer) {
  if (bytes.size() < tail_bytes || !bytes.ends_with(magic)) return "it does not end as such objects do";
  input<> tail(bytes.substr(bytes.size() - tail_bytes));
  std::uint32_t size = 0;
  std::uint32_t checksum = 0;
  (void)(tail.take_32(size) && tail.take_32(checksum));
  bytes.remove_suffix(tail_bytes);
  if (size > bytes.size()) return "its footer is longer than itself";
  const std::size_t begin = bytes.size() - size;
  if (verify && crc32c({bytes.data() + begin, std::size_t{size} + 4}) != checksum)
    return "its footer's checksum is not the one that it states";
  footer = bytes.substr(begin);
  bytes = bytes.substr(0, begin);
  return {};
}

}  // namespace detail

// errc::corrupt, naming the object, if these are not the bytes of the expected one. Reads no chunk. Cost: linear in the
// number of chunks; with `checksum_verified` the footer's checksum is not computed again.
template <class = void>
[[nodiscard]] result<object_frame> read_frame(std::string_view bytes, const object_expectation& expected) {
  const auto corrupt = [&](std::string_view what) {
    return error(errc::corrupt, concat({name_of(expected.identity), ": the object ", what}));
  };
  if (!bytes.starts_with(magic)) return corrupt("is damaged, or of another codec: its first bytes are not 'columnar'");
  if (bytes.size() > magic.size() && bytes[magic.size()] != format_version)
    return error(expected.checksum_verified ? errc::unsupported : errc::corrupt,
                 concat({name_of(expected.identity), ": the object is of a later tarn",
                         expected.checksum_verified ? "" : ", or damaged", ": its format is version ",
                         int{static_cast<unsigned char>(bytes[magic.size()])}, ", this tarn reads version ",
                         int{format_version}}));
  std::string head;
  append_head(head, expected.identity);
  if (!bytes.starts_with(head))
    return corrupt("does not begin with its table and id: it is damaged, or has been put under another's name");

  object_frame frame;
  frame.table = bytes.substr(magic.size() + 2, expected.identity.table.size());
  std::string_view chunks = bytes.substr(head.size());
  std::string_view footer;
  if (const auto damage = detail::take_footer(chunks, !expected.checksum_verified, footer); !damage.empty())
    return corrupt(concat({"is damaged: ", damage}));
  input<> in(footer);
  const bool has_counts = in.take_varint(frame.columns) && in.take_varint(frame.rows) && in.take_varint(frame.groups);
  frame.entries = footer.substr(footer.size() - in.left());
  frame.chunks = chunks;
  if (!has_counts || frame.groups > in.left() || frame.columns > UINT32_MAX || !detail::are_consistent(frame))
    return corrupt("is damaged: its footer does not describe it");
  if (expected.counted && frame.rows != expected.rows)
    return corrupt(concat({"states ", frame.rows, " rows, the log says that it has ", expected.rows}));
  if (frame.rows > 0 && frame.columns != expected.columns)
    return corrupt(concat({"has rows of ", frame.columns, " values, the table has ", expected.columns, " columns"}));
  return frame;
}

}  // namespace tarn::inline TARN_ABI::columnar
