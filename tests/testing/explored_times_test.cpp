// Who can have begun after whom had ended is found out for all runs that one stands for, whichever that is.
#include "../support/explored_times.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tarn/testing/explore.hpp>
#include <tarn/testing/history_check.hpp>
#include <tarn/testing/history_recorder.hpp>
#include <utility>
#include <vector>

namespace {

using namespace tarn::testing;
using tarn_test::explored_times;

// A writer that is acknowledged version 1 once it has put an object, and a reader of version 0 that looks for `name`.
struct writer_and_reader {
  writer_and_reader(std::string looked_for, bool reader_first) : name(std::move(looked_for)) {
    const explored_program writes{"writer", [this](explored_store mine) {
                                    const std::uint64_t begun = recorder->next_event();
                                    (void)mine.put_if_absent("one", "bytes");
                                    add(0, begun, {0}, {1});
                                  }};
    const explored_program reads{"reader", [this](explored_store mine) {
                                   const std::uint64_t begun = recorder->next_event();
                                   has_found = mine.get(name).has_value();
                                   (void)mine.get("other");
                                   add(1, begun, {has_found ? 1 : 0}, {has_found ? 1 : 0});
                                 }};
    exploration_options options;
    options.begin = [this](const auto&) {
      recorder.emplace();
      recorder->note_version({0}, {});
      recorder->note_version({1}, {});
      times.begin(*recorder);
    };
    options.check_step = [this](const explored_moment&) {
      times.note_step(*recorder);
      return std::string();
    };
    options.check = [this](const explored_moment& end) {
      if (end.repeats()) return std::string();
      by_run += check_history(recorder->recorded(), {history_rules::none().with(history_rule::fresh)}).count;
      const std::string wrong = times.stale_snapshot(recorder->recorded(), end.steps());
      by_order += wrong.empty() ? 0U : 1U;
      return std::string();
    };
    runs = explore(reader_first ? std::vector{reads, writes} : std::vector{writes, reads}, options).runs;
  }

  void add(std::uint32_t client, std::uint64_t begun, tarn::version snapshot, tarn::version committed) {
    transaction_record record;
    record.client = record.session = client;
    record.begin = begun;
    record.snapshot = snapshot;
    record.committed = committed;
    recorder->add(record, {});
  }

  std::string name;
  bool has_found = false;
  std::optional<history_recorder> recorder;
  explored_times times;
  std::uint64_t runs = 0;
  std::size_t by_run = 0;    // runs that a look at the order of this run finds wrong
  std::size_t by_order = 0;  // ... and one at all that it stands for
};

TEST_CASE("a reader that does not look for the new version is stale in some order, whichever is made") {
  for (const bool reader_first : {false, true}) {
    CAPTURE(reader_first);
    const writer_and_reader found("something else", reader_first);
    CHECK(found.runs == 1);
    CHECK(found.by_order == 1);
    CHECK(found.by_run == 0);  // its client has begun at once, and waited
  }
}

TEST_CASE("a reader that looks for the new version is never stale") {
  for (const bool reader_first : {false, true}) {
    const writer_and_reader found("one", reader_first);
    CHECK(found.runs == 2);
    CHECK(found.by_order == 0);
    CHECK(found.by_run == 0);
  }
}

}  // namespace
