// Every input that is kept in corpus/ runs through its target, with whatever compiler and sanitizer the tests are
// built: what fuzzing has found once stays found.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/store/memory_store.hpp>
#include <vector>

#include "store_text.hpp"
#include "target.hpp"

namespace {

using namespace tarn_test;

namespace fs = std::filesystem;

[[nodiscard]] fs::path folder_of(const fuzz::target& of) {
  return fs::path(TARN_TEST_FIXTURES) / "../fuzz/corpus" / of.name;
}

// In order of name: tests fail in the same way each time.
[[nodiscard]] std::vector<fs::path> corpus_of(const fuzz::target& of) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& each : fs::directory_iterator(folder_of(of))) files.push_back(each.path());
  std::sort(files.begin(), files.end());
  return files;
}

[[nodiscard]] std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void run(const fuzz::target& target, const std::string& bytes) {
  CHECK(target.run(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 0);
}

// Each file as it is, and as a fuzzer would run it next: made whole again. A body that finds something ends the
// program; doctest says in which file.
void replay(const fuzz::target& target) {
  const std::vector<fs::path> files = corpus_of(target);
  REQUIRE(files.size() >= 5);
  for (const fs::path& each : files) {
    INFO(each.string());
    std::string bytes = bytes_of(each);
    run(target, bytes);
    if (target.mend == nullptr) continue;
    target.mend(bytes);
    run(target, bytes);
  }
  run(target, "");
  MESSAGE(files.size(), " inputs of ", std::string(target.name));
}

[[nodiscard]] bool is_sound(const fuzz::store_content& content) {
  tarn::memory_store store;
  for (const auto& [name, bytes] : content)
    REQUIRE(store.put_if_absent(name, bytes).outcome() == tarn::put_outcome::created);
  tarn::client lake{store};
  return tarn::check(lake).value().sound();
}

}  // namespace

TEST_CASE("A13: the corpus of entries") { replay(fuzz::targets::entry); }
TEST_CASE("A13: the corpus of checkpoints and markers") { replay(fuzz::targets::checkpoint); }
TEST_CASE("A13: the corpus of JSON texts") { replay(fuzz::targets::json); }
TEST_CASE("A13: the corpus of data objects") { replay(fuzz::targets::data_object); }
TEST_CASE("A13: the corpus of columnar objects") { replay(fuzz::targets::columnar); }
TEST_CASE("A13: the corpus of buckets, merged by each strategy") { replay(fuzz::targets::delta); }
TEST_CASE("A13: the corpus of sets of rows") { replay(fuzz::targets::row_set); }
TEST_CASE("The corpus of simulated runs") { replay(fuzz::targets::operations); }
TEST_CASE("A13: the corpus of whole stores") { replay(fuzz::targets::tree); }

TEST_CASE("What was changed is made whole again: a lake with another row is sound once it is mended") {
  std::string text = bytes_of(folder_of(fuzz::targets::tree) / "keyed");
  const std::size_t row = text.find("\"three\"");
  REQUIRE(row != std::string::npos);
  text.replace(row, 7, "\"another\"");
  fuzz::store_content content = fuzz::read_store_text(text);
  CHECK_FALSE(is_sound(content));
  fuzz::mend_store(content);
  CHECK(is_sound(content));
}
