// The tables as one transaction sees them: those of its snapshot with its own changes, and what it has used of them.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "../codec/codec.hpp"
#include "../core/config.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "../core/sequence.hpp"
#include "../core/text.hpp"
#include "../log/entry.hpp"
#include "../log/names.hpp"
#include "../log/snapshot.hpp"
#include "../log/table_map.hpp"
#include "../merge/strategy.hpp"
#include "conflict.hpp"
#include "pending_table.hpp"

namespace tarn::inline TARN_ABI {

template <class Store, row_codec Codec, merge_strategy Merge>
class pending_tables {
 public:
  using pending = pending_table<Store, Codec, Merge>;

  explicit pending_tables(shared_snapshot state) : snapshot_(std::move(state)) {}

  // The view of a table name, made when it is first used: from then on the name is part of what was read.
  pending& touch(std::string_view table) {
    last_ = used_.index_of(table);
    if (last_ < used_.size()) return used_.begin()[last_].content;
    return used_.find_or_insert(table, snapshot_->tables.find(table));
  }
  // The existing table of exactly this name, or null.
  [[nodiscard]] pending* find(std::string_view table) {
    // For each row, so the one that was used last is not searched for.
    if (last_ < used_.size() && is_named(used_.begin()[last_].content, table)) return &used_.begin()[last_].content;
    pending& slot = touch(table);
    return is_named(slot, table) ? &slot : nullptr;
  }
  // The same, or errc::no_such_table.
  [[nodiscard]] result<pending*> use(std::string_view table) {
    if (pending* const found = find(table); found != nullptr) return found;
    return no_such_table(table);
  }

  // The names of all tables, in order. From then on, which there are is part of what was read.
  [[nodiscard]] sequence<std::string> list() {
    listed_ = true;
    return names();
  }

  // From then on, what this application has done is part of what was read.
  void touch_application(std::string_view application) { applications_.emplace_back(application); }

  // Those whose names were used.
  [[nodiscard]] table_map<pending>& used() noexcept { return used_; }
  [[nodiscard]] const table_map<pending>& used() const noexcept { return used_; }

  // Adds to an entry what was changed; all rows must have been flushed.
  void append_actions(entry& mine) const {
    for (const auto& [name, slot] : used_) {
      sequence<action> actions = slot.actions();
      for (const action& each : actions) {
        const std::string_view what = operation_name(each.kind);
        if (mine.operation.find(what) == std::string::npos)
          mine.operation += mine.operation.empty() ? std::string(what) : concat({", ", what});
      }
      if (!actions.empty()) mine.actions.find_or_insert(slot.name()) = std::move(actions);
    }
  }

  // What was read and written. Takes it from the tables.
  [[nodiscard]] footprint take_footprint(isolation level, const limits& bounds) {
    footprint all;
    for (auto& [name, slot] : used_) {
      table_access& access = all.tables.find_or_insert(name);
      access = slot.take_access();
      access.reads.sort(bounds.read_keys_max);
      access.validated.sort(bounds.read_keys_max);
    }
    all.listed_tables = listed_;
    all.applications = applications_;
    all.level = level;
    return all;
  }

 private:
  // Without std::string_view's comparison, which is a call to what then makes another.
  [[nodiscard]] static bool is_named(const pending& slot, std::string_view table) noexcept {
    return slot.exists() && slot.name().size() == table.size() &&
           std::memcmp(slot.name().data(), table.data(), table.size()) == 0;
  }

  [[nodiscard]] [[gnu::cold]] error no_such_table(std::string_view table) const {
    return error(errc::no_such_table,
                 concat({"there is no table '", table.substr(0, table_name_size_max), "'; ", describe()}));
  }

  [[nodiscard]] sequence<std::string> names() const {
    table_map<std::string> visible;
    for (const auto& [name, state] : snapshot_->tables)
      if (used_.find(name) == nullptr) visible.find_or_insert(name, state->name);
    for (const auto& [name, slot] : used_)
      if (slot.exists()) visible.find_or_insert(name, slot.name());
    sequence<std::string> all;
    for (auto& [key, name] : visible) all.push_back(std::move(name));
    return all;
  }

  [[nodiscard]] std::string describe() const {
    constexpr std::size_t named_max = 20;
    const sequence<std::string> all = names();
    if (all.empty()) return "the lake has no tables";
    std::string text = "there are:";
    for (std::size_t at = 0; at < all.size() && at < named_max; ++at) text += concat({" ", all[at]});
    if (all.size() > named_max) text += concat({" and ", all.size() - named_max, " more"});
    return text;
  }

  shared_snapshot snapshot_;
  table_map<pending> used_;
  std::size_t last_ = 0;  // of these, the one used last; or another, since its name is looked at
  bool listed_ = false;
  sequence<std::string> applications_;
};

}  // namespace tarn::inline TARN_ABI
