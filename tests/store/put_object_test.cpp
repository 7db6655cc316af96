#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <tarn/store/put_object.hpp>
#include <vector>

#include "../support/scripted_store.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;

namespace {

// What `put_object` answers if the store answers so to its first put, so to the second, ..., and `last` from then on.
status put_with(const std::vector<put_result>& answers, const put_result& last, std::uint64_t& puts) {
  tarn_test::test_environment hands;
  tarn_test::scripted_store store;
  store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store&) {
    CHECK(name == "name");
    CHECK(bytes == "bytes");
    const auto number = static_cast<std::size_t>(store.plan().puts - 1);
    return number < answers.size() ? answers[number] : last;
  };
  backoff_options options;
  options.attempts_max = 6;
  const status done = put_object(store, "name", "bytes", options, hands.get());
  puts = store.plan().puts;
  return done;
}

}  // namespace

TEST_CASE("an object is put once its bytes are there, whoever put them") {
  std::uint64_t puts = 0;
  CHECK(put_with({}, put_result::created(), puts).has_value());
  CHECK(puts == 1);
  CHECK(put_with({}, put_result::already_exists(), puts).has_value());
  CHECK(puts == 1);
}

TEST_CASE("a put that was not applied, or perhaps, is made again, and is no success until the store says so") {
  const error busy(errc::io, "busy");
  std::uint64_t puts = 0;
  for (const put_result& failed : {put_result::not_applied(busy), put_result::unknown(busy)}) {
    CHECK(put_with({failed, failed}, put_result::created(), puts).has_value());
    CHECK(puts == 3);
    CHECK(put_with({failed}, put_result::already_exists(), puts).has_value());
    CHECK(puts == 2);
    const status never = put_with({}, failed, puts);
    REQUIRE_FALSE(never);
    CHECK(never.error().message() == "busy");
    CHECK(puts == 6);
  }
}

TEST_CASE("what no second try can help is not tried again") {
  std::uint64_t puts = 0;
  const status refused = put_with({}, put_result::not_applied({errc::permission, "no"}), puts);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == errc::permission);
  CHECK(puts == 1);
}
