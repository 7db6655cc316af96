// Cycles among the dependencies of transactions (Adya 1999): T depends on U if it has written over what U wrote (ww),
// has read it (wr), or if U has written over what... the other way round: U has read what T then wrote over (rw, an
// antidependency). Without a cycle there is an order in which the transactions could have run one after the other.
//
// In the order of the log every dependency points forward, but antidependencies of transactions that read what others
// changed before they were committed. So a cycle lies within the versions that such a one spans, from its snapshot to
// its commit, or several that overlap: only there is it searched for, and mostly there is no such place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "cycle_search.hpp"
#include "history.hpp"
#include "history_report.hpp"
#include "version_index.hpp"

namespace tarn::inline TARN_ABI::testing {

// From version `first` to version `last`.
struct version_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct dependency_cycle {
  anomaly what = anomaly::none;
  std::vector<std::uint32_t> transactions;  // each depends on the one before, and the first on the last
  bool permitted = false;                   // by the levels that its transactions asked for
};

// What depends on what among the transactions that have made, or only read, the versions of a range.
class dependency_graph {
 public:
  dependency_graph(const history& all, const version_index& versions, version_range range)
      : all_(&all), versions_(&versions), range_(range) {
    for (std::int64_t at = range.first; at <= range.last; ++at) {
      if (const std::uint32_t owner = versions.owner_of(at); owner != version_index::nobody) add_node(owner, at);
      for (const std::uint32_t each : versions.readers_of(at)) {
        const transaction_record& reader = all.transactions[each];
        if (reader.outcome == commit_outcome::acknowledged && reader.committed <= reader.snapshot) add_node(each, at);
      }
    }
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) add_writes(node);
    for (auto& [key, chain] : chains_)
      for (std::size_t at = 1; at < chain.size(); ++at)
        add_edge(chain[at - 1].node, chain[at].node, dependency::write_write);
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) add_reads(node);
  }

  [[nodiscard]] std::vector<dependency_cycle> find_cycles() {
    const std::size_t count = nodes_.size();
    const cycle_search whole(count, edges_, [](const dependency_edge&) { return true; });
    if (whole.components().empty()) return {};
    const auto binds = [&](const dependency_edge& each) {
      return !is_antidependency(each.kind) || level_of(each.from) == isolation::serializable;
    };
    const cycle_search binding(count, edges_, binds);
    std::vector<dependency_cycle> found;
    std::set<std::uint32_t> told;
    for (const auto& component : binding.components()) add_cycle(found, told, binding.shortest_cycle(component), false);
    add_single_antidependencies(found, told);
    for (const auto& component : whole.components())
      if (std::none_of(component.begin(), component.end(), [&](std::uint32_t node) { return told.contains(node); }))
        add_cycle(found, told, whole.shortest_cycle(component), true);
    return found;
  }

 private:
  struct graph_node {
    std::uint32_t transaction;
    std::int64_t at;  // the version that it has made, or read
  };
  // What a transaction has made of a key in the end.
  struct written_key {
    std::uint32_t node;
    row_token row;
  };
  // A table that is dropped, created or restored is another one from then on.
  struct table_and_key {
    std::uint32_t table;
    std::size_t redefinitions;  // within the range
    std::uint64_t key;
    friend auto operator<=>(const table_and_key&, const table_and_key&) = default;
  };
  using writes_of_key = std::vector<written_key>;  // in the order of the log

  static constexpr std::uint64_t definition = UINT64_MAX;  // the key for what a table is

  void add_node(std::uint32_t transaction, std::int64_t at) {
    if (all_->transactions[transaction].purpose != purpose::housekeeping) nodes_.push_back({transaction, at});
  }
  [[nodiscard]] const transaction_record& record(std::uint32_t node) const {
    return all_->transactions[nodes_[node].transaction];
  }
  [[nodiscard]] isolation level_of(std::uint32_t node) const { return record(node).level; }

  void add_edge(std::uint32_t from, std::uint32_t to, dependency kind) {
    if (from != to) edges_.push_back({from, to, kind});
  }

  void add_writes(std::uint32_t node) {
    const transaction_record& mine = record(node);
    if (versions_->owner_of(nodes_[node].at) != nodes_[node].transaction) return;
    const auto done = all_->operations_of(mine);
    for (std::size_t at = 0; at < done.size(); ++at) {
      if (done[at].kind == operation_kind::create_table || done[at].kind == operation_kind::drop_table)
        redefine(node, done[at].table);
      const bool writes_key = is_write(done[at].kind) && done[at].kind < operation_kind::create_table;
      if (!writes_key || versions_->idle.contains(mine.first_operation + at)) continue;
      writes_of_key& of = chains_[{done[at].table, definition_of(done[at].table).size(), done[at].key}];
      if (of.empty() || of.back().node != node) of.push_back({node, 0});
      of.back().row = done[at].row;
    }
    const auto [first, last] = versions_->restored.equal_range(nodes_[node].at);
    for (auto each = first; each != last; ++each) redefine(node, each->second);
  }
  // What the node itself has written to the table before is not there any more.
  void redefine(std::uint32_t node, std::uint32_t table) {
    const std::size_t redefinitions = definition_of(table).size();
    for (auto each = chains_.lower_bound({table, redefinitions, 0});
         each != chains_.end() && each->first.table == table && each->first.redefinitions == redefinitions; ++each)
      if (each->first.key != definition && !each->second.empty() && each->second.back().node == node)
        each->second.pop_back();
    writes_of_key& of = chains_[{table, 0, definition}];
    if (of.empty() || of.back().node != node) of.push_back({node, 0});
  }

  [[nodiscard]] const writes_of_key& writes_of(const table_and_key& which) const {
    static const writes_of_key none;
    const auto found = chains_.find(which);
    return found == chains_.end() ? none : found->second;
  }
  [[nodiscard]] const writes_of_key& definition_of(std::uint32_t table) const {
    return writes_of({table, 0, definition});
  }
  // The key as the snapshot of a node has it.
  [[nodiscard]] table_and_key seen_by(std::uint32_t node, std::uint32_t table, std::uint64_t key) const {
    return {table, count_until(definition_of(table), record(node).snapshot.number), key};
  }
  [[nodiscard]] std::size_t count_until(const writes_of_key& of, std::int64_t snapshot) const {
    std::size_t count = 0;
    while (count < of.size() && nodes_[of[count].node].at <= snapshot) ++count;
    return count;
  }

  void add_reads(std::uint32_t node) {
    const auto done = all_->operations_of(record(node));
    std::set<std::pair<std::uint32_t, std::uint64_t>> own;  // keys, and tables, that it has written before
    for (std::size_t at = 0; at < done.size(); ++at) {
      const recorded_operation& each = done[at];
      add_definition(node, each);
      const bool redefines = each.kind == operation_kind::create_table || each.kind == operation_kind::drop_table;
      if (is_write(each.kind)) own.insert({each.table, redefines ? definition : each.key});
      if (own.contains({each.table, definition})) continue;
      if (each.kind == operation_kind::scan) add_scan(node, done.subspan(at), own);
      const bool reads_key = each.kind <= operation_kind::update_absent;
      if (reads_key && !own.contains({each.table, each.key})) add_read(node, each, dependency::read_write);
    }
  }

  void add_definition(std::uint32_t node, const recorded_operation& done) {
    if (done.kind == operation_kind::restore) return;
    if (done.kind != operation_kind::list_tables)
      return add_version(node, definition_of(done.table), dependency::read_write);
    for (const auto& [which, of] : chains_)
      if (which.key == definition) add_version(node, of, dependency::scan_write);
  }

  // Of a read that has seen what the snapshot has.
  void add_version(std::uint32_t node, const writes_of_key& of, dependency before) {
    add_between(node, of, count_until(of, record(node).snapshot.number), before);
  }
  // Of a read that has seen what was there before the `next` of these writes.
  void add_between(std::uint32_t node, const writes_of_key& of, std::size_t next, dependency before) {
    if (next > 0) add_edge(of[next - 1].node, node, dependency::write_read);
    if (next < of.size()) add_edge(node, of[next].node, before);
  }

  // Of a read that has seen one row: who has written that, whatever the snapshot should have.
  void add_read(std::uint32_t node, const recorded_operation& read, dependency before) {
    const writes_of_key& of = writes_of(seen_by(node, read.table, read.key));
    const auto is_seen = [&](const written_key& each) { return each.row == read.seen; };
    const bool absent = read.seen == 0;
    if (absent && read.kind != operation_kind::look_up) return add_version(node, of, before);
    std::size_t next = of.size();
    if (absent)
      while (next > 0 && (of[next - 1].row != 0 || nodes_[of[next - 1].node].at > record(node).snapshot.number)) --next;
    else
      next = static_cast<std::size_t>(std::find_if(of.begin(), of.end(), is_seen) - of.begin()) + 1;
    if (next > of.size()) next = 0;  // written before the range
    add_between(node, of, next, before);
  }

  // Of a scan: the rows that it has found are read; others that it should have found, or would have, were not there.
  void add_scan(std::uint32_t node, std::span<const recorded_operation> scan,
                const std::set<std::pair<std::uint32_t, std::uint64_t>>& own) {
    std::set<std::uint64_t> found;
    for (std::size_t at = 1; at < scan.size() && scan[at].kind == operation_kind::found; ++at) {
      found.insert(scan[at].key);
      if (!own.contains({scan[at].table, scan[at].key})) add_read(node, scan[at], dependency::scan_write);
    }
    const table_and_key first = seen_by(node, scan[0].table, 0);
    for (auto each = chains_.lower_bound(first);
         each != chains_.end() && each->first.table == first.table && each->first.redefinitions == first.redefinitions;
         ++each) {
      const std::uint64_t key = each->first.key;
      if (key != definition && !found.contains(key) && !own.contains({first.table, key}))
        add_absence(node, scan[0].key, each->second);
    }
  }
  void add_absence(std::uint32_t node, std::uint64_t predicate, const writes_of_key& of) {
    const auto matches = [&](row_token row) { return row != 0 && all_->holds(predicate, row); };
    const std::int64_t snapshot = record(node).snapshot.number;
    row_token before = 0;
    for (const written_key& each : of) {
      const bool last = &each == &of.back() || nodes_[(&each + 1)->node].at > snapshot;
      if (nodes_[each.node].at > snapshot || last) {
        if (matches(each.row))
          add_edge(node, each.node, dependency::scan_write);
        else if (nodes_[each.node].at <= snapshot && (predicate == 0 || matches(before)))
          add_edge(each.node, node, dependency::write_read);
      }
      before = each.row;
    }
  }

  // A cycle with one antidependency is forbidden to level `snapshot` as well.
  void add_single_antidependencies(std::vector<dependency_cycle>& found, std::set<std::uint32_t>& told) {
    const cycle_search others(nodes_.size(), edges_,
                              [](const dependency_edge& each) { return !is_antidependency(each.kind); });
    for (const dependency_edge& each : edges_) {
      if (!is_antidependency(each.kind) || level_of(each.from) != isolation::snapshot || each.to > each.from) continue;
      if (told.contains(each.from)) continue;
      std::vector<dependency_edge> cycle = others.shortest_path(each.to, each.from);
      if (cycle.empty()) continue;
      cycle.push_back(each);
      add_cycle(found, told, cycle, false);
    }
  }

  void add_cycle(std::vector<dependency_cycle>& found, std::set<std::uint32_t>& told,
                 const std::vector<dependency_edge>& edges, bool permitted) {
    dependency_cycle made{kind_of(edges), {}, permitted};
    for (const dependency_edge& each : edges) {
      made.transactions.push_back(nodes_[each.from].transaction);
      told.insert(each.from);
    }
    found.push_back(std::move(made));
  }

  [[nodiscard]] static anomaly kind_of(const std::vector<dependency_edge>& cycle) {
    const auto count = [&](dependency kind) {
      return std::count_if(cycle.begin(), cycle.end(), [&](const dependency_edge& each) { return each.kind == kind; });
    };
    const auto items = count(dependency::read_write), scans = count(dependency::scan_write);
    if (items + scans == 0)
      return count(dependency::write_read) == 0 ? anomaly::write_cycle : anomaly::circular_information;
    if (items + scans == 1) return anomaly::single_antidependency;
    return scans == 0 ? anomaly::item_antidependency : anomaly::antidependency;
  }

  const history* all_;
  const version_index* versions_;
  version_range range_;
  std::vector<graph_node> nodes_;  // in the order of the log
  std::map<table_and_key, writes_of_key> chains_;
  std::vector<dependency_edge> edges_;
};

// In each of the ranges, which may overlap.
[[nodiscard]] inline std::vector<dependency_cycle> find_dependency_cycles(const history& all,
                                                                          const version_index& versions,
                                                                          std::vector<version_range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const version_range& a, const version_range& b) { return a.first < b.first; });
  std::vector<dependency_cycle> found;
  for (std::size_t at = 0; at < ranges.size();) {
    version_range whole = ranges[at];
    for (++at; at < ranges.size() && ranges[at].first <= whole.last; ++at)
      whole.last = std::max(whole.last, ranges[at].last);
    for (dependency_cycle& each : dependency_graph(all, versions, whole).find_cycles())
      found.push_back(std::move(each));
  }
  return found;
}

}  // namespace tarn::inline TARN_ABI::testing
