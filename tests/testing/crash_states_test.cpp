// The states that a loss of power may leave: that they are those that POSIX allows and no others, and that a store that
// forgets any one fsync is found out.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tarn/store/file_store.hpp>
#include <tarn/testing/crash_states.hpp>
#include <tarn/testing/recording_system.hpp>
#include <utility>
#include <vector>

namespace {

using tarn::testing::crash_model;
using tarn::testing::crash_options;
using tarn::testing::crash_report;
using tarn::testing::crash_state;
using tarn::testing::directory_fault;
using tarn::testing::plan_directory_fault;
using tarn::testing::recording_system;
using tarn::testing::simulated_disk;
using tarn::testing::simulated_machine;
using tarn::testing::system_call;
using tarn::testing::traced_call;

// "lake/a=bytes lake/b=" and so on, in order.
[[nodiscard]] std::string text_of(const simulated_disk& disk, simulated_disk::node_number folder = simulated_disk::root,
                                  const std::string& path = "") {
  std::string text;
  for (const auto& [name, node] : disk.at(folder).names) {
    if (!text.empty()) text += ' ';
    if (disk.at(node).is_folder) {
      const std::string inside = text_of(disk, node, path + name + "/");
      text += inside.empty() ? path + name + "/" : inside;
    } else {
      text += path + name + "=";
      for (const char c : disk.at(node).content.bytes()) text += c == '\0' ? '0' : c;
    }
  }
  return text;
}

// System calls by hand, in a folder that is durable.
struct calls_by_hand {
  std::shared_ptr<simulated_machine> machine;
  recording_system system;
  int folder = -1;

  calls_by_hand() : machine(std::make_shared<simulated_machine>()), system(machine) {
    machine->initial.set_name(simulated_disk::root, "f", machine->initial.add_folder(simulated_disk::root));
    machine->disk = machine->initial;
    folder = system.open_folder("f").value;
  }
  [[nodiscard]] int make(const char* name, const char* bytes) const {
    const int file = system.create_file(folder, name).value;
    if (*bytes != '\0') (void)system.write(file, bytes, std::string_view(bytes).size());
    return file;
  }
  // All states at the end of the calls.
  [[nodiscard]] std::set<std::string> states(const crash_model& model = tarn::testing::weakest_posix) const {
    std::set<std::string> found;
    tarn::testing::crash_medium medium(machine->initial, model);
    for (const traced_call& each : machine->trace) (void)medium.apply(each);
    tarn::testing::crash_detail::try_all(
        medium.ways(), [&](const std::vector<std::size_t>& chosen) { found.insert(text_of(medium.disk(chosen))); });
    return found;
  }
};

using texts = std::set<std::string>;

// --- a store that puts a data object and the log entry that names it, and so on -----------------------------------

struct object {
  std::string name;
  std::string bytes;
};

// Puts objects, each with a mark when the store has said that it is durable.
class putting_store {
 public:
  explicit putting_store(std::size_t objects, bool unnamed_files = false) {
    machine->has_unnamed_files = unnamed_files;
    for (std::size_t each = 0; each < objects; ++each)
      objects_.push_back(
          {(each % 2 == 0 ? "data" : "log") + std::to_string(each / 2), "bytes of " + std::to_string(each)});
  }

  void run() {
    store_type store("lake", tarn::file_store_options{}, recording_system(machine));
    for (const object& each : objects_) {
      const auto put = store.put_if_absent(each.name, each.bytes);
      if (put.outcome() != tarn::put_outcome::created) return;
      machine->mark(each.name);
    }
  }

  // Enumerates, and counts the states that break a promise.
  crash_report enumerate(const crash_options& options = crash_options{}) {
    bad = 0;
    return for_each_crash_state(machine->initial, machine->trace, options, [&](const crash_state& state) {
      const bool good = is_good(state);
      bad += good ? 0 : 1;
      return true;
    });
  }

  std::shared_ptr<simulated_machine> machine = std::make_shared<simulated_machine>();
  std::size_t bad = 0;

 private:
  using store_type = tarn::file_store<recording_system>;

  // What was acknowledged is there; what is there is whole; nothing is there without what was put before.
  [[nodiscard]] bool is_good(const crash_state& state) const {
    store_type store("lake", tarn::file_store_options{},
                     recording_system(std::make_shared<simulated_machine>(state.disk)));
    bool all_before = true;
    for (std::size_t at = 0; at < objects_.size(); ++at) {
      const auto found = store.get(objects_[at].name);
      if (found && (!all_before || std::string_view(*found) != objects_[at].bytes)) return false;
      if (!found && (at < state.marks || found.error().code() != tarn::errc::not_found)) return false;
      all_before = all_before && found.has_value();
    }
    return true;
  }

  std::vector<object> objects_;
};

}  // namespace

TEST_CASE("what is not synced is there or not, torn, or whole; fsync of a file fixes its bytes and not its name") {
  const calls_by_hand by;
  const int file = by.make("a", "bytes!");
  CHECK(by.states() == texts{"f/", "f/a=", "f/a=b", "f/a=byt", "f/a=bytes", "f/a=byt000", "f/a=bytes!"});
  CHECK(by.states(tarn::testing::ordered_like_ext4) ==
        texts{"f/", "f/a=", "f/a=b", "f/a=byt", "f/a=bytes", "f/a=bytes!"});
  CHECK(by.system.sync_file(file));
  CHECK(by.states() == texts{"f/", "f/a=bytes!"});
  CHECK(by.states(tarn::testing::ordered_like_ext4) == texts{"f/a=bytes!"});
}

TEST_CASE("a write is torn after one byte, in the middle, where its last block begins, and before its last byte") {
  const auto torn = [](std::size_t before, std::size_t size) {
    const calls_by_hand by;
    const int file = by.make("a", std::string(before, '-').c_str());
    CHECK(by.system.sync_file(file));
    CHECK(by.system.sync_folder(by.folder));
    const std::string bytes(size, '+');
    CHECK(by.system.write(file, bytes.data(), bytes.size()));
    std::set<std::size_t> sizes;
    for (const std::string& each : by.states(tarn::testing::ordered_like_ext4))
      sizes.insert(static_cast<std::size_t>(std::count(each.begin(), each.end(), '+')));
    return sizes;
  };
  using all = std::set<std::size_t>;
  CHECK(torn(0, 1200) == all{0, 1, 600, 1024, 1199, 1200});
  CHECK(torn(0, 1024) == all{0, 1, 512, 1023, 1024});
  CHECK(torn(0, 512) == all{0, 1, 256, 511, 512});
  CHECK(torn(500, 100) == all{0, 1, 12, 50, 99, 100});
  CHECK(torn(0, 1) == all{0, 1});
}

TEST_CASE("a file without a name is nowhere; with its first name, its bytes are as they were synced or not") {
  const auto link = [](bool synced) {
    const calls_by_hand by;
    by.machine->has_unnamed_files = true;
    const int file = by.system.create_unnamed(by.folder).value;
    CHECK(by.system.write(file, "xy", 2));
    if (synced) CHECK(by.system.sync_file(file));
    CHECK(by.states() == texts{"f/"});
    CHECK(by.system.sync_folder(by.folder));
    CHECK(by.system.link_unnamed(file, by.folder, "a"));
    const texts open = by.states();
    CHECK(by.system.sync_folder(by.folder));
    CHECK(by.states().count("f/") == 0);
    CHECK(by.states().size() + 1 == open.size());
    return open;
  };
  CHECK(link(true) == texts{"f/", "f/a=xy"});
  CHECK(link(false) == texts{"f/", "f/a=", "f/a=x", "f/a=x0", "f/a=xy"});
}

TEST_CASE("fsync of a folder fixes the names in it, and not the bytes of the files") {
  const calls_by_hand by;
  (void)by.make("a", "xy");
  CHECK(by.system.sync_folder(by.folder));
  CHECK(by.states() == texts{"f/a=", "f/a=x", "f/a=x0", "f/a=xy"});
}

TEST_CASE("names that are not synced are there in any subset; with a journal the first ones are") {
  const calls_by_hand by;
  for (const char* const name : {"a", "b", "c"}) (void)by.make(name, "");
  CHECK(by.states().size() == 8);
  CHECK(by.states(tarn::testing::ordered_like_ext4) == texts{"f/", "f/a=", "f/a= f/b=", "f/a= f/b= f/c="});
}

TEST_CASE("changes of one name are on the medium up to one of them") {
  const calls_by_hand by;
  CHECK(by.system.sync_file(by.make("a", "1")));
  CHECK(by.system.sync_folder(by.folder));
  CHECK(by.system.unlink(by.folder, "a"));
  CHECK(by.system.sync_file(by.make("a", "2")));
  CHECK(by.states() == texts{"f/a=1", "f/", "f/a=2"});
}

TEST_CASE("a rename is one change in a journal; POSIX does not say so") {
  const calls_by_hand by;
  CHECK(by.system.sync_file(by.make("a", "1")));
  CHECK(by.system.sync_folder(by.folder));
  CHECK(by.system.rename_new(by.folder, "a", "b"));
  CHECK(by.states() == texts{"f/a=1", "f/b=1", "f/", "f/a=1 f/b=1"});
  CHECK(by.states(tarn::testing::ordered_like_ext4) == texts{"f/a=1", "f/b=1"});
  CHECK(by.system.sync_folder(by.folder));
  CHECK(by.states() == texts{"f/b=1"});
}

TEST_CASE("a folder is durable when its parent was synced, whatever was synced in it") {
  const calls_by_hand by;
  CHECK(by.system.make_folder("f/g"));
  const int inner = by.system.open_folder("f/g").value;
  const int file = by.system.create_file(inner, "a").value;
  CHECK(by.system.sync_file(file));
  CHECK(by.system.sync_folder(inner));
  CHECK(by.states() == texts{"f/", "f/g/a="});
  CHECK(by.system.sync_folder(by.folder));
  CHECK(by.states() == texts{"f/g/a="});
}

TEST_CASE("what a failed fsync has given up stays in doubt, if the model says so; what came later does not") {
  const calls_by_hand by;
  const int file = by.make("a", "xy");
  for (int call = 0; call < 2; ++call)
    by.machine->faults.push_back(
        plan_directory_fault(0, by.machine->calls[0] + std::size_t(call), directory_fault::io_error));
  CHECK_FALSE(by.system.sync_file(file));
  CHECK_FALSE(by.system.sync_folder(by.folder));
  (void)by.make("b", "");
  CHECK(by.system.sync_file(file));
  CHECK(by.system.sync_folder(by.folder));
  CHECK(by.states() == texts{"f/a=xy f/b="});
  CHECK(by.states(tarn::testing::failed_sync_gives_up_pages) ==
        texts{"f/b=", "f/a= f/b=", "f/a=x f/b=", "f/a=x0 f/b=", "f/a=xy f/b="});
}

TEST_CASE("two puts: no state breaks a promise; each kind of fsync that is forgotten is found out") {
  // What is forgotten, and how many states there are then. The figures are pinned so that a change is a decision.
  struct forgotten {
    std::string what;
    std::function<bool(const traced_call&)> sync;
    std::uint64_t states;
    std::uint64_t bad;  // pairs of a state and what was acknowledged
    std::uint64_t states_unnamed;
    std::uint64_t bad_unnamed;
  };
  const simulated_disk::node_number lake = 1;
  const std::vector<forgotten> all{
      {"nothing", {}, 26, 0, 4, 0},
      {"files", [](const traced_call& sync) { return sync.call == system_call::sync_file; }, 236, 290, 44, 80},
      {"the folder", [=](const traced_call& sync) { return sync.folder == lake; }, 42, 30, 5, 5},
      {"the parent", [](const traced_call& sync) { return sync.folder == simulated_disk::root; }, 26, 2, 4, 2},
  };
  for (const forgotten& each : all)
    for (const bool unnamed : {false, true}) {
      INFO("forgotten: ", each.what, unnamed ? ", files without a name" : "");
      putting_store puts(2, unnamed);
      puts.machine->forgets_sync = each.sync;
      puts.run();
      const crash_report report = puts.enumerate();
      CHECK(report.distinct == (unnamed ? each.states_unnamed : each.states));
      CHECK(report.moments_cut == 0);
      CHECK(puts.bad == (unnamed ? each.bad_unnamed : each.bad));
    }
}

TEST_CASE("every single fsync of the puts of two commits is needed, and no state breaks a promise if all are made") {
  for (const bool unnamed : {false, true}) {
    std::size_t syncs = 0;
    putting_store all(4, unnamed);
    all.machine->forgets_sync = [&](const traced_call&) {
      ++syncs;
      return false;
    };
    all.run();
    CHECK(all.enumerate().visited > (unnamed ? 8 : 50));
    CHECK(all.bad == 0);
    CHECK(syncs == 9);  // the parent's; a file's and the folder's for each put
    for (std::size_t forgotten = 0; forgotten < syncs; ++forgotten) {
      INFO("fsync ", forgotten);
      putting_store puts(4, unnamed);
      std::size_t seen = 0;
      puts.machine->forgets_sync = [&](const traced_call&) { return seen++ == forgotten; };
      puts.run();
      (void)puts.enumerate();
      CHECK(puts.bad != 0);
    }
  }
}

TEST_CASE("a put tells the truth about every state of the medium, whichever system call fails in whichever way") {
  std::size_t runs = 0;
  std::uint64_t fired = 0;
  const auto run = [&](std::size_t call, directory_fault what, bool for_good, const crash_model& model, bool unnamed) {
    putting_store puts(2, unnamed);
    puts.machine->faults = {plan_directory_fault(0, call, what, for_good)};
    puts.run();
    crash_options options;
    options.model = model;
    (void)puts.enumerate(options);
    CHECK_MESSAGE(puts.bad == 0, "call ", call, ", fault ", static_cast<int>(what), for_good ? ", for good" : "",
                  unnamed ? ", files without a name" : "");
    ++runs;
    for (const auto& of_call : puts.machine->fired) fired += of_call[static_cast<std::size_t>(what)];
    return puts.machine->calls[0] > call;
  };
  for (const crash_model& model : {tarn::testing::weakest_posix, tarn::testing::failed_sync_gives_up_pages})
    for (std::size_t what = 0; what < tarn::testing::directory_faults; ++what)
      for (const bool for_good : {false, true})
        for (const bool unnamed : {false, true})
          for (std::size_t call = 0; run(call, static_cast<directory_fault>(what), for_good, model, unnamed); ++call)
            continue;
  MESSAGE(runs, " runs, ", fired, " faults");
  CHECK(runs > 750);
  CHECK(fired > 550);
}

TEST_CASE("who is told that a name is taken is told of something durable, even before its writer is") {
  for (const bool unnamed : {false, true}) {
    putting_store puts(1, unnamed);
    bool taken = false;
    puts.machine->before = [&](const traced_call& next) {
      // The name is there, and its writer is about to fsync the folder.
      if (next.call != system_call::sync_folder || puts.machine->disk.find_path("lake/data0") == simulated_disk::none)
        return;
      puts.machine->before = {};
      tarn::file_store<recording_system> rival("lake", tarn::file_store_options{}, recording_system(puts.machine, 1));
      taken = rival.put_if_absent("data0", "the rival's").outcome() == tarn::put_outcome::already_exists;
      puts.machine->mark("data0", 1);
    };
    puts.run();
    CHECK(taken);
    (void)puts.enumerate();
    CHECK(puts.bad == 0);
  }
}

TEST_CASE("what is put because of something that was found is never there without it") {
  for (const bool unnamed : {false, true}) {
    putting_store puts(2, unnamed);
    bool created = false;
    puts.machine->before = [&](const traced_call& next) {
      // The data object is there, and its writer is about to fsync the folder.
      if (next.call != system_call::sync_folder || puts.machine->disk.find_path("lake/data0") == simulated_disk::none)
        return;
      puts.machine->before = {};
      tarn::file_store<recording_system> rival("lake", tarn::file_store_options{}, recording_system(puts.machine, 1));
      if (rival.get("data0"))
        created = rival.put_if_absent("log0", "bytes of 1").outcome() == tarn::put_outcome::created;
    };
    puts.run();
    CHECK(created);
    (void)puts.enumerate();
    CHECK(puts.bad == 0);
  }
}

TEST_CASE("when one moment has too many states, some are tried, and the report says so") {
  const calls_by_hand by;
  for (int each = 0; each < 20; ++each) (void)by.make(std::string(1, static_cast<char>('a' + each)).c_str(), "x");
  crash_options options;
  options.states_per_moment_max = 500;
  std::size_t visits = 0;
  std::size_t empty = 0;
  std::size_t full = 0;
  const crash_report report =
      for_each_crash_state(by.machine->initial, by.machine->trace, options, [&](const crash_state& state) {
        const std::size_t names = state.disk.at(1).names.size();
        ++visits;
        empty += names == 0 ? 1 : 0;
        full += names == 20 ? 1 : 0;
        return true;
      });
  CHECK(report.visited == visits);
  CHECK(report.moments == 41);
  CHECK(report.moments_cut > 30);
  CHECK(report.moments_cut < report.moments);
  CHECK(report.combinations <= 41 * options.states_per_moment_max);
  CHECK(empty == 1);
  CHECK(full > 1);
}

TEST_CASE("a visitor that has seen enough ends it; moments that were tried before can be left out") {
  putting_store puts(2);
  puts.run();
  const auto visit_up_to = [&](std::uint64_t visits_max, std::size_t from_call) {
    crash_options options;
    options.from_call = from_call;
    std::uint64_t visits = 0;
    return for_each_crash_state(puts.machine->initial, puts.machine->trace, options, [&](const crash_state& state) {
      CHECK(state.calls >= from_call);
      CHECK(state.hash == state.disk.hash());
      return ++visits < visits_max;
    });
  };
  CHECK(visit_up_to(3, 0).visited == 3);
  const std::uint64_t all = visit_up_to(1'000, 0).visited;
  const std::uint64_t later = visit_up_to(1'000, 12).visited;
  CHECK(later > 0);
  CHECK(later < all);
}
