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
    if (!written) return written.error().within(reader.place());
    shown.count_row();
  }
}

}  // namespace lake
