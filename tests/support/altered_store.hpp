// A store in memory in which some objects are not what was put, or are gone. What is put into it is forgotten.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tarn/core/error.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/store/store.hpp>
#include <utility>

namespace tarn_test {

// By name. Without bytes: gone.
using alterations = std::map<std::string, std::optional<std::string>, std::less<>>;

class altered_store {
 public:
  using handle = tarn::memory_store::handle;

  altered_store(tarn::memory_store whole, alterations altered)
      : whole_(std::move(whole)), altered_(std::move(altered)) {}

  [[nodiscard]] tarn::put_result put_if_absent(std::string_view, std::string_view) {
    return tarn::put_result::created();
  }
  [[nodiscard]] tarn::result<handle> get(std::string_view name) {
    const auto altered = altered_.find(name);
    if (altered == altered_.end()) return whole_.get(name);
    if (altered->second) return handle(std::string_view(*altered->second));
    return tarn::error(tarn::errc::not_found, "gone");
  }
  template <class Visit>
  [[nodiscard]] tarn::status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    return whole_.list(prefix, start_after, [&](std::string_view name) {
      const auto altered = altered_.find(name);
      if (altered == altered_.end() || altered->second) visit(name);
    });
  }

 private:
  tarn::memory_store whole_;
  alterations altered_;
};

}  // namespace tarn_test
