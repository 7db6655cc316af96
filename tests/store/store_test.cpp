#include <doctest/doctest.h>

#include <map>
#include <string>
#include <string_view>
#include <tarn/store/store.hpp>

namespace {

// The archetype: the least that is a store.
struct smallest_handle {
  std::string bytes;
  operator std::string_view() const { return bytes; }
};

struct smallest_store {
  using handle = smallest_handle;
  std::map<std::string, std::string, std::less<>> objects;

  tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    const bool created = objects.emplace(name, bytes).second;
    return created ? tarn::put_result::created() : tarn::put_result::already_exists();
  }
  tarn::result<handle> get(std::string_view name) {
    const auto found = objects.find(name);
    if (found == objects.end()) return tarn::error{tarn::errc::not_found, "no such object"};
    return smallest_handle{found->second};
  }
  template <class Visitor>
  tarn::status list(std::string_view prefix, std::string_view start_after, Visitor visit) {
    for (const auto& [name, bytes] : objects)
      if (std::string_view(name).starts_with(prefix) && std::string_view(name) > start_after) visit(name);
    return {};
  }
};

static_assert(tarn::object_store<smallest_store>);
static_assert(!tarn::removing_store<smallest_store>);
static_assert(!tarn::strengths_of<smallest_store>().durable);
static_assert(!tarn::strengths_of<smallest_store>().complete_list);
static_assert(!tarn::strengths_of<smallest_store>().thread_safe);

struct removing_archetype : smallest_store {
  static constexpr tarn::store_strengths strengths{.durable = false, .complete_list = true, .thread_safe = false};
  tarn::status remove(std::string_view name) {
    objects.erase(std::string(name));
    return {};
  }
};

static_assert(tarn::removing_store<removing_archetype>);
static_assert(tarn::strengths_of<removing_archetype>().complete_list);

static_assert(!tarn::object_store<int>);

}  // namespace

TEST_CASE("A10: a store name is 1 to 255 letters, digits, '_', '-' and '.', and neither hidden nor temporary") {
  for (const std::string_view good : {"a", "_log_00000000000000000000", "_table_a.b-c_d", "A", "0", "-", "_", "_tmp"})
    CHECK(tarn::is_store_name(good));
  CHECK(tarn::is_store_name(std::string(255, 'n')));

  CHECK_FALSE(tarn::is_store_name(""));
  CHECK_FALSE(tarn::is_store_name(std::string(256, 'n')));
  for (const std::string_view bad :
       {".", "..", ".hidden", "../../evil", "a/b", "/", "a b", "\xff", "caf\xc3\xa9", "a\\b", "a:b", "a\n", "_tmp_",
        "_tmp_01890a5d-ac96-774b-bcce-b302099a8057", "*", "~"})
    CHECK_FALSE(tarn::is_store_name(bad));
  CHECK_FALSE(tarn::is_store_name(std::string_view("a\0b", 3)));
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string name{'a', c};
    const bool expected = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || byte == '.';
    CHECK_EQ(tarn::is_store_name(name), expected);
  }
}

TEST_CASE("A refused name is shown in a way that can be printed, and cut") {
  CHECK_EQ(tarn::refused_name("../\x01\xff").code(), tarn::errc::invalid_name);
  CHECK(tarn::refused_name("../\x01\xff").message().starts_with("an object cannot be called \"../??\" (5 bytes): "));
  const std::string message = tarn::refused_name(std::string(100'000, 'x')).message();
  CHECK_LT(message.size(), 300);
  CHECK(message.find("xxx...\" (100000 bytes)") != std::string::npos);
}

TEST_CASE("A put result has an outcome and, if nothing is certain to be stored, a reason") {
  CHECK_EQ(tarn::put_result::created().outcome(), tarn::put_outcome::created);
  CHECK_EQ(tarn::put_result::already_exists().outcome(), tarn::put_outcome::already_exists);
  const auto not_applied = tarn::put_result::not_applied({tarn::errc::no_space, "full"});
  CHECK_EQ(not_applied.outcome(), tarn::put_outcome::not_applied);
  CHECK_EQ(not_applied.why().code(), tarn::errc::no_space);
  const auto unknown = tarn::put_result::unknown({tarn::errc::io, "lost"});
  CHECK_EQ(unknown.outcome(), tarn::put_outcome::unknown);
  CHECK_EQ(unknown.why().message(), "lost");
}
