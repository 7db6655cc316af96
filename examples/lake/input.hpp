// A file or standard input, read piece by piece.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tarn/core/result.hpp>
#include <vector>

namespace lake {

// What has been read and not yet passed is in memory, as one text. Memory: what the caller leaves unpassed.
class input {
 public:
  // "-" is standard input.
  [[nodiscard]] static tarn::result<input> open(std::string_view path);
  // One that is in memory already.
  [[nodiscard]] static input of_text(std::string_view name, std::string_view text);
  input(input&& other) noexcept;
  input(const input&) = delete;
  input& operator=(input&&) = delete;
  ~input();

  // As messages call it.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  // Valid until `more` is called.
  [[nodiscard]] std::string_view unpassed() const noexcept { return {bytes_.data() + begin_, end_ - begin_}; }
  // Appends to `unpassed`: true if there was more.
  [[nodiscard]] tarn::result<bool> more();
  void pass(std::size_t size) noexcept { begin_ += size; }

 private:
  input(int descriptor, std::string_view name) : descriptor_(descriptor), name_(name) {}

  int descriptor_;  // -1: there is no more to read
  std::string name_;
  std::vector<char> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

// How many characters the text has, as an editor counts columns; bytes that are not UTF-8 count in some way.
[[nodiscard]] std::size_t characters_in(std::string_view text) noexcept;

// "file:line:column", both counted from 1.
[[nodiscard]] std::string place_in(const input& from, std::size_t line, std::size_t column);

}  // namespace lake
