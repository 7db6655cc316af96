// Every system call of a put fails, with every error, before or after it took effect, once or from then on: whatever
// the store then answers must be true.
#include <doctest/doctest.h>
#include <errno.h>

#include <cstddef>
#include <memory>
#include <string>
#include <tarn/store/file_store.hpp>
#include <vector>

#include "../support/faulty_system.hpp"
#include "../support/folder_contents.hpp"
#include "../support/random_source.hpp"
#include "../support/temporary_folder.hpp"

namespace {

using tarn_test::contents_of;
using tarn_test::count_descriptors;
using tarn_test::count_temporary;
using tarn_test::fault;
using tarn_test::faulty_system;
using tarn_test::system_plan;
using tarn_test::write_file;

const std::string our_bytes = "the bytes of this put, more than one write takes";
const std::string their_bytes = "someone else's";

// Where a put starts from.
struct scenario {
  std::string what;
  bool folder_exists = true;
  bool name_taken = false;
  bool has_links = true;
  bool has_unnamed_files = false;
  tarn::durability durability = tarn::durability::full;
};

const std::vector<scenario>& scenarios() {
  static const std::vector<scenario> all{
      {"in a folder"},
      {"in a folder yet to be made", false},
      {"of a name that is taken", true, true},
      {"without hard links", true, false, false},
      {"without hard links, of a name that is taken", true, true, false},
      {"without fsync", false, false, true, false, tarn::durability::none},
      {"of a file without a name", true, false, true, true},
      {"of a file without a name under one that is taken", true, true, true, true},
      {"of a file without a name, without hard links", true, false, false, true},
  };
  return all;
}

// A folder and a store of which everything is known.
class trial {
 public:
  explicit trial(const scenario& start) : start_(start), plan_(std::make_shared<system_plan>()) {
    if (start.folder_exists) std::filesystem::create_directory(path());
    if (start.name_taken) {
      write_file(path() / "name", their_bytes);
      plan_->names["name"] = false;
    }
    plan_->write_bytes_max = 30;
    plan_->has_unnamed_files = start.has_unnamed_files;
    store_.push_back(another_store());
  }

  [[nodiscard]] std::filesystem::path path() const { return parent_.path() / "lake"; }
  [[nodiscard]] system_plan& plan() { return *plan_; }
  [[nodiscard]] auto& store() { return store_.front(); }
  [[nodiscard]] tarn::file_store<faulty_system> another_store() const {
    tarn::file_store_options options;
    options.durability = start_.durability;
    return tarn::file_store(path().string(), options, faulty_system(plan_));
  }
  void close() { store_.clear(); }

  // The file system of the scenario, and what else goes wrong.
  void set_faults(std::vector<fault> faults) {
    plan_->forget_calls();
    plan_->faults = std::move(faults);
    if (start_.has_links) return;
    for (const char* const kind : {"link", "link_unnamed"})
      plan_->faults.push_back({0, EPERM, fault::moment::before, true, kind});
  }

  [[nodiscard]] tarn::put_result put() { return store().put_if_absent("name", our_bytes); }

  // Whether what the store answers is so.
  void check_truth(const tarn::put_result& put) {
    const auto contents = contents_of(path());
    const auto found = contents.find("name");
    const bool there = found != contents.end();
    const std::string before = start_.name_taken ? their_bytes : our_bytes;
    if (there) CHECK_EQ(found->second, before);  // whole, and whoever was first
    switch (put.outcome()) {
      case tarn::put_outcome::created:
        CHECK(there);
        CHECK_FALSE(start_.name_taken);
        break;
      case tarn::put_outcome::already_exists: CHECK(there); break;
      case tarn::put_outcome::not_applied: CHECK_EQ(there, start_.name_taken); break;
      case tarn::put_outcome::unknown: break;
    }
    const bool promised =
        put.outcome() == tarn::put_outcome::created || put.outcome() == tarn::put_outcome::already_exists;
    // A loss of power at any moment, also during the put, never shows a name without its bytes.
    if (start_.durability == tarn::durability::full) CHECK(plan().torn.empty());
    if (parent_is_excused()) plan().folder_durable = true;
    if (promised && start_.durability == tarn::durability::full) CHECK(plan().survives_power_loss("name"));
    if (!promised) CHECK(put.why().message().find("object name in folder \"") != std::string::npos);
  }

  // After the trouble is over, the store works again, or says for good that it cannot promise anything.
  void check_recovery(bool all_removed) {
    const bool lost = plan_->error_of("sync_folder folder") != 0 ||
                      (plan_->error_of("sync_folder parent") != 0 && !parent_is_excused());
    set_faults({});
    const tarn::put_result other = store().put_if_absent("other", "bytes");
    if (lost) {
      CHECK_EQ(other.outcome(), tarn::put_outcome::not_applied);
      CHECK(plan_->trace.empty());
    } else {
      CHECK_EQ(other.outcome(), tarn::put_outcome::created);
      CHECK_EQ(contents_of(path())["other"], "bytes");
      if (all_removed) CHECK_EQ(count_temporary(path()), 0);
    }
    auto next = another_store();
    CHECK_EQ(next.put_if_absent("next", "bytes").outcome(), tarn::put_outcome::created);
  }

 private:
  // A parent that may not be read, or cannot be fsynced, if it held the folder before: not the store's concern.
  [[nodiscard]] bool parent_is_excused() const {
    const int opening = plan_->error_of("open_parent");
    return start_.folder_exists &&
           (opening == EACCES || opening == EPERM || plan_->error_of("sync_folder parent") == EINVAL);
  }

  tarn_test::temporary_folder parent_{tarn_test::memory_or_disk()};
  scenario start_;
  std::shared_ptr<system_plan> plan_;
  std::vector<tarn::file_store<faulty_system>> store_;
};

std::size_t count_calls(const scenario& start) {
  trial undisturbed(start);
  undisturbed.set_faults({});
  const tarn::put_result put = undisturbed.put();
  REQUIRE_EQ(put.outcome(), start.name_taken ? tarn::put_outcome::already_exists : tarn::put_outcome::created);
  undisturbed.check_truth(put);
  return undisturbed.plan().trace.size();
}

// Runs one put under these faults. Returns whether all of them were met.
void run(const scenario& start, const std::vector<fault>& faults) {
  INFO("a put ", start.what);
  for (const fault& planned : faults)
    INFO("call ", planned.call, " fails with error ", planned.error_number,
         planned.when == fault::moment::before ? " before" : " after", " its effect",
         planned.for_good ? ", for good" : "");
  const std::size_t descriptors = count_descriptors();
  {
    trial here(start);
    here.set_faults(faults);
    const tarn::put_result put = here.put();
    std::string calls;
    bool removed_at_once = true;
    bool removed_later = true;
    for (std::size_t at = 0; at < here.plan().trace.size(); ++at) {
      calls += here.plan().trace[at] + "; ";
      if (!here.plan().trace[at].starts_with("unlink")) continue;
      for (const fault& planned : here.plan().faults) {
        const bool failed = planned.call == at || (planned.for_good && planned.kind == "unlink");
        if (failed) removed_at_once = false;
        if (failed && planned.error_number == ENOENT) removed_later = false;  // the kernel said that it is gone
      }
    }
    INFO("calls: ", calls);
    here.check_truth(put);
    if (removed_at_once) CHECK_EQ(count_temporary(here.path()), 0);
    here.check_recovery(removed_later);
    here.close();
    CHECK(here.plan().nothing_open());
  }
  CHECK_EQ(count_descriptors(), descriptors);
}

constexpr int errors[] = {EIO,    ENOSPC, EDQUOT, EROFS,      EACCES, EPERM,  EINTR,  ENOENT,    EEXIST,
                          EINVAL, ENOSYS, EMLINK, EOPNOTSUPP, EMFILE, ENOMEM, ESTALE, ETIMEDOUT, ENOTDIR};

}  // namespace

TEST_CASE("A put answers the truth, and leaves nothing behind, whichever system call fails in whichever way") {
  std::size_t runs = 0;
  for (const scenario& start : scenarios()) {
    const std::size_t calls = count_calls(start);
    REQUIRE_GE(calls, 5);
    for (std::size_t call = 0; call <= calls; ++call)
      for (const int error_number : errors)
        for (const auto when : {fault::moment::before, fault::moment::after})
          for (const bool for_good : {false, true}) {
            if (runs++ % tarn_test::share_of_cases() != 0) continue;
            run(start, {{call, error_number, when, for_good, ""}});
          }
  }
  MESSAGE((runs / tarn_test::share_of_cases()), " puts with a fault");
}

TEST_CASE("A put answers the truth when two of its system calls fail") {
  std::size_t runs = 0;
  for (const scenario& start : scenarios()) {
    const std::size_t calls = count_calls(start);
    for (std::size_t first = 0; first < calls; ++first)
      for (std::size_t second = first + 1; second <= calls + 2; ++second)  // the first may cause further calls
        for (const int first_error : {EIO, EINTR, EEXIST})
          for (const int second_error : {EIO, ENOENT})
            for (const auto when : {fault::moment::before, fault::moment::after}) {
              if (runs++ % tarn_test::share_of_cases() != 0) continue;
              run(start, {{first, first_error, when, false, ""}, {second, second_error, when, false, ""}});
            }
  }
  MESSAGE((runs / tarn_test::share_of_cases()), " puts with two faults");
}
