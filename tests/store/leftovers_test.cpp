// Temporary files that a crash left: hidden, then collected.
#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <filesystem>
#include <string>
#include <tarn/store/file_store.hpp>
#include <vector>

#include "../support/folder_contents.hpp"
#include "../support/watched_store.hpp"

namespace {

namespace fs = std::filesystem;
using tarn_test::contents_of;
using tarn_test::count_temporary;
using tarn_test::failing;
using tarn_test::fault;
using tarn_test::watched_folder;
using tarn_test::write_file;

const std::string crashed = "_tmp_01890a5d-ac96-774b-bcce-b302099a8057";

void set_age(const fs::path& path, long seconds) {
  const timespec then{::time(nullptr) - seconds, 0};
  const timespec times[] = {then, then};
  REQUIRE_EQ(::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

template <class Store>
std::vector<std::string> names_in(Store& store) {
  std::vector<std::string> names;
  CHECK(store.list("", "", [&](std::string_view name) { names.emplace_back(name); }).has_value());
  return names;
}

}  // namespace

TEST_CASE("A7: ten puts leave ten files") {
  const watched_folder folder;
  auto store = folder.open();
  for (int number = 0; number < 10; ++number)
    CHECK_EQ(store.put_if_absent(tarn::concat({"object_", number}), "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(contents_of(folder.path()).size(), 10);
  CHECK_EQ(count_temporary(folder.path()), 0);
}

TEST_CASE("A7: a temporary file left by a crash is hidden from listings, and removed by a later put when it is old") {
  const watched_folder folder;
  const fs::path path = folder.path() / crashed;
  write_file(path, "half an obj");
  auto store = folder.open();
  CHECK(names_in(store).empty());
  CHECK_EQ(store.get(crashed).error().code(), tarn::errc::invalid_name);

  set_age(path, 3'500);
  (void)names_in(store);
  REQUIRE_EQ(store.put_if_absent("a", "").outcome(), tarn::put_outcome::created);
  CHECK(fs::exists(path));  // perhaps of a slow writer

  set_age(path, 3'700);
  REQUIRE_EQ(store.put_if_absent("b", "").outcome(), tarn::put_outcome::created);
  CHECK(fs::exists(path));  // not looked for, only noted when a listing comes by
  CHECK_EQ(names_in(store).size(), 2);
  CHECK(fs::exists(path));  // listing does not write
  REQUIRE_EQ(store.put_if_absent("c", "").outcome(), tarn::put_outcome::created);
  CHECK_FALSE(fs::exists(path));
  CHECK_EQ(names_in(store).size(), 3);
}

TEST_CASE("Only what a writer of tarn may have left is collected") {
  const watched_folder folder;
  const std::vector<std::string> strangers{"_tmp_", "_tmp_notes", crashed + "x", "51ca9f00-c84a-4196-ada1-41a8f73da198",
                                           "_tmp_01890A5D-AC96-774B-BCCE-B302099A8057"};
  for (const std::string& name : strangers) {
    write_file(folder.path() / name, "");
    set_age(folder.path() / name, 1'000'000);
  }
  fs::create_directory(folder.path() / crashed);
  set_age(folder.path() / crashed, 1'000'000);
  const fs::path link = folder.path() / tarn::temporary_name({1, 2});
  fs::create_symlink("nowhere", link);
  set_age(link, 1'000'000);
  auto store = folder.open();
  CHECK_EQ(names_in(store), std::vector<std::string>{"51ca9f00-c84a-4196-ada1-41a8f73da198"});
  REQUIRE_EQ(store.put_if_absent("a", "").outcome(), tarn::put_outcome::created);
  CHECK_EQ(contents_of(folder.path()).size(), strangers.size() + 3);
}

TEST_CASE("However many temporary files there are, all are collected in the end, a bounded number at a time") {
  const watched_folder folder;
  for (unsigned number = 0; number < 150; ++number) {
    const fs::path path = folder.path() / tarn::temporary_name({1, number});
    write_file(path, "");
    set_age(path, 4'000);
  }
  auto store = folder.open();
  for (const std::size_t left : {86U, 22U, 0U}) {
    (void)names_in(store);
    REQUIRE_EQ(store.put_if_absent(tarn::concat({"object_", left}), "").outcome(), tarn::put_outcome::created);
    CHECK_EQ(count_temporary(folder.path()), left);
  }
}

TEST_CASE(
    "A living writer whose temporary file was collected is told `not_applied`, and succeeds when it tries again") {
  for (const bool has_links : {true, false}) {
    const watched_folder folder;
    auto store = folder.open();
    if (!has_links) folder.plan().faults = {tarn_test::always_failing("link", EPERM)};
    REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
    bool collected = false;
    folder.plan().before = [&](const std::string& call) {
      const bool names = call.starts_with("link") || call.starts_with("rename");
      if (collected || !names) return;
      collected = true;
      for (const auto& [name, bytes] : contents_of(folder.path()))
        if (name.starts_with("_tmp_")) fs::remove(folder.path() / name);
    };
    const auto put = store.put_if_absent("a", "bytes");
    CHECK(collected);
    // After a rename, that its source is gone could also mean that it was made: that is left to the second try.
    CHECK_EQ(put.outcome(), has_links ? tarn::put_outcome::not_applied : tarn::put_outcome::unknown);
    CHECK(put.why().message().find("its temporary file was removed before it got its name") != std::string::npos);
    CHECK(tarn::may_retry(put));
    CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
    CHECK_EQ(contents_of(folder.path()).at("a"), "bytes");
  }
}

TEST_CASE("A temporary file that cannot be removed at once is removed by the next put, however young") {
  const watched_folder folder;
  auto store = folder.open();
  folder.plan().faults = {failing("unlink", EIO)};
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(count_temporary(folder.path()), 1);
  CHECK_EQ(store.put_if_absent("b", "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(count_temporary(folder.path()), 0);
  CHECK_EQ(contents_of(folder.path()).size(), 2);
}

TEST_CASE("A clock that is wrong collects too early or too late, and harms nothing") {
  watched_folder folder;
  write_file(folder.path() / crashed, "young");
  auto store = folder.open();
  folder.plan().clock_ahead_ms = -10'000'000;
  (void)names_in(store);
  CHECK_EQ(store.put_if_absent("a", "").outcome(), tarn::put_outcome::created);
  CHECK_EQ(count_temporary(folder.path()), 1);
  folder.plan().clock_ahead_ms = 10'000'000;
  (void)names_in(store);
  CHECK_EQ(store.put_if_absent("b", "").outcome(), tarn::put_outcome::created);
  CHECK_EQ(count_temporary(folder.path()), 0);
}
