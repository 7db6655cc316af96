// LAW: the rows of a keyed table are the fold of all operations in the order of the log, whatever the strategy, the
// buckets, the flushes, and the compactions, planned, run and committed at whatever time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/client.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "../support/findings.hpp"
#include "../support/keyed_actor.hpp"
#include "../support/keyed_plan.hpp"
#include "../support/keyed_reference.hpp"
#include "../support/operations.hpp"
#include "../support/random_source.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
namespace merge = tarn::merge;

// --- one history -------------------------------------------------------------------------------------------------

// Runs a plan, until anything is not as it must be; then reads all that there is again.
class keyed_history {
 public:
  keyed_history(const keyed_plan& plan, tally& happened)
      : environment_(plan.seed), found_(happened), world_{plan, {}, found_} {
    world_.options.bounds.rows_per_object = plan.rows_per_object;
    world_.options.surroundings = environment_.get();
    world_.compacted_at.resize(plan.table.buckets, -1);
    for (const strategy each : plan.writers) {
      if (each == strategy::by_key) actors_.emplace_back(keyed_actor<merge::by_key>(world_));
      if (each == strategy::by_position) actors_.emplace_back(keyed_actor<merge::by_position>(world_));
      if (each == strategy::derived) actors_.emplace_back(keyed_actor<merge::derived>(world_));
    }
  }

  void run() {
    const std::vector<keyed_step>& steps = world_.plan.operations;
    enter("at first", 0);
    visit(0, [](auto& actor) { actor.create_table(); });
    for (at_ = 0; at_ < steps.size() && found_.good(); ++at_) {
      if (!world_.plan.compacts && steps[at_].kind >= keyed_step_kind::plan_compaction) continue;
      enter("step " + std::to_string(at_), steps[at_].writer);
      environment_.clock.ms += static_cast<std::int64_t>(steps[at_].seed % 3);
      visit(steps[at_].writer, [&](auto& actor) { actor.do_step(steps[at_]); });
    }
    for (std::size_t writer = 0; writer < actors_.size() && found_.good(); ++writer) {
      enter("at the end", writer);
      visit(writer, [](auto& actor) { actor.commit_if_open(); });
    }
    for (std::size_t slot = 0; slot < compaction_slots && found_.good() && world_.plan.compacts; ++slot)
      visit(slot % actors_.size(), [&](auto& actor) { actor.finish_compaction(slot); });
    if (found_.good()) check_all();
  }

  [[nodiscard]] const findings& found() const { return found_; }
  // How many steps it took.
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] const keyed_contents& contents() const { return world_.versions.back(); }

 private:
  using any_actor =
      std::variant<keyed_actor<merge::by_key>, keyed_actor<merge::by_position>, keyed_actor<merge::derived>>;

  template <class Do>
  void visit(std::size_t writer, Do what) {
    std::visit(what, actors_[writer]);
  }

  void enter(const std::string& when, std::size_t writer) {
    constexpr const char* names[] = {"by key", "by position", "derived"};
    found_.enter(when + ", writer " + std::to_string(writer) + " (" +
                 names[static_cast<std::size_t>(world_.plan.writers[writer])] + "): ");
  }

  void check_all() {
    found_.enter("the log, read by hand: ");
    const keyed_reference reference(world_.store, keyed_table);
    if (!reference.good()) return found_.fail("is not as expected");
    if (reference.versions().size() != world_.versions.size()) return found_.fail("has other versions");
    found_.count("base form, but not first", reference.demoted());
    found_.count("record with a place", reference.places());
    for (std::size_t at = 0; at < world_.versions.size() && found_.good(); ++at) {
      found_.enter("version " + std::to_string(at) + ", read by hand: ");
      if (reference.versions()[at].contents != world_.versions[at]) found_.fail("is not what was committed");
      for (const auto& [key, value] : world_.versions[at]) found_.count("tombstone", value.live ? 0 : 1);
    }
    check_versions<merge::by_key>("by key", reference, [](const reference_bucket&) { return 0U; });
    check_versions<merge::by_position>("by position", reference,
                                       [](const reference_bucket& each) { return each.by_position(); });
    check_versions<merge::derived>("derived", reference, [](const reference_bucket& each) { return each.derived(); });
  }

  // `fresh` is how many blocks of a bucket have positions that hold.
  template <class Merge, class Fresh>
  void check_versions(const std::string& name, const keyed_reference<tarn::memory_store>& reference, Fresh fresh) {
    tarn::client<tarn::memory_store, tarn::json_codec, Merge> lake(world_.store, world_.options);
    for (std::size_t at = 0; at < reference.versions().size() && found_.good(); ++at) {
      found_.enter("version " + std::to_string(at) + ", " + name + ": ");
      const reference_version& expected = reference.versions()[at];
      auto begun = lake.begin_at(tarn::version{static_cast<std::int64_t>(at)});
      if (!begun) return found_.fail(begun.error().message());
      const std::vector<plain_row> rows = rows_in_order(expected.contents, world_.plan.table);
      tarn::merge_statistics real;
      if (!check_scan(*begun, rows, false, found_, &real) || !check_scan(*begun, rows, true, found_)) return;
      for (std::size_t which = 0; which < world_.plan.keys; ++which) {
        random_source ignored(0);
        const plain_row row = make_keyed_row(world_.plan, which, ignored);
        check_get(*begun, expected.contents, world_.plan.table.key_of(row), found_);
      }
      std::size_t by_position = 0, runs = 0;
      for (const reference_bucket& each : expected.buckets) {
        by_position += fresh(each);
        runs += each.runs();
      }
      if (real.blocks_by_position != by_position || real.blocks_by_key != runs - by_position)
        found_.fail("other blocks than those whose positions hold were placed by position");
      note(name, real);
    }
  }

  void note(const std::string& name, const tarn::merge_statistics& real) {
    found_.count(name + ": blocks by position", real.blocks_by_position);
    found_.count(name + ": blocks by key", real.blocks_by_key);
    found_.count(name + ": keys by position", real.keys_by_position);
    found_.count(name + ": keys by key", real.keys_by_key);
    const bool one_slice = world_.plan.table.buckets == 1;
    found_.count(name + ": slices with both", one_slice && real.keys_by_position > 0 && real.keys_by_key > 0 ? 1 : 0);
  }

  test_environment environment_;
  findings found_;
  keyed_world world_;
  std::vector<any_actor> actors_;
  std::size_t at_ = 0;
};

// --- many of them ------------------------------------------------------------------------------------------------

// What went wrong with it, and with the same history without any compaction; empty: nothing. `story` is what led there.
[[nodiscard]] std::string failure_of(const keyed_plan& plan, tally& happened, std::string* story = nullptr,
                                     std::size_t* position = nullptr) {
  keyed_history with(plan, happened);
  with.run();
  if (story != nullptr) *story = with.found().story();
  if (position != nullptr) *position = with.position();
  if (!with.found().good()) return with.found().failure();
  keyed_plan without = plan;
  without.compacts = false;
  tally ignored;
  keyed_history quiet(without, ignored);
  quiet.run();
  if (!quiet.found().good()) return "without compactions: " + quiet.found().failure();
  return with.contents() == quiet.contents() ? std::string() : "the last version is another one without compactions";
}

void report(const keyed_plan& plan) {
  tally ignored;
  std::size_t steps = 0;
  const std::string failure = failure_of(plan, ignored, nullptr, &steps);
  keyed_plan shorter = plan;
  shorter.operations.resize(std::min(steps, plan.operations.size()));
  shorter = shrink(std::move(shorter), [&](const keyed_plan& each) { return !failure_of(each, ignored).empty(); });
  std::string story;
  const std::string shortest = failure_of(shorter, ignored, &story);
  FAIL_CHECK("run it alone with TARN_KEYED_HISTORY=", plan.seed, ": ", plan.table.buckets, " buckets, ",
             plan.rows_per_object, " rows per object, ", plan.keys, " keys, ",
             plan.table.ordering ? "by ordering" : "latest", "\n", failure, "\nshortest:\n", story, "  ", shortest);
}

constexpr std::uint64_t usual_histories = 2'000;  // as in history_test.cpp, of which this runs a share
constexpr std::uint64_t share = 4;

constexpr const char* must_happen[] = {"by position: blocks by position",
                                       "by position: blocks by key",
                                       "by position: keys by position",
                                       "by position: keys by key",
                                       "by position: slices with both",
                                       "derived: blocks by position",
                                       "derived: blocks by key",
                                       "derived: keys by position",
                                       "derived: keys by key",
                                       "derived: slices with both",
                                       "by key: keys by key",
                                       "own scan: keys by position",
                                       "compaction: committed",
                                       "compaction: committed late",
                                       "compaction: abandoned",
                                       "compaction: run late",
                                       "base form, but not first",
                                       "tie",
                                       "tombstone",
                                       "scan of another transaction",
                                       "row written since the scan began",
                                       "commit: conflict",
                                       "commit: rebased",
                                       "record with a place",
                                       "compaction: all buckets at once"};

}  // namespace

TEST_CASE("LAW: every history of a keyed table is the fold of its operations") {
  const std::uint64_t alone = number_from_environment("TARN_KEYED_HISTORY", 0);
  const std::uint64_t count = alone != 0 ? 1 : number_from_environment("TARN_LAW_HISTORIES", usual_histories) / share;
  tally happened;
  random_source seeds(seed_of_this_run());
  for (std::uint64_t number = 0; number < count; ++number) {
    const keyed_plan plan = make_keyed_plan(alone != 0 ? alone : seeds.next());
    if (!failure_of(plan, happened).empty()) return report(plan);  // one is enough to work on
  }
  std::string summary;
  for (const auto& [what, times] : happened) summary += "\n  " + what + ": " + std::to_string(times);
  MESSAGE("TARN_TEST_SEED=", seed_of_this_run(), ", ", count, " histories", summary);
  if (count < usual_histories / share) return;
  for (const char* const what : must_happen) CHECK_MESSAGE(happened[what] > 0, "never happened: ", what);
  CHECK(happened["by key: keys by position"] == 0);
}
