// A reader of JSON that shares nothing with tarn's, for whoever must not trust that: as much as tarn writes of it into
// entries, checkpoints and objects, but doubles, bytes, lists and maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI::testing {

// null, true or false, a number without a fraction, a string.
using plain_value = std::variant<std::monostate, bool, std::int64_t, std::string>;

struct plain_json {
  plain_value value;  // unless it is a list or an object
  std::vector<plain_json> items = {};
  std::vector<std::pair<std::string, plain_json>> members = {};

  // The member of this name; null if there is none.
  [[nodiscard]] const plain_json* find(std::string_view name) const;
  // Empty, "" and 0 if it is something else, or not there.
  [[nodiscard]] const std::vector<plain_json>& list(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::int64_t as_integer() const {
    const auto* const number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? *number : 0;
  }
};

// A class that holds a list of its own kind is complete only here.
inline const plain_json* plain_json::find(std::string_view name) const {
  for (const auto& [key, member] : members)
    if (key == name) return &member;
  return nullptr;
}
inline const std::vector<plain_json>& plain_json::list(std::string_view name) const {
  static const std::vector<plain_json> none;
  const plain_json* const found = find(name);
  return found == nullptr ? none : found->items;
}
inline std::string plain_json::text(std::string_view name) const {
  const plain_json* const found = find(name);
  const auto* const text = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  return text != nullptr ? *text : std::string();
}
inline std::int64_t plain_json::integer(std::string_view name) const {
  const plain_json* const found = find(name);
  return found != nullptr ? found->as_integer() : 0;
}

class plain_json_reader {
 public:
  explicit plain_json_reader(std::string_view text) : text_(text) {}

  [[nodiscard]] plain_json read() {
    plain_json whole = read_value();
    if (at_ != text_.size()) good_ = false;
    return whole;
  }
  // Whether all was of the kind that this reads.
  [[nodiscard]] bool good() const { return good_; }

 private:
  [[nodiscard]] bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) good_ = false;
  }
  [[nodiscard]] bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  [[nodiscard]] plain_json read_value() {
    plain_json read;
    if (!good_ || at_ == text_.size()) {
      good_ = false;
    } else if (take('{')) {
      read_members(read);
    } else if (take('[')) {
      read_items(read);
    } else if (take('"')) {
      read.value = read_string();
    } else if (take_word("true")) {
      read.value = true;
    } else if (take_word("false")) {
      read.value = false;
    } else if (!take_word("null")) {
      read.value = read_integer();
    }
    return read;
  }

  void read_members(plain_json& into) {
    if (take('}')) return;
    do {
      need('"');
      std::string name = read_string();
      need(':');
      into.members.emplace_back(std::move(name), read_value());
    } while (good_ && take(','));
    need('}');
  }

  void read_items(plain_json& into) {
    if (take(']')) return;
    do {
      into.items.push_back(read_value());
    } while (good_ && take(','));
    need(']');
  }

  // After its opening quote.
  [[nodiscard]] std::string read_string() {
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char next = text_[at_++];
      if (next == '\\')
        read_escape(out);
      else
        out.push_back(next);
    }
    need('"');
    return out;
  }

  void read_escape(std::string& out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const char letter = at_ < text_.size() ? text_[at_++] : '\0';
    if (const std::size_t found = letters.find(letter); found != std::string_view::npos)
      out.push_back(meanings[found]);
    else if (letter == 'u')
      read_code(out);
    else
      good_ = false;
  }

  // tarn escapes control characters so, and nothing else.
  void read_code(std::string& out) {
    std::uint32_t code = 0;
    for (int digits = 0; digits < 4; ++digits) {
      constexpr std::string_view hex = "0123456789abcdef";
      const std::size_t digit = at_ < text_.size() ? hex.find(text_[at_++]) : std::string_view::npos;
      if (digit == std::string_view::npos) return void(good_ = false);
      code = 16 * code + static_cast<std::uint32_t>(digit);
    }
    if (code < 0x80)
      out.push_back(static_cast<char>(code));
    else
      good_ = false;
  }

  [[nodiscard]] std::int64_t read_integer() {
    const bool negative = take('-');
    std::uint64_t number = 0;
    std::size_t digits = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_, ++digits)
      number = 10 * number + static_cast<std::uint64_t>(text_[at_] - '0');
    if (digits == 0) good_ = false;
    return static_cast<std::int64_t>(negative ? 0 - number : number);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace tarn::inline TARN_ABI::testing
