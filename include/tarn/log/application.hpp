// Idempotent writes: an application numbers its transactions, and a lake takes each number once. Work whose outcome was
// not learned (a lost answer, a crash) is then simply done again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/utf8.hpp"

namespace tarn::inline TARN_ABI {

// Which work a transaction is. Of each application the numbers must grow; they may leave some out.
struct application_sequence {
  std::string application;    // 1 to 128 bytes of UTF-8; empty: it is no numbered work
  std::int64_t sequence = 0;  // not negative
};

// The last work of an application that was committed.
struct committed_sequence {
  application_sequence work;
  version at;
};

template <class = void>
[[nodiscard]] status check_application_sequence(const application_sequence& work) {
  constexpr std::size_t application_size_max = 128;
  if (find_invalid_utf8(work.application) != work.application.size())
    return error(errc::invalid_argument, "an application's name must be UTF-8");
  if (work.application.empty() || work.application.size() > application_size_max)
    return error(errc::invalid_argument, concat({"an application's name has 1 to ", application_size_max,
                                                 " bytes of UTF-8, this one has ", work.application.size()}));
  if (work.sequence < 0) return error(errc::invalid_argument, concat({"the sequence ", work.sequence, " is negative"}));
  return {};
}

// Whether that is the same work, or later work of the same application.
template <class = void>
[[nodiscard]] bool has_reached(const application_sequence& committed, const application_sequence& work) noexcept {
  return !work.application.empty() && committed.application == work.application && committed.sequence >= work.sequence;
}

// Why work cannot be committed once later work of its application has been.
template <class = void>
[[nodiscard]] error stale_sequence(const application_sequence& work, const committed_sequence& later) {
  return {errc::stale_sequence,
          concat({"application '", work.application, "' has committed sequence ", later.work.sequence, " as version ",
                  later.at.number, ": ", work.sequence, " was committed before that, or left out"})};
}

// The last work of each application. Kept in the state for good, and copied by each numbered commit: an application is
// a program with a task, not a run of it.
class committed_sequences {
 public:
  [[nodiscard]] const committed_sequence* begin() const noexcept { return all_.begin(); }
  [[nodiscard]] const committed_sequence* end() const noexcept { return all_.end(); }

  // Null if there is none of this application.
  template <class = void>
  [[nodiscard]] const committed_sequence* find(std::string_view application) const noexcept {
    const std::size_t at = place_of(application);
    return at < all_.size() && all_[at].work.application == application ? &all_[at] : nullptr;
  }
  template <class = void>
  void set(const application_sequence& work, version at) {
    const std::size_t place = place_of(work.application);
    if (place < all_.size() && all_[place].work.application == work.application)
      all_[place] = {work, at};
    else
      all_.insert(place, {work, at});
  }

 private:
  template <class = void>
  [[nodiscard]] std::size_t place_of(std::string_view application) const noexcept {
    return lower_bound(all_.begin(), all_.size(),
                       [&](const committed_sequence& each) { return each.work.application.compare(application) < 0; });
  }

  sequence<committed_sequence> all_;  // by application
};

}  // namespace tarn::inline TARN_ABI
