// The lake that a command works on.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tarn/tarn.hpp>

#include "command.hpp"

// Compiled once, in client.cpp, and not in each command again.
extern template class tarn::client<tarn::file_store<>>;
extern template class tarn::transaction<tarn::file_store<>, tarn::json_codec, tarn::merge::by_position>;
extern template class tarn::table_scan<tarn::file_store<>, tarn::json_codec, tarn::merge::by_position>;

namespace lake {

using client = tarn::client<tarn::file_store<>>;
using transaction = client::transaction_type;

// The lake in a folder that must exist: else a mistyped path would look like a lake without tables.
tarn::result<client> open_existing(const std::string& folder);

// The same, or a lake to be: LAKE_INLINE_BYTES_MAX in the environment says how many bytes of rows its entries may
// carry.
tarn::result<client> open_or_found(const std::string& folder);

// The version that a user means by a word: a number, a tag, or a time (see times.hpp), at which it was the newest.
tarn::result<tarn::version> find_version(client& opened, std::string_view word);

// The newest; -1 if the lake is empty.
tarn::result<tarn::version> newest_version(client& opened);

// A transaction that reads the newest version or, if `at` is given, the one that it means.
tarn::result<transaction> begin(client& opened, std::optional<std::string_view> at = std::nullopt);

// What the log says of the lake at the version that the transaction reads: also what the transaction does not tell,
// such as the keys of tables. Reads the log once more.
tarn::result<tarn::shared_snapshot> state_of(client& opened, const transaction& reading);

// How a commit ended. If the answer was lost, finds out what became of it.
tarn::result<tarn::version> settled(client& opened, tarn::result<tarn::version> committed);
inline tarn::result<tarn::version> commit(client& opened, transaction& done) { return settled(opened, done.commit()); }

}  // namespace lake
