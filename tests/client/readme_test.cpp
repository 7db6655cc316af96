// What the README shows is what the library does: its FORMAT examples are the bytes of this lake, its program is
// examples/quickstart.cpp.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <tarn/vacuum.hpp>

#include "../support/stored_objects.hpp"
#include "../support/stores.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;

namespace {

std::string read_file(const std::string& name) {
  const std::string root = std::string(TARN_TEST_FIXTURES) + "/../../";
  std::ifstream file(root + name, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), name);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// The block of code in `text` that begins with `begin`.
std::string code_block(const std::string& text, std::string_view begin) {
  const std::size_t from = text.rfind("```", text.find(begin));
  const std::size_t first = text.find('\n', from) + 1;
  return text.substr(first, text.find("```", first) - first);
}

// Lines joined, without their indentation and what stands to the right of two spaces.
std::string unwrapped(const std::string& block) {
  std::istringstream lines(block);
  std::string joined;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    joined += line.substr(0, line.find("  "));
  }
  return joined;
}

}  // namespace

TEST_CASE("the README's FORMAT examples are what tarn writes") {
  tarn_test::test_environment hands;
  client_options options = tarn_test::with_stored_objects();
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  tx.create_table("x", {"a", {"b", column_type::integer, nullability::not_null}}).value();
  tx.insert("x", {{"Joey", 1}, {"Yue", 2}}).value();
  tx.commit().value();
  const std::string readme = read_file("README.md");
  const std::string entry{std::string_view(*lake.store().get(entry_name({0})))};
  CHECK(unwrapped(code_block(readme, "{\"Id\":0,")) == entry);
  const std::string name = tarn_test::names_in(lake.store(), "_table_").at(0);
  const std::string object{std::string_view(*lake.store().get(name))};
  CHECK(unwrapped(code_block(readme, "{\"Codec\":\"json\",\"Table\"")) == object);
  CHECK(readme.find(name) != std::string::npos);
}

TEST_CASE("the README's FORMAT examples of a lake that goes on are what tarn writes") {
  tarn_test::test_environment hands;
  client_options options = tarn_test::with_stored_objects();
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  tx.create_table("x", {"a", {"b", column_type::integer, nullability::not_null}}).value();
  tx.insert("x", {{"Joey", 1}, {"Yue", 2}}).value();
  tx.commit().value();
  auto changing = lake.begin().value();
  CHECK(changing.update_where("x", {{"a", equals, "Yue"}}, {{"b", 3}}).value() == 1);
  changing.commit().value();
  hands.clock.ms += 1'000;
  vacuum_options all;
  all.keep_ms = all.grace_ms = 0;
  (void)vacuum(lake, all).value();
  const std::string readme = read_file("README.md");
  const auto in_store = [&](const std::string& name) { return std::string(std::string_view(*lake.store().get(name))); };
  CHECK(in_store(entry_name({1})).find(unwrapped(code_block(readme, "{\"DeleteRows\""))) != std::string::npos);
  CHECK(in_store(entry_name({2})).find(unwrapped(code_block(readme, "\"Operation\":\"vacuum\""))) != std::string::npos);
  REQUIRE(truncate(lake).value() == version{1});
  CHECK(unwrapped(code_block(readme, "{\"Checkpoint\":1")) == in_store(checkpoint_name({2})));
  CHECK(unwrapped(code_block(readme, "{\"Truncation\":1")) == in_store(marker_name(0)));
}

TEST_CASE("the README's FORMAT examples of keyed tables are what tarn writes") {
  tarn_test::test_environment hands;
  client_options options = tarn_test::with_stored_objects();
  options.surroundings = hands.get();
  client lake{memory_store{}, options};
  auto tx = lake.begin().value();
  tx.create_table("u", {{"id", column_type::integer}, "name"}, keyed{{"id"}}).value();
  tx.upsert("u", {{2, "Yue"}, {1, "Joey"}}).value();
  tx.commit().value();
  auto changing = lake.begin().value();
  (void)changing.get("u", {1}).value();  // so that the client knows the base's keys
  changing.upsert("u", {{2, "Yu"}, {3, "Ada"}}).value();
  changing.erase("u", {1}).value();
  changing.commit().value();
  const std::string readme = read_file("README.md");
  for (const std::string& name : tarn_test::names_in(lake.store(), "_table_")) {
    const std::string id = name.substr(name.size() - 36);
    const std::string object{std::string_view(*lake.store().get(name))};
    CHECK(unwrapped(code_block(readme, "{\"Codec\":\"json\",\"Table\":\"u\",\"Name\":\"" + id)) == object);
  }
  const std::string entry{std::string_view(*lake.store().get(entry_name({1})))};
  CHECK(entry.find(unwrapped(code_block(readme, "{\"AddKeyedObject\""))) != std::string::npos);
}

TEST_CASE("the README's program is the quickstart example") {
  const std::string example = read_file("examples/quickstart.cpp");
  const std::string program = code_block(read_file("README.md"), "#include <cstdio>\n#include <tarn/tarn.hpp>");
  CHECK(program == example.substr(example.find("#include")));
}
