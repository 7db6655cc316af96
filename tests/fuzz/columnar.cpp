// Bytes as a columnar data object: read by rows, by batches and one column at a time, written again, and damaged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/codec/columnar_codec.hpp>
#include <tarn/core/duplicate_finder.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/utf8.hpp>
#include <vector>

#include "columnar_sealing.hpp"
#include "damage.hpp"
#include "memory_bound.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

using cursor = tarn::columnar_cursor<>;
using rows = std::vector<tarn::row>;

// Memory is bounded by the values that a group may have, and by the bytes of lists and maps.
constexpr std::size_t memory_factor = 256;
constexpr std::size_t memory_of_group = 100 * tarn::columnar::group_values_max;

// Equal values take next to no bytes: more than so many are read, but not kept.
constexpr std::size_t values_kept_max = 20'000;

// What the log would say of such an object, as far as the bytes tell.
[[nodiscard]] tarn::object_expectation expectation_of(std::string_view bytes) {
  tarn::object_expectation expected;
  const std::size_t head = columnar_sealing::head_size(bytes);
  if (head == 0) return expected;
  expected.identity.table = bytes.substr(10, head - 26);
  expected.identity.id = {__builtin_bswap64(tarn::columnar::load_64(bytes.data() + head - 16)),
                          __builtin_bswap64(tarn::columnar::load_64(bytes.data() + head - 8))};
  std::string_view rest = bytes.substr(head);
  std::string_view footer;
  if (!tarn::columnar::detail::take_footer(rest, false, footer).empty()) return expected;
  tarn::columnar::input<> in(footer);
  std::uint64_t columns = 0;
  if (in.take_varint(columns)) expected.columns = static_cast<std::size_t>(columns);
  return expected;
}

// Whether a table would take it.
[[nodiscard]] bool is_proper(const tarn::value_view& value) {
  switch (value.kind()) {
    case tarn::kind::string: return tarn::find_invalid_utf8(value.as_string()) == value.as_string().size();
    case tarn::kind::list:
      for (const tarn::value_view each : value.as_list())
        if (!is_proper(each)) return false;
      return true;
    case tarn::kind::map: {
      tarn::duplicate_finder keys;
      for (const tarn::member_view each : value.as_map()) {
        if (!is_proper(each.key) || !is_proper(each.value)) return false;
        keys.add(each.key);
      }
      return keys.find() == nullptr;
    }
    default: return true;
  }
}

// What a scan takes. All rows, if there was nothing wrong; nothing is kept.
[[nodiscard]] bool scan(std::string_view bytes, const tarn::object_expectation& expected, std::uint64_t& count,
                        const tarn::limits& bounds = {}) {
  auto opened = tarn::columnar_codec().open(bytes, expected, bounds);
  count = 0;
  if (!opened) return false;
  while (opened->next()) {
    ++count;
    if (count < values_kept_max)
      for (const tarn::value_view each : opened->row()) expect(is_proper(each), "what is read a table would take");
  }
  expect(!opened->next() && !opened->next_batch(), "a cursor that has ended stays at its end");
  return opened->status().has_value();
}

[[nodiscard]] rows read(std::string_view bytes, const tarn::object_expectation& expected) {
  auto opened = tarn::columnar_codec().open(bytes, expected).value();
  rows all;
  while (opened.next()) all.emplace_back(opened.row().begin(), opened.row().end());
  return all;
}

void check_columns(std::string_view bytes, const tarn::object_expectation& expected, const rows& all) {
  for (std::size_t column = 0; column <= expected.columns && !all.empty(); ++column) {
    auto reading = tarn::columnar_codec().open(bytes, expected).value();
    const bool takes_all = column == expected.columns;
    if (!takes_all) reading.select({&column, 1});
    std::size_t first = 0;
    for (; reading.next_batch(); first += reading.batch().rows())
      for (std::size_t at = 0; at < reading.batch().rows(); ++at)
        for (std::size_t other = 0; other < expected.columns; ++other) {
          const tarn::value_view value = reading.batch().column(other)[at];
          if (takes_all || other == column)
            expect(value == all[first + at][other], "a batch has the values of the rows");
          else
            expect(value.is_null(), "a column that was not selected is null");
        }
    expect(first == all.size() && reading.status().has_value(), "batches have all rows");
  }
}

void check_rows(std::string_view bytes, const tarn::object_expectation& expected, const rows& all) {
  check_columns(bytes, expected, all);
  auto builder = tarn::columnar_codec().build(expected.identity);
  for (const tarn::row& each : all)
    expect(builder.append(tarn::list_view(each)).has_value(), "a row that was read can be written");
  const std::string written(builder.finish());
  tarn::object_expectation again = expected;
  if (all.empty()) again.columns = 0;
  expect(read(written, again) == all, "rows read back as they were written");
  expect_damage_noticed(bytes, [&](std::string_view damaged) {
    std::uint64_t count = 0;
    return scan(damaged, expected, count);
  });
  tarn::limits small;
  small.row_bytes_max = 40;
  std::uint64_t count = 0;
  (void)scan(bytes, expected, count, small);
  expect(count <= all.size(), "a limit on rows adds none");
}

int fuzz_columnar(const unsigned char* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  tarn::object_expectation expected = expectation_of(bytes);
  std::uint64_t count = 0;
  bool is_whole = false;
  {
    const memory_bound bound(size + memory_of_group / memory_factor, memory_factor);
    is_whole = scan(bytes, expected, count);
  }
  if (is_whole && count * (expected.columns + 1) <= values_kept_max) check_rows(bytes, expected, read(bytes, expected));
  if (!is_whole) {
    auto opened = tarn::columnar_codec().open(bytes, expected);
    while (opened && opened->next()) continue;
    const tarn::error why = opened ? opened->status().error() : opened.error();
    expect(why.message().find(to_text(expected.identity.id)) != std::string::npos, "an error names the object",
           why.message());
  }
  expected.checksum_verified = true;
  std::uint64_t unverified = 0;
  const bool is_whole_unverified = scan(bytes, expected, unverified);
  expect(!is_whole || (is_whole_unverified && unverified == count), "checksums change no rows");
  return 0;
}

}  // namespace

const target targets::columnar{"columnar", fuzz_columnar, mend_columnar};

}  // namespace tarn_test::fuzz
