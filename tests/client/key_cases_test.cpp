// Case B19: keys that are hard to tell apart, in all the settings of keyed_cases_test.cpp.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>
#include <utility>
#include <vector>

#include "../support/keyed_story.hpp"
#include "../support/reading.hpp"

using namespace tarn;
using namespace tarn_test;

namespace {

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

}  // namespace

TEST_CASE("B19: the keys that are said to have one hash have, whatever the seed") {
  for (const std::uint32_t seed : {0U, 1U, 0x7461'726eU})
    CHECK(murmur3_x86_32(some_text, seed) == murmur3_x86_32(text_of_same_hash, seed));
  constexpr std::uint32_t all = 0x7fff'ffff;
  CHECK(bucket_of(row{some_number}, {0}, all) == bucket_of(row{number_of_same_hash}, {0}, all));
  CHECK(bucket_of(row{some_text, "x"}, {0, 1}, all) == bucket_of(row{text_of_same_hash, "x"}, {0, 1}, all));
}

TEST_CASE_TEMPLATE("B19: texts of one hash, and texts that others begin with, are keys of their own, in order", Story,
                   TARN_EACH_STORY) {
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

TEST_CASE_TEMPLATE("B19: numbers of both signs, of which two have one hash, are in order", Story, TARN_EACH_STORY) {
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

TEST_CASE_TEMPLATE("B19: keys of two texts differ by where the first one ends", Story, TARN_EACH_STORY) {
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

TEST_CASE_TEMPLATE("B19: keys of bytes, a truth and a number are in order", Story, TARN_EACH_STORY) {
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
