#include "lake.hpp"

#include <errno.h>
#include <unistd.h>

#include "numbers.hpp"

namespace lake {

tarn::result<client> open_existing(const std::string& folder) {
  if (::access(folder.c_str(), F_OK) != 0 && errno == ENOENT)
    return tarn::error(tarn::errc::not_found, tarn::concat({"there is no folder '", folder, "': `lake ", folder,
                                                            " create TABLE COLUMN...` makes a lake"}));
  return client(tarn::file_store(folder));
}

tarn::result<transaction> begin(client& opened, std::optional<tarn::version> at) {
  tarn::result<transaction> begun = at ? opened.begin_at(*at) : opened.begin();
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

tarn::result<std::optional<tarn::version>> wanted_version(const arguments& given) {
  const auto text = given.value("--at");
  if (!text) return std::optional<tarn::version>();
  const auto number = parse_count(*text);
  if (!number) return tarn::error(tarn::errc::invalid_argument, tarn::concat({"--at ", *text, ": that is no version"}));
  return std::optional(tarn::version{*number});
}

}  // namespace lake
