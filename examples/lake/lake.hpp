// The lake that a command works on.
#pragma once

#include <optional>
#include <string>
#include <tarn/tarn.hpp>

#include "command.hpp"

namespace lake {

using client = tarn::client<tarn::file_store<>>;
using transaction = client::transaction_type;

// The lake in a folder that must exist: else a mistyped path would look like a lake without tables.
tarn::result<client> open_existing(const std::string& folder);

// A transaction that reads the newest version or, if `at` is given, that one.
tarn::result<transaction> begin(client& opened, std::optional<tarn::version> at = std::nullopt);

// What the log says of the lake at the version that the transaction reads: also what the transaction does not tell,
// such as the keys of tables. Reads the log once more.
tarn::result<tarn::shared_snapshot> state_of(client& opened, const transaction& reading);

// How a commit ended. If the answer was lost, finds out what became of it.
tarn::result<tarn::version> settled(client& opened, tarn::result<tarn::version> committed);
inline tarn::result<tarn::version> commit(client& opened, transaction& done) { return settled(opened, done.commit()); }

// What --at says: a version, nothing if it was not given, or an error for the user.
tarn::result<std::optional<tarn::version>> wanted_version(const arguments& given);

}  // namespace lake
