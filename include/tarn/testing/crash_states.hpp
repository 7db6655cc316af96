// What a loss of power may leave on the medium, at every moment of a trace (as ALICE does: Pillai and others, "All File
// Systems Are Not Created Equal", 2014): every combination of what may have got there of each open write and of each
// name. Of a torn write some cases stand for all: its first byte, its first half, all up to the last block of the
// medium that it begins, and all but one byte.
//
//   create _tmp_1 ── write ── fsync ── link x ── fsync folder ── unlink _tmp_1
//                 |        |        |         |              |               |
//   _tmp_1        ?        ?        ?         ?            there             ?      ? there or not
//     its bytes   -       0 ½ 1     1         1              1               1      0 none, ½ torn, 1 whole
//   x             -        -        -         ?            there           there
//
//   fsync of a file     makes its bytes durable, and none of its names
//   fsync of a folder   makes the names in it durable, and nothing of what they name; a new folder's own name is in its
//                       parent
//
// So the states at one moment are the product of what is open: each write, and each name that has changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "random_source.hpp"
#include "simulated_disk.hpp"
#include "simulated_machine.hpp"

namespace tarn::inline TARN_ABI::testing {

// What a file system promises.
struct crash_model {
  // Changes of names reach the medium in the order in which they were made, in all folders together, and any fsync
  // takes all of them there (a journal, of which more is written than need be); else any subset of those that are not
  // synced may have.
  bool names_in_order = false;
  // A file may have grown before its bytes were written, and show zeros.
  bool grows_first = true;
  // After an fsync that failed, what it should have written is in doubt for good; else the next fsync writes it.
  bool failed_sync_gives_up = false;
};

inline constexpr crash_model weakest_posix{};
inline constexpr crash_model ordered_like_ext4{.names_in_order = true, .grows_first = false};
inline constexpr crash_model failed_sync_gives_up_pages{.failed_sync_gives_up = true};

struct crash_options {
  crash_model model = weakest_posix;
  // If one moment has more states than this, so many are tried: those that lack, or have, one or two of the open
  // changes, then others at random. The report says how often.
  std::size_t states_per_moment_max = 4'096;
  std::uint64_t seed = 1;
  // Moments before the call of the trace with this index are left out: for whoever tries them in another run.
  std::size_t from_call = 0;
};

// Given to the visitor; the disk is its to copy.
struct crash_state {
  const simulated_disk& disk;
  std::uint64_t hash = 0;  // of the disk
  std::size_t calls = 0;   // the first so many of the trace were made
  std::size_t marks = 0;   // and so many of them were marks
};

struct crash_report {
  std::uint64_t moments = 0;
  std::uint64_t moments_cut = 0;  // at which not all states were tried
  std::uint64_t combinations = 0;
  std::uint64_t distinct = 0;  // disks
  std::uint64_t visited = 0;   // pairs of a disk and a number of marks
};

// What is durable, and what else may be, after a part of a trace.
class crash_medium {
 public:
  using node_number = simulated_disk::node_number;

  crash_medium(simulated_disk initial, const crash_model& model) : model_(model), durable_(std::move(initial)) {}

  // Whether the call has changed anything.
  bool apply(const traced_call& made) {
    if (made.gave_up_pages && model_.failed_sync_gives_up) give_up(made);
    if (!made.took_effect) return false;
    switch (made.call) {
      case system_call::make_folder:
        (void)durable_.add_folder(made.folder);  // no name leads there yet
        change_name(made.folder, made.name, made.node);
        return true;
      case system_call::create_file:
        (void)durable_.add_file();
        change_name(made.folder, made.name, made.node);
        return true;
      case system_call::create_unnamed: (void)durable_.add_file(); return true;
      case system_call::link_unnamed: change_name(made.folder, made.name, made.node); return true;
      case system_call::link: change_name(made.folder, made.new_name, made.node); return true;
      case system_call::rename_new: rename(made); return true;
      case system_call::unlink: change_name(made.folder, made.name, simulated_disk::none); return true;
      case system_call::write: writes_.push_back({made.node, made.offset, made.written}); return true;
      case system_call::sync_file: sync_file(made.node); return true;
      case system_call::sync_folder: sync_folder(made.folder); return true;
      default: return false;
    }
  }

  // What is open, one by one: in how many ways each may turn out. Way 0 is that nothing of it is on the medium, the
  // last one that all of it is.
  [[nodiscard]] std::vector<std::size_t> ways() const {
    std::vector<std::size_t> all;
    if (model_.names_in_order) all.push_back(names_.size() + 1);
    if (!model_.names_in_order)
      for (const auto& each : open_names_) all.push_back(each.second.size() + 1);
    for (const file_write& each : writes_) all.push_back(torn_sizes(each).size() + (model_.grows_first ? 3 : 2));
    return all;
  }

  // The disk if each turns out as chosen.
  [[nodiscard]] simulated_disk disk(const std::vector<std::size_t>& chosen) const {
    simulated_disk after = durable_;
    auto choice = chosen.begin();
    if (model_.names_in_order) {
      const auto count = static_cast<std::ptrdiff_t>(*choice++);
      std::for_each(names_.begin(), names_.begin() + count, [&](const name_change& each) { set(after, each); });
    } else {
      for (const auto& each : open_names_)
        if (const std::size_t count = *choice++; count != 0) set(after, each.second[count - 1]);
    }
    for (const file_write& each : writes_) apply_write(after, each, *choice++);
    return after;
  }

 private:
  static constexpr std::size_t block_bytes = 512;  // what a disk writes whole or not at all

  struct name_change {
    node_number folder = 0;
    std::string name;
    node_number target = simulated_disk::none;
    std::string goes_away = {};  // another name, at the same time; empty: none
    bool given_up = false;
  };
  struct file_write {
    node_number file = 0;
    std::size_t offset = 0;
    std::string bytes;
    bool given_up = false;
  };

  // Nothing, as much as each of these, half of it and zeros, if files grow first, and all of it: the ways of a write.
  [[nodiscard]] static std::vector<std::size_t> torn_sizes(const file_write& written) {
    const std::size_t size = written.bytes.size(), end = written.offset + size;
    const std::size_t blocks_end = end == 0 ? 0 : (end - 1) / block_bytes * block_bytes;
    std::vector<std::size_t> sizes{1, size / 2, size < 1 ? 0 : size - 1};
    if (blocks_end > written.offset) sizes.push_back(blocks_end - written.offset);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::erase_if(sizes, [&](std::size_t each) { return each == 0 || each >= size; });
    return sizes;
  }

  static void set(simulated_disk& disk, const name_change& change) {
    disk.set_name(change.folder, change.name, change.target);
    if (!change.goes_away.empty()) disk.set_name(change.folder, change.goes_away, simulated_disk::none);
  }

  void change_name(node_number folder, const std::string& name, node_number target) {
    if (model_.names_in_order)
      names_.push_back({folder, name, target});
    else
      open_names_[{folder, name}].push_back({folder, name, target});
  }

  // One change in a journal; else two that have nothing to do with each other.
  void rename(const traced_call& made) {
    if (model_.names_in_order) {
      names_.push_back({made.folder, made.new_name, made.node, made.name});
    } else {
      change_name(made.folder, made.name, simulated_disk::none);
      change_name(made.folder, made.new_name, made.node);
    }
  }

  void apply_write(simulated_disk& disk, const file_write& written, std::size_t way) const {
    if (way == 0) return;
    file_content& content = disk.at(written.file).content;
    const std::vector<std::size_t> torn = torn_sizes(written);
    const bool only_grown = model_.grows_first && way == torn.size() + 1;
    const std::size_t size = way <= torn.size() ? torn[way - 1] : only_grown ? written.bytes.size() / 2 : SIZE_MAX;
    if (only_grown) content = content.with(written.offset, std::string(written.bytes.size(), '\0'));
    content = content.with(written.offset, std::string_view(written.bytes).substr(0, size));
  }

  void sync_file(node_number file) {
    std::vector<file_write> open;
    for (file_write& each : writes_)
      if (each.file == file && !each.given_up)
        durable_.at(file).content = durable_.at(file).content.with(each.offset, each.bytes);
      else
        open.push_back(std::move(each));
    writes_ = std::move(open);
    if (model_.names_in_order) sync_journal();
  }
  void sync_folder(node_number folder) {
    if (model_.names_in_order) return sync_journal();
    auto each = open_names_.lower_bound({folder, std::string()});
    while (each != open_names_.end() && each->first.first == folder) {
      const name_change& last = each->second.back();
      if (last.given_up) {
        ++each;
        continue;
      }
      set(durable_, last);
      each = open_names_.erase(each);
    }
  }
  void sync_journal() {
    for (const name_change& each : names_) set(durable_, each);
    names_.clear();
  }

  void give_up(const traced_call& failed) {
    for (file_write& each : writes_) each.given_up = each.given_up || each.file == failed.node;
    for (auto& [name, changes] : open_names_)
      if (name.first == failed.folder)
        for (name_change& each : changes) each.given_up = true;
  }

  crash_model model_;
  simulated_disk durable_;
  std::vector<file_write> writes_;                                                      // not durable, in order
  std::vector<name_change> names_;                                                      // the same, with a journal
  std::map<std::pair<node_number, std::string>, std::vector<name_change>> open_names_;  // and without
};

namespace crash_detail {

[[nodiscard]] inline std::size_t product_up_to(const std::vector<std::size_t>& ways, std::size_t bound) {
  std::size_t product = 1;
  for (const std::size_t each : ways) {
    if (product > bound / each) return bound + 1;
    product *= each;
  }
  return product;
}

// Calls try_one(chosen) for every combination.
template <class Try>
void try_all(const std::vector<std::size_t>& ways, Try try_one) {
  std::vector<std::size_t> chosen(ways.size(), 0);
  for (std::size_t at = 0; at < ways.size() + 1;) {
    try_one(std::as_const(chosen));
    for (at = 0; at < ways.size() && ++chosen[at] == ways[at]; ++at) chosen[at] = 0;
    if (at == ways.size()) return;
  }
}

// For so many: from nothing and from everything, with up to two changes that turn out otherwise; then at random.
template <class Try>
void try_some(const std::vector<std::size_t>& ways, std::size_t count, random_source& random, Try try_one) {
  std::size_t tried = 0;
  const auto attempt = [&](const std::vector<std::size_t>& chosen) {
    if (tried++ < count) try_one(chosen);
  };
  std::vector<std::size_t> nothing(ways.size(), 0);
  std::vector<std::size_t> everything(ways);
  for (std::size_t& each : everything) --each;
  for (const std::vector<std::size_t>& corner : {nothing, everything}) {
    attempt(corner);
    std::vector<std::size_t> chosen = corner;
    for (std::size_t first = 0; first < ways.size() && tried < count; ++first) {
      for (chosen[first] = 0; chosen[first] < ways[first]; ++chosen[first]) {
        attempt(chosen);
        for (std::size_t second = 0; second < first && tried < count / 2; ++second) {
          chosen[second] = ways[second] - 1 - corner[second];
          attempt(chosen);
          chosen[second] = corner[second];
        }
      }
      chosen[first] = corner[first];
    }
  }
  std::vector<std::size_t> chosen(ways.size());
  while (tried < count) {  // NOLINT(bugprone-infinite-loop): each attempt counts
    for (std::size_t at = 0; at < ways.size(); ++at) chosen[at] = random.below(ways[at]);
    attempt(chosen);
  }
}

}  // namespace crash_detail

// Calls visit(const crash_state&) for every state that a loss of power may leave, between any two calls of the trace
// and after the last, once for each disk and number of marks, until it returns false. Cost: a copy of the disk, without
// the bytes of files, for each combination; 16 bytes for each state.
template <class Visitor>
crash_report for_each_crash_state(const simulated_disk& initial, const std::vector<traced_call>& trace,
                                  const crash_options& options, Visitor visit) {
  crash_report report;
  crash_medium medium(initial, options.model);
  random_source random(options.seed);
  std::unordered_set<std::uint64_t> disks;
  std::unordered_set<std::uint64_t> visited;
  std::size_t marks = 0;
  bool goes_on = true;
  const auto try_moment = [&](std::size_t calls) {
    const auto try_one = [&](const std::vector<std::size_t>& chosen) {
      if (!goes_on) return;
      ++report.combinations;
      const simulated_disk disk = medium.disk(chosen);
      const std::uint64_t hash = disk.hash();
      if (disks.insert(hash).second) ++report.distinct;
      if (!visited.insert(random_source(hash + marks).next()).second) return;
      ++report.visited;
      goes_on = visit(crash_state{disk, hash, calls, marks});
    };
    ++report.moments;
    const std::vector<std::size_t> ways = medium.ways();
    if (crash_detail::product_up_to(ways, options.states_per_moment_max) <= options.states_per_moment_max)
      return crash_detail::try_all(ways, try_one);
    ++report.moments_cut;
    crash_detail::try_some(ways, options.states_per_moment_max, random, try_one);
  };
  if (options.from_call == 0) try_moment(0);
  for (std::size_t at = 0; at < trace.size() && goes_on; ++at) {
    const bool is_mark = trace[at].call == system_call::mark;
    if (is_mark) ++marks;
    const bool changed = medium.apply(trace[at]);
    if ((changed || is_mark) && at >= options.from_call) try_moment(at + 1);
  }
  return report;
}

}  // namespace tarn::inline TARN_ABI::testing
