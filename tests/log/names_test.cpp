#include <doctest/doctest.h>

#include <string>
#include <tarn/log/names.hpp>

using namespace tarn;

TEST_CASE("an entry's name has twenty digits and reads back as its version") {
  CHECK(entry_name({0}) == "_log_00000000000000000000");
  CHECK(entry_name({INT64_MAX}) == "_log_09223372036854775807");
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1234567890123}, INT64_MAX - 9}) {
    version read;
    CHECK(parse_entry_name(entry_name({number}), read));
    CHECK(read.number == number);
  }
}

TEST_CASE("A12: only exact names are entries") {
  version read{5};
  for (const char* stranger :
       {"_log_", "_log_5", "_log_backup~", "_log_0000000000000000000", "_log_000000000000000000000",
        "_log_0000000000000000000x", "_log_-0000000000000000001", "_log_99999999999999999999",
        "_Log_00000000000000000000", "x_log_00000000000000000000", ""}) {
    CAPTURE(stranger);
    CHECK_FALSE(parse_entry_name(stranger, read));
  }
  CHECK(read.number == 5);
}

TEST_CASE("an object's name holds its table, which may have underscores, and its id") {
  uuid id;
  REQUIRE(parse_uuid("ed1e6a73-74f1-4c17-bef9-d54470f5f09b", id));
  const std::string name = object_name("a_b_", id);
  CHECK(name == "_table_a_b__ed1e6a73-74f1-4c17-bef9-d54470f5f09b");
  std::string_view table;
  uuid read;
  CHECK(parse_object_name(name, table, read));
  CHECK(table == "a_b_");
  CHECK(read == id);
  for (const char* stranger :
       {"_table_x_ED1E6A73-74f1-4c17-bef9-d54470f5f09b", "_table_ed1e6a73-74f1-4c17-bef9-d54470f5f09b",
        "_table_xxed1e6a73-74f1-4c17-bef9-d54470f5f09b", "ed1e6a73-74f1-4c17-bef9-d54470f5f09b"}) {
    CAPTURE(stranger);
    CHECK_FALSE(parse_object_name(stranger, table, read));
  }
}

TEST_CASE("A10: table names that no file system could hold are refused, with what to use instead") {
  const std::string too_long(129, 'x');
  const std::string with_nul("a\0b", 3);
  for (const std::string& bad :
       {std::string("../../evil"), std::string("a/b"), std::string(), std::string("\xff"), std::string(".hidden"),
        std::string("a b"), std::string("caf\xc3\xa9"), too_long, with_nul}) {
    CAPTURE(bad);
    const status refused = check_table_name(bad);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::invalid_name);
    CHECK(refused.error().message().find("use 1 to 128") != std::string::npos);
  }
  for (const char* good : {"x", "a_b", "A-1.z", "_", "-", "0"}) CHECK(check_table_name(good).has_value());
  CHECK(check_table_name(std::string(128, 'x')).has_value());
}

TEST_CASE("names are compared ignoring the case of ASCII letters") {
  CHECK(compare_ignoring_case("Cities", "cITIES") == 0);
  CHECK(compare_ignoring_case("a", "B") < 0);
  CHECK(compare_ignoring_case("ab", "A") > 0);
  CHECK(compare_ignoring_case("Z", "_") > 0);  // as 'z'
}
