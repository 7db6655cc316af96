// Arrays of texts in few bytes: strings, bytes, and lists and maps as bytes.
//
//   plain         their lengths (columnar_integers.hpp); all of them, end to end
//   dictionary    a varint, how many differ; those, plain; for each text which of them it is
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/array_view.hpp"
#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/text_prefix.hpp"
#include "../core/utf8.hpp"
#include "columnar_bytes.hpp"
#include "columnar_integers.hpp"

namespace tarn::inline TARN_ABI::columnar {

enum class text_encoding : unsigned char { plain, dictionary };

// Texts end to end, and how long each is.
struct text_array {
  const std::uint64_t* lengths = nullptr;
  std::size_t count = 0;
  std::string_view text;
};

// --- writing ---------------------------------------------------------------------------------------------------------

// Which texts of an array differ, as long as they are few. Hostile texts can make all of them collide: then it gives
// up.
template <class = void>
class dictionary_builder {
 public:
  // False if there are too many, or too many for what they are likely to save.
  [[nodiscard]] bool build(const text_array& of) {
    slots_.clear();
    for (std::size_t slot = 0; slot < slot_count; ++slot) slots_.push_back(none);
    entries_.clear();
    places_.clear();
    std::size_t budget = probes_max_of(of.count);
    const char* at = of.text.data();
    for (std::size_t index = 0; index < of.count; ++index) {
      const auto size = static_cast<std::size_t>(of.lengths[index]);
      if (!add({at, size}, budget)) return false;
      at += size;
      // Of texts that will be few, some have come twice by now.
      if (index == trial && entries_.size() > trial / 10 * 9) return false;
    }
    return entries_.size() < of.count;
  }

  [[nodiscard]] const sequence<std::string_view>& entries() const noexcept { return entries_; }
  [[nodiscard]] const sequence<std::uint16_t>& places() const noexcept { return places_; }

 private:
  static constexpr std::size_t entries_max = 2'048;
  static constexpr std::size_t slot_count = 2 * entries_max;
  static constexpr std::size_t trial = 512;
  static constexpr std::uint16_t none = 0xffff;

  [[nodiscard]] static std::size_t probes_max_of(std::size_t count) noexcept { return 8 * count + 64; }

  [[nodiscard]] static std::size_t first_slot(std::string_view text) noexcept {
    const std::uint64_t head = prefix_of(text);
    const std::uint64_t tail = text.size() > 8 ? load_64(text.data() + text.size() - 8) : 0;
    const std::uint64_t mixed = (head ^ (tail << 23 | tail >> 41) ^ text.size()) * 0x9e37'79b9'7f4a'7c15U;
    return static_cast<std::size_t>((mixed ^ mixed >> 29) >> 20) % slot_count;
  }

  // Most are short: those are compared without a call.
  [[nodiscard]] static bool is_same(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    if (a.size() < 8 || a.size() > 16) return a == b;
    return load_64(a.data()) == load_64(b.data()) &&
           load_64(a.data() + a.size() - 8) == load_64(b.data() + b.size() - 8);
  }

  [[nodiscard]] bool add(std::string_view text, std::size_t& budget) {
    for (std::size_t slot = first_slot(text); budget-- > 0; slot = (slot + 1) % slot_count) {
      const std::uint16_t place = slots_[slot];
      if (place == none) {
        if (entries_.size() == entries_max) return false;
        slots_[slot] = static_cast<std::uint16_t>(entries_.size());
        places_.push_back(slots_[slot]);
        entries_.push_back(text);
        return true;
      }
      if (is_same(entries_[place], text)) {
        places_.push_back(place);
        return true;
      }
    }
    return false;
  }

  sequence<std::uint16_t> slots_;
  sequence<std::string_view> entries_;
  sequence<std::uint16_t> places_;
};

template <class = void>
class text_writer {
 public:
  // Appends at least one text. Returns those that differ, until the next call, if that has been found out; else none.
  array_view<std::string_view> append(std::string& out, const text_array& texts) {
    const bool has_dictionary = texts.count > 1 && dictionary_.build(texts);
    if (has_dictionary && is_shorter(texts)) {
      append_dictionary(out);
    } else {
      out.push_back(static_cast<char>(text_encoding::plain));
      append_integers(out, texts.lengths, texts.count);
      out.append(texts.text);
    }
    if (!has_dictionary) return {};
    return {dictionary_.entries().data(), dictionary_.entries().size()};
  }

 private:
  [[nodiscard]] bool is_shorter(const text_array& texts) const noexcept {
    const std::size_t distinct = dictionary_.entries().size();
    constexpr std::size_t header_bytes = 12;
    std::size_t bytes = header_bytes + distinct;
    for (const std::string_view entry : dictionary_.entries()) bytes += entry.size();
    bytes += texts.count * static_cast<unsigned>(std::bit_width(distinct - 1)) / 8;
    return bytes < texts.text.size();
  }

  void append_dictionary(std::string& out) {
    const sequence<std::string_view>& entries = dictionary_.entries();
    out.push_back(static_cast<char>(text_encoding::dictionary));
    append_varint(out, entries.size());
    lengths_.clear();
    for (const std::string_view entry : entries) lengths_.push_back(entry.size());
    append_integers(out, lengths_.data(), lengths_.size());
    for (const std::string_view entry : entries) out.append(entry);
    append_integers(out, dictionary_.places().data(), dictionary_.places().size());
  }

  dictionary_builder<> dictionary_;
  sequence<std::uint64_t> lengths_;
};

// --- reading ---------------------------------------------------------------------------------------------------------

// Whether texts that are `all` end to end are UTF-8, each for itself: all of them are, and none begins within a
// sequence.
template <class = void>
[[nodiscard]] bool are_utf8(std::string_view all, const std::string_view* texts, std::size_t count) noexcept {
  if (is_ascii(all)) return true;
  if (find_invalid_utf8(all) != all.size()) return false;
  for (std::size_t index = 0; index < count; ++index)
    if (!texts[index].empty() && (static_cast<unsigned char>(texts[index].front()) & 0xc0U) == 0x80U) return false;
  return true;
}

// Texts that were read. They are in the bytes that they were read from.
struct texts_read {
  std::string_view* texts = nullptr;    // one for each row
  std::string_view* entries = nullptr;  // of the dictionary; null: there is none
  std::uint32_t* places = nullptr;      // in it
  std::size_t entry_count = 0;
  std::uint64_t longest = 0;
};

template <class = void>
class text_reader {
 public:
  // `must_be_utf8`: they are strings.
  text_reader(bool must_be_utf8, arena& memory) noexcept : must_be_utf8_(must_be_utf8), memory_(&memory) {}

  // False if `in` does not begin with `count` texts, at least one. Arrays are the arena's; that of the texts has room
  // for `room`.
  [[nodiscard]] bool read(input<>& in, std::size_t count, std::size_t room, texts_read& read) {
    unsigned char encoding;
    if (!in.take_byte(encoding) || encoding > static_cast<unsigned char>(text_encoding::dictionary)) return false;
    if (static_cast<text_encoding>(encoding) == text_encoding::plain) {
      read.texts = memory_->allocate<std::string_view>(room);
      return read_plain(in, count, read.texts, read.longest);
    }
    std::uint64_t distinct;
    if (!in.take_varint(distinct) || distinct == 0 || distinct > count) return false;
    read.entry_count = static_cast<std::size_t>(distinct);
    read.entries = memory_->allocate<std::string_view>(read.entry_count);
    if (!read_plain(in, read.entry_count, read.entries, read.longest)) return false;
    read.places = memory_->allocate<std::uint32_t>(count);
    integer_reader<std::uint32_t> places(read.places, count);
    if (!places.read(in, *memory_) || places.greatest() >= distinct) return false;
    read.texts = memory_->allocate<std::string_view>(room);
    for (std::size_t index = 0; index < count; ++index)
      new (read.texts + index) std::string_view(read.entries[read.places[index]]);
    return true;
  }

 private:
  [[nodiscard]] bool read_plain(input<>& in, std::size_t count, std::string_view* texts, std::uint64_t& longest) {
    auto* const lengths = memory_->allocate<std::uint32_t>(count);
    integer_reader<std::uint32_t> reader(lengths, count);
    if (!reader.read(in, *memory_) || reader.greatest() > UINT32_MAX) return false;
    longest = reader.greatest();
    std::uint64_t size = 0;
    for (std::size_t index = 0; index < count; ++index) size += lengths[index];
    std::string_view all;
    if (!in.take(size, all)) return false;
    const char* at = all.data();
    for (std::size_t index = 0; index < count; ++index) {
      new (texts + index) std::string_view(at, lengths[index]);
      at += lengths[index];
    }
    return !must_be_utf8_ || are_utf8(all, texts, count);
  }

  bool must_be_utf8_;
  arena* memory_;
};

}  // namespace tarn::inline TARN_ABI::columnar
