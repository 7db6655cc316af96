// What the clients of a simulated file system have in common: the disk, a trace of every call, the faults that are
// planned, a clock and random numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/config.hpp"
#include "../core/strong_types.hpp"
#include "../core/text.hpp"
#include "directory_fault.hpp"
#include "fault.hpp"
#include "random_source.hpp"
#include "simulated_disk.hpp"

namespace tarn::inline TARN_ABI::testing {

// One call, with all that it has changed.
struct traced_call {
  system_call call = system_call::mark;
  std::size_t client = 0;
  simulated_disk::node_number folder = simulated_disk::none;  // in which names were changed, or that was synced
  simulated_disk::node_number node = simulated_disk::none;    // that was made, named, written or synced
  std::string name;                                           // or path, or the text of a mark
  std::string new_name;                                       // of link and rename_new
  std::size_t offset = 0;                                     // at which `written` was written
  std::string written;
  int error_number = 0;        // of the answer
  bool took_effect = false;    // whatever the answer was; only of calls that change or sync something
  bool gave_up_pages = false;  // an fsync that failed
};

// As in "b link _tmp_... _log_00000000000000000001 = 0".
[[nodiscard]] inline std::string to_text(const traced_call& made) {
  const std::string client(1, made.client < 26 ? static_cast<char>('a' + made.client) : '?');
  std::string text = concat({client, " ", name_of(made.call)});
  if (!made.name.empty()) append_text(text, concat({" ", made.name}));
  if (!made.new_name.empty()) append_text(text, concat({" ", made.new_name}));
  if (made.name.empty() && made.node != simulated_disk::none) append_text(text, concat({" #", made.node}));
  if (made.name.empty() && made.folder != simulated_disk::none) append_text(text, concat({" folder #", made.folder}));
  if (!made.written.empty()) append_text(text, concat({" ", made.written.size(), " bytes at ", made.offset}));
  append_text(text, concat({" = ", made.error_number}));
  return text;
}

// For one thread. Members are the test's to read and, between calls, to set.
struct simulated_machine {
  explicit simulated_machine(simulated_disk disk_at_start = {}, std::uint64_t seed = 1)
      : initial(disk_at_start), disk(std::move(disk_at_start)), random(seed) {}

  simulated_disk initial;  // durable, all of it
  simulated_disk disk;     // as programs see it
  bool keeps_trace = true;
  bool has_unnamed_files = false;  // else who asks for one is refused at once, and no call is traced
  std::vector<traced_call> trace;

  // Called before each call: it may make calls of its own, for another client.
  std::function<void(const traced_call&)> before;

  // An fsync of which this is true succeeds and does nothing: as if the store had forgotten it.
  std::function<bool(const traced_call&)> forgets_sync;

  std::vector<planned_fault> faults;  // of fault_kind::directory
  // How often each has happened to each call.
  std::array<std::array<std::uint64_t, directory_faults>, static_cast<std::size_t>(system_call::mark)> fired{};
  std::map<std::size_t, std::size_t> calls;  // so far, by client

  timestamp clock{1'700'000'000'000};
  std::int64_t call_takes_ms = 1;
  random_source random;

  // A program says how far it has come: what it has promised from here on must be true after a loss of power.
  void mark(std::string_view text, std::size_t client = 0) {
    if (!keeps_trace) return;
    traced_call& made = trace.emplace_back();
    made.client = client;
    made.name = text;
  }

  // --- descriptors: for recording_system --------------------------------------------------------------------------

  // A failed write-back is told once to each descriptor that was open then, as Linux does since 4.13.
  struct open_node {
    simulated_disk::node_number node = simulated_disk::none;
    std::size_t place = 0;             // of the next read or write
    std::uint64_t failures_known = 0;  // of the node's
  };

  [[nodiscard]] int open(simulated_disk::node_number node) {
    int number = 3;
    while (descriptors.contains(number)) ++number;
    descriptors[number] = {node, 0, failures[node]};
    return number;
  }
  [[nodiscard]] bool nothing_open() const { return descriptors.empty() && open_listings == 0 && maps.empty(); }

  std::map<int, open_node> descriptors;
  std::map<simulated_disk::node_number, std::uint64_t> failures;  // write-backs that have failed
  std::size_t open_listings = 0;
  std::multimap<const char*, file_content> maps;
};

}  // namespace tarn::inline TARN_ABI::testing
