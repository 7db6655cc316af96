// libFuzzer's two functions, for the target that TARN_FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>
#include <string>

#include "target.hpp"

namespace {

constexpr const tarn_test::fuzz::target& fuzzed = tarn_test::fuzz::targets::TARN_FUZZ_TARGET;

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t size_max);

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) { return fuzzed.run(bytes, size); }

// Mutated bytes, most of them made whole again. Others see to it that the checks of checksums are seen, too.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t size_max, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(bytes, size, size_max);
  if (fuzzed.mend == nullptr || seed % 8 == 0) return mutated;
  std::string mended(reinterpret_cast<const char*>(bytes), mutated);
  fuzzed.mend(mended);
  if (mended.size() > size_max) return mutated;
  mended.copy(reinterpret_cast<char*>(bytes), mended.size());
  return mended.size();
}

}  // extern "C"
