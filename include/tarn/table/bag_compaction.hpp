// What is special about compacting bags: which objects are worth it, and putting their rows together.
//
//   before    | 65,536 rows | 120 rows | 8 rows, 7 deleted | 65,536 rows, all deleted | 65,536 rows |
//   planned                 | ------------------ these ------------------------------ |
//   after     | 65,536 rows |                     121 rows                            | 65,536 rows |
//
// The new object has the place of those that it replaces, so scans give the rows in the order that they had.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/new_id.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/strong_types.hpp"
#include "../core/uuid.hpp"
#include "../log/table_state.hpp"
#include "bag_writer.hpp"
#include "client_core.hpp"
#include "compaction.hpp"
#include "live_rows.hpp"
#include "object_flushes.hpp"
#include "object_reader.hpp"

namespace tarn::inline TARN_ABI {

namespace compaction_detail {

// Rounded down, without overflow.
[[nodiscard]] constexpr std::uint64_t percent_of(std::uint64_t total, std::uint32_t percent) noexcept {
  return total / 100 * percent + total % 100 * percent / 100;
}

// What is left of an object, as far as the log tells.
struct live_part {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // about
  bool small = false;
  bool worth_writing_anew = false;  // also alone
};

// An object of the article's program, which states no rows, may be small; written anew, it is described.
template <class = void>
[[nodiscard]] live_part live_part_of(const bag_object& each, const client_options& options) noexcept {
  const data_object& object = each.object;
  if (!object.described) return {0, 0, true, true};
  const std::uint64_t deleted = each.deleted->size();
  live_part left;
  left.rows = object.rows - deleted;
  if (left.rows > 0) left.bytes = (object.bytes / object.rows + 1) * left.rows;
  const std::uint32_t small = options.compaction.small_percent;
  left.small = left.rows < percent_of(options.bounds.rows_per_object, small) &&
               left.bytes < percent_of(options.bounds.bytes_per_object, small);
  left.worth_writing_anew = deleted > percent_of(object.rows, options.compaction.deleted_percent);
  return left;
}

}  // namespace compaction_detail

// Neighbours that are small or have lost many rows, as many as fit into one object. Linear in the number of objects.
template <class = void>
[[nodiscard]] sequence<compaction_plan> plan_bag(const table_state& table, version at, const client_options& options) {
  using compaction_detail::live_part;
  sequence<compaction_plan> plans;
  const object_list& objects = table.objects;
  for (std::size_t first = 0; first < objects.size();) {
    live_part all = compaction_detail::live_part_of(objects[first], options);
    std::size_t end = first + 1;
    for (; (all.small || all.worth_writing_anew) && end < objects.size(); ++end) {
      const live_part next = compaction_detail::live_part_of(objects[end], options);
      const bool fits = all.rows + next.rows <= options.bounds.rows_per_object &&
                        all.bytes + next.bytes <= options.bounds.bytes_per_object;
      const bool wanted = next.small || next.worth_writing_anew;
      if (!fits || !wanted) break;
      all.rows += next.rows;
      all.bytes += next.bytes;
    }
    if (end - first > 1 || all.worth_writing_anew) {
      compaction_plan& plan = plans.emplace_back(compaction_plan{table.name, table.id, 0, at, {}});
      for (std::size_t each = first; each < end; ++each) plan.objects.push_back(objects[each].object.id);
    }
    first = end;
  }
  return plans;
}

// Puts the rows of planned objects together.
template <class Store, row_codec Codec>
class bag_compactor {
 public:
  using core = client_core<Store, Codec>;

  // What is passed by reference must outlive it.
  bag_compactor(core& lake, const table_state& table) : lake_(lake), table_(table) {}

  // Of the first planned object and as many more as fit into the new one: the plan could not know how many rows the
  // article's objects have. Memory: the new object, and one of the others.
  [[nodiscard]] result<compacted_objects> run(const compaction_plan& plan, timestamp earliest_birth) const {
    const result<uuid> id = new_id(lake_.options.surroundings, earliest_birth);
    if (!id) return id.error();
    writer together(lake_, table_, *id);
    compacted_objects done{plan, {}};
    done.plan.objects.clear();
    for (std::size_t at = table_.objects.find(plan.objects.front()); done.plan.objects.size() < plan.objects.size();
         ++at) {
      const bag_object& next = table_.objects[at];
      const result<std::uint64_t> rows = count(next);
      if (!rows) return rows.error();
      if (!done.plan.objects.empty() && !has_room(together, *rows)) break;
      if (*rows > 0)
        if (const status copied = copy(next, together); !copied) return copied.error();
      done.plan.objects.push_back(next.object.id);
    }
    if (together.rows().rows() == 0) return done;
    object_flushes<Store, Codec> at_once;  // and none into an entry: others read it, and it stays
    const result<data_object> object = together.put(lake_, table_, at_once);
    if (!object) return object.error();
    done.object = *object;
    return done;
  }

 private:
  using reader = object_reader<Store, Codec>;
  using writer = bag_writer<Store, Codec>;

  [[nodiscard]] result<live_rows<reader>> open(const bag_object& each) const {
    result<reader> opened = reader::open(lake_, table_, each.object, lake_.options.bounds);
    if (!opened) return opened.error();
    return live_rows<reader>(*std::move(opened), each.deleted);
  }

  // How many rows are left of an object.
  [[nodiscard]] result<std::uint64_t> count(const bag_object& each) const {
    if (each.object.described) return each.object.rows - each.deleted->size();
    result<live_rows<reader>> rows = open(each);
    if (!rows) return rows.error();
    std::uint64_t counted = 0;
    while (rows->next()) ++counted;
    if (!rows->status()) return rows->status().error();
    return counted;
  }

  [[nodiscard]] bool has_room(const writer& together, std::uint64_t rows) const {
    const limits& bounds = lake_.options.bounds;
    if (rows == 0) return true;
    return !together.is_full(bounds) && rows <= bounds.rows_per_object - together.rows().rows();
  }

  [[nodiscard]] status copy(const bag_object& each, writer& together) const {
    result<live_rows<reader>> rows = open(each);
    if (!rows) return rows.error();
    while (rows->next())
      if (const status appended = together.append(rows->row()); !appended)
        return appended.error().within(concat({"compacting table ", table_.name}));
    return rows->status();
  }

  core& lake_;
  const table_state& table_;
};

}  // namespace tarn::inline TARN_ABI
