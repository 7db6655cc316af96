// A file system in memory under a real `file_store`: every system call is traced, any can be made to fail, and what a
// loss of power at any moment may leave can be enumerated (crash_states.hpp).
//
//   auto machine = std::make_shared<simulated_machine>();
//   client lake{file_store<recording_system>("lake", {}, recording_system(machine))};
//   ...                                                    machine->trace tells what it did
#pragma once

#include "../core/config.hpp"

#if TARN_HAS_POSIX

#include <errno.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/strong_types.hpp"
#include "../store/file_system.hpp"
#include "directory_fault.hpp"
#include "fault.hpp"
#include "simulated_disk.hpp"
#include "simulated_machine.hpp"

namespace tarn::inline TARN_ABI::testing {

// A handle of one client, or process, on a machine that others may share. For one thread.
class recording_system {
 public:
  struct names_read {
    std::vector<std::string> names;
    std::size_t next = 0;
  };
  using listing = std::shared_ptr<names_read>;

  recording_system() : recording_system(std::make_shared<simulated_machine>()) {}
  explicit recording_system(std::shared_ptr<simulated_machine> machine, std::size_t client = 0)
      : machine_(std::move(machine)), client_(client) {}

  [[nodiscard]] simulated_machine& machine() const noexcept { return *machine_; }

  outcome<int> open_folder(const char* path) const {
    return opening(named(system_call::open_folder, none, path), [&](traced_call&) -> outcome<int> {
      const node_number found = disk().find_path(path);
      if (found == none) return {-1, ENOENT};
      if (!disk().at(found).is_folder) return {-1, ENOTDIR};
      return {machine_->open(found), 0};
    });
  }
  outcome<int> open_parent(int folder) const {
    return opening(of_descriptor(system_call::open_parent, folder), [&](traced_call& made) -> outcome<int> {
      return {machine_->open(disk().at(made.folder).parent), 0};
    });
  }
  outcome<> make_folder(const char* path) const {
    return perform<outcome<>>(named(system_call::make_folder, none, path), [&](traced_call& made) -> outcome<> {
      std::string_view whole(path);
      while (whole.ends_with('/')) whole.remove_suffix(1);
      const std::size_t slash = whole.rfind('/');
      made.name = whole.substr(slash == std::string_view::npos ? 0 : slash + 1);
      made.folder = disk().find_path(whole.substr(0, whole.size() - made.name.size()));
      if (made.folder == none) return {{}, ENOENT};
      if (disk().find_path(path) != none) return {{}, EEXIST};
      made.node = disk().add_folder(made.folder);
      disk().set_name(made.folder, made.name, made.node);
      made.took_effect = true;
      return {};
    });
  }

  outcome<int> create_file(int folder, const char* name) const {
    return opening(named(system_call::create_file, node_of(folder), name), [&](traced_call& made) -> outcome<int> {
      if (disk().find(made.folder, name) != none) return {-1, EEXIST};
      made.node = disk().add_file();
      disk().at(made.node).modified = machine_->clock;
      disk().set_name(made.folder, name, made.node);
      made.took_effect = true;
      return {machine_->open(made.node), 0};
    });
  }
  outcome<int> create_unnamed(int) const {
    if (!machine_->has_unnamed_files) return {-1, EOPNOTSUPP};
    return opening(named(system_call::create_unnamed, none, ""), [&](traced_call& made) -> outcome<int> {
      made.node = disk().add_file();
      disk().at(made.node).modified = machine_->clock;
      made.took_effect = true;
      return {machine_->open(made.node), 0};
    });
  }
  outcome<std::size_t> write(int file, const void* bytes, std::size_t size) const {
    traced_call made = of_descriptor(system_call::write, file);
    const planned_fault* const met = begin(made);
    if (met != nullptr && !is(met, directory_fault::short_write) && !is(met, directory_fault::torn_write))
      return finish(made, outcome<std::size_t>{0, error_of(met)});
    const std::size_t taken = met == nullptr ? size : size / 2 + size % 2;
    simulated_machine::open_node& open = machine_->descriptors[file];
    made.offset = open.place;
    made.written.assign(static_cast<const char*>(bytes), taken);
    disk().at(made.node).content = disk().at(made.node).content.with(made.offset, made.written);
    disk().at(made.node).modified = machine_->clock;
    open.place += taken;
    made.took_effect = true;
    if (is(met, directory_fault::torn_write)) return finish(made, outcome<std::size_t>{0, EIO});
    return finish(made, outcome<std::size_t>{taken, 0});
  }
  outcome<> sync_file(int file) const { return sync(of_descriptor(system_call::sync_file, file), file); }
  outcome<> sync_folder(int folder) const { return sync(of_descriptor(system_call::sync_folder, folder), folder); }

  outcome<> link(int folder, const char* from, const char* to) const {
    return perform<outcome<>>(naming(system_call::link, folder, from, to), [&](traced_call& made) -> outcome<> {
      if (const int refused = check_naming(made); refused != 0) return {{}, refused};
      disk().set_name(made.folder, to, made.node);
      made.took_effect = true;
      return {};
    });
  }
  outcome<> link_unnamed(int file, int folder, const char* name) const {
    traced_call asked = named(system_call::link_unnamed, node_of(folder), name);
    asked.node = node_of(file);
    return perform<outcome<>>(std::move(asked), [&](traced_call& made) -> outcome<> {
      if (disk().find(made.folder, name) != none) return {{}, EEXIST};
      disk().set_name(made.folder, name, made.node);
      made.took_effect = true;
      return {};
    });
  }
  outcome<> rename_new(int folder, const char* from, const char* to) const {
    return perform<outcome<>>(naming(system_call::rename_new, folder, from, to), [&](traced_call& made) -> outcome<> {
      if (const int refused = check_naming(made); refused != 0) return {{}, refused};
      disk().set_name(made.folder, from, none);
      disk().set_name(made.folder, to, made.node);
      made.took_effect = true;
      return {};
    });
  }
  outcome<> unlink(int folder, const char* name) const {
    return perform<outcome<>>(named(system_call::unlink, node_of(folder), name), [&](traced_call& made) -> outcome<> {
      made.node = disk().find(made.folder, name);
      if (made.node == none) return {{}, ENOENT};
      if (disk().at(made.node).is_folder) return {{}, EISDIR};
      disk().set_name(made.folder, name, none);
      made.took_effect = true;
      return {};
    });
  }

  outcome<file_status> status(int file) const {
    return perform<outcome<file_status>>(of_descriptor(system_call::status, file),
                                         [&](traced_call& made) -> outcome<file_status> {
                                           return {status_of(made.node), 0};
                                         });
  }
  outcome<file_status> status_at(int folder, const char* name) const {
    return perform<outcome<file_status>>(named(system_call::status_at, node_of(folder), name),
                                         [&](traced_call& made) -> outcome<file_status> {
                                           made.node = disk().find(made.folder, name);
                                           if (made.node == none) return {{}, ENOENT};
                                           return {status_of(made.node), 0};
                                         });
  }

  outcome<int> open_file(int folder, const char* name) const {
    return opening(named(system_call::open_file, node_of(folder), name), [&](traced_call& made) -> outcome<int> {
      made.node = disk().find(made.folder, name);
      if (made.node == none) return {-1, ENOENT};
      return {machine_->open(made.node), 0};
    });
  }
  outcome<std::size_t> read(int file, void* to, std::size_t size) const {
    return perform<outcome<std::size_t>>(of_descriptor(system_call::read, file),
                                         [&](traced_call& made) -> outcome<std::size_t> {
                                           std::size_t& place = machine_->descriptors[file].place;
                                           const std::string& bytes = disk().at(made.node).content.bytes();
                                           const std::size_t count = bytes.copy(static_cast<char*>(to), size, place);
                                           place += count;
                                           return {count, 0};
                                         });
  }
  outcome<const char*> map(int file, std::size_t) const {
    return perform<outcome<const char*>>(of_descriptor(system_call::map, file),
                                         [&](traced_call& made) -> outcome<const char*> {
                                           const file_content& content = disk().at(made.node).content;
                                           machine_->maps.emplace(content.bytes().data(), content);
                                           return {content.bytes().data(), 0};
                                         });
  }
  void unmap(const char* address, std::size_t) const { machine_->maps.erase(machine_->maps.find(address)); }

  outcome<listing> open_listing(int folder) const {
    return perform<outcome<listing>>(of_descriptor(system_call::open_listing, folder),
                                     [&](traced_call& made) -> outcome<listing> {
                                       auto opened = std::make_shared<names_read>();
                                       opened->names = {".", ".."};
                                       for (const auto& each : disk().at(made.folder).names)
                                         opened->names.push_back(each.first);
                                       ++machine_->open_listings;
                                       return {std::move(opened), 0};
                                     });
  }
  outcome<const char*> next_name(const listing& names) const {
    return perform<outcome<const char*>>(named(system_call::next_name, none, ""),
                                         [&](traced_call&) -> outcome<const char*> {
                                           if (names->next == names->names.size()) return {nullptr, 0};
                                           return {names->names[names->next++].c_str(), 0};
                                         });
  }
  void close_listing(const listing&) const noexcept { --machine_->open_listings; }

  void close(int descriptor) const { machine_->descriptors.erase(descriptor); }

  [[nodiscard]] timestamp now() const noexcept { return machine_->clock; }
  bool fill_random(void* bytes, std::size_t size) const noexcept {
    auto* const to = static_cast<unsigned char*>(bytes);
    for (std::size_t at = 0; at < size; ++at) to[at] = static_cast<unsigned char>(machine_->random.next() >> 32);
    return true;
  }

 private:
  using node_number = simulated_disk::node_number;
  static constexpr node_number none = simulated_disk::none;

  [[nodiscard]] simulated_disk& disk() const noexcept { return machine_->disk; }
  [[nodiscard]] node_number node_of(int descriptor) const { return machine_->descriptors[descriptor].node; }

  [[nodiscard]] traced_call named(system_call call, node_number folder, const char* name) const {
    traced_call made;
    made.call = call;
    made.client = client_;
    made.folder = folder;
    made.name = name;
    return made;
  }
  [[nodiscard]] traced_call of_descriptor(system_call call, int descriptor) const {
    traced_call made = named(call, none, "");
    const node_number node = node_of(descriptor);
    (disk().at(node).is_folder ? made.folder : made.node) = node;
    return made;
  }
  [[nodiscard]] traced_call naming(system_call call, int folder, const char* from, const char* to) const {
    traced_call made = named(call, node_of(folder), from);
    made.new_name = to;
    return made;
  }
  // The error number, or 0; finds the file.
  [[nodiscard]] int check_naming(traced_call& made) const {
    made.node = disk().find(made.folder, made.name);
    if (made.node == none) return ENOENT;
    return disk().find(made.folder, made.new_name) == none ? 0 : EEXIST;
  }
  [[nodiscard]] file_status status_of(node_number number) const {
    const simulated_disk::node& found = disk().at(number);
    return {!found.is_folder, found.content.bytes().size(), 1, number, found.modified};
  }

  [[nodiscard]] static bool is(const planned_fault* met, directory_fault what) noexcept {
    return met != nullptr && met->what.argument == static_cast<std::uint64_t>(what);
  }
  [[nodiscard]] static int error_of(const planned_fault* met) noexcept {
    if (is(met, directory_fault::no_space)) return ENOSPC;
    if (is(met, directory_fault::interrupted)) return EINTR;
    if (is(met, directory_fault::unsupported)) return EOPNOTSUPP;
    return EIO;
  }

  // The fault that the call meets, if there is one.
  [[nodiscard]] const planned_fault* begin(const traced_call& made) const {
    if (machine_->before) machine_->before(made);
    machine_->clock.ms += machine_->call_takes_ms;
    const std::size_t index = machine_->calls[client_]++;
    for (const planned_fault& each : machine_->faults) {
      const bool is_due = each.what.for_good ? each.call <= index : each.call == index;
      if (each.client != client_ || !is_due || each.what.kind != fault_kind::directory) continue;
      if (!can_meet(made.call, static_cast<directory_fault>(each.what.argument))) continue;
      ++machine_->fired[static_cast<std::size_t>(made.call)][static_cast<std::size_t>(each.what.argument)];
      return &each;
    }
    return nullptr;
  }
  template <class Answer>
  Answer finish(traced_call& made, Answer answer) const {
    made.error_number = answer.error_number;
    if (machine_->keeps_trace) machine_->trace.push_back(std::move(made));
    return answer;
  }

  template <class Answer, class Effect>
  Answer perform(traced_call made, Effect effect) const {
    const planned_fault* const met = begin(made);
    Answer failed{};
    failed.error_number = error_of(met);
    if (met != nullptr && !is(met, directory_fault::answer_lost)) return finish(made, failed);
    Answer answer = effect(made);
    return finish(made, met == nullptr ? answer : failed);
  }

  // A call that answers with a descriptor. The kernel keeps none open that it has not told of.
  template <class Effect>
  outcome<int> opening(traced_call made, Effect effect) const {
    int opened = -1;
    const auto answer = perform<outcome<int>>(std::move(made), [&](traced_call& call) {
      const outcome<int> done = effect(call);
      opened = done.value;
      return done;
    });
    if (!answer && opened >= 0) close(opened);
    return answer ? answer : outcome<int>{-1, answer.error_number};
  }

  outcome<> sync(traced_call made, int descriptor) const {
    const planned_fault* const met = begin(made);
    if (machine_->forgets_sync && machine_->forgets_sync(made)) return finish(made, outcome<>{});
    if (is(met, directory_fault::interrupted)) return finish(made, outcome<>{{}, EINTR});
    simulated_machine::open_node& open = machine_->descriptors[descriptor];
    std::uint64_t& failures = machine_->failures[open.node];
    if (met != nullptr && !is(met, directory_fault::answer_lost)) {
      made.gave_up_pages = true;
      open.failures_known = ++failures;
      return finish(made, outcome<>{{}, error_of(met)});
    }
    made.took_effect = true;
    const bool failed_before = open.failures_known != failures;
    open.failures_known = failures;
    return finish(made, outcome<>{{}, met != nullptr || failed_before ? EIO : 0});
  }

  std::shared_ptr<simulated_machine> machine_;
  std::size_t client_;
};

static_assert(makes_unnamed_files<recording_system>);

}  // namespace tarn::inline TARN_ABI::testing

#endif  // TARN_HAS_POSIX
