// Cycles in a directed graph: its strongly connected components (Tarjan 1972, without recursion), and the shortest
// cycle through one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../core/config.hpp"

namespace tarn::inline TARN_ABI::testing {

// From one transaction to another that depends on it.
enum class dependency : unsigned char {
  write_write,  // has written over what it wrote
  write_read,   // has read what it wrote
  read_write,   // has written over what it read
  scan_write,   // has written what its scan would have found
};
[[nodiscard]] constexpr bool is_antidependency(dependency kind) noexcept { return kind >= dependency::read_write; }

struct dependency_edge {
  std::uint32_t from;
  std::uint32_t to;
  dependency kind;
};

class cycle_search {
 public:
  // Of the graph with `nodes` nodes, numbered from 0, and those of the edges that are `wanted(edge)`.
  template <class Wanted>
  cycle_search(std::size_t nodes, const std::vector<dependency_edge>& edges, Wanted wanted) : first_(nodes + 1) {
    for (const dependency_edge& each : edges)
      if (wanted(each)) ++first_[each.from + 1];
    for (std::size_t node = 0; node < nodes; ++node) first_[node + 1] += first_[node];
    edges_.resize(first_[nodes]);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const dependency_edge& each : edges)
      if (wanted(each)) edges_[next[each.from]++] = each;
    find_components();
  }

  // Those of more than one node.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& components() const { return components_; }

  // One that leads through the first node of a component.
  [[nodiscard]] std::vector<dependency_edge> shortest_cycle(const std::vector<std::uint32_t>& component) const {
    return shortest_path(component.front(), component.front());
  }

  // Of at least one edge; empty: there is none.
  [[nodiscard]] std::vector<dependency_edge> shortest_path(std::uint32_t from, std::uint32_t to) const {
    std::vector<const dependency_edge*> by(first_.size() - 1, nullptr);  // that each node was first reached by
    std::vector<std::uint32_t> reached{from};
    for (std::size_t at = 0; at < reached.size() && by[to] == nullptr; ++at)
      for (std::size_t edge = first_[reached[at]]; edge < first_[reached[at] + 1]; ++edge) {
        const dependency_edge& each = edges_[edge];
        if (by[each.to] != nullptr) continue;
        by[each.to] = &each;
        if (each.to != from) reached.push_back(each.to);
      }
    std::vector<dependency_edge> path;
    if (by[to] == nullptr) return path;
    std::uint32_t node = to;
    do {
      path.push_back(*by[node]);
      node = by[node]->from;
    } while (node != from);
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  static constexpr std::uint32_t unseen = UINT32_MAX;

  struct visit {
    std::uint32_t node;
    std::size_t edge;  // the next to follow
  };

  void find_components() {
    const std::size_t nodes = first_.size() - 1;
    std::vector<std::uint32_t> number(nodes, unseen), lowest(nodes, 0);
    std::vector<bool> waiting(nodes, false);
    std::vector<std::uint32_t> stack;
    std::vector<visit> path;
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t node) {
      number[node] = lowest[node] = count++;
      stack.push_back(node);
      waiting[node] = true;
      path.push_back({node, first_[node]});
    };
    const auto leave = [&](std::uint32_t node) {
      path.pop_back();
      if (!path.empty()) lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
      if (lowest[node] != number[node]) return;
      const auto begin = std::find(stack.rbegin(), stack.rend(), node).base() - 1;
      for (auto each = begin; each != stack.end(); ++each) waiting[*each] = false;
      if (stack.end() - begin > 1) components_.emplace_back(begin, stack.end());
      stack.erase(begin, stack.end());
    };
    for (std::uint32_t root = 0; root < nodes; ++root) {
      if (number[root] == unseen) enter(root);
      while (!path.empty()) {
        visit& here = path.back();
        if (here.edge == first_[here.node + 1]) {
          leave(here.node);
          continue;
        }
        const std::uint32_t to = edges_[here.edge++].to;
        if (number[to] == unseen)
          enter(to);
        else if (waiting[to])
          lowest[here.node] = std::min(lowest[here.node], number[to]);
      }
    }
  }

  std::vector<std::size_t> first_;  // of each node: its first edge in
  std::vector<dependency_edge> edges_;
  std::vector<std::vector<std::uint32_t>> components_;
};

}  // namespace tarn::inline TARN_ABI::testing
