// Which rows a command is for, and what is new in them, as a user says it: `--where 'age >= 5' --where 'name is null'`,
// `--set 'age = 6'`.
#pragma once

#include <tarn/core/arena.hpp>
#include <tarn/core/filter.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/sequence.hpp>
#include <tarn/table/changed_row.hpp>

#include "arguments.hpp"

namespace lake {

// All that --where says must hold: COLUMN and one of = != < <= > >=, then VALUE, which is read as a field of CSV; or
// COLUMN and "is null" or "is not null". Spaces around these do not count. The error is for the user.
[[nodiscard]] tarn::result<tarn::filter> wanted_rows(const arguments& given, const tarn::schema& columns,
                                                     tarn::arena& memory);

// What each --set says: COLUMN = VALUE, read in the same way; nothing is null. Refers to `columns` and `memory`.
[[nodiscard]] tarn::result<tarn::sequence<tarn::column_change>> wanted_changes(const arguments& given,
                                                                               const tarn::schema& columns,
                                                                               tarn::arena& memory);

}  // namespace lake
