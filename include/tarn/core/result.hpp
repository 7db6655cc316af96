// What fallible calls return: a value or an error, in the vocabulary of std::expected (which C++20 does not have).
#pragma once

#include <new>
#include <type_traits>
#include <utility>

#include "config.hpp"
#include "error.hpp"

namespace tarn::inline TARN_ABI {

// A T, or why there is none. Using the value of an error fails loudly (see `fail`), never silently.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result(T value) : has_value_(true), value_(std::move(value)) {}
  result(tarn::error why) : has_value_(false), why_(std::move(why)) {}

  result(const result& other) : has_value_(other.has_value_) {
    if (has_value_)
      new (&value_) T(other.value_);
    else
      new (&why_) tarn::error(other.why_);
  }
  result(result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_)
      new (&value_) T(std::move(other.value_));
    else
      new (&why_) tarn::error(std::move(other.why_));
  }
  result& operator=(result other) noexcept {
    this->~result();
    return *new (this) result(std::move(other));
  }
  ~result() {
    if (has_value_)
      value_.~T();
    else
      why_.~error();
  }

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }

  // Without a check: the caller has asked `has_value()`.
  [[nodiscard]] T& operator*() & noexcept { return value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return value_; }
  [[nodiscard]] T operator*() && { return std::move(value_); }
  [[nodiscard]] T* operator->() noexcept { return &value_; }
  [[nodiscard]] const T* operator->() const noexcept { return &value_; }

  // With a check. On a temporary it returns the T itself, so that `for (auto row : f().value())` is safe.
  T& value() & { return has_value_ ? value_ : (fail(why_), value_); }
  const T& value() const& {  // NOLINT(modernize-use-nodiscard): may be called for the check alone
    return has_value_ ? value_ : (fail(why_), value_);
  }
  T value() && {
    if (!has_value_) fail(why_);
    return std::move(value_);
  }
  [[nodiscard]] T value_or(T otherwise) const& { return has_value_ ? value_ : std::move(otherwise); }

  // Only when there is no value.
  [[nodiscard]] const tarn::error& error() const noexcept { return why_; }

 private:
  bool has_value_;
  union {
    T value_;
    tarn::error why_;
  };
};

// Success, or why not. Success costs one null pointer.
template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;

  result() noexcept = default;
  result(tarn::error why) noexcept : why_(std::move(why)) {}

  [[nodiscard]] bool has_value() const noexcept { return !why_.detail_; }
  [[nodiscard]] explicit operator bool() const noexcept { return has_value(); }
  void value() const {
    if (!has_value()) fail(why_);
  }
  // Only when it failed.
  [[nodiscard]] const tarn::error& error() const noexcept { return why_; }

 private:
  tarn::error why_;
};

using status = result<void>;

}  // namespace tarn::inline TARN_ABI
