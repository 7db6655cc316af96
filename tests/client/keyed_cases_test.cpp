// The cases of merging: each over both stores, all strategies, 1 and 7 buckets, objects of 1, 2 and 65,536 rows, and
// with a compaction at every point.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/keyed_story.hpp"
#include "../support/reading.hpp"
#include "../support/stores.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

using key_memory = keyed_story<in_memory, merge::by_key>;
using position_memory = keyed_story<in_memory, merge::by_position>;
using derived_memory = keyed_story<in_memory, merge::derived>;
using key_files = keyed_story<in_files, merge::by_key>;
using position_files = keyed_story<in_files, merge::by_position>;
using derived_files = keyed_story<in_files, merge::derived>;

#define EACH_STORY key_memory, position_memory, derived_memory, key_files, position_files, derived_files

constexpr bool last_wins = false;
constexpr bool with_ordering = true;

// --- B15: filters ------------------------------------------------------------------------------------------------

// The rows that pass, "a=in c=in". The library has no filter: it is what the caller does with the rows that come out of
// the merge, so that a base's row or a delta's record by itself never decides.
template <class Scan, class Filter>
[[nodiscard]] std::string rows_that(Scan scan, const Filter& passes) {
  std::vector<std::string> found;
  while (scan.value().next())
    if (const row_view row = scan->row(); passes(row))
      found.push_back(concat({row["k"].as_string(), "=", row["v"].as_string()}));
  REQUIRE(scan->status().has_value());
  std::sort(found.begin(), found.end());
  std::string all;
  for (const std::string& each : found) all += (all.empty() ? "" : " ") + each;
  return all;
}
template <class Transaction>
[[nodiscard]] std::string rows_in(Transaction& tx) {
  return rows_that(tx.scan("t"), [](const row_view& row) { return row["v"].as_string() == "in"; });
}
template <class Transaction>
[[nodiscard]] std::string rows_between(Transaction& tx, std::string_view first, std::string_view last) {
  return rows_that(tx.scan("t", {first}, {last}), [](const row_view&) { return true; });
}

// --- B19: keys ---------------------------------------------------------------------------------------------------

// What MurmurHash3 makes of some keys is the same whatever its seed (Aumasson, Bernstein, Bosslet: "Hash-flooding DoS
// reloaded", 2012): these two differ in 4 bytes by what is one bit of the state, and in the next 4 by what takes it
// back. So they share their bucket, whatever the number of buckets, and their place in any table of hashes with this
// function.
constexpr std::string_view some_text = " a0D00 l";
constexpr std::string_view text_of_same_hash = "x\002Q900o0";
constexpr std::int64_t some_number = 5'764'607'523'034'234'885;
constexpr std::int64_t number_of_same_hash = -8'380'917'431'377'371'475;

// A table "x" with a column for each part of its keys, and v. Has the clients of a story, and is run in all settings
// as one.
template <class Story>
class key_history {
 public:
  using transaction = typename Story::transaction;

  explicit key_history(const story_setting& setting) : setting_(setting), story_(setting) {}

  // `keys` in order; all parts of a column are of its type.
  void create(const std::vector<column_type>& types, std::vector<row> keys) {
    sequence<column> columns;
    for (const column_type type : types) {
      key_.columns.push_back("k" + std::to_string(key_.columns.size()));
      places_.push_back(static_cast<std::uint32_t>(places_.size()));
      columns.push_back({key_.columns.back(), type});
    }
    columns.emplace_back("v");
    key_.buckets = setting_.buckets;
    keys_ = std::move(keys);
    values_.assign(keys_.size(), absent);
    auto tx = story_.begin();
    tx.create_table("x", schema(std::move(columns)), key_).value();
    tx.commit().value();
  }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
  [[nodiscard]] transaction begin() { return story_.begin(); }
  // The key is looked up before, so that its position is known.
  void write(transaction& tx, std::size_t which, int value) {
    (void)tx.get("x", keys_[which]);
    tx.upsert("x", row_of(which, value)).value();
    values_[which] = value;
  }
  void erase(transaction& tx, std::size_t which) {
    tx.erase("x", keys_[which]).value();
    values_[which] = absent;
  }

  void point() {
    if (points_++ != setting_.compaction) return;
    auto other = story_.open();
    other.compact("x").value();
  }
  [[nodiscard]] int points() const noexcept { return points_; }

  // Each key by itself, then all in order, then the keys from each one to the next.
  void check() {
    auto tx = begin();
    for (std::size_t which = 0; which < size(); ++which) {
      CAPTURE(which);
      const result<row> found = tx.get("x", keys_[which]);
      CHECK(found.has_value() == (values_[which] != absent));
      if (found) CHECK(*found == row_of(which, values_[which]));
    }
    CHECK(rows_of(tx, "x") == rows_in_order(0, size()));
    for (std::size_t which = 0; which + 1 < size(); ++which) {
      CAPTURE(which);
      CHECK(rows_from(tx, which) == rows_in_order(which, which + 1));
    }
    auto verified = tx.verifying_scan("x").value();
    while (verified.next()) {
    }
    CHECK(verified.status().has_value());
  }

 private:
  static constexpr int absent = -1;

  [[nodiscard]] row row_of(std::size_t which, int value) const {
    row made = keys_[which];
    made.push_back(value);
    return made;
  }
  [[nodiscard]] std::vector<row> rows_in_order(std::size_t first, std::size_t last) const {
    std::vector<row> rows;
    for (std::uint32_t bucket = 0; bucket < setting_.buckets; ++bucket)
      for (std::size_t which = first; which < last; ++which)
        if (values_[which] != absent && bucket_of(keys_[which], places_, setting_.buckets) == bucket)
          rows.push_back(row_of(which, values_[which]));
    return rows;
  }
  [[nodiscard]] std::vector<row> rows_from(transaction& tx, std::size_t which) const {
    std::vector<row> rows;
    for (const row_view each : tx.scan("x", keys_[which], keys_[which + 1]).value())
      rows.emplace_back(each.begin(), each.end());
    return rows;
  }

  story_setting setting_;
  Story story_;
  keyed key_;
  sequence<std::uint32_t> places_;  // of the key's columns
  std::vector<row> keys_;
  std::vector<int> values_;  // of each key
  int points_ = 0;
};

template <class Story>
void check_keys(const std::vector<column_type>& types, const std::vector<row>& keys) {
  in_all_settings<key_history<Story>>(last_wins, [&](key_history<Story>& history) {
    history.create(types, keys);
    auto first = history.begin();
    for (std::size_t which = history.size(); which-- > 0;) history.write(first, which, 1);
    first.commit().value();
    history.point();
    auto second = history.begin();
    for (std::size_t which = 1; which < history.size(); which += 2) history.write(second, which, 2);
    for (std::size_t which = 0; which < history.size(); which += 3) history.erase(second, which);
    second.commit().value();
    history.point();
    history.check();
    auto third = history.begin();
    for (std::size_t which = 0; which < history.size(); which += 6) history.write(third, which, 3);
    third.commit().value();
    history.point();
    history.check();
  });
}

// --- B20: which way a scan takes -----------------------------------------------------------------------------------

// Records positions and says nothing, but looks for every key: each answer is right.
struct silently_by_key {
  static constexpr bool records_positions = true;
  [[nodiscard]] static bool positions_hold(const block_header&, const uuid&, version) noexcept { return false; }
};
// Takes the positions in any base for those in this one.
struct silently_by_position {
  static constexpr bool records_positions = true;
  [[nodiscard]] static bool positions_hold(const block_header&, const uuid&, version) noexcept { return true; }
};

template <class Story>
constexpr bool records_positions = false;
template <class Place, class Merge>
constexpr bool records_positions<keyed_story<Place, Merge>> = Merge::records_positions;

// The same rows at the same positions in two bases, so that no strategy can give wrong rows; a block that was written
// against the first, and one against the second. What a scan must count is kept beside it.
template <class Story>
class way_of_scans {
 public:
  explicit way_of_scans(Story& story) : story_(&story) {}

  // The first thing that a scan has done otherwise than it must; empty: none.
  [[nodiscard]] std::string first_wrong() {
    rebase({"a", "b", "c", "d", "e"});
    story_->point();
    auto stale = begin_with({"d=stale", "e=stale"});
    rebase({"a=2", "b=2", "c=2", "d=2", "e=2"});
    compare("of the base alone");
    story_->point();
    auto fresh = begin_with({"b=fresh", "c=fresh"});
    commit(fresh, records_positions<Story>);
    compare("of the fresh block");
    point();
    commit(stale, false);
    compare("of the fresh and the stale block");
    point();
    compare("at the end");
    CHECK(story_->rows() == "a=2 b=fresh c=fresh d=stale e=stale");
    return wrong_;
  }

 private:
  struct written {
    typename Story::transaction tx;
    std::size_t records;
    std::size_t blocks;
  };

  // Flushed, so that its blocks can be counted: they are the objects that there are more now.
  [[nodiscard]] written begin_with(std::initializer_list<std::string_view> rows) {
    const std::size_t before = objects();
    auto tx = story_->begin();
    for (const std::string_view each : rows) Story::write_known(tx, each);
    tx.flush().value();
    return {std::move(tx), rows.size(), objects() - before};
  }
  [[nodiscard]] std::size_t objects() const { return names_in(story_->lake.store(), "_table_").size(); }

  // A compaction leaves one object to a bucket, however small objects are.
  void rebase(std::initializer_list<std::string_view> rows) {
    story_->commit(rows);
    story_->compact();
    must_ = {};
  }
  void commit(written& done, bool by_position) {
    done.tx.commit().value();
    (by_position ? must_.keys_by_position : must_.keys_by_key) += done.records;
    (by_position ? must_.blocks_by_position : must_.blocks_by_key) += done.blocks;
  }
  void point() {
    const version before = story_->begin().read_version();
    story_->point();
    if (story_->begin().read_version() != before) must_ = {};
  }

  void compare(std::string_view when) {
    const merge_statistics real = story_->how_merged();
    const auto say = [&](std::string_view what, std::uint64_t counted, std::uint64_t expected) {
      if (wrong_.empty() && counted != expected) wrong_ = concat({when, ": ", counted, " ", what, ", not ", expected});
    };
    say("keys by position", real.keys_by_position, must_.keys_by_position);
    say("keys by key", real.keys_by_key, must_.keys_by_key);
    say("blocks by position", real.blocks_by_position, must_.blocks_by_position);
    say("blocks by key", real.blocks_by_key, must_.blocks_by_key);
    say("searches of the base", real.base_keys_compared > 0 ? 1 : 0, must_.keys_by_key > 0 ? 1 : 0);
  }

  Story* story_;
  merge_statistics must_;
  std::string wrong_;
};

}  // namespace

TEST_CASE_TEMPLATE("B1, B2: positions of a base that was replaced meanwhile", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B3: fresh, stale and fresh blocks over one base", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B4: insert, erase, insert again", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B5: several writes of one key in one transaction", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B6: a late record does not bring back what was erased with a greater ordering", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B7: a plain erase forgets the ordering", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B8: of equal orderings the later commit counts", Story, EACH_STORY) {
  in_all_settings<Story>(with_ordering, [](Story& story) {
    story.commit({"k=first@5"});
    story.point();
    story.commit({"k=second@5"});
    story.point();
    CHECK(story.rows() == "k=second@5");
  });
}

TEST_CASE_TEMPLATE("B9: negative and extreme orderings, and an erase with a lower one", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B10: the order of commits counts, not that of begins", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B11: a first write that was never committed hides nothing", Story, EACH_STORY) {
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
                   EACH_STORY) {
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

TEST_CASE_TEMPLATE("B13: an update and an insert in one block", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B14: all rows erased, compacted, and one inserted", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B15: a filter sees what the merge made of base and deltas", Story, EACH_STORY) {
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
                   EACH_STORY) {
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

TEST_CASE_TEMPLATE("B15: a range of keys has the rows that the merge made, up to its very ends", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("B16, B17: what is committed after a plan is a delta of what the plan makes", Story, EACH_STORY) {
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
      const compacted_bucket done = compactor.run_compaction(each).value();
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
                   EACH_STORY) {
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
      const compacted_bucket done = compactor.run_compaction(each).value();
      rows += done.base.rows;
      const auto committed = compactor.commit_compaction(done);
      CHECK((committed || committed.error().code() == errc::conflict));
    }
    CHECK(rows == 3);
    CHECK(story.rows() == "b=2 c=2 d e f g h");
  });
}

TEST_CASE_TEMPLATE("B18: rows erased and one of them written again", Story, EACH_STORY) {
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

TEST_CASE("B19: the keys that are said to have one hash have, whatever the seed") {
  for (const std::uint32_t seed : {0U, 1U, 0x7461'726eU})
    CHECK(murmur3_x86_32(some_text, seed) == murmur3_x86_32(text_of_same_hash, seed));
  constexpr std::uint32_t all = 0x7fff'ffff;
  CHECK(bucket_of(row{some_number}, {0}, all) == bucket_of(row{number_of_same_hash}, {0}, all));
  CHECK(bucket_of(row{some_text, "x"}, {0, 1}, all) == bucket_of(row{text_of_same_hash, "x"}, {0, 1}, all));
}

TEST_CASE_TEMPLATE("B19: texts of one hash, and texts that others begin with, are keys of their own, in order", Story,
                   EACH_STORY) {
  using namespace std::string_view_literals;
  const auto both = [](std::string_view first, std::string_view second) { return value(concat({first, second})); };
  check_keys<Story>({column_type::string}, {{""},
                                            {both(some_text, some_text)},
                                            {both(some_text, text_of_same_hash)},
                                            {"a"},
                                            {"a\0"sv},
                                            {"a\0b"sv},
                                            {"ab"},
                                            {"abc"},
                                            {both(text_of_same_hash, some_text)},
                                            {both(text_of_same_hash, text_of_same_hash)},
                                            {"\xc3\xa9"}});
}

TEST_CASE_TEMPLATE("B19: numbers of both signs, of which two have one hash, are in order", Story, EACH_STORY) {
  check_keys<Story>({column_type::integer}, {{INT64_MIN},
                                             {number_of_same_hash},
                                             {-4'294'967'296},
                                             {-256},
                                             {-1},
                                             {0},
                                             {1},
                                             {255},
                                             {256},
                                             {4'294'967'296},
                                             {some_number},
                                             {INT64_MAX}});
}

TEST_CASE_TEMPLATE("B19: keys of two texts differ by where the first one ends", Story, EACH_STORY) {
  using namespace std::string_view_literals;
  check_keys<Story>({column_type::string, column_type::string}, {{"", ""},
                                                                 {"", "abc"},
                                                                 {some_text, "x"},
                                                                 {"a", ""},
                                                                 {"a", "b"},
                                                                 {"a", "bc"},
                                                                 {"a\0"sv, "c"},
                                                                 {"ab", ""},
                                                                 {"ab", "c"},
                                                                 {"abc", ""},
                                                                 {text_of_same_hash, "x"}});
}

TEST_CASE_TEMPLATE("B19: keys of bytes, a truth and a number are in order", Story, EACH_STORY) {
  using namespace std::string_view_literals;
  const bytes none{""}, zero{"\0"sv}, zero_and_end{"\0\1"sv}, high{"\xff"}, higher{"\xff\0"sv};
  check_keys<Story>({column_type::bytes, column_type::boolean, column_type::integer}, {{none, false, 1},
                                                                                       {none, true, -1},
                                                                                       {none, true, 1},
                                                                                       {zero, false, INT64_MIN},
                                                                                       {zero, false, 0},
                                                                                       {zero_and_end, false, 0},
                                                                                       {high, false, -1},
                                                                                       {high, true, -1},
                                                                                       {higher, false, -1}});
}

TEST_CASE_TEMPLATE("B20: blocks are placed by position where that holds, by key where it is stale", Story, EACH_STORY) {
  in_all_settings<Story>(last_wins, [](Story& story) { CHECK(way_of_scans<Story>(story).first_wrong().empty()); });
}

TEST_CASE("B20: a strategy that places otherwise than it says is found out, though each of its rows is right") {
  using by_key = keyed_story<in_memory, silently_by_key>;
  in_all_settings<by_key>(last_wins, [](by_key& story) {
    const std::string wrong = way_of_scans<by_key>(story).first_wrong();
    CHECK(wrong == "of the fresh block: 0 keys by position, not 2");
  });
  using by_position = keyed_story<in_memory, silently_by_position>;
  in_all_settings<by_position>(last_wins, [](by_position& story) {
    const std::string wrong = way_of_scans<by_position>(story).first_wrong();
    CHECK(wrong.starts_with("of the fresh and the stale block: "));
    CHECK(wrong.find(" keys by position, not ") != std::string::npos);
  });
}

TEST_CASE_TEMPLATE("D1: a key that is erased, inserted and updated over one base is there once", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("D2: a tombstone is a row of the base", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("D3: a first flush that erases is no base", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("D4: a base that is not first counts as a delta", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("D5: keys after the last row, and into an empty base", Story, EACH_STORY) {
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

TEST_CASE_TEMPLATE("D6: fresh, stale and fresh blocks that touch the same keys", Story, EACH_STORY) {
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
