#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tarn/core/text_prefix.hpp>

#include "../support/random_source.hpp"

using namespace tarn;

TEST_CASE("A prefix is the first eight bytes as a number") {
  CHECK(prefix_of("") == 0);
  CHECK(prefix_of("a") == 0x6100'0000'0000'0000U);
  CHECK(prefix_of("\xff\x01") == 0xff01'0000'0000'0000U);
  CHECK(prefix_of("12345678") == 0x3132'3334'3536'3738U);
  CHECK(prefix_of("12345678x") == 0x3132'3334'3536'3738U);
}

TEST_CASE("The eight bytes of a prefix have it") {
  char stored[8];
  store_prefix(stored, 0x3132'3334'3536'37ffU);
  CHECK(std::string_view(stored, 8) == "1234567\xff");
  CHECK(prefix_of({stored, 8}) == 0x3132'3334'3536'37ffU);
}

TEST_CASE("A text with a smaller prefix is the lesser") {
  tarn_test::random_source random(tarn_test::seed_of_this_run());
  CAPTURE(tarn_test::seed_of_this_run());
  const auto text = [&] {
    std::string made(random.below(11), 'x');
    for (char& each : made) each = "\0\x01x\x7f\x80\xff"[random.below(6)];
    return made;
  };
  for (int count = 0; count < 20'000; ++count) {
    const std::string a = text();
    const std::string b = text();
    if (prefix_of(a) < prefix_of(b)) REQUIRE(a < b);
    if (prefix_of(a) == prefix_of(b)) REQUIRE((a.size() < 8 || b.size() < 8 || a.substr(0, 8) == b.substr(0, 8)));
  }
}
