// The system calls of a file store, recorded, failing where a test wants it, and judged: what would survive the loss of
// power now?
//
// The files are real ones; an fsync is only pretended, which is enough to judge by and makes thousands of runs cheap.
#pragma once

#include <errno.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tarn/core/text.hpp>
#include <tarn/store/posix_system.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tarn_test {

// One thing that goes wrong, once or from then on.
struct fault {
  enum class moment { before, after };  // the call takes effect, or not; the answer is the error all the same

  std::size_t call = 0;  // counted over all calls, from 0; or, if `kind` is given, over those of that kind
  int error_number = EIO;
  moment when = moment::before;
  bool for_good = false;  // and all later calls of the same kind too
  std::string kind;       // the first word of its line in the trace
};

// What all copies of a faulty_system share. Guarded by `guard` while a call is made.
struct system_plan {
  std::mutex guard;
  std::vector<fault> faults;
  std::vector<std::string> trace;                  // "link _tmp_ x", "sync_folder parent", ...
  std::function<void(const std::string&)> before;  // called with the line, not guarded, before each call
  std::size_t write_bytes_max = SIZE_MAX;          // more is not taken by one write
  std::int64_t clock_ahead_ms = 0;
  bool has_entropy = true;
  bool has_unnamed_files = false;  // else who asks for one is refused, and nothing is recorded
  std::size_t unnamed_files = 0;   // made so far

  std::map<std::string, std::size_t> kinds;  // calls made, by kind
  std::map<std::string, int> last_error;  // by line of the trace: the last planned fault that met it, if the last did
  std::map<int, std::string> roles;       // of open descriptors: "folder", "parent", or the name of a file
  std::size_t open_listings = 0;
  std::size_t mapped = 0;

  // The medium, at its worst: holds only what a successful fsync has put there. After an fsync that fails, what it was
  // to write is lost for good, and a later one says nothing about it.
  std::set<std::string> unsynced_contents;  // by the temporary name, or another for a file without one
  std::set<std::string> torn;               // final names whose contents were not synced
  std::map<std::string, bool> names;        // final names that were made: is it durable?
  std::set<std::string> lost_names;
  bool folder_durable = false;
  bool folder_lost = false;

  [[nodiscard]] bool survives_power_loss(const std::string& name) const {
    const auto found = names.find(name);
    return folder_durable && found != names.end() && found->second && torn.count(name) == 0;
  }
  [[nodiscard]] std::size_t count(const std::string& kind) const {
    const auto found = kinds.find(kind);
    return found == kinds.end() ? 0 : found->second;
  }
  [[nodiscard]] int error_of(const std::string& line) const {
    const auto found = last_error.find(line);
    return found == last_error.end() ? 0 : found->second;
  }
  [[nodiscard]] bool nothing_open() const { return roles.empty() && open_listings == 0 && mapped == 0; }

  void forget_calls() {
    trace.clear();
    kinds.clear();
    faults.clear();
  }
};

class faulty_system {
 public:
  using listing = tarn::posix_system::listing;

  explicit faulty_system(std::shared_ptr<system_plan> plan) : plan_(std::move(plan)) {}

  tarn::outcome<int> open_folder(const char* path) const {
    return opening("open_folder", "folder", [&] { return real_.open_folder(path); });
  }
  tarn::outcome<int> open_parent(int folder) const {
    return opening("open_parent", "parent", [&] { return real_.open_parent(folder); });
  }
  tarn::outcome<> make_folder(const char* path) const {
    return call("make_folder", [&] { return real_.make_folder(path); });
  }
  tarn::outcome<int> create_file(int folder, const char* name) const {
    return opening(tarn::concat({"create_file ", shown(name)}), name, [&] { return real_.create_file(folder, name); });
  }
  tarn::outcome<int> create_unnamed(int folder) const {
    std::string own_role;
    {
      const std::lock_guard hold(plan_->guard);
      if (!plan_->has_unnamed_files) return {-1, EOPNOTSUPP};
      own_role = tarn::concat({"_unnamed_", plan_->unnamed_files++});
    }
    return opening("create_unnamed", own_role, [&] { return real_.create_unnamed(folder); });
  }
  tarn::outcome<std::size_t> write(int file, const void* bytes, std::size_t size) const {
    const std::size_t taken = size < plan_->write_bytes_max ? size : plan_->write_bytes_max;
    // A write that was interrupted has written nothing: else it answers how much.
    return call(
        tarn::concat({"write ", role(file)}), [&] { return real_.write(file, bytes, taken); },
        [&](const auto&) { plan_->unsynced_contents.insert(plan_->roles[file]); }, not_after_eintr);
  }
  tarn::outcome<> sync_file(int file) const {
    return syncing(tarn::concat({"sync_file ", role(file)}), [&](bool reached) {
      if (reached) plan_->unsynced_contents.erase(plan_->roles[file]);
    });
  }
  tarn::outcome<> sync_folder(int folder) const {
    const bool parent = role(folder) == "parent";
    return syncing(tarn::concat({"sync_folder ", role(folder)}), [&](bool reached) {
      if (parent) {
        plan_->folder_durable = reached && !plan_->folder_lost;
        plan_->folder_lost = !plan_->folder_durable;
        return;
      }
      for (auto& [name, durable] : plan_->names) {
        if (!reached && !durable) plan_->lost_names.insert(name);
        if (reached && plan_->lost_names.count(name) == 0) durable = true;
      }
    });
  }
  tarn::outcome<> link(int folder, const char* from, const char* to) const {
    return call(
        tarn::concat({"link ", shown(from), ' ', to}), [&] { return real_.link(folder, from, to); },
        [&](const auto& answer) { note_name(answer, from, to); });
  }
  tarn::outcome<> link_unnamed(int file, int folder, const char* name) const {
    return call(
        tarn::concat({"link_unnamed ", name}), [&] { return real_.link_unnamed(file, folder, name); },
        [&](const auto& answer) { note_name(answer, plan_->roles[file], name); });
  }
  tarn::outcome<> rename_new(int folder, const char* from, const char* to) const {
    return call(
        tarn::concat({"rename_new ", shown(from), ' ', to}), [&] { return real_.rename_new(folder, from, to); },
        [&](const auto& answer) { note_name(answer, from, to); });
  }
  tarn::outcome<> unlink(int folder, const char* name) const {
    return call(
        tarn::concat({"unlink ", shown(name)}), [&] { return real_.unlink(folder, name); },
        [&](const auto& answer) {
          if (answer) plan_->names.erase(name);
        });
  }
  tarn::outcome<tarn::file_status> status(int file) const {
    return call(tarn::concat({"status ", role(file)}), [&] { return real_.status(file); });
  }
  tarn::outcome<tarn::file_status> status_at(int folder, const char* name) const {
    return call(tarn::concat({"status_at ", shown(name)}), [&] { return real_.status_at(folder, name); });
  }
  tarn::outcome<int> open_file(int folder, const char* name) const {
    return opening(tarn::concat({"open_file ", shown(name)}), name, [&] { return real_.open_file(folder, name); });
  }
  tarn::outcome<std::size_t> read(int file, void* to, std::size_t size) const {
    return call(
        tarn::concat({"read ", role(file)}), [&] { return real_.read(file, to, size); }, ignore, not_after_eintr);
  }
  tarn::outcome<const char*> map(int file, std::size_t size) const {
    const auto answer = call(
        tarn::concat({"map ", role(file)}), [&] { return real_.map(file, size); }, ignore, not_after);
    const std::lock_guard hold(plan_->guard);
    if (answer) ++plan_->mapped;
    return answer;
  }
  void unmap(const char* address, std::size_t size) const {
    const std::lock_guard hold(plan_->guard);
    --plan_->mapped;
    real_.unmap(address, size);
  }
  tarn::outcome<listing> open_listing(int folder) const {
    const auto answer = call(
        tarn::concat({"open_listing ", role(folder)}), [&] { return real_.open_listing(folder); }, ignore, not_after);
    const std::lock_guard hold(plan_->guard);
    if (answer) ++plan_->open_listings;
    return answer;
  }
  tarn::outcome<const char*> next_name(listing names) const {
    return call("next_name", [&] { return real_.next_name(names); });
  }
  void close_listing(listing names) const {
    const std::lock_guard hold(plan_->guard);
    --plan_->open_listings;
    real_.close_listing(names);
  }
  void close(int descriptor) const {
    const std::lock_guard hold(plan_->guard);
    plan_->roles.erase(descriptor);
    real_.close(descriptor);
  }
  tarn::timestamp now() const { return {real_.now().ms + plan_->clock_ahead_ms}; }
  bool fill_random(void* bytes, std::size_t size) const { return plan_->has_entropy && real_.fill_random(bytes, size); }

 private:
  static constexpr auto ignore = [](const auto&) {};
  // Which faults after the effect a call can have.
  static constexpr auto any_after = [](int) { return true; };
  static constexpr auto not_after = [](int) { return false; };
  static constexpr auto not_after_eintr = [](int error_number) { return error_number != EINTR; };

  static std::string shown(std::string_view name) {
    for (const std::string_view numbered : {"_tmp_", "_unnamed_"})
      if (name.starts_with(numbered)) return std::string(numbered);
    return std::string(name);
  }
  std::string role(int descriptor) const {
    const std::lock_guard hold(plan_->guard);
    return shown(plan_->roles[descriptor]);
  }

  // Records the call; returns the fault that meets it, if there is one. Guarded.
  const fault* meet(const std::string& line) const {
    const fault* const met = find_fault(line);
    plan_->last_error[line] = met == nullptr ? 0 : met->error_number;
    return met;
  }

  const fault* find_fault(const std::string& line) const {
    const std::string kind = line.substr(0, line.find(' '));
    const std::size_t index = plan_->trace.size();
    const std::size_t index_of_kind = plan_->kinds[kind]++;
    plan_->trace.push_back(line);
    for (fault& planned : plan_->faults) {
      const std::size_t at = planned.kind.empty() ? index : index_of_kind;
      if (!planned.kind.empty() && planned.kind != kind) continue;
      if (planned.call == at && planned.for_good && planned.kind.empty()) {
        planned.kind = kind;  // from here on: every call of this kind
        planned.call = 0;
        return &planned;
      }
      if (at == planned.call || (planned.for_good && !planned.kind.empty() && at > planned.call)) return &planned;
    }
    return nullptr;
  }

  template <class Effect, class Note = decltype(ignore), class CanFailAfter = decltype(any_after)>
  std::invoke_result_t<Effect> call(const std::string& line, Effect effect, Note note = ignore,
                                    CanFailAfter can_fail_after = any_after) const {
    if (plan_->before) plan_->before(line);
    const std::lock_guard hold(plan_->guard);
    const fault* const met = meet(line);
    if (met == nullptr) {
      auto answer = effect();
      note(answer);
      return answer;
    }
    const int error_number = met->error_number;
    if (met->when == fault::moment::after && can_fail_after(error_number)) note(effect());
    decltype(effect()) failed{};
    failed.error_number = error_number;
    return failed;
  }

  // A call that answers with a descriptor. The kernel never keeps one open that it has not told of.
  template <class Effect>
  tarn::outcome<int> opening(const std::string& line, std::string_view opened_role, Effect effect) const {
    int told_nobody = -1;
    const auto answer = call(line, effect, [&](const tarn::outcome<int>& opened) {
      if (opened) told_nobody = opened.value;
    });
    const std::lock_guard hold(plan_->guard);
    if (answer)
      plan_->roles[answer.value] = opened_role;
    else if (told_nobody >= 0)
      real_.close(told_nobody);
    return answer;
  }

  template <class Reach>
  tarn::outcome<> syncing(const std::string& line, Reach reach) const {
    if (plan_->before) plan_->before(line);
    const std::lock_guard hold(plan_->guard);
    const fault* const met = meet(line);
    // An interrupted fsync has failed to wait, not to write; one that fails may have written anything or nothing.
    if (met == nullptr)
      reach(true);
    else if (met->error_number != EINTR)
      reach(false);
    return {{}, met == nullptr ? 0 : met->error_number};
  }

  void note_name(const tarn::outcome<>& answer, const std::string& from, const std::string& to) const {
    if (!answer) return;
    plan_->names[to] = false;
    if (plan_->unsynced_contents.count(from) != 0) plan_->torn.insert(to);
  }

  tarn::posix_system real_;
  std::shared_ptr<system_plan> plan_;
};

static_assert(tarn::makes_unnamed_files<faulty_system>);

}  // namespace tarn_test
