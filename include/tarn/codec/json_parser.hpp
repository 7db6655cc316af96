// The JSON parser: strict RFC 8259, without recursion, into memory that is reused.
//
// Refused, besides what the grammar excludes: bytes that are not UTF-8, halves of surrogate pairs, a byte order mark,
// equal keys in one object, nesting beyond a limit, numbers beyond the largest double, and (unless asked otherwise)
// integers beyond 64 bits. Integers stay integers; doubles are rounded correctly. `-0` is the double -0.0.
//
// Not thread-safe: one parser per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/duplicate_finder.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/value.hpp"
#include "json_escapes.hpp"
#include "json_input.hpp"
#include "json_number.hpp"
#include "json_string.hpp"

namespace tarn::inline TARN_ABI {

struct json_options {
  std::uint32_t nesting_depth_max = 64;  // lists and maps within one another; escapes do not count
  json_escapes escapes = json_escapes::none;
  wide_integers wide = wide_integers::are_errors;
};

// Reads values one after another from one text, which must outlive it and them. Movable.
//
// Each value is valid until its arena is cleared: lists and maps are arrays in the arena, strings look into the text
// or, if they have escapes, into the arena. Errors are errc::invalid_argument or errc::limit_exceeded and say at which
// byte of the text; after one the parser must not be used any more. Once arena and parser have met the largest value,
// they allocate nothing.
template <class = void>
class json_parser {
 public:
  json_parser() noexcept = default;
  explicit json_parser(std::string_view text, const json_options& options = {}) noexcept
      : input_(text), options_(options) {}

  // The value that begins here, after white space if there is any. Time is linear in its size; the keys of a map of n
  // members cost n log n.
  [[nodiscard]] result<value_view> parse(arena& memory) {
    if (!parse_next(memory)) return failure();
    if (value_.kind() == kind::list) return value_view(list_in(memory, 0));
    if (value_.kind() == kind::map) return value_view(map_view(list_in(memory, 0)));
    return value_;
  }

  // The same for one value after another: true if there is one, which then is value(), else failure() says why. The
  // elements of the value itself (not what is in them) are only valid until the next call: a row is never copied.
  [[nodiscard]] bool parse_next(arena& memory) {
    open_.clear();
    values_.clear();
    for (;;) {
      if (!descend(memory)) return false;
      const next follows = ascend(memory);
      if (follows != next::value) return follows == next::end;
    }
  }
  [[nodiscard]] const value_view& value() const noexcept { return value_; }
  [[nodiscard]] const error& failure() const noexcept { return input_.failure.error(); }

  // For maps and lists that are too long to be one value (json_walk.hpp): the key of a member, and its colon; and
  // whether a map or a list is next, which then begins behind. False from the first: failure() says why.
  [[nodiscard]] bool parse_key(arena& memory, std::string_view& key) {
    values_.clear();
    if (!scan_key(memory)) return false;
    key = values_.back().as_string();
    return true;
  }
  [[nodiscard]] bool enter_map() noexcept {
    input_.skip_white_space();
    return !(options_.escapes == json_escapes::tarn && input_.peek() == '{' && at_escape()) && input_.consume('{');
  }
  [[nodiscard]] bool enter_list() noexcept { return input_.consume('['); }

  // Passes `c` if it comes next, after white space if there is any.
  [[nodiscard]] bool consume(char c) noexcept { return input_.consume(c); }
  // Passes white space; true if nothing else is left.
  [[nodiscard]] bool at_end() noexcept {
    input_.skip_white_space();
    return input_.at == input_.end;
  }
  // The error of meeting here something else than `expected`.
  [[nodiscard]] error unexpected(std::string_view expected) {
    input_.fail(expected);
    return failure();
  }

  // After a failure: the byte that its message names, for who knows a better name for the place, such as line and
  // column.
  [[nodiscard]] std::size_t failure_offset() const noexcept {
    return static_cast<std::size_t>(input_.failed_at - input_.begin);
  }

  // How many bytes have been passed, and are left.
  [[nodiscard]] std::size_t offset() const noexcept { return static_cast<std::size_t>(input_.at - input_.begin); }
  [[nodiscard]] std::size_t size_left() const noexcept { return input_.size_left(); }
  [[nodiscard]] std::string_view text_left() const noexcept { return {input_.at, input_.size_left()}; }
  // Goes on at this offset, or lets the text end at that one; neither may be past the text's end.
  void seek(std::size_t offset) noexcept { input_.at = input_.begin + offset; }
  void set_end(std::size_t offset) noexcept { input_.end = input_.begin + offset; }

 private:
  struct container {
    std::size_t first_value;  // in values_
    bool is_map;
  };
  enum class next : unsigned char { value, end, failure };

  // Up to the end of the first value that has nothing inside; what is opened on the way stays open.
  [[nodiscard]] bool descend(arena& memory) {
    for (;;) {
      input_.skip_white_space();
      switch (input_.peek()) {
        case '[':
          if (!open(false)) return false;
          if (input_.consume(']')) return close(memory);
          break;
        case '{':
          if (options_.escapes == json_escapes::tarn && at_escape()) return scan_escape(memory) && end_scalar();
          if (!open(true)) return false;
          if (input_.consume('}')) return close(memory);
          if (!scan_key(memory)) return false;
          break;
        default: return scan_scalar(memory) && end_scalar();
      }
    }
  }

  // After a value: up to where the next one begins, closing what ends here.
  [[nodiscard]] next ascend(arena& memory) {
    while (!open_.empty()) {
      const bool is_map = open_.back().is_map;
      if (input_.consume(',')) return !is_map || scan_key(memory) ? next::value : next::failure;
      if (!input_.consume(is_map ? '}' : ']')) {
        input_.fail(is_map ? "',' or '}'" : "',' or ']'");
        return next::failure;
      }
      if (!close(memory)) return next::failure;
    }
    return next::end;
  }

  [[nodiscard]] bool open(bool is_map) {
    if (open_.size() >= options_.nesting_depth_max)
      return input_.refuse_at(
          input_.at, errc::limit_exceeded,
          concat({"nested deeper than nesting_depth_max, which is ", options_.nesting_depth_max, ", allows"}));
    ++input_.at;
    open_.push_back({values_.size(), is_map});
    return true;
  }

  [[nodiscard]] bool end_scalar() noexcept {
    if (open_.empty()) value_ = values_.back();
    return true;
  }

  // Moves the values of the innermost container to the arena and puts the container in their place. The outermost one's
  // stay where they are.
  [[nodiscard]] bool close(arena& memory) {
    const container closed = open_.back();
    open_.pop_back();
    if (closed.is_map && !check_keys(closed.first_value)) return false;
    if (open_.empty()) {
      const list_view list(values_.data(), values_.size());
      value_ = closed.is_map ? value_view(map_view(list)) : value_view(list);
      return true;
    }
    const list_view list = list_in(memory, closed.first_value);
    values_.shrink(closed.first_value);
    if (closed.is_map)
      values_.emplace_back(map_view(list));
    else
      values_.emplace_back(list);
    return true;
  }

  // The values from here on, copied to the arena.
  [[nodiscard]] list_view list_in(arena& memory, std::size_t first_value) const {
    const std::size_t size = values_.size() - first_value;
    auto* const elements = memory.allocate<value_view>(size);
    for (std::size_t at = 0; at < size; ++at) new (elements + at) value_view(values_[first_value + at]);
    return {elements, size};
  }

  [[nodiscard]] bool check_keys(std::size_t first_key) {
    if (values_.size() - first_key <= 2) return true;
    keys_.clear();
    for (std::size_t at = first_key; at < values_.size(); at += 2) keys_.add(values_[at].as_string());
    const std::string_view* const duplicate = keys_.find();
    if (duplicate == nullptr) return true;
    constexpr std::size_t shown_bytes_max = 64;
    return input_.refuse_at(
        input_.at - 1, errc::invalid_argument,
        concat({"the map that ends here has the key '", duplicate->substr(0, shown_bytes_max), "' twice"}));
  }

  // A member's key and its colon.
  [[nodiscard]] bool scan_key(arena& memory) {
    input_.skip_white_space();
    const char* const place = input_.at;
    std::string_view key;
    if (!input_.consume('"')) return input_.fail("a key in quotes");
    if (!scan_json_string(input_, memory, key)) return false;
    if (options_.escapes == json_escapes::tarn && key.starts_with('$')) {
      if (!key.starts_with("$$"))
        return input_.fail_at(place, "no other member beside an escape, whose name has one '$'");
      key.remove_prefix(1);
    }
    values_.emplace_back(key);
    return input_.consume(':') || input_.fail("':' after a key");
  }

  [[nodiscard]] bool scan_scalar(arena& memory) {
    const char first = input_.peek();
    if (first == '"') {
      ++input_.at;
      std::string_view text;
      if (!scan_json_string(input_, memory, text)) return false;
      values_.emplace_back(text);
      return true;
    }
    if ((first >= '0' && first <= '9') || first == '-') {
      values_.emplace_back();
      return scan_json_number(input_, options_.wide, values_.back());
    }
    if (input_.consume("null"))
      values_.emplace_back(nullptr);
    else if (input_.consume("true"))
      values_.emplace_back(true);
    else if (input_.consume("false"))
      values_.emplace_back(false);
    else
      return input_.fail("a value");
    return true;
  }

  // Whether the object here begins with a key of a single '$'. It is read without being opened, so that bytes may be as
  // deep as any other value without parts.
  [[nodiscard]] bool at_escape() const noexcept {
    json_input ahead = {};
    ahead.at = input_.at + 1;
    ahead.end = input_.end;
    ahead.skip_white_space();
    return ahead.consume("\"$") && ahead.peek() != '$';
  }

  // Names are only recognised as they are written: "\u0024bytes" is refused, as a key of a single '$' that is no
  // escape.
  [[nodiscard]] bool scan_escape(arena& memory) {
    ++input_.at;
    input_.skip_white_space();
    const bool is_bytes = input_.consume("\"$bytes\"");
    if (!is_bytes && !input_.consume("\"$double\"")) return input_.fail("the escape \"$bytes\" or \"$double\"");
    if (!input_.consume(':')) return input_.fail("':' after an escape's name");
    input_.skip_white_space();
    const char* const place = input_.at;
    std::string_view content;
    if (!input_.consume('"')) return input_.fail("an escape's content in quotes");
    if (!scan_json_string(input_, memory, content)) return false;
    if (!input_.consume('}')) return input_.fail("'}' after an escape's only member");
    values_.emplace_back();
    if (is_bytes)
      return decode_bytes_escape(content, memory, values_.back()) || input_.fail_at(place, "canonical, padded base64");
    return decode_double_escape(content, values_.back()) ||
           input_.fail_at(place, "16 lower-case hex digits of an infinity or a NaN");
  }

  json_input input_;
  json_options options_;
  sequence<container> open_;     // outermost first
  sequence<value_view> values_;  // the elements so far of what is open
  value_view value_;
  duplicate_finder<> keys_;
};

// Reads a text that is one value, with nothing but white space around it. For many values, keep a json_parser: it does
// not allocate for each.
template <class = void>
[[nodiscard]] result<value_view> parse_json(std::string_view text, arena& memory, const json_options& options = {}) {
  json_parser<> parser(text, options);
  result<value_view> parsed = parser.parse(memory);
  if (parsed && !parser.at_end()) return parser.unexpected("the end of the text");
  return parsed;
}

}  // namespace tarn::inline TARN_ABI
