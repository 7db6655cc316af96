#include "lake.hpp"

#include <errno.h>
#include <unistd.h>

#include <cstdlib>

#include "numbers.hpp"
#include "times.hpp"

namespace lake {

tarn::result<client> open_existing(const std::string& folder) {
  if (::access(folder.c_str(), F_OK) != 0 && errno == ENOENT)
    return tarn::error(tarn::errc::not_found, tarn::concat({"there is no folder '", folder, "': `lake ", folder,
                                                            " create TABLE COLUMN...` makes a lake"}));
  return client(tarn::file_store(folder));
}

tarn::result<client> open_or_found(const std::string& folder) {
  tarn::client_options options;
  if (const char* const text = std::getenv("LAKE_INLINE_BYTES_MAX"); text != nullptr) {
    const std::optional<std::int64_t> bytes = parse_count(text);
    if (!bytes || *bytes > std::int64_t{UINT32_MAX})
      return tarn::error(tarn::errc::invalid_argument,
                         tarn::concat({"LAKE_INLINE_BYTES_MAX in the environment is '", text,
                                       "': set it to a number "
                                       "of bytes, or unset it"}));
    options.commit.inline_bytes_max = static_cast<std::uint32_t>(*bytes);
  }
  return client(tarn::file_store(folder), options);
}

tarn::result<tarn::version> find_version(client& opened, std::string_view word) {
  if (const auto number = parse_count(word)) return tarn::version{*number};
  const tarn::result<tarn::shared_snapshot> newest = opened.newest_snapshot();
  if (newest)
    for (const tarn::version_tag& each : *(*newest)->tags)
      if (each.name == word) return each.at;
  if (const auto time = parse_time(word)) return opened.version_at(*time);
  if (!newest) return newest.error();
  return tarn::error(tarn::errc::not_found, tarn::concat({"there is no version '", word,
                                                          "': name one by its number, by a tag (`tag` lists them) or "
                                                          "by a time such as 2026-11-29T10:00Z"}));
}

tarn::result<tarn::version> newest_version(client& opened) {
  const tarn::result<tarn::shared_snapshot> newest = opened.newest_snapshot();
  if (!newest) return newest.error();
  return (*newest)->at;
}

tarn::result<transaction> begin(client& opened, std::optional<std::string_view> at) {
  const tarn::result<tarn::version> wanted = at ? find_version(opened, *at) : tarn::version();
  if (!wanted) return wanted.error();
  tarn::result<transaction> begun = at ? opened.begin_at(*wanted) : opened.begin();
  if (begun || begun.error().code() != tarn::errc::corrupt) return begun;
  const std::string advice =
      tarn::concat({begun.error().message(), "; `check` tells which versions are good, `scan --at` reads one of them"});
  return tarn::error(tarn::errc::corrupt, advice);
}

tarn::result<tarn::shared_snapshot> state_of(client& opened, const transaction& reading) {
  return opened.snapshot_at(reading.read_version());
}

tarn::result<tarn::version> settled(client& opened, tarn::result<tarn::version> committed) {
  if (committed || committed.error().code() != tarn::errc::commit_unknown) return committed;
  const tarn::commit_in_doubt doubt = committed.error().in_doubt();
  const auto fate = opened.find_commit(doubt.transaction, doubt.slot, tarn::settle::yes);
  if (!fate) return committed;
  if (*fate == tarn::commit_state::committed) return doubt.slot;
  return tarn::error(tarn::errc::io, "the folder failed for a while, and nothing was committed: run it again");
}

}  // namespace lake
