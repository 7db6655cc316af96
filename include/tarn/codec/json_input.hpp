// A place in a JSON text and, once it was not what was expected there, the error that says so: what the scanners of
// strings, numbers and values share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI {

struct json_input {
  const char* begin = nullptr;
  const char* at = nullptr;
  const char* end = nullptr;
  const char* failed_at = nullptr;  // the byte that `failure` names
  status failure;

  json_input() noexcept = default;
  explicit json_input(std::string_view text) noexcept
      : begin(text.data()), at(text.data()), end(text.data() + text.size()) {}

  [[nodiscard]] std::size_t size_left() const noexcept { return static_cast<std::size_t>(end - at); }
  // The character here; NUL, which no JSON text has outside of strings, at the end.
  [[nodiscard]] char peek() const noexcept { return at == end ? '\0' : *at; }

  void skip_white_space() noexcept {
    while (at != end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  }
  // Passes `c` if it comes here, after white space if there is any.
  [[nodiscard]] bool consume(char c) noexcept {
    if (peek() != c) {
      skip_white_space();
      if (peek() != c) return false;
    }
    ++at;
    return true;
  }
  // Passes `word` if it is exactly here.
  [[nodiscard]] bool consume(std::string_view word) noexcept {
    if (size_left() < word.size() || std::memcmp(at, word.data(), word.size()) != 0) return false;
    at += word.size();
    return true;
  }

  // The failures return false, so that a scanner can end with `return input.fail(...)`.
  template <class = void>
  [[gnu::cold]] bool fail(std::string_view expected) {
    return fail_at(at, expected);
  }
  template <class = void>
  [[gnu::cold]] bool fail_at(const char* place, std::string_view expected) {
    return refuse_at(place, errc::invalid_argument, concat({"expected ", expected, ", found ", found_at(place)}));
  }
  template <class = void>
  [[gnu::cold]] bool refuse_at(const char* place, errc code, std::string_view why) {
    failed_at = place;
    failure = error(code, concat({"byte ", place - begin, ": ", why}));
    return false;
  }

 private:
  template <class = void>
  [[nodiscard]] std::string found_at(const char* place) const {
    if (place == end) return "the end of the text";
    const auto byte = static_cast<std::uint8_t>(*place);
    if (byte < 0x20 || byte > 0x7e) return concat({"the byte 0x", hex(byte)});
    return concat({"'", *place, "'"});
  }
};

}  // namespace tarn::inline TARN_ABI
