// Whether a codec keeps the promises of codec/codec.hpp. For authors of codecs:
//
//   const auto report = tarn::testing::test_codec(my_codec{});
//   if (!report.conforms()) std::fputs(report.text().c_str(), stderr);
//
// What cannot be tested from here: that damage of a kind that was not tried is noticed, and that a cursor allocates
// nothing per row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/row.hpp"
#include "../core/text.hpp"
#include "conformance_report.hpp"
#include "random_values.hpp"

namespace tarn::inline TARN_ABI::testing {

struct codec_conformance_options {
  std::uint64_t seed = 1;          // of the random rows
  std::size_t random_rows = 500;   // in each of several objects
  std::size_t many_rows = 10'000;  // in the largest object
};

// The suite over one codec. Each member is one group of promises.
template <row_codec Codec>
class codec_conformance {
 public:
  codec_conformance(const Codec& codec, const codec_conformance_options& options) : codec_(codec), options_(options) {}

  [[nodiscard]] conformance_report run() {
    name();
    edges();
    random_rows();
    numbers_of_rows();
    read_back();
    moving();
    restarting();
    identity();
    row_limits();
    damage();
    return std::move(report_);
  }

 private:
  using rows = std::vector<row>;

  [[nodiscard]] static object_identity example() noexcept {
    return {"some_table.of-rows", {0x0190'a3f2'7c1e'7abcU, 0x8def'0123'4567'89abU}};
  }
  [[nodiscard]] static object_expectation expectation_of(const rows& expected) {
    object_expectation made;
    made.identity = example();
    made.columns = expected.empty() ? 3 : expected.front().size();
    made.counted = true;
    made.rows = expected.size();
    return made;
  }

  template <class Builder>
  void append(Builder& builder, const rows& appended) {
    for (const row& each : appended) {
      const status done = builder.append(each);
      report_.check(done.has_value(),
                    "append must take every row that row_check accepts: ", done ? "" : done.error().message());
    }
  }

  [[nodiscard]] std::string encode(const rows& encoded) {
    auto builder = codec_.build(example(), limits{});
    append(builder, encoded);
    report_.check(builder.rows() == encoded.size(), "rows() must be ", encoded.size(), ", but is ", builder.rows());
    const std::string bytes(builder.finish());
    report_.check(bytes == builder.finish(), "finish() must give the same bytes when it is called again");
    return bytes;
  }

  // What came of reading: all rows, or a failure after some of them. Rows that are wrong are noted at once.
  template <class Cursor>
  bool reads_all(Cursor& cursor, const rows& expected, std::string_view when) {
    std::size_t count = 0;
    while (cursor.next()) {
      const bool same = count < expected.size() && row_view(cursor.row()) == row_view(expected[count]);
      if (!report_.check(same, "row ", count, " must be the one that was appended, bit for bit, or an error: ", when))
        return true;
      ++count;
      if constexpr (block_cursor<Cursor>) count += pass_some(cursor, expected, count, when);
    }
    if (!cursor.status()) return false;
    report_.check(count == expected.size(), "there must be ", expected.size(), " rows or an error, not ", count, ": ",
                  when);
    report_.check(!cursor.next(), "next() must stay false after the end: ", when);
    return true;
  }

  // Reads the rows next to the one that the cursor stands on, of which `count` have been read, and passes some of them.
  template <class Cursor>
  std::size_t pass_some(Cursor& cursor, const rows& expected, std::size_t count, std::string_view when) {
    const std::size_t ahead = cursor.rows_ahead();
    const list_view first = cursor.row();
    bool same = ahead <= expected.size() - count && (ahead == 0 || first.views() != nullptr);
    for (std::size_t at = 1; same && at <= ahead; ++at)
      same = row_view(list_view(first.views() + at * first.size(), first.size())) == row_view(expected[count + at - 1]);
    if (!report_.check(same, "rows_ahead() must be how many rows lie next to row ", count - 1, ": ", when)) return 0;
    const std::size_t passed = count % (ahead + 1);
    if (passed == 0) return 0;
    cursor.pass(passed);
    report_.check(
        cursor.rows_ahead() == ahead - passed && row_view(cursor.row()) == row_view(expected[count + passed - 1]),
        "pass(", passed, ") must be as if next() had been called so often after row ", count - 1, ": ", when);
    return passed;
  }

  // True if something was wrong with the bytes, which are copied to memory that ends where they do.
  [[nodiscard]] bool fails(std::string_view bytes, const object_expectation& expected, const rows& appended,
                           std::string_view when, const limits& bounds = limits{}) {
    const std::vector<char> exact(bytes.begin(), bytes.end());
    auto cursor = codec_.open(std::string_view(exact.data(), exact.size()), expected, bounds);
    if (!cursor) return check_error(cursor.error(), expected, when);
    if (reads_all(*cursor, appended, when)) return false;
    report_.check(!cursor->next(), "next() must stay false after a failure: ", when);
    return check_error(cursor->status().error(), expected, when);
  }

  // Of what an error must be; true.
  bool check_error(const error& why, const object_expectation& expected, std::string_view when) {
    last_error_ = why.message();
    report_.check(why.message().find(name_of(expected.identity)) != std::string::npos,
                  "an error must name the object: ", when, ": ", why.message());
    const bool fits =
        why.code() == errc::corrupt || why.code() == errc::limit_exceeded || why.code() == errc::unsupported;
    report_.check(fits, "an error must be errc::corrupt, limit_exceeded or unsupported, not ", name_of(why.code()),
                  ": ", when);
    return true;
  }

  void check_round_trip(const rows& appended, std::string_view when) {
    const std::string bytes = encode(appended);
    object_expectation expected = expectation_of(appended);
    const auto check_readable = [&](std::string_view how) {
      report_.check(!fails(bytes, expected, appended, when), "what was encoded must be readable", how, ": ", when, ": ",
                    last_error_);
    };
    check_readable("");
    expected.checksum_verified = true;
    check_readable(" without verifying a checksum");
    expected.counted = false;
    check_readable(" without knowing the number of rows");
    report_.check(bytes == encode(appended), "the same rows must give the same bytes: ", when);
  }

  void name() {
    const std::string_view name = Codec::name;
    bool fits = !name.empty();
    for (const char c : name) fits = fits && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
    report_.check(fits, "a codec's name must be lower-case letters, digits and '-', not '", name, "'");
  }

  void edges() {
    rows alone;
    for (const value& each : edge_values()) alone.push_back({each});
    check_round_trip(alone, "edge values, one in each row");
    const std::vector<value> all = edge_values();
    check_round_trip({row(all.begin(), all.end()), row(all.rbegin(), all.rend())}, "edge values, all in one row");
    const limits bounds;
    const rows deep{{nested(value(bytes{"deep"}), bounds.nesting_depth_max)},
                    {nested(value(), bounds.nesting_depth_max)},
                    {nested(value(double_of_bits(0x7ff0'0000'0000'0000U)), bounds.nesting_depth_max)}};
    check_round_trip(deep, "values as deep as the limit allows");
    check_round_trip({{value(), value()}, {value(), value()}}, "rows of nulls only");
  }

  void random_rows() {
    random_values random(options_.seed);
    for (const std::size_t columns : {1U, 2U, 3U, 7U, 100U}) {
      rows some;
      for (std::size_t count = 0; count < options_.random_rows / columns + 1; ++count)
        some.push_back(random.next_row(columns));
      check_round_trip(some, concat({"random rows of ", columns, " columns, seed ", options_.seed}));
    }
  }

  [[nodiscard]] static rows counted_rows(std::size_t count) {
    rows some;
    for (std::size_t number = 0; number < count; ++number)
      some.push_back({value(static_cast<std::int64_t>(number)), value(concat({"row ", number})), value(0.5)});
    return some;
  }

  void numbers_of_rows() {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, options_.many_rows})
      check_round_trip(counted_rows(count), concat({count, " rows"}));
  }

  void read_back() {
    const rows all = counted_rows(300);
    auto builder = codec_.build(example(), limits{});
    rows so_far;
    std::vector<std::pair<decltype(builder.read_back()), rows>> kept;
    for (const row& each : all) {
      append(builder, {each});
      so_far.push_back(each);
      auto now = builder.read_back();
      report_.check(reads_all(now, so_far, "read back at once"), "read_back must not fail at once");
      if (so_far.size() % 50 == 1) kept.emplace_back(builder.read_back(), so_far);
    }
    const std::string bytes(builder.finish());
    report_.check(bytes == encode(all), "reading back must not change the object");
    for (auto& [cursor, rows_then] : kept)
      report_.check(reads_all(cursor, rows_then, "read back after more was appended"), "read_back must not fail later");
    auto empty = codec_.build(example(), limits{});
    auto nothing = empty.read_back();
    append(empty, all);
    report_.check(reads_all(nothing, {}, "read back before the first row"), "read_back must not fail without rows");
  }

  void moving() {
    const rows all = counted_rows(100);
    auto first = codec_.build(example(), limits{});
    append(first, {all.begin(), all.begin() + 50});
    auto builder = std::move(first);
    append(builder, {all.begin() + 50, all.end()});
    const std::string_view finished = builder.finish();
    auto owner = std::move(builder);
    const std::string bytes(finished);
    report_.check(bytes == encode(all), "a builder that was moved must go on where it was");
    auto opened = codec_.open(bytes, expectation_of(all), limits{});
    if (!report_.check(opened.has_value(), "open must not fail")) return;
    auto moved_from = *std::move(opened);
    bool moved = moved_from.next();
    const auto row_before = moved_from.row();
    auto cursor = std::move(moved_from);
    moved = moved && row_view(row_before) == row_view(all[0]) && row_view(cursor.row()) == row_view(all[0]);
    report_.check(moved, "a cursor's row must stay when the cursor is moved");
    report_.check(reads_all(cursor, {all.begin() + 1, all.end()}, "moved after a row"), "a moved cursor must go on");
  }

  void restarting() {
    const rows first = counted_rows(200);
    const rows second{{value("other")}, {value(list_of({value(1)}))}};
    auto builder = codec_.build(object_identity{"another", {3, 4}}, limits{});
    append(builder, first);
    auto kept = builder.read_back();
    builder.restart(example());
    report_.check(builder.rows() == 0, "a builder that was restarted must have no rows");
    append(builder, second);
    report_.check(builder.finish() == encode(second), "a builder that was restarted must build as a new one does");
    report_.check(reads_all(kept, first, "read back before the restart"), "read_back must not fail after a restart");
    builder.restart(example());
    append(builder, first);
    report_.check(builder.finish() == encode(first), "a builder must restart after it has finished");
  }

  void identity() {
    const rows all = counted_rows(2);
    const std::string bytes = encode(all);
    const auto check = [&](const object_expectation& other, std::string_view what) {
      report_.check(fails(bytes, other, all, what), "an error must be made of ", what);
    };
    object_expectation other = expectation_of(all);
    other.identity.id.low ^= 1;
    check(other, "another id");
    for (const std::string_view table : {"some_table.of-row", "some_table.of-rows2", "some_table.of-rowS", "x"}) {
      other = expectation_of(all);
      other.identity.table = table;
      check(other, "another table");
    }
    for (const std::uint64_t count : {0U, 1U, 3U}) {
      other = expectation_of(all);
      other.rows = count;
      check(other, "another number of rows");
    }
    for (const std::size_t columns : {0U, 1U, 2U, 4U}) {
      other = expectation_of(all);
      other.columns = columns;
      check(other, "another number of columns");
    }
  }

  void row_limits() {
    random_values random(options_.seed);
    std::string noise(10'000, '\0');
    for (char& c : noise) c = static_cast<char>(random.bits() & 0xffU);
    const rows small = counted_rows(3);
    const row large{value(1), value(bytes{noise}), value()};
    limits tight;
    tight.row_bytes_max = 1'000;

    auto builder = codec_.build(example(), tight);
    append(builder, {small.begin(), small.begin() + 2});
    const status refused = builder.append(large);
    report_.check(!refused && refused.error().code() == errc::limit_exceeded,
                  "append must answer errc::limit_exceeded for a row longer than row_bytes_max");
    append(builder, {small.begin() + 2, small.end()});
    report_.check(builder.rows() == 3 && builder.finish() == encode(small),
                  "a row that is refused must leave no trace");

    const rows with_large{small[0], large};
    report_.check(
        fails(encode(with_large), expectation_of(with_large), with_large, "a row longer than limits allow", tight),
        "a row longer than row_bytes_max must not be read");
    const rows deep{{nested(value(1), 40)}};
    tight = limits{};
    tight.nesting_depth_max = 39;
    report_.check(fails(encode(deep), expectation_of(deep), deep, "a value deeper than limits allow", tight),
                  "a value deeper than nesting_depth_max must not be read");
  }

  // All single-bit flips and all truncations of a small object, and some additions to it.
  void damage() {
    const rows all{{value(-17), value("a\"b\\c\xc3\xa9"), value(2.5)},
                   {value(true), value(bytes{"\x00\xff"}), list_of({value(), map_of({value("$k"), value("v")})})}};
    for (const rows& some : {all, rows{}, rows{all[0]}}) {
      const std::string bytes = encode(some);
      const object_expectation expected = expectation_of(some);
      for (std::size_t size = 0; size < bytes.size(); ++size)
        check_damage(bytes.substr(0, size), expected, some, "cut to ", size);
      for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
        check_damage(flipped, expected, some, "with a flip of bit ", bit);
      }
      for (unsigned byte = 0; byte < 256; ++byte)
        check_damage(bytes + static_cast<char>(byte), expected, some, "followed by the byte ", byte);
      check_damage(bytes + bytes, expected, some, "repeated; size ", bytes.size());
    }
  }

  void check_damage(std::string_view bytes, const object_expectation& expected, const rows& appended,
                    std::string_view how, std::size_t where) {
    const std::string when = concat({"an object ", how, where});
    report_.check(fails(bytes, expected, appended, when), "damage must be noticed: ", when);
  }

  const Codec& codec_;
  const codec_conformance_options options_;
  conformance_report report_;
  std::string last_error_;
};

// Runs the whole suite: some 20,000 small objects.
template <row_codec Codec>
[[nodiscard]] conformance_report test_codec(const Codec& codec,
                                            const codec_conformance_options& options = codec_conformance_options{}) {
  return codec_conformance<Codec>(codec, options).run();
}

}  // namespace tarn::inline TARN_ABI::testing
