// Strategies that make some of the possible runs: at random, as a fuzzer says, or one in particular. See search.hpp for
// what a strategy is; these never come to an end by themselves but for the last two.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../random_source.hpp"
#include "explored_run.hpp"
#include "schedule.hpp"
#include "search.hpp"

namespace tarn::inline TARN_ABI::testing {

// The `number`-th of these processes, from 0.
[[nodiscard]] inline std::size_t nth_process(std::uint64_t bits, std::size_t number) noexcept {
  for (; number > 0; --number) bits &= bits - 1;
  return first_process(bits);
}

// Each that can go on is as likely to be next.
class random_walk {
 public:
  explicit random_walk(std::uint64_t seed) noexcept : random_(seed) {}
  [[nodiscard]] bool begin() const noexcept { return true; }
  [[nodiscard]] std::size_t next(const explored_run& run) noexcept {
    const std::uint64_t enabled = run.enabled();
    return nth_process(enabled, random_.below(static_cast<std::size_t>(std::popcount(enabled))));
  }
  void end(const explored_run&) const noexcept {}

 private:
  random_source random_;
};

// Each process has a random priority, the highest goes first, and at depth - 1 random moments the one that is to go on
// becomes the lowest (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic
// guarantees of finding bugs", 2010). Finds a bug that needs `depth` ordered steps in n processes of k steps in all
// with probability at least 1 / (n k^(depth - 1)).
class priority_walk {
 public:
  priority_walk(std::uint64_t seed, std::size_t depth) noexcept : random_(seed), depth_(depth) {}

  [[nodiscard]] bool begin() {
    priorities_.clear();
    for (std::size_t process = 0; process < processes_max; ++process) priorities_.push_back(random_.next() | first_bit);
    changes_.clear();
    for (std::size_t change = 1; change < depth_; ++change) changes_.push_back(random_.below(longest_));
    return true;
  }
  [[nodiscard]] std::size_t next(const explored_run& run) noexcept {
    const std::uint64_t enabled = run.enabled();
    for (std::size_t change = 0; change < changes_.size(); ++change)
      if (changes_[change] == run.steps().size()) priorities_[highest(enabled)] = changes_.size() - change;
    return highest(enabled);
  }
  void end(const explored_run& run) noexcept { longest_ = std::max(longest_, run.steps().size()); }

 private:
  // Of first priorities, so that all later ones are lower.
  static constexpr std::uint64_t first_bit = std::uint64_t{1} << 63;

  [[nodiscard]] std::size_t highest(std::uint64_t enabled) const noexcept {
    std::size_t found = first_process(enabled);
    for (std::uint64_t left = enabled; left != 0; left &= left - 1)
      if (priorities_[first_process(left)] > priorities_[found]) found = first_process(left);
    return found;
  }

  random_source random_;
  std::size_t depth_;
  std::size_t longest_ = 1;  // run so far, in steps
  std::vector<std::uint64_t> priorities_;
  std::vector<std::size_t> changes_;
};

// One run, in which each byte says who is next: for fuzzers. Where they end, so do switches.
class byte_walk {
 public:
  explicit byte_walk(std::string_view choices) noexcept : choices_(choices) {}
  [[nodiscard]] bool begin() noexcept { return !std::exchange(begun_, true); }
  [[nodiscard]] std::size_t next(const explored_run& run) noexcept {
    const std::uint64_t enabled = run.enabled();
    if (choices_.empty()) return same_or_first(run, enabled);
    const auto choice = static_cast<unsigned char>(choices_.front());
    choices_.remove_prefix(1);
    return nth_process(enabled, choice % static_cast<std::size_t>(std::popcount(enabled)));
  }
  void end(const explored_run&) const noexcept {}

 private:
  std::string_view choices_;
  bool begun_ = false;
};

// One run, by a schedule. What the schedule says and cannot be is skipped: then `fits` is false.
class replay_walk {
 public:
  explicit replay_walk(std::vector<schedule::block> blocks) : blocks_(std::move(blocks)) {}

  [[nodiscard]] bool begin() noexcept { return !std::exchange(begun_, true); }
  [[nodiscard]] std::size_t next(const explored_run& run) noexcept {
    const std::uint64_t enabled = run.enabled();
    for (; at_ < blocks_.size(); ++at_, taken_ = 0) {
      const schedule::block& block = blocks_[at_];
      if (block.steps != 0 && taken_ == block.steps) continue;
      if ((enabled >> block.process & 1U) != 0) {
        ++taken_;
        return block.process;
      }
      fits_ = fits_ && block.steps == 0 && taken_ > 0;
    }
    return same_or_first(run, enabled);
  }
  void end(const explored_run&) noexcept {
    for (; at_ < blocks_.size(); ++at_, taken_ = 0)
      fits_ = fits_ && taken_ > 0 && (blocks_[at_].steps == 0 || taken_ == blocks_[at_].steps);
  }
  [[nodiscard]] bool fits() const noexcept { return fits_; }

 private:
  std::vector<schedule::block> blocks_;
  std::size_t at_ = 0;     // block
  std::size_t taken_ = 0;  // steps of it
  bool begun_ = false;
  bool fits_ = true;
};

}  // namespace tarn::inline TARN_ABI::testing
