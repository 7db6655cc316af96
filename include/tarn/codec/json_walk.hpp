// Walks through maps and lists of a JSON text that are too long to be kept as values: member by member, element by
// element. What is refused is what json_parser refuses.
#pragma once

#include <cstddef>
#include <string_view>

#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/duplicate_finder.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "json_parser.hpp"

namespace tarn::inline TARN_ABI {

// Something else than `expected` comes next: false, and the parser's failure() says so.
template <class = void>
[[nodiscard, gnu::cold]] bool fail_walk(json_parser<>& parser, std::string_view expected) {
  (void)parser.unexpected(expected);
  return false;
}

// The rest of a list that json_parser::enter_list has entered: `read_element() -> bool` reads each element from the
// parser. False if it does, or if there is no end: then the parser's failure() says why.
template <class ReadElement>
[[nodiscard]] bool walk_list(json_parser<>& parser, ReadElement read_element) {
  if (parser.consume(']')) return true;
  do {
    if (!read_element()) return false;
  } while (parser.consume(','));
  return parser.consume(']') || fail_walk(parser, "',' or ']'");
}

// The rest of a map that json_parser::enter_map has entered: `read_member(key, value) -> bool` reads each member's
// value from the parser. `members` gets the keys and the values in turn; keys with escapes are in `memory`.
template <class ReadMember>
[[nodiscard]] bool walk_map(json_parser<>& parser, arena& memory, sequence<value_view>& members,
                            ReadMember read_member) {
  members.clear();
  if (parser.consume('}')) return true;
  duplicate_finder<> keys;
  do {
    std::string_view key;
    value_view value;
    if (!parser.parse_key(memory, key) || !read_member(key, value)) return false;
    keys.add(key);
    members.emplace_back(key);
    members.push_back(value);
  } while (parser.consume(','));
  if (!parser.consume('}')) return fail_walk(parser, "',' or '}'");
  const std::string_view* const duplicate = keys.find();
  if (duplicate == nullptr) return true;
  constexpr std::size_t shown_bytes_max = 64;
  return fail_walk(parser, concat({"no second key '", duplicate->substr(0, shown_bytes_max), "' in the map before"}));
}

}  // namespace tarn::inline TARN_ABI
