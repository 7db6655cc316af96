#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tarn/core/error.hpp>
#include <type_traits>

using namespace tarn;

static_assert(sizeof(error) == sizeof(void*), "so that results stay small");
static_assert(std::is_nothrow_move_constructible_v<error>);

TEST_CASE("Each error code has a name of its own") {
  std::set<std::string_view> names;
  for (unsigned char code = 0; code <= static_cast<unsigned char>(errc::finished); ++code)
    names.insert(name_of(static_cast<errc>(code)));
  CHECK(names.size() == static_cast<std::size_t>(errc::finished) + 1);
  CHECK(name_of(errc::io) == "io");
  CHECK(name_of(errc::conflict) == "conflict");
  CHECK(name_of(errc::finished) == "finished");
}

TEST_CASE("An error keeps its code and message, and says whether to try again") {
  const error why(errc::conflict, "two wrote key 7");
  CHECK(why.code() == errc::conflict);
  CHECK(why.message() == "two wrote key 7");
  CHECK(why.retry_helps());
  CHECK_FALSE(error(errc::corrupt, "").retry_helps());
}

TEST_CASE("An error seen from further out has the place in front, and keeps all else") {
  const error inner(commit_in_doubt{{1, 2}, {3}}, "no answer");
  const error outer = inner.within("table x").within("lake");
  CHECK(outer.message() == "lake: table x: no answer");
  CHECK(outer.code() == errc::commit_unknown);
  CHECK(outer.in_doubt().transaction == uuid{1, 2});
  CHECK(outer.in_doubt().slot == version{3});
  CHECK(inner.message() == "no answer");
}

TEST_CASE("A copy of an error is the same error, after the original is gone, too") {
  error copy(errc::io, "first");
  {
    const error original(errc::no_space, "the disk is full");
    copy = original;
  }
  CHECK(copy.code() == errc::no_space);
  CHECK(copy.message() == "the disk is full");
}
