// The conformance suite: tarn's codecs pass it, and codecs with one fault each do not.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/codec/json_codec.hpp>
#include <tarn/testing/codec_conformance.hpp>
#include <utility>

#include "../support/random_source.hpp"

using namespace tarn;

namespace {

// Each changes one thing about the JSON codec.
struct faults {
  bool verifies = true;      // the checksum, and who the object is
  bool checks_count = true;  // the number of rows
  bool checks_columns = true;
  bool keeps_limits = true;
  bool ends_in_failure = false;  // a failure looks like the end
  bool stable_read_back = true;
  bool drops_last_row = false;
  bool forgets_on_restart = true;
};

template <faults Faults>
class faulty_cursor {
 public:
  explicit faulty_cursor(json_cursor<> rows) : rows_(std::move(rows)) {}
  [[nodiscard]] bool next() { return rows_.next(); }
  [[nodiscard]] list_view row() const { return rows_.row(); }
  [[nodiscard]] tarn::status status() const { return Faults.ends_in_failure ? tarn::status() : rows_.status(); }

 private:
  json_cursor<> rows_;
};

template <faults Faults>
class faulty_builder {
 public:
  faulty_builder(const object_identity& identity, const limits& bounds)
      : builder_(json_codec{}.build(identity, Faults.keeps_limits ? bounds : limits{})) {}
  [[nodiscard]] tarn::status append(row_view values) {
    if (Faults.drops_last_row && builder_.rows() == 100) return {};
    return builder_.append(values);
  }
  [[nodiscard]] std::uint64_t rows() const { return builder_.rows(); }
  [[nodiscard]] std::size_t byte_size() const { return builder_.byte_size(); }
  [[nodiscard]] auto read_back() const { return faulty_cursor<Faults>(builder_.read_back()); }
  [[nodiscard]] std::string_view finish() { return builder_.finish(); }
  void restart(const object_identity& identity) {
    if (Faults.forgets_on_restart) builder_.restart(identity);
  }

 private:
  json_builder<> builder_;
};

template <faults Faults>
struct faulty_codec {
  static constexpr std::string_view name = "faulty";

  [[nodiscard]] faulty_builder<Faults> build(const object_identity& identity, const limits& bounds) const {
    return {identity, bounds};
  }
  [[nodiscard]] result<faulty_cursor<Faults>> open(std::string_view text, object_expectation expected,
                                                   const limits& bounds) const {
    if (!Faults.verifies) expected.checksum_verified = true;
    if (!Faults.checks_count) expected.counted = false;
    if (!Faults.checks_columns) expected.columns = columns_that_fit(text, expected);
    auto opened = json_codec{}.open(text, expected, Faults.keeps_limits ? bounds : limits{});
    if (!opened) return opened.error();
    return faulty_cursor<Faults>(*std::move(opened));
  }

 private:
  [[nodiscard]] static std::size_t columns_that_fit(std::string_view text, object_expectation expected) {
    expected.counted = false;
    for (const std::size_t columns : {expected.columns, std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
      expected.columns = columns;
      auto opened = json_codec{}.open(text, expected);
      if (opened && opened->next()) break;
    }
    return expected.columns;
  }
};

// The first of the broken promises; empty if none is.
template <faults Faults>
[[nodiscard]] std::string first_complaint() {
  const auto report = testing::test_codec(faulty_codec<Faults>{}, {1, 50, 200});
  return report.conforms() ? "" : report.broken().front();
}

}  // namespace

TEST_CASE_TEMPLATE("tarn's codecs keep every promise of a codec", Codec, json_codec, columnar_codec) {
  testing::codec_conformance_options options;
  options.seed = tarn_test::seed_of_this_run();
  const auto report = testing::test_codec(Codec{}, options);
  CAPTURE(options.seed);
  INFO(report.text());
  CHECK(report.conforms());
  CHECK(report.checks() > 50'000);
}

TEST_CASE("The suite of codecs notices each planted fault") {
  CHECK(first_complaint<faults{}>() == "");
  CHECK(first_complaint<faults{.verifies = false}>().find("row 0 must be the one that was appended") == 0);
  CHECK(first_complaint<faults{.checks_count = false}>().find("an error must be made of another number of rows") == 0);
  CHECK(first_complaint<faults{.checks_columns = false}>().find("an error must be made of another number of columns") ==
        0);
  CHECK(first_complaint<faults{.keeps_limits = false}>().find("append must answer errc::limit_exceeded") == 0);
  CHECK(first_complaint<faults{.ends_in_failure = true}>() != "");
  CHECK(first_complaint<faults{.forgets_on_restart = false}>().find("a builder that was restarted must ") == 0);
  CHECK(first_complaint<faults{.drops_last_row = true}>().find("rows() must be ") == 0);
}
