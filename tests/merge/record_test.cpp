// Records of keyed objects as rows of the codec: each operation and place reads back, and nothing else is a record.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <tarn/merge/record.hpp>
#include <vector>

using namespace tarn;

namespace {

bool is_record(const std::vector<value_view>& encoded, object_form form) {
  record read;
  return decode_record(list_view(encoded.data(), encoded.size()), form, read);
}

}  // namespace

TEST_CASE("each operation and each place reads back as it was written, and the columns after them") {
  const std::vector<operation> operations = {{true, key_state::nothing},
                                             {false, key_state::live},
                                             {false, key_state::tombstone},
                                             {true, key_state::live},
                                             {true, key_state::tombstone}};
  const std::vector<base_place> places = {{}, {0, true, true}, {7, true, true}, {0, false, true}, {7, false, true}};
  for (const operation& done : operations)
    for (const base_place& place : places) {
      const std::vector<value_view> encoded = {encode_operation(done), encode_place(place), "column"};
      record read;
      REQUIRE(decode_record(list_view(encoded.data(), encoded.size()), object_form::delta, read));
      CHECK(read.done == done);
      CHECK(read.place == place);
      REQUIRE(read.values.size() == 1);
      CHECK(read.values[0].as_string() == "column");
      // A base has rows and tombstones only, and no places.
      const std::vector<value_view> of_base = {encode_operation(done), "column"};
      CHECK(decode_record(list_view(of_base.data(), of_base.size()), object_form::base, read) == !done.resets);
      if (done.resets) continue;
      CHECK(read.done == done);
      CHECK_FALSE(read.place.known);
      CHECK(read.values.size() == 1);
    }
}

TEST_CASE("places are the same if row, kind and knowledge are") {
  const base_place place{3, true, true};
  CHECK(place == base_place{3, true, true});
  CHECK(place != base_place{4, true, true});
  CHECK(place != base_place{3, false, true});
  CHECK(place != base_place{3, true, false});
}

TEST_CASE("what is too short, of another kind or of an unknown operation is no record") {
  for (const object_form form : {object_form::base, object_form::delta}) {
    CHECK_FALSE(is_record({}, form));
    CHECK_FALSE(is_record({"0", 0}, form));
    CHECK_FALSE(is_record({0.0, 0}, form));
    CHECK_FALSE(is_record({-1, 0}, form));
    CHECK_FALSE(is_record({5, 0}, form));
    CHECK(is_record({0, 0}, form));
  }
  CHECK(is_record({0}, object_form::base));
  CHECK_FALSE(is_record({0}, object_form::delta));  // no place
  CHECK_FALSE(is_record({0, "0"}, object_form::delta));
  CHECK(is_record({0, "0"}, object_form::base));
  CHECK(is_record({1, nullptr}, object_form::delta));
  CHECK_FALSE(is_record({1, nullptr}, object_form::base));
}

TEST_CASE("a record may be longer than a row, unless there is no limit") {
  limits bounds;
  bounds.row_bytes_max = 100;
  CHECK(limits_of_records(bounds).row_bytes_max == 132);
  bounds.row_bytes_max = SIZE_MAX;
  CHECK(limits_of_records(bounds).row_bytes_max == SIZE_MAX);
}
