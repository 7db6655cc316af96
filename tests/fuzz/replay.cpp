// Runs the target that TARN_FUZZ_TARGET names over files, without libFuzzer: for a target that the test suite does not
// have.
//
//   replay FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "target.hpp"

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", arguments[0]), 2;
  int files = 0;
  for (const auto& each : std::filesystem::directory_iterator(arguments[1])) {
    std::fprintf(stderr, "%s\n", each.path().c_str());  // the last one, if the target ends the program
    std::ifstream in(each.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    (void)tarn_test::fuzz::targets::TARN_FUZZ_TARGET.run(reinterpret_cast<const unsigned char*>(bytes.data()),
                                                         bytes.size());
    ++files;
  }
  std::printf("%d inputs of %s\n", files, tarn_test::fuzz::targets::TARN_FUZZ_TARGET.name);
  return files > 0 ? 0 : 1;
}
