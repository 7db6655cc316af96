// Choices made of a fuzzer's bytes. When they are used up every choice is the first one, so that short inputs say short
// things.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tarn_test::fuzz {

class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] unsigned take() {
    if (bytes_.empty()) return 0;
    const auto taken = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return taken;
  }
  // 0 to `count` - 1.
  [[nodiscard]] unsigned pick(unsigned count) { return take() % count; }
  [[nodiscard]] bool chance() { return take() % 2 != 0; }

  // Every other byte of what is left, from the first or the second one on: two texts that grow at their ends.
  [[nodiscard]] std::string every_other(std::size_t first) const {
    std::string taken;
    for (std::size_t at = first; at < bytes_.size(); at += 2) taken.push_back(bytes_[at]);
    return taken;
  }

 private:
  std::string_view bytes_;
};

}  // namespace tarn_test::fuzz
