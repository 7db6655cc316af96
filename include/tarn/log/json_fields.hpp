// Reads the members of one JSON object by name and kind, and remembers the first thing that is wrong: a caller reads
// all it needs and looks at `status()` once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "../core/value.hpp"

namespace tarn::inline TARN_ABI {

template <class = void>
class json_fields {
 public:
  // `place` says in messages which object this is; it and `object` must outlive the reader.
  json_fields(value_view object, std::string_view place) : place_(place) {
    if (object.kind() == kind::map)
      members_ = object.as_map();
    else
      complain(concat({"is ", name_of(object.kind()), ", not an object"}));
  }

  [[nodiscard]] const status& state() const noexcept { return state_; }

  [[nodiscard]] bool has(std::string_view key) const noexcept { return find(key) != members_.size(); }

  // Each of these returns something harmless when the member is missing or not what it should be.
  [[nodiscard]] value_view get(std::string_view key) {
    const std::size_t at = find(key);
    if (at < members_.size()) return members_[at].value;
    complain(concat({"has no \"", key, "\""}));
    return {};
  }
  [[nodiscard]] value_view get(std::string_view key, kind wanted) {
    const value_view found = get(key);
    if (found.kind() == wanted || !has(key)) return found;
    complain(concat({"has a ", name_of(found.kind()), " as \"", key, "\", not a ", name_of(wanted)}));
    return {};
  }
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t at_least) {
    const value_view found = get(key, kind::integer);
    if (found.is_null()) return at_least;
    const std::int64_t number = found.as_integer();
    if (number < at_least)
      complain(concat({"has ", number, " as \"", key, "\", which must be ", at_least, " or more"}));
    return number;
  }
  [[nodiscard]] std::string_view string(std::string_view key) {
    const value_view found = get(key, kind::string);
    return found.is_null() ? std::string_view() : found.as_string();
  }
  [[nodiscard]] list_view list(std::string_view key) {
    const value_view found = get(key, kind::list);
    return found.is_null() ? list_view() : found.as_list();
  }
  [[nodiscard]] sequence<std::string> strings(std::string_view key) {
    sequence<std::string> read;
    for (const value_view each : list(key)) {
      if (each.kind() == kind::string)
        read.emplace_back(each.as_string());
      else
        complain(concat({"has a ", name_of(each.kind()), " in \"", key, "\", which lists strings"}));
    }
    return read;
  }
  [[nodiscard]] uuid id(std::string_view key) {
    uuid read;
    const std::string_view text = string(key);
    if (!parse_uuid(text, read))
      complain(concat({"has '", text, "' as \"", key, "\", which must be a lower-case UUID"}));
    return read;
  }
  [[nodiscard]] std::uint32_t checksum(std::string_view key) {
    const std::string_view text = string(key);
    std::uint32_t read = 0;
    if (text.size() != 8 || !parse_eight_hex_digits(text.data(), read))
      complain(concat({"has '", text, "' as \"", key, "\", which must be 8 lower-case hex digits"}));
    return read;
  }

  void complain(std::string_view what, errc code = errc::corrupt) {
    if (state_) state_ = error(code, concat({place_, " ", what}));
  }
  // As another reader of parts of the same object has, if it has.
  void complain_as(const status& other) {
    if (state_ && !other) state_ = other;
  }

 private:
  [[nodiscard]] std::size_t find(std::string_view key) const noexcept {
    std::size_t at = 0;
    while (at < members_.size() && members_[at].key != key) ++at;
    return at;
  }

  std::string_view place_;
  map_view members_;
  status state_;
};

}  // namespace tarn::inline TARN_ABI
