#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/store_conformance.hpp>
#include <thread>
#include <vector>

namespace {

static_assert(tarn::removing_store<tarn::memory_store>);
static_assert(tarn::strengths_of<tarn::memory_store>().complete_list);
static_assert(tarn::strengths_of<tarn::memory_store>().thread_safe);
static_assert(!tarn::strengths_of<tarn::memory_store>().durable);

std::vector<std::string> names_in(const tarn::memory_store& store, std::string_view prefix = "",
                                  std::string_view start_after = "") {
  std::vector<std::string> names;
  CHECK(store.list(prefix, start_after, [&](std::string_view name) { names.emplace_back(name); }).has_value());
  return names;
}

void put(tarn::memory_store& store, std::string_view name, std::string_view bytes = "") {
  REQUIRE_EQ(store.put_if_absent(name, bytes).outcome(), tarn::put_outcome::created);
}

}  // namespace

TEST_CASE("A memory store keeps the promises of a store [threads]") {
  const auto report = tarn::testing::test_store([] { return tarn::memory_store(); });
  INFO(report.text());
  CHECK(report.conforms());
}

TEST_CASE("Copies of a memory store share its objects, which live as long as any of them") {
  tarn::memory_store first;
  put(first, "a", "1");
  tarn::memory_store copy = first;
  put(copy, "b", "2");
  first = tarn::memory_store();
  CHECK(names_in(first).empty());
  CHECK_EQ(names_in(copy), std::vector<std::string>{"a", "b"});
}

TEST_CASE("A memory store shares its bytes with the handles it gives out") {
  tarn::memory_store store;
  put(store, "a", std::string(100'000, 'x'));
  const std::string_view first = store.get("a").value();
  const std::string_view second = store.get("a").value();
  CHECK_EQ(static_cast<const void*>(first.data()), static_cast<const void*>(second.data()));
}

TEST_CASE("A memory store lists in byte order, from anywhere") {
  tarn::memory_store store;
  for (const std::string_view name : {"b2", "a", "b1", "c", "b", "B"}) put(store, name);
  CHECK_EQ(names_in(store), std::vector<std::string>{"B", "a", "b", "b1", "b2", "c"});
  CHECK_EQ(names_in(store, "b"), std::vector<std::string>{"b", "b1", "b2"});
  CHECK_EQ(names_in(store, "b", "b"), std::vector<std::string>{"b1", "b2"});
  CHECK_EQ(names_in(store, "b", "a"), std::vector<std::string>{"b", "b1", "b2"});
  CHECK_EQ(names_in(store, "b", "b1x"), std::vector<std::string>{"b2"});
  CHECK(names_in(store, "b", "c").empty());
  CHECK(names_in(store, "d").empty());
}

TEST_CASE("A visitor of a memory store's names may read and change the store") {
  tarn::memory_store store;
  for (const std::string_view name : {"a", "b", "c", "d"}) put(store, name, name);
  std::vector<std::string> seen;
  const tarn::status listed = store.list("", "", [&](std::string_view name) {
    seen.emplace_back(name);
    CHECK_EQ(std::string_view(store.get(name).value()), name);
    if (name == "a") {
      CHECK(store.remove("a").has_value());  // the name that is being visited
      CHECK(store.remove("b").has_value());  // the one that would be next
      put(store, "c2", "c2");
    }
  });
  CHECK(listed.has_value());
  CHECK_EQ(seen, std::vector<std::string>{"a", "c", "c2", "d"});
}

TEST_CASE("A10: a memory store refuses the names that a folder could not hold") {
  tarn::memory_store store;
  for (const std::string_view name : {"", "a/b", "..", "_tmp_x"}) {
    const auto put = store.put_if_absent(name, "bytes");
    CHECK_EQ(put.outcome(), tarn::put_outcome::not_applied);
    CHECK_EQ(put.why().code(), tarn::errc::invalid_name);
    CHECK_EQ(store.get(name).error().code(), tarn::errc::invalid_name);
    CHECK_EQ(store.remove(name).error().code(), tarn::errc::invalid_name);
  }
  CHECK(names_in(store).empty());
  CHECK_EQ(store.get("absent").error().message(), "there is no object absent");
}

TEST_CASE(
    "A list of a memory store names everything that was there before it, whatever others put and remove [threads]") {
  tarn::memory_store store;
  for (int number = 0; number < 200; ++number) put(store, tarn::concat({"stays_", number}));
  bool done = false;
  std::thread other([&] {
    for (int round = 0; !__atomic_load_n(&done, __ATOMIC_ACQUIRE); ++round) {
      const std::string name = tarn::concat({"stays_", round % 200, "_goes"});
      (void)store.put_if_absent(name, name);
      (void)store.remove(tarn::concat({"stays_", (round + 100) % 200, "_goes"}));
    }
  });
  for (int round = 0; round < 50; ++round) {
    std::size_t stayed = 0;
    for (const std::string& name : names_in(store)) stayed += name.ends_with("_goes") ? 0U : 1U;
    CHECK_EQ(stayed, 200);
  }
  __atomic_store_n(&done, true, __ATOMIC_RELEASE);
  other.join();
}
