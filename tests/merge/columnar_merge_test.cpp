// Merging by position does not look at the base's keys: over columnar objects their bytes are not even touched.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/merge/record.hpp>
#include <tarn/merge/slice_merge.hpp>
#include <utility>
#include <vector>

using namespace tarn;

namespace {

constexpr std::int64_t base_rows = 20'000;

// The records of an object, of which some columns are read.
class record_source_over_columns {
 public:
  record_source_over_columns(const std::string& object, object_form form, std::size_t columns,
                             const std::vector<std::size_t>& wanted, columnar_statistics& statistics)
      : rows_(open(object, columns)), form_(form), statistics_(&statistics) {
    rows_.select({wanted.data(), wanted.size()});
  }

  [[nodiscard]] bool next() {
    const bool more = rows_.next() && decode_record(rows_.row(), form_, current_);
    *statistics_ = rows_.statistics();
    return more;
  }
  [[nodiscard]] const record& current() const { return current_; }
  [[nodiscard]] tarn::status status() const { return rows_.status(); }
  [[nodiscard]] std::string describe() const { return "an object"; }

 private:
  [[nodiscard]] static columnar_cursor<> open(const std::string& object, std::size_t columns) {
    object_expectation expected;
    expected.identity = {"t", {1, 2}};
    expected.columns = columns;
    return columnar_codec{}.open(object, expected).value();
  }

  columnar_cursor<> rows_;
  object_form form_;
  columnar_statistics* statistics_;
  record current_;
};
static_assert(record_source<record_source_over_columns>);

[[nodiscard]] std::string encode(const std::vector<row>& rows) {
  auto builder = columnar_codec{}.build({"t", {1, 2}});
  for (const row& each : rows) REQUIRE(builder.append(each));
  return std::string(builder.finish());
}

// Rows of a key and a value: all keys that are even.
[[nodiscard]] std::string make_base() {
  std::vector<row> rows;
  for (std::int64_t at = 0; at < base_rows; ++at) rows.push_back({0, "key " + std::to_string(200'000 + 2 * at), at});
  return encode(rows);
}

// Of every hundredth row an upsert, and an erase of the one after it; and a key before each thousandth.
[[nodiscard]] std::string make_delta() {
  std::vector<row> rows;
  for (std::int64_t at = 0; at < base_rows; at += 100) {
    if (at % 1'000 == 0) rows.push_back({0, -at - 1, "key " + std::to_string(200'000 + 2 * at - 1), -1});
    rows.push_back({0, at, "key " + std::to_string(200'000 + 2 * at), -at});
    rows.push_back({1, at + 1, "key " + std::to_string(200'000 + 2 * at + 2), nullptr});
  }
  return encode(rows);
}

struct merged {
  std::vector<value> values;
  columnar_statistics base;
  merge_statistics statistics;
};

[[nodiscard]] merged merge_columns(bool by_position, const std::vector<std::size_t>& of_base) {
  const std::string base = make_base();
  const std::string delta = make_delta();
  table_key key;
  key.columns.push_back(0);
  merged all;
  columnar_statistics of_delta;
  slice_merge<record_source_over_columns> merge(key, verification::of_order);
  merge.set_base({base, object_form::base, 3, of_base, all.base}, base_rows);
  merge.add_run({delta, object_form::delta, 4, {0, 1, 2, 3}, of_delta}, by_position);
  while (merge.next()) all.values.emplace_back(merge.current().values[1]);
  CHECK(merge.status());
  all.statistics = merge.statistics();
  return all;
}

}  // namespace

TEST_CASE("A merge by position reads no chunk of the base's keys, and has the rows that a merge by key has") {
  const merged by_key = merge_columns(false, {0, 1, 2});
  const merged by_position = merge_columns(true, {0, 2});
  CHECK(by_key.values.size() == base_rows - base_rows / 100 + base_rows / 1'000);
  CHECK(by_position.values == by_key.values);
  CHECK(by_key.statistics.base_keys_compared > 0);
  CHECK(by_position.statistics.base_keys_compared == 0);
  CHECK(by_position.statistics.keys_by_position == base_rows / 100 * 2 + base_rows / 1'000);
  CHECK(by_key.base.groups == 3);
  CHECK(by_key.base.chunks == 9);
  CHECK(by_position.base.chunks == 6);
  CHECK(by_position.base.chunk_bytes < by_key.base.chunk_bytes / 10);
}
