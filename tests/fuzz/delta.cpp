// Bytes as the objects of one bucket of a keyed table (keyed_text.hpp), merged by each strategy, with and without
// verification, and folded: against an independent reader of the same text.
#include <cstddef>
#include <string>
#include <string_view>
#include <tarn/codec/codecs.hpp>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/codec/json_codec.hpp>
#include <tarn/merge/strategy.hpp>
#include <tarn/store/memory_store.hpp>
#include <tarn/table/compaction.hpp>
#include <tarn/table/keyed_bucket.hpp>
#include <tarn/testing/simulated_environment.hpp>
#include <vector>

#include "keyed_text.hpp"
#include "memory_bound.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

constexpr std::size_t blocks_max = 12;
constexpr std::size_t memory_factor = 64;         // see entry.cpp
constexpr std::size_t memory_for_object = 8'192;  // a cursor, and what surrounds the rows

using codec = tarn::codecs<tarn::columnar_codec, tarn::json_codec>;
using core = tarn::client_core<tarn::memory_store, codec>;
using rows = std::vector<tarn::row>;

struct merged_rows {
  rows live;
  tarn::status outcome;
};

// A bucket whose objects are in a store, as the log of a lake would describe them.
class bucket_in_store {
 public:
  explicit bucket_in_store(const keyed_text& from) {
    lake_.options.surroundings = environment_.get();
    table_.name = "t";
    table_.id = {7, 7};
    table_.columns = from.columns;
    table_.key = from.key;
    bucket_.since = {1};
    for (const keyed_block& each : from.blocks) add(each);
    table_.buckets.emplace_back(bucket_);
  }

  template <class Merge>
  [[nodiscard]] merged_rows merge(tarn::verification checks) {
    merged_rows merged;
    std::uint64_t bytes = 0;
    const tarn::keyed_bucket<tarn::memory_store, codec, Merge> bucket(bucket_, nullptr);
    auto opened = bucket.open(lake_, table_, checks, bytes);
    if (!opened) return {{}, opened.error()};
    while (opened->next()) {
      const tarn::list_view values = opened->current().values;
      merged.live.emplace_back(values.begin(), values.end());
    }
    merged.outcome = opened->status();
    return merged;
  }

  // The same for who keeps nothing: what it takes.
  [[nodiscard]] std::size_t count_rows() {
    std::uint64_t bytes = 0;
    std::size_t count = 0;
    const tarn::keyed_bucket<tarn::memory_store, codec, tarn::merge::by_position> bucket(bucket_, nullptr);
    auto opened = bucket.open(lake_, table_, tarn::verification::of_order, bytes);
    while (opened && opened->next()) ++count;
    return count;
  }

  // Whether the keys of all objects can be put into an index.
  [[nodiscard]] bool has_indexes() {
    for (const tarn::keyed_object& each : bucket_.objects)
      if (!index_of(lake_, table_, each)) return false;
    return true;
  }

  // Compacts the first `count` objects.
  template <class Merge>
  [[nodiscard]] tarn::status fold(std::size_t count) {
    bucket_in_store first = *this;
    first.bucket_.objects.shrink(count);
    first.table_.buckets[0].writable() = first.bucket_;
    const tarn::compaction_plan plan = plan_bucket(first.table_, 0, {1});
    const tarn::result<tarn::data_object> base = tarn::fold_bucket<Merge>(lake_, first.table_, plan, {});
    if (!base) return base.error();
    tarn::keyed_object folded{*base, {0, tarn::object_form::base, {}, {1}, true}, {{1}, tarn::object_order::end}};
    tarn::sequence<tarn::keyed_object> objects;
    objects.push_back(std::move(folded));
    for (std::size_t at = count; at < bucket_.objects.size(); ++at) objects.push_back(bucket_.objects[at]);
    bucket_.objects = std::move(objects);
    bucket_.since = {2};
    table_.buckets[0].writable() = bucket_;
    return {};
  }

 private:
  void add(const keyed_block& block) {
    const auto number = static_cast<std::uint64_t>(bucket_.objects.size());
    const tarn::uuid id{1, number + 1};
    const bool is_columnar = number % 2 == 1 && may_be_columnar(block);
    const std::uint64_t count = block.is_json ? block.rows.size() : 1;
    const std::string bytes = is_columnar ? columnar_object(block, id) : json_object(block, id, count);
    expect(lake_.store.put_if_absent(tarn::object_name("t", id), bytes).outcome() == tarn::put_outcome::created,
           "objects have names of their own");
    tarn::keyed_object added{
        {id, true, is_columnar ? "columnar" : "json", count, bytes.size(), tarn::crc32c(bytes)}, {}, {{1}, 0}};
    added.order.index = static_cast<std::uint32_t>(number);
    added.block.form = block.is_base() ? tarn::object_form::base : tarn::object_form::delta;
    added.block.read_version = {block.kind == 'D' ? 1 : 0};
    if (block.kind == 'D') added.block.base = {1, 1};
    if (block.kind == 'S') added.block.base = {9, 9};
    bucket_.objects.push_back(std::move(added));
  }

  // Text as it is, whatever it is.
  [[nodiscard]] static std::string json_object(const keyed_block& block, const tarn::uuid& id, std::uint64_t count) {
    std::string bytes;
    (void)tarn::append_json_object_head(bytes, {"t", id});
    bytes += block.text;
    tarn::append_json_object_tail(bytes, count);
    return bytes;
  }
  // The rows in it, if they are some, and all of a size.
  [[nodiscard]] static bool may_be_columnar(const keyed_block& block) {
    for (const tarn::row& each : block.rows)
      if (each.size() != block.rows.front().size()) return false;
    return block.is_json;
  }
  [[nodiscard]] static std::string columnar_object(const keyed_block& block, const tarn::uuid& id) {
    auto builder = tarn::columnar_codec().build({"t", id});
    for (const tarn::row& each : block.rows) (void)builder.append(tarn::list_view(each));
    expect(builder.rows() == block.rows.size(), "rows of text are rows of an object");
    return std::string(builder.finish());
  }

  tarn::testing::simulated_environment environment_;
  core lake_{};
  tarn::table_state table_;
  tarn::bucket_state bucket_;
};

// What a merge owes: the rows if all is right and, if it verifies, an error if anything is wrong that it looks at.
void check_merge(const merged_rows& merged, bool is_right, bool verifies, const rows& expected) {
  if (is_right)
    expect(merged.outcome.has_value(), "what is right can be merged",
           merged.outcome ? "" : merged.outcome.error().message());
  if (verifies && !is_right) expect(!merged.outcome.has_value(), "a verifying merge finds what is wrong");
  if (is_right) expect(merged.live == expected, "a merge gives what folding all records gives");
  if (merged.outcome) return;
  const tarn::errc code = merged.outcome.error().code();
  expect(code == tarn::errc::corrupt || code == tarn::errc::limit_exceeded, "what is wrong is corrupt, or too deep",
         merged.outcome.error().message());
}

template <class Merge>
void check_strategy(bucket_in_store& bucket, bool is_right, const rows& expected) {
  check_merge(bucket.merge<Merge>(tarn::verification::of_order), is_right, false, expected);
  check_merge(bucket.merge<Merge>(tarn::verification::of_positions), is_right, true, expected);
}

template <class Merge>
void check_compaction(const keyed_text& text, bool is_right, const rows& expected) {
  if (!is_right || text.blocks.empty()) return;
  bucket_in_store bucket(text);
  const tarn::status folded = bucket.fold<Merge>((text.blocks.size() + 1) / 2);
  expect(folded.has_value(), "what can be read can be compacted", folded ? "" : folded.error().message());
  check_strategy<Merge>(bucket, true, expected);
}

int fuzz_delta(const unsigned char* data, std::size_t size) {
  const keyed_text text = read_keyed_text(text_of(data, size), blocks_max);
  const keyed_text_reader reader(text);
  bucket_in_store bucket(text);
  {
    const memory_bound bound(size + text.blocks.size() * memory_for_object / memory_factor, memory_factor);
    expect(bucket.count_rows() <= size, "there are no more rows than bytes");
  }
  const bool valid = reader.valid();
  const bool is_right = valid && reader.places_are_right();
  const rows expected = valid ? reader.fold() : rows();
  expect(bucket.has_indexes() == valid, "keys can be indexed if all records are in order");
  check_strategy<tarn::merge::by_key>(bucket, valid, expected);
  check_strategy<tarn::merge::by_position>(bucket, is_right, expected);
  check_strategy<tarn::merge::derived>(bucket, is_right, expected);
  check_compaction<tarn::merge::by_key>(text, valid, expected);
  check_compaction<tarn::merge::by_position>(text, is_right, expected);
  return 0;
}

}  // namespace

const target targets::delta{"delta", fuzz_delta, nullptr};

}  // namespace tarn_test::fuzz
