// Which versions have which data objects, and why later ones do not: what a check asks of a whole log.
//
//   version     0   1   2   3   4   5   6
//   object a    [ - - - - - )       [ - -      came with 0, was replaced at 3, came back with a restore at 5
//   object b        [ - - - - - - - - - -      came with 1, and is still there
//
// Both are told by the entries' actions; states are looked at for tables that were dropped or restored only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../core/config.hpp"
#include "../core/sequence.hpp"
#include "../core/sort.hpp"
#include "../core/strong_types.hpp"
#include "../core/uuid.hpp"
#include "../log/entry.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_map.hpp"

namespace tarn::inline TARN_ABI {

// Why versions from some version on do not have an object.
enum class departure : unsigned char {
  none,      // they have it
  replaced,  // a compaction has folded it into another
  dropped,   // with its table
  restored,  // its table was restored to an older state
  unknown,   // the log has a gap, after which it is gone
};

// From `from` on, and before `until`, versions have the object.
struct object_stay {
  uuid object;
  std::uint32_t table = 0;  // see object_history::table_of
  version from;
  version until = {INT64_MAX};
  departure why = departure::none;
};

// Filled entry by entry, then asked. What is alone may be noted in any order. Memory: 48 bytes each time that an object
// comes or goes.
class object_history {
 public:
  // After a gap: what is known again, after what was known last.
  template <class = void>
  void resume(const snapshot& before, const snapshot& after) {
    note_state(before, after.at, departure::unknown);
    note_state(after, after.at, departure::none);
  }
  // One version alone, of which nothing is known before and after.
  template <class = void>
  void note_alone(const snapshot& state) {
    note_state(state, state.at, departure::none);
    note_state(state, state.at.next(), departure::unknown);
  }

  // The entry that makes `after` of `before`.
  template <class = void>
  void note(const snapshot& before, const snapshot& after, const entry& next) {
    for (const auto& [table, actions] : next.actions) {
      const departure whole = departure_of_table(actions);
      if (whole == departure::none) {
        for (const action& each : actions) note_action(table, each, next.at);
        continue;
      }
      if (const auto* const left = before.tables.find(table)) note_table(**left, next.at, whole);
      if (const auto* const came = after.tables.find(table)) note_table(**came, next.at, departure::none);
    }
  }

  // To be called once, before anything is asked. O(n log n).
  template <class = void>
  void finish() {
    sort(events_.begin(), events_.size(), [](const event& a, const event& b) {
      if (a.object != b.object) return a.object < b.object;
      return a.at != b.at ? a.at < b.at : a.number < b.number;
    });
    for (const event& each : events_) apply(each);
    events_ = {};
  }

  // The stays of an object, in order of version; begin == end if no version ever had it.
  struct stays {
    const object_stay* first;
    const object_stay* last;
    [[nodiscard]] const object_stay* begin() const noexcept { return first; }
    [[nodiscard]] const object_stay* end() const noexcept { return last; }
    [[nodiscard]] bool empty() const noexcept { return first == last; }
  };
  template <class = void>
  [[nodiscard]] stays find(const uuid& object) const noexcept {
    const std::size_t first =
        lower_bound(stays_.begin(), stays_.size(), [&](const object_stay& each) { return each.object < object; });
    std::size_t last = first;
    while (last < stays_.size() && stays_[last].object == object) ++last;
    return {stays_.begin() + first, stays_.begin() + last};
  }

  // Whether any entry names the table.
  template <class = void>
  [[nodiscard]] bool has_table(std::string_view table) const noexcept {
    return numbers_.find(table) != nullptr;
  }

  // Names that differ in case only are one table.
  [[nodiscard]] const std::string& table_of(const object_stay& stay) const noexcept { return tables_[stay.table]; }

 private:
  struct event {
    uuid object;
    std::size_t number;  // within its version
    version at;
    std::uint32_t table;
    bool comes;
    departure why;
  };

  template <class = void>
  [[nodiscard]] static departure departure_of_table(const sequence<action>& actions) noexcept {
    departure whole = departure::none;
    for (const action& each : actions) {
      if (each.kind == action_kind::drop_table) whole = departure::dropped;
      if (each.kind == action_kind::restore_table) whole = departure::restored;
    }
    return whole;
  }

  template <class = void>
  void note_action(std::string_view table, const action& change, version at) {
    const std::uint32_t number = number_of(table);
    switch (change.kind) {
      case action_kind::replace_objects:
        for (const uuid& each : change.replaced) leave(each, number, at, departure::replaced);
        return come(change.object.id, number, at);
      case action_kind::add_object:
      case action_kind::add_block: return come(change.object.id, number, at);
      case action_kind::remove_object: return leave(change.object.id, number, at, departure::replaced);
      default: return;
    }
  }

  template <class = void>
  void note_state(const snapshot& state, version at, departure why) {
    for (const auto& each : state.tables) note_table(*each.content, at, why);
  }

  // All of the table comes or, for a reason, leaves.
  template <class = void>
  void note_table(const table_state& table, version at, departure why) {
    const std::uint32_t number = number_of(table.name);
    const auto note_one = [&](const data_object& each) {
      why == departure::none ? come(each.id, number, at) : leave(each.id, number, at, why);
    };
    for (std::size_t each = 0; each < table.objects.size(); ++each) note_one(table.objects[each].object);
    for (const copy_on_write<bucket_state>& bucket : table.buckets)
      for (const keyed_object& each : bucket->objects) note_one(each.object);
  }

  template <class = void>
  void come(const uuid& object, std::uint32_t table, version at) {
    events_.push_back({object, events_.size(), at, table, true, departure::none});
  }
  template <class = void>
  void leave(const uuid& object, std::uint32_t table, version at, departure why) {
    events_.push_back({object, events_.size(), at, table, false, why});
  }

  template <class = void>
  [[nodiscard]] std::uint32_t number_of(std::string_view table) {
    const auto next = static_cast<std::uint32_t>(tables_.size());
    const std::uint32_t number = numbers_.find_or_insert(table, next);
    if (number == next) tables_.emplace_back(table);
    return number;
  }

  template <class = void>
  void apply(const event& each) {
    object_stay* const last = stays_.empty() || stays_.back().object != each.object || stays_.back().table != each.table
                                  ? nullptr
                                  : &stays_.back();
    if (!each.comes) {
      if (last == nullptr || last->why != departure::none) return;  // an entry that does not fit was noted by mistake
      last->until = each.at;
      last->why = each.why;
    } else if (last == nullptr || last->until < each.at) {
      stays_.push_back({each.object, each.table, each.at});
    } else {  // left and came in one entry, or came twice: it never left
      last->until = {INT64_MAX};
      last->why = departure::none;
    }
  }

  sequence<event> events_;
  sequence<object_stay> stays_;  // by object, then by version
  table_map<std::uint32_t> numbers_;
  sequence<std::string> tables_;
};

}  // namespace tarn::inline TARN_ABI
