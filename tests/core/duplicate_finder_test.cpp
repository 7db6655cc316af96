#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tarn/core/duplicate_finder.hpp>
#include <vector>

#include "../support/random_source.hpp"

using namespace tarn;

namespace {

[[nodiscard]] std::string duplicate_in(const std::vector<std::string>& names) {
  duplicate_finder<> finder;
  for (const std::string& name : names) finder.add(name);
  const std::string_view* const found = finder.find();
  return found == nullptr ? "none" : std::string(*found);
}

}  // namespace

TEST_CASE("Names that differ are no duplicates, whatever their number") {
  std::vector<std::string> names;
  CHECK(duplicate_in(names) == "none");
  for (int number = 0; number < 1'000; ++number) {
    names.push_back(std::to_string(number * 7 % 1'000));
    REQUIRE(duplicate_in(names) == "none");
  }
}

TEST_CASE("A name that was added twice is found wherever it is, among few and among many") {
  for (const std::size_t size : {2U, 3U, 16U, 17U, 18U, 100U})
    for (std::size_t first = 0; first < size; ++first)
      for (std::size_t second = first + 1; second < size; ++second) {
        std::vector<std::string> names;
        for (std::size_t at = 0; at < size; ++at) names.push_back("name" + std::to_string(at));
        names[second] = names[first];
        REQUIRE(duplicate_in(names) == names[first]);
      }
}

TEST_CASE("Short random names: the finder agrees with a set") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::string> names(random.below(60));
    for (std::string& name : names)
      for (std::size_t size = random.below(5); size > 0; --size) name += static_cast<char>(random.below(6) * 50);
    const bool differ = std::set<std::string>(names.begin(), names.end()).size() == names.size();
    REQUIRE((duplicate_in(names) == "none") == differ);
  }
}

TEST_CASE("A finder that is cleared forgets") {
  duplicate_finder<> finder;
  finder.add("a");
  finder.clear();
  finder.add("a");
  CHECK(finder.find() == nullptr);
}
