// Which of a table's buckets a key belongs to. Every writer must come to the same answer forever, so the function is
// a published one: the bucket transform of the Iceberg table spec ("Bucket Transform Details" and appendix B), which is
// MurmurHash3_x86_32 (Appleby 2011, public domain) with seed 0, without its sign bit, modulo the number of buckets.
//
// What is hashed (appendix B), of a key of one column:
//
//   integer        8 bytes, least significant first
//   boolean        the integer 0 or 1
//   string, bytes  as they are
//
// Iceberg defines no key of several columns. Here it is each column's bytes, after their number as 4 bytes, least
// significant first: without it, ("a", "bc") and ("ab", "c") would always share a bucket.
//
// The hash is not keyed: whoever chooses the keys can choose that all share a bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

// MurmurHash3_x86_32 of bytes that come in pieces; how they are cut makes no difference. The same on every byte order.
template <class = void>
class murmur3_hasher {
 public:
  explicit murmur3_hasher(std::uint32_t seed = 0) noexcept : hash_(seed) {}

  void add(std::string_view bytes) noexcept {
    std::size_t at = 0;
    while (at < bytes.size() && size_ % 4 != 0) add_byte(byte(bytes, at++));
    for (; bytes.size() - at >= 4; at += 4, size_ += 4)
      mix_in(byte(bytes, at) | byte(bytes, at + 1) << 8 | byte(bytes, at + 2) << 16 | byte(bytes, at + 3) << 24);
    while (at < bytes.size()) add_byte(byte(bytes, at++));
  }
  // As `size` bytes, at most 8, least significant first.
  void add_number(std::uint64_t number, int size) noexcept {
    for (int at = 0; at < size; ++at) add_byte(static_cast<std::uint32_t>(number >> 8 * at & 0xffU));
  }

  // Of all that was added so far.
  [[nodiscard]] std::uint32_t hash() const noexcept {
    std::uint32_t mixed = hash_ ^ scrambled(pending_) ^ size_;  // nothing pending is scrambled to 0
    mixed = (mixed ^ mixed >> 16) * 0x85eb'ca6bU;
    mixed = (mixed ^ mixed >> 13) * 0xc2b2'ae35U;
    return mixed ^ mixed >> 16;
  }

 private:
  [[nodiscard]] static std::uint32_t byte(std::string_view bytes, std::size_t at) noexcept {
    return static_cast<unsigned char>(bytes[at]);
  }
  [[nodiscard]] static std::uint32_t rotated_left(std::uint32_t word, int bits) noexcept {
    return word << bits | word >> (32 - bits);
  }
  [[nodiscard]] static std::uint32_t scrambled(std::uint32_t word) noexcept {
    return rotated_left(word * 0xcc9e'2d51U, 15) * 0x1b87'3593U;
  }

  void add_byte(std::uint32_t one) noexcept {
    pending_ |= one << 8 * (size_++ % 4);
    if (size_ % 4 != 0) return;
    mix_in(pending_);
    pending_ = 0;
  }
  void mix_in(std::uint32_t word) noexcept { hash_ = rotated_left(hash_ ^ scrambled(word), 13) * 5 + 0xe654'6b64U; }

  std::uint32_t hash_;         // of the words of 4 bytes so far
  std::uint32_t pending_ = 0;  // the up to 3 bytes after them
  std::uint32_t size_ = 0;     // bytes so far; modulo 2^32, as the algorithm has it
};

template <class = void>
[[nodiscard]] std::uint32_t murmur3_x86_32(std::string_view bytes, std::uint32_t seed = 0) noexcept {
  murmur3_hasher<> hasher(seed);
  hasher.add(bytes);
  return hasher.hash();
}

namespace bucket_detail {

template <class = void>
void add_part(murmur3_hasher<>& hasher, const value_view& part, bool with_size) {
  if (part.kind() == kind::integer || part.kind() == kind::boolean) {
    if (with_size) hasher.add_number(8, 4);
    hasher.add_number(
        part.kind() == kind::integer ? static_cast<std::uint64_t>(part.as_integer()) : std::uint64_t{part.as_boolean()},
        8);
    return;
  }
  const std::string_view text = part.kind() == kind::string ? part.as_string() : part.as_bytes();
  if (with_size) hasher.add_number(text.size(), 4);
  hasher.add(text);
}

}  // namespace bucket_detail

// The bucket, 0 to `buckets` - 1, of the row `values`: its key is what is in `columns`, by their places in the row.
// Neither `columns` nor `buckets` may be 0, and each value must be an integer, a boolean, a string or bytes, so none
// null (other kinds fail loudly, see `fail`); with one bucket they are not looked at. Allocates nothing. O(bytes of the
// key).
template <class = void>
[[nodiscard]] std::uint32_t bucket_of(list_view values, const sequence<std::uint32_t>& columns, std::uint32_t buckets) {
  if (buckets == 1) return 0;
  murmur3_hasher<> hasher;
  for (const std::uint32_t column : columns) bucket_detail::add_part(hasher, values[column], columns.size() > 1);
  return (hasher.hash() & 0x7fff'ffffU) % buckets;
}

}  // namespace tarn::inline TARN_ABI
