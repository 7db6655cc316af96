// Tags that several give and take at once.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <utility>

#include "../support/scripted_store.hpp"
#include "../support/test_environment.hpp"

using namespace tarn;

namespace {

using lake_client = client<tarn_test::scripted_store>;

// Versions 0 to 5, of which 1 and 2 are tagged with "one" and "two".
struct setup {
  tarn_test::test_environment hands;
  client_options options;
  tarn_test::scripted_store store;
  lake_client lake;

  setup() : options(), lake(store, with(options, hands)) {
    for (int number = 0; number < 4; ++number) {
      auto tx = lake.begin().value();
      if (number == 0) tx.create_table("x", {"n"}).value();
      if (number > 0) tx.insert("x", {number}).value();
      tx.commit().value();
    }
    lake.tag("one", {1}).value();
    lake.tag("two", {2}).value();
  }

  static client_options& with(client_options& changed, tarn_test::test_environment& surroundings) {
    changed.surroundings = surroundings.get();
    return changed;
  }

  // What `mine` comes to if others do `theirs` right before its entry is put.
  template <class Mine>
  result<version> race(Mine mine, std::function<void(client<memory_store>&)> theirs) {
    store.plan().put = [&](std::string_view name, std::string_view bytes, memory_store& inner) {
      if (tarn_test::is_entry(name) && theirs) {
        client others(inner, options);
        std::exchange(theirs, {})(others);
      }
      return inner.put_if_absent(name, bytes);
    };
    return mine(lake);
  }
};

auto tagging(const char* name, version at) {
  return [=](auto& lake) { return lake.tag(name, at); };
}
auto untagging(const char* name) {
  return [=](auto& lake) { return lake.untag(name); };
}

template <class Mine, class Theirs>
bool conflict(Mine mine, Theirs theirs) {
  setup made;
  const auto done = made.race(mine, [&](client<memory_store>& others) { theirs(others).value(); });
  if (done) return false;
  CHECK(done.error().code() == errc::conflict);
  return true;
}

}  // namespace

TEST_CASE("of two that change one tag at once, one is told so") {
  CHECK(conflict(tagging("new", {1}), tagging("new", {2})));
  CHECK(conflict(untagging("one"), untagging("one")));
}

TEST_CASE("who tags a version whose tag is taken away meanwhile is told so, as that may be all that has kept it") {
  CHECK(conflict(tagging("new", {1}), untagging("one")));
  CHECK_FALSE(conflict(tagging("new", {1}), untagging("two")));
}

TEST_CASE("other tags do not matter") {
  CHECK_FALSE(conflict(tagging("new", {1}), tagging("other", {1})));
  CHECK_FALSE(conflict(untagging("one"), tagging("other", {1})));
  CHECK_FALSE(conflict(untagging("one"), untagging("two")));
}

TEST_CASE("a name that no tag can have is refused, whatever is wanted with it") {
  setup made;
  CHECK(made.lake.tag("", {1}).error().code() == errc::invalid_name);
  CHECK(made.lake.untag("").error().code() == errc::invalid_name);
  CHECK(made.lake.untag("none").error().code() == errc::not_found);
}
