// What a run of a test has found: the first thing that was wrong, what led to it, and how often each thing happened
// that a test must have seen in order to mean something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace tarn_test {

using tally = std::map<std::string, std::uint64_t, std::less<>>;

class findings {
 public:
  // Counts in `happened`, for one run or for many. `tells`: also keeps the story, which many runs can do without.
  explicit findings(tally& happened, bool tells = true) : happened_(happened), tells_(tells) {}

  void count(std::string_view what, std::uint64_t times = 1) {
    const auto found = happened_.find(what);
    (found != happened_.end() ? found->second : happened_[std::string(what)]) += times;
  }
  void tell(std::string_view what) { tell(std::initializer_list<std::string_view>{what}); }
  void tell(std::initializer_list<std::string_view> what) {
    if (!tells_) return;
    story_ += "  " + where_;
    for (const std::string_view part : what) story_ += part;
    story_ += "\n";
  }
  void expect(bool holds, const std::string& what) {
    if (!holds) fail(what);
  }
  void fail(const std::string& what) {
    if (failure_.empty()) failure_ = where_ + what;
  }

  // Where the run is: said before what is told and what is wrong.
  void enter(std::string_view where) { where_ = where; }
  void enter(std::initializer_list<std::string_view> where) {
    where_.clear();
    for (const std::string_view part : where) where_ += part;
  }
  [[nodiscard]] const std::string& where() const { return where_; }

  [[nodiscard]] bool good() const { return failure_.empty(); }
  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] const std::string& story() const { return story_; }

 private:
  tally& happened_;
  bool tells_;
  std::string where_;
  std::string failure_;
  std::string story_;
};

}  // namespace tarn_test
