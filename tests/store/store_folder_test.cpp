// Opening, making and fsyncing the folder of a file store.
#include <doctest/doctest.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <tarn/store/file_store.hpp>
#include <thread>
#include <vector>

#include "../support/folder_contents.hpp"
#include "../support/small_file_system.hpp"
#include "../support/unprivileged.hpp"
#include "../support/watched_store.hpp"

namespace {

namespace fs = std::filesystem;
using tarn_test::always_failing;
using tarn_test::contents_of;
using tarn_test::failing;
using tarn_test::named_files;
using tarn_test::unnamed_files;
using tarn_test::watched_folder;
using tarn_test::write_file;
using trace = std::vector<std::string>;

void check_failed(const tarn::put_result& put, tarn::errc code, const std::string& part) {
  CHECK_EQ(put.outcome(), tarn::put_outcome::not_applied);
  REQUIRE(put.outcome() == tarn::put_outcome::not_applied);
  CHECK_EQ(put.why().code(), code);
  INFO(put.why().message());
  CHECK(put.why().message().find(part) != std::string::npos);
}

void check_failed(const tarn::status& done, tarn::errc code, const std::string& part) {
  REQUIRE(!done.has_value());
  CHECK_EQ(done.error().code(), code);
  INFO(done.error().message());
  CHECK(done.error().message().find(part) != std::string::npos);
}

template <class Store>
tarn::status list_all(Store& store) {
  return store.list("", "", tarn::ignore_names{});
}

template <class Store>
tarn::errc get_error(Store& store, std::string_view name) {
  const auto found = store.get(name);
  REQUIRE(!found.has_value());
  return found.error().code();
}

// After `first`, the calls of a put that creates an object.
template <class Files>
trace calls_of_put(trace first, const std::string& name) {
  const trace named{"create_file _tmp_",  "write _tmp_",        "sync_file _tmp_",
                    "link _tmp_ " + name, "sync_folder folder", "unlink _tmp_"};
  const trace unnamed{"create_unnamed", "write _unnamed_", "sync_file _unnamed_", "link_unnamed " + name,
                      "sync_folder folder"};
  const trace& all = Files::unnamed ? unnamed : named;
  first.insert(first.end(), all.begin(), all.end());
  return first;
}

}  // namespace

TEST_CASE("C14: opening for reading creates nothing, and a missing folder is an empty store") {
  const watched_folder folder(false);
  {
    auto store = folder.open();
    CHECK_EQ(get_error(store, "a"), tarn::errc::not_found);
    CHECK(list_all(store).has_value());
    CHECK(store.remove("a").has_value());
    CHECK_EQ(folder.take_trace(), trace{"open_folder", "open_folder", "open_folder"});
  }
  CHECK_FALSE(fs::exists(folder.path()));
  const auto missing = folder.open().get("a").error();
  CHECK_EQ(missing.message(),
           tarn::concat({"object a in folder \"", folder.path().string(), "\": there is no such folder"}));

  // The folder may come later.
  auto store = folder.open();
  CHECK_EQ(get_error(store, "a"), tarn::errc::not_found);
  fs::create_directory(folder.path());
  write_file(folder.path() / "a", "bytes");
  CHECK_EQ(std::string_view(store.get("a").value()), "bytes");
}

TEST_CASE("C14: in an existing folder, reading and listing open, write and make nothing") {
  const watched_folder folder;
  write_file(folder.path() / "a", "bytes");
  write_file(folder.path() / "_tmp_01890a5d-ac96-774b-bcce-b302099a8057", "old");
  auto store = folder.open();
  CHECK(store.get("a").has_value());
  CHECK(list_all(store).has_value());
  for (const std::string& call : folder.take_trace())
    for (const std::string_view writing : {"create", "write", "sync", "link", "unlink", "rename", "make"})
      CHECK_FALSE(call.starts_with(writing));
  CHECK_EQ(contents_of(folder.path()).size(), 2);
}

TEST_CASE("C14: the first put makes a missing folder, but not those above it") {
  const watched_folder folder(false);
  auto store = folder.open();
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(contents_of(folder.path()).at("a"), "bytes");

  const tarn_test::temporary_folder parent;
  tarn::file_store deep((parent.path() / "one" / "two").string());
  check_failed(deep.put_if_absent("a", ""), tarn::errc::io, "cannot make the folder: its parent is missing too");
  CHECK_EQ(get_error(deep, "a"), tarn::errc::not_found);
  CHECK(list_all(deep).has_value());
  CHECK_FALSE(fs::exists(parent.path() / "one"));
}

TEST_CASE("C14: a path that is a file, or leads through one, is an error that names it") {
  const tarn_test::temporary_folder parent;
  write_file(parent.path() / "file", "text");
  for (const char* const path : {"file", "file/", "file/lake"}) {
    tarn::file_store store((parent.path() / path).string());
    const std::string part = tarn::concat({'"', (parent.path() / path).string(), "\": cannot open "});
    check_failed(store.put_if_absent("a", ""), tarn::errc::io, part);
    check_failed(list_all(store), tarn::errc::io, part);
    check_failed(store.remove("a"), tarn::errc::io, part);
    CHECK_EQ(get_error(store, "a"), tarn::errc::io);
  }
  CHECK_EQ(contents_of(parent.path()).at("file"), "text");
}

TEST_CASE("C14: in a folder that may only be read, reads work and writes say `permission`") {
  const tarn_test::temporary_folder parent;
  const fs::path path = parent.path() / "lake";
  REQUIRE_EQ(tarn::file_store(path.string()).put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  REQUIRE_EQ(::chmod(parent.path().c_str(), 0755), 0);
  REQUIRE_EQ(::chmod(path.c_str(), 0555), 0);
  {
    const tarn_test::unprivileged user;
    if (!user.holds()) {
      MESSAGE("skipped: rights do not bind root, and this root cannot be anybody else");
      return;
    }
    tarn::file_store store(path.string());
    CHECK_EQ(std::string_view(store.get("a").value()), "bytes");
    CHECK(list_all(store).has_value());
    check_failed(store.put_if_absent("b", "bytes"), tarn::errc::permission, "Permission denied");
    check_failed(store.put_if_absent("a", "bytes"), tarn::errc::permission, path.string());
    check_failed(store.remove("a"), tarn::errc::permission, "cannot remove it: Permission denied");

    tarn::file_store elsewhere((parent.path() / "new").string());  // the parent is not this user's
    if (::geteuid() == 65'534)
      check_failed(elsewhere.put_if_absent("a", ""), tarn::errc::permission,
                   "cannot make the folder: Permission denied");
  }
  REQUIRE_EQ(::chmod(path.c_str(), 0755), 0);
  CHECK_EQ(contents_of(path).size(), 1);

  REQUIRE_EQ(::chmod(path.c_str(), 0), 0);
  {
    const tarn_test::unprivileged user;
    tarn::file_store store(path.string());
    CHECK_EQ(get_error(store, "a"), tarn::errc::permission);
    check_failed(list_all(store), tarn::errc::permission, "cannot open it: Permission denied");
    check_failed(store.put_if_absent("b", ""), tarn::errc::permission, "cannot open the folder: Permission denied");
  }
  REQUIRE_EQ(::chmod(path.c_str(), 0755), 0);
}

TEST_CASE("C14: on a read-only file system, reads work and writes say `permission`") {
  tarn_test::small_file_system disk("256k");
  if (!disk.mounted()) {
    MESSAGE("skipped: this process may not mount");
    return;
  }
  tarn::file_store before((disk.path() / "lake").string());
  REQUIRE_EQ(before.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  REQUIRE(disk.make_read_only());
  tarn::file_store store((disk.path() / "lake").string());
  CHECK_EQ(std::string_view(store.get("a").value()), "bytes");
  check_failed(store.put_if_absent("b", "bytes"), tarn::errc::permission, "Read-only file system");
  check_failed(store.remove("a"), tarn::errc::permission, "Read-only file system");
  tarn::file_store fresh((disk.path() / "new").string());
  check_failed(fresh.put_if_absent("b", "bytes"), tarn::errc::permission,
               "cannot make the folder: Read-only file system");
  CHECK_EQ(contents_of(disk.path()).size(), 1);
}

TEST_CASE_TEMPLATE("The first put fsyncs the folder's parent, whoever made the folder, and later ones do not", Files,
                   named_files, unnamed_files) {
  watched_folder folder(false, Files::unnamed);
  auto store = folder.open();
  CHECK_EQ(store.put_if_absent("a", "x").outcome(), tarn::put_outcome::created);
  CHECK_EQ(
      folder.take_trace(),
      calls_of_put<Files>({"open_folder", "make_folder", "open_folder", "open_parent", "sync_folder parent"}, "a"));
  CHECK_EQ(store.put_if_absent("b", "x").outcome(), tarn::put_outcome::created);
  CHECK_EQ(folder.take_trace(), calls_of_put<Files>({}, "b"));
  // Another process made the folder; that it also came to the fsync is not known.
  auto another = folder.open();
  CHECK_EQ(another.put_if_absent("c", "x").outcome(), tarn::put_outcome::created);
  CHECK_EQ(folder.take_trace(), calls_of_put<Files>({"open_folder", "open_parent", "sync_folder parent"}, "c"));
}

TEST_CASE("Two processes may make the folder at once") {
  watched_folder folder(false);
  folder.plan().before = [&](const std::string& call) {
    if (call == "make_folder") fs::create_directory(folder.path());
  };
  auto store = folder.open();
  CHECK_EQ(store.put_if_absent("a", "x").outcome(), tarn::put_outcome::created);
  CHECK_EQ(folder.plan().count("sync_folder"), 2);
  CHECK(folder.plan().survives_power_loss("a"));
}

TEST_CASE("A parent that may not be read is excused if the folder was there before, and an error if it was made here") {
  watched_folder existing;
  existing.plan().faults = {always_failing("open_parent", EACCES)};
  auto store = existing.open();
  CHECK_EQ(store.put_if_absent("a", "x").outcome(), tarn::put_outcome::created);
  CHECK_EQ(store.put_if_absent("b", "x").outcome(), tarn::put_outcome::created);
  CHECK_EQ(existing.plan().count("open_parent"), 1);

  watched_folder missing(false);
  missing.plan().faults = {always_failing("open_parent", EACCES)};
  auto other = missing.open();
  for (int tries = 0; tries < 2; ++tries)
    check_failed(other.put_if_absent("a", "x"), tarn::errc::permission,
                 "cannot open the folder's parent in order to fsync it: Permission denied");
  CHECK(contents_of(missing.path()).empty());
}

TEST_CASE("The parent is the real one, however the path is spelled") {
  const tarn_test::temporary_folder parent;
  fs::create_directory(parent.path() / "real");
  fs::create_directory(parent.path() / "side");
  fs::create_directory_symlink(parent.path() / "real", parent.path() / "link");
  int number = 0;
  for (const std::string path : {"real", "real/", "real//", "real/.", "side/../real", "link", "link/"}) {
    tarn::file_store store((parent.path() / path).string());
    const std::string name = tarn::concat({"object_", number++});
    CHECK_EQ(store.put_if_absent(name, path).outcome(), tarn::put_outcome::created);
    CHECK_EQ(contents_of(parent.path() / "real").at(name), path);
  }
}

TEST_CASE("A path that ends early, at a zero byte, opens nothing") {
  const tarn_test::temporary_folder parent;
  tarn::file_store store(parent.path().string() + std::string("\0x", 2));
  CHECK_EQ(store.put_if_absent("a", "").outcome(), tarn::put_outcome::not_applied);
  CHECK_EQ(get_error(store, "a"), tarn::errc::io);
  CHECK(contents_of(parent.path()).empty());
}

TEST_CASE("A store stays with its folder when that is renamed, and never moves to another of the same path") {
  const tarn_test::temporary_folder parent;
  tarn::file_store store((parent.path() / "lake").string());
  REQUIRE_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
  fs::rename(parent.path() / "lake", parent.path() / "moved");
  CHECK_EQ(store.put_if_absent("b", "2").outcome(), tarn::put_outcome::created);
  CHECK_EQ(contents_of(parent.path() / "moved").size(), 2);

  fs::remove_all(parent.path() / "moved");
  fs::create_directory(parent.path() / "lake");
  check_failed(store.put_if_absent("c", "3"), tarn::errc::io, "cannot create its temporary file");
  CHECK(contents_of(parent.path() / "lake").empty());
}

TEST_CASE_TEMPLATE("After one failed fsync of the folder, a store object promises nothing any more", Files, named_files,
                   unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
  folder.plan().faults = {
      {folder.plan().count("sync_folder"), EIO, tarn_test::fault::moment::before, false, "sync_folder"}};
  const auto put = store.put_if_absent("b", "2");
  CHECK_EQ(put.outcome(), tarn::put_outcome::unknown);
  CHECK(put.why().message().find(
            "cannot fsync the folder: Input/output error; what was put or found last may not survive") !=
        std::string::npos);
  CHECK_EQ(tarn_test::count_temporary(folder.path()), 0);
  (void)folder.take_trace();

  // The next fsync would "succeed". Neither it nor anything else is tried: not by copies either.
  auto copy = store;
  for (const std::string_view name : {"a", "b", "c"}) {
    check_failed(store.put_if_absent(name, "2"), tarn::errc::io, "writes no more: check the disk");
    check_failed(copy.put_if_absent(name, "2"), tarn::errc::io, "writes no more: check the disk");
  }
  CHECK(folder.take_trace().empty());
  check_failed(store.remove("a"), tarn::errc::io, "cannot fsync the folder");
  CHECK_EQ(std::string_view(store.get("b").value()), "2");  // reading goes on

  CHECK_EQ(folder.open().put_if_absent("c", "3").outcome(), tarn::put_outcome::created);
}

TEST_CASE_TEMPLATE("A failed fsync of a temporary file costs only that put", Files, named_files, unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  auto store = folder.open();
  folder.plan().faults = {failing("sync_file", EIO)};
  check_failed(store.put_if_absent("a", "1"), tarn::errc::io, "cannot fsync its temporary file: Input/output error");
  CHECK(contents_of(folder.path()).empty());
  CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
}

TEST_CASE_TEMPLATE("durability::none never fsyncs", Files, named_files, unnamed_files) {
  watched_folder folder(false, Files::unnamed);
  tarn::file_store_options options;
  options.durability = tarn::durability::none;
  auto store = folder.open(options);
  CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
  CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::already_exists);
  CHECK(store.remove("a").has_value());
  CHECK_EQ(folder.plan().count("sync_folder") + folder.plan().count("sync_file"), 0);
}

TEST_CASE_TEMPLATE("Threads that wait for an fsync of the folder share the next one [threads]", Files, named_files,
                   unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  constexpr std::size_t writers = 6;
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
  // The first fsync waits until all writers have made their links: it may serve one or more, the next all others.
  folder.plan().before = [&](const std::string& call) {
    if (call != "sync_folder folder") return;
    for (;;) {
      const std::lock_guard hold(folder.plan().guard);
      if (folder.plan().names.size() == writers + 1) return;
    }
  };
  const std::size_t before = folder.plan().count("sync_folder");
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < writers; ++number)
    threads.emplace_back([&folder, store, number]() mutable {
      const std::string name = tarn::concat({"name_", number});
      const bool created = store.put_if_absent(name, "").outcome() == tarn::put_outcome::created;
      const std::lock_guard hold(folder.plan().guard);
      CHECK(created);
      CHECK(folder.plan().survives_power_loss(name));
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_LE(folder.plan().count("sync_folder") - before, 3);
}

TEST_CASE_TEMPLATE("When an fsync of the folder fails, nobody who waited for it is told success [threads]", Files,
                   named_files, unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  constexpr std::size_t writers = 6;
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
  folder.plan().before = [&](const std::string& call) {
    if (call != "sync_folder folder") return;
    for (;;) {
      const std::lock_guard hold(folder.plan().guard);
      if (folder.plan().names.size() == writers + 1) return;
    }
  };
  folder.plan().faults = {
      {folder.plan().count("sync_folder"), EIO, tarn_test::fault::moment::before, false, "sync_folder"}};
  std::vector<tarn::put_outcome> outcomes(writers);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < writers; ++number)
    threads.emplace_back([&outcomes, store, number]() mutable {
      outcomes[number] = store.put_if_absent(tarn::concat({"name_", number}), "").outcome();
    });
  for (std::thread& thread : threads) thread.join();
  for (const tarn::put_outcome outcome : outcomes) CHECK_EQ(outcome, tarn::put_outcome::unknown);
}
