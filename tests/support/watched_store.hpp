// A folder and file stores in it whose system calls a test watches and disturbs.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <tarn/store/file_store.hpp>
#include <vector>

#include "faulty_system.hpp"
#include "temporary_folder.hpp"

namespace tarn_test {

class watched_folder {
 public:
  using store = tarn::file_store<faulty_system>;

  // `exists`: the folder is there; else the first put makes it.
  // `unnamed`: the file system can make files without a name.
  explicit watched_folder(bool exists = true, bool unnamed = false) : plan_(std::make_shared<system_plan>()) {
    plan_->has_unnamed_files = unnamed;
    if (exists) std::filesystem::create_directory(path());
  }

  [[nodiscard]] std::filesystem::path path() const { return parent_.path() / "lake"; }
  [[nodiscard]] system_plan& plan() const { return *plan_; }
  [[nodiscard]] store open(const tarn::file_store_options& options = tarn::file_store_options{}) const {
    return store(path().string(), options, faulty_system(plan_));
  }

  // The calls since the last time, one line each, and no faults any more.
  [[nodiscard]] std::vector<std::string> take_trace() const {
    const std::vector<std::string> trace = plan_->trace;
    plan_->forget_calls();
    return trace;
  }

 private:
  temporary_folder parent_;
  std::shared_ptr<system_plan> plan_;
};

// The two ways of a put, for tests that run in both: with the call that gives an object its name.
struct named_files {
  static constexpr bool unnamed = false;
  static constexpr const char* link = "link";
};
struct unnamed_files {
  static constexpr bool unnamed = true;
  static constexpr const char* link = "link_unnamed";
};

// There are no hard links, of whatever file.
[[nodiscard]] inline std::vector<fault> without_links(int error_number) {
  return {{0, error_number, fault::moment::before, true, "link"},
          {0, error_number, fault::moment::before, true, "link_unnamed"}};
}

// A call of this kind fails, the first of them or, for good, every one.
[[nodiscard]] inline fault failing(const std::string& kind, int error_number,
                                   fault::moment when = fault::moment::before) {
  return {0, error_number, when, false, kind};
}
[[nodiscard]] inline fault always_failing(const std::string& kind, int error_number) {
  return {0, error_number, fault::moment::before, true, kind};
}

}  // namespace tarn_test
