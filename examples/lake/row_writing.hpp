// Rows of an input, written to a table one after another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tarn/core/result.hpp>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>

#include "progress.hpp"

namespace lake {

// What `failed` says, at the place in the input. The library counts rows from 0 in what it was given: always one here.
[[nodiscard]] inline tarn::error error_in_row(const tarn::error& failed, std::string_view place) {
  constexpr std::string_view only_row = "row 0 for ";
  if (!failed.message().starts_with(only_row)) return failed.within(place);
  return tarn::error(failed.code(), failed.message().substr(only_row.size())).within(place);
}

// Calls `write(row) -> status` with each row, made for these columns, and returns their number.
template <class Reader, class Write>
[[nodiscard]] tarn::result<std::uint64_t> write_rows(const tarn::schema& columns, Reader& reader,
                                                     std::string_view doing, Write write) {
  if (const tarn::status bound = reader.bind(columns); !bound) return bound.error();
  progress shown(doing);
  for (std::uint64_t rows = 0;; ++rows) {
    const tarn::result<bool> found = reader.next();
    if (!found) return found.error();
    if (!*found) return rows;
    const tarn::status written = write(reader.row());
    if (!written) return error_in_row(written.error(), reader.place());
    shown.count_row();
  }
}

}  // namespace lake
