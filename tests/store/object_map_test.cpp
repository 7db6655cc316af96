#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <tarn/core/text.hpp>
#include <tarn/store/object_map.hpp>

namespace {

using tarn::object_map;
using tarn::shared_bytes;

std::string_view name_of(const object_map<>::object* found) {
  return found == nullptr ? "(none)" : std::string_view(found->name);
}

}  // namespace

TEST_CASE("An object map finds what is there, and what comes after a name") {
  object_map<> objects;
  CHECK_EQ(name_of(objects.at_or_after("")), "(none)");
  for (const std::string_view name : {"b", "d", "a", "c1"}) CHECK(objects.insert(name, shared_bytes(name)));
  CHECK_FALSE(objects.insert("d", shared_bytes(std::string_view("another"))));
  CHECK_EQ(std::string_view(objects.find("d")->bytes), "d");
  CHECK(objects.find("c") == nullptr);
  CHECK(objects.find("") == nullptr);
  CHECK(objects.find("e") == nullptr);
  CHECK_EQ(name_of(objects.at_or_after("")), "a");
  CHECK_EQ(name_of(objects.at_or_after("c")), "c1");
  CHECK_EQ(name_of(objects.at_or_after("c1")), "c1");
  CHECK_EQ(name_of(objects.after("c")), "c1");
  CHECK_EQ(name_of(objects.after("c1")), "d");
  CHECK_EQ(name_of(objects.after("d")), "(none)");
  objects.erase("c");
  objects.erase("c1");
  objects.erase("a");
  CHECK_EQ(name_of(objects.at_or_after("")), "b");
  CHECK_EQ(name_of(objects.after("b")), "d");
}

TEST_CASE("An object map is a sorted map, whatever is done to it") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  object_map<> objects;
  std::map<std::string, std::string, std::less<>> expected;
  for (int step = 0; step < 30'000; ++step) {
    const std::string name = tarn::concat({random() % 2 == 0 ? "_log_" : "_table_", random() % 2'000});
    const std::string bytes = std::to_string(step);
    switch (random() % 4) {
      case 0:
      case 1: CHECK_EQ(objects.insert(name, shared_bytes(bytes)), expected.emplace(name, bytes).second); break;
      case 2:
        objects.erase(name);
        expected.erase(name);
        break;
      default: {
        const auto found = expected.find(name);
        const object_map<>::object* const object = objects.find(name);
        REQUIRE_EQ(object != nullptr, found != expected.end());
        if (object != nullptr) CHECK_EQ(std::string_view(object->bytes), found->second);
        const auto next = expected.upper_bound(name);
        CHECK_EQ(name_of(objects.after(name)), next == expected.end() ? "(none)" : std::string_view(next->first));
      }
    }
  }
  auto at = expected.begin();
  for (const object_map<>::object* object = objects.at_or_after(""); object != nullptr;
       object = object->next[0], ++at) {
    REQUIRE(at != expected.end());
    CHECK_EQ(object->name, at->first);
  }
  CHECK(at == expected.end());
}

TEST_CASE("An object map stays fast for the names that a lake has, in the order in which it puts them") {
  // A map that degenerates into a list would take minutes here, not a fraction of a second.
  object_map<> objects;
  const auto start = std::chrono::steady_clock::now();
  for (int version = 0; version < 50'000; ++version) {
    std::string number = std::to_string(version);
    number.insert(0, 20 - number.size(), '0');
    REQUIRE(objects.insert(tarn::concat({"_table_x_", number}), shared_bytes()));
    REQUIRE(objects.insert(tarn::concat({"_log_", number}), shared_bytes()));
    REQUIRE(objects.find(tarn::concat({"_log_", number, '1'})) == nullptr);
  }
  CHECK_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}
