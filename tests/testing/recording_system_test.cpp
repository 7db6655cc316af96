// The simulated file system: that it is one, that its trace tells all, and that every planned fault happens and is told
// as it would be by a kernel.
#include <doctest/doctest.h>
#include <errno.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tarn/store/file_store.hpp>
#include <tarn/testing/recording_system.hpp>
#include <tarn/testing/store_conformance.hpp>
#include <vector>

namespace {

using tarn::testing::directory_fault;
using tarn::testing::plan_directory_fault;
using tarn::testing::recording_system;
using tarn::testing::simulated_machine;
using tarn::testing::system_call;

// A machine with one folder, which a store may be in.
struct simulated_folder {
  std::shared_ptr<simulated_machine> machine = std::make_shared<simulated_machine>();
  recording_system system{machine};

  simulated_folder() {
    REQUIRE(system.make_folder("lake"));
    machine->trace.clear();
  }
  [[nodiscard]] int open() const { return system.open_folder("lake").value; }
  [[nodiscard]] tarn::file_store<recording_system> store() const { return file_store_in("lake"); }
  [[nodiscard]] tarn::file_store<recording_system> file_store_in(const char* path) const {
    return tarn::file_store<recording_system>(path, tarn::file_store_options{}, system);
  }
};

// What was called, with the same name for all temporary files.
[[nodiscard]] std::vector<std::string> take_trace(simulated_machine& machine) {
  std::vector<std::string> lines;
  for (const auto& each : machine.trace) {
    std::string line = to_text(each);
    if (const std::size_t at = line.find("_tmp_"); at != std::string::npos) line.erase(at + 5, 36);
    lines.push_back(line);
  }
  machine.trace.clear();
  return lines;
}

// What it promises but for threads, which a simulation has none of.
struct store_of_one_thread : tarn::file_store<recording_system> {
  using tarn::file_store<recording_system>::file_store;
  static constexpr tarn::store_strengths strengths{.durable = true, .complete_list = true, .thread_safe = false};
};

using lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a file store over the simulated file system keeps the promises of a store, read and mapped") {
  for (const std::size_t map_bytes_min : {std::size_t{1}, std::size_t{262'144}}) {
    const auto machine = std::make_shared<simulated_machine>();
    machine->keeps_trace = false;
    machine->has_unnamed_files = map_bytes_min == 1;
    int folders = 0;
    {
      tarn::file_store_options options;
      options.map_bytes_min = map_bytes_min;
      tarn::testing::store_conformance_options less;
      less.object_bytes_max = std::size_t{1} << 20;
      const auto report = tarn::testing::test_store(
          [&] { return store_of_one_thread("lake" + std::to_string(folders++), options, recording_system(machine)); },
          less);
      INFO(report.text());
      CHECK(report.conforms());
      CHECK(report.checks() > 300);
    }
    CHECK(folders > 3);
    CHECK(machine->nothing_open());
  }
}

TEST_CASE("the trace has every call, in order, with who made it and what came of it") {
  const auto machine = std::make_shared<simulated_machine>();
  tarn::file_store<recording_system> store("lake", tarn::file_store_options{}, recording_system(machine, 1));
  CHECK(store.put_if_absent("a", "bytes").outcome() == tarn::put_outcome::created);
  machine->mark("a is there", 1);
  CHECK(take_trace(*machine) == lines{"b open_folder lake = 2", "b make_folder lake = 0", "b open_folder lake = 0",
                                      "b open_parent folder #1 = 0", "b sync_folder folder #0 = 0",
                                      "b create_file _tmp_ = 0", "b write #2 5 bytes at 0 = 0", "b sync_file #2 = 0",
                                      "b link _tmp_ a = 0", "b sync_folder folder #1 = 0", "b unlink _tmp_ = 0",
                                      "b mark a is there = 0"});
  CHECK(std::string(std::string_view(store.get("a").value())) == "bytes");
  CHECK(store.put_if_absent("a", "others").outcome() == tarn::put_outcome::already_exists);
  machine->trace.clear();
  CHECK(store.remove("a").has_value());
  CHECK(take_trace(*machine) == lines{"b unlink a = 0", "b sync_folder folder #1 = 0"});
}

TEST_CASE("the trace of a put by a file without a name; who asks in vain for one leaves no trace") {
  const auto machine = std::make_shared<simulated_machine>();
  tarn::file_store<recording_system> store("lake", tarn::file_store_options{}, recording_system(machine));
  CHECK(recording_system(machine).create_unnamed(0).error_number == EOPNOTSUPP);
  machine->has_unnamed_files = true;
  CHECK(store.put_if_absent("a", "bytes").outcome() == tarn::put_outcome::created);
  CHECK(store.put_if_absent("a", "others").outcome() == tarn::put_outcome::already_exists);
  const lines calls = take_trace(*machine);
  REQUIRE(calls.size() > 10);
  CHECK(lines(calls.begin() + 5, calls.end()) ==
        lines{"a create_unnamed #2 = 0", "a write #2 5 bytes at 0 = 0", "a sync_file #2 = 0", "a link_unnamed a = 0",
              "a sync_folder folder #1 = 0", "a create_unnamed #3 = 0", "a write #3 6 bytes at 0 = 0",
              "a sync_file #3 = 0", "a link_unnamed a = 17", "a status_at a = 0", "a status #3 = 0",
              "a sync_folder folder #1 = 0"});
  CHECK(std::string(std::string_view(store.get("a").value())) == "bytes");
}

TEST_CASE("two machines with one seed do the same, with another seed something else") {
  const auto names_of_two_puts = [](std::uint64_t seed) {
    const auto machine = std::make_shared<simulated_machine>(tarn::testing::simulated_disk(), seed);
    tarn::file_store<recording_system> store("lake", tarn::file_store_options{}, recording_system(machine));
    CHECK(store.put_if_absent("a", "1").outcome() == tarn::put_outcome::created);
    CHECK(store.put_if_absent("b", "2").outcome() == tarn::put_outcome::created);
    std::string text;
    for (const auto& each : machine->trace) text += to_text(each) + "\n";
    return text;
  };
  CHECK(names_of_two_puts(7) == names_of_two_puts(7));
  CHECK(names_of_two_puts(7) != names_of_two_puts(8));
}

TEST_CASE("each fault of a call happens, once or for good, and is counted") {
  simulated_folder folder;
  const int opened = folder.open();
  const recording_system& system = folder.system;
  const auto plan = [&](directory_fault what, bool for_good = false) {
    folder.machine->faults = {plan_directory_fault(0, folder.machine->calls[0], what, for_good)};
  };
  const int file = system.create_file(opened, "file").value;

  plan(directory_fault::no_space);
  CHECK(system.create_file(opened, "other").error_number == ENOSPC);
  CHECK(system.status_at(opened, "other").error_number == ENOENT);
  CHECK(system.create_file(opened, "other"));

  plan(directory_fault::answer_lost);
  CHECK(system.link(opened, "file", "name").error_number == EIO);
  CHECK(system.link(opened, "file", "name").error_number == EEXIST);
  CHECK(system.status_at(opened, "name").value.same_file_as(system.status(file).value));

  plan(directory_fault::short_write);
  CHECK(system.write(file, "12345", 5).value == 3);
  plan(directory_fault::torn_write);
  CHECK(system.write(file, "6789", 4).error_number == EIO);
  CHECK(folder.machine->disk.at(folder.machine->disk.find_path("lake/name")).content.bytes() == "12367");

  plan(directory_fault::interrupted);
  CHECK(system.unlink(opened, "name").error_number == EINTR);
  CHECK(system.unlink(opened, "name"));

  plan(directory_fault::unsupported, true);
  CHECK(system.link(opened, "file", "name").error_number == EOPNOTSUPP);
  CHECK(system.rename_new(opened, "file", "name").error_number == EOPNOTSUPP);
  CHECK(system.status(file));

  folder.machine->has_unnamed_files = true;
  CHECK(system.create_unnamed(opened).error_number == EOPNOTSUPP);
  CHECK(system.link_unnamed(file, opened, "name").error_number == EOPNOTSUPP);
  plan(directory_fault::answer_lost);
  CHECK(system.link_unnamed(file, opened, "name").error_number == EIO);
  CHECK(system.link_unnamed(file, opened, "name").error_number == EEXIST);
  plan(directory_fault::no_space);
  CHECK(system.create_unnamed(opened).error_number == ENOSPC);

  plan(directory_fault::io_error, true);
  CHECK(system.read(file, nullptr, 0).error_number == EIO);
  CHECK(system.open_file(opened, "file").error_number == EIO);

  // A fault that cannot happen to the call that it is planned for does not.
  plan(directory_fault::short_write);
  CHECK(system.unlink(opened, "file"));

  const auto fired = [&](system_call call, directory_fault what) {
    return folder.machine->fired[static_cast<std::size_t>(call)][static_cast<std::size_t>(what)];
  };
  CHECK(fired(system_call::create_file, directory_fault::no_space) == 1);
  CHECK(fired(system_call::link, directory_fault::answer_lost) == 1);
  CHECK(fired(system_call::link, directory_fault::unsupported) == 1);
  CHECK(fired(system_call::rename_new, directory_fault::unsupported) == 1);
  CHECK(fired(system_call::write, directory_fault::short_write) == 1);
  CHECK(fired(system_call::write, directory_fault::torn_write) == 1);
  CHECK(fired(system_call::read, directory_fault::io_error) == 1);
  CHECK(fired(system_call::open_file, directory_fault::io_error) == 1);
}

TEST_CASE("a failed fsync is told once to each descriptor that was open, and not to one that is opened later") {
  simulated_folder folder;
  const int one = folder.open();
  const int other = folder.open();
  folder.machine->faults = {plan_directory_fault(0, folder.machine->calls[0], directory_fault::io_error)};
  CHECK(folder.system.sync_folder(one).error_number == EIO);
  CHECK(folder.machine->trace.back().gave_up_pages);
  CHECK(folder.system.sync_folder(one));
  CHECK(folder.system.sync_folder(other).error_number == EIO);
  CHECK(folder.system.sync_folder(other));
  CHECK(folder.system.sync_folder(folder.open()));
}

TEST_CASE("a test can act between any two calls") {
  simulated_folder folder;
  auto store = folder.store();
  auto rival = folder.store();
  bool interferes = true;
  folder.machine->before = [&](const tarn::testing::traced_call& next) {
    if (next.call != system_call::link || !interferes) return;
    interferes = false;
    CHECK(rival.put_if_absent("a", "the rival's").outcome() == tarn::put_outcome::created);
  };
  CHECK(store.put_if_absent("a", "ours").outcome() == tarn::put_outcome::already_exists);
  CHECK(std::string(std::string_view(store.get("a").value())) == "the rival's");
}
