// The lists of objects in a checkpoint's text, which are nearly all of it: read one object after the other, so that no
// more of them than one is kept as values.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "../codec/json_parser.hpp"
#include "../codec/json_walk.hpp"
#include "../core/arena.hpp"
#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/shared.hpp"
#include "../core/value.hpp"
#include "json_fields.hpp"
#include "plain_object.hpp"
#include "row_set.hpp"
#include "table_reader.hpp"
#include "table_state.hpp"

namespace tarn::inline TARN_ABI {

template <class = void>
class listed_objects_reader {
 public:
  // The rest of the list that the parser has entered, to the end of `objects`, an object_list or a
  // sequence<keyed_object>. False if it is no JSON, which the parser's failure tells; `outcome` tells what else is
  // wrong.
  template <class Objects>
  [[nodiscard]] bool read(json_parser<>& parser, Objects& objects, status& outcome) {
    json_fields<> complaints{map_view(), "a table"};
    const bool walked = walk_list(parser, [&] {
      typename Objects::value_type object = blank(objects);
      if (!read_plain(parser, object) && !read_any(parser, object, complaints)) return false;
      objects.push_back(std::move(object));
      return true;
    });
    outcome = complaints.state();
    return walked;
  }

 private:
  // Most have no deleted rows: all of these share that.
  [[nodiscard]] bag_object blank(const object_list&) const { return {{}, none_deleted_}; }
  [[nodiscard]] keyed_object blank(const sequence<keyed_object>&) const { return {}; }

  template <class Object>
  [[nodiscard]] bool read_plain(json_parser<>& parser, Object& object) {
    const std::string_view left = parser.text_left();
    plain_text<> text(left);
    if (!plain_.read(text, object)) return false;
    parser.seek(parser.offset() + static_cast<std::size_t>(text.at() - left.data()));
    return true;
  }

  template <class Object>
  [[nodiscard]] bool read_any(json_parser<>& parser, Object& object, json_fields<>& complaints) {
    memory_.clear();
    if (!parser.parse_next(memory_)) return false;
    object = table_json::read_object<Object>(parser.value(), complaints);
    return true;
  }

  arena memory_;  // of one object
  copy_on_write<row_set> none_deleted_;
  plain_object_reader<> plain_;
};

}  // namespace tarn::inline TARN_ABI
