// Schemas and rows of all kinds of values, as a seed decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tarn/core/row.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/value.hpp>
#include <utility>
#include <vector>

#include "random_source.hpp"

namespace tarn_test {

// Lists and maps are nested at most `depth` deep.
[[nodiscard]] inline tarn::value random_value(random_source& random, int depth) {
  switch (random.below(depth > 0 ? 9 : 7)) {
    case 0: return nullptr;
    case 1: return random.chance(50);
    case 2: return static_cast<std::int64_t>(random.next());
    case 3: {
      constexpr double special[] = {0.0, -0.0, 1e300, 5e-324, std::numeric_limits<double>::infinity()};
      return random.chance(50) ? special[random.below(5)] : static_cast<double>(random.next()) / 3;
    }
    case 4: return std::string(random.below(20), static_cast<char>('a' + random.below(26)));
    case 5: return "\"quoted\" \\ caf\xc3\xa9 \xf0\x9f\xa6\x86\n";
    case 6: return tarn::bytes{std::string_view("\0\xff raw", random.below(7))};
    case 7: return tarn::value::list({random_value(random, depth - 1), random_value(random, depth - 1)});
    default: return tarn::value::map({{"key", random_value(random, depth - 1)}, {"", random_value(random, depth - 1)}});
  }
}

// One to four columns; perhaps the first takes integers only.
[[nodiscard]] inline tarn::schema random_schema(random_source& random) {
  tarn::sequence<tarn::column> columns;
  if (random.chance(50)) columns.emplace_back("id", tarn::column_type::integer, tarn::nullability::not_null);
  for (std::size_t more = 1 + random.below(3); more > 0; --more) columns.emplace_back("any " + std::to_string(more));
  return tarn::schema(std::move(columns));
}

[[nodiscard]] inline tarn::row random_row(random_source& random, const tarn::schema& columns) {
  tarn::row row;
  for (const tarn::column& column : columns)
    row.push_back(column.type == tarn::column_type::any ? random_value(random, 2)
                                                        : tarn::value(static_cast<std::int64_t>(random.below(1000))));
  return row;
}

}  // namespace tarn_test
