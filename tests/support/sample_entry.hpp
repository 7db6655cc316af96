// An entry with every kind of action and field.
#pragma once

#include <cstdint>
#include <tarn/log/entry.hpp>

namespace tarn_test {

[[nodiscard]] inline tarn::uuid sample_id(std::uint64_t number) {
  return {0x0190a3f27c1e7abcU, 0x8def000000000000U | number};
}

[[nodiscard]] inline tarn::entry sample_entry() {
  tarn::schema columns{"id", {"caf\xc3\xa9 \"quoted\"", tarn::column_type::integer, tarn::nullability::not_null}};
  columns.number_columns();
  tarn::entry made;
  made.at = {3};
  made.transaction = sample_id(4);
  made.read_version = {2};
  made.previous_checksum = 0xdeadbeef;
  made.time = {1'700'000'000'000};
  made.operation = "drop table, create table, insert";
  made.actions.find_or_insert("cities") = {
      {tarn::action_kind::drop_table, sample_id(1), {}, {}},
      {tarn::action_kind::create_table, sample_id(2), columns, {}},
      {tarn::action_kind::add_object, {}, {}, {sample_id(3), true, "json", 2, 150, 0xbeef}},
  };
  return made;
}

// The same with a keyed table, one object in each form and one that is gone.
[[nodiscard]] inline tarn::entry sample_entry_of_keys() {
  tarn::entry made = sample_entry();
  const tarn::data_object object{sample_id(5), true, "json", 2, 150, 0xbeef};
  const tarn::block_header delta{3, tarn::object_form::delta, sample_id(6), {2}, false};
  const tarn::block_header base{3, tarn::object_form::base, {}, {1}, true};
  tarn::schema columns{{"id", tarn::column_type::integer, tarn::nullability::not_null},
                       {"at", tarn::column_type::integer, tarn::nullability::not_null}};
  columns.number_columns();
  made.actions.find_or_insert("keys") = {
      {tarn::action_kind::create_table, sample_id(7), columns, {}, tarn::table_key{{0}, 7, 1}},
      {tarn::action_kind::remove_object, {}, {}, {sample_id(8), false, "", 0, 0, 0}, {}, {3, {}, {}, {}, false}},
      {tarn::action_kind::add_block, {}, {}, object, {}, delta},
      {tarn::action_kind::add_block, {}, {}, object, {}, base},
  };
  return made;
}

}  // namespace tarn_test
