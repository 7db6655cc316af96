// LAW: the rows of a keyed table are the fold of all operations in the order of the log, whatever the strategy, the
// buckets, the flushes, and the compactions, planned, run and committed at whatever time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/client.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../support/codecs.hpp"
#include "../support/findings.hpp"
#include "../support/keyed_actor.hpp"
#include "../support/keyed_plan.hpp"
#include "../support/keyed_reference.hpp"
#include "../support/operations.hpp"
#include "../support/random_source.hpp"
#include "../support/run_histories.hpp"
#include "../support/stored_objects.hpp"
#include "../support/test_environment.hpp"

namespace {

using namespace tarn_test;
namespace merge = tarn::merge;

// --- who reads it ------------------------------------------------------------------------------------------------

// A client of one strategy that writes nothing. It reads what the reference says is there, in the way that its strategy
// must find it.
template <class Merge>
class keyed_observer {
 public:
  explicit keyed_observer(const keyed_world& world) : world_(&world), lake_(world.store, world.options) {}

  // Reads all rows of version `at`, which are `rows`. `closely`: verifies positions while it does; and looks up half of
  // the keys, the other half in the next version.
  void read(std::size_t at, const reference_version& expected, const plain_rows& rows, bool closely) {
    const tarn::version wanted{static_cast<std::int64_t>(at)};
    auto begun = wanted == world_->head() ? lake_.begin() : lake_.begin_at(wanted);
    findings& found = world_->found;
    if (!begun) return found.fail(begun.error().message());
    if (begun->read_version() != wanted) return found.fail("begins at another version");
    tarn::merge_statistics real;
    if (!check_scan(*begun, rows, closely, found, &real)) return;
    if (!closely && !check_columns(*begun, rows, real, found)) return;
    check_path(real, expected);
    for (std::size_t which = at % 2; closely && which < world_->keys.size(); which += 2)
      if (!check_get(*begun, expected.contents, world_->keys[which], found)) return;
  }

  [[nodiscard]] static const char* name() {
    if constexpr (std::is_same_v<Merge, merge::by_key>) return "by key";
    if constexpr (std::is_same_v<Merge, merge::by_position>) return "by position";
    if constexpr (std::is_same_v<Merge, merge::derived>) return "derived";
  }

  void count_all() const {
    const std::string prefix = name();
    world_->found.count(prefix + ": blocks by position", all_.blocks_by_position);
    world_->found.count(prefix + ": blocks by key", all_.blocks_by_key);
    world_->found.count(prefix + ": keys by position", all_.keys_by_position);
    world_->found.count(prefix + ": keys by key", all_.keys_by_key);
    world_->found.count(prefix + ": slices with both", slices_with_both_);
  }

 private:
  // Proof of which path ran: exactly the blocks whose positions hold were placed by position.
  void check_path(const tarn::merge_statistics& real, const reference_version& expected) {
    std::size_t by_position = 0, runs = 0;
    for (const reference_bucket& each : expected.buckets) {
      by_position += trusted(each);
      runs += each.runs();
    }
    if (real.blocks_by_position != by_position || real.blocks_by_key != runs - by_position)
      world_->found.fail("other blocks than those whose positions hold were placed by position");
    all_.add(real);
    if (expected.buckets.size() == 1 && real.keys_by_position > 0 && real.keys_by_key > 0) ++slices_with_both_;
  }

  [[nodiscard]] static std::size_t trusted(const reference_bucket& bucket) {
    if constexpr (std::is_same_v<Merge, merge::by_position>) return bucket.by_position();
    if constexpr (std::is_same_v<Merge, merge::derived>) return bucket.derived();
    return 0;
  }

  const keyed_world* world_;
  tarn::client<tarn::memory_store, codec_with<Merge>, Merge> lake_;
  tarn::merge_statistics all_;
  std::uint64_t slices_with_both_ = 0;
};

// --- one history -------------------------------------------------------------------------------------------------

// Runs a plan, until anything is not as it must be. Each version is read as soon as it is there.
class keyed_history {
 public:
  keyed_history(const keyed_plan& plan, tally& happened, bool tells)
      : environment_(plan.seed),
        found_(happened, tells),
        world_{plan, options_of(plan, environment_), found_, keys_of(plan)},
        reference_(world_.store, keyed_table),
        observers_(keyed_observer<merge::by_key>(world_), keyed_observer<merge::by_position>(world_),
                   keyed_observer<merge::derived>(world_)) {
    world_.compacted_at.resize(plan.table.buckets, -1);
    for (const strategy each : plan.writers) {
      if (each == strategy::by_key) actors_.emplace_back(keyed_actor<merge::by_key>(world_));
      if (each == strategy::by_position) actors_.emplace_back(keyed_actor<merge::by_position>(world_));
      if (each == strategy::derived) actors_.emplace_back(keyed_actor<merge::derived>(world_));
    }
  }

  void run() {
    const std::vector<keyed_step>& steps = world_.plan.operations;
    visit("at first", 0, [](auto& actor) { actor.create_table(); });
    for (at_ = 0; at_ < steps.size() && found_.good(); ++at_) {
      if (!world_.plan.compacts && steps[at_].kind >= keyed_step_kind::plan_compaction) continue;
      environment_.clock.ms += static_cast<std::int64_t>(steps[at_].seed % 3);
      visit("step " + std::to_string(at_), steps[at_].writer, [&](auto& actor) { actor.do_step(steps[at_]); });
    }
    for (std::size_t writer = 0; writer < actors_.size() && found_.good(); ++writer)
      visit("at the end", writer, [](auto& actor) { actor.commit_if_open(); });
    for (std::size_t slot = 0; slot < compaction_slots && found_.good() && world_.plan.compacts; ++slot)
      visit("at the end", slot % actors_.size(), [&](auto& actor) { actor.finish_compaction(slot); });
    if (found_.good()) check_whole();
  }

  [[nodiscard]] const findings& found() const { return found_; }
  // How many steps it took.
  [[nodiscard]] std::size_t position() const { return at_; }
  // Whether another history, with or without compactions, has the same rows after each commit of a writer.
  [[nodiscard]] bool agrees_with(const keyed_history& other) const {
    const std::vector<const keyed_contents*> mine = written_contents(), theirs = other.written_contents();
    return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                      [](const keyed_contents* a, const keyed_contents* b) { return *a == *b; });
  }

 private:
  using any_actor =
      std::variant<keyed_actor<merge::by_key>, keyed_actor<merge::by_position>, keyed_actor<merge::derived>>;

  [[nodiscard]] static tarn::client_options options_of(const keyed_plan& plan, test_environment& environment) {
    tarn::client_options options;
    options.bounds.rows_per_object = plan.rows_per_object;
    options.commit.inline_bytes_max = some_inline_bytes(plan.seed >> 7);
    options.surroundings = environment.get();
    return options;
  }

  [[nodiscard]] std::vector<const keyed_contents*> written_contents() const {
    std::vector<const keyed_contents*> all;
    for (std::size_t at = 0; at < world_.written.size(); ++at)
      if (!world_.written[at].empty()) all.push_back(&reference_.versions()[at].contents);
    return all;
  }

  template <class Do>
  void visit(const std::string& when, std::size_t writer, Do what) {
    constexpr const char* names[] = {"by key", "by position", "derived"};
    const char* const name = names[static_cast<std::size_t>(world_.plan.writers[writer])];
    found_.enter({when, ", writer ", std::to_string(writer), " (", name, "): "});
    std::visit(what, actors_[writer]);
    while (found_.good() && reference_.versions().size() < world_.written.size()) check_next_version();
  }

  // A step makes one version with other rows than before, or some with the same. Each is read by hand and by all three
  // strategies, one of which reads closely, each in its turn. Without compactions only one reads: with them, all have
  // read the same rows.
  void check_next_version() {
    const std::size_t at = reference_.versions().size();
    const std::string version = std::to_string(at);
    found_.enter({"version ", version, ", read by hand: "});
    reference_.read_next();
    if (!reference_.good()) return found_.fail("is not as expected");
    const reference_version& read = reference_.versions()[at];
    if (read.contents != world_.contents) return found_.fail("is not what was committed");
    for (const auto& [key, value] : read.contents) tombstones_ += value.live ? 0 : 1;
    const plain_rows rows = rows_in_order(read.contents, world_.plan.table);
    for_each_observer([&](auto& observer, std::size_t number) {
      if (!found_.good() || (!world_.plan.compacts && number != chosen())) return;
      found_.enter({"version ", version, ", ", observer.name(), ": "});
      observer.read(at, read, rows, (at + number) % 3 == 0);
    });
  }

  // After the last step: that there is nothing else in the log, and an old version, as who opens the lake now reads it.
  void check_whole() {
    found_.enter("the log, read by hand: ");
    if (!reference_.at_end()) return found_.fail("has other versions");
    found_.count("base form, but not first", reference_.demoted());
    found_.count("record with a place", reference_.places());
    found_.count("tombstone", tombstones_);
    const std::size_t at = random_source(world_.plan.seed).below(world_.written.size());
    const reference_version& read = reference_.versions()[at];
    for_each_observer([&](auto& observer, std::size_t number) {
      observer.count_all();
      if (number != chosen()) return;
      found_.enter({"old version ", std::to_string(at), ", ", observer.name(), ": "});
      std::remove_reference_t<decltype(observer)> late(world_);
      late.read(at, read, rows_in_order(read.contents, world_.plan.table), true);
    });
  }

  template <class Do>
  void for_each_observer(Do what) {
    std::size_t number = 0;
    std::apply([&](auto&... each) { (what(each, number++), ...); }, observers_);
  }
  // The number of the observer that does what one of them is enough for.
  [[nodiscard]] std::size_t chosen() const { return static_cast<std::size_t>(world_.plan.seed % 3); }

  test_environment environment_;
  findings found_;
  keyed_world world_;
  keyed_reference<tarn::memory_store> reference_;
  std::tuple<keyed_observer<merge::by_key>, keyed_observer<merge::by_position>, keyed_observer<merge::derived>>
      observers_;
  std::vector<any_actor> actors_;
  std::size_t at_ = 0;
  std::uint64_t tombstones_ = 0;
};

// --- many of them ------------------------------------------------------------------------------------------------

// What went wrong with it, and with the same history without any compaction; empty: nothing. `story` is what led there.
[[nodiscard]] std::string failure_of(const keyed_plan& plan, tally& happened, std::string* story = nullptr,
                                     std::size_t* position = nullptr) {
  keyed_history with(plan, happened, story != nullptr);
  with.run();
  if (story != nullptr) *story = with.found().story();
  if (position != nullptr) *position = with.position();
  if (!with.found().good()) return with.found().failure();
  keyed_plan without = plan;
  without.compacts = false;
  tally ignored;
  keyed_history quiet(without, ignored, false);
  quiet.run();
  if (!quiet.found().good()) return "without compactions: " + quiet.found().failure();
  return with.agrees_with(quiet) ? std::string() : "a writer's version is another one without compactions";
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
  tally all = run_histories({"TARN_KEYED_HISTORY", 200, 500}, must_happen, [](std::uint64_t seed, tally& happened) {
    const keyed_plan plan = make_keyed_plan(seed);
    if (failure_of(plan, happened).empty()) return true;
    report(plan);
    return false;
  });
  CHECK(all["by key: keys by position"] == 0);
}
