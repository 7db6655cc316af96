// Bytes with shared ownership: a handle for stores that keep objects in memory.
#pragma once

#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/shared.hpp"

namespace tarn::inline TARN_ABI {

// Immutable, cheap to copy; views of it stay valid as long as any copy lives. Thread-safe.
class shared_bytes {
 public:
  template <class = void>
  shared_bytes() : bytes_(shared<const std::string>::make()) {}
  template <class = void>
  explicit shared_bytes(std::string_view bytes) : bytes_(shared<const std::string>::make(bytes)) {}
  template <class = void>
  explicit shared_bytes(std::string&& bytes) : bytes_(shared<const std::string>::make(std::move(bytes))) {}

  operator std::string_view() const noexcept { return *bytes_; }  // NOLINT(google-explicit-constructor): its purpose

 private:
  shared<const std::string> bytes_;
};

}  // namespace tarn::inline TARN_ABI
