// The handles of a file store: read or mapped, and what is not a file of bytes.
#include <doctest/doctest.h>
#include <errno.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <tarn/store/file_store.hpp>
#include <type_traits>
#include <utility>

#include "../support/folder_contents.hpp"
#include "../support/watched_store.hpp"

namespace {

namespace fs = std::filesystem;
using tarn_test::always_failing;
using tarn_test::failing;
using tarn_test::watched_folder;
using tarn_test::write_file;

static_assert(tarn::object_handle<tarn::file_store<>::handle>);
static_assert(!std::is_copy_constructible_v<tarn::file_store<>::handle>);

template <class Store>
tarn::error get_error(Store& store, std::string_view name) {
  const auto found = store.get(name);
  REQUIRE(!found.has_value());
  return found.error();
}

bool has(const tarn::error& why, std::string_view part) { return why.message().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("Objects of map_bytes_min are mapped, smaller ones are read, and empty ones are neither") {
  watched_folder folder;
  tarn::file_store_options options;
  options.map_bytes_min = 5'000;
  auto store = folder.open(options);
  for (const std::size_t size : {0U, 1U, 4'999U, 5'000U, 5'001U, 300'000U}) {
    const std::string name = tarn::concat({"object_", size});
    const std::string bytes(size, 'b');
    write_file(folder.path() / name, bytes);
    folder.plan().forget_calls();
    auto found = store.get(name);
    REQUIRE(found.has_value());
    CHECK_EQ(std::string_view(*found), bytes);
    CHECK_EQ(folder.plan().count("map"), size >= 5'000 ? 1 : 0);
    CHECK_EQ(folder.plan().count("read"), size >= 5'000 || size == 0 ? 0 : 1);
  }
  CHECK_EQ(folder.plan().mapped, 0);
  options.map_bytes_min = 0;
  auto mapping = folder.open(options);
  CHECK_EQ(std::string_view(mapping.get("object_0").value()), "");
  CHECK_EQ(std::string_view(mapping.get("object_1").value()), "b");
}

TEST_CASE("Where nothing can be mapped, large objects are read") {
  watched_folder folder;
  const std::string bytes(300'000, 'x');
  write_file(folder.path() / "a", bytes);
  folder.plan().faults = {always_failing("map", ENODEV)};
  auto store = folder.open();
  CHECK_EQ(std::string_view(store.get("a").value()), bytes);
  CHECK_EQ(folder.plan().count("read"), 1);
}

TEST_CASE("A view stays valid when its handle is moved, the object removed and the store gone") {
  watched_folder folder;
  for (const std::size_t size : {1U, 1'000U, 300'000U}) {
    const std::string bytes(size, 'x');
    auto first = [&] {
      auto store = folder.open();
      REQUIRE_EQ(store.put_if_absent("a", bytes).outcome(), tarn::put_outcome::created);
      auto found = store.get("a").value();
      CHECK(store.remove("a").has_value());
      return found;
    }();
    const std::string_view view = first;
    auto second = std::move(first);
    CHECK_EQ(std::string_view(second).data(), view.data());
    auto third = std::move(second);
    auto& itself = third;
    third = std::move(itself);
    CHECK_EQ(view, bytes);
    CHECK_EQ(std::string_view(third), bytes);
    CHECK_FALSE(fs::exists(folder.path() / "a"));
  }
  CHECK(folder.plan().nothing_open());
}

TEST_CASE("Assigning to a handle ends what it held") {
  watched_folder folder;
  write_file(folder.path() / "small", "small");
  write_file(folder.path() / "large", std::string(300'000, 'l'));
  {
    auto store = folder.open();
    auto handle = store.get("small").value();
    handle = store.get("large").value();
    CHECK_EQ(std::string_view(handle).size(), 300'000);
    handle = store.get("small").value();
    CHECK_EQ(std::string_view(handle), "small");
    CHECK_EQ(folder.plan().mapped, 0);
  }
  CHECK(folder.plan().nothing_open());
}

TEST_CASE("C14: what is no regular file is an error that says so, and nothing waits for it") {
  const watched_folder folder;
  fs::create_directory(folder.path() / "folder");
  REQUIRE_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0666), 0);
  auto store = folder.open();
  CHECK_EQ(get_error(store, "folder").code(), tarn::errc::io);
  CHECK(has(get_error(store, "folder"), "object folder in folder \""));
  CHECK(has(get_error(store, "folder"), "\": it is not a regular file"));
  CHECK(has(get_error(store, "pipe"), "it is not a regular file"));
  CHECK_FALSE(store.remove("folder").has_value());
  CHECK(fs::exists(folder.path() / "folder"));
}

TEST_CASE("C14: a symbolic link that points outside is not followed") {
  const watched_folder folder;
  write_file(folder.path().parent_path() / "outside", "secret");
  fs::create_symlink("../outside", folder.path() / "link");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  auto store = folder.open();
  for (const std::string_view name : {"link", "dangling"}) {
    CHECK_EQ(get_error(store, name).code(), tarn::errc::io);
    CHECK(has(get_error(store, name), "it is a symbolic link, which is not followed"));
  }
  CHECK(store.remove("link").has_value());  // the link, not what it points to
  CHECK(fs::exists(folder.path().parent_path() / "outside"));
}

TEST_CASE("A file that is cut short while it is read is an error, not a shorter object") {
  watched_folder folder;
  write_file(folder.path() / "a", std::string(1'000, 'x'));
  folder.plan().before = [&](const std::string& call) {
    if (call.starts_with("read")) fs::resize_file(folder.path() / "a", 10);
  };
  auto store = folder.open();
  CHECK(has(get_error(store, "a"), "it was cut short to 10 bytes while it was read"));
}

TEST_CASE("A get survives interruptions, and any other failing call is an error that leaves nothing open") {
  watched_folder folder;
  write_file(folder.path() / "a", std::string(1'000, 'x'));
  for (const std::string kind : {"open_folder", "open_file", "status", "read"}) {
    for (const int error_number : {EIO, EACCES, EMFILE}) {
      folder.plan().forget_calls();
      folder.plan().faults = {failing(kind, error_number)};
      {
        auto store = folder.open();
        const tarn::error why = get_error(store, "a");
        CHECK_EQ(why.code(), error_number == EACCES ? tarn::errc::permission : tarn::errc::io);
        CHECK(has(why, "object a in folder \""));
      }
      CHECK(folder.plan().nothing_open());
    }
    if (kind == "status") continue;  // is never interrupted
    folder.plan().forget_calls();
    folder.plan().faults = {failing(kind, EINTR)};
    auto store = folder.open();
    CHECK_EQ(std::string_view(store.get("a").value()).size(), 1'000);
  }
}
