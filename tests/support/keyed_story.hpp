// Small histories of one keyed table, told the way the cases are: keys are letters, orderings small numbers. Each is
// run again and again: with every number of buckets and rows for an object, and with a compaction at every point.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>

#include "stored_objects.hpp"
#include "stores.hpp"

namespace tarn_test {

struct story_setting {
  bool ordered = false;
  std::uint32_t buckets = 1;
  std::uint64_t rows_per_object = 65'536;
  int compaction = -1;  // at which point; -1: nowhere
};

// One run of a history. The table is "t", with the columns k (the key), o (the ordering) and v.
template <class Place, class Merge>
class keyed_story {
 public:
  using lake_type = tarn::client<typename Place::store, tarn::json_codec, Merge>;
  using transaction = typename lake_type::transaction_type;

  explicit keyed_story(const story_setting& setting) : setting_(setting), lake(open()) {
    auto tx = begin();
    tarn::keyed key{{"k"}, setting.buckets};
    if (setting.ordered) key.fold = tarn::by_ordering("o");
    tx.create_table("t", {{"k", tarn::column_type::string}, {"o", tarn::column_type::integer}, "v"}, key).value();
    tx.commit().value();
  }

  // A client of its own, as another process would have.
  [[nodiscard]] lake_type open() const {
    tarn::client_options options = with_stored_objects();  // which tests count
    options.bounds.rows_per_object = setting_.rows_per_object;
    return lake_type(place_.open(), options);
  }
  [[nodiscard]] transaction begin(tarn::isolation level = tarn::isolation::non_blocking) {
    return lake.begin(level).value();
  }

  // "b=new@3": key b, value "new", ordering 3; without them value "" and ordering 0.
  static void upsert(transaction& tx, std::string_view text) {
    const auto [key, value, ordering] = parts_of(text);
    tx.upsert("t", {key, ordering, value}).value();
  }
  static void erase(transaction& tx, std::string_view key) { tx.erase("t", {key}).value(); }
  static void erase(transaction& tx, std::string_view key, std::int64_t ordering) {
    tx.erase("t", {key}, ordering).value();
  }
  // Through a scan, so that the position is recorded, where the strategy records any.
  static void erase_found(transaction& tx, std::string_view key) {
    auto scan = tx.scan("t").value();
    while (scan.next())
      if (scan.row()["k"].as_string() == key) return tx.erase(scan).value();
    FAIL("there is no row with the key ", std::string(key));
  }
  // Writes over a row after looking it up, so that the client knows the base's keys, and their positions are recorded.
  static void write_known(transaction& tx, std::string_view text) {
    (void)tx.get("t", {parts_of(text).key}).value();
    upsert(tx, text);
  }

  // One transaction of upserts ("a=1@2") and erases ("-a", "-a@2").
  void commit(std::initializer_list<std::string_view> writes) {
    auto tx = begin();
    for (const std::string_view each : writes) write(tx, each);
    tx.commit().value();
  }
  static void write(transaction& tx, std::string_view text) {
    if (!text.starts_with('-')) return upsert(tx, text);
    const auto [key, value, ordering] = parts_of(text.substr(1));
    if (text.find('@') == std::string_view::npos)
      erase(tx, key);
    else
      erase(tx, key, ordering);
  }

  // Where a compaction may come in.
  void point() {
    if (points_++ == setting_.compaction) compact();
  }
  void compact() {
    auto other = open();
    other.compact("t").value();
  }
  [[nodiscard]] int points() const noexcept { return points_; }

  // "a=1@2 b": what there is, sorted by key.
  [[nodiscard]] static std::string rows(transaction& tx) {
    std::vector<std::string> found;
    auto scan = tx.scan("t").value();
    while (scan.next()) found.push_back(text_of(scan.row()));
    REQUIRE_MESSAGE(scan.status().has_value(), (scan.status() ? std::string() : scan.status().error().message()));
    std::sort(found.begin(), found.end());
    std::string all;
    for (const std::string& each : found) all += (all.empty() ? "" : " ") + each;
    auto verified = tx.verifying_scan("t").value();
    std::size_t count = 0;
    while (verified.next()) ++count;
    REQUIRE_MESSAGE(verified.status().has_value(),
                    (verified.status() ? std::string() : verified.status().error().message()));
    REQUIRE(count == found.size());
    return all;
  }
  [[nodiscard]] std::string rows() {
    auto tx = begin();
    return rows(tx);
  }
  [[nodiscard]] tarn::merge_statistics how_merged() {
    auto tx = begin();
    auto scan = tx.scan("t").value();
    while (scan.next()) {
    }
    scan.status().value();
    return scan.statistics().merged;
  }

 private:
  struct parts {
    std::string_view key;
    std::string_view value;
    std::int64_t ordering = 0;
  };
  [[nodiscard]] static parts parts_of(std::string_view text) {
    parts found;
    if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
      found.ordering = std::stoll(std::string(text.substr(at + 1)));
      text = text.substr(0, at);
    }
    const std::size_t equals = text.find('=');
    found.key = text.substr(0, equals);
    if (equals != std::string_view::npos) found.value = text.substr(equals + 1);
    return found;
  }
  [[nodiscard]] static std::string text_of(const tarn::row_view& row) {
    std::string text(row["k"].as_string());
    if (!row["v"].as_string().empty()) text += "=" + std::string(row["v"].as_string());
    if (row["o"].as_integer() != 0) text += "@" + std::to_string(row["o"].as_integer());
    return text;
  }

  Place place_;
  story_setting setting_;
  int points_ = 0;

 public:
  lake_type lake;
};

// Runs `tell(story)` in all settings; it calls `story.point()` between its steps.
template <class Story>
void in_all_settings(bool ordered, const std::function<void(Story&)>& tell) {
  for (const std::uint32_t buckets : {1U, 7U})
    for (const std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{65'536}})
      for (int compaction = -1, points = 0; compaction < points; ++compaction) {
        CAPTURE(buckets);
        CAPTURE(rows);
        CAPTURE(compaction);
        Story story(story_setting{ordered, buckets, rows, compaction});
        tell(story);
        points = story.points();
      }
}

// Over both stores, with all strategies.
using key_memory = keyed_story<in_memory, tarn::merge::by_key>;
using position_memory = keyed_story<in_memory, tarn::merge::by_position>;
using derived_memory = keyed_story<in_memory, tarn::merge::derived>;
using key_files = keyed_story<in_files, tarn::merge::by_key>;
using position_files = keyed_story<in_files, tarn::merge::by_position>;
using derived_files = keyed_story<in_files, tarn::merge::derived>;

#define TARN_EACH_STORY                                                                               \
  tarn_test::key_memory, tarn_test::position_memory, tarn_test::derived_memory, tarn_test::key_files, \
      tarn_test::position_files, tarn_test::derived_files

// What the fold of a story's table is.
inline constexpr bool last_wins = false;
inline constexpr bool with_ordering = true;

}  // namespace tarn_test
