#include <doctest/doctest.h>

#include <string>
#include <tarn/log/table_map.hpp>
#include <vector>

using namespace tarn;

TEST_CASE("a table map finds what was inserted, ignoring case, and iterates in order") {
  table_map<int> map;
  for (const char* name : {"m", "c", "z", "a", "q"}) map.find_or_insert(name, name[0]);
  map.find_or_insert("M") = 1;  // the same table
  CHECK(map.size() == 5);
  CHECK(*map.find("m") == 1);
  CHECK(map.find("b") == nullptr);
  std::string order;
  for (const auto& [name, content] : map) order += name;
  CHECK(order == "acmqz");
  map.erase("C");
  map.erase("nothing");
  CHECK(map.size() == 4);
  CHECK(map.find("c") == nullptr);
  CHECK(*map.find("q") == 'q');
}
