#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/core/row.hpp>
#include <tarn/merge/slice_merge.hpp>
#include <vector>

using namespace tarn;

namespace {

// Records of integer keys, told as the design tells them: {5, "at", 2} and so on.
struct told {
  std::int64_t key;
  std::string place;  // "at", "before", or "" for unknown
  std::uint64_t index;
  key_state then = key_state::live;
};

class source_of_told {
 public:
  explicit source_of_told(std::string name, std::vector<told> records) : name_(std::move(name)) {
    for (const told& each : records) {
      values_.push_back({each.key, std::string_view(name_)});
      record made;
      made.done = {each.then == key_state::nothing, each.then};
      made.place = {each.index, each.place == "at", !each.place.empty()};
      records_.push_back(made);
    }
  }
  [[nodiscard]] bool next() {
    if (next_ == records_.size()) return false;
    current_ = records_[next_];
    current_.values = list_view(values_[next_]);
    ++next_;
    return true;
  }
  [[nodiscard]] const record& current() const {
    REQUIRE(next_ > 0);  // before that there is none
    return current_;
  }
  [[nodiscard]] tarn::status status() const { return {}; }
  [[nodiscard]] std::string describe() const { return "object " + name_; }

 private:
  std::string name_;
  std::vector<row> values_;
  std::vector<record> records_;
  std::size_t next_ = 0;
  record current_;
};

struct outcome_of_merge {
  std::string rows;
  std::string error;
  merge_statistics statistics;
};

const table_key by_first{{0}, 1, table_key::none};

// Merges one run, whose positions hold, over the base keys 10, 20, 30.
outcome_of_merge merge_runs(std::vector<std::vector<told>> runs, std::vector<bool> fresh,
                            verification checks = verification::of_order) {
  slice_merge<source_of_told> merged(by_first, checks);
  merged.set_base(source_of_told("base", {{10, "", 0}, {20, "", 0}, {30, "", 0}}), 3);
  for (std::size_t at = 0; at < runs.size(); ++at)
    merged.add_run(source_of_told("run " + std::to_string(at + 1), runs[at]), fresh[at]);
  outcome_of_merge found;
  while (merged.next()) {
    const list_view row = merged.current().values;
    found.rows +=
        (found.rows.empty() ? "" : ", ") + std::to_string(row[0].as_integer()) + " " + std::string(row[1].as_string());
  }
  if (!merged.status()) found.error = merged.status().error().message();
  if (!merged.status()) CHECK(merged.status().error().code() == errc::corrupt);
  CHECK_FALSE(merged.next());
  found.statistics = merged.statistics();
  return found;
}

}  // namespace

TEST_CASE("If all positions hold, no key of the base is looked at") {
  const auto found = merge_runs({{{5, "before", 0}, {20, "at", 1}, {40, "before", 3}, {50, "before", 3}}}, {true});
  CHECK(found.error.empty());
  CHECK(found.rows == "5 run 1, 10 base, 20 run 1, 30 base, 40 run 1, 50 run 1");
  CHECK(found.statistics.keys_by_position == 4);
  CHECK(found.statistics.keys_by_key == 0);
  CHECK(found.statistics.base_keys_compared == 0);
  CHECK(found.statistics.blocks_by_position == 1);
}

TEST_CASE("A stale block is placed by key, a fresh one in the same slice by position") {
  const std::vector<told> stale{{10, "at", 2}, {30, "at", 0, key_state::nothing}};
  const auto found = merge_runs({stale, {{20, "at", 1}}}, {false, true});
  CHECK(found.error.empty());
  CHECK(found.rows == "10 run 1, 20 run 2");
  CHECK(found.statistics.keys_by_position == 1);
  CHECK(found.statistics.keys_by_key == 2);
  CHECK(found.statistics.blocks_by_position == 1);
  CHECK(found.statistics.blocks_by_key == 1);
}

TEST_CASE("A search by key goes no further than the next position") {
  // 15 is between rows 0 and 1; the record at row 1 bounds its search: only row 0 is compared.
  const auto found = merge_runs({{{15, "", 0}}, {{20, "at", 1}}}, {false, true});
  CHECK(found.rows == "10 base, 15 run 1, 20 run 2, 30 base");
  CHECK(found.statistics.base_keys_compared == 1);
}

TEST_CASE("One position of a group places all its records") {
  const auto found =
      merge_runs({{{20, "", 0}}, {{20, "at", 1}}, {{20, "", 0, key_state::nothing}}}, {false, true, false});
  CHECK(found.rows == "10 base, 30 base");
  CHECK(found.statistics.keys_by_position == 1);
  CHECK(found.statistics.base_keys_compared == 0);
}

TEST_CASE("Many runs with the same keys are folded in commit order") {
  std::vector<std::vector<told>> runs;
  for (int run = 0; run < 40; ++run) runs.push_back({{run % 3 == 0 ? 20 : 25, "", 0}, {26 + run, "", 0}});
  const auto found = merge_runs(runs, std::vector<bool>(40, false));
  CHECK(found.error.empty());
  CHECK(found.rows.starts_with("10 base, 20 run 40, 25 run 39, 26 run 1, 27 run 2"));
}

TEST_CASE("Positions that cannot be are corruption, and name the object") {
  const auto error_of = [](std::vector<std::vector<told>> runs, std::vector<bool> fresh) {
    return merge_runs(std::move(runs), std::move(fresh)).error;
  };
  CHECK(error_of({{{20, "at", 3}}}, {true}) == "object run 1 has position 3, the base has 3 rows");
  CHECK(error_of({{{20, "before", 4}}}, {true}) == "object run 1 has position 4, the base has 3 rows");
  CHECK(error_of({{{20, "at", 1}, {30, "at", 0}}}, {true}) == "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{20, "at", 1}, {21, "before", 1}}}, {true}) ==
        "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{15, "before", 1}, {20, "at", 1}}}, {true}).empty());
  CHECK(error_of({{{25, "before", 2}, {26, "before", 1}}}, {true}) ==
        "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{20, "at", 1}, {30, "at", 1}}}, {true}) == "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{12, "before", 1}, {11, "before", 1}}}, {true}) ==
        "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{12, "", 0}, {12, "", 0}}}, {false}) == "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{12, "", 0}, {11, "", 0}}}, {false}) == "object run 1 has records that are not sorted by key");
  CHECK(error_of({{{20, "", 0}}, {{20, "at", 1}}, {{20, "", 0}}}, {false, true, false}).empty());
  CHECK(error_of({{{20, "", 0}}, {{20, "at", 1}}, {{20, "at", 1}}}, {false, true, true}).empty());
  CHECK(error_of({{{20, "", 0}}, {{20, "at", 1}}, {{20, "before", 2}}}, {false, true, true}) ==
        "object run 3 has another position for a key than other objects");
  // 25 is after row 1, so what claims to be before row 1 afterwards goes back.
  CHECK(error_of({{{25, "", 0}}, {{26, "", 0}}, {{40, "before", 1}}}, {false, false, true}) ==
        "object run 3 has positions that go back");
}

TEST_CASE("Only a verifying merge finds a position that could be but is wrong, and names it") {
  const std::vector<told> wrong_row{{20, "at", 2}};
  CHECK(merge_runs({wrong_row}, {true}).error.empty());
  CHECK(merge_runs({wrong_row}, {true}, verification::of_positions).error ==
        "object run 1 has a wrong position, at row 2, for the key (20)");
  for (const std::uint64_t right : {0U, 1U, 2U, 3U})
    for (const std::uint64_t gap : {0U, 1U, 2U, 3U}) {
      const auto key = static_cast<std::int64_t>(10 * right + 5);
      const std::string error = merge_runs({{{key, "before", gap}}}, {true}, verification::of_positions).error;
      CHECK(error.empty() == (gap == right));
      if (gap != right)
        CHECK(error.starts_with("object run 1 has a wrong position, before row " + std::to_string(gap)));
    }
  CHECK(merge_runs({{{20, "before", 1}}}, {true}, verification::of_positions).error.size() > 0);
  CHECK(merge_runs({{{40, "before", 3}}}, {true}, verification::of_positions).error.empty());
}

TEST_CASE("Before the first row of a base without any, every key is in its place") {
  slice_merge<source_of_told> merged(by_first, verification::of_positions);
  merged.set_base(source_of_told("base", {}), 0);
  merged.add_run(source_of_told("run", {{5, "before", 0}, {6, "before", 0}}), true);
  CHECK(merged.next());
  CHECK(merged.next());
  CHECK_FALSE(merged.next());
  CHECK(merged.status().has_value());
}

TEST_CASE("A verifying merge finds a base whose rows are not in order, which no position tells of") {
  for (const auto checks : {verification::of_order, verification::of_positions}) {
    slice_merge<source_of_told> merged(by_first, checks);
    merged.set_base(source_of_told("base", {{20, "", 0}, {10, "", 0}}), 2);
    CHECK(merged.next());
    CHECK(merged.next() == (checks == verification::of_order));
    if (merged.status()) continue;
    CHECK(merged.status().error().message() == "object base has rows not sorted by key");
  }
}

TEST_CASE("What a source fails with, the merge fails with, wherever it is read") {
  struct failing_source : source_of_told {
    using source_of_told::source_of_told;
    [[nodiscard]] static tarn::status status() { return error(errc::io, "the disk is on fire"); }
  };
  const auto fails_after = [](std::vector<told> base, std::uint64_t rows, std::vector<told> run, verification checks) {
    slice_merge<failing_source> merged(by_first, checks);
    merged.set_base(failing_source("base", std::move(base)), rows);
    // No run: its end is looked at first.
    if (!run.empty()) merged.add_run(failing_source("run", std::move(run)), true);
    int rows_read = 0;
    while (merged.next()) ++rows_read;
    CHECK(merged.status().error().code() == errc::io);
    return rows_read;
  };
  const std::vector<told> three{{10, "", 0}, {20, "", 0}, {30, "", 0}};
  for (const auto checks : {verification::of_order, verification::of_positions}) {
    CHECK(fails_after(three, 3, {}, checks) == 3);            // at the end of the base
    CHECK(fails_after(three, 4, {}, checks) == 3);            // in the base
    CHECK(fails_after(three, 3, {{5, "", 0}}, checks) == 1);  // at the end of the run
    CHECK(fails_after({}, 1, {{5, "", 0}}, checks) == 0);     // in the base, looking for a key
    CHECK(fails_after({}, 1, {{5, "at", 0}}, checks) == 0);   // in the base, at a position
    CHECK(fails_after({}, 1, {{5, "before", 0}}, checks) == (checks == verification::of_order ? 1 : 0));
  }
}

TEST_CASE("A verifying merge looks at each of the records that are at one position, not only at the first") {
  const std::vector<told> right{{20, "at", 1}}, wrong{{21, "at", 1}};
  CHECK(merge_runs({right, wrong}, {true, true}).error.empty());
  CHECK(merge_runs({right, wrong}, {true, true}, verification::of_positions).error ==
        "object run 2 has a wrong position, at row 1, for the key (21)");
  CHECK(merge_runs({wrong, right}, {true, true}, verification::of_positions).error ==
        "object run 1 has a wrong position, at row 1, for the key (21)");
}

TEST_CASE("A base that has fewer rows than the log says is corruption, whatever the missing row is read for") {
  for (const auto checks : {verification::of_order, verification::of_positions})
    for (const std::vector<told>& run : {std::vector<told>{}, {{15, "at", 1}}, {{15, "before", 1}}, {{15, "", 0}}}) {
      slice_merge<source_of_told> merged(by_first, checks);
      merged.set_base(source_of_told("base", {{10, "", 0}}), 2);
      merged.add_run(source_of_told("run", run), true);
      while (merged.next()) {
      }
      REQUIRE_FALSE(merged.status().has_value());
      CHECK(merged.status().error().message() == "object base has fewer rows than the log says");
    }
}

TEST_CASE("A base that has more rows than the log says is corruption, however the last one was read") {
  for (const std::vector<told>& run : {std::vector<told>{}, {{20, "at", 1}}, {{40, "before", 2}}, {{15, "", 0}}}) {
    slice_merge<source_of_told> merged(by_first, verification::of_order);
    merged.set_base(source_of_told("base", {{10, "", 0}, {20, "", 0}, {30, "", 0}}), 2);
    merged.add_run(source_of_told("run", run), true);
    while (merged.next()) {
    }
    REQUIRE_FALSE(merged.status().has_value());
    CHECK(merged.status().error().message() == "object base has more rows than the log says");
  }
}
