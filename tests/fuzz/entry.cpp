// Bytes as a log entry, and what it makes of a state.
#include <string>
#include <string_view>
#include <tarn/log/apply_entry.hpp>
#include <tarn/log/entry_reader.hpp>
#include <tarn/log/entry_writer.hpp>

#include "checkpoint_round_trip.hpp"
#include "damage.hpp"
#include "memory_bound.hpp"
#include "sealing.hpp"
#include "target.hpp"

namespace tarn_test::fuzz {
namespace {

// A value of a JSON text takes 24 bytes and may be written with two, as in [0,0,0]. While the list of values grows, the
// old one and the new one, which is twice as large, are there at once.
constexpr std::size_t memory_factor = 64;

[[nodiscard]] tarn::result<tarn::entry> read(std::string_view bytes, tarn::version at) {
  return tarn::read_entry(bytes, at, tarn::limits{});
}

void check_round_trip(const tarn::entry& whole) {
  const std::string written = tarn::write_entry(whole);
  const tarn::result<tarn::entry> again = read(written, whole.at);
  expect(again.has_value(), "an entry that was written can be read", again ? written : again.error().message());
  expect(tarn::write_entry(*again) == written, "an entry reads back as it was written", written);
  expect_damage_noticed(written, [&](std::string_view damaged) { return read(damaged, whole.at).has_value(); });
}

// What the entry makes of an empty lake that is one version older.
void check_application(const tarn::entry& whole, std::string_view bytes) {
  tarn::snapshot state;
  state.at = {whole.at.number - 1};
  state.entry_checksum = whole.previous_checksum;
  if (!tarn::apply_entry(state, whole, tarn::crc32c(bytes))) return;
  expect(state.at == whole.at, "a state after an entry has its version");
  expect_checkpoint_keeps(state, 512);
}

int fuzz_entry(const unsigned char* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  const tarn::version at{number_after(bytes, R"("Id":)")};
  const auto bounded_read = [&] {
    const memory_bound bound(size, memory_factor);
    return read(bytes, at);
  };
  const tarn::result<tarn::entry> whole = bounded_read();
  if (!whole) {
    expect(whole.error().message().find(tarn::entry_name(at)) != std::string::npos, "an error names the entry",
           whole.error().message());
    return 0;
  }
  expect(whole->at == at, "an entry is that of its slot");
  if (!whole->of_article) check_round_trip(*whole);
  check_application(*whole, bytes);
  return 0;
}

}  // namespace

const target targets::entry{"entry", fuzz_entry, mend_seal};

}  // namespace tarn_test::fuzz
