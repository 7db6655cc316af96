// Fuzz targets: each is one function from any bytes to "nothing was wrong". The same function is driven by libFuzzer
// (main.cpp, with clang), which looks for bytes that lead to code it has not seen, and by the test suite
// (corpus_test.cpp, with any compiler), which runs all bytes that are kept in corpus/<name>/.
//
// A body ends the program if a property does not hold: a fuzzer takes that for a crash and keeps the bytes.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tarn_test::fuzz {

struct target {
  const char* name;  // of its corpus and its dictionary
  int (*run)(const unsigned char* bytes, std::size_t size);
  // Makes checksums and lengths fit the bytes again, as far as they are still of the target's shape: without it hardly
  // any changed bytes would get further than the check of the checksum. Null: there are none.
  void (*mend)(std::string& bytes);
};

namespace targets {
extern const target entry;
extern const target checkpoint;
extern const target json;
extern const target data_object;
extern const target columnar;
extern const target delta;
extern const target row_set;
extern const target operations;
extern const target tool_input;  // of the lake tool: only where that is built
extern const target tree;
}  // namespace targets

[[nodiscard]] inline std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// A property of the code under test. The bytes that break it are the fuzzer's, or the test's, to tell.
inline void expect(bool holds, std::string_view property, std::string_view particulars = {}) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: it does not hold that %.*s: %.*s\n", static_cast<int>(property.size()), property.data(),
               static_cast<int>(particulars.size()), particulars.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace tarn_test::fuzz
