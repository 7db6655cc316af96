// LAW: scanning allocates nothing for a row, and no table is too large for the memory of one data object.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tarn/client.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/codec/json_codec.hpp>
#include <tarn/store/file_store.hpp>
#include <type_traits>

#include "../support/counting_allocator.hpp"
#include "../support/stores.hpp"
#include "../support/temporary_folder.hpp"

namespace {

using namespace tarn_test;

// Where a lake is, and what its objects are made of.
template <class Stores, class Codec>
struct lake_of {
  Stores stores;
  using codec = Codec;
};
#define TARN_EACH_LAKE \
  lake_of<in_memory, tarn::json_codec>, lake_of<in_files, tarn::json_codec>, lake_of<in_memory, tarn::columnar_codec>

// A row of every kind of value, of about the same size for each number.
[[nodiscard]] tarn::row make_row(int number) {
  const std::string text = "row " + std::to_string(100'000 + number) + " of the \"table\"";
  return {
      number,
      text,
      number * 0.5,
      nullptr,
      number % 2 == 0,
      tarn::bytes{text},
      tarn::value::list({number, text, tarn::value::map({{"key", text}, {"nested", tarn::value::list({1, 2.5})}})})};
}

[[nodiscard]] tarn::schema columns() { return {"integer", "string", "double", "null", "boolean", "bytes", "list"}; }

// Scans `rows` rows; the allocations between the hundredth and the last.
template <class Scan>
[[nodiscard]] std::size_t allocations_after_a_few(Scan scan, int rows) {
  constexpr int few = 100;
  std::size_t before = 0;
  std::int64_t sum = 0;
  for (int row = 0; row < rows; ++row) {
    REQUIRE(scan.next());
    sum += scan.row()[0].as_integer();
    if (row == few) before = allocations();
  }
  const std::size_t after = allocations();
  CHECK(sum == std::int64_t{rows} * (rows - 1) / 2);
  CHECK_FALSE(scan.next());
  CHECK(scan.status().has_value());
  return after - before;
}

// Two columns, about 30 bytes a row, in objects of 65,536 rows.
template <class Codec>
class large_table {
 public:
  explicit large_table(int rows) : rows_(rows) {}

  [[nodiscard]] std::size_t peak_of_insert() {
    tarn::client lake{open(), {}, Codec()};
    auto transaction = lake.begin().value();
    transaction.create_table("t", {"number", "text"}).value();
    const peak_bytes peak;
    for (int row = 0; row < rows_; ++row) transaction.insert("t", {row, "twenty bytes of text"}).value();
    (void)transaction.commit().value();
    return peak.value();
  }

  [[nodiscard]] std::size_t peak_of_scan(bool mapped = false) {
    tarn::client lake{open(mapped), {}, Codec()};
    auto transaction = lake.begin().value();
    const peak_bytes peak;
    auto scan = transaction.scan("t").value();
    int rows = 0;
    while (scan.next()) ++rows;
    CHECK(scan.status().has_value());
    CHECK(rows == rows_);
    CHECK(scan.statistics().objects == static_cast<std::uint64_t>((rows_ + 65'535) / 65'536));
    object_bytes_ = static_cast<std::size_t>(scan.statistics().bytes / scan.statistics().objects);
    return peak.value();
  }

  [[nodiscard]] std::size_t peak_of_column_scan() const {
    tarn::client lake{open(), {}, Codec()};
    auto transaction = lake.begin().value();
    const peak_bytes peak;
    auto scan = transaction.scan_columns("t").value();
    std::size_t rows = 0;
    while (scan.next()) rows += scan.batch().rows();
    CHECK(scan.status().has_value());
    CHECK(rows == static_cast<std::size_t>(rows_));
    return peak.value();
  }

  // On average.
  [[nodiscard]] std::size_t object_bytes() const { return object_bytes_; }

 private:
  // Unless asked for, files are read and not mapped: mapped memory is not counted.
  [[nodiscard]] tarn::file_store<> open(bool mapped = false) const {
    tarn::file_store_options options;
    options.durability = tarn::durability::none;
    if (!mapped) options.map_bytes_min = static_cast<std::size_t>(-1);
    return tarn::file_store<>(folder_.path().string(), options);
  }

  temporary_folder folder_;
  int rows_;
  std::size_t object_bytes_ = 0;
};

}  // namespace

TEST_CASE_TEMPLATE("LAW: a scan allocates nothing for a row after the first few", Place, TARN_EACH_LAKE) {
  constexpr int rows = 10'000;
  Place place;
  tarn::client lake{place.stores.open(), {}, typename Place::codec()};
  auto writing = lake.begin().value();
  writing.create_table("t", columns()).value();
  for (int row = 0; row < rows; ++row) writing.insert("t", make_row(row)).value();
  SUBCASE("of committed rows") {
    (void)writing.commit().value();
    auto reading = lake.begin().value();
    CHECK(allocations_after_a_few(reading.scan("t").value(), rows) == 0);
  }
  SUBCASE("of the transaction's own rows, not yet flushed") {
    CHECK(allocations_after_a_few(writing.scan("t").value(), rows) == 0);
  }
}

TEST_CASE_TEMPLATE("LAW: an insert allocates nothing for a row, but a buffer that grows", Place, TARN_EACH_LAKE) {
  constexpr int rows = 10'000;
  // The columnar codec has two buffers for each column, which double some 12 times.
  constexpr std::size_t doublings = std::is_same_v<typename Place::codec, tarn::json_codec> ? 40 : 7 * 2 * 12;
  Place place;
  tarn::client lake{place.stores.open(), {}, typename Place::codec()};
  auto writing = lake.begin().value();
  writing.create_table("t", columns()).value();
  const tarn::row row = make_row(1);
  writing.insert("t", row).value();
  const std::size_t before = allocations();
  for (int more = 1; more < rows; ++more) writing.insert("t", row).value();
  CHECK(allocations() - before < doublings);
}

TEST_CASE("LAW: inserting and scanning take the memory of about one data object, whatever the size of the table") {
  large_table<tarn::json_codec> small(200'000);
  large_table<tarn::json_codec> large(1'000'000);
  const std::size_t insert_small = small.peak_of_insert();
  const std::size_t insert_large = large.peak_of_insert();
  const std::size_t scan_small = small.peak_of_scan();
  const std::size_t scan_large = large.peak_of_scan();
  MESSAGE("an object has ", large.object_bytes(),
          " bytes; peak of inserting 200,000 and 1,000,000 rows: ", insert_small, " and ", insert_large,
          " bytes; of scanning them: ", scan_small, " and ", scan_large, " bytes");
  // A buffer that doubles has the old and the new one for a moment: three times what it holds, at most.
  CHECK(insert_large < 4 * large.object_bytes());
  CHECK(scan_large < large.object_bytes() + large.object_bytes() / 4);
  // The names of a few more objects is all that may be added.
  CHECK(insert_large < insert_small + 100'000);
  CHECK(scan_large < scan_small + 100'000);
  CHECK(large.peak_of_scan(true) < 200'000);  // mapped files take address space, and what the system can spare
}

TEST_CASE("LAW: so it is with the columnar codec, and of one group of rows besides") {
  constexpr std::size_t group = 600'000;  // 8,192 rows of a number, and of a text and its length
  large_table<tarn::columnar_codec> small(200'000);
  large_table<tarn::columnar_codec> large(1'000'000);
  const std::size_t insert_small = small.peak_of_insert();
  const std::size_t insert_large = large.peak_of_insert();
  const std::size_t scan_small = small.peak_of_scan();
  const std::size_t scan_large = large.peak_of_scan();
  MESSAGE("an object has ", large.object_bytes(),
          " bytes; peak of inserting 200,000 and 1,000,000 rows: ", insert_small, " and ", insert_large,
          " bytes; of scanning them: ", scan_small, " and ", scan_large, " bytes");
  CHECK(insert_large < 4 * large.object_bytes() + 2 * group);
  CHECK(scan_large < large.object_bytes() + large.object_bytes() / 4 + 2 * group);
  CHECK(insert_large < insert_small + 100'000);
  CHECK(scan_large < scan_small + 100'000);
  CHECK(large.peak_of_column_scan() < scan_large + 100'000);  // nothing is copied
}

TEST_CASE("LAW: a compaction makes no index of keys that the client would not remember") {
  constexpr int rows = 30'000;
  constexpr std::size_t index_bytes = rows * 18;  // at least
  const auto peak_of_compaction = [](std::size_t key_index_bytes_max) {
    tarn::client_options options;
    options.bounds.key_index_bytes_max = key_index_bytes_max;
    tarn::client<tarn::memory_store, tarn::columnar_codec> lake{tarn::memory_store(), options};
    auto writing = lake.begin().value();
    writing.create_table("t", {{"k", tarn::column_type::integer}, "text"}, tarn::keyed{{"k"}, 1}).value();
    for (int row = 0; row < rows; ++row) writing.upsert("t", {row, "text"}).value();
    writing.commit().value();
    auto changing = lake.begin().value();
    changing.upsert("t", {7, "changed"}).value();
    changing.commit().value();
    const peak_bytes peak;
    CHECK(lake.compact("t"));
    return peak.value();
  };
  const std::size_t remembering = peak_of_compaction(std::size_t{64} << 20);
  const std::size_t forgetting = peak_of_compaction(index_bytes / 8);
  MESSAGE("peak of compacting ", rows, " rows: ", remembering, " bytes with an index of their keys, ", forgetting,
          " without");
  CHECK(forgetting + index_bytes / 2 < remembering);
}
