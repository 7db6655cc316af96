// The file store as a whole. Its parts have tests of their own: store_folder, temporary files and leftovers, publisher,
// file_bytes; and what happens when calls fail is in put_faults_test.cpp.
#include <doctest/doctest.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tarn/store/file_store.hpp>
#include <tarn/testing/store_conformance.hpp>
#include <thread>
#include <type_traits>
#include <vector>

#include "../support/folder_contents.hpp"
#include "../support/small_file_system.hpp"
#include "../support/watched_store.hpp"

namespace {

namespace fs = std::filesystem;
using tarn_test::always_failing;
using tarn_test::contents_of;
using tarn_test::count_temporary;
using tarn_test::failing;
using tarn_test::fault;
using tarn_test::watched_folder;
using tarn_test::write_file;
using names = std::vector<std::string>;
using trace = std::vector<std::string>;

static_assert(tarn::removing_store<tarn::file_store<>>);
static_assert(tarn::removing_store<tarn::file_store<tarn_test::faulty_system>>);
static_assert(tarn::strengths_of<tarn::file_store<>>().durable);
static_assert(tarn::strengths_of<tarn::file_store<>>().complete_list);
static_assert(tarn::strengths_of<tarn::file_store<>>().thread_safe);
static_assert(std::is_same_v<decltype(tarn::file_store{"dir"}), tarn::file_store<tarn::posix_system>>);
static_assert(std::is_same_v<decltype(tarn::file_store{std::string("dir"), {.map_bytes_min = 1}}), tarn::file_store<>>);
static_assert(std::is_copy_constructible_v<tarn::file_store<>>);

template <class Store>
names names_in(Store& store, std::string_view prefix = "", std::string_view start_after = "") {
  names found;
  CHECK(store.list(prefix, start_after, [&](std::string_view name) { found.emplace_back(name); }).has_value());
  std::sort(found.begin(), found.end());
  return found;
}

// Empty stores, each in a folder of its own that the first put makes.
class folders {
 public:
  [[nodiscard]] std::string next() { return (parent_.path() / std::to_string(count_++)).string(); }
  [[nodiscard]] std::size_t count_temporary() const {
    std::size_t count = 0;
    for (const auto& folder : fs::directory_iterator(parent_.path()))
      count += tarn_test::count_temporary(folder.path());
    return count;
  }

 private:
  tarn_test::temporary_folder parent_;
  int count_ = 0;
};

void check_conforms(const tarn::testing::conformance_report& report) {
  INFO(report.text());
  CHECK(report.conforms());
}

}  // namespace

TEST_CASE("A file store keeps the promises of a store [threads]") {
  folders made;
  tarn::testing::store_conformance_options less;  // every put waits for the disk
  less.races = 10;
  less.object_bytes_max = std::size_t{1} << 20;
  check_conforms(tarn::testing::test_store([&] { return tarn::file_store{made.next()}; }, less));
  CHECK_EQ(made.count_temporary(), 0);
}

TEST_CASE("A file store with durability::none keeps the promises of a store [threads]") {
  folders made;
  tarn::file_store_options options;
  options.durability = tarn::durability::none;
  check_conforms(tarn::testing::test_store([&] { return tarn::file_store{made.next(), options}; }));
  CHECK_EQ(made.count_temporary(), 0);
}

TEST_CASE("A file store without hard links keeps the promises of a store [threads]") {
  folders made;
  const auto plan = std::make_shared<tarn_test::system_plan>();
  plan->faults = {always_failing("link", EPERM)};
  check_conforms(tarn::testing::test_store([&] {
    return tarn::file_store{made.next(), tarn::file_store_options{}, tarn_test::faulty_system(plan)};
  }));
  CHECK_EQ(made.count_temporary(), 0);
  CHECK_GT(plan->count("rename_new"), 500);
  CHECK(plan->nothing_open());
}

TEST_CASE("A file store without files that have no name keeps the promises of a store, as one with them [threads]") {
  for (const bool unnamed : {false, true}) {
    folders made;
    const auto plan = std::make_shared<tarn_test::system_plan>();
    plan->has_unnamed_files = unnamed;
    tarn::testing::store_conformance_options less;
    less.races = 10;
    less.object_bytes_max = std::size_t{1} << 20;
    check_conforms(tarn::testing::test_store(
        [&] {
          return tarn::file_store{made.next(), tarn::file_store_options{}, tarn_test::faulty_system(plan)};
        },
        less));
    CHECK_EQ(made.count_temporary(), 0);
    CHECK_GT(plan->count(unnamed ? "link_unnamed" : "link"), 100);
    CHECK_EQ(plan->count(unnamed ? "link" : "link_unnamed"), 0);
    CHECK(plan->nothing_open());
  }
}

TEST_CASE("A put fsyncs the file before its name exists, and the folder before it returns") {
  watched_folder folder;
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
  (void)folder.take_trace();
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(folder.take_trace(), trace{"create_file _tmp_", "write _tmp_", "sync_file _tmp_", "link _tmp_ a",
                                      "sync_folder folder", "unlink _tmp_"});
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::already_exists);
  CHECK_EQ(folder.take_trace(), trace{"create_file _tmp_", "write _tmp_", "sync_file _tmp_", "link _tmp_ a",
                                      "status_at a", "status _tmp_", "sync_folder folder", "unlink _tmp_"});
  CHECK(store.remove("a").has_value());
  CHECK_EQ(folder.take_trace(), trace{"unlink a", "sync_folder folder"});
}

TEST_CASE("A put of a file without a name changes the folder once, and fsyncs as often") {
  watched_folder folder(true, true);
  auto store = folder.open();
  REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
  (void)folder.take_trace();
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(folder.take_trace(),
           trace{"create_unnamed", "write _unnamed_", "sync_file _unnamed_", "link_unnamed a", "sync_folder folder"});
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::already_exists);
  CHECK_EQ(folder.take_trace(), trace{"create_unnamed", "write _unnamed_", "sync_file _unnamed_", "link_unnamed a",
                                      "status_at a", "status _unnamed_", "sync_folder folder"});
  CHECK_EQ(contents_of(folder.path()).size(), 2);
}

TEST_CASE("Without hard links, too, the file is fsynced before its name exists") {
  watched_folder folder;
  auto store = folder.open();
  folder.plan().faults = {always_failing("link", EPERM)};
  REQUIRE_EQ(store.put_if_absent("first", "").outcome(), tarn::put_outcome::created);
  (void)folder.take_trace();
  CHECK_EQ(store.put_if_absent("a", "bytes").outcome(), tarn::put_outcome::created);
  CHECK_EQ(folder.take_trace(),
           trace{"create_file _tmp_", "write _tmp_", "sync_file _tmp_", "rename_new _tmp_ a", "sync_folder folder"});
}

TEST_CASE_TEMPLATE("Partial and interrupted writes are finished, and only then is there an object", Files,
                   tarn_test::named_files, tarn_test::unnamed_files) {
  watched_folder folder(true, Files::unnamed);
  auto store = folder.open();
  folder.plan().write_bytes_max = 7;
  folder.plan().faults = {{2, EINTR, fault::moment::before, false, "write"},
                          {5, EINTR, fault::moment::before, false, "write"}};
  folder.plan().before = [&](const std::string& call) {
    if (call.starts_with("write")) CHECK_FALSE(fs::exists(folder.path() / "a"));
  };
  const std::string bytes = "one piece after the other, seven bytes each";
  CHECK_EQ(store.put_if_absent("a", bytes).outcome(), tarn::put_outcome::created);
  CHECK_EQ(contents_of(folder.path()).at("a"), bytes);
  CHECK_EQ(folder.plan().count("write"), bytes.size() / 7 + 1 + 2);

  folder.plan().before = nullptr;
  // A system that takes nothing any more is an error, not a loop.
  folder.plan().forget_calls();
  folder.plan().write_bytes_max = 0;
  CHECK_EQ(store.put_if_absent("b", bytes).outcome(), tarn::put_outcome::not_applied);
  // Nor is one that is interrupted for ever.
  folder.plan().write_bytes_max = SIZE_MAX;
  folder.plan().faults = {always_failing("write", EINTR)};
  CHECK_EQ(store.put_if_absent("b", bytes).outcome(), tarn::put_outcome::not_applied);
  CHECK_EQ(contents_of(folder.path()).size(), 1);
}

TEST_CASE("Without entropy nothing is put that needs a temporary name") {
  watched_folder folder;
  folder.plan().has_entropy = false;
  auto store = folder.open();
  const auto put = store.put_if_absent("a", "");
  CHECK_EQ(put.outcome(), tarn::put_outcome::not_applied);
  CHECK(put.why().message().ends_with("there is no entropy to name its temporary file with"));
  CHECK(contents_of(folder.path()).empty());
}

TEST_CASE("A10: names that are no store names reach no system call") {
  watched_folder folder;
  auto store = folder.open();
  for (const std::string& name :
       {std::string(), std::string("."), std::string(".."), std::string("../../evil"), std::string("a/b"),
        std::string("_tmp_x"), std::string("\xff"), std::string(256, 'n'), std::string("a\0b", 3)}) {
    const auto put = store.put_if_absent(name, "bytes");
    CHECK_EQ(put.outcome(), tarn::put_outcome::not_applied);
    CHECK_EQ(put.why().code(), tarn::errc::invalid_name);
    CHECK_EQ(store.get(name).error().code(), tarn::errc::invalid_name);
    CHECK_EQ(store.remove(name).error().code(), tarn::errc::invalid_name);
  }
  CHECK(folder.take_trace().empty());
}

TEST_CASE("A12: a list names what a store could have put, and nothing else that lies in the folder") {
  const watched_folder folder;
  for (const char* const name : {"a", "_log_00000000000000000001", "_log_backup~", ".nfs000123", "with space", "x.y",
                                 "_tmp_01890a5d-ac96-774b-bcce-b302099a8057", "_tmp_other"})
    write_file(folder.path() / name, "");
  fs::create_directory(folder.path() / "_log_5");
  auto store = folder.open();
  CHECK_EQ(names_in(store), names{"_log_00000000000000000001", "_log_5", "a", "x.y"});
  CHECK_EQ(names_in(store, "_log_"), names{"_log_00000000000000000001", "_log_5"});
  CHECK_EQ(names_in(store, "", "_log_5"), names{"a", "x.y"});
}

TEST_CASE("A visitor of a file store's names may use the store, and what it does not return from is closed") {
  const watched_folder folder;
  auto store = folder.open();
  for (const char* const name : {"a", "b", "c"})
    REQUIRE_EQ(store.put_if_absent(name, name).outcome(), tarn::put_outcome::created);
  std::size_t seen = 0;
  const tarn::status listed = store.list("", "", [&](std::string_view name) {
    ++seen;
    CHECK_EQ(std::string_view(store.get(name).value()), name);
    CHECK_EQ(names_in(store).size(), 4 - seen);  // a listing in a listing
    CHECK(store.remove(name).has_value());
  });
  CHECK(listed.has_value());
  CHECK_EQ(seen, 3);
  CHECK_EQ(folder.plan().open_listings, 0);
#if TARN_HAS_EXCEPTIONS
  REQUIRE_EQ(store.put_if_absent("d", "").outcome(), tarn::put_outcome::created);
  CHECK_THROWS((void)store.list("", "", [](std::string_view) { throw 1; }));
  CHECK_EQ(folder.plan().open_listings, 0);
#endif
}

TEST_CASE("A listing that fails says so, and one that is interrupted goes on") {
  watched_folder folder;
  for (const char* const name : {"a", "b"}) write_file(folder.path() / name, "");
  auto store = folder.open();
  for (const std::string kind : {"open_listing", "next_name"}) {
    folder.plan().forget_calls();
    folder.plan().faults = {failing(kind, EINTR)};
    CHECK_EQ(names_in(store).size(), 2);
    folder.plan().forget_calls();
    folder.plan().faults = {failing(kind, EIO)};
    const tarn::status listed = store.list("", "", tarn::ignore_names{});
    REQUIRE(!listed.has_value());
    CHECK_EQ(listed.error().message(),
             tarn::concat({"folder \"", folder.path().string(), "\": cannot list it: Input/output error"}));
    CHECK_EQ(folder.plan().open_listings, 0);
  }
}

TEST_CASE("A removal is durable when it returns, also one that finds the object gone") {
  watched_folder folder;
  write_file(folder.path() / "a", "");
  auto store = folder.open();
  CHECK(store.remove("a").has_value());
  CHECK(store.remove("a").has_value());
  CHECK_EQ(folder.plan().count("sync_folder"), 2);
  for (const std::string kind : {"unlink", "sync_folder"}) {
    folder.plan().forget_calls();
    folder.plan().faults = {failing(kind, EIO)};
    auto other = folder.open();
    const tarn::status removed = other.remove("b");
    REQUIRE(!removed.has_value());
    CHECK(removed.error().message().starts_with("object b in folder \""));
  }
  folder.plan().forget_calls();
  folder.plan().faults = {failing("unlink", EINTR)};
  write_file(folder.path() / "c", "");
  CHECK(store.remove("c").has_value());
  CHECK(contents_of(folder.path()).empty());
}

TEST_CASE("C13: a disk that fills up is an error, tears nothing, and after room is made the next put succeeds") {
  const tarn_test::small_file_system disk("256k");
  if (!disk.mounted()) {
    MESSAGE("skipped: this process may not mount");
    return;
  }
  tarn::file_store store((disk.path() / "lake").string());
  const std::string bytes(30'000, 'x');
  int put = 0;
  for (;; ++put) {
    REQUIRE_LT(put, 20);
    const auto answer = store.put_if_absent(tarn::concat({"object_", put}), bytes);
    if (answer.outcome() == tarn::put_outcome::created) continue;
    CHECK_EQ(answer.outcome(), tarn::put_outcome::not_applied);
    CHECK_EQ(answer.why().code(), tarn::errc::no_space);
    CHECK(answer.why().message().ends_with(
        "cannot write its temporary file: No space left on device; make room, then try again"));
    break;
  }
  REQUIRE_GT(put, 2);
  const auto contents = contents_of(disk.path() / "lake");
  CHECK_EQ(contents.size(), static_cast<std::size_t>(put));
  for (const auto& [name, held] : contents) CHECK_EQ(held, bytes);

  CHECK(store.remove("object_0").has_value());
  CHECK_EQ(store.put_if_absent(tarn::concat({"object_", put}), bytes).outcome(), tarn::put_outcome::created);
}

TEST_CASE("C13: a limit on the size of files is an error of the put, not a torn object") {
  const watched_folder folder;
  tarn::file_store store(folder.path().string());
  rlimit before{};
  REQUIRE_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto action = ::signal(SIGXFSZ, SIG_IGN);
  rlimit low = before;
  low.rlim_cur = 1'000;
  REQUIRE_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  const auto put = store.put_if_absent("a", std::string(5'000, 'x'));
  REQUIRE_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)::signal(SIGXFSZ, action);
  CHECK_EQ(put.outcome(), tarn::put_outcome::not_applied);
  CHECK_EQ(put.why().code(), tarn::errc::no_space);
  CHECK(contents_of(folder.path()).empty());
  CHECK_EQ(store.put_if_absent("a", std::string(5'000, 'x')).outcome(), tarn::put_outcome::created);
}

TEST_CASE("Copies of a store are one store") {
  watched_folder folder;
  auto store = folder.open();
  {
    auto copy = store;
    CHECK_EQ(copy.put_if_absent("a", "1").outcome(), tarn::put_outcome::created);
  }
  CHECK_EQ(store.put_if_absent("a", "2").outcome(), tarn::put_outcome::already_exists);
  CHECK_EQ(folder.plan().count("open_folder"), 1);
  store = folder.open();
  CHECK(folder.plan().nothing_open());
}

TEST_CASE("Processes that race for names in one folder each win some, and nobody twice") {
  const watched_folder folder;
  constexpr int processes = 4;
  constexpr int rounds = 40;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    REQUIRE_GE(child, 0);
    if (child == 0) {
      tarn::file_store store(folder.path().string());
      std::ofstream won(folder.path().parent_path() / tarn::concat({"won_", process}));
      bool right = true;
      for (int round = 0; round < rounds; ++round) {
        const auto outcome = store.put_if_absent(tarn::concat({"name_", round}), std::to_string(process)).outcome();
        if (outcome == tarn::put_outcome::created) won << "name_" << round << '\n';
        right = right && (outcome == tarn::put_outcome::created || outcome == tarn::put_outcome::already_exists);
      }
      won.close();
      ::_exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int result = -1;
    CHECK_EQ(::waitpid(child, &result, 0), child);
    CHECK_EQ(result, 0);
  }
  std::map<std::string, std::string> winners;
  for (int process = 0; process < processes; ++process) {
    std::ifstream won(folder.path().parent_path() / tarn::concat({"won_", process}));
    for (std::string name; won >> name;) CHECK(winners.emplace(name, std::to_string(process)).second);
  }
  CHECK_EQ(winners.size(), rounds);
  CHECK_EQ(contents_of(folder.path()), winners);
}

TEST_CASE("A killed writer leaves whole objects and nothing else that anybody sees") {
  const watched_folder folder;
  const std::string bytes(200'000, 'x');
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    REQUIRE_GE(child, 0);
    if (child == 0) {
      tarn::file_store_options options;
      options.durability = tarn::durability::none;  // to be killed between calls, not in an fsync
      tarn::file_store store(folder.path().string(), options);
      for (int number = 0;; ++number)
        (void)store.put_if_absent(tarn::concat({"object_", round, '_', number % 10}), bytes);
    }
    ::usleep(static_cast<useconds_t>(2'000 + 700 * round));
    REQUIRE_EQ(::kill(child, SIGKILL), 0);
    int result = 0;
    CHECK_EQ(::waitpid(child, &result, 0), child);
  }
  tarn::file_store store(folder.path().string());
  for (const std::string& name : names_in(store)) CHECK_EQ(std::string_view(store.get(name).value()), bytes);
}
