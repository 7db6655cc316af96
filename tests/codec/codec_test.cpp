// The archetype: the smallest codec there is. It shows what the concept asks for, and that nothing else is asked.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tarn/codec/codec.hpp>

using namespace tarn;

namespace {

struct no_rows {
  [[nodiscard]] bool next() { return false; }
  [[nodiscard]] list_view row() const { return {}; }
  [[nodiscard]] tarn::status status() const { return {}; }
};

struct forgetful_builder {
  [[nodiscard]] tarn::status append(row_view) { return error(errc::unsupported, "this codec takes no rows"); }
  [[nodiscard]] std::uint64_t rows() const { return 0; }
  [[nodiscard]] std::size_t byte_size() const { return 0; }
  [[nodiscard]] no_rows read_back() const { return {}; }
  [[nodiscard]] std::string_view finish() { return {}; }
  void restart(object_identity) {}
};

struct smallest_codec {
  static constexpr std::string_view name = "smallest";
  [[nodiscard]] forgetful_builder build(object_identity, limits) const { return {}; }
  [[nodiscard]] result<no_rows> open(std::string_view, object_expectation, limits) const { return no_rows{}; }
};

struct nameless : smallest_codec {
  static constexpr int name = 1;
};
struct without_builder {
  static constexpr std::string_view name = "x";
  [[nodiscard]] result<no_rows> open(std::string_view, object_expectation, limits) const { return no_rows{}; }
};
struct with_bare_cursor : smallest_codec {
  [[nodiscard]] no_rows open(std::string_view, object_expectation, limits) const { return {}; }
};

static_assert(row_codec<smallest_codec>);
static_assert(!row_codec<nameless>);
static_assert(!row_codec<without_builder>);
static_assert(!row_codec<with_bare_cursor>, "open can fail, so it returns a result");
static_assert(!row_codec<int>);

}  // namespace

TEST_CASE("An object is named by its table and id") {
  CHECK(name_of(object_identity{"a_b", {1, 2}}) == "_table_a_b_00000000-0000-0001-0000-000000000002");
}
