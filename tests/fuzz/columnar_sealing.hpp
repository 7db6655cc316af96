// Changed bytes of a columnar object made whole again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_format.hpp>

namespace tarn_test::fuzz {

namespace columnar_sealing {

inline void put_32(std::string& bytes, std::size_t place, std::uint32_t number) {
  for (std::size_t at = 0; at < 4; ++at) bytes[place + at] = static_cast<char>(number >> 8 * at & 0xffU);
}

// What comes before the chunks; 0 if that is not there.
[[nodiscard]] inline std::size_t head_size(std::string_view bytes) {
  const std::size_t size_at = tarn::columnar::magic.size() + 1;
  if (bytes.size() <= size_at) return 0;
  const std::size_t size = size_at + 1 + static_cast<unsigned char>(bytes[size_at]) + 16;
  return size <= bytes.size() ? size : 0;
}

}  // namespace columnar_sealing

// Gives each chunk, as far as the footer can be read, and the footer the checksum of its bytes.
inline void mend_columnar(std::string& bytes) {
  using namespace tarn::columnar;
  const std::size_t head = columnar_sealing::head_size(bytes);
  if (head == 0 || bytes.size() < head + tail_bytes) return;
  const std::size_t footer_end = bytes.size() - tail_bytes;
  input<> tail(std::string_view(bytes).substr(footer_end));
  std::uint32_t footer_size = 0;
  if (!tail.take_32(footer_size) || footer_size > footer_end - head) return;
  const std::size_t footer_begin = footer_end - footer_size;
  const std::string before = bytes;
  const std::string_view text = before;
  input<> in(text.substr(footer_begin, footer_size));
  std::uint64_t columns = 0, rows = 0, groups = 0;
  bool good = in.take_varint(columns) && in.take_varint(rows) && in.take_varint(groups);
  std::size_t chunk_begin = head;
  for (std::uint64_t group = 0; good && group < groups; ++group) {
    good = in.take_varint(rows);
    for (std::uint64_t column = 0; good && column < columns; ++column) {
      std::uint64_t size = 0;
      input<> ahead = in;
      chunk_entry entry;
      good = ahead.take_varint(size) && size <= footer_begin - chunk_begin;
      const std::size_t checksum_at = footer_end - ahead.left();
      good = good && take_chunk_entry(in, entry);
      if (!good) break;
      const auto chunk = text.substr(chunk_begin, static_cast<std::size_t>(size));
      columnar_sealing::put_32(bytes, checksum_at, tarn::crc32c(chunk));
      chunk_begin += chunk.size();
    }
  }
  const std::string_view footer_and_size = std::string_view(bytes).substr(footer_begin, footer_size + std::size_t{4});
  columnar_sealing::put_32(bytes, footer_end + 4, tarn::crc32c(footer_and_size));
  bytes.replace(bytes.size() - magic.size(), magic.size(), magic);
}

}  // namespace tarn_test::fuzz
