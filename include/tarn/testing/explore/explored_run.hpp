// One run of some programs on one store: who stands before which call, what has happened so far, and the step that lets
// one of them go on. Who is next is for others to say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../../core/error.hpp"
#include "../../core/result.hpp"
#include "../../core/text.hpp"
#include "../../store/memory_store.hpp"
#include "../../store/shared_bytes.hpp"
#include "../hash.hpp"
#include "explored_content.hpp"
#include "store_call.hpp"
#include "turns.hpp"

namespace tarn::inline TARN_ABI::testing {

class explored_store;

// What one client does. It must be a function of what its store answers: whatever else it uses (clock, ids, a client to
// start from) must be the same at the beginning of each run.
struct explored_program {
  std::string name;  // letters, digits and '_', for schedules
  std::function<void(explored_store)> run;
};

// Who takes steps: clients, numbered as their programs are, and then ghosts, each with one call that some client has
// sent and that arrives later. Ghost g of client c, from 0, is number (g + 1) * clients + c, whenever it was sent: so
// it has the same number in all runs in which its client does the same.
inline constexpr std::size_t processes_max = 64;
inline constexpr std::size_t no_process = processes_max;
inline constexpr std::size_t no_step = SIZE_MAX;

// A call that has happened.
struct explored_step {
  std::size_t process = 0;
  store_call call;
  std::uint64_t answer = 0;  // hash of what the caller was told
  // The step without which this one could not have been next, of another process: the one in which a ghost was sent.
  std::size_t enabled_by = no_step;
};

// Made once for all runs of an exploration: `begin`, then `step` as long as somebody is `enabled`. Nobody can be
// stopped in the middle of a program, so each run must be led to its end, even one that is of no more interest.
class explored_run {
 public:
  explored_run(std::vector<explored_program> programs, const memory_store& initial, switching how,
               std::size_t stack_bytes, std::size_t calls_max)
      : content_(initial),
        calls_max_(calls_max),
        programs_(std::move(programs)),
        clients_(programs_.size()),
        turns_(how, programs_.size(), stack_bytes, &explored_run::live, this) {}
  explored_run(const explored_run&) = delete;
  explored_run& operator=(const explored_run&) = delete;
  ~explored_run() = default;

  // Puts the content back to what it was, and lets each client of `present` (bit c: client c) come to its first call.
  // The run before must be over. If `symmetric`, of clients with one name the first takes its first step first.
  void begin(std::uint64_t present, bool symmetric) {
    symmetric_ = symmetric;
    content_.reset();
    steps_.clear();
    ghosts_.clear();
    error_.clear();
    for (std::size_t number = 0; number < clients_.size(); ++number) clients_[number] = client(number);
    for (std::size_t number = 0; number < clients_.size(); ++number)
      if ((present >> number & 1U) != 0) resume(number);
  }

  // Who can take a step now, as bits. Nobody: the run is over.
  [[nodiscard]] std::uint64_t enabled() const noexcept {
    std::uint64_t all = 0;
    for (std::size_t number = 0; number < clients_.size(); ++number)
      if (clients_[number].parked && may_begin(number)) all |= bit(number);
    for (const ghost& each : ghosts_)
      if (!each.done) all |= bit(each.process);
    return all;
  }
  // Lets one of them do its call and come to its next.
  void step(std::size_t process) {
    if (process < clients_.size()) return resume(process);
    for (ghost& each : ghosts_)
      if (each.process == process) return deliver(each);
  }

  [[nodiscard]] const std::vector<explored_step>& steps() const noexcept { return steps_; }
  [[nodiscard]] const std::vector<explored_program>& programs() const noexcept { return programs_; }
  // How many calls of the client have reached the store.
  [[nodiscard]] std::size_t calls(std::size_t number) const noexcept { return clients_[number].calls; }
  // What a program did that it must not do; empty if nothing.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] explored_content& content() noexcept { return content_; }

  // Of the content and all that was answered to anybody: runs with equal hashes have the same future, as each client is
  // a function of what it was answered.
  [[nodiscard]] std::uint64_t state_hash() const noexcept {
    std::uint64_t hash = mix(0, content_.hash());
    for (const client& each : clients_) hash = mix(hash, each.answers);
    std::uint64_t ghosts = 0;
    for (const ghost& each : ghosts_) ghosts += mix(each.process, each.done ? 2 : 1);
    return mix(hash, ghosts);
  }

  // What explored_store does, for the client `process`; with no_process, or when that client is not the one that runs,
  // at once and without a trace.
  [[nodiscard]] result<bool> put(std::size_t process, std::string_view name, std::string_view bytes) {
    explored_content::named_object& object = content_.named(name);
    if (const status turn = await_turn(process); !turn) return turn.error();
    const bool created = content_.put(object, bytes);
    note(process, {store_operation::put, created, object.first, {}}, created ? 1 : 0);
    return created;
  }
  [[nodiscard]] result<shared_bytes> get(std::size_t process, std::string_view name) {
    explored_content::named_object& object = content_.named(name);
    if (const status turn = await_turn(process); !turn) return turn.error();
    const bool found = object.second.bytes.has_value();
    note(process, {store_operation::get, false, object.first, {}}, found ? object.second.hash : 0);
    if (!found) return tarn::error{errc::not_found, concat({"there is no object ", name})};
    return *object.second.bytes;
  }
  // False if there was nothing.
  [[nodiscard]] result<bool> remove(std::size_t process, std::string_view name) {
    explored_content::named_object& object = content_.named(name);
    if (const status turn = await_turn(process); !turn) return turn.error();
    const bool removed = content_.remove(object);
    note(process, {store_operation::remove, removed, object.first, {}}, 0);
    return removed;
  }
  [[nodiscard]] result<std::vector<std::string>> list(std::size_t process, std::string_view prefix,
                                                      std::string_view start_after) {
    const std::string_view of = content_.named(prefix).first;
    const std::string_view after = content_.named(start_after).first;
    if (const status turn = await_turn(process); !turn) return turn.error();
    std::vector<std::string> names;
    std::uint64_t answer = 0;
    content_.list(of, after, [&](std::string_view name) {
      names.emplace_back(name);
      answer = mix(answer, hash_of(name));
    });
    note(process, {store_operation::list, false, of, after}, answer);
    return names;
  }

  // A put, or a remove, that arrives at any time from now on.
  void send(std::size_t process, store_operation operation, std::string_view name, std::string_view bytes) {
    if (process == no_process || process != running_) {
      if (operation == store_operation::put) content_.put(content_.named(name), bytes);
      if (operation == store_operation::remove) content_.remove(content_.named(name));
      return;
    }
    client& sender = clients_[process];
    const std::size_t number = ++sender.ghosts * clients_.size() + process;
    if (number >= processes_max) return blame(process, "has sent more calls ahead than can be numbered");
    ghosts_.push_back({number, operation, std::string(name), std::string(bytes), sender.last_step, false});
  }

 private:
  struct client {
    explicit client(std::size_t number = 0) noexcept : answers(mix(1, number)) {}
    bool parked = false;     // before a call
    std::size_t calls = 0;   // begun
    std::size_t ghosts = 0;  // sent
    std::size_t first_step = no_step;
    std::size_t last_step = no_step;
    std::uint64_t answers;  // hash of all
  };
  struct ghost {
    std::size_t process;
    store_operation operation;
    std::string name;
    std::string bytes;
    std::size_t sent_in;  // step
    bool done;
  };

  // Where there are errors for calls beyond the limit, a program has so many to end in.
  static constexpr std::size_t calls_to_end_in = 10'000;

  [[nodiscard]] static std::uint64_t bit(std::size_t process) noexcept { return std::uint64_t{1} << process; }

  // The life of a client, from its first step to the end of its program. In explored_store.hpp.
  static void live(void* self, std::size_t number);

  void resume(std::size_t number) {
    clients_[number].parked = false;
    running_ = number;
    turns_.resume(number);
    running_ = no_process;
  }

  // Nothing of a run may happen in it: it is a client's own call.
  [[nodiscard]] status await_turn(std::size_t process) {
    if (process == no_process || process != running_) return {};
    client& self = clients_[process];
    if (++self.calls > calls_max_) return refuse(process);
    self.parked = true;
    turns_.park(process);
    return {};
  }
  [[nodiscard]] status refuse(std::size_t process) {
    const std::string message = concat({"made more than ", calls_max_, " calls"});
    blame(process, message);
    if (clients_[process].calls > calls_max_ + calls_to_end_in) {
      std::fprintf(stderr, "tarn: %s, and goes on though each of them fails\n", error_.c_str());
      std::abort();
    }
    return tarn::error{errc::limit_exceeded, error_};
  }
  void blame(std::size_t process, std::string_view what) {
    if (error_.empty()) error_ = concat({"the client ", programs_[process].name, " ", what});
  }

  void note(std::size_t process, const store_call& call, std::uint64_t answer) {
    if (process == no_process || process != running_) return;
    client& self = clients_[process];
    self.answers = mix(mix(self.answers, answer), static_cast<std::uint64_t>(call.operation));
    const bool first = self.first_step == no_step;
    self.last_step = steps_.size();
    if (first) self.first_step = steps_.size();
    steps_.push_back({process, call, answer, first ? begun_by(process) : no_step});
  }
  void deliver(ghost& one) {
    one.done = true;
    explored_content::named_object& object = content_.named(one.name);
    const bool effective =
        one.operation == store_operation::put ? content_.put(object, one.bytes) : content_.remove(object);
    steps_.push_back({one.process, {one.operation, effective, object.first, {}}, 0, one.sent_in});
  }

  // The client before this one among those of one name, in explorations that make use of that.
  [[nodiscard]] std::size_t predecessor(std::size_t number) const noexcept {
    if (symmetric_)
      for (std::size_t other = number; other-- > 0;)
        if (programs_[other].name == programs_[number].name) return other;
    return no_process;
  }
  [[nodiscard]] bool may_begin(std::size_t number) const noexcept {
    if (clients_[number].first_step != no_step) return true;
    const std::size_t before = predecessor(number);
    return before == no_process || !clients_[before].parked || clients_[before].first_step != no_step;
  }
  [[nodiscard]] std::size_t begun_by(std::size_t number) const noexcept {
    const std::size_t before = predecessor(number);
    return before == no_process ? no_step : clients_[before].first_step;
  }

  explored_content content_;
  std::size_t calls_max_;  // of one client
  bool symmetric_ = false;
  std::vector<explored_program> programs_;
  std::vector<client> clients_;
  std::vector<ghost> ghosts_;
  std::vector<explored_step> steps_;
  std::string error_;
  std::size_t running_ = no_process;  // the client whose code runs
  turns turns_;                       // last: its end runs code that uses the rest
};

}  // namespace tarn::inline TARN_ABI::testing
