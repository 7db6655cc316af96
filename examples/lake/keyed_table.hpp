// A keyed table, and keys of it as a user types them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tarn/core/arena.hpp>
#include <tarn/core/result.hpp>
#include <tarn/core/schema.hpp>
#include <tarn/core/table_key.hpp>
#include <tarn/core/value.hpp>
#include <vector>

#include "lake.hpp"

namespace lake {

struct keyed_table {
  std::string name;
  tarn::schema columns;
  tarn::table_key key;
};

// The table of this name as the transaction sees it in its version; an error if there is none, or if it has no key.
[[nodiscard]] tarn::result<keyed_table> find_keyed_table(transaction& reading, std::string_view table);

// The names of the key's columns, as in a line of CSV.
[[nodiscard]] std::string names_of_key(const tarn::schema& columns, const tarn::table_key& key);

// The key that the words are, one for each of its columns, read as fields of CSV are.
[[nodiscard]] tarn::result<std::vector<tarn::value_view>> parse_key(const keyed_table& of,
                                                                    std::span<const std::string_view> words,
                                                                    tarn::arena& memory);
// The same of the ordering.
[[nodiscard]] tarn::result<tarn::value_view> parse_ordering(const keyed_table& of, std::string_view word,
                                                            tarn::arena& memory);

}  // namespace lake
