// The cases of merging: each over both stores, all strategies, 1 and 7 buckets, objects of 1, 2 and 65,536 rows, and
// with a compaction at every point.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <vector>

#include "../support/keyed_story.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

// What a scan hands out, "a=in c=in".
template <class Scan>
[[nodiscard]] std::string rows_of_scan(Scan scan) {
  std::vector<std::string> found;
  while (scan.value().next()) {
    const row_view row = scan->row();
    found.push_back(concat({row["k"].as_string(), "=", row["v"].as_string()}));
  }
  REQUIRE(scan->status().has_value());
  std::sort(found.begin(), found.end());
  std::string all;
  for (const std::string& each : found) all += (all.empty() ? "" : " ") + each;
  return all;
}
template <class Transaction>
[[nodiscard]] std::string rows_in(Transaction& tx) {
  return rows_of_scan(tx.scan("t", {{"v", equals, "in"}}));
}
template <class Transaction>
[[nodiscard]] std::string rows_between(Transaction& tx, std::string_view first, std::string_view last) {
  return rows_of_scan(tx.scan("t", {first}, {last}));
}

}  // namespace

TEST_CASE_TEMPLATE("B1, B2: positions of a base that was replaced meanwhile", Story, TARN_EACH_STORY) {
  for (const bool erases : {false, true})
    in_all_settings<Story>(last_wins, [&](Story& story) {
      story.commit({"a", "b", "c"});
      story.point();
      auto first = story.begin();
      Story::erase_found(first, "a");
      first.commit().value();
      auto second = story.begin();
      if (erases)
        Story::erase_found(second, "c");
      else
        Story::write_known(second, "b=new");
      story.point();
      second.commit().value();
      story.point();
      CHECK(story.rows() == (erases ? "b" : "b=new c"));
    });
}

TEST_CASE_TEMPLATE("B3: fresh, stale and fresh blocks over one base", Story, TARN_EACH_STORY) {
  for (const bool by_ordering : {false, true})
    in_all_settings<Story>(by_ordering, [&](Story& story) {
      story.commit({"a", "b@1", "c@1"});
      auto stale = story.begin();
      Story::write(stale, "c@3");
      story.commit({"-a"});
      story.compact();  // the base is {b, c} now
      story.point();
      story.commit({"b@2"});
      story.point();
      stale.commit().value();
      story.point();
      story.commit({by_ordering ? "-c@2" : "-c"});
      story.point();
      CHECK(story.rows() == (by_ordering ? "b@2 c@3" : "b@2"));
    });
}

TEST_CASE_TEMPLATE("B4: insert, erase, insert again", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.point();
    story.commit({"k"});
    story.point();
    story.commit({"-k"});
    story.point();
    CHECK(story.rows().empty());
    story.commit({"k=again"});
    story.point();
    CHECK(story.rows() == "k=again");
  });
}

TEST_CASE_TEMPLATE("B5: several writes of one key in one transaction", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"p=1", "p=2"});
    story.point();
    story.commit({"-q", "q"});
    story.point();
    story.commit({"r", "-r"});
    story.point();
    CHECK(story.rows() == "p=2 q");
  });
}

TEST_CASE_TEMPLATE("B6: a late record does not bring back what was erased with a greater ordering", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"k@10"});
    story.point();
    story.commit({"-k@12"});
    story.point();
    story.commit({"k@11"});
    story.point();
    CHECK(story.rows().empty());
    story.commit({"k@13"});
    CHECK(story.rows() == "k@13");
  });
}

TEST_CASE_TEMPLATE("B7: a plain erase forgets the ordering", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"k@8"});
    story.point();
    story.commit({"-k"});
    story.point();
    story.commit({"k@3"});
    story.point();
    CHECK(story.rows() == "k@3");
  });
}

TEST_CASE_TEMPLATE("B8: of equal orderings the later commit counts", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"k=first@5"});
    story.point();
    story.commit({"k=second@5"});
    story.point();
    CHECK(story.rows() == "k=second@5");
  });
}

TEST_CASE_TEMPLATE("B9: negative and extreme orderings, and an erase with a lower one", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"a@-9223372036854775808", "b@9223372036854775807", "c@-1"});
    story.point();
    story.commit({"-a@-9223372036854775808", "-b@9223372036854775806", "-c@-2"});
    story.point();
    CHECK(story.rows() == "b@9223372036854775807 c@-1");
    story.commit({"b=tie@9223372036854775807"});
    story.point();
    CHECK(story.rows() == "b=tie@9223372036854775807 c@-1");
  });
}

TEST_CASE_TEMPLATE("B10: the order of commits counts, not that of begins", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.point();
    auto first = story.begin();
    auto second = story.begin();
    Story::upsert(second, "k=second");
    second.commit().value();
    story.point();
    Story::upsert(first, "k=first");
    first.commit().value();
    story.point();
    CHECK(story.rows() == "k=first");
  });
}

TEST_CASE_TEMPLATE("B11: a first write that was never committed hides nothing", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    {
      auto abandoned = story.begin();
      Story::upsert(abandoned, "k=lost");
      abandoned.flush().value();
    }
    story.point();
    story.commit({"k=kept"});
    story.point();
    CHECK(story.rows() == "k=kept");
  });
}

TEST_CASE_TEMPLATE("B12: two transactions make the first base of a bucket, and update rows of their own", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    auto first = story.begin();
    auto second = story.begin();
    for (auto* const each : {&first, &second}) {
      const std::string mine = each == &first ? "1" : "2";
      Story::upsert(*each, "a=" + mine);
      Story::upsert(*each, (each == &first ? "b=" : "c=") + mine);
      each->flush().value();
      Story::write_known(*each, "a=own " + mine);
      each->flush().value();
      CHECK(Story::rows(*each) == (each == &first ? "a=own 1 b=1" : "a=own 2 c=2"));
    }
    first.commit().value();
    story.point();
    second.commit().value();
    story.point();
    CHECK(story.rows() == "a=own 2 b=1 c=2");
  });
}

TEST_CASE_TEMPLATE("B13: an update and an insert in one block", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a", "b", "d"});
    story.point();
    auto tx = story.begin();
    Story::write_known(tx, "b=1");
    Story::write_known(tx, "b=2");
    Story::upsert(tx, "c=new");
    tx.commit().value();
    story.point();
    CHECK(story.rows() == "a b=2 c=new d");
  });
}

TEST_CASE_TEMPLATE("B14: all rows erased, compacted, and one inserted", Story, TARN_EACH_STORY) {
  for (const bool by_ordering : {false, true})
    in_all_settings<Story>(by_ordering, [](Story& story) {
      story.commit({"a", "b"});
      story.point();
      story.commit({"-a", "-b"});
      story.point();
      CHECK(story.rows().empty());
      story.commit({"c"});
      story.point();
      CHECK(story.rows() == "c");
    });
}

TEST_CASE_TEMPLATE("B15: a filter sees what the merge made of base and deltas", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a=in", "b=out", "c=in", "d=out", "e=in"});
    story.point();
    // a passes in the base only, b in the delta only; c is erased, f is new; e passes in both.
    story.commit({"a=out", "b=in", "-c", "e=out", "e=in", "f=in", "g=in", "-g"});
    story.point();
    auto tx = story.begin();
    CHECK(rows_in(tx) == "b=in e=in f=in");
    for (const bool flushes : {false, true}) {
      Story::write_known(tx, "a=in");
      Story::write_known(tx, "b=out");
      Story::erase(tx, "e");
      if (flushes) tx.flush().value();
      CHECK(rows_in(tx) == "a=in f=in");
    }
    tx.commit().value();
    story.point();
    auto reading = story.begin();
    CHECK(rows_in(reading) == "a=in f=in");
  });
}

TEST_CASE_TEMPLATE("B15: a record that the ordering ignores does not make its row pass, nor keep it from it", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"a=in@5", "b=out@5", "c=in@5", "d=out@5", "e=in@5", "f=in@5"});
    story.point();
    story.commit({"a=out@6", "b=in@6", "c=out@4", "d=in@4", "-e@4", "-f@6"});
    story.point();
    auto tx = story.begin();
    CHECK(rows_in(tx) == "b=in c=in e=in");
    story.commit({"f=in@5", "a=in@5", "c=out@5"});
    story.point();
    auto reading = story.begin();
    CHECK(rows_in(reading) == "b=in e=in");
    CHECK(rows_between(reading, "e", "g") == "e=in");
  });
}

TEST_CASE_TEMPLATE("B15: a range of keys has the rows that the merge made, up to its very ends", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a=1", "b=1", "c=1", "d=1", "e=1", "f=1"});
    story.point();
    story.commit({"-b", "bb=2", "-c", "c=2", "d=2", "e=2", "g=2", "h=2"});
    story.point();
    auto tx = story.begin();
    CHECK(rows_between(tx, "b", "e") == "bb=2 c=2 d=2");  // the row at its beginning is gone
    CHECK(rows_between(tx, "b", "bb").empty());           // the base has one
    CHECK(rows_between(tx, "bb", "c") == "bb=2");         // the base has none
    CHECK(rows_between(tx, "e", "g") == "e=2 f=1");
    CHECK(rows_between(tx, "g", "z") == "g=2 h=2");  // beyond the base
    Story::write_known(tx, "d=own");
    Story::erase(tx, "bb");
    Story::upsert(tx, "b=own");
    CHECK(rows_between(tx, "b", "e") == "b=own c=2 d=own");
    tx.commit().value();
    story.point();
    auto reading = story.begin();
    CHECK(rows_between(reading, "b", "e") == "b=own c=2 d=own");
    CHECK(rows_between(reading, "", "b") == "a=1");
  });
}

TEST_CASE_TEMPLATE("B16, B17: what is committed after a plan is a delta of what the plan makes", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a", "b", "c", "d"});
    story.commit({"-a", "b=2"});
    auto compactor = story.open();
    const auto plans = compactor.plan_compaction("t").value();
    story.commit({"-b", "e"});
    auto other = story.open();
    for (const compaction_plan& each : other.plan_compaction("t").value()) (void)other.run_compaction(each).value();
    story.point();  // if it compacts here, the plan comes to nothing
    for (const compaction_plan& each : plans) {
      const compacted_objects done = compactor.run_compaction(each).value();
      story.commit({"f"});
      const auto committed = compactor.commit_compaction(done);
      CHECK((committed || committed.error().code() == errc::conflict));
      const auto again = compactor.commit_compaction(done);
      CHECK((!again && again.error().code() == errc::conflict));
    }
    story.point();
    CHECK(story.rows() == "c d e f");
  });
}

TEST_CASE_TEMPLATE("B16: a plan that is run late makes what was there when it was planned, and no row of later", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a", "b", "c"});
    story.point();
    story.commit({"a=2", "b=2", "c=2"});
    auto compactor = story.open();
    const auto plans = compactor.plan_compaction("t").value();
    story.commit({"-a", "d", "e", "f", "g", "h"});
    story.point();
    std::uint64_t rows = 0;
    for (const compaction_plan& each : plans) {
      const compacted_objects done = compactor.run_compaction(each).value();
      rows += done.object.rows;
      const auto committed = compactor.commit_compaction(done);
      CHECK((committed || committed.error().code() == errc::conflict));
    }
    CHECK(rows == 3);
    CHECK(story.rows() == "b=2 c=2 d e f g h");
  });
}

TEST_CASE_TEMPLATE("B18: rows erased and one of them written again", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"0@2", "1@2", "2@2", "3@2", "4@2", "5@2", "6@2", "7@2", "8@2", "9@2"});
    story.point();
    story.commit({"-0@3", "-1@3", "-2@3", "-3@3", "-4@3"});
    story.point();
    CHECK(story.rows() == "5@2 6@2 7@2 8@2 9@2");
    story.commit({"-0@1", "-1@1", "-2@1"});
    story.point();
    CHECK(story.rows() == "5@2 6@2 7@2 8@2 9@2");
    story.commit({"-5@1", "-6@1", "-7@1"});
    story.point();
    CHECK(story.rows() == "5@2 6@2 7@2 8@2 9@2");
    story.commit({"0@4", "1@4"});
    story.point();
    CHECK(story.rows() == "0@4 1@4 5@2 6@2 7@2 8@2 9@2");
  });
}

TEST_CASE_TEMPLATE("D1: a key that is erased, inserted and updated over one base is there once", Story,
                   TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"j", "k", "l"});
    story.point();
    auto erasing = story.begin();
    Story::erase_found(erasing, "k");
    erasing.commit().value();
    story.point();
    (void)story.begin().get("t", {"j"}).value();  // so that the client knows the base's keys
    story.commit({"k=2"});
    story.point();
    auto updating = story.begin();
    Story::write_known(updating, "k=3");
    updating.commit().value();
    story.point();
    CHECK(story.rows() == "j k=3 l");
  });
}

TEST_CASE_TEMPLATE("D2: a tombstone is a row of the base", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"j@1", "k@10", "l@1"});
    story.commit({"-k@12"});
    story.compact();
    (void)story.begin().get("t", {"j"}).value();
    story.commit({"k@11"});
    story.point();
    CHECK(story.rows() == "j@1 l@1");
  });
}

TEST_CASE_TEMPLATE("D3: a first flush that erases is no base", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    auto erasing = story.begin();
    Story::upsert(erasing, "k=mine");
    Story::erase(erasing, "k");
    story.commit({"k=others"});
    story.point();
    erasing.commit().value();
    story.point();
    CHECK(story.rows().empty());
  });
}

TEST_CASE_TEMPLATE("D4: a base that is not first counts as a delta", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    auto late = story.begin();
    Story::upsert(late, "k=a");
    late.flush().value();
    story.commit({"k=b"});
    story.point();
    late.commit().value();
    story.point();
    CHECK(story.rows() == "k=a");
  });
}

TEST_CASE_TEMPLATE("D5: keys after the last row, and into an empty base", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a"});
    (void)story.begin().get("t", {"a"}).value();
    story.commit({"y", "z"});
    story.point();
    CHECK(story.rows() == "a y z");
    story.commit({"-a", "-y", "-z"});
    story.compact();
    CHECK_FALSE(story.begin().get("t", {"a"}).has_value());
    story.commit({"b", "c"});
    story.point();
    CHECK(story.rows() == "b c");
  });
}

TEST_CASE_TEMPLATE("D6: fresh, stale and fresh blocks that touch the same keys", Story, TARN_EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) {
    story.commit({"a", "b", "c"});
    auto stale = story.begin();
    Story::write_known(stale, "b=stale");
    Story::write_known(stale, "c=stale");
    story.commit({"-a"});
    story.compact();
    auto fresh = story.begin();
    Story::write_known(fresh, "b=fresh 1");
    fresh.commit().value();
    story.point();
    stale.commit().value();
    story.point();
    auto again = story.begin();
    Story::write_known(again, "c=fresh 2");
    again.commit().value();
    story.point();
    CHECK(story.rows() == "b=stale c=fresh 2");
  });
}
