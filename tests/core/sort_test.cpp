#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <tarn/core/sort.hpp>
#include <utility>
#include <vector>

#include "../support/counting_allocator.hpp"
#include "../support/random_source.hpp"

using namespace tarn;

namespace {

// Sorts a copy, compares with std::sort, and returns how often elements were compared.
std::size_t comparisons_of(const std::vector<int>& numbers) {
  std::vector<int> expected = numbers;
  std::sort(expected.begin(), expected.end());
  std::vector<int> sorted = numbers;
  std::size_t comparisons = 0;
  tarn::sort(sorted.data(), sorted.size(), [&](int a, int b) {
    ++comparisons;
    return a < b;
  });
  REQUIRE(sorted == expected);
  return comparisons;
}

[[nodiscard]] std::vector<int> ascending(int count) {
  std::vector<int> numbers;
  for (int number = 0; number < count; ++number) numbers.push_back(number);
  return numbers;
}

}  // namespace

TEST_CASE("Every order of up to seven elements is sorted, with and without equal ones") {
  for (int count = 0; count <= 7; ++count)
    for (int divisor = 1; divisor <= 3; ++divisor) {
      std::vector<int> numbers = ascending(count);
      for (int& number : numbers) number /= divisor;
      do comparisons_of(numbers);
      while (std::next_permutation(numbers.begin(), numbers.end()));
    }
}

TEST_CASE("lower_bound() agrees with std::lower_bound") {
  for (int count = 0; count <= 20; ++count) {
    std::vector<int> numbers = ascending(count);
    for (int& number : numbers) number = number / 3 * 2;  // some equal, with gaps
    for (int wanted = -1; wanted <= 2 * count; ++wanted) {
      const auto expected = std::lower_bound(numbers.begin(), numbers.end(), wanted) - numbers.begin();
      CHECK(lower_bound(numbers.data(), numbers.size(), [&](int each) { return each < wanted; }) ==
            static_cast<std::size_t>(expected));
    }
  }
}

TEST_CASE("Random numbers: sort() agrees with std::sort") {
  const std::uint64_t seed = tarn_test::seed_of_this_run();
  CAPTURE(seed);
  tarn_test::random_source random(seed);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<int> numbers(random.below(400));
    const std::size_t bound = 1 + random.below(300);
    for (int& number : numbers) number = static_cast<int>(random.below(bound));
    // Some nearly sorted, so that the insertions give up at all places.
    if (random.chance(50)) std::sort(numbers.begin(), numbers.end());
    for (std::size_t swaps = random.below(6); swaps > 0 && !numbers.empty(); --swaps)
      std::swap(numbers[random.below(numbers.size())], numbers[random.below(numbers.size())]);
    comparisons_of(numbers);
  }
}

TEST_CASE("Sorted elements are compared once each, nearly sorted ones a few times, and none n^2 times") {
  constexpr int count = 1 << 14;
  const std::vector<int> sorted = ascending(count);
  CHECK(comparisons_of(sorted) == count - 1);
  CHECK(comparisons_of(std::vector<int>(count, 7)) == count - 1);

  std::vector<int> nearly = sorted;
  for (std::size_t at = 0; at + 1 < nearly.size(); at += 10) std::swap(nearly[at], nearly[at + 1]);
  CHECK(comparisons_of(nearly) < 3 * count);

  constexpr std::size_t worst = 2 * count * 14;
  std::vector<int> reversed(sorted.rbegin(), sorted.rend());
  CHECK(comparisons_of(reversed) < worst);
  std::vector<int> rotated = sorted;  // a sorted run with new elements behind it
  std::rotate(rotated.begin(), rotated.begin() + 5, rotated.end());
  CHECK(comparisons_of(rotated) < worst);
  std::vector<int> organ_pipe = sorted;
  std::reverse(organ_pipe.begin() + count / 2, organ_pipe.end());
  for (std::size_t at = count / 2; at < organ_pipe.size(); ++at) organ_pipe[at] = count - static_cast<int>(at);
  CHECK(comparisons_of(organ_pipe) < worst);

  std::vector<int> shuffled = sorted;
  tarn_test::random_source random(1);
  for (std::size_t at = shuffled.size(); at > 1; --at) std::swap(shuffled[at - 1], shuffled[random.below(at)]);
  CHECK(comparisons_of(shuffled) < count * 14 * 13 / 10);
}

// Decides how elements compare only when it must, and then so that each pivot is among the least ("A killer adversary
// for quicksort", McIlroy 1999): quicksort alone would need n^2 / 2 comparisons or so.
TEST_CASE("Elements that are chosen against the sort do not make it slow, and are sorted") {
  std::vector<std::size_t> sizes{1'000, 10'000};
  for (std::size_t size = 17; size < 300; ++size) sizes.push_back(size);
  for (const std::size_t size : sizes) {
    const int undecided = static_cast<int>(size);
    std::vector<int> decided(size, undecided);
    std::vector<std::size_t> elements;
    for (std::size_t at = 0; at < size; ++at) elements.push_back(at);
    // First some that fall, or else the insertions would find the others sorted by their own comparisons.
    int next = 0;
    while (next * next <= 4 * undecided && next < undecided) ++next;
    for (int at = 0; at < next; ++at) decided[static_cast<std::size_t>(at)] = next - at - 1;
    std::size_t candidate = 0;
    std::size_t comparisons = 0;
    tarn::sort(elements.data(), size, [&](std::size_t a, std::size_t b) {
      ++comparisons;
      if (decided[a] == undecided && decided[b] == undecided) decided[a == candidate ? a : b] = next++;
      if (decided[a] == undecided)
        candidate = a;
      else if (decided[b] == undecided)
        candidate = b;
      return decided[a] < decided[b];
    });
    for (std::size_t at = 1; at < size; ++at) REQUIRE(decided[elements[at - 1]] <= decided[elements[at]]);
    std::sort(elements.begin(), elements.end());
    for (std::size_t at = 0; at < size; ++at) REQUIRE(elements[at] == at);
    if (size >= 1'000) CHECK(comparisons < 4 * size * static_cast<std::size_t>(std::bit_width(size)));
    // and the same elements again, without the adversary
    comparisons_of(decided);
  }
}

TEST_CASE("Elements that only move are sorted, and none is lost") {
  std::vector<std::unique_ptr<std::string>> texts;
  for (int number = 0; number < 1'000; ++number)
    texts.push_back(std::make_unique<std::string>(std::to_string(1'000 + number * 7 % 1'000)));
  const std::size_t before = tarn_test::allocations();
  tarn::sort(texts.data(), texts.size(), [](const auto& a, const auto& b) { return *a < *b; });
  CHECK(tarn_test::allocations() == before);
  for (int number = 0; number < 1'000; ++number) {
    const auto& text = texts[static_cast<std::size_t>(number)];
    REQUIRE(text != nullptr);
    REQUIRE(*text == std::to_string(1'000 + number));
  }
}

TEST_CASE("Nothing around the elements is touched") {
  int numbers[] = {9, 3, 2, 1, 0};
  tarn::sort(numbers + 1, 3, [](int a, int b) { return a < b; });
  const int expected[] = {9, 1, 2, 3, 0};
  CHECK(std::equal(numbers, numbers + 5, expected));
  tarn::sort(static_cast<int*>(nullptr), 0, [](int a, int b) { return a < b; });
}

TEST_CASE("the first element that is not below is found from anywhere before it, in few comparisons") {
  for (std::size_t end = 0; end <= 40; ++end)
    for (std::size_t first_not = 0; first_not <= end; ++first_not)
      for (std::size_t from = 0; from <= first_not; ++from) {
        std::size_t comparisons = 0;
        const auto below = [&](std::size_t index) {
          REQUIRE(index >= from);
          REQUIRE(index < end);
          ++comparisons;
          return index < first_not;
        };
        CHECK(tarn::find_first_not(from, end, below) == first_not);
        CHECK(comparisons <= static_cast<std::size_t>(std::bit_width(end - from)));
        comparisons = 0;
        CHECK(tarn::find_near_first_not(from, end, below) == first_not);
        CHECK(comparisons <= 2 * static_cast<std::size_t>(std::bit_width(first_not - from)) + 1);
      }
}
