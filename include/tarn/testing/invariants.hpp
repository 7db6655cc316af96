// What holds of the store of a lake at any moment, whatever its clients are doing or have suffered, and of all that has
// ever been put there and removed. Looked at with the second reader; nothing is shared with tarn::check.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/result.hpp"
#include "../core/uuid.hpp"
#include "store_reader.hpp"

namespace tarn::inline TARN_ABI::testing {

enum class invariant : unsigned char {
  contiguous_log = 1,       // L1: from its beginning to its head no slot is empty
  whole_entries = 2,        // L2: each has its checksum, its number, the one before, a transaction of its own
  whole_objects = 3,        // L3: what a retained version is made of is there, with its length, checksum and rows
  constant_bytes = 4,       // L4: a name never has other bytes than at first, but for slots that were truncated
  truncation_anchored = 5,  // L5: the last truncation's marker names a checkpoint that can be read
  true_checkpoints = 6,     // L6: each says what the log up to its version does
  ordered_blocks = 7,     // L7: objects of a bucket are in the order of the log, their places are right in their bases
  kept_objects = 8,       // L8: nobody looks in vain for what a retained version is made of
  collected_garbage = 9,  // L9: what nobody needs is gone after a vacuum, and comes from those that failed
  careful_vacuum = 10,    // L10: nothing was removed that a retained version needs, or that was young
};

struct invariant_violation {
  invariant which;
  std::string message;
};

// What has happened in a store, in the order of its happening.
struct store_event {
  enum class kind : unsigned char {
    put,       // created it with these bytes
    removed,   // it had been there
    missing,   // a get has not found it
    vacuumed,  // a vacuum of this client has come to its end
  };
  kind what = kind::put;
  std::uint32_t client = 0;
  std::string name;
  std::string bytes;
};

// A store of all that was ever put, as it was at first, which nothing removes.
class event_archive {
 public:
  explicit event_archive(const std::vector<store_event>& events) {
    for (const store_event& each : events)
      if (each.what == store_event::kind::put && !each.name.starts_with("_trunc_")) all_.emplace(each.name, each.bytes);
  }
  [[nodiscard]] result<std::string> get(std::string_view name) const {
    const auto found = all_.find(name);
    if (found == all_.end()) return error(errc::not_found, "was never put");
    return found->second;
  }

 private:
  std::map<std::string, std::string, std::less<>> all_;
};

namespace invariant_detail {

// The number after a prefix, -1 if the name is another.
[[nodiscard]] inline std::int64_t number_in(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() != prefix.size() + 20) return -1;
  return std::strtoll(std::string(name.substr(prefix.size())).c_str(), nullptr, 10);
}
// The id in the name of a data object; empty: it is another name.
[[nodiscard]] inline std::string id_in(std::string_view name) {
  return name.starts_with("_table_") && name.size() > 36 ? std::string(name.substr(name.size() - 36)) : std::string();
}
[[nodiscard]] inline std::int64_t birth_ms(const std::string& id) {
  uuid read;
  return parse_uuid(id, read) && has_birth(read) ? birth_of(read).ms : INT64_MAX;
}

// What must be kept, as of a version.
struct retained {
  std::int64_t head = -1;
  std::int64_t oldest = 0;
  std::int64_t horizon_ms = INT64_MIN;
  std::map<std::string, std::int64_t> tags;

  void move_to(std::int64_t at, const plain_state& state) {
    head = at;
    tags = state.tags;
    if (!state.entry.oldest_kept) return;
    oldest = std::max(oldest, *state.entry.oldest_kept);
    horizon_ms = std::max(horizon_ms, state.entry.horizon_ms);
  }
  [[nodiscard]] bool needs(const std::set<std::int64_t>& versions) const {
    const auto first = versions.lower_bound(oldest);
    if (first != versions.end() && *first <= head) return true;
    return std::any_of(tags.begin(), tags.end(), [&](const auto& tag) { return versions.contains(tag.second); });
  }
};

}  // namespace invariant_detail

// L1 to L3 and L5 to L7 of a store as it is.
template <class Store>
class store_invariants {
 public:
  explicit store_invariants(Store store)
      : store_(store), reader_(std::move(store)), told_(reader_.complaints().size()) {
    for (const std::string& each : reader_.complaints()) report(invariant::whole_entries, each);
    const auto listed = store_.list("", "", [&](std::string_view name) { names_.emplace(name); });
    if (!listed) report(invariant::contiguous_log, "the store cannot be listed");
    for (const auto& [at, state] : reader_.states()) kept_.move_to(at, state);
    check_log();
    check_truncation();
    check_checkpoints();
    check_versions();
  }

  [[nodiscard]] const std::vector<invariant_violation>& violations() const { return violations_; }

 private:
  void report(invariant which, const std::string& message) { violations_.push_back({which, message}); }
  // What the reader has complained of since.
  void report_complaints(invariant which) {
    for (; told_ < reader_.complaints().size(); ++told_) report(which, reader_.complaints()[told_]);
  }

  void check_log() {
    const std::int64_t head = reader_.states().empty() ? reader_.truncated() : reader_.states().rbegin()->first;
    for (const std::string& each : names_)
      if (const std::int64_t at = invariant_detail::number_in(each, "_log_"); at > head)
        report(invariant::contiguous_log, each + " is there, but version " + std::to_string(head + 1) + " is not");
  }

  void check_truncation() {
    std::int64_t expected = 0;
    for (const std::string& each : names_)
      if (const std::int64_t number = invariant_detail::number_in(each, "_trunc_"); number >= 0 && number != expected++)
        report(invariant::truncation_anchored, each + " is there without the one before");
    const std::vector<std::int64_t>& trusted = reader_.checkpoints_relied_on();
    const bool anchored = !reader_.states().empty() &&
                          std::find(trusted.begin(), trusted.end(), reader_.states().begin()->first) != trusted.end();
    if (reader_.truncated() >= 0 && !anchored)
      report(invariant::truncation_anchored, "no checkpoint of the last truncation can be read");
  }

  void check_checkpoints() {
    for (const std::string& each : names_) {
      const std::int64_t at = invariant_detail::number_in(each, "_checkpoint_");
      const auto replayed = reader_.states().find(at);
      if (at < 0 || at < reader_.truncated()) continue;
      plain_state said;
      if (!reader_.read_checkpoint(at, said)) report(invariant::true_checkpoints, each + " cannot be read");
      report_complaints(invariant::true_checkpoints);
      const bool same = replayed != reader_.states().end() && said.tables == replayed->second.tables &&
                        said.tags == replayed->second.tags;
      if (!same && at > first_state()) report(invariant::true_checkpoints, each + " is not what the log says");
    }
  }
  [[nodiscard]] std::int64_t first_state() const {
    return reader_.states().empty() ? -1 : reader_.states().begin()->first - (reader_.truncated() < 0 ? 1 : 0);
  }

  void check_versions() {
    std::set<std::int64_t> wanted;
    for (const auto& [at, state] : reader_.states())
      if (at >= kept_.oldest) wanted.insert(at);
    for (const auto& [tag, at] : kept_.tags) wanted.insert(at);
    for (const std::int64_t at : wanted) {
      plain_state tagged;
      const auto found = reader_.states().find(at);
      if (found == reader_.states().end() && !reader_.read_checkpoint(at, tagged))
        report(invariant::whole_objects, "the version of a tag cannot be read");
      const plain_state& state = found == reader_.states().end() ? tagged : found->second;
      for (const auto& [name, table] : state.tables) check_table(table);
    }
  }

  void check_table(const plain_table& table) {
    std::string seen = table.id;  // of what it is made: each combination once
    for (const plain_object& each : table.objects) seen += each.id + std::to_string(each.deleted.size());
    if (!checked_.insert(seen).second) return;
    (void)reader_.rows(table);
    report_complaints(invariant::whole_objects);
    const plain_object* before = nullptr;
    for (const plain_object& each : table.objects) {
      if (table.key.empty()) break;
      if (before != nullptr && before->bucket == each.bucket && !(before->order < each.order))
        report(invariant::ordered_blocks, table.name_of(each) + " is not in the order of the log");
      before = &each;
      if (!each.base.empty()) check_places(table, each);
    }
  }

  // Of a block, in the base that it names, if that is still there.
  void check_places(const plain_table& table, const plain_object& block) {
    const plain_object* const base = find_object(table, block.base);
    if (base == nullptr || !(base->inline_bytes || names_.contains(table.name_of(*base)))) return;
    if (!checked_.insert(block.id).second) return;
    std::vector<plain_row> keys;
    for (const plain_row& each : reader_.encoded_rows(table, *base)) keys.push_back(reader_.key_of(table, *base, each));
    for (const plain_row& each : reader_.encoded_rows(table, block)) {
      const auto* const place = each.size() < 2 ? nullptr : std::get_if<std::int64_t>(&each[1]);
      if (place == nullptr) continue;  // it has none
      const plain_row key = reader_.key_of(table, block, each);
      const auto found = std::lower_bound(keys.begin(), keys.end(), key);
      const std::int64_t index = found - keys.begin();
      if (*place != (found != keys.end() && *found == key ? index : -index - 1))
        report(invariant::ordered_blocks, table.name_of(block) + " has a wrong place in its base");
    }
  }
  // In whatever version; null: in none that was read.
  [[nodiscard]] const plain_object* find_object(const plain_table& table, const std::string& id) const {
    for (const auto& [at, state] : reader_.states())
      for (const auto& [name, each] : state.tables)
        for (const plain_object& object : each.objects)
          if (each.id == table.id && object.id == id) return &object;
    return nullptr;
  }

  Store store_;
  store_reader<Store> reader_;
  std::size_t told_;  // of the reader's complaints
  std::set<std::string> names_;
  invariant_detail::retained kept_;
  std::set<std::string> checked_;
  std::vector<invariant_violation> violations_;
};

// L4 and L8 to L10, of what has happened in a store from its beginning on. `tidy`: clients all of whose transactions
// have been committed: they leave nothing behind.
class event_invariants {
 public:
  explicit event_invariants(const std::vector<store_event>& events, std::set<std::uint32_t> tidy = {})
      : tidy_(std::move(tidy)), reader_(event_archive(events)) {
    for (const auto& [at, state] : reader_.states())
      for (const auto& [name, table] : state.tables)
        for (const plain_object& object : table.objects) needed_by_[object.id].insert(at);
    for (const store_event& each : events) follow(each);
    check_garbage();
  }

  [[nodiscard]] const std::vector<invariant_violation>& violations() const { return violations_; }
  // How many removals of objects, and looks in vain, were judged.
  [[nodiscard]] std::size_t judged() const { return judged_; }

 private:
  struct present_object {
    std::uint32_t client;
    std::size_t put;  // when
  };

  void report(invariant which, const std::string& message) { violations_.push_back({which, message}); }

  void follow(const store_event& event) {
    ++now_;
    const std::string id = invariant_detail::id_in(event.name);
    switch (event.what) {
      case store_event::kind::put: return put(event, id);
      case store_event::kind::removed:
        if (!id.empty()) removed(event, id);
        return;
      case store_event::kind::missing:
        judged_ += id.empty() ? 0U : 1U;
        if (!id.empty() && was_put_.contains(event.name) && is_needed(id))
          report(invariant::kept_objects, event.name + " was not found, and a retained version needs it");
        return;
      case store_event::kind::vacuumed:
        if (const auto begun = vacuums_.find(event.client); begun != vacuums_.end()) cleaned_ = begun->second;
        return;
    }
  }

  void put(const store_event& event, const std::string& id) {
    const auto [first, is_new] = was_put_.emplace(event.name, event.bytes);
    const std::int64_t slot = invariant_detail::number_in(event.name, "_log_");
    if (const std::int64_t marker = invariant_detail::number_in(event.name, "_trunc_"); marker >= 0) {
      plain_json_reader reader(event.bytes);
      truncated_ = std::max(truncated_, reader.read().integer("LastVersion"));
    }
    if (first->second != event.bytes && (slot < 0 || slot > truncated_))
      report(invariant::constant_bytes, event.name + " has other bytes than it had");
    if (!id.empty()) present_[event.name] = {event.client, now_};
    const auto state = reader_.states().find(slot);
    if (!is_new || state == reader_.states().end()) return;
    kept_.move_to(slot, state->second);
    if (state->second.entry.oldest_kept) vacuums_[event.client] = {now_, kept_};
  }

  [[nodiscard]] bool is_needed(const std::string& id) const { return is_needed(id, kept_); }
  [[nodiscard]] bool is_needed(const std::string& id, const invariant_detail::retained& kept) const {
    const auto found = needed_by_.find(id);
    return found != needed_by_.end() && kept.needs(found->second);
  }

  void removed(const store_event& event, const std::string& id) {
    ++judged_;
    present_.erase(event.name);
    if (is_needed(id)) report(invariant::careful_vacuum, event.name + " was removed, and a retained version needs it");
    if (!needed_by_.contains(id) && invariant_detail::birth_ms(id) > kept_.horizon_ms)
      report(invariant::careful_vacuum, event.name + " was removed, and may have been about to be committed");
  }

  void check_garbage() {
    for (const auto& [name, object] : present_) {
      const std::string id = invariant_detail::id_in(name);
      if (!needed_by_.contains(id) && tidy_.contains(object.client))
        report(invariant::collected_garbage, name + " is nobody's, and its client has committed all that it did");
      const bool old = object.put < cleaned_.begun && invariant_detail::birth_ms(id) <= cleaned_.kept.horizon_ms;
      // What another has given up since is for another to remove.
      if (old && !is_needed(id) && !is_needed(id, cleaned_.kept))
        report(invariant::collected_garbage, name + " should have gone with a vacuum");
    }
  }

  struct begun_vacuum {
    std::size_t begun = 0;  // when its entry was put
    invariant_detail::retained kept;
  };

  std::set<std::uint32_t> tidy_;
  store_reader<event_archive> reader_;
  std::map<std::string, std::set<std::int64_t>> needed_by_;  // by the ids of objects: the versions made of them
  std::size_t now_ = 0;
  std::size_t judged_ = 0;
  std::int64_t truncated_ = -1;
  invariant_detail::retained kept_;
  std::map<std::string, std::string> was_put_;
  std::map<std::string, present_object> present_;
  std::map<std::uint32_t, begun_vacuum> vacuums_;  // by client: the last
  begun_vacuum cleaned_;                           // the last that came to its end
  std::vector<invariant_violation> violations_;
};

}  // namespace tarn::inline TARN_ABI::testing
