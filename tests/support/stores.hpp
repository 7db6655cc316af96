// The stores that tests run over: each type makes empty stores, and opens the same one again as another process would.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tarn/store/file_store.hpp>
#include <tarn/store/memory_store.hpp>
#include <vector>

#include "temporary_folder.hpp"

namespace tarn_test {

class in_memory {
 public:
  using store = tarn::memory_store;
  [[nodiscard]] store open() const { return content_; }  // copies share one content

 private:
  store content_;
};

class in_files {
 public:
  using store = tarn::file_store<>;
  [[nodiscard]] store open() const {
    tarn::file_store_options options;
    options.durability = tarn::durability::none;  // what is tested here does not depend on it
    return store(folder_.path().string(), options);
  }

 private:
  temporary_folder folder_;
};

#define TARN_EACH_STORE tarn_test::in_memory, tarn_test::in_files

// The names in a store, sorted.
template <class Store>
std::vector<std::string> names_in(Store store, std::string_view prefix = "") {
  std::vector<std::string> names;
  REQUIRE(store.list(prefix, "", [&](std::string_view name) { names.emplace_back(name); }).has_value());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tarn_test
