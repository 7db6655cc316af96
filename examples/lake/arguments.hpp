// The words of a command line, taken apart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tarn/core/result.hpp>
#include <utility>
#include <vector>

namespace lake {

struct option {
  std::string_view name;     // with its dashes
  bool takes_value = false;  // the next word, or what is after '='
};

class arguments {
 public:
  // "--" ends the options; "-" is no option, nor is a negative number. The error is a message for the user.
  [[nodiscard]] static tarn::result<arguments> parse(std::span<const char* const> words,
                                                     std::span<const option> options);

  // All of them positional.
  [[nodiscard]] static arguments of_words(std::span<const char* const> words) {
    arguments taken;
    taken.positional_.assign(words.begin(), words.end());
    return taken;
  }

  [[nodiscard]] const std::vector<std::string_view>& positional() const noexcept { return positional_; }
  [[nodiscard]] bool has(std::string_view option_name) const noexcept { return value(option_name).has_value(); }
  // The option's value, empty for one that takes none; the last if it was given several times.
  [[nodiscard]] std::optional<std::string_view> value(std::string_view option_name) const noexcept;
  // All of them, in the order in which they were given.
  [[nodiscard]] std::vector<std::string_view> values(std::string_view option_name) const;

 private:
  std::vector<std::string_view> positional_;
  std::vector<std::pair<std::string_view, std::string_view>> given_;
};

}  // namespace lake
