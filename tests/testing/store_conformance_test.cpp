// The conformance suite must be able to fail: each way to break a store is found, and named.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tarn/store/store.hpp>
#include <tarn/testing/store_conformance.hpp>
#include <thread>
#include <vector>

namespace {

enum class flaw {
  none,
  overwrites,
  overwrites_and_says_created,
  loses,
  cuts_large_objects,
  ends_at_zero,
  writes_text,
  takes_empty_for_absent,
  cuts_names,
  finds_by_prefix,
  mixes_up_old_objects,
  keeps_a_reference,
  denies_what_it_stored,
  reports_absent_as_failure,
  starts_full,
  lists_not_all,
  lists_twice,
  lists_from_the_start,
  lists_the_start_too,
  lists_other_prefixes,
  lists_ghosts,
  cannot_list,
  fails_to_remove_the_absent,
  does_not_remove,
  removes_too_much,
  remembers_removed_names,
  checks_then_acts,
  has_no_winner,
  tears_in_a_race,
  shows_the_name_before_the_bytes,
};

// Owns its bytes, at a place that a move does not change.
struct shared_handle {
  std::shared_ptr<const std::string> bytes;
  operator std::string_view() const { return *bytes; }
};

// A simple, correct store, but for one flaw.
class flawed_store {
 public:
  using handle = shared_handle;
  static constexpr tarn::store_strengths strengths{.durable = false, .complete_list = true, .thread_safe = true};

  explicit flawed_store(flaw has) : flaw_(has), content_(std::make_unique<content>()) {
    if (has == flaw::starts_full) content_->objects["_log_00000000000000000000"] = "";
  }

  tarn::put_result put_if_absent(std::string_view given, std::string_view bytes) {
    const std::string name(flaw_ == flaw::cuts_names ? given.substr(0, 200) : given);
    if (flaw_ == flaw::checks_then_acts) return check_then_act(name, bytes);
    if (flaw_ == flaw::shows_the_name_before_the_bytes) show(name);
    const std::lock_guard hold(content_->guard);
    const bool removed_before = flaw_ == flaw::remembers_removed_names && content_->removed.count(name) != 0;
    const bool there = content_->objects.count(name) != 0 && content_->shown.erase(name) == 0;
    if (there || removed_before) return refuse(name, bytes);
    const bool lost = flaw_ == flaw::loses && ++content_->puts % 7 == 0;
    if (!lost) content_->objects[name] = stored(bytes);
    if (flaw_ == flaw::keeps_a_reference && name.starts_with("object_")) content_->last = {name, bytes};
    if (flaw_ == flaw::denies_what_it_stored) return tarn::put_result::not_applied({tarn::errc::io, "denied"});
    if (flaw_ == flaw::has_no_winner && name.starts_with("race_")) return tarn::put_result::already_exists();
    return tarn::put_result::created();
  }

  tarn::result<handle> get(std::string_view given) {
    const std::string name(flaw_ == flaw::cuts_names ? given.substr(0, 200) : given);
    const std::lock_guard hold(content_->guard);
    auto found = content_->objects.find(name);
    if (flaw_ == flaw::finds_by_prefix) found = content_->objects.lower_bound(name + ".");
    if (flaw_ == flaw::finds_by_prefix && (found == content_->objects.end() || !found->first.starts_with(name)))
      found = content_->objects.find(name);
    if (flaw_ == flaw::mixes_up_old_objects && found != content_->objects.end() && content_->objects.size() > 15)
      found = content_->objects.begin();
    const bool absent =
        found == content_->objects.end() || (flaw_ == flaw::takes_empty_for_absent && found->second.empty());
    if (absent)
      return tarn::error{flaw_ == flaw::reports_absent_as_failure ? tarn::errc::io : tarn::errc::not_found, "absent"};
    if (flaw_ == flaw::keeps_a_reference && content_->last.first == name) {
      content_->last.first.clear();  // only as long as the caller's memory is sure to be there
      return shared_handle{std::make_shared<const std::string>(content_->last.second)};
    }
    return shared_handle{std::make_shared<const std::string>(found->second)};
  }

  template <class Visitor>
  tarn::status list(std::string_view prefix, std::string_view start_after, Visitor visit) {
    if (flaw_ == flaw::cannot_list) return tarn::error{tarn::errc::io, "cannot"};
    std::vector<std::string> names;
    {
      const std::lock_guard hold(content_->guard);
      for (const auto& [name, bytes] : content_->objects) names.push_back(name);
    }
    if (flaw_ == flaw::lists_not_all && names.size() > 3) names.pop_back();
    if (flaw_ == flaw::lists_twice && !names.empty()) names.push_back(names.front());
    if (flaw_ == flaw::lists_ghosts) names.push_back("zzz_ghost");
    for (const std::string_view name : names) {
      const bool in = flaw_ == flaw::lists_other_prefixes || name.starts_with(prefix);
      const bool after = flaw_ == flaw::lists_from_the_start || name > start_after ||
                         (flaw_ == flaw::lists_the_start_too && name == start_after);
      if (in && after) visit(name);
    }
    return {};
  }

  tarn::status remove(std::string_view name) {
    const std::lock_guard hold(content_->guard);
    const std::size_t there = content_->objects.count(std::string(name));
    if (there == 0 && flaw_ == flaw::fails_to_remove_the_absent) return tarn::error{tarn::errc::not_found, "absent"};
    if (flaw_ != flaw::does_not_remove) content_->objects.erase(std::string(name));
    if (flaw_ == flaw::removes_too_much) content_->objects.clear();
    content_->removed.insert(std::string(name));
    return {};
  }

 private:
  struct content {
    std::mutex guard;
    std::map<std::string, std::string> objects;
    std::set<std::string> removed;
    std::set<std::string> shown;
    std::pair<std::string, std::string_view> last;
    int puts = 0;
  };

  tarn::put_result refuse(const std::string& name, std::string_view bytes) {
    if (flaw_ == flaw::overwrites || flaw_ == flaw::overwrites_and_says_created) content_->objects[name] = bytes;
    if (flaw_ == flaw::overwrites_and_says_created) return tarn::put_result::created();
    if (flaw_ == flaw::tears_in_a_race && name.starts_with("race_")) content_->objects[name][5] = '?';
    return tarn::put_result::already_exists();
  }

  tarn::put_result check_then_act(const std::string& name, std::string_view bytes) {
    {
      const std::lock_guard hold(content_->guard);
      if (content_->objects.count(name) != 0) return tarn::put_result::already_exists();
    }
    if (name.starts_with("race_")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard hold(content_->guard);
    content_->objects[name] = bytes;
    return tarn::put_result::created();
  }

  // The name is there, with nothing in it, a moment before the bytes are.
  void show(const std::string& name) {
    {
      const std::lock_guard hold(content_->guard);
      if (content_->objects.count(name) != 0 || !name.starts_with("race_")) return;
      content_->objects[name] = "";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard hold(content_->guard);
    content_->shown.insert(name);
  }

  [[nodiscard]] std::string stored(std::string_view bytes) const {
    if (flaw_ == flaw::cuts_large_objects) return std::string(bytes.substr(0, 65'535));
    if (flaw_ == flaw::ends_at_zero) return std::string(bytes.substr(0, bytes.find('\0')));
    if (flaw_ != flaw::writes_text) return std::string(bytes);
    std::string text;
    for (const char c : bytes) {
      if (c == '\n') text += '\r';
      text += c;
    }
    return text;
  }

  flaw flaw_;
  std::unique_ptr<content> content_;
};

static_assert(tarn::removing_store<flawed_store>);

tarn::testing::store_conformance_options small() {
  tarn::testing::store_conformance_options options;
  options.object_bytes_max = 200'000;
  options.threads = 4;
  options.races = 6;
  return options;
}

template <class MakeStore>
void check_found(MakeStore make_store, std::string_view part) {
  const auto report = tarn::testing::test_store(make_store, small());
  INFO("expected: ", std::string(part), "\n", report.text());
  CHECK_FALSE(report.conforms());
  CHECK(report.text().find(part) != std::string::npos);
}

// One place for all objects: what a handle shows changes with the next get.
struct one_buffer_store {
  struct handle {
    const std::string* shown;
    operator std::string_view() const { return *shown; }
  };
  std::map<std::string, std::string, std::less<>> objects;
  std::shared_ptr<std::string> buffer = std::make_shared<std::string>();
  static std::vector<std::shared_ptr<std::string>>& all_buffers() {
    static std::vector<std::shared_ptr<std::string>> all;  // so that the test itself reads no freed memory
    return all;
  }
  one_buffer_store() { all_buffers().push_back(buffer); }

  tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    return objects.emplace(name, bytes).second ? tarn::put_result::created() : tarn::put_result::already_exists();
  }
  tarn::result<handle> get(std::string_view name) {
    const auto found = objects.find(name);
    if (found == objects.end()) return tarn::error{tarn::errc::not_found, "absent"};
    *buffer = found->second;
    return handle{buffer.get()};
  }
  template <class Visitor>
  tarn::status list(std::string_view, std::string_view, Visitor) {
    return {};
  }
};

// A handle whose short contents move with it.
struct short_string_store {
  struct handle {
    std::string bytes;
    operator std::string_view() const { return bytes; }
  };
  std::map<std::string, std::string, std::less<>> objects;

  tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    return objects.emplace(name, bytes).second ? tarn::put_result::created() : tarn::put_result::already_exists();
  }
  tarn::result<handle> get(std::string_view name) {
    const auto found = objects.find(name);
    if (found == objects.end()) return tarn::error{tarn::errc::not_found, "absent"};
    return handle{found->second};
  }
  template <class Visitor>
  tarn::status list(std::string_view, std::string_view, Visitor) {
    return {};
  }
};

// A store whose handles see what becomes of the object.
struct wiping_store : short_string_store {
  struct handle {
    std::shared_ptr<std::string> bytes;
    operator std::string_view() const { return *bytes; }
  };
  std::map<std::string, std::shared_ptr<std::string>, std::less<>> shared_objects;
  bool when_destroyed = false;

  explicit wiping_store(bool late) : when_destroyed(late) {}
  wiping_store(wiping_store&&) = default;
  ~wiping_store() {
    if (!when_destroyed) return;
    for (const auto& [name, bytes] : shared_objects) bytes->assign(bytes->size(), 'w');
  }
  tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
    if (shared_objects.count(name) != 0) return tarn::put_result::already_exists();
    shared_objects.emplace(name, std::make_shared<std::string>(bytes));
    return tarn::put_result::created();
  }
  tarn::result<handle> get(std::string_view name) {
    const auto found = shared_objects.find(name);
    if (found == shared_objects.end()) return tarn::error{tarn::errc::not_found, "absent"};
    return handle{found->second};
  }
  tarn::status remove(std::string_view name) {
    const auto found = shared_objects.find(name);
    if (found == shared_objects.end()) return {};
    if (!when_destroyed) found->second->assign(found->second->size(), 'w');
    if (!when_destroyed) shared_objects.erase(found);
    return {};
  }
};

}  // namespace

TEST_CASE("The conformance suite finds nothing in a store without flaws [threads]") {
  const auto report = tarn::testing::test_store([] { return flawed_store(flaw::none); }, small());
  INFO(report.text());
  CHECK(report.conforms());
  CHECK_GT(report.checks(), 1'000);
}

TEST_CASE("The conformance suite finds each flaw of a store, and names it") {
  const struct {
    flaw has;
    std::string_view report;
  } expectations[] = {
      {flaw::overwrites, "the bytes of taken must be the ones put, after a second put of that name"},
      {flaw::overwrites_and_says_created,
       "put_if_absent must answer `already_exists` for a name that is taken, not `created`"},
      {flaw::loses, "get must find what was put: object_6 is not there right after the put"},
      {flaw::cuts_large_objects, "65535 bytes instead of"},
      {flaw::ends_at_zero, "must be the ones put, if all are the same: 0 bytes instead of 3"},
      {flaw::writes_text,
       "the bytes of value_10 must be the ones put, if all are the same: 6 bytes instead of 3, the "
       "first difference at offset 0"},
      {flaw::takes_empty_for_absent, "get must find what was put: object_0 is not there"},
      {flaw::cuts_names, "put_if_absent must answer `created` for a new name, but for nnnnn"},
      {flaw::finds_by_prefix, "although names are alike"},
      {flaw::mixes_up_old_objects, "after other puts"},
      {flaw::keeps_a_reference, "right after the put"},
      {flaw::denies_what_it_stored, "must answer `created` for a new name"},
      {flaw::reports_absent_as_failure, "get must answer errc::not_found in an empty store, not io (absent)"},
      {flaw::starts_full, "get must find nothing in an empty store, but there is _log_00000000000000000000"},
      {flaw::lists_not_all, "claims to be complete, but names"},
      {flaw::lists_twice, "2 times"},
      {flaw::lists_from_the_start, "must not name what is not after its start"},
      {flaw::lists_the_start_too, "must not name what is not after its start"},
      {flaw::lists_other_prefixes, "must not name what has another prefix"},
      {flaw::lists_ghosts, "must not name what was never put: zzz_ghost"},
      {flaw::cannot_list, "list(\"\", \"\") must succeed: cannot"},
      {flaw::fails_to_remove_the_absent, "remove must succeed, whether or not there is such an object (never_put)"},
      {flaw::does_not_remove, "get must find nothing after a removal, but there is second"},
      {flaw::removes_too_much, "get must find what was put: first is not there after the removal of another"},
      {flaw::remembers_removed_names, "must answer `created` for a new name, but for second"},
      // How many were depends on who was running.
      {flaw::checks_then_acts, "of several writers that race for a name one is told `created`, but here "},
      {flaw::has_no_winner, "of several writers that race for a name one is told `created`, but here none was"},
      {flaw::tears_in_a_race, "must be the ones put, namely those of the winner"},
      {flaw::shows_the_name_before_the_bytes, "for each writer, at once"},
  };
  for (const auto& expected : expectations) check_found([&] { return flawed_store(expected.has); }, expected.report);
}

TEST_CASE("The conformance suite finds handles that do not hold their bytes") {
  check_found([] { return one_buffer_store(); }, "in handles that are kept while others are made");
  check_found([] { return short_string_store(); }, "in a view that was taken before the handle was moved");
  check_found([] { return wiping_store(false); }, "in handles to objects that were removed");
  check_found([] { return wiping_store(true); }, "in handles that outlive the store");
}

TEST_CASE("A store that fails now and then conforms, as long as it says so") {
  // Every third put does nothing and says so; every fifth answer is lost.
  struct unreliable_store : flawed_store {
    unreliable_store() : flawed_store(flaw::none) {}
    std::shared_ptr<unsigned> count = std::make_shared<unsigned>();
    tarn::put_result put_if_absent(std::string_view name, std::string_view bytes) {
      const unsigned put = __atomic_fetch_add(count.get(), 1U, __ATOMIC_RELAXED);
      if (put % 3 == 0) return tarn::put_result::not_applied({tarn::errc::io, "busy"});
      auto answer = flawed_store::put_if_absent(name, bytes);
      if (put % 5 == 0) return tarn::put_result::unknown({tarn::errc::io, "lost"});
      return answer;
    }
  };
  const auto report = tarn::testing::test_store([] { return unreliable_store(); }, small());
  INFO(report.text());
  CHECK(report.conforms());
}

TEST_CASE("A store that never settles a put is found") {
  struct hopeless_store : flawed_store {
    hopeless_store() : flawed_store(flaw::none) {}
    tarn::put_result put_if_absent(std::string_view, std::string_view) {
      return tarn::put_result::not_applied({tarn::errc::io, "busy"});
    }
  };
  check_found([] { return hopeless_store(); }, "it answered `not_applied`");
}

TEST_CASE("A report counts what it has checked, and keeps a bounded number of complaints") {
  tarn::testing::conformance_report report;
  CHECK_FALSE(report.conforms());  // nothing was checked
  CHECK(report.check(true, "never seen"));
  CHECK(report.conforms());
  for (int number = 0; number < 1'000; ++number) CHECK_FALSE(report.check(false, "promise ", number));
  CHECK_FALSE(report.conforms());
  CHECK_EQ(report.broken().size(), tarn::testing::conformance_report::broken_max);
  CHECK_EQ(report.broken().front(), "promise 0");
  CHECK(report.text().ends_with("promise 49\n1001 checks, 1000 promises broken\n"));
  tarn::testing::conformance_report all;
  all.add(report);
  all.add(report);
  CHECK_EQ(all.checks(), 2'002);
  CHECK_EQ(all.broken().size(), tarn::testing::conformance_report::broken_max);
}
