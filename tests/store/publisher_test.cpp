// How a finished file gets its name: link or rename, and what is made of lost answers.
#include <doctest/doctest.h>
#include <errno.h>

#include <filesystem>
#include <string>
#include <tarn/store/file_store.hpp>
#include <vector>

#include "../support/folder_contents.hpp"
#include "../support/watched_store.hpp"

namespace {

namespace fs = std::filesystem;
using tarn_test::always_failing;
using tarn_test::contents_of;
using tarn_test::failing;
using tarn_test::fault;
using tarn_test::named_files;
using tarn_test::unnamed_files;
using tarn_test::watched_folder;
using tarn_test::without_links;
using tarn_test::write_file;
using contents = std::map<std::string, std::string>;
using trace = std::vector<std::string>;

constexpr int any_error[] = {EEXIST, EIO, EINTR, ENOSPC, EACCES, EPERM, EROFS, ENOENT, ESTALE, ETIMEDOUT, EOPNOTSUPP};

}  // namespace

TEST_CASE_TEMPLATE("A15: a link that took effect is `created`, whatever error was answered", Files, named_files,
                   unnamed_files) {
  for (const int error_number : any_error) {
    INFO("error ", error_number);
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    folder.plan().faults = {failing(Files::link, error_number, fault::moment::after)};
    CHECK_EQ(store.put_if_absent("a", "mine").outcome(), tarn::put_outcome::created);
    CHECK_EQ(contents_of(folder.path()), contents{{"a", "mine"}});
    CHECK(folder.plan().survives_power_loss("a"));
  }
}

TEST_CASE_TEMPLATE("A15: a rename that took effect is `created`, whatever error was answered", Files, named_files,
                   unnamed_files) {
  for (const int error_number : any_error) {
    INFO("error ", error_number);
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    folder.plan().faults = without_links(EPERM);
    folder.plan().faults.push_back(failing("rename_new", error_number, fault::moment::after));
    CHECK_EQ(store.put_if_absent("a", "mine").outcome(), tarn::put_outcome::created);
    CHECK_EQ(contents_of(folder.path()), contents{{"a", "mine"}});
    CHECK(folder.plan().survives_power_loss("a"));
  }
}

TEST_CASE_TEMPLATE("A15: equal bytes are not taken for the same file", Files, named_files, unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  write_file(folder.path() / "a", "the same");
  auto store = folder.open();
  CHECK_EQ(store.put_if_absent("a", "the same").outcome(), tarn::put_outcome::already_exists);
}

TEST_CASE_TEMPLATE("`already_exists` is answered only when what exists is durable", Files, named_files, unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  write_file(folder.path() / "a", "theirs");
  folder.plan().names["a"] = false;
  auto store = folder.open();
  CHECK_EQ(store.put_if_absent("a", "mine").outcome(), tarn::put_outcome::already_exists);
  CHECK(folder.plan().survives_power_loss("a"));
  CHECK_EQ(contents_of(folder.path()), contents{{"a", "theirs"}});
}

TEST_CASE_TEMPLATE("An error that says that nothing happened is `not_applied`, any other is `unknown`", Files,
                   named_files, unnamed_files) {
  for (const int error_number : {ENOSPC, EDQUOT, EROFS, ENAMETOOLONG, ENOTDIR, ELOOP}) {
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    if (Files::unnamed) {  // else a refused link means that there are no such files
      REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
      folder.plan().forget_calls();
    }
    folder.plan().faults = {failing(Files::link, error_number)};
    CHECK_EQ(store.put_if_absent("a", "").outcome(), tarn::put_outcome::not_applied);
    CHECK_EQ(contents_of(folder.path()).count("a"), 0);
    CHECK_EQ(tarn_test::count_temporary(folder.path()), 0);
  }
  for (const int error_number : {EIO, ESTALE, ETIMEDOUT, ENOMEM}) {
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    folder.plan().faults = {failing(Files::link, error_number)};
    const auto put = store.put_if_absent("a", "");
    CHECK_EQ(put.outcome(), tarn::put_outcome::unknown);
    CHECK_EQ(put.why().code(), tarn::errc::io);
    CHECK(contents_of(folder.path()).empty());
    CHECK_EQ(store.put_if_absent("a", "").outcome(), tarn::put_outcome::created);  // the same put, made again
  }
}

TEST_CASE_TEMPLATE("The reason for `not_applied` is one that a caller can act on", Files, named_files, unnamed_files) {
  const auto code_after = [](int error_number) {
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);  // links are known to work
    folder.plan().faults = {
        {folder.plan().count(Files::link), error_number, fault::moment::before, false, Files::link}};
    const auto put = store.put_if_absent("a", "");
    REQUIRE_EQ(put.outcome(), tarn::put_outcome::not_applied);
    return put.why().code();
  };
  CHECK_EQ(code_after(ENOSPC), tarn::errc::no_space);
  CHECK_EQ(code_after(EDQUOT), tarn::errc::no_space);
  CHECK_EQ(code_after(EPERM), tarn::errc::permission);
  CHECK_EQ(code_after(EACCES), tarn::errc::permission);
  CHECK_EQ(code_after(EROFS), tarn::errc::permission);
  if (!Files::unnamed) CHECK_EQ(code_after(ENOENT), tarn::errc::io);  // else a name is tried
}

TEST_CASE_TEMPLATE("D15: without hard links a rename that never replaces is used, found out once", Files, named_files,
                   unnamed_files) {
  for (const int error_number : {EPERM, EACCES, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL, EXDEV}) {
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    folder.plan().faults = without_links(error_number);
    CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
    CHECK_EQ(store.put_if_absent("b", "2").outcome(), tarn::put_outcome::created);
    CHECK_EQ(store.put_if_absent("a", "3").outcome(), tarn::put_outcome::already_exists);
    CHECK_EQ(folder.plan().count("link"), 1);
    CHECK_EQ(folder.plan().count("link_unnamed"), Files::unnamed ? 1 : 0);
    CHECK_EQ(folder.plan().count("rename_new"), 3);
    CHECK(folder.plan().survives_power_loss("a"));
    CHECK(folder.plan().survives_power_loss("b"));
    CHECK_EQ(contents_of(folder.path()), contents{{"a", "1"}, {"b", "2"}});
  }
}

TEST_CASE_TEMPLATE(
    "D15: with neither hard links nor such a rename, the store refuses to write, says why and leaves nothing", Files,
    named_files, unnamed_files) {
  for (const int error_number : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    for (int tries = 0; tries < 2; ++tries) {
      folder.plan().forget_calls();
      folder.plan().faults = without_links(EPERM);
      folder.plan().faults.push_back(always_failing("rename_new", error_number));
      const auto put = store.put_if_absent("a", "1");
      CHECK_EQ(put.outcome(), tarn::put_outcome::not_applied);
      CHECK_EQ(put.why().code(), tarn::errc::unsupported);
      CHECK(
          put.why().message().find("neither hard links (Operation not permitted) nor a rename that never replaces (") !=
          std::string::npos);
      CHECK(contents_of(folder.path()).empty());
    }
    CHECK_EQ(store.get("a").error().code(), tarn::errc::not_found);
    CHECK(store.list("", "", tarn::ignore_names{}).has_value());
  }
}

TEST_CASE_TEMPLATE("D15: a final name is never opened for writing", Files, named_files, unnamed_files) {
  for (const bool has_links : {true, false}) {
    watched_folder folder(true, Files::unnamed);
    auto store = folder.open();
    if (!has_links) folder.plan().faults = without_links(EPERM);
    CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
    for (const std::string& call : folder.take_trace())
      if (call.starts_with("create_file") || call.starts_with("write"))
        CHECK((call.ends_with(" _tmp_") || call.ends_with(" _unnamed_")));
  }
}

TEST_CASE_TEMPLATE("Where links are known to work, a refused one is not tried as a rename", Files, named_files,
                   unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
  folder.plan().faults = {{folder.plan().count(Files::link), EPERM, fault::moment::before, false, Files::link}};
  CHECK_EQ(store.put_if_absent("b", "1").outcome(), tarn::put_outcome::not_applied);
  CHECK_EQ(folder.plan().count("rename_new"), 0);
  CHECK_EQ(folder.plan().count("create_file"), Files::unnamed ? 0 : 2);
}

TEST_CASE("Where a file without a name cannot be made, or cannot get one, each is put by a name, found out once") {
  for (const std::string refused : {"create_unnamed", "link_unnamed"})
    for (const int error_number : {EOPNOTSUPP, EINVAL, ENOENT, ENOSYS, EACCES, EPERM, EXDEV}) {
      INFO(refused, " fails with error ", error_number);
      watched_folder folder(true, true);
      auto store = folder.open();
      folder.plan().faults = {always_failing(refused, error_number)};
      CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
      CHECK_EQ(store.put_if_absent("b", "2").outcome(), tarn::put_outcome::created);
      CHECK_EQ(store.put_if_absent("a", "3").outcome(), tarn::put_outcome::already_exists);
      CHECK_EQ(folder.plan().count(refused), 1);
      CHECK_EQ(folder.plan().count("link"), 3);
      CHECK(folder.plan().survives_power_loss("a"));
      CHECK(folder.plan().survives_power_loss("b"));
      CHECK_EQ(contents_of(folder.path()), contents{{"a", "1"}, {"b", "2"}});
    }
}

TEST_CASE("Where files without a name are known to work, a link that is refused is an error, and not tried otherwise") {
  watched_folder folder(true, true);
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
  for (const int error_number : {ENOSPC, EPERM, EXDEV}) {
    folder.plan().faults = {
        {folder.plan().count("link_unnamed"), error_number, fault::moment::before, false, "link_unnamed"}};
    CHECK_EQ(store.put_if_absent("b", "1").outcome(), tarn::put_outcome::not_applied);
  }
  CHECK_EQ(folder.plan().count("create_file"), 0);
}

TEST_CASE("Files without a name may cease to work: in a chroot without /proc, or a folder that is gone") {
  for (const std::string refused : {"create_unnamed", "link_unnamed"}) {
    watched_folder folder(true, true);
    auto store = folder.open();
    REQUIRE_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
    folder.plan().faults = {always_failing(refused, ENOENT)};
    CHECK_EQ(store.put_if_absent("b", "2").outcome(), tarn::put_outcome::created);
    CHECK_EQ(store.put_if_absent("c", "3").outcome(), tarn::put_outcome::created);
    CHECK_EQ(folder.plan().count("create_file"), 2);
    CHECK_EQ(contents_of(folder.path()), contents{{"a", "1"}, {"b", "2"}, {"c", "3"}});
  }
}

TEST_CASE("A link of a file without a name that may have been made is not followed by one of a file with a name") {
  watched_folder folder(true, true);
  auto store = folder.open();
  folder.plan().faults = {failing("link_unnamed", ETIMEDOUT)};
  CHECK_EQ(store.put_if_absent("a", "1").outcome(), tarn::put_outcome::unknown);
  CHECK_EQ(folder.plan().count("create_file"), 0);
}

TEST_CASE("A put that finds a folder or a symbolic link of its name leaves both, and what they lead to, alone") {
  const tarn_test::temporary_folder parent;
  const fs::path path = parent.path() / "lake";
  fs::create_directories(path / "folder");
  write_file(parent.path() / "outside", "secret");
  fs::create_symlink("../outside", path / "link");
  fs::create_symlink("../nowhere", path / "dangling");
  tarn::file_store store(path.string());
  for (const std::string_view name : {"folder", "link", "dangling"})
    CHECK_EQ(store.put_if_absent(name, "mine").outcome(), tarn::put_outcome::already_exists);
  CHECK_EQ(contents_of(parent.path()), contents{{"lake", ""}, {"outside", "secret"}});
  CHECK_EQ(contents_of(path).size(), 3);
}
