// Being an ordinary user for a while: root may read and write everything, so rights cannot be tested as root.
#pragma once

#include <unistd.h>

namespace tarn_test {

// Not for tests with other threads: it is the whole process that changes.
class unprivileged {
 public:
  unprivileged() : before_(::geteuid()) {
    if (before_ == 0) changed_ = ::seteuid(65'534) == 0;
  }
  unprivileged(const unprivileged&) = delete;
  unprivileged& operator=(const unprivileged&) = delete;
  ~unprivileged() {
    if (changed_) (void)!::seteuid(before_);
  }

  // False if this process is root and cannot be anybody else.
  [[nodiscard]] bool holds() const noexcept { return before_ != 0 || changed_; }

 private:
  uid_t before_;
  bool changed_ = false;
};

}  // namespace tarn_test
