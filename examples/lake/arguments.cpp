#include "arguments.hpp"

#include <algorithm>

namespace lake {
namespace {

tarn::error misuse(std::string message) { return {tarn::errc::invalid_argument, std::move(message)}; }

}  // namespace

tarn::result<arguments> arguments::parse(std::span<const char* const> words, std::span<const option> options) {
  arguments parsed;
  bool options_ended = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    const bool is_option = word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9');
    if (options_ended || !is_option) {
      parsed.positional_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto known = std::find_if(options.begin(), options.end(), [&](const option& o) { return o.name == name; });
    if (known == options.end()) return misuse(tarn::concat({"there is no option ", name}));
    if (!known->takes_value) {
      if (equals != std::string_view::npos) return misuse(tarn::concat({"option ", name, " takes no value"}));
      parsed.given_.emplace_back(name, std::string_view());
    } else if (equals != std::string_view::npos) {
      parsed.given_.emplace_back(name, word.substr(equals + 1));
    } else {
      if (++at == words.size()) return misuse(tarn::concat({"option ", name, " needs a value"}));
      parsed.given_.emplace_back(name, words[at]);
    }
  }
  return parsed;
}

std::optional<std::string_view> arguments::value(std::string_view option_name) const noexcept {
  std::optional<std::string_view> last;
  for (const auto& [name, value] : given_)
    if (name == option_name) last = value;
  return last;
}

std::vector<std::string_view> arguments::values(std::string_view option_name) const {
  std::vector<std::string_view> all;
  for (const auto& [name, value] : given_)
    if (name == option_name) all.push_back(value);
  return all;
}

}  // namespace lake
