// What store/file_system.hpp says of each call, held against the real ones.
#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tarn/store/posix_system.hpp>

#include "../support/folder_contents.hpp"
#include "../support/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using tarn_test::contents_of;
using tarn_test::count_descriptors;
using tarn_test::write_file;

static_assert(tarn::file_system<tarn::posix_system>);
static_assert(!tarn::file_system<int>);
#if defined(O_TMPFILE)
static_assert(tarn::makes_unnamed_files<tarn::posix_system>);
#endif

const tarn::posix_system calls;

// A folder, open.
class opened_folder {
 public:
  opened_folder() : opened_(calls.open_folder(folder_.path().c_str())) { REQUIRE(opened_); }
  opened_folder(const opened_folder&) = delete;
  opened_folder& operator=(const opened_folder&) = delete;
  ~opened_folder() { calls.close(opened_.value); }
  [[nodiscard]] int number() const { return opened_.value; }
  [[nodiscard]] fs::path path() const { return folder_.path(); }

 private:
  tarn_test::temporary_folder folder_;
  tarn::outcome<int> opened_;
};

}  // namespace

TEST_CASE("A folder is opened, made, and has a parent") {
  const std::size_t descriptors = count_descriptors();
  {
    const opened_folder folder;
    const std::string inner = (folder.path() / "inner").string();
    CHECK_EQ(calls.open_folder(inner.c_str()).error_number, ENOENT);
    CHECK_EQ(calls.make_folder(inner.c_str()).error_number, 0);
    CHECK_EQ(calls.make_folder(inner.c_str()).error_number, EEXIST);
    const auto opened = calls.open_folder(inner.c_str());
    REQUIRE(opened);
    const auto parent = calls.open_parent(opened.value);
    REQUIRE(parent);
    const auto own = calls.status(folder.number());
    CHECK(calls.status(parent.value).value.same_file_as(own.value));
    CHECK_FALSE(calls.status(opened.value).value.same_file_as(own.value));
    CHECK_FALSE(own.value.regular);
    CHECK(calls.sync_folder(parent.value));
    calls.close(parent.value);
    calls.close(opened.value);

    write_file(folder.path() / "file", "");
    CHECK_EQ(calls.open_folder((folder.path() / "file").c_str()).error_number, ENOTDIR);
    CHECK_EQ(calls.make_folder((folder.path() / "missing" / "x").c_str()).error_number, ENOENT);
  }
  CHECK_EQ(count_descriptors(), descriptors);
}

TEST_CASE("A file is created once, written, read and mapped") {
  const opened_folder folder;
  const auto file = calls.create_file(folder.number(), "a");
  REQUIRE(file);
  CHECK_EQ(calls.create_file(folder.number(), "a").error_number, EEXIST);
  CHECK_EQ(calls.write(file.value, "bytes", 5).value, 5);
  CHECK(calls.sync_file(file.value));
  const auto status = calls.status(file.value).value;
  CHECK(status.regular);
  CHECK_EQ(status.size, 5);
  CHECK_LT(std::abs(status.modified.ms - calls.now().ms), 100'000);
  calls.close(file.value);
  CHECK_EQ(calls.write(file.value, "bytes", 5).error_number, EBADF);
  CHECK_EQ(calls.sync_file(file.value).error_number, EBADF);

  const auto opened = calls.open_file(folder.number(), "a");
  REQUIRE(opened);
  char bytes[10] = "";
  CHECK_EQ(calls.read(opened.value, bytes, sizeof bytes).value, 5);
  CHECK_EQ(std::string_view(bytes), "bytes");
  CHECK_EQ(calls.read(opened.value, bytes, sizeof bytes).value, 0);
  const auto mapped = calls.map(opened.value, 5);
  REQUIRE(mapped);
  calls.close(opened.value);
  CHECK_EQ(std::string_view(mapped.value, 5), "bytes");
  calls.unmap(mapped.value, 5);
  CHECK_EQ(calls.open_file(folder.number(), "b").error_number, ENOENT);
}

#if defined(O_TMPFILE)
TEST_CASE("A file without a name is nowhere, gets a first name that is not taken, and is gone if it gets none") {
  const opened_folder folder;
  write_file(folder.path() / "taken", "theirs");
  const std::size_t descriptors = count_descriptors();
  {
    const auto file = calls.create_unnamed(folder.number());
    if (file.error_number == EOPNOTSUPP) {
      MESSAGE("skipped: this file system has no such files");
      return;
    }
    REQUIRE(file);
    CHECK((::fcntl(file.value, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK_EQ(calls.write(file.value, "bytes", 5).value, 5);
    CHECK(calls.sync_file(file.value));
    CHECK_EQ(contents_of(folder.path()).size(), 1);
    CHECK_EQ(calls.link_unnamed(file.value, folder.number(), "taken").error_number, EEXIST);
    CHECK(calls.link_unnamed(file.value, folder.number(), "a"));
    CHECK_EQ(calls.link_unnamed(file.value, folder.number(), "a").error_number, EEXIST);
    CHECK(calls.status(file.value).value.same_file_as(calls.status_at(folder.number(), "a").value));
    calls.close(file.value);
    const auto nameless = calls.create_unnamed(folder.number());
    REQUIRE(nameless);
    calls.close(nameless.value);
    CHECK_EQ(calls.link_unnamed(nameless.value, folder.number(), "b").error_number, ENOENT);
    CHECK_EQ(calls.create_unnamed(nameless.value).error_number, EBADF);
  }
  CHECK_EQ(count_descriptors(), descriptors);
  CHECK_EQ(contents_of(folder.path()), std::map<std::string, std::string>{{"a", "bytes"}, {"taken", "theirs"}});
}

TEST_CASE("A file that is named late has the permissions of one that was named at once") {
  const opened_folder folder;
  const auto late = calls.create_unnamed(folder.number());
  if (!late) return;
  CHECK(calls.link_unnamed(late.value, folder.number(), "late"));
  const auto early = calls.create_file(folder.number(), "early");
  REQUIRE(early);
  CHECK_EQ(fs::status(folder.path() / "late").permissions(), fs::status(folder.path() / "early").permissions());
  calls.close(late.value);
  calls.close(early.value);
}
#endif

TEST_CASE("Neither link nor rename_new replaces anything") {
  const opened_folder folder;
  for (const char* const name : {"a", "b"}) write_file(folder.path() / name, name);
  fs::create_symlink("nowhere", folder.path() / "dangling");
  CHECK(calls.link(folder.number(), "a", "c"));
  CHECK(calls.status_at(folder.number(), "a").value.same_file_as(calls.status_at(folder.number(), "c").value));
  for (const char* const taken : {"b", "c", "dangling"}) {
    CHECK_EQ(calls.link(folder.number(), "a", taken).error_number, EEXIST);
    CHECK_EQ(calls.rename_new(folder.number(), "a", taken).error_number, EEXIST);
  }
  CHECK(calls.rename_new(folder.number(), "a", "d"));
  CHECK_EQ(calls.rename_new(folder.number(), "a", "e").error_number, ENOENT);
  CHECK_EQ(calls.link(folder.number(), "a", "e").error_number, ENOENT);
  CHECK_EQ(contents_of(folder.path()),
           std::map<std::string, std::string>{{"b", "b"}, {"c", "a"}, {"d", "a"}, {"dangling", ""}});
  CHECK(calls.unlink(folder.number(), "d"));
  CHECK_EQ(calls.unlink(folder.number(), "d").error_number, ENOENT);
}

TEST_CASE("A symbolic link is not followed, and a pipe not waited for") {
  const opened_folder folder;
  write_file(folder.path() / "a", "");
  fs::create_symlink("a", folder.path() / "link");
  REQUIRE_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0666), 0);
  CHECK_EQ(calls.open_file(folder.number(), "link").error_number, ELOOP);
  CHECK_EQ(calls.create_file(folder.number(), "link").error_number, EEXIST);
  CHECK_FALSE(calls.status_at(folder.number(), "link").value.regular);
  CHECK_EQ(calls.status_at(folder.number(), "missing").error_number, ENOENT);
  const auto pipe = calls.open_file(folder.number(), "pipe");
  REQUIRE(pipe);
  CHECK_FALSE(calls.status(pipe.value).value.regular);
  calls.close(pipe.value);
}

TEST_CASE("Two listings at once each see the whole folder") {
  const opened_folder folder;
  std::multiset<std::string> expected{".", ".."};
  for (int number = 0; number < 100; ++number) {
    expected.insert(std::to_string(number));
    write_file(folder.path() / std::to_string(number), "");
  }
  const auto first = calls.open_listing(folder.number());
  const auto second = calls.open_listing(folder.number());
  REQUIRE(first);
  REQUIRE(second);
  std::multiset<std::string> names[2];
  for (;;) {
    const auto one = calls.next_name(first.value);
    if (one.value != nullptr) names[0].insert(one.value);
    const auto other = calls.next_name(second.value);
    if (other.value != nullptr) names[1].insert(other.value);
    CHECK_EQ(one.error_number + other.error_number, 0);
    if (one.value == nullptr && other.value == nullptr) break;
  }
  calls.close_listing(first.value);
  calls.close_listing(second.value);
  CHECK_EQ(names[0], expected);
  CHECK_EQ(names[1], expected);

  write_file(folder.path() / "file", "");
  const auto file = calls.open_file(folder.number(), "file");
  CHECK_EQ(calls.open_listing(file.value).error_number, ENOTDIR);
  calls.close(file.value);
}

TEST_CASE("No descriptor is inherited by a program that this one starts") {
  const opened_folder folder;
  const auto created = calls.create_file(folder.number(), "a");
  const auto opened = calls.open_file(folder.number(), "a");
  const auto parent = calls.open_parent(folder.number());
  for (const int descriptor : {folder.number(), created.value, opened.value, parent.value})
    CHECK((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
  for (const int descriptor : {created.value, opened.value, parent.value}) calls.close(descriptor);
}

TEST_CASE("The clock and the entropy are the system's") {
  CHECK_LT(std::abs(calls.now().ms - static_cast<std::int64_t>(::time(nullptr)) * 1000), 10'000);
  unsigned char first[32] = {};
  unsigned char second[32] = {};
  CHECK(calls.fill_random(first, sizeof first));
  CHECK(calls.fill_random(second, sizeof second));
  CHECK(!std::equal(std::begin(first), std::end(first), std::begin(second)));
}
