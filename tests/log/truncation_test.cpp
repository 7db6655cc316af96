// Markers of truncations: what they say, and what is none.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/log/truncation.hpp>
#include <tarn/store/memory_store.hpp>
#include <utility>
#include <vector>

#include "../support/sample_entry.hpp"
#include "../support/scripted_store.hpp"

using namespace tarn;
using tarn_test::sample_id;

namespace {

truncation_marker marker_to(std::int64_t first, std::int64_t last) {
  truncation_marker made{{first}, {last}, {{last}, {last + 3}}, {}};
  for (std::int64_t at = first; at <= last; ++at)
    made.transactions.push_back(sample_id(static_cast<std::uint64_t>(at)));
  return made;
}

void put(memory_store& store, std::int64_t number, std::string_view bytes) {
  REQUIRE(store.put_if_absent(marker_name(number), bytes).outcome() == put_outcome::created);
}

// What is said of a marker in which `right`, which must be there, is `wrong`.
std::string complaint_of(std::string_view right, std::string_view wrong, errc code = errc::corrupt) {
  std::string text = write_marker(marker_to(2, 3));
  const std::size_t at = text.find(right);
  REQUIRE(at != std::string::npos);
  text.replace(at, right.size(), wrong);
  text.erase(text.rfind(",\"Checksum\""));
  append_seal(text);
  const auto read = read_marker(text, "it");
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code() == code);
  return read.error().message();
}

// Lists two markers that are not there.
struct haunted_store : tarn_test::removing_scripted_store {
  template <class Visit>
  status list(std::string_view prefix, std::string_view start_after, Visit visit) {
    const status listed = scripted_store::list(prefix, start_after, visit);
    visit(marker_name(7));
    visit(marker_name(8));
    return listed;
  }
};

}  // namespace

TEST_CASE("a marker reads back as it was written") {
  const auto read = read_marker(write_marker(marker_to(2, 4)), "it");
  REQUIRE(read.has_value());
  CHECK(read->first == version{2});
  CHECK(read->last == version{4});
  CHECK(read->checkpoints == sequence<version>{{4}, {7}});
  CHECK(read->transactions == sequence<uuid>{sample_id(2), sample_id(3), sample_id(4)});
}

TEST_CASE("a sealed text that is no marker is an error that says why") {
  CHECK(complaint_of("\"Truncation\":1", "\"Truncation\":2", errc::unsupported) == "it has format 2: use a newer tarn");
  CHECK(complaint_of("{", "[").starts_with("it is not JSON"));
  CHECK(complaint_of("\"Checkpoints\":[3", "\"Checkpoints\":[2") ==
        "it relies on a checkpoint that does not come after what is gone");
  CHECK(complaint_of("\"Checkpoints\":[3", "\"Checkpoints\":[\"3\"") ==
        "it relies on a checkpoint that does not come after what is gone");
  CHECK(complaint_of(to_text(sample_id(2)), "x").starts_with("it names the transaction '"));
  const std::string incomplete = "it does not name the transaction of each entry that is gone, and a checkpoint";
  CHECK(complaint_of("\"Checkpoints\":[3,6]", "\"Checkpoints\":[]") == incomplete);
  CHECK(complaint_of("\"FirstVersion\":2", "\"FirstVersion\":4") == incomplete);
  CHECK(complaint_of("\"FirstVersion\":2", "\"FirstVersion\":1") == incomplete);
  CHECK(complaint_of("\"FirstVersion\":2", "\"FirstVersion\":3") == incomplete);
}

TEST_CASE("a marker knows which transaction was in which slot, and nothing of others") {
  truncation_marker marker = marker_to(2, 4);
  CHECK(marker.slot_of(sample_id(2)) == version{2});
  CHECK(marker.slot_of(sample_id(4)) == version{4});
  CHECK(marker.slot_of(sample_id(1)) == version());
  CHECK(marker.slot_of(sample_id(5)) == version());
  marker.transactions[1] = uuid();  // of the article's program
  CHECK(marker.slot_of(uuid()) == version());
}

TEST_CASE("truncations are found one by one, or after a listing, which may name ghosts and strangers") {
  memory_store store;
  for (const std::int64_t number : {0, 1, 2}) put(store, number, write_marker(marker_to(10 * number, 10 * number + 9)));
  REQUIRE(store.put_if_absent("_trunc_x", "?").outcome() == put_outcome::created);
  log_extent one_by_one, listed;
  REQUIRE(find_truncations(store, one_by_one).has_value());
  REQUIRE(list_truncations(store, listed).has_value());
  for (const log_extent& each : {one_by_one, listed}) {
    CHECK(each.markers == 3);
    CHECK(each.truncated == version{29});
    CHECK(each.checkpoints == sequence<version>{{29}, {32}});
  }
  log_extent known = listed;
  REQUIRE(list_truncations(store, known).has_value());
  CHECK(known.markers == 3);
}

TEST_CASE("a listing saves the markers before the last, each of which costs a get otherwise") {
  for (const std::int64_t count : {0, 1, 2, 5}) {
    tarn_test::removing_scripted_store store;
    for (std::int64_t number = 0; number < count; ++number)
      put(store.inner(), number, write_marker(marker_to(number, number)));
    log_extent one_by_one, listed;
    REQUIRE(find_truncations(store, one_by_one).has_value());
    CHECK(store.plan().gets == static_cast<std::uint64_t>(count) + 1);
    store.plan().gets = 0;
    REQUIRE(list_truncations(store, listed).has_value());
    CHECK(store.plan().gets == (count == 0 ? 1 : count == 1 ? 2 : 3));
    CHECK(store.plan().lists == 1);
    store.plan().lists = 0;
    CHECK(listed.markers == count);
  }
}

TEST_CASE("markers that are listed and are not there are passed over; those that cannot be read are not") {
  haunted_store store;
  put(store.inner(), 0, write_marker(marker_to(0, 3)));
  put(store.inner(), 1, write_marker(marker_to(4, 6)));
  log_extent extent;
  REQUIRE(list_truncations(store, extent).has_value());
  CHECK(extent.markers == 2);
  CHECK(extent.truncated == version{6});
  const auto fails = [&](std::int64_t number) {
    store.plan().before_get = [=](std::string_view name) {
      return name == marker_name(number) ? status(error(errc::io, "down")) : status();
    };
    log_extent unknown;
    const status found = list_truncations(store, unknown);
    return !found && found.error().code() == errc::io;
  };
  CHECK(fails(8));
  CHECK(fails(1));
  // Once is enough: what could not be looked at must not be taken for a marker, nor for the last one.
  for (const std::int64_t number : {8, 1}) {
    bool failed = false;
    store.plan().before_get = [&](std::string_view name) {
      return name == marker_name(number) && !std::exchange(failed, true) ? status(error(errc::io, "down")) : status();
    };
    log_extent unknown;
    CHECK(list_truncations(store, unknown).error().code() == errc::io);
    CHECK(unknown.markers == 1);  // the first was looked at
    REQUIRE(list_truncations(store, unknown).has_value());
    CHECK(unknown.markers == 2);
  }
  store.plan().before_get = {};
  store.plan().before_list = [] { return error(errc::io, "down"); };
  log_extent unknown;
  CHECK(list_truncations(store, unknown).error().code() == errc::io);
}

TEST_CASE("a damaged marker is an error, also if the listing names it last") {
  memory_store store;
  put(store, 0, write_marker(marker_to(0, 3)));
  put(store, 1, "damaged");
  log_extent extent;
  CHECK(list_truncations(store, extent).error().code() == errc::corrupt);
  log_extent other;
  CHECK(find_truncations(store, other).error().code() == errc::corrupt);
  CHECK(other.truncated == version{3});
  CHECK_FALSE(find_emptied_slot(store, {{}, 2, {7}, {}}, sample_id(1), {1}).has_value());
}

TEST_CASE("a damaged marker before the last is in nobody's way") {
  for (const std::int64_t damaged : {0, 1}) {
    memory_store store;
    for (const std::int64_t number : {0, 1, 2})
      put(store, number, number == damaged ? "damaged" : write_marker(marker_to(10 * number, 10 * number + 9)));
    log_extent extent;
    CHECK(list_truncations(store, extent).has_value());
    CHECK(extent.markers == 3);
    CHECK(extent.truncated == version{29});
  }
}

TEST_CASE("where a transaction was is asked of the truncations that have emptied its slots") {
  memory_store store;
  put(store, 0, write_marker(marker_to(0, 3)));
  put(store, 1, write_marker(marker_to(4, 6)));
  log_extent extent;
  REQUIRE(find_truncations(store, extent).has_value());
  CHECK(find_emptied_slot(store, extent, sample_id(1), {1}).value() == version{1});
  CHECK(find_emptied_slot(store, extent, sample_id(1), {0}).value() == version{1});
  CHECK(find_emptied_slot(store, extent, sample_id(5), {5}).value() == version{5});
  CHECK(find_emptied_slot(store, extent, sample_id(5), {1}).value() == version{5});
  CHECK(find_emptied_slot(store, extent, sample_id(7), {0}).value() == version());
  CHECK(find_emptied_slot(store, extent, sample_id(1), {4}).value() == version());  // the first was not asked
  CHECK(find_emptied_slot(store, {}, sample_id(1), {1}).value() == version());      // nothing was truncated
}

TEST_CASE("a store that cannot remove has no truncations, whatever is in it") {
  memory_store content;
  put(content, 0, write_marker(marker_to(0, 3)));
  tarn_test::scripted_store store(content);
  log_extent extent;
  CHECK(find_truncations(store, extent).has_value());
  CHECK(list_truncations(store, extent).has_value());
  CHECK(extent.markers == 0);
  CHECK(store.plan().gets + store.plan().lists == 0);
}
