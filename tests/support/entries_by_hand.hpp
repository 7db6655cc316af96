// Entries with any actions, for what no call of the library writes, or not in this way.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tarn/client.hpp>
#include <utility>
#include <vector>

namespace tarn_test {

// Commits an entry that does this to one table.
template <class Client>
tarn::version commit_actions(Client& lake, tarn::sequence<tarn::action> actions, std::string_view table = "t") {
  tarn::entry mine;
  mine.operation = "by hand";
  mine.actions.find_or_insert(table) = std::move(actions);
  return tarn::commit_entry(*lake.core(), lake.newest_snapshot().value(), std::move(mine), tarn::accept_all).value();
}

// Puts an object of a bag, which no entry names yet.
template <class Client>
[[nodiscard]] tarn::data_object put_object(Client& lake, const std::vector<tarn::row>& rows,
                                           std::string_view table = "t", tarn::uuid id = {}) {
  const tarn::shared_snapshot state = lake.newest_snapshot().value();
  if (id.is_nil()) id = tarn::new_id(lake.core()->options.surroundings, state->time).value();
  auto builder = lake.core()->codec.build({table, id}, lake.core()->options.bounds);
  for (const tarn::row& each : rows) builder.append(each).value();
  const std::string_view bytes = builder.finish();
  REQUIRE(lake.store().put_if_absent(tarn::object_name(table, id), bytes).outcome() == tarn::put_outcome::created);
  return {id,
          true,
          std::string(lake.core()->codec.name),
          builder.rows(),
          bytes.size(),
          tarn::crc32c(bytes),
          state->find_table(table)->schema_number()};
}

template <class Client>
[[nodiscard]] const tarn::table_state& table_in(Client& lake, std::string_view table = "t") {
  return *lake.newest_snapshot().value()->find_table(table);  // the client keeps it alive
}

[[nodiscard]] inline tarn::action adding(const tarn::data_object& object) {
  return {tarn::action_kind::add_object, {}, {}, object};
}
[[nodiscard]] inline tarn::action replacing(tarn::sequence<tarn::uuid> replaced, const tarn::data_object& with) {
  tarn::action made{tarn::action_kind::replace_objects, {}, {}, with};
  made.replaced = std::move(replaced);
  return made;
}
[[nodiscard]] inline tarn::action deleting(const tarn::uuid& object, const tarn::sequence<tarn::row_range>& rows,
                                           tarn::sequence<tarn::row_replacement> replacements = {}) {
  tarn::action made{tarn::action_kind::delete_rows, {}, {}, {}};
  made.object.id = object;
  for (const tarn::row_range& each : rows) made.rows.add(each);
  made.replacements = std::move(replacements);
  return made;
}
template <class Client>
tarn::version restore_table(Client& lake, tarn::version to, std::string_view table = "t") {
  tarn::action made{tarn::action_kind::restore_table, {}, {}, {}};
  made.restored = tarn::shared<const tarn::table_state>::make(*lake.snapshot_at(to).value()->find_table(table));
  return commit_actions(lake, {made}, table);
}

}  // namespace tarn_test
