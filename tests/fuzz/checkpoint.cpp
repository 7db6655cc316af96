// Bytes as a checkpoint, with its parts in the lines after the first; or as the marker of a truncation.
#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/log/checkpoint.hpp>
#include <tarn/log/truncation.hpp>
#include <tarn/store/memory_store.hpp>
#include <vector>

#include "checkpoint_round_trip.hpp"
#include "damage.hpp"
#include "memory_bound.hpp"
#include "sealing.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

// See entry.cpp; and the text of the parts is put together, and a bucket takes 100 bytes and may be written with two.
constexpr std::size_t memory_factor = 160;

[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.push_back(text);
  return lines;
}

[[nodiscard]] tarn::result<tarn::shared_snapshot> read(std::string_view head,
                                                       const std::vector<std::string_view>& lines, tarn::version at) {
  tarn::memory_store store;
  (void)store.put_if_absent(tarn::checkpoint_name(at), head);
  for (std::uint32_t part = 1; part < lines.size(); ++part)
    (void)store.put_if_absent(tarn::checkpoint_part_name(at, part), lines[part]);
  return tarn::read_checkpoint(store, at, tarn::limits{});
}

void check_checkpoint_text(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  const tarn::version at{number_after(lines[0], R"("Version":)")};
  const auto bounded_read = [&] {
    const memory_bound bound(text.size(), memory_factor);
    return read(lines[0], lines, at);
  };
  const tarn::result<tarn::shared_snapshot> state = bounded_read();
  if (!state) return;
  expect((*state)->at == at, "a checkpoint is that of its version");
  const bool in_parts = tarn::crc32c(text) % 2 != 0;  // one of the two: each costs as much as all the rest
  expect_checkpoint_keeps(**state, in_parts ? 100 : tarn::limits{}.checkpoint_part_bytes);
  expect_damage_noticed(lines[0], [&](std::string_view damaged) { return read(damaged, lines, at).has_value(); });
}

void check_marker(std::string_view bytes) {
  const auto bounded_read = [&] {
    const memory_bound bound(bytes.size(), memory_factor);
    return tarn::read_marker(bytes, "the marker");
  };
  const tarn::result<tarn::truncation_marker> marker = bounded_read();
  if (!marker) return;
  const std::string written = tarn::write_marker(*marker);
  const tarn::result<tarn::truncation_marker> again = tarn::read_marker(written, "the marker");
  expect(again.has_value(), "a marker that was written can be read", again ? written : again.error().message());
  expect(tarn::write_marker(*again) == written, "a marker reads back as it was written", written);
  for (std::size_t place = 0; place < marker->transactions.size(); ++place)
    expect(marker->transactions[place].is_nil() || marker->slot_of(marker->transactions[place]) >= marker->first,
           "a marker tells what was committed");
  expect_damage_noticed(bytes,
                        [](std::string_view damaged) { return tarn::read_marker(damaged, "the marker").has_value(); });
}

int fuzz_checkpoint(const unsigned char* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  if (text.starts_with(R"({"Truncation")"))
    check_marker(text);
  else
    check_checkpoint_text(text);
  return 0;
}

// The parts' sizes and checksums first: they are among the bytes of the head.
void mend_checkpoint(std::string& text) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::string head(lines[0]);
  std::size_t described = head.find(R"("Parts":[)");
  std::string mended;
  for (std::size_t part = 1; part < lines.size(); ++part) {
    described = head.find(R"({"Bytes":)", described);
    const std::size_t end = described == std::string::npos ? described : head.find('}', described);
    if (end == std::string::npos) break;
    const std::string right = tarn::concat(
        {R"({"Bytes":)", lines[part].size(), R"(,"Crc32c":")", tarn::hex(tarn::crc32c(lines[part])), "\"}"});
    head.replace(described, end + 1 - described, right);
    described += right.size();
  }
  mend_seal(head);
  for (std::size_t part = 1; part < lines.size(); ++part) mended.append("\n").append(lines[part]);
  text = head + mended;
}

}  // namespace

const target targets::checkpoint{"checkpoint", fuzz_checkpoint, mend_checkpoint};

}  // namespace tarn_test::fuzz
