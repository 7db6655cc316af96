#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <tarn/core/crc32c.hpp>

using namespace tarn;

namespace {

// One bit at a time: the definition.
[[nodiscard]] std::uint32_t reference_crc32c(std::string_view bytes) {
  std::uint32_t rest = 0xffff'ffffU;
  for (const char byte : bytes) {
    rest ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1U) != 0 ? rest >> 1 ^ 0x82f6'3b78U : rest >> 1;
  }
  return ~rest;
}

[[nodiscard]] std::string example(std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(bytes.size() * 37 + bytes.size() / 5);
  return bytes;
}

}  // namespace

TEST_CASE("CRC-32C has the values of RFC 3720, appendix B.4") {
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aaU);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43U);
  std::string ascending;
  std::string descending;
  for (int byte = 0; byte < 32; ++byte) {
    ascending += static_cast<char>(byte);
    descending += static_cast<char>(31 - byte);
  }
  CHECK(crc32c(ascending) == 0x46dd794eU);
  CHECK(crc32c(descending) == 0x113fdb5cU);
  std::string command(48, '\0');  // an iSCSI read
  command.replace(0, 2, "\x01\xc0");
  command[16] = '\x14';
  command[22] = '\x04';
  command[27] = '\x14';
  command[31] = '\x18';
  command[32] = '\x28';
  command[40] = '\x02';
  CHECK(crc32c(command) == 0xd9963a56U);
  CHECK(crc32c("123456789") == 0xe3069283U);
}

TEST_CASE("CRC-32C is the same by tables, by instruction and bit by bit, for all sizes and addresses") {
  const std::string bytes = example(300);
  for (std::size_t first = 0; first < 9; ++first)
    for (std::size_t size = 0; size + first <= bytes.size(); ++size) {
      const std::string_view some = std::string_view(bytes).substr(first, size);
      const std::uint32_t expected = reference_crc32c(some);
      REQUIRE(crc32c(some) == expected);
      REQUIRE(~crc32c_detail::add_by_tables(some, ~0U) == expected);
    }
}

TEST_CASE("CRC-32C of long texts, which is made of those of their parts, is what it is bit by bit") {
  const std::string bytes = example(3 * 3 * crc32c_detail::stream_bytes + 100);
  for (std::size_t streams = 3; streams <= 9; streams += 3)
    for (std::size_t size = streams * crc32c_detail::stream_bytes - 9; size < streams * crc32c_detail::stream_bytes + 9;
         ++size) {
      const std::string_view some = std::string_view(bytes).substr(1, size);
      REQUIRE(crc32c(some) == reference_crc32c(some));
      REQUIRE(crc32c(some.substr(5), crc32c(some.substr(0, 5))) == reference_crc32c(some));
    }
}

TEST_CASE("CRC-32C of a text is the same however the text is split") {
  const std::string bytes = example(100);
  const std::uint32_t whole = crc32c(bytes);
  for (std::size_t split = 0; split <= bytes.size(); ++split)
    REQUIRE(crc32c(std::string_view(bytes).substr(split), crc32c(std::string_view(bytes).substr(0, split))) == whole);
}

TEST_CASE("CRC-32C changes with every single bit") {
  std::string bytes = example(100);
  const std::uint32_t before = crc32c(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char kept = bytes[bit / 8];
    bytes[bit / 8] = static_cast<char>(kept ^ (1 << bit % 8));
    REQUIRE(crc32c(bytes) != before);
    bytes[bit / 8] = kept;
  }
}
