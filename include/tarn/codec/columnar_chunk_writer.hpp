// The values of one column on their way into a chunk: kept apart by kind as they are appended, encoded all at once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/text_prefix.hpp"
#include "../core/value.hpp"
#include "columnar_bytes.hpp"
#include "columnar_format.hpp"
#include "columnar_integers.hpp"
#include "columnar_texts.hpp"
#include "columnar_values.hpp"

namespace tarn::inline TARN_ABI::columnar {

// Texts end to end. What a std::string does, but short ones, which most are, without a call.
template <class = void>
class text_buffer {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

  void append(std::string_view text) {
    if (bytes_.size() - size_ < text.size() + slack) grow(text.size());
    char* const to = bytes_.data() + size_;
    size_ += text.size();
    if (text.size() > 16 || text.size() < 8) {
      copy(to, text);
    } else {  // two words, which may overlap
      store_64(to, load_64(text.data()));
      store_64(to + text.size() - 8, load_64(text.data() + text.size() - 8));
    }
  }

  // Drops the last `count` bytes, of which there must be as many.
  void shrink(std::size_t count) noexcept { size_ -= count; }
  void clear() noexcept { size_ = 0; }

 private:
  static constexpr std::size_t slack = 16;

  static void copy(char* to, std::string_view text) noexcept {
    if (text.size() > 16) return static_cast<void>(std::memcpy(to, text.data(), text.size()));
    for (const char each : text) *to++ = each;
  }
  [[gnu::noinline]] void grow(std::size_t more) { bytes_.resize(2 * bytes_.size() + more + slack); }

  std::string bytes_;  // the first `size_` are in use
  std::size_t size_ = 0;
};

// Not thread-safe. Its memory: eight bytes for each number, length or boolean, and the texts; kept for the next chunk.
template <class = void>
class chunk_writer {
 public:
  chunk_writer() = default;
  chunk_writer(chunk_writer&&) noexcept = default;  // its lanes stay where they are
  chunk_writer& operator=(chunk_writer&&) noexcept = default;

  // Takes what the value measures off `bytes_left`; false, and all is as it was, if it measures more. Part of its
  // caller, since it is called for each value; most are of the kind of the one before.
  [[gnu::always_inline]] bool append(const value_view& value, std::uint64_t& bytes_left) {
    if (value.kind() == kind_ && !is_mixed_) switch (kind_) {
        case kind::integer: return append_word(static_cast<std::uint64_t>(value.as_integer()), 9, bytes_left);
        case kind::real: return append_word(std::bit_cast<std::uint64_t>(value.as_double()), 9, bytes_left);
        case kind::string: return append_text(value.as_string(), 1 + value.as_string().size(), bytes_left);
        default: break;
      }
    return append_any(value, bytes_left);
  }

  // Takes the last value back; there must be one.
  void drop_last() noexcept {
    tarn::kind of = kind_;
    if (is_mixed_) {
      of = static_cast<tarn::kind>(kinds_.back());
      kinds_.pop_back();
    }
    --rows_;
    if (of == kind::null) return;
    for (lane& each : lanes_) {
      if (each.of != of) continue;
      if (is_text(of)) each.text.shrink(static_cast<std::size_t>(each.words.back()));
      each.words.pop_back();
    }
  }

  // Appends the chunk, of at least one value, and what is known of all of them.
  void write(std::string& out, chunk_bounds& bounds, text_writer<>& texts) const {
    unsigned mask = 0;
    for (const lane& each : lanes_)
      if (!each.words.empty()) mask |= 1U << static_cast<unsigned>(each.of);
    std::size_t others = 0;
    for (const lane& each : lanes_) others += each.words.size();
    if (others < rows_) mask |= 1U;
    out.push_back(static_cast<char>(mask));
    if (std::popcount(mask) > 1) write_kinds(out, mask);
    bounds = {};
    const bool is_bounded = std::popcount(mask & ~1U) == 1;
    for (unsigned of = 1; of < kinds; ++of)
      for (const lane& each : lanes_)
        if (static_cast<unsigned>(each.of) == of && !each.words.empty())
          write_lane(out, each, is_bounded, bounds, texts);
  }

  void clear() noexcept {
    rows_ = 0;
    kinds_.clear();
    is_mixed_ = false;
    for (lane& each : lanes_) {
      each.words.clear();
      each.text.clear();
    }
  }

 private:
  // All values of one kind other than null.
  struct lane {
    tarn::kind of;
    sequence<std::uint64_t> words;  // booleans, integers, the bits of doubles; lengths of texts
    text_buffer<> text;
  };

  [[nodiscard]] static constexpr bool is_text(tarn::kind of) noexcept { return of >= kind::string; }

  // To the lane, a value of its kind that measures `size`.
  [[gnu::always_inline]] bool append_word(std::uint64_t word, std::uint64_t size, std::uint64_t& bytes_left) {
    if (size > bytes_left) return false;
    bytes_left -= size;
    ++rows_;
    lane_->words.push_back(word);
    return true;
  }
  [[gnu::always_inline]] bool append_text(std::string_view text, std::uint64_t size, std::uint64_t& bytes_left) {
    if (!append_word(text.size(), size, bytes_left)) return false;
    lane_->text.append(text);
    return true;
  }

  [[gnu::noinline]] bool append_any(const value_view& value, std::uint64_t& bytes_left) {
    const tarn::kind of = value.kind();
    std::uint64_t size = 1;
    std::uint64_t word = 0;
    std::string_view text;
    switch (of) {
      case kind::null: break;
      case kind::boolean: word = value.as_boolean() ? 1 : 0; break;
      case kind::integer:
        word = static_cast<std::uint64_t>(value.as_integer());
        size = 9;
        break;
      case kind::real:
        word = std::bit_cast<std::uint64_t>(value.as_double());
        size = 9;
        break;
      case kind::string: text = value.as_string(); break;
      case kind::bytes: text = value.as_bytes(); break;
      case kind::list:
      case kind::map: text = encode(value, bytes_left, size); break;
    }
    if (of == kind::string || of == kind::bytes) size += text.size();
    if (size > bytes_left) return false;
    if (of != kind_ || is_mixed_) note_kind(of);
    if (is_text(of)) return append_text(text, size, bytes_left);
    if (of != kind::null) return append_word(word, size, bytes_left);
    bytes_left -= size;
    ++rows_;
    return true;
  }

  // A list or map as text, unless it measures too much.
  [[gnu::noinline]] std::string_view encode(const value_view& value, std::uint64_t bytes_max, std::uint64_t& size) {
    nested_.clear();
    size = measure(value);
    if (size <= bytes_max) append_untagged(nested_, value);
    return nested_;
  }

  // Of the row that comes. As long as all are of one kind, none is noted.
  [[gnu::noinline]] void note_kind(tarn::kind of) {
    if (rows_ > 0 && !is_mixed_) {
      kinds_.reserve(rows_ + 1);
      for (std::size_t row = 0; row < rows_; ++row) kinds_.push_back(static_cast<unsigned char>(kind_));
      is_mixed_ = true;
    }
    if (is_mixed_) kinds_.push_back(static_cast<unsigned char>(of));
    if (of != kind_ && of != kind::null) lane_ = &lane_of(of);
    kind_ = of;
  }

  [[nodiscard]] lane& lane_of(tarn::kind of) {
    for (lane& each : lanes_)
      if (each.of == of) return each;
    return lanes_.emplace_back(lane{of, {}, {}});
  }

  // Of each row its kind, counted among those that there are.
  void write_kinds(std::string& out, unsigned mask) const {
    unsigned char rank_of[kinds] = {};
    for (unsigned of = 0, next = 0; of < kinds; ++of)
      if ((mask >> of & 1U) != 0) rank_of[of] = static_cast<unsigned char>(next++);
    sequence<unsigned char> ranks;
    ranks.reserve(kinds_.size());
    for (const unsigned char of : kinds_) ranks.push_back(rank_of[of]);
    append_integers(out, ranks.data(), ranks.size());
  }

  static void write_lane(std::string& out, const lane& from, bool is_bounded, chunk_bounds& bounds,
                         text_writer<>& texts) {
    const std::size_t count = from.words.size();
    if (from.of == kind::boolean || from.of == kind::integer || from.of == kind::real) {
      const integer_profile profile = integer_profile::of(from.words.data(), count);
      append_integers(out, from.words.data(), count, profile);
      if (is_bounded && from.of == kind::integer)
        bounds = {kind::integer, static_cast<std::uint64_t>(profile.least),
                  static_cast<std::uint64_t>(profile.greatest)};
      if (is_bounded && from.of == kind::real) bounds = bounds_of_doubles(from.words.data(), count);
      return;
    }
    const text_array all{from.words.data(), count, from.text.view()};
    const array_view<std::string_view> distinct = texts.append(out, all);
    if (is_bounded && (from.of == kind::string || from.of == kind::bytes))
      bounds = bounds_of_texts(from.of, all, distinct);
  }

  // None, if one of them is not a number.
  [[nodiscard]] static chunk_bounds bounds_of_doubles(const std::uint64_t* words, std::size_t count) noexcept {
    auto least = std::bit_cast<double>(words[0]);
    double greatest = least;
    bool are_numbers = true;
    for (std::size_t at = 0; at < count; ++at) {
      const auto number = std::bit_cast<double>(words[at]);
      least = number < least ? number : least;
      greatest = number > greatest ? number : greatest;
      are_numbers = are_numbers && number == number;
    }
    if (!are_numbers) return {};
    return {kind::real, std::bit_cast<std::uint64_t>(least), std::bit_cast<std::uint64_t>(greatest)};
  }

  // Of those that differ, if there are any: they are fewer.
  [[nodiscard]] static chunk_bounds bounds_of_texts(tarn::kind of, const text_array& texts,
                                                    array_view<std::string_view> distinct) noexcept {
    chunk_bounds bounds{of, UINT64_MAX, 0};
    const auto widen = [&bounds](std::string_view text) {
      const std::uint64_t prefix = prefix_of(text);
      bounds.least = prefix < bounds.least ? prefix : bounds.least;
      bounds.greatest = prefix > bounds.greatest ? prefix : bounds.greatest;
    };
    for (const std::string_view each : distinct) widen(each);
    const char* at = texts.text.data();
    for (std::size_t index = 0; distinct.empty() && index < texts.count; ++index) {
      const auto size = static_cast<std::size_t>(texts.lengths[index]);
      widen({at, size});
      at += size;
    }
    return bounds;
  }

  tarn::kind kind_ = kind::null;  // of the row before
  bool is_mixed_ = false;
  lane* lane_ = nullptr;  // of the last kind other than null
  std::size_t rows_ = 0;
  sequence<unsigned char> kinds_;  // of each row, once they are not all of one kind
  sequence<lane> lanes_;
  std::string nested_;  // the list or map that is appended
};

}  // namespace tarn::inline TARN_ABI::columnar
