#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tarn/codec/json_number.hpp>

#include "../support/random_source.hpp"

using namespace tarn;

namespace {

[[nodiscard]] value_view scan(const std::string& text, wide_integers wide = wide_integers::are_errors) {
  json_input input(text);
  value_view number;
  const bool scanned = scan_json_number(input, wide, number);
  CAPTURE(text);
  CHECK(scanned);
  CHECK(input.at == input.end);
  return number;
}

// Why it is refused; empty if it is not.
[[nodiscard]] std::string refusal(const std::string& text, wide_integers wide = wide_integers::are_errors) {
  json_input input(text);
  value_view number;
  if (scan_json_number(input, wide, number)) return "";
  CHECK(input.failure.error().code() == errc::invalid_argument);
  return input.failure.error().message();
}

[[nodiscard]] std::string written(double number) {
  std::string text;
  append_json_double(text, number);
  return text;
}

// What the C library makes of it: correctly rounded in glibc, and by other means than ours.
[[nodiscard]] double by_strtod(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

}  // namespace

TEST_CASE("A8: integers are exact up to both ends of 64 bits") {
  CHECK(scan("0") == value_view(0));
  CHECK(scan("-1") == value_view(-1));
  CHECK(scan("9007199254740993") == value_view(9'007'199'254'740'993));
  CHECK(scan("9223372036854775807") == value_view(INT64_MAX));
  CHECK(scan("-9223372036854775808") == value_view(INT64_MIN));
  std::int64_t number = 0;
  for (int digit = 1; digit <= 18; ++digit) {  // each number of digits takes its own way through the scanner
    number = 10 * number + digit % 10;
    CHECK(scan(std::to_string(number)) == value_view(number));
    CHECK(scan(std::to_string(-number)) == value_view(-number));
  }
}

TEST_CASE("An integer beyond 64 bits is an error, or the nearest double where that is asked for") {
  for (const std::string text : {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
                                 "99999999999999999999", "123456789012345678901234567890"}) {
    CAPTURE(text);
    CHECK(refusal(text).find("byte 0: the integer needs more than 64 bits") == 0);
    CHECK(scan(text, wide_integers::are_doubles) == value_view(by_strtod(text)));
  }
  const std::string digits(400, '7');
  CHECK(refusal(digits).find("64 bits") != std::string::npos);
  CHECK(refusal(digits, wide_integers::are_doubles) == "byte 0: the number is beyond the largest double");
  CHECK(scan("9223372036854775807", wide_integers::are_doubles) == value_view(INT64_MAX));
}

TEST_CASE("A minus sign before zero is kept, in a double") {
  CHECK(scan("-0") == value_view(-0.0));
  CHECK(scan("-0.0") == value_view(-0.0));
  CHECK(scan("-0e5") == value_view(-0.0));
  CHECK(scan("0.0") == value_view(0.0));
  CHECK(scan("-1e-400") == value_view(-0.0));
}

TEST_CASE("A point or an exponent makes a double, correctly rounded") {
  for (const std::string text : {"1.0",
                                 "1e0",
                                 "1E+2",
                                 "0.1",
                                 "1e22",
                                 "1e23",
                                 "9007199254740993.0",
                                 "9007199254740992.5",
                                 "123456789.123456789",
                                 "1.7976931348623157e308",
                                 "1.7976931348623158e308",
                                 "2.2250738585072011e-308",
                                 "2.2250738585072014e-308",
                                 "5e-324",
                                 "4.9406564584124654e-324",
                                 "2.4703282292062328e-324",
                                 "2.4703282292062327e-324",
                                 "1e-323",
                                 "1e-324",
                                 "1e-400",
                                 "0.000000000000000000000000000000000000000000000001",
                                 "1000000000000000000000000000000000000e-36",
                                 "8.5e22",
                                 "9007199254740991e22",
                                 "9007199254740993e-22",
                                 "0e400",
                                 "0.0e999999999999999999999"}) {
    CAPTURE(text);
    CHECK(scan(text) == value_view(by_strtod(text)));
    CHECK(scan("-" + text) == value_view(-by_strtod(text)));
  }
}

TEST_CASE("C18: a number with 400 digits is right, or refused when it is beyond the largest double") {
  const std::string digits(400, '3');
  CHECK(scan("0." + digits) == value_view(1.0 / 3));
  CHECK(scan(digits + "e-400") == value_view(1.0 / 3));
  CHECK(scan(digits + "e-200") == value_view(by_strtod(digits + "e-200")));
  CHECK(refusal(digits + ".0") == "byte 0: the number is beyond the largest double");
  const std::string zeros(400, '0');
  CHECK(scan("1" + zeros + "e-400") == value_view(1.0));
  CHECK(scan("0." + zeros + "1e401") == value_view(1.0));
  CHECK(scan("0." + zeros + "1") == value_view(0.0));
  CHECK(scan("1e-" + zeros + "1") == value_view(0.1));
  CHECK(scan("1e" + zeros) == value_view(1.0));
  CHECK(scan("1e-" + digits) == value_view(0.0));
  for (const std::string text : {"1e309", "1.7976931348623159e308", "1e999999999999999999999999", "0.1e310"}) {
    CHECK(refusal(text) == "byte 0: the number is beyond the largest double");
    CHECK(refusal("-" + text) == "byte 0: the number is beyond the largest double");
  }
}

TEST_CASE("What is no number of JSON is refused where it goes wrong") {
  CHECK(refusal("-") == "byte 1: expected a digit, found the end of the text");
  CHECK(refusal("-x") == "byte 1: expected a digit, found 'x'");
  CHECK(refusal("-.5") == "byte 1: expected a digit, found '.'");
  CHECK(refusal("1.") == "byte 2: expected a digit after the point, found the end of the text");
  CHECK(refusal("1.e5") == "byte 2: expected a digit after the point, found 'e'");
  CHECK(refusal("1e") == "byte 2: expected a digit of the exponent, found the end of the text");
  CHECK(refusal("1e+") == "byte 3: expected a digit of the exponent, found the end of the text");
  CHECK(refusal("1e-x") == "byte 3: expected a digit of the exponent, found 'x'");
  CHECK(refusal("1e++1") == "byte 3: expected a digit of the exponent, found '+'");
  for (const char* text : {"00", "01", "-01", "-00", "0123456789012345678901", "00.5", "-00e1"})
    CHECK(refusal(text) == "byte 0: a number has no leading zeros");
}

TEST_CASE("Whatever is not a digit ends a number, at every place of an eight-byte word") {
  for (std::size_t digits = 1; digits <= 17; ++digits)
    for (int c = 0; c < 256; ++c) {
      if (std::string_view("0123456789.eE").find(static_cast<char>(c)) != std::string_view::npos) continue;
      const std::string number = std::string("98765432101234567").substr(0, digits);
      const std::string text = number + static_cast<char>(c) + "12345678";
      json_input input(text);
      value_view scanned;
      REQUIRE(scan_json_number(input, wide_integers::are_errors, scanned));
      REQUIRE(input.at - input.begin == static_cast<std::ptrdiff_t>(digits));
      REQUIRE(scanned == value_view(static_cast<std::int64_t>(std::strtoll(number.c_str(), nullptr, 10))));
    }
}

TEST_CASE("Random decimals become the double that the C library finds") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  for (int round = 0; round < 50'000; ++round) {
    std::string text = std::to_string(random.next() >> random.below(64));
    if (random.chance(70)) text.insert(1 + random.below(text.size()), ".");
    if (text.back() == '.') text += '0';
    text += "e" + std::to_string(static_cast<int>(random.below(60)) - 30);
    CAPTURE(text);
    REQUIRE(scan(text) == value_view(by_strtod(text)));
  }
}

TEST_CASE("A double is written so that it reads back as itself, with a point or an exponent") {
  CHECK(written(1.0) == "1.0");
  CHECK(written(-0.0) == "-0.0");
  CHECK(written(0.0) == "0.0");
  CHECK(written(0.1) == "0.1");
  CHECK(written(-2.5) == "-2.5");
  CHECK(written(100'000.0) == "100000.0");
  CHECK(written(999'999'999'999'999.0) == "999999999999999.0");
  CHECK(written(1e15) == "1e+15");
  CHECK(written(1'234'567'890'123'456.0) == "1.234567890123456e+15");
  CHECK(written(1'234'567'890'123'456.5) == "1.2345678901234565e+15");
  CHECK(written(-123'456'789'012'345'683'968.0) == "-1.2345678901234568e+20");
  CHECK(written(1e300) == "1e+300");
  CHECK(written(1e-7) == "1e-07");
  CHECK(written(5e-324) == "5e-324");
  CHECK(written(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(written(0.30000000000000004) == "0.30000000000000004");
}

TEST_CASE("Random doubles of all magnitudes are written with at most 24 characters and read back bit for bit") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  for (int round = 0; round < 50'000; ++round) {
    auto number = std::bit_cast<double>(random.next());
    if (random.chance(30)) number = static_cast<double>(static_cast<std::int64_t>(random.next()) >> random.below(64));
    if (!is_finite(number)) continue;
    const std::string text = written(number);
    CAPTURE(text);
    REQUIRE(text.size() <= 24);
    REQUIRE(text.find_first_of(".e") != std::string::npos);
    REQUIRE(scan(text) == value_view(number));
  }
}

TEST_CASE("Infinities and NaNs are told from finite doubles by their bits") {
  for (const std::uint64_t bits : {0x7ff0'0000'0000'0000U, 0xfff0'0000'0000'0000U, 0x7ff8'0000'0000'0000U,
                                   0x7fff'ffff'ffff'ffffU, 0xfff8'0000'0000'0001U})
    CHECK_FALSE(is_finite(std::bit_cast<double>(bits)));
  for (const double number : {0.0, -0.0, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308})
    CHECK(is_finite(number));
}

TEST_CASE("A double is written as the standard library writes the shortest, whichever way is taken") {
  const auto by_standard = [](double number) {
    char digits[64];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  };
  tarn_test::random_source random(tarn_test::seed_of_this_run());
  const auto check = [&](double number) {
    const std::string text = written(number);
    REQUIRE(by_strtod(text) == number);
    // Whole numbers are written in full below 1e15, and with an exponent from there on.
    if (std::abs(number) < 1e15 && number != std::trunc(number)) REQUIRE(text == by_standard(number));
  };
  constexpr double scales[] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  for (int run = 0; run < 40'000; ++run) {
    const double sign = random.below(2) == 0 ? 1 : -1;
    const double decimal = static_cast<double>(random.next() >> (11 + random.below(50))) / scales[random.below(9)];
    if (decimal >= 1e15) continue;
    check(sign * decimal);
    check(sign * std::nextafter(decimal, 1e300));  // what is next to a short decimal is a long one
    check(sign * std::nextafter(decimal, 0));
  }
  for (const double edge : {4'503'599'627.0, 0.001, 1e-6, 1e15, 4'503'599'626.999'999})
    for (const double number : {edge, std::nextafter(edge, 0), std::nextafter(edge, 1e300), edge + 0.000'001})
      check(number);
}
