#include <doctest/doctest.h>

#include <string>
#include <tarn/core/uuid.hpp>

using namespace tarn;

TEST_CASE("An id is written as 36 characters and read back") {
  const uuid id{0x0190'a3f2'7c1e'7abcU, 0x8def'0123'4567'89abU};
  CHECK(to_text(id) == "0190a3f2-7c1e-7abc-8def-0123456789ab");
  uuid read;
  REQUIRE(parse_uuid(to_text(id), read));
  CHECK(read == id);
  CHECK(to_text(uuid{}) == "00000000-0000-0000-0000-000000000000");
  CHECK(uuid{}.is_nil());
  CHECK_FALSE(id.is_nil());
  CHECK_FALSE(uuid{0, 1}.is_nil());
  CHECK_FALSE(uuid{1, 0}.is_nil());
}

TEST_CASE("Every text that differs from an id in one character is another id or none") {
  const std::string text = "0190a3f2-7c1e-7abc-8def-0123456789ab";
  uuid id;
  REQUIRE(parse_uuid(text, id));
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int c = 0; c < 256; ++c) {
      std::string other = text;
      other[at] = static_cast<char>(c);
      if (other == text) continue;
      uuid read{1, 2};
      const bool dash = text[at] == '-';
      const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      REQUIRE(parse_uuid(other, read) == (digit && !dash));
      REQUIRE((read == uuid{1, 2}) == !(digit && !dash));
      if (digit && !dash) REQUIRE(to_text(read) == other);
    }
  for (const char* wrong : {"", "0190a3f2-7c1e-7abc-8def-0123456789a", "0190a3f2-7c1e-7abc-8def-0123456789abc",
                            "0190a3f27c1e7abc8def0123456789ab", "0190A3F2-7C1E-7ABC-8DEF-0123456789AB"})
    CHECK_FALSE(parse_uuid(wrong, id));
}

TEST_CASE("A new id is of version 7 and its variant, and carries its birth") {
  for (const std::uint64_t random : {0U, ~0U}) {
    for (const std::int64_t ms : {std::int64_t{0}, std::int64_t{1'700'000'000'123}, (std::int64_t{1} << 48) - 1}) {
      const uuid id = make_uuid({ms}, random, random);
      CHECK(to_text(id)[14] == '7');
      CHECK(std::string("89ab").find(to_text(id)[19]) != std::string::npos);
      CHECK(birth_of(id) == timestamp{ms});
    }
  }
  CHECK(make_uuid({5}, 1, 0) != make_uuid({5}, 0, 0));
  CHECK(make_uuid({5}, 0, 4) != make_uuid({5}, 0, 0));
  CHECK(make_uuid({5}, ~std::uint64_t{0}, ~std::uint64_t{0}) < make_uuid({6}, 0, 0));
}

TEST_CASE("An id of another version carries no birth") {
  uuid id;
  REQUIRE(parse_uuid("ed1e6a73-74f1-4c17-bef9-d54470f5f09b", id));  // version 4
  CHECK(birth_of(id) == timestamp{0});
}
