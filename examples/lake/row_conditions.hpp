// Which rows a command is for, as a user says it: `--where 'age >= 5' --where 'name is null'`.
#pragma once

#include <tarn/core/arena.hpp>
#include <tarn/core/filter.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/schema.hpp>

#include "arguments.hpp"

namespace lake {

// All that --where says must hold: COLUMN and one of = != < <= > >=, then VALUE, which is read as a field of CSV; or
// COLUMN and "is null" or "is not null". Spaces around these do not count. The error is for the user.
[[nodiscard]] tarn::result<tarn::filter> wanted_rows(const arguments& given, const tarn::schema& columns,
                                                     tarn::arena& memory);

}  // namespace lake
