// The JSON writer: compact text, the same for the same value, without recursion.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/value.hpp"
#include "json_escapes.hpp"
#include "json_number.hpp"
#include "json_string.hpp"

namespace tarn::inline TARN_ABI {

// Writes values, and keeps the memory that nested ones need for the next. Not thread-safe: one per thread.
template <class = void>
class json_writer {
 public:
  // Appends the value's text; strings in it must be UTF-8. With json_escapes::tarn, reading it with the same gives the
  // same value, bit for bit. With json_escapes::none bytes and doubles that are not finite are still written as
  // escapes, but keys are left alone: for people, not for reading back.
  void append(std::string& out, value_view value, json_escapes escapes) {
    open_.clear();
    begin_value(out, value);
    while (!open_.empty()) {
      // Each goes on to the end of the innermost container, or to where something is opened in it.
      if (open_.back().content.kind() == kind::list)
        append_elements(out);
      else
        append_members(out, escapes);
    }
  }

 private:
  struct container {
    value_view content;
    std::size_t next = 0;  // the element or member to write next
  };

  void append_elements(std::string& out) {
    const std::size_t depth = open_.size();
    const list_view elements = open_.back().content.as_list();
    for (std::size_t at = open_.back().next; at < elements.size(); ++at) {
      if (at > 0) out.push_back(',');
      begin_value(out, elements[at]);
      if (open_.size() == depth) continue;
      open_[depth - 1].next = at + 1;
      return;
    }
    out.push_back(']');
    open_.pop_back();
  }

  void append_members(std::string& out, json_escapes escapes) {
    const std::size_t depth = open_.size();
    const map_view members = open_.back().content.as_map();
    for (std::size_t at = open_.back().next; at < members.size(); ++at) {
      if (at > 0) out.push_back(',');
      const member_view member = members[at];
      append_key(out, member.key, escapes);
      begin_value(out, member.value);
      if (open_.size() == depth) continue;
      open_[depth - 1].next = at + 1;
      return;
    }
    out.push_back('}');
    open_.pop_back();
  }

  // All of a value without parts; the opening of one with parts.
  void begin_value(std::string& out, value_view value) {
    switch (value.kind()) {
      case kind::null: append_text(out, "null"); break;
      case kind::boolean: out.append(value.as_boolean() ? "true" : "false"); break;
      case kind::integer: append_text(out, value.as_integer()); break;
      case kind::real: append_double(out, value.as_double()); break;
      case kind::string: append_json_string(out, value.as_string()); break;
      case kind::bytes: append_bytes_escape(out, value.as_bytes()); break;
      case kind::list:
        out.push_back('[');
        open_.push_back({value});
        break;
      case kind::map:
        out.push_back('{');
        open_.push_back({value});
        break;
    }
  }

  static void append_double(std::string& out, double number) {
    if (is_finite(number))
      append_json_double(out, number);
    else
      append_double_escape(out, number);
  }

  static void append_key(std::string& out, std::string_view key, json_escapes escapes) {
    const std::size_t opening_quote = out.size();
    append_json_string(out, key);
    if (escapes == json_escapes::tarn && key.starts_with('$')) out.insert(opening_quote + 1, 1, '$');
    out.push_back(':');
  }

  sequence<container> open_;  // outermost first
};

// Appends one value; see json_writer::append. A value with parts costs an allocation.
template <class = void>
void append_json(std::string& out, value_view value, json_escapes escapes) {
  json_writer<>().append(out, value, escapes);
}

}  // namespace tarn::inline TARN_ABI
