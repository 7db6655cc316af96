// What a run of a test has found: the first thing that was wrong, what led to it, and how often each thing happened
// that a test must have seen in order to mean something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tarn_test {

using tally = std::map<std::string, std::uint64_t>;

class findings {
 public:
  // Counts in `happened`, for one run or for many.
  explicit findings(tally& happened) : happened_(happened) {}

  void count(const std::string& what, std::uint64_t times = 1) { happened_[what] += times; }
  void tell(const std::string& what) { story_ += "  " + where_ + what + "\n"; }
  void expect(bool holds, const std::string& what) {
    if (!holds) fail(what);
  }
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = where_ + what;
  }

  // Where the run is: said before what is told and what is wrong.
  void enter(std::string where) { where_ = std::move(where); }
  [[nodiscard]] const std::string& where() const { return where_; }

  [[nodiscard]] bool good() const { return failure_.empty(); }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::string& story() const { return story_; }

 private:
  tally& happened_;
  std::string where_;
  std::string failure_;
  std::string story_;
};

}  // namespace tarn_test
