// Several codecs as one: each object is read with the codec that the log names, in one table and in one bucket.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/check.hpp>
#include <tarn/client.hpp>
#include <tarn/codec/batch_builder.hpp>
#include <tarn/codec/batch_cursor.hpp>
#include <tarn/codec/codecs.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/codec/group_cursor.hpp>
#include <tarn/codec/json_codec.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/testing/codec_conformance.hpp>
#include <type_traits>
#include <vector>

#include "../support/random_source.hpp"
#include "../support/reading.hpp"
#include "../support/stored_objects.hpp"

using namespace tarn;

namespace {

using columnar_first = codecs<columnar_codec, json_codec>;
using json_first = codecs<json_codec, columnar_codec>;

static_assert(row_codec<columnar_first>);
static_assert(row_codec<codecs<json_codec>>);
static_assert(columnar_first::name == "columnar");
static_assert(std::is_empty_v<columnar_first>);

using rows = std::vector<row>;

template <class Codec>
[[nodiscard]] auto client_with(const memory_store& store, Codec codec = {}) {
  return client{store, tarn_test::with_stored_objects(), codec};
}

template <class Client>
void insert(Client lake, std::string_view table, const rows& inserted) {
  (void)lake
      .run([&](auto& transaction) -> status {
        transaction.upsert(table, inserted).value();
        return {};
      })
      .value();
}

template <class Client>
[[nodiscard]] rows read(Client lake, std::string_view table) {
  auto transaction = lake.begin().value();
  return tarn_test::rows_of(transaction, table);
}

// How many objects begin with what names this codec.
[[nodiscard]] int objects_in(const memory_store& store, std::string_view start) {
  int count = 0;
  const status listed = store.list("_table_", "", [&](std::string_view name) {
    const auto bytes = store.get(name).value();
    if (std::string_view(bytes).starts_with(start)) ++count;
  });
  CHECK(listed.has_value());
  return count;
}

}  // namespace

TEST_CASE("Several codecs keep every promise of a codec") {
  testing::codec_conformance_options options;
  options.seed = tarn_test::seed_of_this_run();
  options.random_rows = 100;
  options.many_rows = 1'000;
  const auto report = testing::test_codec(columnar_first{}, options);
  CAPTURE(options.seed);
  INFO(report.text());
  CHECK(report.conforms());
}

TEST_CASE("Objects of two codecs in one bucket are merged, and compacted into the codec that is written") {
  const memory_store store;
  client first = client_with<json_codec>(store);
  (void)first
      .run([](auto& transaction) -> status {
        transaction.create_table("keys", {{"k", column_type::integer}, "v"}, keyed{{"k"}}).value();
        transaction.upsert("keys", {{1, "one"}, {2, "two"}, {3, "three"}}).value();
        return {};
      })
      .value();
  insert(client_with<columnar_first>(store), "keys", {{2, "deux"}, {4, "quatre"}});
  insert(client_with<json_first>(store), "keys", {{3, "drei"}});
  CHECK(objects_in(store, "columnar\x01") == 1);
  CHECK(objects_in(store, R"({"Codec":"json")") == 2);

  const rows expected{{1, "one"}, {2, "deux"}, {3, "drei"}, {4, "quatre"}};
  CHECK(read(client_with<columnar_first>(store), "keys") == expected);
  CHECK(read(client_with<json_first>(store), "keys") == expected);

  client lake = client_with<columnar_first>(store);
  CHECK(check(lake).value().sound());
  (void)lake.compact("keys").value();
  CHECK(objects_in(store, "columnar\x01") == 2);
  CHECK(read(client_with<columnar_codec>(store), "keys") == expected);
}

TEST_CASE("An object in a codec that is not there is named, and so are the codecs that are") {
  const memory_store store;
  client lake = client_with<columnar_codec>(store);
  (void)lake
      .run([](auto& transaction) -> status {
        transaction.create_table("x", {"n"}).value();
        transaction.insert("x", {1}).value();
        return {};
      })
      .value();
  const auto why = [&](auto reader) {
    auto transaction = reader.begin().value();
    auto scan = transaction.scan("x").value();
    CHECK_FALSE(scan.next());
    CHECK(scan.status().error().code() == errc::unsupported);
    return scan.status().error().message();
  };
  CHECK(why(client_with<json_codec>(store)).find("is in codec 'columnar', this client reads 'json': give the client") !=
        std::string::npos);
  CHECK(why(client_with<codecs<json_codec, codecs<json_codec>>>(store)).find("reads 'json', 'json': give") !=
        std::string::npos);
}

TEST_CASE("Bytes of another codec than the log names are an error, not a guess") {
  const object_identity identity{"x", {1, 2}};
  auto builder = json_codec{}.build(identity);
  REQUIRE(builder.append({1}));
  object_expectation expected;
  expected.identity = identity;
  expected.columns = 1;
  const auto error_of = [&](std::string_view codec) {
    expected.codec = codec;
    const auto opened = columnar_first{}.open(builder.finish(), expected);
    return opened ? std::string() : std::string(name_of(opened.error().code())) + ": " + opened.error().message();
  };
  CHECK(error_of("json").empty());
  const std::string not_columnar =
      "corrupt: _table_x_00000000-0000-0001-0000-000000000002: the object is damaged, or of another codec: its first "
      "bytes are not 'columnar'";
  CHECK(error_of("columnar") == not_columnar);
  CHECK(error_of("") == not_columnar);
  CHECK(error_of("parquet") ==
        "unsupported: _table_x_00000000-0000-0001-0000-000000000002: the object is in codec 'parquet', these are "
        "'columnar', 'json'");
}

namespace {

// The rows [0, "text"], [1, "text"], ... of an object of the codec `of`, in `bytes`, as either codec's cursor reads
// them.
template <class Codec>
auto open_rows(const Codec& of, std::int64_t count, std::string& bytes) {
  auto builder = of.build({"t", {1, 2}});
  for (std::int64_t number = 0; number < count; ++number) builder.append({number, "text"}).value();
  bytes = builder.finish();
  object_expectation expected;
  expected.identity = {"t", {1, 2}};
  expected.columns = 2;
  expected.codec = of.name;
  return columnar_first().open(bytes, expected).value();
}

}  // namespace

TEST_CASE("selections and batches are passed on to a cursor that has them, and only to such") {
  using either = decltype(columnar_first().open({}, object_expectation{}).value());
  static_assert(batch_cursor<either>);
  static_assert(!batch_cursor<decltype(codecs<json_codec>().open({}, object_expectation{}).value())>);
  constexpr std::size_t first = 0;
  std::string bytes;

  either apart = open_rows(columnar_codec(), 3, bytes);
  CHECK(has_batches(apart));
  apart.select({&first, 1});
  REQUIRE(apart.next_batch());
  REQUIRE(apart.batch().column(0).integers().size() == 3);
  CHECK(apart.batch().column(0).integers()[2] == 2);
  CHECK(apart.batch().column(1).has() == column_view::form::nulls);  // it was not selected
  CHECK_FALSE(apart.next_batch());
  CHECK(apart.status());

  either by_row = open_rows(json_codec(), 3, bytes);
  CHECK_FALSE(has_batches(by_row));
  by_row.select({&first, 1});
  CHECK_FALSE(by_row.next_batch());
  CHECK(by_row.batch().rows() == 0);
  REQUIRE(by_row.next());
  CHECK(by_row.row()[1].as_string() == "text");
}

TEST_CASE("groups are passed on of a cursor that has them, and only of such") {
  using either = decltype(columnar_first().open({}, object_expectation{}).value());
  static_assert(group_cursor<either>);
  static_assert(!group_cursor<either_cursor<json_cursor<>, json_cursor<>>>);
  const auto unless_from_0 = [](const either& at, std::uint64_t) { return at.bounds_ahead(0).min != value(0); };
  std::string bytes;

  either apart = open_rows(columnar_codec(), 9'000, bytes);
  CHECK(skip_groups(apart, unless_from_0) == 8'192);
  CHECK(apart.group_ahead() == 9'000 - 8'192);
  REQUIRE(apart.next());
  CHECK(apart.row()[0] == value_view(8'192));
  CHECK(skip_groups(apart, unless_from_0) == 0);

  either by_row = open_rows(json_codec(), 9'000, bytes);
  CHECK(by_row.group_ahead() == 0);
  CHECK_FALSE(by_row.bounds_ahead(0).bounded);
  by_row.skip_group();
  CHECK(skip_groups(by_row, unless_from_0) == 0);
  REQUIRE(by_row.next());
  CHECK(by_row.row()[0] == value_view(0));
}

TEST_CASE("batches of a cursor that has none are gathered from its rows, without the columns that nobody wants") {
  json_codec codec;
  auto builder = codec.build({"t", {1, 2}});
  constexpr std::int64_t rows_written = 8'192 + 10;
  for (std::int64_t number = 0; number < rows_written; ++number)
    builder.append({number, number % 2 == 0 ? value_view() : value_view("text"), true}).value();
  using cursor = decltype(builder.read_back());
  static_assert(!batch_cursor<cursor>);
  constexpr std::size_t wanted[] = {1, 0};
  batches_of<cursor> batches(shared<cursor>::make(builder.read_back()), {wanted, 2}, 3);
  std::int64_t seen = 0;
  for (const std::size_t expected : {8'192U, 10U}) {
    REQUIRE(batches.next());
    const row_batch& batch = batches.batch();
    REQUIRE(batch.rows() == expected);
    REQUIRE(batch.column_count() == 3);
    CHECK_FALSE(batch.column(0).has_nulls());
    CHECK(batch.column(2).has() == column_view::form::nulls);
    for (std::size_t at = 0; at < batch.rows(); ++at, ++seen)
      if (batch.column(0).integers()[at] != seen || batch.column(1).is_null(at) != (seen % 2 == 0) ||
          batch.column(1).strings()[at] != (seen % 2 == 0 ? "" : "text"))
        FAIL("row ", seen, " is another");
  }
  CHECK_FALSE(batches.next());
  CHECK_FALSE(batches.next());
  CHECK(batches.status());
}

TEST_CASE("a batch that is gathered ends early where there are many columns or long texts") {
  sequence<std::size_t> all;
  for (std::size_t at = 0; at < 1'000; ++at) all.push_back(at);
  batch_builder<> wide({all.data(), all.size()}, all.size());
  const row numbers = [&] {
    row made;
    for (std::size_t at = 0; at < 1'000; ++at) made.emplace_back(at % 2 == 0 ? value(0.5) : value(true));
    return made;
  }();
  std::size_t appended = 0;
  for (; !wide.is_full(); ++appended) wide.append(numbers);
  CHECK(appended == 131);
  CHECK(wide.finish().column(999).booleans()[130]);
  constexpr std::size_t only[] = {0};
  batch_builder<> texts({only, 1}, 1);
  const row text = {std::string(std::size_t{300} << 10, 'x')};
  for (appended = 0; !texts.is_full(); ++appended) texts.append(text);
  CHECK(appended == 4);
  CHECK(texts.finish().column(0).strings()[3] == value_view(text[0]).as_string());
  texts.clear();
  CHECK(texts.finish().rows() == 0);
}
