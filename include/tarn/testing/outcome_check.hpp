// Whether the clients of a lake were told the truth about their commits, and whether what they read was new enough: the
// part of the check of a history that needs no model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "../core/uuid.hpp"
#include "hash.hpp"
#include "history.hpp"
#include "history_report.hpp"
#include "version_index.hpp"

namespace tarn::inline TARN_ABI::testing {

class outcome_check {
 public:
  outcome_check(const history& checked, history_findings& found) : all_(&checked), found_(&found) {}

  // Whose each version is, as far as it is anybody's.
  [[nodiscard]] version_index run() {
    assign_owners();
    order_by_snapshot();
    check_times();
    check_sessions();
    return std::move(versions_);
  }

 private:
  static constexpr std::uint32_t nobody = version_index::nobody;

  struct hash_of_uuid {
    [[nodiscard]] std::size_t operator()(const uuid& id) const noexcept {
      return static_cast<std::size_t>(mix(id.high, id.low));
    }
  };

  [[nodiscard]] const transaction_record& record(std::uint32_t number) const { return all_->transactions[number]; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all_->transactions.size()); }

  // --- who is in the log -------------------------------------------------------------------------------------------

  void assign_owners() {
    versions_.owners.assign(all_->log.size(), nobody);
    for (std::uint32_t each = 0; each < count(); ++each)
      if (record(each).claims_version()) assign_acknowledged(each);
    std::unordered_map<uuid, std::int64_t, hash_of_uuid> free;
    for (std::size_t at = 0; at < versions_.owners.size(); ++at) {
      if (versions_.owners[at] != nobody || all_->log[at].is_nil()) continue;
      const auto [other, is_new] = free.emplace(all_->log[at], static_cast<std::int64_t>(at));
      if (!is_new)
        found_->add(history_rule::once, anomaly::duplicate_commit, {},
                    concat({"versions ", other->second, " and ", at, " are both of ", to_text(all_->log[at])}));
    }
    if (!free.empty())
      for (std::uint32_t each = 0; each < count(); ++each)
        if (const auto found = free.find(record(each).id); found != free.end()) assign_other(each, found->second);
    find_strangers();
  }

  // Who may have landed, but nobody knows under which id, is given the first version that it may be and that is
  // nobody's: those that may be few versions choose before those that may be any.
  void find_strangers() {
    std::vector<std::pair<std::int64_t, std::int64_t>>
        unrecorded;  // the last version that it may be, the one before all
    for (const transaction_record& each : all_->transactions)
      if (each.id.is_nil() && each.outcome == commit_outcome::unknown)
        unrecorded.emplace_back(each.committed == no_version ? INT64_MAX : each.committed.number,
                                each.committed == no_version ? -1 : each.snapshot.number);
    std::sort(unrecorded.begin(), unrecorded.end());
    for (std::int64_t at = 0; at <= all_->head().number; ++at) {
      if (versions_.owner_of(at) != nobody) continue;
      const auto mine = std::find_if(unrecorded.begin(), unrecorded.end(),
                                     [&](const auto& each) { return each.second < at && at <= each.first; });
      if (mine == unrecorded.end())
        found_->add(history_rule::owners, anomaly::stranger, {},
                    concat({"version ", at, " is of ", to_text(all_->log[static_cast<std::size_t>(at)]),
                            ", which is nobody's"}));
      else
        unrecorded.erase(mine);
    }
  }

  void assign_acknowledged(std::uint32_t number) {
    const transaction_record& told = record(number);
    const auto at = static_cast<std::size_t>(told.committed.number);
    const bool there = at < versions_.owners.size();
    const bool other = there && !told.id.is_nil() && !all_->log[at].is_nil() && all_->log[at] != told.id;
    if (!there || other)
      return found_->add(history_rule::acknowledged, anomaly::false_acknowledgement, {number},
                         concat({all_->describe(number), " was told that it is version ", at, ", which is ",
                                 there ? concat({"of ", to_text(all_->log[at])}) : std::string("not in the log")}));
    if (versions_.owners[at] == nobody) {
      versions_.owners[at] = number;
      return;
    }
    found_->add(history_rule::once, anomaly::shared_slot, {number},
                concat({all_->describe(number), " and ", all_->describe(versions_.owners[at]),
                        " were both told that they are version ", at}));
  }

  // Of one whose id is in a slot that no acknowledgement speaks of.
  void assign_other(std::uint32_t number, std::int64_t at) {
    const transaction_record& told = record(number);
    versions_.owners[static_cast<std::size_t>(at)] = number;
    if (told.outcome == commit_outcome::unknown) return;
    if (told.outcome == commit_outcome::failed)
      return found_->add(history_rule::failed, anomaly::failed_commit, {number},
                         concat({all_->describe(number), " was told that it has failed, and is version ", at}));
    if (told.claims_version())
      return found_->add(history_rule::once, anomaly::duplicate_commit, {number},
                         concat({all_->describe(number), " was told that it is version ", told.committed.number,
                                 ", and is version ", at}));
    found_->add(history_rule::acknowledged, anomaly::false_acknowledgement, {number},
                concat({all_->describe(number), " was told that it has written nothing, and is version ", at}));
  }

  // --- when --------------------------------------------------------------------------------------------------------

  void order_by_snapshot() {
    const auto is_there = [&](std::uint32_t number) {
      return !record(number).given_up && record(number).snapshot <= all_->head();
    };
    for (std::uint32_t each = 0; each < count(); ++each)
      if (!is_there(each) && !record(each).given_up)
        found_->add(
            history_rule::reads, anomaly::future_read, {each},
            concat({all_->describe(each), " has read version ", record(each).snapshot.number, ", which is not there"}));
    versions_.order_by_snapshot(*all_, is_there);
  }

  // How many of the first `limit` transactions had ended before `time`. They are in the order of their ends, and most
  // of them had.
  template <class End>
  [[nodiscard]] static std::size_t ended_before(std::uint64_t time, std::size_t limit, End end_of) {
    std::size_t step = 1, last = limit;  // all from `last` on ended later
    while (last > 0 && end_of(last - 1) >= time) {
      std::size_t next = last > step ? last - step : 0;
      if (end_of(next) < time) {
        while (next + 1 < last) {
          const std::size_t middle = next + (last - next) / 2;
          (end_of(middle) < time ? next : last) = middle;
        }
        return last;
      }
      last = next;
      step *= 2;
    }
    return last;
  }

  void check_times() {
    std::vector<std::int32_t> acknowledged(count());  // the newest version among those that ended up to this one
    std::int32_t newest = -1;
    for (std::uint32_t each = 0; each < count(); ++each) {
      const transaction_record& now = record(each);
      const std::size_t before =
          ended_before(now.begin, each, [&](std::size_t at) { return all_->transactions[at].end; });
      const std::int64_t known = before == 0 ? -1 : acknowledged[before - 1];
      if (now.reads_newest() && now.snapshot.number < known)
        found_->add(history_rule::fresh, anomaly::stale_snapshot, {each},
                    concat({all_->describe(each), " has read version ", now.snapshot.number, ", when version ", known,
                            " had been acknowledged"}));
      if (now.given_up) check_given_up(each);
      if (now.claims_version()) newest = std::max(newest, static_cast<std::int32_t>(now.committed.number));
      acknowledged[each] = newest;
    }
  }

  void check_given_up(std::uint32_t number) {
    const transaction_record& audit = record(number);
    const auto is_there = [&](const uuid& id) {
      return id.is_nil() || std::find(all_->log.begin(), all_->log.end(), id) != all_->log.end();
    };
    const auto allows = [&](const given_up_versions& each) {
      return each.begin < audit.end && audit.snapshot < each.oldest && is_there(each.transaction);
    };
    if (!std::any_of(all_->given_up.begin(), all_->given_up.end(), allows))
      found_->add(history_rule::kept, anomaly::lost_version, {number},
                  concat({all_->describe(number), " could not read version ", audit.snapshot.number,
                          ", which nobody gave up"}));
  }

  void check_sessions() {
    struct ended {
      std::uint64_t end;
      std::int64_t newest;  // that one of the session's transactions up to this one has read or made
    };
    std::unordered_map<std::uint32_t, std::vector<ended>> sessions;
    for (std::uint32_t each = 0; each < count(); ++each) {
      const transaction_record& now = record(each);
      if (!now.reads_newest()) continue;
      std::vector<ended>& before = sessions[now.session];
      const std::size_t known = ended_before(now.begin, before.size(), [&](std::size_t at) { return before[at].end; });
      const std::int64_t newest = known == 0 ? -1 : before[known - 1].newest;
      if (now.snapshot.number < newest)
        found_->add(history_rule::sessions, anomaly::session_order, {each},
                    concat({all_->describe(each), " has read version ", now.snapshot.number, ", when its session ",
                            now.session, " had seen version ", newest}));
      std::int64_t seen = std::max(now.snapshot.number, before.empty() ? -1 : before.back().newest);
      if (now.claims_version()) seen = std::max(seen, now.committed.number);
      before.push_back({now.end, seen});
    }
  }

  const history* all_;
  history_findings* found_;
  version_index versions_;
};

}  // namespace tarn::inline TARN_ABI::testing
