// What a conformance suite has found: which promises are broken, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "../core/config.hpp"
#include "../core/text.hpp"

namespace tarn::inline TARN_ABI::testing {

// Independent of any test framework: print `text()`, or assert on `conforms()`.
class conformance_report {
 public:
  static constexpr std::size_t broken_max = 50;  // further ones are counted only

  // Notes one check: if the promise was not kept, the parts, joined, say how. Returns `kept`.
  template <class... Parts>
  bool check(bool kept, const Parts&... parts) {
    ++checks_;
    if (kept) return true;
    ++broken_count_;
    if (broken_.size() < broken_max) broken_.push_back(concat({parts...}));
    return false;
  }

  // Adds what another report holds, for instance that of another thread.
  void add(const conformance_report& other) {
    checks_ += other.checks_;
    broken_count_ += other.broken_count_;
    for (const std::string& promise : other.broken_)
      if (broken_.size() < broken_max) broken_.push_back(promise);
  }

  // At least one check was made, and none failed.
  [[nodiscard]] bool conforms() const noexcept { return checks_ > 0 && broken_count_ == 0; }
  [[nodiscard]] std::size_t checks() const noexcept { return checks_; }
  [[nodiscard]] const std::vector<std::string>& broken() const noexcept { return broken_; }

  // One line for each broken promise, and a last one with the counts.
  [[nodiscard]] std::string text() const {
    std::string lines;
    for (const std::string& promise : broken_) append_text(lines, promise), append_text(lines, '\n');
    return lines + concat({checks_, " checks, ", broken_count_, " promises broken\n"});
  }

 private:
  std::size_t checks_ = 0;
  std::size_t broken_count_ = 0;
  std::vector<std::string> broken_;
};

}  // namespace tarn::inline TARN_ABI::testing
