#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tarn/codec/base64.hpp>

using namespace tarn;

namespace {

[[nodiscard]] std::string encode(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

// "refused" if it is.
[[nodiscard]] std::string decode(std::string_view text) {
  std::string bytes(base64_bytes_max(text.size()), '\0');
  const char* const end = decode_base64(text, bytes.data());
  if (end == nullptr) return "refused";
  bytes.resize(static_cast<std::size_t>(end - bytes.data()));
  return bytes;
}

}  // namespace

TEST_CASE("Base64 has the values of RFC 4648, section 10") {
  const char* const pairs[][2] = {{"", ""},
                                  {"f", "Zg=="},
                                  {"fo", "Zm8="},
                                  {"foo", "Zm9v"},
                                  {"foob", "Zm9vYg=="},
                                  {"fooba", "Zm9vYmE="},
                                  {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    CHECK(encode(bytes) == text);
    CHECK(decode(text) == bytes);
  }
}

TEST_CASE("All bytes, at every place of a group, come back") {
  for (std::size_t before = 0; before < 3; ++before)
    for (int byte = 0; byte < 256; ++byte) {
      const std::string bytes = std::string(before, 'x') + static_cast<char>(byte) + "yz";
      for (std::size_t size = before + 1; size <= bytes.size(); ++size)
        REQUIRE(decode(encode(bytes.substr(0, size))) == bytes.substr(0, size));
    }
}

TEST_CASE("Of all texts of four characters, exactly the canonical ones are read: each stands for its own bytes") {
  const std::string some = "AQgw/+9=B\xff -_";
  std::set<std::string> seen;
  for (const char a : some)
    for (const char b : some)
      for (const char c : some)
        for (const char d : some) {
          const std::string text{a, b, c, d};
          const std::string bytes = decode(text);
          if (bytes == "refused") continue;
          REQUIRE(encode(bytes) == text);
          REQUIRE(seen.insert(bytes).second);
        }
  CHECK(seen.size() == 8 * 8 * 8 * 8 + 8 * 8 * 4 + 8 * 4);
}

TEST_CASE("What is not canonical base64 is refused") {
  for (const char* text : {"A", "AA", "AAA", "AAAAA", "AA=", "A===", "====", "=", "AA==AAAA", "AAA=AAAA",
                           "AB==", "AAB=", "AA==\n", "AA A", "AA-_", "A=A=", "=AAA"})
    CHECK(decode(text) == "refused");
}
