// Case B20: scans take the way that their strategy says, by position or by key, in all the settings of
// keyed_cases_test.cpp.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <utility>

#include "../support/keyed_story.hpp"
#include "../support/stores.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

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

TEST_CASE_TEMPLATE("B20: blocks are placed by position where that holds, by key where it is stale", Story,
                   TARN_EACH_STORY) {
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
