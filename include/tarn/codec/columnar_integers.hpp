// Arrays of 64-bit numbers in few bytes. Everything in a columnar object is made of them: integers, the bits of
// doubles, booleans, lengths of texts, places in dictionaries, kinds.
//
//   packed    each number's distance from the least, in as many bits as the greatest distance needs; zeros that all
//             distances end with are left out. Equal numbers take no bits at all.
//   delta     the first number, then the differences between neighbours, packed: for what grows steadily
//   runs      each number that differs from the one before, and how often it comes, both packed
//
// Passes over the numbers tell which is the shortest. (Lemire and Boytsov 2015 survey the field; these are the
// members of it that decode at about a number a nanosecond without vector instructions.)
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "columnar_bytes.hpp"

namespace tarn::inline TARN_ABI::columnar {

enum class integer_encoding : unsigned char { packed, delta, runs };

// A number of more bits than this would not fit into eight bytes at every offset, so it takes all 64.
inline constexpr unsigned packed_width_max = 56;

// Bytes of `count` numbers of `width` bits.
[[nodiscard]] constexpr std::uint64_t packed_size(std::uint64_t count, unsigned width) noexcept {
  return (count * width + 7) / 8;
}

// How numbers are packed: each is base + (what is stored << shift).
struct packing {
  std::uint64_t base = 0;
  unsigned width = 0;
  unsigned shift = 0;

  // Of numbers between these (as signed ones, in two's complement) that differ in the bits `differing` only.
  template <class = void>
  [[nodiscard]] static packing of(std::uint64_t least, std::uint64_t greatest, std::uint64_t differing) noexcept {
    if (least == greatest) return {least, 0, 0};
    const auto shift = static_cast<unsigned>(std::countr_zero(differing));
    const auto width = static_cast<unsigned>(std::bit_width((greatest - least) >> shift));
    return width > packed_width_max ? packing{0, 64, 0} : packing{least, width, shift};
  }
};

// --- writing ---------------------------------------------------------------------------------------------------------

// What one pass finds out about numbers. They are looked at as signed ones.
struct integer_profile {
  std::int64_t least = INT64_MAX;
  std::int64_t greatest = INT64_MIN;
  std::uint64_t differing = 0;  // bits that are not the same in all of them

  template <class Word>
  [[nodiscard]] static integer_profile of(const Word* numbers, std::size_t count) noexcept {
    integer_profile all;
    const std::uint64_t first = numbers[0];
    for (std::size_t at = 0; at < count; ++at) {
      const std::uint64_t number = numbers[at];
      const auto as_signed = static_cast<std::int64_t>(number);
      all.least = as_signed < all.least ? as_signed : all.least;
      all.greatest = as_signed > all.greatest ? as_signed : all.greatest;
      all.differing |= number ^ first;
    }
    return all;
  }

  [[nodiscard]] packing of_numbers() const noexcept {
    return packing::of(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(greatest), differing);
  }
};

// Of most numbers the first few show that another encoding will not do: so many are looked at before asking.
inline constexpr std::size_t profile_block = 256;

// How the differences between neighbours are packed; {0, 64, 0} if there are none, or once they take `bits_max`.
template <class Word>
[[nodiscard]] packing packing_of_steps(const Word* numbers, std::size_t count, std::uint64_t bits_max) noexcept {
  std::int64_t least = INT64_MAX;
  std::int64_t greatest = INT64_MIN;
  packing steps{0, 64, 0};
  for (std::size_t at = 1; at < count;) {
    for (const std::size_t end = count - at < profile_block ? count : at + profile_block; at < end; ++at) {
      // Modulo 2^64, as it is added again.
      const auto step =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(numbers[at]) - std::uint64_t{numbers[at - 1]});
      least = step < least ? step : least;
      greatest = step > greatest ? step : greatest;
    }
    steps = packing::of(static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(greatest), 1);
    if (std::uint64_t{steps.width} * count >= bits_max) return {0, 64, 0};
  }
  return steps;
}

// How many numbers differ from the one before, the first among them; not counted on once they are `runs_max`.
template <class Word>
[[nodiscard]] std::size_t count_runs(const Word* numbers, std::size_t count, std::uint64_t runs_max) noexcept {
  std::size_t runs = 1;
  for (std::size_t at = 1; at < count && runs < runs_max;)
    for (const std::size_t end = count - at < profile_block ? count : at + profile_block; at < end; ++at)
      runs += numbers[at] != numbers[at - 1] ? 1U : 0U;
  return runs;
}

// Appends the packing and `count` numbers, the one at `index` being number_at(index).
template <class NumberAt>
void append_packed(std::string& out, std::size_t count, const packing& how, NumberAt number_at) {
  append_varint(out, fold_sign(how.base));
  out.push_back(static_cast<char>(how.width));
  out.push_back(static_cast<char>(how.shift));
  if (how.width == 0) return;
  const std::size_t begin = out.size();
  out.resize(begin + static_cast<std::size_t>(packed_size(count, how.width)) + 8);  // whole words are written
  char* to = out.data() + begin;
  std::uint64_t bits = 0;
  unsigned filled = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const std::uint64_t number = (number_at(index) - how.base) >> how.shift;
    bits |= number << filled;
    filled += how.width;
    if (filled < 64) continue;
    store_64(to, bits);
    to += 8;
    filled -= 64;
    bits = filled == 0 ? 0 : number >> (how.width - filled);
  }
  store_64(to, bits);
  out.resize(out.size() - 8);
}

// Appends `count` numbers, at least one, of which `profile` tells.
template <class Word>
void append_integers(std::string& out, const Word* numbers, std::size_t count, const integer_profile& profile) {
  const packing whole = profile.of_numbers();
  const std::uint64_t whole_bits = std::uint64_t{whole.width} * count;
  // What takes longer to read must be shorter by much.
  const std::uint64_t steps_bits_max = whole_bits / 4 * 3;
  const std::uint64_t runs_bits_max = whole_bits / 2;
  const packing steps = packing_of_steps(numbers, count, steps_bits_max);
  const std::uint64_t steps_bits = std::uint64_t{steps.width} * count + 64;
  const std::uint64_t run_bits = std::uint64_t{whole.width} + static_cast<unsigned>(std::bit_width(count));
  const std::uint64_t runs_bits = count_runs(numbers, count, runs_bits_max / run_bits + 1) * run_bits + 64;
  if (runs_bits < runs_bits_max && runs_bits < steps_bits) {
    sequence<std::uint64_t> values;
    sequence<std::uint64_t> lengths;
    std::uint64_t longest = 0;
    for (std::size_t at = 0, begin = 0; at < count; begin = at) {
      while (at < count && numbers[at] == numbers[begin]) ++at;
      values.push_back(numbers[begin]);
      lengths.push_back(at - begin);
      longest = at - begin > longest ? at - begin : longest;
    }
    out.push_back(static_cast<char>(integer_encoding::runs));
    append_varint(out, values.size());
    append_packed(out, values.size(), whole, [&](std::size_t index) { return values[index]; });
    append_packed(out, lengths.size(), {0, static_cast<unsigned>(std::bit_width(longest)), 0},
                  [&](std::size_t index) { return lengths[index]; });
  } else if (steps_bits < steps_bits_max) {
    out.push_back(static_cast<char>(integer_encoding::delta));
    append_varint(out, fold_sign(numbers[0]));
    append_packed(out, count - 1, steps, [&](std::size_t index) {
      return static_cast<std::uint64_t>(numbers[index + 1]) - static_cast<std::uint64_t>(numbers[index]);
    });
  } else {
    out.push_back(static_cast<char>(integer_encoding::packed));
    append_packed(out, count, whole, [&](std::size_t index) { return static_cast<std::uint64_t>(numbers[index]); });
  }
}
template <class Word>
void append_integers(std::string& out, const Word* numbers, std::size_t count) {
  append_integers(out, numbers, count, integer_profile::of(numbers, count));
}

// --- reading ---------------------------------------------------------------------------------------------------------

// Packed numbers, found but not read.
struct packed_integers {
  packing how;
  std::string_view data;
};

// False if `in` does not begin with `count` packed numbers.
template <class = void>
[[nodiscard]] bool take_packed(input<>& in, std::uint64_t count, packed_integers& found) noexcept {
  std::uint64_t base;
  unsigned char width;
  unsigned char shift;
  if (!in.take_varint(base) || !in.take_byte(width) || !in.take_byte(shift)) return false;
  if (shift > 63 || (width > packed_width_max && width != 64)) return false;
  found.how = {unfold_sign(base), width, shift};
  return in.take(packed_size(count, width), found.data);
}

// Of numbers of at least one bit. `Shifted`: their shift is not 0, which takes longer.
template <bool Shifted, class Use>
void unpack_bits(const packed_integers& from, std::size_t count, Use use) {
  const std::uint64_t base = from.how.base;
  const unsigned width = from.how.width;
  const unsigned shift = Shifted ? from.how.shift : 0;
  const char* const data = from.data.data();
  const std::uint64_t mask = width == 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
  const std::size_t size = from.data.size();
  // Of how many numbers the eight bytes can be loaded that they begin in.
  const std::size_t loadable = size < 8 ? 0 : (8 * (size - 7) - 1) / width + 1;
  const std::size_t most = loadable < count ? loadable : count;
  std::size_t bit = 0;
  for (std::size_t index = 0; index < most; ++index, bit += width)
    use(index, base + ((load_64(data + bit / 8) >> bit % 8 & mask) << shift));
  // The last ones are loaded from a copy with zeros after it.
  char rest[16] = {};
  const std::size_t rest_begin = bit / 8;
  if (rest_begin < size) std::memcpy(rest, data + rest_begin, size - rest_begin);
  for (std::size_t index = most; index < count; ++index, bit += width)
    use(index, base + ((load_64(rest + (bit / 8 - rest_begin)) >> bit % 8 & mask) << shift));
}

// Calls use(index, number) for each of `count` numbers.
template <class Use>
void unpack(const packed_integers& from, std::size_t count, Use use) {
  const packing& how = from.how;
  if (how.width == 0) {
    for (std::size_t index = 0; index < count; ++index) use(index, how.base);
  } else if (how.width == 64 && how.base == 0 && how.shift == 0) {
    for (std::size_t index = 0; index < count; ++index) use(index, load_64(from.data.data() + 8 * index));
  } else if (how.shift == 0) {
    unpack_bits<false>(from, count, use);
  } else {
    unpack_bits<true>(from, count, use);
  }
}

// A number as what it stands for in the array it is read into.
template <class T>
[[nodiscard]] constexpr T from_word(std::uint64_t number) noexcept {
  if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(number);
  else
    return static_cast<T>(number);
}

// Reads numbers into an array of T: std::int64_t or double, which every number fits; or a smaller type, and then
// `greatest` must be compared with what may be there before the array is used.
template <class T>
class integer_reader {
 public:
  integer_reader(T* to, std::size_t count) noexcept : to_(to), count_(count) {}

  // False if `in` does not begin with `count` numbers, at least one. Uses `memory` for what it needs meanwhile.
  [[nodiscard]] bool read(input<>& in, arena& memory) {
    unsigned char encoding;
    if (!in.take_byte(encoding)) return false;
    switch (static_cast<integer_encoding>(encoding)) {
      case integer_encoding::packed: return read_packed(in);
      case integer_encoding::delta: return read_delta(in);
      case integer_encoding::runs: return read_runs(in, memory);
    }
    return false;
  }

  [[nodiscard]] std::uint64_t greatest() const noexcept { return greatest_; }

 private:
  void put(std::size_t index, std::uint64_t number) noexcept {
    if constexpr (sizeof(T) < sizeof number) greatest_ = number > greatest_ ? number : greatest_;
    to_[index] = from_word<T>(number);
  }

  [[nodiscard]] bool read_packed(input<>& in) {
    packed_integers packed;
    if (!take_packed(in, count_, packed)) return false;
    integer_reader all = *this;  // so that the compiler knows that what is written is not it
    unpack(packed, count_, [&all](std::size_t index, std::uint64_t number) { all.put(index, number); });
    greatest_ = all.greatest_;
    return true;
  }

  [[nodiscard]] bool read_delta(input<>& in) {
    std::uint64_t first;
    packed_integers steps;
    if (!in.take_varint(first) || !take_packed(in, count_ - 1, steps)) return false;
    integer_reader all = *this;
    std::uint64_t number = unfold_sign(first);
    all.put(0, number);
    unpack(steps, count_ - 1, [&](std::size_t index, std::uint64_t step) {
      number += step;
      all.put(index + 1, number);
    });
    greatest_ = all.greatest_;
    return true;
  }

  [[nodiscard]] bool read_runs(input<>& in, arena& memory) {
    std::uint64_t runs;
    packed_integers values;
    packed_integers lengths;
    if (!in.take_varint(runs) || runs == 0 || runs > count_) return false;
    if (!take_packed(in, runs, values) || !take_packed(in, runs, lengths)) return false;
    auto* const value_of = memory.allocate<std::uint64_t>(static_cast<std::size_t>(runs));
    unpack(values, static_cast<std::size_t>(runs),
           [&](std::size_t index, std::uint64_t number) { value_of[index] = number; });
    std::size_t at = 0;
    bool fits = true;
    unpack(lengths, static_cast<std::size_t>(runs), [&](std::size_t index, std::uint64_t length) {
      fits = fits && length <= count_ - at;
      for (std::uint64_t left = fits ? length : 0; left > 0; --left) put(at++, value_of[index]);
    });
    return fits && at == count_;
  }

  T* to_;
  std::size_t count_;
  std::uint64_t greatest_ = 0;
};

}  // namespace tarn::inline TARN_ABI::columnar
